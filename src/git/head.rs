//! What a host records at a snapshot: head, branch, and what will be gone later.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use git2::Repository;

use super::handles::Handle;
use super::open::unreadable;
use super::pipes::{open_file, open_file_of_length};
use super::ref_storage::RefStorage;
use crate::model::{Error, HeadFacts, LogMark, Oid, OperationKind, Pin};

/// How often a head that moves under our hands is read again.
const MOST_TRIES: u32 = 5;
/// What git keeps in its folder while it is in the middle of something.
const OF_AN_OPERATION: [&str; 7] = [
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
];
/// State files are a line or a few; a todo list can be long, but only its start is looked at.
const LONGEST_STATE_FILE: u64 = 64 * 1024;

/// Reads the head of the repository that `cwd` lies in. Nothing is written.
pub fn read_head(cwd: &Path) -> Result<HeadFacts, Error> {
    let repository = Handle::of(cwd)?;
    let storage = repository.storage();
    let folder = GitFolder {
        path: repository.path(),
        repository: &repository,
        storage,
    };
    let read_head = || {
        storage
            .head(&repository)
            .map_err(|error| unreadable(folder.path, &error))
    };
    let mut tries = 1;
    loop {
        let head = read_head()?;
        let log = folder.log_of_head()?;
        let pin = folder.read_operation()?;
        // Git appends to the log before it moves the ref, and ends an operation in some order of its own.
        let moved = read_head()? != head || folder.read_operation()? != pin;
        let log_ahead = head.oid.is_some() && log.last_entry().is_some_and(|mark| Some(mark.new) != head.oid);
        if tries < MOST_TRIES && moved || tries < 3 && log_ahead {
            tries += 1;
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        return Ok(HeadFacts {
            head: head.oid,
            branch: pin
                .rebase_ref
                .clone()
                .or(head.name.as_deref().map(lossy))
                .map(|name| short_name(&name)),
            operation: pin.operation,
            pin: Pin {
                log_length: log.length,
                last_entry: log.last_entry(),
                ..pin
            },
        });
    }
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn short_name(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

/// The end of a log.
struct Log {
    length: Option<u64>,
    last_line: Vec<u8>,
}

impl Log {
    /// A log that is whole lines.
    fn of_text(text: Option<Vec<u8>>) -> Log {
        let lines = text.as_deref().and_then(|text| text.strip_suffix(b"\n"));
        let last_line = lines.and_then(|lines| lines.rsplit(|&byte| byte == b'\n').next());
        Log {
            length: text.as_ref().map(|text| text.len() as u64),
            last_line: last_line.unwrap_or_default().to_vec(),
        }
    }

    /// Reads the last complete line: what follows it is being written right now.
    fn read(path: &Path) -> io::Result<Log> {
        let none = Log {
            length: None,
            last_line: Vec::new(),
        };
        match fs::metadata(path) {
            // A pipe in its place would never end.
            Ok(found) if !found.is_file() => return Ok(none),
            Ok(_) => {}
            Err(error) if is_absent(&error) => return Ok(none),
            Err(error) => return Err(error),
        }
        let (mut file, length) = open_file_of_length(path)?;
        let mut window = 4096;
        loop {
            let start = length.saturating_sub(window);
            // One byte more shows the end without another look for room.
            let mut tail = Vec::with_capacity((length - start) as usize + 1);
            file.seek(SeekFrom::Start(start))?;
            (&file).take(length - start).read_to_end(&mut tail)?;
            let end = tail.iter().rposition(|&byte| byte == b'\n');
            let begin = end.and_then(|end| tail[..end].iter().rposition(|&byte| byte == b'\n'));
            let line = match (begin, end) {
                (Some(begin), Some(end)) => begin + 1..end,
                (None, Some(end)) if start == 0 => 0..end,
                (_, None) if start == 0 => {
                    return Ok(Log {
                        length: Some(0),
                        last_line: Vec::new(),
                    });
                }
                _ => {
                    // A subject line can be of any length, and git logs all of it.
                    window *= 8;
                    continue;
                }
            };
            return Ok(Log {
                length: Some(start + line.end as u64 + 1),
                last_line: tail[line].to_vec(),
            });
        }
    }

    fn last_entry(&self) -> Option<LogMark> {
        LogMark::of_line(&self.last_line)
    }
}

/// The git directory of this worktree, where its state files lie.
struct GitFolder<'a> {
    path: &'a Path,
    repository: &'a Repository,
    storage: RefStorage,
}

impl GitFolder<'_> {
    fn log_of_head(&self) -> Result<Log, Error> {
        match self.storage {
            RefStorage::Files => Log::read(&self.path.join("logs/HEAD")).map_err(|error| unreadable(self.path, &error)),
            RefStorage::Reftable => {
                let text = self.storage.head_log(self.repository);
                Ok(Log::of_text(text.map_err(|error| unreadable(self.path, &error))?))
            }
        }
    }

    /// All of the pin but the log.
    fn read_operation(&self) -> Result<Pin, Error> {
        if self.storage == RefStorage::Files && self.is_quiet() {
            return Ok(Pin::default());
        }
        let rebase = if self.holds("rebase-merge")? {
            Some("rebase-merge")
        } else if self.holds("rebase-apply")? && !self.holds("rebase-apply/applying")? {
            Some("rebase-apply")
        } else {
            None
        };
        let mut pin = Pin {
            merge_heads: self.oids("MERGE_HEAD")?,
            pick_head: self.pseudo_ref("CHERRY_PICK_HEAD")?,
            revert_head: self.pseudo_ref("REVERT_HEAD")?,
            started_from: self.oid("sequencer/head")?,
            ..Pin::default()
        };
        if let Some(rebase) = rebase {
            // REBASE_HEAD alone says nothing: git leaves it behind.
            pin.pick_head = pin.pick_head.or(self.pseudo_ref("REBASE_HEAD")?);
            pin.started_from = self.oid(&format!("{rebase}/orig-head"))?;
            pin.rebase_onto = self.oid(&format!("{rebase}/onto"))?;
            let name = self
                .read(&format!("{rebase}/head-name"))?
                .map(|name| lossy(name.trim_ascii()));
            pin.rebase_ref = name.filter(|name| name.starts_with("refs/"));
        }
        pin.operation = if rebase.is_some() {
            Some(OperationKind::Rebase)
        } else if self.holds("rebase-apply")? {
            Some(OperationKind::Am)
        } else if !pin.merge_heads.is_empty() {
            Some(OperationKind::Merge)
        } else if pin.pick_head.is_some() {
            Some(OperationKind::CherryPick)
        } else if pin.revert_head.is_some() {
            Some(OperationKind::Revert)
        } else if let Some(sequence) = self.sequence()? {
            Some(sequence)
        } else if self.holds("BISECT_LOG")? {
            Some(OperationKind::Bisect)
        } else {
            None
        };
        Ok(pin)
    }

    /// Whether nothing lies there that git keeps while it is in the middle of something; one look tells. A folder that
    /// cannot be listed may hold anything.
    fn is_quiet(&self) -> bool {
        let Ok(mut children) = fs::read_dir(self.path) else {
            return false;
        };
        children.all(|child| child.is_ok_and(|child| !OF_AN_OPERATION.iter().any(|name| child.file_name() == *name)))
    }

    /// A sequence of picks or reverts goes on after its current one was committed by hand.
    fn sequence(&self) -> Result<Option<OperationKind>, Error> {
        let todo = self.read("sequencer/todo")?.unwrap_or_default();
        let first = todo
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii)
            .find(|line| !line.is_empty() && !line.starts_with(b"#"));
        let word = first.and_then(|line| line.split(u8::is_ascii_whitespace).next());
        Ok(match word {
            Some(b"pick" | b"p") => Some(OperationKind::CherryPick),
            Some(b"revert") => Some(OperationKind::Revert),
            _ => None,
        })
    }

    fn holds(&self, name: &str) -> Result<bool, Error> {
        let path = self.path.join(name);
        path.try_exists().map_err(|error| unreadable(&path, &error))
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = self.path.join(name);
        let mut content = Vec::new();
        match open_file(&path).and_then(|file| file.take(LONGEST_STATE_FILE).read_to_end(&mut content)) {
            Ok(_) => Ok(Some(content)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    fn oids(&self, name: &str) -> Result<Vec<Oid>, Error> {
        let content = self.read(name)?.unwrap_or_default();
        Ok(content
            .split(|&byte| byte == b'\n')
            .filter_map(|line| Oid::from_hex(line.trim_ascii()))
            .collect())
    }

    /// Of the refs beside `HEAD` only `MERGE_HEAD` and `FETCH_HEAD` are files in every storage.
    fn pseudo_ref(&self, name: &str) -> Result<Option<Oid>, Error> {
        match self.storage {
            RefStorage::Files => self.oid(name),
            RefStorage::Reftable => self
                .storage
                .resolve(self.repository, name)
                .map_err(|error| unreadable(self.path, &error)),
        }
    }

    fn oid(&self, name: &str) -> Result<Option<Oid>, Error> {
        Ok(self.oids(name)?.first().copied())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
