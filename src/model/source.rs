use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;
use thiserror::Error;

use super::{AskedTurn, Findings, Oid, Tree};

/// Why an object, ref or log could not be read.
#[derive(Clone, Debug, Error)]
pub enum SourceError {
    /// The object is not in the repository (pruned, shallow, promised by a remote).
    #[error("object {0} is missing")]
    Missing(Oid),
    /// The object is of another kind than asked for, or damaged.
    #[error("object {oid} cannot be read: {detail}")]
    Unreadable {
        /// The object.
        oid: Oid,
        /// What the reader said.
        detail: String,
    },
    /// Something other than an object could not be read.
    #[error("{0}")]
    Repository(String),
    /// History ends here artificially (shallow boundary, graft), and what lies beyond is needed.
    #[error("history is cut at {0}")]
    HistoryCut(Oid),
    /// A limit was met (size, count, time).
    #[error("limit met: {0}")]
    Limit(&'static str),
    /// The call was aborted.
    #[error("aborted")]
    Aborted,
    /// The time that the caller gave is over.
    #[error("the time given is over")]
    TimedOut,
}

/// What a call is doing, which decides what becomes of it when its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Finding out what changed on disk: nothing can be said without it.
    TreeDelta,
    /// Telling what moved from what was written: without it everything is shown.
    Attribution,
    /// Counting and printing: what is not done is left out, file by file.
    Presentation,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A commit.
    Commit,
    /// A tree.
    Tree,
    /// A blob.
    Blob,
    /// An annotated tag.
    Tag,
}

/// Who did something, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Name and e-mail as written, `Name <mail>`.
    pub identity: Vec<u8>,
    /// Seconds since the epoch.
    pub seconds: i64,
}

impl Signature {
    /// The same for the same person and time; for others nearly always another.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The part between `<` and `>`, or all of it where there is none.
    pub fn email(&self) -> &[u8] {
        let identity = &self.identity[..];
        match (
            identity.iter().position(|&b| b == b'<'),
            identity.iter().rposition(|&b| b == b'>'),
        ) {
            (Some(open), Some(close)) if open < close => &identity[open + 1..close],
            _ => identity,
        }
    }
}

/// What a walk through history asks of each commit: it passes many and looks closer at few.
#[derive(Clone, Debug)]
pub struct Glance {
    /// When it was committed (seconds since the epoch).
    pub seconds: i64,
    /// When it was written (seconds since the epoch).
    pub author_seconds: i64,
    /// [`Signature::digest`] of its author.
    pub author: u64,
    /// Its parents as git sees them.
    pub parents: SmallVec<[Oid; 2]>,
}

impl Glance {
    /// That of a commit.
    pub fn of(commit: &Commit) -> Glance {
        Glance {
            seconds: commit.committer.seconds,
            author_seconds: commit.author.seconds,
            author: commit.author.digest(),
            parents: commit.parents.iter().copied().collect(),
        }
    }
}

/// The facts of a commit that attribution needs.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its id.
    pub oid: Oid,
    /// Its tree.
    pub tree: Oid,
    /// Its parents as git sees them (grafts count).
    pub parents: Vec<Oid>,
    /// Whether history was cut here (shallow boundary or graft): the parents are not the real ones.
    pub cut: bool,
    /// The first line of its message.
    pub summary: Vec<u8>,
    /// Who wrote it, and when.
    pub author: Signature,
    /// Who committed it, and when.
    pub committer: Signature,
}

/// Which commits to walk: reachable from `from`, not reachable from `hide`.
#[derive(Clone, Debug, Default)]
pub struct CommitWalk {
    /// Where the walk starts.
    pub from: Vec<Oid>,
    /// What is left out, with all that it reaches.
    pub hide: Vec<Oid>,
    /// The most commits to return; more is [`SourceError::Limit`].
    pub limit: usize,
}

/// A ref and the object it names (symbolic refs resolved, tags peeled to a commit where they can be).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// Full name, `refs/heads/main`.
    pub name: String,
    /// What it names.
    pub oid: Oid,
}

