//! Pipes and devices in place of git's files. libgit2 opens what it reads without looking, and then waits for somebody
//! to write; so it is looked at before.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use git2::Repository;

use super::loose::object_folders;

/// Bytes of a path in a file: more than any system allows.
const LONGEST_PATH: u64 = 64 * 1024;

/// Opens a regular file; of anything else nothing is read.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_file_of_length(path).map(|(file, _)| file)
}

/// The same, with the bytes that it has now.
pub fn open_file_of_length(path: &Path) -> io::Result<(File, u64)> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let found = file.metadata()?;
    refuse_type(path, found.file_type())?;
    Ok((file, found.len()))
}

/// Fails where one of the files is a pipe that libgit2 reads when it opens a repository or its objects. `own` is the git
/// directory of the worktree.
pub fn refuse_when_opening(own: &Path) -> io::Result<()> {
    let common = common_of(own);
    let files = [
        own.join("HEAD"),
        own.join("config.worktree"),
        own.join("gitdir"),
        common.join("config"),
        common.join("shallow"),
        common.join("info/grafts"),
        common.join("objects/info/alternates"),
        common.join("objects/info/commit-graph"),
    ];
    files.iter().try_for_each(|file| refuse(file))?;
    object_folders(&common)
        .iter()
        .try_for_each(|objects| refuse_below(&objects.join("pack")))
}

/// Fails where any ref is a pipe.
pub fn refuse_refs(repository: &Repository) -> io::Result<()> {
    refuse(&repository.commondir().join("packed-refs"))?;
    refuse_below(&repository.commondir().join("refs"))?;
    if repository.path() == repository.commondir() {
        return Ok(());
    }
    refuse_below(&repository.path().join("refs"))
}

/// The git directory that all worktrees share.
fn common_of(own: &Path) -> PathBuf {
    let mut name = Vec::new();
    let file = open_file(&own.join("commondir"));
    match file.and_then(|file| file.take(LONGEST_PATH).read_to_end(&mut name)) {
        Ok(_) => own.join(named(name.trim_ascii_end())),
        Err(_) => own.to_path_buf(),
    }
}

/// A name as git writes it.
#[cfg(unix)]
pub fn named(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

/// No pipes lie in folders elsewhere; names that are no text lead nowhere.
#[cfg(not(unix))]
pub fn named(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}

/// Fails where a file is a pipe.
pub fn refuse(file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(found) => refuse_type(file, found.file_type()),
        Err(_) => Ok(()),
    }
}

fn refuse_type(file: &Path, found: FileType) -> io::Result<()> {
    if found.is_file() || found.is_dir() {
        return Ok(());
    }
    let what = format!("{} is neither a file nor a folder", file.display());
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}

/// Looks at all that lies in a folder; what cannot be listed is for libgit2 to say.
fn refuse_below(folder: &Path) -> io::Result<()> {
    let mut pending = vec![folder.to_path_buf()];
    // Links may lead in a circle.
    let mut linked = HashSet::new();
    while let Some(folder) = pending.pop() {
        for child in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = child.path();
            let Ok(mut found) = child.file_type() else { continue };
            if found.is_symlink() {
                let Ok(leads_to) = fs::metadata(&path) else { continue };
                found = leads_to.file_type();
                if found.is_dir() && !path.canonicalize().is_ok_and(|place| linked.insert(place)) {
                    continue;
                }
            }
            refuse_type(&path, found)?;
            if found.is_dir() {
                pending.push(path);
            }
        }
    }
    Ok(())
}
