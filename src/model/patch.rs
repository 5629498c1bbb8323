//! The patch of a turn.

use super::outcome::{Attribution, BranchTransition, ChangeKind, Demoted, Uncounted, Verdict};
use super::{Entry, OperationKind, RepoPath};

/// What the patch is to hold, and how it is to be written.
#[derive(Clone, Debug)]
pub struct DiffOptions {
    /// Whether it is the whole change on disk, and not the shown files alone.
    pub include_git_changes: bool,
    /// Whether lines that differ in white space alone are the same.
    pub ignore_whitespace: bool,
    /// Lines of context around a change.
    pub context_lines: usize,
    /// Only these files, by the text of their path.
    pub paths: Option<Vec<String>>,
    /// The most bytes of patch text for one file.
    pub max_file_bytes: usize,
    /// The most bytes of patch text in all.
    pub max_bytes: usize,
    /// Whether ids are written in full.
    pub full_index: bool,
    /// Whether names stand without quotes.
    pub unquoted_paths: bool,
}

impl Default for DiffOptions {
    fn default() -> DiffOptions {
        DiffOptions {
            include_git_changes: false,
            ignore_whitespace: false,
            context_lines: 3,
            paths: None,
            max_file_bytes: 1 << 20,
            max_bytes: 10 << 20,
            full_index: false,
            unquoted_paths: false,
        }
    }
}

/// A file of the patch.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffFile {
    /// Path in the end snapshot, or where it was deleted.
    pub path: RepoPath,
    /// Where a renamed file was before.
    pub previous_path: Option<RepoPath>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Lines added; `None` for binary files and where the content cannot be read.
    pub additions: Option<u32>,
    /// Lines removed; likewise.
    pub deletions: Option<u32>,
    /// Whether it is binary, by content or attribute.
    pub binary: bool,
    /// Why the lines are not counted, where it is not for being binary.
    pub uncounted: Option<Uncounted>,
    /// The state it is compared with.
    pub old: Option<Entry>,
    /// The state in the end snapshot.
    pub new: Option<Entry>,
    /// Whether what moved could not be told from what was written.
    pub mixed: bool,
    /// Shown or demoted, and why.
    pub verdict: Verdict,
    /// The bytes of the patch that are about it; `None` where none are.
    pub section: Option<std::ops::Range<usize>>,
    /// Whether its text was cut.
    pub truncated: bool,
}

/// The patch of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnDiff {
    /// The text.
    pub patch: Vec<u8>,
    /// Its files, in byte order of the path: as many as were asked for.
    pub files: Vec<DiffFile>,
    /// How many there are.
    pub file_count: usize,
    /// Whether renames may stand as deletions and additions, since pairing them was given up.
    pub renames_limited: bool,
    /// What only moved.
    pub demoted: Demoted,
    /// Where HEAD went.
    pub branch_transition: BranchTransition,
    /// How it was attributed.
    pub attribution: Attribution,
    /// What git is in the middle of at the end.
    pub operation_in_progress: Option<OperationKind>,
}