/// Which log a [`Reflog`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogKind {
    /// `logs/HEAD` of the worktree asked about.
    Head,
    /// `logs/HEAD` of another worktree of the repository.
    OtherHead,
    /// A remote-tracking ref: it records what was fetched and pushed.
    Remote,
    /// Any other ref.
    Ref,
}

impl LogKind {
    /// What the log of a ref is.
    pub fn of_ref(name: &[u8]) -> LogKind {
        if name.starts_with(b"refs/remotes/") {
            LogKind::Remote
        } else {
            LogKind::Ref
        }
    }
}

/// The text of a reflog, as git keeps it in a file.
#[derive(Clone, Debug)]
pub struct Reflog {
    /// Which kind of ref it logs.
    pub kind: LogKind,
    /// The full ref name, or `HEAD`.
    pub name: String,
    /// One line for each entry, the oldest first.
    pub text: Vec<u8>,
}

/// Lines added and removed between two contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines added.
    pub additions: u32,
    /// Lines removed.
    pub deletions: u32,
}

/// Which side a line merge takes where the two conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favour {
    /// The first.
    Ours,
    /// The second.
    Theirs,
}

impl LineCounts {
    /// The sum of changes.
    pub fn of(changes: &[LineChange]) -> Result<LineCounts, SourceError> {
        let sum = |lines: usize| u32::try_from(lines).map_err(|_| SourceError::Limit("line count"));
        Ok(LineCounts {
            additions: sum(changes.iter().map(|change| change.new_count).sum())?,
            deletions: sum(changes.iter().map(|change| change.old_count).sum())?,
        })
    }
}

/// A content to be compared by lines.
#[derive(Clone, Debug)]
pub struct Text {
    /// The blob that it is; `None` where there is no file, or the text stands for something else.
    pub oid: Option<Oid>,
    /// All of it.
    pub content: Arc<[u8]>,
}

/// Lines of an old text that lines of a new one stand for. Line numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The first old line, or the one that the new lines stand before.
    pub old_start: usize,
    /// How many old lines.
    pub old_count: usize,
    /// The first new line, or the one that the old lines stood before.
    pub new_start: usize,
    /// How many new lines.
    pub new_count: usize,
}

/// Blob contents, and the merge of them that comes from git's own diff library.
pub trait Contents {
    /// The content of a blob: of the repository, or one made by [`Contents::store_blob`].
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError>;
    /// Keeps a content in memory under the id that git would give it. Nothing is written to the repository.
    fn store_blob(&self, content: Vec<u8>) -> Oid;
    /// Merges three text contents by lines; `None` where they conflict or one is binary.
    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>>;
    /// The same, taking the lines of one side where they conflict, as `-X ours` and `-X theirs` do.
    fn merge_text_favouring(&self, base: &[u8], ours: &[u8], theirs: &[u8], favour: Favour) -> Option<Vec<u8>> {
        let _ = favour;
        self.merge_text(base, ours, theirs)
    }
}

/// What gives each thread a reader of its own.
pub trait TreeReaders: Sync {
    /// On how many threads a call works at most, its own among them.
    fn threads(&self) -> usize;
    /// A reader for one thread.
    fn reader(&self) -> Box<dyn TreeReader + '_>;
}

/// Reads trees on one thread.
pub trait TreeReader {
    /// A tree object, as [`GitSource::read_tree`]. That it is not known here says nothing: the source may know it.
    fn read_tree(&mut self, oid: Oid) -> Result<Arc<Tree>, SourceError>;
}

