//! What stands below the headers of a section: hunks, whose lengths alone decide what is content, and binary patches.

use super::lines::Lines;

/// The most states that one hunk compares; git itself has been seen to merge 66.
const MOST_SIDES: usize = 128;

/// Lines by their origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that the new state has and an old one has not.
    pub additions: u64,
    /// Lines that an old state has and the new one has not.
    pub deletions: u64,
}

/// How reading went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It is not there at all.
    Absent,
    /// It was read to its end.
    Whole,
    /// It is malformed, or the text ends within it. The place is that of the first line not understood.
    Broken,
}

/// Reads a hunk, of a change from one state (`@@`) or from several (`@@@`).
pub fn read_hunk(lines: &mut Lines, counts: &mut Counts) -> Reading {
    let Some(mut left) = lines.line().and_then(hunk_lengths) else {
        return Reading::Absent;
    };
    lines.advance();
    if left.contains(&u64::MAX) {
        read_unmeasured(lines, &mut left, counts);
        return Reading::Whole;
    }
    let mut outstanding: u128 = left.iter().copied().map(u128::from).sum();
    while outstanding > 0 {
        let Some(line) = lines.line() else {
            return Reading::Broken;
        };
        if !is_no_newline_marker(line) {
            let Some(taken) = take(line, &mut left, counts) else {
                return Reading::Broken;
            };
            outstanding -= taken;
        }
        lines.advance();
    }
    if lines.line().is_some_and(is_no_newline_marker) {
        lines.advance();
    }
    Reading::Whole
}

/// Reads the lines of a hunk that is said to have 2⁶⁴ − 1 on a side: so git 2.47 writes a merge that ends a file, with
/// `-U0`. Then what has an origin for each parent is content.
fn read_unmeasured(lines: &mut Lines, left: &mut [u64], counts: &mut Counts) {
    left.fill(u64::MAX);
    while let Some(line) = lines.line().filter(|line| !matches!(*line, b"" | b"\r")) {
        if take(line, left, counts).is_none() {
            return;
        }
        lines.advance();
    }
}

/// Whether a hunk starts here.
pub fn is_hunk(lines: &Lines) -> bool {
    lines.line().is_some_and(|line| hunk_lengths(line).is_some())
}

/// The lines on each side, the new one last.
fn hunk_lengths(line: &[u8]) -> Option<Vec<u64>> {
    let sides = line
        .iter()
        .take(MOST_SIDES + 1)
        .take_while(|&&byte| byte == b'@')
        .count();
    if !(2..=MOST_SIDES).contains(&sides) {
        return None;
    }
    let (marks, rest) = line.split_at(sides);
    let mut rest = rest.strip_prefix(b" ")?;
    let mut lengths = Vec::with_capacity(sides);
    for side in 1..=sides {
        rest = rest.strip_prefix(if side == sides { b"+" } else { b"-" })?;
        (_, rest) = number(rest)?;
        let (length, after) = rest.strip_prefix(b",").map_or(Some((1, rest)), number)?;
        lengths.push(length);
        rest = after.strip_prefix(b" ")?;
    }
    rest.starts_with(marks).then_some(lengths)
}

fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number, rest))
}

/// In whatever language: git promises the backslash and the blank alone.
fn is_no_newline_marker(line: &[u8]) -> bool {
    line.starts_with(b"\\ ")
}

/// Takes a line from the sides that have it, and says how many do; `None` where a side has no line left or the line
/// is no content.
fn take(line: &[u8], left: &mut [u64], counts: &mut Counts) -> Option<u128> {
    let (new, old) = left.split_last_mut()?;
    // An empty line of context may have lost its blanks (`diff.suppressBlankEmpty`, mail).
    let origins = if matches!(line, b"" | b"\r") {
        b""
    } else {
        line.get(..old.len())?
    };
    let (added, removed) = (origins.contains(&b'+'), origins.contains(&b'-'));
    if added && removed || origins.iter().any(|byte| !b" +-".contains(byte)) {
        return None;
    }
    let mut taken = 0;
    let mut take_from = |side: &mut u64| {
        *side = side.checked_sub(1)?;
        taken += 1;
        Some(())
    };
    let in_old_when = if removed { b'-' } else { b' ' };
    for (at, side) in old.iter_mut().enumerate() {
        if origins.get(at).is_none_or(|&origin| origin == in_old_when) {
            take_from(side)?;
        }
    }
    if !removed {
        take_from(new)?;
    }
    counts.additions += u64::from(added);
    counts.deletions += u64::from(removed);
    Some(taken)
}

/// Reads what follows `GIT binary patch`: the change, and mostly its reverse.
pub fn read_binary_patch(lines: &mut Lines) -> Reading {
    match read_binary_block(lines) {
        Reading::Whole if read_binary_block(lines) == Reading::Broken => Reading::Broken,
        Reading::Absent => Reading::Broken,
        reading => reading,
    }
}

