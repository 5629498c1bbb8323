//! Step 19, by content: whether a state holds what a hand wrote.
//!
//! A late commit may carry the agent's work under another name, as a server does that squashes what was pushed.
//! Then the expected state holds lines that a commit of the turn added by hand, or lacks lines that one removed.

use std::collections::{HashMap, HashSet};

use crate::model::FileMode;

/// A file as it is compared: its mode, and its text where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a> {
    /// Type and permission.
    pub mode: FileMode,
    /// The content; `None` where it is binary or cannot be read, so that nothing can be said of its lines.
    pub text: Option<&'a [u8]>,
}

/// Whether what was done by hand, `before` to `after`, shows in what came elsewhere, `start` to `expected`.
/// `None` is a file that does not exist. `start` and `expected` are taken to differ where they have no text.
pub fn shows(
    before: Option<Version<'_>>,
    after: Option<Version<'_>>,
    start: Option<Version<'_>>,
    expected: Option<Version<'_>>,
) -> bool {
    let has_text = start.is_none_or(|version| version.text.is_some());
    if start == expected && has_text {
        return false;
    }
    let existence = |version: Option<Version<'_>>| version.is_some();
    if existence(before) != existence(after)
        && existence(start) != existence(expected)
        && existence(after) == existence(expected)
    {
        return true;
    }
    let mode = |version: Option<Version<'_>>| version.map(|version| version.mode);
    if let (Some(was), Some(made), Some(stood), Some(stands)) = (mode(before), mode(after), mode(start), mode(expected))
        && was != made
        && stood != stands
        && made == stands
    {
        return true;
    }
    let (Some(by_hand), Some(elsewhere)) = (changed_lines(before, after), changed_lines(start, expected)) else {
        return true;
    };
    by_hand.iter().any(|(line, count)| {
        elsewhere
            .get(line)
            .is_some_and(|other| other.signum() == count.signum())
    })
}

/// Whether lines that were added by hand, `before` to `after`, stand in a file of another name. Where they have no
/// lines, nothing of them can be known again.
pub fn reappear(before: Option<Version<'_>>, after: Option<Version<'_>>, elsewhere: Option<Version<'_>>) -> bool {
    let (Some(by_hand), Some(lines)) = (changed_lines(before, after), changed_lines(None, elsewhere)) else {
        return false;
    };
    by_hand
        .iter()
        .any(|(line, count)| *count > 0 && lines.contains_key(line))
}

/// The least length of a line, without the blanks around it, that tells where it comes from. Where no line is that
/// long, all of them have to.
const TELLING: usize = 8;

/// Adds the lines that were added by hand, `before` to `after`, without the blanks around them.
pub fn collect_added(before: Option<Version<'_>>, after: Option<Version<'_>>, lines: &mut HashSet<Vec<u8>>) {
    lines.extend(added_lines(before, after).into_iter().map(<[u8]>::to_vec));
}

/// Whether most of the telling lines that came elsewhere, `start` to `expected`, were added by hand: under another
/// name, or with other indentation.
pub fn mostly_from(by_hand: &HashSet<Vec<u8>>, start: Option<Version<'_>>, expected: Option<Version<'_>>) -> bool {
    if by_hand.is_empty() || start == expected {
        return false;
    }
    let mut came = added_lines(start, expected);
    if came.iter().any(|line| line.len() >= TELLING) {
        came.retain(|line| line.len() >= TELLING);
    }
    let known = came.iter().filter(|line| by_hand.contains(**line)).count();
    known > 0 && 2 * known >= came.len()
}

fn added_lines<'a>(old: Option<Version<'a>>, new: Option<Version<'a>>) -> Vec<&'a [u8]> {
    let changed = changed_lines(old, new).unwrap_or_default();
    let added = changed.into_iter().filter(|(_, count)| *count > 0);
    added
        .map(|(line, _)| line.trim_ascii())
        .filter(|line| !line.is_empty())
        .collect()
}