/// Everything that attribution reads from a repository. Read-only; the rules do not know what answers.
pub trait GitSource: Contents {
    /// What kind of object an id is.
    fn kind(&self, oid: Oid) -> Result<ObjectKind, SourceError>;
    /// A tree object.
    fn read_tree(&self, oid: Oid) -> Result<Arc<Tree>, SourceError>;
    /// Readers of trees for several threads at once, where there are any.
    fn tree_readers(&self) -> Option<Box<dyn TreeReaders + '_>> {
        None
    }
    /// A commit.
    fn read_commit(&self, oid: Oid) -> Result<Rc<Commit>, SourceError>;
    /// The same at a glance.
    fn glance(&self, oid: Oid) -> Result<Glance, SourceError> {
        Ok(Glance::of(self.read_commit(oid)?.as_ref()))
    }
    /// The message of a commit; bytes that are not UTF-8 become U+FFFD.
    fn read_message(&self, oid: Oid) -> Result<String, SourceError>;
    /// The object that an annotated tag leads to, or the object itself.
    fn peel_tag(&self, oid: Oid) -> Result<Oid, SourceError>;
    /// The best common ancestors of two commits; empty when the histories are unrelated.
    fn merge_bases(&self, one: Oid, two: Oid) -> Result<Vec<Oid>, SourceError>;
    /// Whether `ancestor` is `descendant` or reachable from it.
    fn is_ancestor(&self, ancestor: Oid, descendant: Oid) -> Result<bool, SourceError>;
    /// Walks commits, children before parents, newest first.
    fn walk(&self, walk: &CommitWalk) -> Result<Vec<Oid>, SourceError>;
    /// All refs with the object they name.
    fn refs(&self) -> Result<Vec<Ref>, SourceError>;
    /// The refs below a folder (`refs/t3/`) with the object each names, tags not peeled; those that cannot be read are
    /// left out.
    fn refs_below(&self, folder: &str) -> Result<Vec<Ref>, SourceError>;
    /// One ref by its full name, resolved; `None` where it does not exist.
    fn resolve_ref(&self, name: &str) -> Result<Option<Oid>, SourceError>;
    /// The log of `HEAD` in this worktree; `None` where there is none.
    fn head_log(&self) -> Result<Option<Vec<u8>>, SourceError>;
    /// Every other log there is, of this and all other worktrees.
    fn other_logs(&self) -> Result<Vec<Reflog>, SourceError>;
    /// The e-mail that the repository is set to commit with.
    fn user_email(&self) -> Result<Option<Vec<u8>>, SourceError>;
    /// Whether history is cut anywhere (shallow clone), so that "no common ancestor" may be untrue.
    fn is_shallow(&self) -> bool;
    /// The changed lines between two texts, as git finds them.
    fn line_changes(&self, old: &Text, new: &Text, ignore_all_space: bool) -> Result<Arc<[LineChange]>, SourceError>;
    /// Tells which blobs will be compared, in this order: a source may do so ahead. `None` where there is no file.
    fn announce(&self, comparisons: &[(Option<Oid>, Option<Oid>)], ignore_all_space: bool) {
        let _ = (comparisons, ignore_all_space);
    }
    /// What the hunk headers of a text say, by one of the diff drivers that git's library has: for each line number
    /// in `before` (from 0, rising) the function line that stands closest before that line. `None` where there is no
    /// such driver.
    fn function_lines(&self, driver: &str, text: &[u8], before: &[usize]) -> Option<Vec<Option<Vec<u8>>>>;
    /// To how many hexadecimal digits git would shorten an id here.
    fn abbreviated_length(&self, oid: Oid) -> usize;
    /// [`SourceError::Aborted`] once the call was aborted, [`SourceError::TimedOut`] once the time for this phase is
    /// over.
    fn check_stopped(&self) -> Result<(), SourceError>;
    /// Tells what the call does from now on.
    fn enter(&self, phase: Phase);
    /// What a call a moment ago found out about the same turn.
    fn kept_findings(&self, turn: &AskedTurn) -> Option<Arc<Findings>> {
        let _ = turn;
        None
    }
    /// Tells that a turn is looked at anew: what was found out about it before serves no more. The number is for
    /// [`GitSource::keep_findings`].
    fn look_anew(&self, turn: &AskedTurn) -> u64 {
        let _ = turn;
        0
    }
    /// Keeps for a moment what the look of this number found out.
    fn keep_findings(&self, turn: AskedTurn, look: u64, findings: Arc<Findings>) {
        let _ = (turn, look, findings);
    }
}
