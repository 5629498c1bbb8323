//! The snapshots of a checkpoint, found in the repository.

use crate::model::{Checkpoint, Error, ErrorCode, GitSource, ObjectKind, Oid, SourceError};

/// A snapshot that exists.
#[derive(Clone, Copy, Debug)]
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

/// Finds a checkpoint's snapshot: by its id, else by its ref.
pub fn resolve(source: &dyn GitSource, checkpoint: &Checkpoint) -> Result<Snapshot, Error> {
    let named = match &checkpoint.ref_name {
        Some(name) => source.resolve_ref(name).map_err(|error| unreadable(&error))?,
        None => None,
    };
    let label = || checkpoint.ref_name.clone().unwrap_or_else(|| "the snapshot".into());
    let Some(oid) = checkpoint.oid.or(named) else {
        return Err(Error::new(
            ErrorCode::SnapshotMissing,
            format!("{} does not exist", label()),
        ));
    };
    let ref_moved = checkpoint.ref_name.is_some() && named != Some(oid);
    let missing = |error: SourceError| match error {
        SourceError::Aborted | SourceError::TimedOut => unreadable(&error),
        error => Error::new(ErrorCode::SnapshotMissing, format!("{}: {error}", label())),
    };
    let oid = source.peel_tag(oid).map_err(missing)?;
    match source.kind(oid).map_err(missing)? {
        ObjectKind::Commit => {
            let commit = source.read_commit(oid).map_err(missing)?;
            Ok(Snapshot {
                oid,
                tree: commit.tree,
                seconds: Some(commit.committer.seconds),
                ref_moved,
            })
        }
        ObjectKind::Tree => Ok(Snapshot {
            oid,
            tree: oid,
            seconds: None,
            ref_moved,
        }),
        kind => Err(Error::new(
            ErrorCode::SnapshotMissing,
            format!("{oid} is a {kind:?}, not a snapshot").to_lowercase(),
        )),
    }
}

/// Trouble that leaves nothing to show.
pub fn unreadable(error: &SourceError) -> Error {
    match error {
        SourceError::Aborted => Error::new(ErrorCode::Aborted, "aborted"),
        SourceError::TimedOut => Error::new(
            ErrorCode::TimedOut,
            "the time was over before it was known what changed",
        ),
        SourceError::Missing(_) => Error::new(ErrorCode::SnapshotMissing, error.to_string()),
        SourceError::Limit(_) => Error::new(ErrorCode::TooLarge, error.to_string()),
        error => Error::new(ErrorCode::RepositoryUnreadable, error.to_string()),
    }
}
