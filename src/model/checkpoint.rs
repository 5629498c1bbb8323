//! Checkpoints that a repository keeps under refs.

use super::Oid;

/// Who keeps a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckpointSource {
    /// T3 Code.
    T3code,
    /// T3 Code, under the refs of its second orchestration.
    T3codeV2,
    /// `turn-attribution mark` and `show`.
    Mark,
}

/// Where in a turn a checkpoint stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckpointKind {
    /// Between two turns: the end of the one with its number, the start of the next.
    Turn,
    /// A turn's start.
    Mark,
    /// The end of the turn that the mark of the same number began.
    End,
}

/// What the name of a ref says of the checkpoint it holds. The order is the one they are listed in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckpointPlace {
    /// Who keeps it.
    pub source: CheckpointSource,
    /// The thread, as it stands in the name; of marks their name.
    pub thread: String,
    /// The number in the thread.
    pub number: u32,
    /// Where in a turn it stands.
    pub kind: CheckpointKind,
}

/// A checkpoint that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedCheckpoint {
    /// The full ref name.
    pub name: String,
    /// The snapshot.
    pub oid: Oid,
    /// When it was taken (seconds since the epoch); `None` where it is a bare tree or cannot be read.
    pub seconds: Option<i64>,
    /// What the name says.
    pub place: CheckpointPlace,
}
