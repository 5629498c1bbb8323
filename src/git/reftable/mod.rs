//! The reftable ref storage, which libgit2 does not read: refs and logs in stacks of sorted tables.
//!
//! The tables are read as files, as the [format](https://git-scm.com/docs/reftable) says; no git process is needed.
//! A log is handed on as the text that it would be in a file, so that the rules do not know which storage answers.

pub mod table;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::pipes::open_file;
use super::ref_storage::MOST_SYMBOLIC_REFS;
use crate::model::{LogKind, Oid, Reflog, SourceError};
use table::{LogValue, Next, RefValue, Table};

/// How often a stack that is rewritten under our hands is read again.
const MOST_TRIES: u32 = 10;
/// Bytes of tables read of one stack.
const MOST_TABLE_BYTES: u64 = 1 << 30;

/// The refs of a repository as one worktree sees them.
pub struct Reftable {
    /// `HEAD` and whatever else each worktree has of its own.
    own: Stack,
    /// What all worktrees share; `None` where that is the same stack.
    common: Option<Stack>,
    own_folder: PathBuf,
    common_folder: PathBuf,
}

impl Reftable {
    /// Reads the tables of the worktree whose git directory is `own`, and of the repository.
    pub fn read(own: &Path, common: &Path) -> Result<Reftable, SourceError> {
        let shared = common == own;
        Ok(Reftable {
            own: Stack::read(own)?,
            common: if shared { None } else { Some(Stack::read(common)?) },
            own_folder: own.to_path_buf(),
            common_folder: common.to_path_buf(),
        })
    }

    /// The object that a ref names over symbolic refs, and the last name on the way.
    pub fn follow(&self, name: &[u8]) -> Result<(Option<Oid>, Vec<u8>), SourceError> {
        let mut name = name.to_vec();
        for _ in 0..=MOST_SYMBOLIC_REFS {
            match self.stack_of(&name).find(&name)? {
                Some(RefValue::Oid(oid)) => return Ok((Some(oid), name)),
                Some(RefValue::Symbolic(target)) => name = target,
                Some(RefValue::Removed) | None => break,
            }
        }
        Ok((None, name))
    }

    fn stack_of(&self, name: &[u8]) -> &Stack {
        match &self.common {
            Some(common) if !is_of_worktree(name) => common,
            _ => &self.own,
        }
    }