/// How many more (or fewer) times each line stands in `new` than in `old`; lines in equal number are left out.
fn changed_lines<'a>(old: Option<Version<'a>>, new: Option<Version<'a>>) -> Option<HashMap<&'a [u8], i64>> {
    let mut counts = HashMap::new();
    for (version, step) in [(old, -1), (new, 1)] {
        let Some(version) = version else { continue };
        for line in version.text?.split_inclusive(|&byte| byte == b'\n') {
            *counts.entry(line.strip_suffix(b"\n").unwrap_or(line)).or_insert(0) += step;
        }
    }
    counts.retain(|_, count| *count != 0);
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_moved_or_indented_anew_is_known_again() {
        let mut by_hand = HashSet::new();
        collect_added(
            text("old line one\n"),
            text("old line one\n  new line two\n}\n"),
            &mut by_hand,
        );
        assert_eq!(by_hand.len(), 2);
        for (start, expected, is_from) in [
            ("", "new line two\n", true),
            ("kept line\n", "kept line\n\tnew line two\nof the others\n", true),
            ("", "new line two\nof the others\nmore of the others\n", false),
            ("", "}\n", true),
            ("", "}\nof the others\n", false),
            ("new line two\n", "new line two\nof the others\n", false),
            ("", "", false),
        ] {
            assert_eq!(
                mostly_from(&by_hand, text(start), text(expected)),
                is_from,
                "{expected}"
            );
        }
    }

    fn text(content: &str) -> Option<Version<'_>> {
        Some(Version {
            mode: FileMode::REGULAR,
            text: Some(content.as_bytes()),
        })
    }

    #[test]
    fn lines_of_the_hand_show() {
        let (before, after) = (text("a\nb\n"), text("a\nagent\nb\n"));
        assert!(shows(before, after, text("a\nb\n"), text("a\nagent\nb\nteam\n")));
        assert!(!shows(before, after, text("a\nb\n"), text("a\nb\nteam\n")));
        // The last line of a file without a newline is the same line.
        assert!(shows(text("a\n"), text("a\nx"), text("a\n"), text("a\nx\nteam\n")));
        // One more of a line that was there.
        assert!(shows(text("}\n"), text("}\n}\n"), text("}\n"), text("}\n}\nteam\n")));
        assert!(!shows(text("}\n"), text("}\n}\n"), text("}\n"), text("}\nteam\n")));
    }

    #[test]
    fn lines_that_the_hand_removed_are_missed() {
        assert!(shows(text("a\nb\n"), text("a\n"), text("a\nb\n"), text("a\nteam\n")));
        assert!(!shows(
            text("a\nb\n"),
            text("a\n"),
            text("a\nb\n"),
            text("a\nb\nteam\n")
        ));
        // Removed here, added there: not the same thing.
        assert!(!shows(text("a\nb\n"), text("a\n"), text("a\n"), text("a\nb\n")));
    }

    #[test]
    fn existence_and_modes_show() {
        assert!(shows(None, text(""), None, text("")));
        assert!(shows(text(""), None, text(""), None));
        assert!(!shows(None, text("agent\n"), None, None));
        let executable = Some(Version {
            mode: FileMode::EXECUTABLE,
            text: Some(b"a\n"),
        });
        assert!(shows(text("a\n"), executable, text("a\n"), executable));
        assert!(!shows(text("a\n"), executable, text("a\n"), text("a\nteam\n")));
    }

    #[test]
    fn lines_of_the_hand_are_known_again_under_another_name() {
        assert!(reappear(text("a\n"), text("a\nagent\n"), text("a\nagent\nteam\n")));
        assert!(!reappear(text("a\n"), text("a\nagent\n"), text("a\nteam\n")));
        assert!(!reappear(text("a\nb\n"), text("a\n"), text("b\n")));
    }

    #[test]
    fn what_has_no_lines_shows_where_it_differs() {
        let binary = Some(Version {
            mode: FileMode::REGULAR,
            text: None,
        });
        assert!(shows(text("a\n"), binary, text("a\n"), text("b\n")));
        assert!(shows(binary, binary, binary, binary));
        assert!(!shows(text("a\n"), binary, text("a\n"), text("a\n")));
    }
}
