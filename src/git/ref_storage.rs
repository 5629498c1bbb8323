//! Where a repository keeps its refs and logs: in files, which libgit2 reads, or in reftables.

use git2::{ConfigLevel, ErrorCode, ObjectType, Reference, Repository};

use super::logs;
use super::loose_ref;
use super::pipes;
use super::refs_below;
use super::reftable::{self, Reftable};
use crate::model::{Oid, Ref, Reflog, SourceError};

/// Git itself follows a symbolic ref no further.
pub(super) const MOST_SYMBOLIC_REFS: usize = 5;

/// The storages that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefStorage {
    /// `refs/`, `packed-refs` and `logs/`.
    Files,
    /// `reftable/`.
    Reftable,
}

/// What `HEAD` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The commit; `None` while the branch is unborn.
    pub oid: Option<Oid>,
    /// The full name of the ref that `HEAD` stands for; `None` when detached.
    pub name: Option<Vec<u8>>,
}

impl RefStorage {
    /// The storage that a repository names in its own configuration (a user's means nothing to git), or the name of
    /// one that is not known.
    pub fn of(repository: &Repository) -> Result<RefStorage, String> {
        let local = repository
            .config()
            .and_then(|config| config.open_level(ConfigLevel::Local));
        let named = local.and_then(|config| config.get_string("extensions.refstorage"));
        match named.ok().map(|name| name.to_ascii_lowercase()).as_deref() {
            None | Some("files") => Ok(RefStorage::Files),
            Some("reftable") => Ok(RefStorage::Reftable),
            Some(other) => Err(other.to_owned()),
        }
    }

    /// What `HEAD` names.
    pub fn head(self, repository: &Repository) -> Result<Head, SourceError> {
        match self {
            RefStorage::Files => head_file(repository),
            RefStorage::Reftable => {
                let (oid, name) = tables(repository)?.follow(b"HEAD")?;
                let name = Some(name).filter(|name| name != b"HEAD");
                if oid.is_none() && name.is_none() {
                    return Err(SourceError::Repository("there is no HEAD".into()));
                }
                Ok(Head { oid, name })
            }
        }
    }

    /// One ref by its full name, over symbolic refs; `None` where it does not exist.
    pub fn resolve(self, repository: &Repository, name: &str) -> Result<Option<Oid>, SourceError> {
        match self {
            RefStorage::Files => {
                if let Some(found) =
                    loose_ref::follow(repository, name.as_bytes()).map_err(|error| unreadable(&error))?
                {
                    return Ok(Some(found.oid));
                }
                match repository.refname_to_id(name) {
                    Ok(oid) => Ok(Oid::from_bytes(oid.as_bytes())),
                    Err(error) if [ErrorCode::NotFound, ErrorCode::InvalidSpec].contains(&error.code()) => Ok(None),
                    Err(error) => Err(failed(&error)),
                }
            }
            RefStorage::Reftable => Ok(tables(repository)?.follow(name.as_bytes())?.0),
        }
    }

    /// All refs under `refs/` that lead to a commit. A broken ref is no evidence; the others stand.
    pub fn all(
        self,
        repository: &Repository,
        check_stopped: impl Fn() -> Result<(), SourceError>,
    ) -> Result<Vec<Ref>, SourceError> {
        let mut found = Vec::new();
        let mut add = |name: &[u8], commit: git2::Oid| {
            found.extend(Oid::from_bytes(commit.as_bytes()).map(|oid| Ref {
                name: String::from_utf8_lossy(name).into_owned(),
                oid,
            }));
        };
        match self {
            RefStorage::Files => {
                pipes::refuse_refs(repository).map_err(|error| unreadable(&error))?;
                for reference in repository.references().map_err(|error| failed(&error))? {
                    check_stopped()?;
                    if let Ok(reference) = reference
                        && let Ok(commit) = reference.peel(ObjectType::Commit)
                    {
                        add(reference.name_bytes(), commit.id());
                    }
                }
            }
            RefStorage::Reftable => {
                for (name, oid) in tables(repository)?.all()? {
                    check_stopped()?;
                    let object =
                        git2::Oid::from_bytes(oid.as_bytes()).and_then(|oid| repository.find_object(oid, None));
                    if let Ok(commit) = object.and_then(|object| object.peel(ObjectType::Commit)) {
                        add(&name, commit.id());
                    }
                }
            }
        }
        Ok(found)
    }

    /// The refs below a folder, unpeeled. A broken ref is left out; the others stand.
    pub fn all_below(
        self,
        repository: &Repository,
        folder: &str,
        check_stopped: impl Fn() -> Result<(), SourceError>,
    ) -> Result<Vec<Ref>, SourceError> {
        match self {
            RefStorage::Files => refs_below::in_files(repository, folder, check_stopped),
            RefStorage::Reftable => Ok(refs_below::in_tables(tables(repository)?.all()?, folder)),
        }
    }

    /// The log of `HEAD` in this worktree; `None` where there is none.
    pub fn head_log(self, repository: &Repository) -> Result<Option<Vec<u8>>, SourceError> {
        match self {
            RefStorage::Files => logs::head_log(repository),
            RefStorage::Reftable => tables(repository)?.head_log(),
        }
    }

    /// Every other log: of all refs, and of `HEAD` in the other worktrees.
    pub fn other_logs(
        self,
        repository: &Repository,
        check_stopped: impl Fn() -> Result<(), SourceError>,
    ) -> Result<Vec<Reflog>, SourceError> {
        match self {
            RefStorage::Files => logs::other_logs(repository, check_stopped),
            RefStorage::Reftable => tables(repository)?.other_logs(check_stopped),
        }
    }
}

/// The tables as they are now; a call reads them as often as it asks, as it would read files.
fn tables(repository: &Repository) -> Result<reftable::Reftable, SourceError> {
    Reftable::read(repository.path(), repository.commondir())
}

fn head_file(repository: &Repository) -> Result<Head, SourceError> {
    if let Some(found) = loose_ref::follow(repository, b"HEAD").map_err(|error| unreadable(&error))? {
        let is_branch = found.name != b"HEAD";
        return Ok(Head {
            oid: Some(found.oid),
            name: is_branch.then_some(found.name),
        });
    }
    let head = repository.find_reference("HEAD").map_err(|error| failed(&error))?;
    let Some(first) = head.symbolic_target_bytes() else {
        return Ok(Head {
            oid: target(&head),
            name: None,
        });
    };
    match head.resolve() {
        Ok(resolved) => Ok(Head {
            oid: target(&resolved),
            name: Some(resolved.name_bytes().to_vec()),
        }),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(Head {
            oid: None,
            name: Some(unborn_name(repository, first)),
        }),
        Err(error) => Err(failed(&error)),
    }
}

fn target(reference: &Reference<'_>) -> Option<Oid> {
    reference.target().and_then(|oid| Oid::from_bytes(oid.as_bytes()))
}

/// The last name on the way from `HEAD`: a branch may itself be symbolic, and the one it names not be there.
fn unborn_name(repository: &Repository, first: &[u8]) -> Vec<u8> {
    let mut name = first.to_vec();
    for _ in 0..MOST_SYMBOLIC_REFS {
        let next = std::str::from_utf8(&name)
            .ok()
            .and_then(|name| repository.find_reference(name).ok());
        match next.as_ref().and_then(Reference::symbolic_target_bytes) {
            Some(target) => name = target.to_vec(),
            None => break,
        }
    }
    name
}

fn unreadable(error: &std::io::Error) -> SourceError {
    SourceError::Repository(error.to_string())
}

fn failed(error: &git2::Error) -> SourceError {
    SourceError::Repository(error.message().to_string())
}
