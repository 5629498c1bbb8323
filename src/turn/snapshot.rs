//! The snapshots of a checkpoint, found in the repository.

use std::borrow::Cow;

use crate::model::{Checkpoint, Error, ErrorCode, GitSource, ObjectKind, Snapshot, SourceError, TurnRequest};
use crate::rules::checkpoint_facts::read_facts;
use crate::rules::pin::decode_pin;

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
    if let Some(from) = with_its_message(source, &request.from) {
        request.to_mut().from = from;
    }
    if let Some(to) = with_its_message(source, &request.to) {
        request.to_mut().to = to;
    }
    for at in 0..request.between.len() {
        if let Some(between) = with_its_message(source, &request.between[at]) {
            request.to_mut().between[at] = between;
        }
    }
    request
}

/// The checkpoint as its message has it; `None` where more was said of it, or no message can be read.
fn with_its_message(source: &dyn GitSource, checkpoint: &Checkpoint) -> Option<Checkpoint> {
    let is_bare = checkpoint.head.is_none()
        && checkpoint.branch.is_none()
        && checkpoint.pin.is_none()
        && !checkpoint.pin_garbled
        && checkpoint.turn_started_at.is_none();
    if !is_bare {
        return None;
    }
    let snapshot = resolve(source, checkpoint).ok()?;
    // A bare tree has no message.
    snapshot.seconds?;
    let facts = read_facts(&source.read_message(snapshot.oid).ok()?);
    let pin = facts.pin.as_deref().map(decode_pin);
    Some(Checkpoint {
        head: facts.head,
        branch: facts.branch,
        pin_garbled: pin == Some(None),
        pin: pin.flatten(),
        turn_started_at: facts.turn_started_at,
        ..checkpoint.clone()
    })
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