/// `literal` or `delta` and a length, lines in base 85, an empty line.
fn read_binary_block(lines: &mut Lines) -> Reading {
    let Some(length) = lines.after(b"literal ").or_else(|| lines.after(b"delta ")) else {
        return Reading::Absent;
    };
    if !matches!(number(length), Some((_, b""))) {
        return Reading::Broken;
    }
    lines.advance();
    loop {
        match lines.header() {
            Some(b"") => {
                lines.advance();
                return Reading::Whole;
            }
            Some(line) if is_base85(line) => lines.advance(),
            _ => return Reading::Broken,
        }
    }
}

/// A letter that tells how many bytes there are, and five digits for each four of them.
fn is_base85(line: &[u8]) -> bool {
    let Some((&length, digits)) = line.split_first() else {
        return false;
    };
    let bytes = match length {
        b'A'..=b'Z' => usize::from(length - b'A') + 1,
        b'a'..=b'z' => usize::from(length - b'a') + 27,
        _ => return false,
    };
    digits.len() == bytes.div_ceil(4) * 5 && digits.iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Reading, Counts, String) {
        let mut lines = Lines::new(text.as_bytes(), 0);
        let mut counts = Counts::default();
        let reading = read_hunk(&mut lines, &mut counts);
        (reading, counts, text[lines.position()..].to_string())
    }

    #[test]
    fn lengths_decide_what_is_content() {
        let sql = "@@ -1,2 +1,2 @@ create\n--- old comment\n-++count;\n+-- new comment\n++++ x\n--- a/next\n";
        let counts = Counts {
            additions: 2,
            deletions: 2,
        };
        assert_eq!(read(sql), (Reading::Whole, counts, "--- a/next\n".into()));
    }

    #[test]
    fn markers_in_any_language_are_no_lines() {
        let text = "@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n\\ x\n\\ y";
        let counts = Counts {
            additions: 1,
            deletions: 1,
        };
        assert_eq!(read(text), (Reading::Whole, counts, "\\ y".into()));
    }

    #[test]
    fn blank_lines_that_lost_their_blank_are_context() {
        assert_eq!(read("@@ -1,3 +1,3 @@\n\n\r\n a\n").0, Reading::Whole);
        assert_eq!(read("@@@ -1,2 -1,2 +1,2 @@@\n\n  a\n").0, Reading::Whole);
    }

    #[test]
    fn a_merge_counts_a_line_once() {
        let text = "@@@ -1,3 -1,3 +1,4 @@@\n  both\n- one\n -two\n++three\n+ four\n +five\n";
        let counts = Counts {
            additions: 3,
            deletions: 2,
        };
        assert_eq!(read(text), (Reading::Whole, counts, String::new()));
    }

    #[test]
    fn a_merge_of_no_length_is_read_by_its_origins() {
        let text = "@@@ -1,0 -1,2 +1,18446744073709551615 @@@\n- one\n -two\n -three\n\n  four\n";
        let counts = Counts {
            additions: 0,
            deletions: 3,
        };
        assert_eq!(read(text), (Reading::Whole, counts, "\n  four\n".into()));
    }

    #[test]
    fn what_does_not_add_up_is_broken_where_it_stops() {
        for (text, rest) in [
            ("@@ -1,2 +1,2 @@\n a\n", ""),
            ("@@ -1 +1 @@\n-a\n-b\n", "-b\n"),
            ("@@ -1,9 +1,9 @@\n a\ndiff --git a/x b/x\n", "diff --git a/x b/x\n"),
            ("@@@ -1 -1 +1 @@@\n+-a\n", "+-a\n"),
            ("@@@ -1 -1 +1 @@@\n \n", " \n"),
        ] {
            let (reading, _, left) = read(text);
            assert_eq!((reading, &left[..]), (Reading::Broken, rest), "{text}");
        }
    }

    #[test]
    fn other_lines_are_no_hunk() {
        for text in [
            "",
            "@@",
            "@@ -1 +1 @",
            "@@ -a +1 @@",
            "@@ -1,99999999999999999999 +1 @@",
            "@ -1 @",
            "@@@ -1 +1 @@@",
        ] {
            assert_eq!(read(text).0, Reading::Absent, "{text}");
        }
        assert_eq!(read(&format!("{} -1", "@".repeat(500))).0, Reading::Absent);
        assert_eq!(read("@@ -1,0 +0,0 @@").0, Reading::Whole);
    }

    #[test]
    fn a_binary_patch_ends_with_an_empty_line() {
        let block = "literal 3\nKcmZQz0R#X50AK)s\n\n"
            .replace("Kcm", "Hcm")
            .replace("0AK)s", "");
        let cases = [
            (format!("{block}{block}-- \n"), Reading::Whole, "-- \n"),
            (format!("{block}index\n"), Reading::Whole, "index\n"),
            ("literal 3\nHcmZQz0R#X5".into(), Reading::Broken, ""),
            ("literal 3\nnot base 85\n\n".into(), Reading::Broken, "not base 85\n\n"),
            ("literal x\n".into(), Reading::Broken, "literal x\n"),
            (String::new(), Reading::Broken, ""),
            (format!("{block}delta 1\n"), Reading::Broken, ""),
        ];
        for (text, reading, rest) in cases {
            let mut lines = Lines::new(text.as_bytes(), 0);
            assert_eq!(read_binary_patch(&mut lines), reading, "{text}");
            assert_eq!(&text[lines.position()..], rest, "{text}");
        }
    }
}
