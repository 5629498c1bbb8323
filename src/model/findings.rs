use std::collections::{BTreeMap, BTreeSet};

use super::outcome::{BranchTransition, Decision, Note, Status};
use super::{Checkpoint, Delta, Oid, OperationKind, RepoPath};

/// A snapshot that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit or tree itself.
    pub oid: Oid,
    /// Its tree.
    pub tree: Oid,
    /// When it was taken (seconds since the epoch); a bare tree does not say.
    pub seconds: Option<i64>,
    /// Whether the ref that came along names another object now.
    pub ref_moved: bool,
}

/// What was found out about a turn, or about a range of turns: all that the card and the patch are made of.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The end snapshot.
    pub to: Snapshot,
    /// T: what changed on disk.
    pub delta: Delta,
    /// The verdict for each path of it.
    pub decisions: BTreeMap<RepoPath, Decision>,
    /// How it was attributed.
    pub status: Status,
    /// What to know about the evidence.
    pub notes: BTreeSet<Note>,
    /// Where HEAD went.
    pub transition: BranchTransition,
    /// What git is in the middle of at the end.
    pub operation: Option<OperationKind>,
}

/// The turn, or range of turns, that findings are about: its checkpoints in order, with all that was recorded, and the
/// snapshots that they name.
pub type AskedTurn = Vec<(Checkpoint, Snapshot)>;
