//! The reflog files of a repository, of all its worktrees. Read as they are; `rules::reflog` takes them apart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use git2::Repository;

use crate::model::{LogKind, Reflog, SourceError};

/// Bytes of one log that are read; git's own expiry keeps logs far below.
const MOST_LOG_BYTES: u64 = 256 << 20;

/// The log of `HEAD` in this worktree; `None` where there is none.
pub fn head_log(repository: &Repository) -> Result<Option<Vec<u8>>, SourceError> {
    read_log(&repository.path().join("logs/HEAD"))
}

/// Every other log: of all refs, and of `HEAD` in the other worktrees.
pub fn other_logs(
    repository: &Repository,
    check_stopped: impl Fn() -> Result<(), SourceError>,
) -> Result<Vec<Reflog>, SourceError> {
    let own = repository.path().join("logs/HEAD");
    let common = repository.commondir();
    let mut found = Vec::new();
    let mut read = |path: &Path, kind: LogKind, name: String| -> Result<(), SourceError> {
        check_stopped()?;
        if let Some(text) = read_log(path)? {
            found.push(Reflog { kind, name, text });
        }
        Ok(())
    };
    let mut heads = vec![common.join("logs/HEAD")];
    heads.extend(
        children(&common.join("worktrees"))?
            .into_iter()
            .map(|worktree| worktree.join("logs/HEAD")),
    );
    for head in heads {
        if head != own {
            read(&head, LogKind::OtherHead, "HEAD".into())?;
        }
    }
    let mut pending = vec![common.join("logs/refs")];
    while let Some(path) = pending.pop() {
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
            pending.extend(children(&path)?);
            continue;
        }
        let Ok(name) = path.strip_prefix(common.join("logs")) else {
            continue;
        };
        let name = name.to_string_lossy().replace('\\', "/");
        read(&path, LogKind::of_ref(name.as_bytes()), name)?;
    }
    Ok(found)
}

/// What lies in a folder, nothing where there is none. A log that cannot be seen may tell of what the agent made.
fn children(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let listed = fs::read_dir(folder).and_then(|children| children.map(|child| Ok(child?.path())).collect());
    match listed {
        Ok(children) => {
            let mut children: Vec<PathBuf> = children;
            children.sort();
            Ok(children)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unreadable(folder, &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> SourceError {
    SourceError::Repository(format!("{}: {error}", path.display()))
}

/// Reads a log. What is no regular file (a pipe would never end, a link may lead in a circle) is no log.
fn read_log(path: &Path) -> Result<Option<Vec<u8>>, SourceError> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > MOST_LOG_BYTES => return Err(SourceError::Limit("log size")),
        Ok(found) if found.is_file() => {}
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(unreadable(path, &error)),
        _ => return Ok(None),
    }
    match fs::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_listed_is_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(children(&folder.path().join("nothing")).unwrap().is_empty());
        assert_eq!(children(folder.path()).unwrap(), std::slice::from_ref(&file));
        assert!(matches!(children(&file), Err(SourceError::Repository(_))));
    }
}
