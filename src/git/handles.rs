//! Repositories that stay open for a moment after a call: the next one finds its packs mapped and its caches warm.
//!
//! A handle serves one call at a time. It is kept for [`KEPT_FOR`] after its last call, never longer, so that a
//! repository can be repacked or removed where open files are in the way, and only as long as the repository looks as
//! it did when it was opened.

use std::cell::{Cell, RefCell};
use std::fs::{self, Metadata};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use git2::Repository;

use super::ancestry::History;
use super::objects::Objects;
use super::open::{Opened, open};
use super::packs::Scratch;
use super::recent::Recent;
use super::ref_storage::RefStorage;
use crate::model::Error;

/// How long an idle handle stays open.
const KEPT_FOR: Duration = Duration::from_millis(1500);
/// Idle handles, of all repositories: each may hold many files open.
const MOST_KEPT: usize = 8;
/// Two changes of a file within one tick of its clock look like one: what was changed so shortly before it was looked
/// at proves nothing.
const CLOCK_TICK: Duration = Duration::from_millis(50);

static IDLE: Mutex<IdleHandles> = Mutex::new(IdleHandles {
    handles: Vec::new(),
    closer_runs: false,
});
/// Raised by [`close_repositories`]: handles of an earlier time are not kept.
static EPOCH: AtomicU64 = AtomicU64::new(0);

struct IdleHandles {
    handles: Vec<Idle>,
    /// Whether a thread is there to close them.
    closer_runs: bool,
}

struct Idle {
    cwd: PathBuf,
    open: Open,
    until: Instant,
}

struct Open {
    opened: Opened,
    looks: Looks,
    epoch: u64,
}

/// An open repository, given back when it is dropped.
pub struct Handle {
    cwd: PathBuf,
    /// `None` only while it is dropped.
    open: Option<Open>,
    /// Whether something could not be read: the next call had better look for itself.
    troubled: Cell<bool>,
    /// Whether it was open before this call.
    is_reused: bool,
}

impl Handle {
    /// Opens the repository that `cwd` lies in, or takes it over from a call before.
    pub fn of(cwd: &Path) -> Result<Handle, Error> {
        while let Some(open) = take_idle(cwd) {
            if Looks::at(&open.opened, cwd, SystemTime::now()) == open.looks {
                return Ok(Handle {
                    cwd: cwd.to_path_buf(),
                    open: Some(open),
                    troubled: Cell::new(false),
                    is_reused: true,
                });
            }
        }
        Handle::fresh(cwd)
    }

    /// Opens the repository that `cwd` lies in.
    pub fn fresh(cwd: &Path) -> Result<Handle, Error> {
        // Before opening: what is closed or changes from now on counts.
        let epoch = EPOCH.load(Ordering::SeqCst);
        let before = SystemTime::now();
        let opened = open(cwd)?;
        Ok(Handle {
            cwd: cwd.to_path_buf(),
            open: Some(Open {
                looks: Looks::at(&opened, cwd, before),
                opened,
                epoch,
            }),
            troubled: Cell::new(false),
            is_reused: false,
        })
    }

    /// Whether the repository may have been changed in a way that an open handle does not follow.
    pub fn is_stale(&self) -> bool {
        self.opened()
            .is_none_or(|open| self.is_reused || Looks::at(&open.opened, &self.cwd, SystemTime::now()) != open.looks)
    }

    /// Something could not be read.
    pub fn note_trouble(&self) {
        self.troubled.set(true);
    }

    /// Whether something could not be read.
    pub fn is_troubled(&self) -> bool {
        self.troubled.get()
    }

    /// How its refs are stored.
    pub fn storage(&self) -> RefStorage {
        self.opened().map_or(RefStorage::Files, |open| open.opened.storage)
    }

    /// Its objects, to be asked before libgit2.
    pub fn objects(&self) -> &Objects {
        &self.expect_open().objects
    }

    /// What reading the objects needs.
    pub fn scratch(&self) -> &RefCell<Scratch> {
        &self.expect_open().scratch
    }

    /// The commits that calls on it have met.
    pub fn history(&self) -> &RefCell<History> {
        &self.expect_open().history
    }

    /// Whether commits may have other parents than are written in them.
    pub fn has_cut_history(&self) -> bool {
        self.expect_open().has_cut_history
    }

    /// To how few digits git shortens an id here, once it was asked for.
    pub fn shortest_id(&self) -> &Cell<Option<usize>> {
        &self.expect_open().shortest_id
    }

    /// What the next call is likely to ask for again.
    pub fn recent(&self) -> &RefCell<Recent> {
        &self.expect_open().recent
    }

    fn opened(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    fn expect_open(&self) -> &Opened {
        &self.open.as_ref().expect("a handle is open until it is dropped").opened
    }
}

impl Deref for Handle {
    type Target = Repository;

