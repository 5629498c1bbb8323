//! The checkpoints that a repository keeps under refs.

use super::snapshot::unreadable;
use crate::model::{Error, GitSource, ListedCheckpoint, Ref, SourceError};
use crate::rules::checkpoint_refs::{FOLDERS, place_of};

/// Lists them, those of a thread one after the other. One whose object cannot be read stays in the list, without a time.
pub fn list_checkpoints(source: &dyn GitSource) -> Result<Vec<ListedCheckpoint>, Error> {
    let mut listed = Vec::new();
    for folder in FOLDERS {
        for Ref { name, oid } in source.refs_below(folder).map_err(|error| unreadable(&error))? {
            let Some(place) = place_of(&name) else { continue };
            let commit = source.peel_tag(oid).and_then(|oid| source.read_commit(oid));
            let seconds = match commit {
                Ok(commit) => Some(commit.committer.seconds),
                Err(error @ (SourceError::Aborted | SourceError::TimedOut)) => return Err(unreadable(&error)),
                Err(_) => None,
            };
            listed.push(ListedCheckpoint {
                name,
                oid,
                seconds,
                place,
            });
        }
    }
    listed.sort_by(|one, two| one.place.cmp(&two.place));
    Ok(listed)
}
