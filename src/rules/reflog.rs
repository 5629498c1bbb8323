//! What a reflog says: entries, and the word that each one carries.
//!
//! The words are those that git 2.47 writes, seen by running it; older spellings are kept. Only a word that
//! is known to move a ref over existing commits is a movement: any other, the empty one too, creates.

use crate::model::{LogMark, Oid};

/// One line of a reflog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// What the ref named before; zero where it did not exist.
    pub old: Oid,
    /// What it names after; zero where it was removed.
    pub new: Oid,
    /// Name and e-mail, `Name <mail>`.
    pub identity: Vec<u8>,
    /// The committer's clock, in seconds since the epoch. It can be set by hand: order, not time, is proof.
    pub seconds: i64,
    /// The text after the tab.
    pub message: String,
    /// Where the line ends in the file (bytes, its newline included).
    pub end: usize,
    /// What finds the line again.
    pub mark: LogMark,
}

/// What an entry's word says happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// `checkout: moving from A to B`.
    Checkout {
        /// Where HEAD stood.
        from: String,
        /// Where it went.
        to: String,
    },
    /// `reset: moving to X`.
    Reset(String),
    /// A fast-forward in any spelling.
    FastForward(Via),
    /// `rebase (start): checkout X`.
    RebaseStart {
        /// What it was rebased onto, as the user or git named it.
        onto: String,
        /// Whether `git pull` ran it.
        by_pull: bool,
    },
    /// `rebase (finish): returning to X`.
    RebaseFinish(String),
    /// `rebase (abort)`, `rebase (reset)`: back onto existing commits.
    RebaseReturn,
    /// `Branch: renamed A to B`.
    BranchRenamed,
    /// A ref put on an existing commit: `branch: Reset to X`, `branch: Created from X`, `tag: tagging X`.
    BranchPlaced,
    /// `clone: from X`, `initial pull`.
    Clone,
    /// `fetch: …`, and `pull: …` in a remote-tracking ref's log.
    Fetched,
    /// `update by push`.
    Pushed,
    /// `commit: …`, `commit (initial): …`.
    Commit,
    /// `commit (amend): …`.
    Amend,
    /// A merge commit: `commit (merge): …`, `merge X: Merge made by …`, `pull X: Merge made by …`.
    Merge(Via),
    /// A replay of an existing commit: cherry-pick, rebase pick or continue, am.
    Pick(Via),
    /// `revert: …`.
    Revert,
    /// Anything else, the empty word too.
    Unknown,
}

/// Which command wrote the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// `git pull`, with the arguments that were given to it.
    Pull(String),
    /// `git merge X`.
    Merge(String),
    /// `git rebase`.
    Rebase,
    /// `git cherry-pick`.
    CherryPick,
    /// `git am`.
    Am,
    /// `git commit`.
    Commit,
    /// No command is named.
    Unnamed,
}

impl Word {
    /// Whether the entry's new value is a commit that was made then and there.
    pub fn creates(&self) -> bool {
        matches!(
            self,
            Word::Commit | Word::Amend | Word::Merge(_) | Word::Pick(_) | Word::Revert | Word::Unknown
        )
    }
}

impl LogEntry {
    /// Takes the word from the message.
    pub fn word(&self) -> Word {
        word(&self.message)
    }
}

