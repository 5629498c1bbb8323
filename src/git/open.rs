//! Opening a repository, and what may be wrong with it.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use git2::{ErrorClass, ObjectFormat, Repository, RepositoryOpenFlags};

use super::ancestry::History;
use super::loose::{self, Loose};
use super::objects::Objects;
#[cfg(unix)]
use super::ownership::Found;
use super::packs::Scratch;
use super::pipes;
use super::recent::Recent;
use super::ref_storage::RefStorage;
use crate::model::{Error, ErrorCode};

/// Extensions that libgit2 does not list although reading works: a missing object of a partial clone is a missing
/// object, the compatible object format concerns other tools, and [`RefStorage`] knows the ref storages.
const HARMLESS_EXTENSIONS: [&str; 3] = ["partialclone", "compatobjectformat", "refstorage"];

/// Opens the repository that `cwd` lies in, looking upwards as git does.
///
/// The environment (`GIT_DIR` and kin) does not count: a host means the folder that it names. Whose repositories may
/// be opened is git's own rule (`safe.directory`).
pub fn open(cwd: &Path) -> Result<Opened, Error> {
    prepare();
    let invalid = |what: &str| Error::new(ErrorCode::InvalidArgument, format!("cwd {what}"));
    if cwd.as_os_str().is_empty() {
        return Err(invalid("is empty"));
    }
    if cwd.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(invalid("holds a NUL character"));
    }
    let nowhere = |why: &str| Error::new(ErrorCode::NotARepository, format!("{}: {why}", cwd.display()));
    match cwd.metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(nowhere("not a folder")),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Err(unreadable(cwd, &error)),
        Err(error) => return Err(nowhere(&error.to_string())),
    }
    let none: [&std::ffi::OsStr; 0] = [];
    // Where there is none, opening says why.
    if let Ok(found) = Repository::discover_path(cwd, none) {
        pipes::refuse_when_opening(&found).map_err(|error| unreadable(cwd, &error))?;
    }
    let repository = Repository::open_ext(cwd, RepositoryOpenFlags::empty(), none).map_err(|e| describe(cwd, &e))?;
    #[cfg(unix)]
    let found = verified(Found::from(cwd, repository.path()), cwd)?;
    // libgit2 takes settings that it may not read for none, and what format the repository is of stands in them.
    match std::fs::File::open(repository.commondir().join("config")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unreadable(cwd, &error)),
        _ => {}
    }
    let folders: Arc<[PathBuf]> = loose::object_folders(repository.commondir()).into();
    let read = loose::read_by_ourselves(&repository, Loose::new(folders.clone()));
    read.map_err(|error| unreadable(cwd, &error))?;
    let oid_length = match repository.object_format() {
        ObjectFormat::Sha1 => 20,
        ObjectFormat::Sha256 => 32,
    };
    let has_cut_history = repository.is_shallow() || repository.commondir().join("info/grafts").exists();
    match RefStorage::of(&repository) {
        Ok(storage) => Ok(Opened {
            repository,
            #[cfg(unix)]
            found,
            storage,
            objects: Objects::new(folders.clone(), oid_length),
            object_folders: folders,
            scratch: RefCell::default(),
            history: RefCell::default(),
            has_cut_history,
            shortest_id: Cell::default(),
            recent: RefCell::default(),
        }),
        Err(other) => Err(unsupported(
            cwd,
            &format!("extensions.refstorage = {other} is not supported"),
        )),
    }
}

/// What git would work in too. Elsewhere than on Unix libgit2 has asked when it opened it.
#[cfg(unix)]
fn verified(found: Found, cwd: &Path) -> Result<Found, Error> {
    if found.is_safe(cwd) {
        Ok(found)
    } else {
        Err(not_owned(cwd, &found.place()))
    }
}

/// A repository, and how to read its refs.
pub struct Opened {
    /// For settings, and for objects that `objects` does not find.
    pub repository: Repository,
    /// Whose folders have to be ours.
    #[cfg(unix)]
    pub found: Found,
    /// For refs and logs.
    pub storage: RefStorage,
    /// For objects.
    pub objects: Objects,
    /// Where they lie.
    pub object_folders: Arc<[PathBuf]>,
    /// What reading them needs.
    pub scratch: RefCell<Scratch>,
    /// Whether commits may have other parents than are written in them: a shallow clone, grafts.
    pub has_cut_history: bool,
    /// To how few digits git shortens an id here, once it was asked for.
    pub shortest_id: Cell<Option<usize>>,
    /// The commits that were met.
    pub history: RefCell<History>,
    /// What was read and found out a moment ago.
    pub recent: RefCell<Recent>,
}

/// Sets what libgit2 only has once for the whole process.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Git does not check the hash of what it reads either, and on a tree walk it is most of the time.
        git2::opts::strict_hash_verification(false);
        // SAFETY: the list is global and not locked; `Once` keeps us from touching it twice, and no repository has
        // been opened by this library before.
        let set = unsafe { git2::opts::set_extensions(&HARMLESS_EXTENSIONS) };
        // Without the list, such repositories are reported as unsupported: worse, but not wrong.
        debug_assert!(set.is_ok());
        // SAFETY: as above. [`Found::is_safe`] asks in its place, after git's whole rule.
        #[cfg(unix)]
        let set = unsafe { git2::opts::set_verify_owner_validation(false) };
        #[cfg(unix)]
        debug_assert!(set.is_ok());
    });
}

fn describe(cwd: &Path, error: &git2::Error) -> Error {
    let message = error.message();
    match (error.class(), error.code()) {
        (ErrorClass::Config, git2::ErrorCode::Owner) => not_owned(cwd, cwd),
        (ErrorClass::Repository, _)
            if ["unsupported ", "unknown object format"]
                .iter()
                .any(|start| message.starts_with(start)) =>
        {
            unsupported(cwd, message)
        }
        (_, git2::ErrorCode::NotFound) => Error::new(
            ErrorCode::NotARepository,
            format!("{}: there is no git repository here or above", cwd.display()),
        ),
        _ => unreadable(cwd, error),
    }
}

fn not_owned(cwd: &Path, place: &Path) -> Error {
    let (cwd, place) = (cwd.display(), place.display());
    Error::new(
        ErrorCode::NotOwned,
        format!(
            "{cwd}: the repository belongs to another user, and git does not work in it either; where it can be \
             trusted: git config --global --add safe.directory '{place}'"
        ),
    )
}

fn unsupported(cwd: &Path, why: &str) -> Error {
    Error::new(ErrorCode::UnsupportedRepository, format!("{}: {why}", cwd.display()))
}

/// The repository is there, but reading it failed.
pub(super) fn unreadable(place: &Path, error: &dyn std::error::Error) -> Error {
    Error::new(ErrorCode::RepositoryUnreadable, format!("{}: {error}", place.display()))
}
