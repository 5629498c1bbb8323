//! Plain values: the words of the field as types. No I/O, no git library, no JavaScript.

mod binary;
mod checkpoint;
mod delta;
mod error;
mod findings;
mod head;
mod oid;
pub mod outcome;
pub mod patch;
mod request;
mod source;
mod tree;

pub use binary::is_binary;
pub use checkpoint::{CheckpointKind, CheckpointPlace, CheckpointSource, ListedCheckpoint};
pub use delta::{Change, Delta, Entry, FileMode, RepoPath};
pub use error::{Error, ErrorCode};
pub use findings::{AskedTurn, Findings, Snapshot};
pub use head::{HeadFacts, LogMark, OperationKind, Pin};
pub use oid::Oid;
pub use request::{Checkpoint, DemotedDetail, TurnRequest};
pub use source::{
    Commit, CommitWalk, Contents, Favour, GitSource, Glance, LineChange, LineCounts, LogKind, ObjectKind, Phase, Ref,
    Reflog, Signature, SourceError, Text, TreeReader, TreeReaders,
};
pub use tree::{RawEntry, Tree, TreeEntry};
