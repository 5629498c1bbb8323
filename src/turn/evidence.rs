//! Commits that logs and refs name, as evidence for or against. What is gone is no evidence; what cannot be read may
//! be, and is an error.

use std::rc::Rc;

use crate::model::{Commit, GitSource, Glance, ObjectKind, Oid, SourceError};

/// A commit; `None` where it is not there (pruned, never fetched) or is none.
pub fn commit_if_there(source: &dyn GitSource, oid: Oid) -> Result<Option<Rc<Commit>>, SourceError> {
    if_there(source.read_commit(oid))
}

/// The same at a glance.
pub fn glance_if_there(source: &dyn GitSource, oid: Oid) -> Result<Option<Glance>, SourceError> {
    if_there(source.glance(oid))
}

fn if_there<T>(read: Result<T, SourceError>) -> Result<Option<T>, SourceError> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(SourceError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Those commits that are there: for what speaks for the age of something, since a proof that is gone proves nothing.
pub fn those_there(source: &dyn GitSource, oids: impl Iterator<Item = Oid>) -> Result<Vec<Oid>, SourceError> {
    let mut there = Vec::new();
    for oid in oids {
        if glance_if_there(source, oid)?.is_some() {
            there.push(oid);
        }
    }
    Ok(there)
}

/// All those that are commits, none of which may be gone: for what was made in the turn, since without it what it
/// made would pass for old.
pub fn all_there(source: &dyn GitSource, oids: impl Iterator<Item = Oid>) -> Result<Vec<Oid>, SourceError> {
    let mut there = Vec::new();
    for oid in oids {
        if glance_if_there(source, oid)?.is_some() {
            there.push(oid);
        } else if source.kind(oid)? == ObjectKind::Commit {
            return Err(SourceError::Missing(oid));
        }
    }
    Ok(there)
}
