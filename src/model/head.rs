use super::Oid;

/// What git is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// A merge not yet committed.
    Merge,
    /// A rebase, of either backend.
    Rebase,
    /// A cherry-pick, or a sequence of them.
    CherryPick,
    /// A revert, or a sequence of them.
    Revert,
    /// `git am`.
    Am,
    /// A bisection.
    Bisect,
}

impl OperationKind {
    /// Every kind there is.
    pub const ALL: [OperationKind; 6] = [
        OperationKind::Merge,
        OperationKind::Rebase,
        OperationKind::CherryPick,
        OperationKind::Revert,
        OperationKind::Am,
        OperationKind::Bisect,
    ];

    /// The name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            OperationKind::Merge => "merge",
            OperationKind::Rebase => "rebase",
            OperationKind::CherryPick => "cherry-pick",
            OperationKind::Revert => "revert",
            OperationKind::Am => "am",
            OperationKind::Bisect => "bisect",
        }
    }

    /// The kind with that kebab-case name.
    pub fn from_name(name: &str) -> Option<OperationKind> {
        OperationKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// What a host records beside a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadFacts {
    /// The commit that `HEAD` names; `None` while the branch is unborn.
    pub head: Option<Oid>,
    /// The short name of the branch, also of an unborn one and of one being rebased; `None` when detached. A ref
    /// that is no branch keeps its full name. Bytes that are not UTF-8 become U+FFFD.
    pub branch: Option<String>,
    /// What git is in the middle of; of several, the outermost.
    pub operation: Option<OperationKind>,
    /// What else has to be recorded now because it will be gone later.
    pub pin: Pin,
}

/// The position in the log of `HEAD`, and the state of an operation in progress. Both are lost with time:
/// operations end, and clocks cannot say where in the log one stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    /// Length in bytes of `logs/HEAD`, up to the end of its last complete line; `None` where there is no log.
    pub log_length: Option<u64>,
    /// The last complete line of the log; `None` where there is none or it is no log entry.
    pub last_entry: Option<LogMark>,
    /// What git is in the middle of.
    pub operation: Option<OperationKind>,
    /// `MERGE_HEAD`: the other sides of a merge in progress.
    pub merge_heads: Vec<Oid>,
    /// `CHERRY_PICK_HEAD`, or `REBASE_HEAD` while a rebase is stopped: the commit being picked.
    pub pick_head: Option<Oid>,
    /// `REVERT_HEAD`: the commit being reverted.
    pub revert_head: Option<Oid>,
    /// Where `HEAD` stood before a rebase, or a sequence of picks or reverts, began.
    pub started_from: Option<Oid>,
    /// What a rebase replays onto.
    pub rebase_onto: Option<Oid>,
    /// The full name of the ref being rebased; `None` when a detached `HEAD` is.
    pub rebase_ref: Option<String>,
}

/// Finds an entry of a log again after entries before it were expired, so that its offset no longer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogMark {
    /// The value before. `reflog expire --rewrite` can change it: the other two are enough to compare.
    pub old: Oid,
    /// The value after.
    pub new: Oid,
    /// A digest of all that follows the two ids: who, when, and the message.
    pub digest: u64,
}

impl LogMark {
    /// The mark of a line of a reflog, without its newline; `None` where it is no log entry.
    pub fn of_line(line: &[u8]) -> Option<LogMark> {
        let mut parts = line.splitn(3, |&byte| byte == b' ');
        let (old, new, rest) = (parts.next()?, parts.next()?, parts.next()?);
        Some(LogMark {
            old: Oid::from_hex(old)?,
            new: Oid::from_hex(new)?,
            digest: digest(rest),
        })
    }

    /// Whether both mark the same entry, whatever became of the value before.
    pub fn same_entry(&self, other: &LogMark) -> bool {
        self.new == other.new && self.digest == other.digest
    }
}

/// FNV-1a, 64 bits: short and the same for ever, unlike the hashers of the standard library. Nothing here has to
/// withstand an attacker, who could as well edit the log.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for kind in OperationKind::ALL {
            assert_eq!(OperationKind::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(OperationKind::from_name("Merge"), None);
    }

    #[test]
    fn the_digest_is_the_published_one() {
        assert_eq!(digest(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(digest(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_mark_tells_entries_apart() {
        let line =
            |old: char, rest: &str| format!("{} {} {rest}", String::from(old).repeat(40), "b".repeat(40)).into_bytes();
        let mark = LogMark::of_line(&line('a', "A <a@b> 1 +0000\tcommit: x")).unwrap();
        assert_eq!(LogMark::of_line(&line('a', "A <a@b> 1 +0000\tcommit: x")), Some(mark));
        assert_ne!(LogMark::of_line(&line('a', "A <a@b> 2 +0000\tcommit: x")), Some(mark));
        let rewritten = LogMark::of_line(&line('c', "A <a@b> 1 +0000\tcommit: x")).unwrap();
        assert!(rewritten != mark && rewritten.same_entry(&mark));
    }

    #[test]
    fn what_is_no_entry_has_no_mark() {
        for line in ["", "x", "0 1 2", &"a".repeat(90)] {
            assert_eq!(LogMark::of_line(line.as_bytes()), None, "{line}");
        }
    }
}