    fn deref(&self) -> &Repository {
        &self.expect_open().repository
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(open) = self.open.take()
            && open.looks.settled
            && !self.troubled.get()
            && open.epoch == EPOCH.load(Ordering::SeqCst)
            && !thread::panicking()
        {
            keep(std::mem::take(&mut self.cwd), open);
        }
    }
}

/// Closes what is kept open; what a call is using is closed when that call ends.
pub fn close_repositories() {
    EPOCH.fetch_add(1, Ordering::SeqCst);
    let closed = std::mem::take(&mut idle().handles);
    drop(closed);
}

fn idle() -> MutexGuard<'static, IdleHandles> {
    // Nothing under the lock can panic half way.
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take_idle(cwd: &Path) -> Option<Open> {
    let handles = &mut idle().handles;
    let at = handles.iter().rposition(|kept| kept.cwd == cwd)?;
    Some(handles.swap_remove(at).open)
}

fn keep(cwd: PathBuf, open: Open) {
    let mut idle = idle();
    if !idle.closer_runs {
        // Ends with the last handle. Without it nothing would close them, so then none is kept.
        let closer = thread::Builder::new()
            .name("turn-attribution".into())
            .spawn(close_when_due);
        if closer.is_err() {
            return;
        }
        idle.closer_runs = true;
    }
    let oldest = (idle.handles.len() >= MOST_KEPT).then(|| idle.handles.remove(0));
    idle.handles.push(Idle {
        cwd,
        open,
        until: Instant::now() + KEPT_FOR,
    });
    drop(idle);
    drop(oldest);
}

fn close_when_due() {
    loop {
        let now = Instant::now();
        let mut idle = idle();
        let due: Vec<Idle> = idle.handles.extract_if(.., |kept| kept.until <= now).collect();
        let next = idle.handles.iter().map(|kept| kept.until).min();
        idle.closer_runs = next.is_some();
        drop(idle);
        // Closing files takes time; nobody has to wait for it.
        drop(due);
        match next {
            Some(next) => thread::sleep(next.saturating_duration_since(now)),
            None => return,
        }
    }
}

/// What shows that a repository is not what it was: its folder, and the files that libgit2 reads once only.
struct Looks {
    /// The git directory that is found from the folder asked about.
    found: Option<PathBuf>,
    files: Vec<Option<Look>>,
    /// Whether git would work in it.
    is_safe: bool,
    /// Whether the last change lay long enough back for the next one to show.
    settled: bool,
}

impl PartialEq for Looks {
    fn eq(&self, other: &Looks) -> bool {
        self.files == other.files && self.found == other.found && self.is_safe && other.is_safe
    }
}

#[derive(PartialEq)]
struct Look {
    /// Of folders in which git keeps files and locks only the identity stays.
    content: Option<(SystemTime, u64)>,
    /// Whose it is, too.
    identity: (u64, u64, u32),
}

impl Looks {
    /// How it looks now. `before` was noted before it was opened: what changed later than that, or shortly before, may be
    /// seen or not.
    fn at(opened: &Opened, cwd: &Path, before: SystemTime) -> Looks {
        let (own, common) = (opened.repository.path(), opened.repository.commondir());
        let read_once = [
            own.join("commondir"),
            own.join("config.worktree"),
            common.join("config"),
            common.join("shallow"),
            common.join("info/grafts"),
            common.join("objects/info/alternates"),
        ];
        let packs = opened.object_folders.iter().map(|objects| objects.join("pack"));
        let look = |place: &Path| fs::metadata(place).ok().map(|found| Look::of(&found));
        let mut files: Vec<_> = read_once.into_iter().chain(packs).map(|place| look(&place)).collect();
        let latest = files.iter().flatten().filter_map(|look| Some(look.content?.0)).max();
        let has_common = files[0].is_some();
        let folder = |place: &Path| {
            Some(Look {
                content: None,
                ..look(place)?
            })
        };
        let own_look = folder(own);
        // Links, `.git` files and repositories in between can lead elsewhere by now. Asking libgit2 resolves each part of
        // the path; mostly the folder itself holds the git directory, and that has what makes it one.
        let holds_it = cfg!(unix)
            && !has_common
            && own_look.is_some()
            && folder(&cwd.join(".git")) == own_look
            && own.join("HEAD").is_file()
            && ["refs", "objects"].iter().all(|part| own.join(part).is_dir());
        let found = if holds_it {
            Some(own.to_path_buf())
        } else if cwd.is_dir() {
            Repository::discover_path(cwd, NO_CEILING).ok()
        } else {
            None
        };
        files.push(own_look);
        if common != own {
            files.push(folder(common));
        }
        Looks {
            found,
            files,
            is_safe: is_safe(opened, cwd),
            settled: latest.is_none_or(|latest| before.duration_since(latest).is_ok_and(|since| since > CLOCK_TICK)),
        }
    }
}

/// Whether git would work in it. Who owns its folders, and whom the person trusts, may have changed since it was opened.
fn is_safe(opened: &Opened, cwd: &Path) -> bool {
    #[cfg(unix)]
    return opened.found.is_safe(cwd);
    #[cfg(not(unix))]
    {
        let _ = (opened, cwd);
        true
    }
}

/// Discovery goes up to the root.
const NO_CEILING: [&str; 0] = [];

impl Look {
    fn of(found: &Metadata) -> Look {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (found.dev(), found.ino(), found.uid())
        };
        #[cfg(not(unix))]
        let identity = (0, 0, 0);
        Look {
            content: found.modified().ok().map(|modified| (modified, found.len())),
            identity,
        }
    }
}