    /// All refs under `refs/` with the object each leads to.
    pub fn all(&self) -> Result<Vec<(Vec<u8>, Oid)>, SourceError> {
        let mut found = BTreeMap::new();
        for stack in self.common.iter().chain([&self.own]) {
            for (name, value) in stack.refs()? {
                let visible = name.starts_with(b"refs/") && std::ptr::eq(self.stack_of(&name), stack);
                let oid = match value {
                    _ if !visible => None,
                    RefValue::Oid(oid) => Some(oid),
                    RefValue::Symbolic(target) => self.follow(&target)?.0,
                    RefValue::Removed => None,
                };
                if let Some(oid) = oid {
                    found.insert(name, oid);
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The log of `HEAD` in this worktree; `None` where there is none.
    pub fn head_log(&self) -> Result<Option<Vec<u8>>, SourceError> {
        Ok(self.own.logs(Some(b"HEAD"))?.remove(&b"HEAD"[..]))
    }

    /// Every other log: of all refs, and of `HEAD` in the other worktrees.
    pub fn other_logs(&self, check_stopped: impl Fn() -> Result<(), SourceError>) -> Result<Vec<Reflog>, SourceError> {
        let mut found = Vec::new();
        let head = |text| Reflog {
            kind: LogKind::OtherHead,
            name: "HEAD".into(),
            text,
        };
        let shared = self.common.as_ref().unwrap_or(&self.own);
        for (name, text) in shared.logs(None)? {
            check_stopped()?;
            if name == b"HEAD" {
                if self.common.is_some() {
                    found.push(head(text));
                }
            } else if name.starts_with(b"refs/") {
                // Not the logs of ORIG_HEAD and its like, as of files those under `logs/refs` alone are read.
                found.push(Reflog {
                    kind: LogKind::of_ref(&name),
                    name: String::from_utf8_lossy(&name).into_owned(),
                    text,
                });
            }
        }
        for folder in worktrees(&self.common_folder) {
            check_stopped()?;
            if folder != self.own_folder
                && let Some(text) = Stack::read(&folder)?.logs(Some(b"HEAD"))?.remove(&b"HEAD"[..])
            {
                found.push(head(text));
            }
        }
        Ok(found)
    }
}

/// Whether each worktree has a ref of this name of its own, as [git-worktree](https://git-scm.com/docs/git-worktree#_refs)
/// says.
fn is_of_worktree(name: &[u8]) -> bool {
    !name.starts_with(b"refs/")
        || [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"]
            .iter()
            .any(|start| name.starts_with(start))
}

fn worktrees(common: &Path) -> Vec<PathBuf> {
    let children = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let mut folders: Vec<_> = children.map(|child| child.path()).collect();
    folders.sort();
    folders
}

/// The tables of one stack, the oldest first.
struct Stack {
    tables: Vec<Vec<u8>>,
}

impl Stack {
    /// A folder without a stack has no refs.
    fn read(git_folder: &Path) -> Result<Stack, SourceError> {
        let folder = git_folder.join("reftable");
        let mut tries = 1;
        loop {
            match Stack::try_read(&folder) {
                // Tables are merged into a new one and removed at any time; the list is the one to believe.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MOST_TRIES => tries += 1,
                Ok(stack) => return Ok(stack),
                Err(error) => return Err(SourceError::Repository(format!("{}: {error}", folder.display()))),
            }
        }
    }

    fn try_read(folder: &Path) -> io::Result<Stack> {
        let listed = open_file(&folder.join("tables.list")).and_then(io::read_to_string);
        let list = match listed {
            Ok(list) => list,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut tables = Vec::new();
        let mut bytes = 0;
        for name in list.lines().filter(|line| !line.is_empty()) {
            let path = folder.join(name);
            // The list names files of its own folder; anything else is not git's.
            if path.parent() != Some(folder) || !fs::metadata(&path)?.is_file() {
                return Err(io::Error::other(format!("{name} is no table")));
            }
            bytes += fs::metadata(&path)?.len();
            if bytes > MOST_TABLE_BYTES {
                return Err(io::Error::other("the tables are too large"));
            }
            let mut table = Vec::new();
            open_file(&path)?.take(MOST_TABLE_BYTES).read_to_end(&mut table)?;
            tables.push(table);
        }
        Ok(Stack { tables })
    }

    fn tables(&self) -> impl Iterator<Item = Result<Table<'_>, SourceError>> {
        self.tables.iter().map(|content| Table::new(content).map_err(malformed))
    }

    /// What the newest table that names the ref says of it.
    fn find(&self, wanted: &[u8]) -> Result<Option<RefValue>, SourceError> {
        let mut found = None;
        for table in self.tables() {
            table?
                .refs(|name, value| {
                    if name == wanted {
                        found = Some(value);
                    }
                    Next::until(name, wanted)
                })
                .map_err(malformed)?;
        }
        Ok(found)
    }

    fn refs(&self) -> Result<BTreeMap<Vec<u8>, RefValue>, SourceError> {
        let mut found = BTreeMap::new();
        for table in self.tables() {
            table?
                .refs(|name, value| {
                    found.insert(name.to_vec(), value);
                    Next::Go
                })
                .map_err(malformed)?;
        }
        Ok(found)
    }

    /// The logs as text, of all refs or of one.
    fn logs(&self, wanted: Option<&[u8]>) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, SourceError> {
        let mut logs: BTreeMap<Vec<u8>, BTreeMap<u64, Option<LogValue>>> = BTreeMap::new();
        for table in self.tables() {
            table?
                .logs(|name, record| {
                    if wanted.is_none_or(|wanted| wanted == name) {
                        if !logs.contains_key(name) {
                            logs.insert(name.to_vec(), BTreeMap::new());
                        }
                        if let Some(log) = logs.get_mut(name) {
                            log.insert(record.update_index, record.entry);
                        }
                    }
                    wanted.map_or(Next::Go, |wanted| Next::until(name, wanted))
                })
                .map_err(malformed)?;
        }
        let text = |log: BTreeMap<u64, Option<LogValue>>| -> Vec<u8> {
            let entries = log.into_values().flatten();
            // An entry of nothing to nothing only says that there is a log.
            let told = entries.filter(|entry| !(entry.old.is_zero() && entry.new.is_zero()));
            told.flat_map(|entry| entry.line()).collect()
        };
        Ok(logs.into_iter().map(|(name, log)| (name, text(log))).collect())
    }
}

fn malformed(_: table::Malformed) -> SourceError {
    SourceError::Repository("a table of the refs is damaged".into())
}