fn word(message: &str) -> Word {
    let (head, tail) = parts(message);
    let (command, arguments) = head.split_once(' ').unwrap_or((head, ""));
    if message == "rewritten during rebase" {
        // What `rebase --update-refs` writes for the other branches; the log of HEAD has told of the commits.
        return Word::BranchPlaced;
    }
    if let ("checkout", Some((from, to))) = (head, moving(tail)) {
        return Word::Checkout {
            from: from.into(),
            to: to.into(),
        };
    }
    if let ("reset", Some(to)) = (head, tail.strip_prefix("moving to ")) {
        return Word::Reset(to.into());
    }
    match head {
        "Branch" if tail.starts_with("renamed ") => return Word::BranchRenamed,
        "branch" if tail.starts_with("Reset to ") || tail.starts_with("Created from ") => return Word::BranchPlaced,
        "tag" if tail.starts_with("tagging ") => return Word::BranchPlaced,
        "clone" if tail.starts_with("from ") => return Word::Clone,
        "initial pull" => return Word::Clone,
        "update by push" => return Word::Pushed,
        "commit" | "commit (initial)" => return Word::Commit,
        "commit (amend)" => return Word::Amend,
        "commit (merge)" => return Word::Merge(Via::Commit),
        "commit (cherry-pick)" => return Word::Pick(Via::CherryPick),
        "revert" => return Word::Revert,
        _ => {}
    }
    let via = match command {
        "pull" => Via::Pull(arguments.into()),
        "merge" => Via::Merge(arguments.into()),
        "rebase" => Via::Rebase,
        "cherry-pick" => Via::CherryPick,
        "am" => Via::Am,
        "fetch" => return Word::Fetched,
        _ => Via::Unnamed,
    };
    if matches!(via, Via::Pull(_) | Via::Rebase) {
        // `pull --rebase origin main (pick): subject`: the step stands last before the colon.
        let step = arguments.rsplit_once('(').and_then(|(_, step)| step.strip_suffix(')'));
        match step {
            Some("start") => {
                let onto = tail.strip_prefix("checkout ").unwrap_or(tail).into();
                return Word::RebaseStart {
                    onto,
                    by_pull: matches!(via, Via::Pull(_)),
                };
            }
            Some("finish") => {
                return Word::RebaseFinish(tail.strip_prefix("returning to ").unwrap_or(tail).into());
            }
            Some("abort" | "reset") => return Word::RebaseReturn,
            Some(_) => return Word::Pick(Via::Rebase),
            None => {}
        }
        if head == "rebase finished" || (command == "rebase" && tail.starts_with("returning to ")) {
            return Word::RebaseFinish(tail.strip_prefix("returning to ").unwrap_or(tail).into());
        }
    }
    if matches!(via, Via::Pull(_)) && (tail == "storing head" || tail == "forced-update") {
        return Word::Fetched;
    }
    let lower = tail.to_ascii_lowercase();
    if !matches!(via, Via::Unnamed | Via::Am)
        && (lower == "fast-forward" || lower == "fast-forwarded" || lower == "fast forward")
    {
        return Word::FastForward(via);
    }
    match via {
        Via::Pull(_) | Via::Merge(_) if tail.starts_with("Merge made by") => Word::Merge(via),
        Via::CherryPick | Via::Am => Word::Pick(via),
        _ => Word::Unknown,
    }
}

/// Splits a message after its command. What was merged or pulled may hold a colon itself, so that git's own words
/// are looked for at the end first.
fn parts(message: &str) -> (&str, &str) {
    let commands = ["merge ", "pull "];
    if commands.iter().any(|command| message.starts_with(command)) {
        if let Some(head) = message.strip_suffix(": Fast-forward") {
            return (head, "Fast-forward");
        }
        if let Some(at) = message.rfind(": Merge made by ") {
            return (&message[..at], &message[at + 2..]);
        }
    }
    message.split_once(": ").unwrap_or((message, ""))
}

fn moving(tail: &str) -> Option<(&str, &str)> {
    tail.strip_prefix("moving from ")?.split_once(" to ")
}

/// Parses a reflog; lines that are malformed are left out, and `whole` says whether there were any.
pub fn parse(text: &[u8]) -> ParsedLog {
    let mut entries = Vec::new();
    let mut whole = true;
    let mut start = 0;
    while start < text.len() {
        let line_end = text[start..].iter().position(|&byte| byte == b'\n');
        let end = line_end.map_or(text.len(), |length| start + length + 1);
        let line = &text[start..end];
        match parse_line(line.strip_suffix(b"\n").unwrap_or(line), end) {
            Some(entry) => entries.push(entry),
            None => whole = false,
        }
        start = end;
    }
    ParsedLog { entries, whole }
}

/// The entries of a log, in file order.
#[derive(Clone, Debug, Default)]
pub struct ParsedLog {
    /// The lines that could be read.
    pub entries: Vec<LogEntry>,
    /// Whether every line could be read.
    pub whole: bool,
}

