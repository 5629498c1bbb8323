//! The snapshots of a checkpoint, found in the repository.

use std::borrow::Cow;

use crate::model::{Checkpoint, Error, ErrorCode, GitSource, ObjectKind, Oid, SourceError, TurnRequest};
use crate::rules::checkpoint_facts::{RecordedFacts, read_facts};
use crate::rules::pin::decode_pin;

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

/// The request with what stands in the messages of its snapshots, for checkpoints of which nothing else was said. What
/// cannot be read there is not recorded.
pub fn with_recorded_facts<'a>(source: &dyn GitSource, request: &'a TurnRequest) -> Cow<'a, TurnRequest> {
    let mut request = Cow::Borrowed(request);
    for at in 0..request.between.len() + 2 {
        let checkpoint = match at.checked_sub(2) {
            Some(between) => &request.between[between],
            None if at == 0 => &request.from,
            None => &request.to,
        };
        let is_bare = checkpoint.head.is_none()
            && checkpoint.branch.is_none()
            && checkpoint.pin.is_none()
            && !checkpoint.pin_garbled
            && checkpoint.turn_started_at.is_none();
        let facts = if is_bare {
            recorded_facts(source, checkpoint)
        } else {
            None
        };
        let Some(facts) = facts else { continue };
        let pin = facts.pin.as_deref().map(decode_pin);
        let filled = Checkpoint {
            head: facts.head,
            branch: facts.branch,
            pin_garbled: pin == Some(None),
            pin: pin.flatten(),
            turn_started_at: facts.turn_started_at,
            ..checkpoint.clone()
        };
        let request = request.to_mut();
        *match at.checked_sub(2) {
            Some(between) => &mut request.between[between],
            None if at == 0 => &mut request.from,
            None => &mut request.to,
        } = filled;
    }
    request
}

fn recorded_facts(source: &dyn GitSource, checkpoint: &Checkpoint) -> Option<RecordedFacts> {
    let snapshot = resolve(source, checkpoint).ok()?;
    snapshot.seconds?;
    Some(read_facts(&source.read_message(snapshot.oid).ok()?))
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