fn parse_line(line: &[u8], end: usize) -> Option<LogEntry> {
    let tab = line.iter().position(|&byte| byte == b'\t');
    let (facts, message) = match tab {
        Some(tab) => (&line[..tab], &line[tab + 1..]),
        None => (line, &b""[..]),
    };
    let mut words = facts.splitn(3, |&byte| byte == b' ');
    let old = Oid::from_hex(words.next()?)?;
    let new = Oid::from_hex(words.next()?)?;
    let who = words.next()?;
    let identity_end = who.iter().rposition(|&byte| byte == b'>')? + 1;
    let time = std::str::from_utf8(&who[identity_end..]).ok()?;
    let seconds = time.split_whitespace().next()?.parse().ok()?;
    let message = String::from_utf8_lossy(message).into_owned();
    let mark = LogMark::of_line(line)?;
    Some(LogEntry {
        old,
        new,
        identity: who[..identity_end].to_vec(),
        seconds,
        message,
        end,
        mark,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_git_are_told_apart() {
        let movements = [
            "checkout: moving from main to feature",
            "reset: moving to HEAD~1",
            "merge origin/main: Fast-forward",
            "merge feature: fast-forward",
            "pull: Fast-forward",
            "pull --ff-only: Fast-forward",
            "pull origin main: Fast-forward",
            "pull --rebase origin main (start): checkout 0123456789",
            "pull --rebase (finish): returning to refs/heads/main",
            "rebase (start): checkout main",
            "rebase (finish): returning to refs/heads/topic",
            "rebase (abort): returning to refs/heads/topic",
            "rebase (reset): 'onto'",
            "rebase: fast-forward",
            "cherry-pick: fast-forward",
            "Branch: renamed refs/heads/a to refs/heads/b",
            "branch: Reset to main",
            "branch: Created from HEAD",
            "clone: from ../origin",
            "initial pull",
            "fetch origin: fast-forward",
            "update by push",
            "rewritten during rebase",
            "merge origin/main^{/feat: up}: Fast-forward",
            "pull origin main:tmp: storing head",
            "tag: tagging 0123456 (subject, 2026-01-01)",
        ];
        for message in movements {
            assert!(!word(message).creates(), "{message}");
        }
        let creations = [
            ("commit: subject", Word::Commit),
            ("commit (initial): subject", Word::Commit),
            ("commit (amend): subject", Word::Amend),
            ("commit (merge): Merge branch 'x'", Word::Merge(Via::Commit)),
            ("commit (cherry-pick): subject", Word::Pick(Via::CherryPick)),
            ("cherry-pick: subject", Word::Pick(Via::CherryPick)),
            ("revert: Revert \"subject\"", Word::Revert),
            (
                "merge x: Merge made by the 'ort' strategy.",
                Word::Merge(Via::Merge("x".into())),
            ),
            (
                "pull: Merge made by the 'ort' strategy.",
                Word::Merge(Via::Pull("".into())),
            ),
            ("pull --rebase (pick): reset: moving to HEAD", Word::Pick(Via::Rebase)),
            ("rebase (continue): subject", Word::Pick(Via::Rebase)),
            ("rebase (fixup): subject", Word::Pick(Via::Rebase)),
            ("rebase -i (squash): subject", Word::Pick(Via::Rebase)),
            ("am: subject", Word::Pick(Via::Am)),
            ("am: Fast-forward", Word::Pick(Via::Am)),
            (
                "merge x^{/a: b}: Merge made by the 'ort' strategy.",
                Word::Merge(Via::Merge("x^{/a: b}".into())),
            ),
            ("filter-branch: rewrite", Word::Unknown),
            ("", Word::Unknown),
            ("checkout: by hand", Word::Unknown),
            ("reset: by hand", Word::Unknown),
            ("commit: Fast-forward", Word::Commit),
            ("fast-forward", Word::Unknown),
        ];
        for (message, expected) in creations {
            assert_eq!(word(message), expected, "{message}");
            assert!(word(message).creates(), "{message}");
        }
    }

    #[test]
    fn lines_are_parsed_and_bad_ones_noticed() {
        let one = "1".repeat(40);
        let two = "2".repeat(40);
        let text = format!("{one} {two} A B <a@b> 12 +0100\tcommit: x\ty\nbroken\n{two} {one}  <> 13 -0000\n");
        let log = parse(text.as_bytes());
        assert!(!log.whole);
        assert_eq!(log.entries.len(), 2);
        assert_eq!(log.entries[0].identity, b"A B <a@b>");
        assert_eq!(log.entries[0].message, "commit: x\ty");
        assert_eq!(log.entries[1].seconds, 13);
        assert_eq!(log.entries[1].message, "");
        assert_eq!(log.entries[1].end, text.len());
    }
}
