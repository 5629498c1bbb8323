//! A source in which reads fail on purpose, so that tests can ask what then becomes of the answer. Only with the
//! feature `fault-injection`, which no shipped binary has.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{LibgitSource, Stop};
use crate::model::{
    Commit, CommitWalk, Contents, Error, Favour, GitSource, LineChange, ObjectKind, Oid, Phase, Ref, Reflog,
    SourceError, Text, Tree,
};

/// What the panic of [`Fault::Panic`] says.
pub const PANIC: &str = "a fault that was injected";

/// What goes wrong with a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The object is not there.
    Missing,
    /// The object is damaged.
    Unreadable,
    /// The disk or the repository fails.
    Repository,
    /// A limit is met.
    Limit,
    /// It takes a few milliseconds.
    Slow,
    /// The reader has a fault of its own.
    Panic,
    /// The time is over, from this read on.
    TimedOut,
}

impl Fault {
    /// Every fault there is.
    pub const ALL: [Fault; 7] = [
        Fault::Missing,
        Fault::Unreadable,
        Fault::Repository,
        Fault::Limit,
        Fault::Slow,
        Fault::Panic,
        Fault::TimedOut,
    ];

    /// The name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            Fault::Missing => "missing",
            Fault::Unreadable => "unreadable",
            Fault::Repository => "repository",
            Fault::Limit => "limit",
            Fault::Slow => "slow",
            Fault::Panic => "panic",
            Fault::TimedOut => "timed-out",
        }
    }
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadKind {
    /// The kind of an object.
    Kind,
    /// A tree.
    Tree,
    /// A commit.
    Commit,
    /// The message of a commit.
    Message,
    /// A tag, peeled.
    Tag,
    /// A blob.
    Blob,
    /// Merge bases.
    Bases,
    /// Whether one commit is an ancestor of another.
    Ancestor,
    /// A walk of commits.
    Walk,
    /// All refs.
    Refs,
    /// One ref.
    Ref,
    /// The log of HEAD.
    Log,
    /// The other logs.
    Logs,
    /// The configured e-mail.
    Email,
    /// Two texts, compared.
    Texts,
}

impl ReadKind {
    /// Every kind there is.
    pub const ALL: [ReadKind; 15] = [
        ReadKind::Kind,
        ReadKind::Tree,
        ReadKind::Commit,
        ReadKind::Message,
        ReadKind::Tag,
        ReadKind::Blob,
        ReadKind::Bases,
        ReadKind::Ancestor,
        ReadKind::Walk,
        ReadKind::Refs,
        ReadKind::Ref,
        ReadKind::Log,
        ReadKind::Logs,
        ReadKind::Email,
        ReadKind::Texts,
    ];

    /// The name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            ReadKind::Kind => "kind",
            ReadKind::Tree => "tree",
            ReadKind::Commit => "commit",
            ReadKind::Message => "message",
            ReadKind::Tag => "tag",
            ReadKind::Blob => "blob",
            ReadKind::Bases => "bases",
            ReadKind::Ancestor => "ancestor",
            ReadKind::Walk => "walk",
            ReadKind::Refs => "refs",
            ReadKind::Ref => "ref",
            ReadKind::Log => "log",
            ReadKind::Logs => "logs",
            ReadKind::Email => "email",
            ReadKind::Texts => "texts",
        }
    }
}

/// Which reads fail, and how.
#[derive(Clone, Copy, Debug)]
pub struct FaultPlan {
    /// What goes wrong.
    pub fault: Fault,
    /// The kind of reads that are counted; `None`: all.
    pub kind: Option<ReadKind>,
    /// Which of them fails, from 1; 0: each.
    pub at: usize,
    /// Whether the object that failed keeps failing, however it is read.
    pub lasting: bool,
}

/// A read that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// What was read.
    pub kind: ReadKind,
    /// The object, where it was one.
    pub oid: Option<Oid>,
    /// Whether it failed.
    pub failed: bool,
}

/// A source with faults.
///
/// The inner source keeps commits and trees that it has read, so these fail only the first time. Not counted is what
/// reads nothing or cannot fail: [`Contents::store_blob`], [`Contents::merge_text`] (it can only conflict), [`GitSource::is_shallow`], [`GitSource::function_lines`],
/// [`GitSource::abbreviated_length`].
pub struct FaultySource<S> {
    inner: S,
    plan: Option<FaultPlan>,
    counted: Cell<usize>,
    reads: RefCell<Vec<Read>>,
    kept: RefCell<HashSet<Oid>>,
    failing: RefCell<HashSet<Oid>>,
    /// Whether [`plan_faults`] gets to know the reads.
    is_told: bool,
}

impl<S: GitSource> FaultySource<S> {
    /// A source that reads from `inner`, but for what the plan makes fail.
    pub fn new(inner: S, plan: Option<FaultPlan>) -> FaultySource<S> {
        FaultySource {
            inner,
            plan,
            counted: Cell::new(0),
            reads: RefCell::default(),
            kept: RefCell::default(),
            failing: RefCell::default(),
            is_told: false,
        }
    }

    /// The reads so far.
    pub fn reads(&self) -> Vec<Read> {
        self.reads.borrow().clone()
    }

    /// Counts a read, and fails where it is planned.
    fn read(&self, kind: ReadKind, oid: Option<Oid>) -> Result<(), SourceError> {
        let keeps = matches!(kind, ReadKind::Commit | ReadKind::Tree);
        if keeps && oid.is_some_and(|oid| self.kept.borrow().contains(&oid)) {
            return Ok(());
        }
        let struck = self.plan.filter(|plan| self.strikes(plan, kind, oid));
        let failed = struck.is_some_and(|plan| plan.fault != Fault::Slow);
        self.reads.borrow_mut().push(Read { kind, oid, failed });
        let Some(plan) = struck else {
            self.kept.borrow_mut().extend(oid.filter(|_| keeps));
            return Ok(());
        };
        if plan.lasting {
            self.failing.borrow_mut().extend(oid);
        }
        let detail = PANIC.to_owned();
        match (plan.fault, oid) {
            (Fault::Slow, _) => {
                thread::sleep(Duration::from_millis(3));
                Ok(())
            }
            (Fault::Panic, _) => std::panic::panic_any(PANIC),
            (Fault::Missing, Some(oid)) => Err(SourceError::Missing(oid)),
            (Fault::Unreadable, Some(oid)) => Err(SourceError::Unreadable { oid, detail }),
            (Fault::TimedOut, _) => Err(SourceError::TimedOut),
            (Fault::Limit, _) => Err(SourceError::Limit(PANIC)),
            (Fault::Missing | Fault::Unreadable | Fault::Repository, _) => Err(SourceError::Repository(detail)),
        }
    }

    fn strikes(&self, plan: &FaultPlan, kind: ReadKind, oid: Option<Oid>) -> bool {
        if oid.is_some_and(|oid| self.failing.borrow().contains(&oid)) {
            return true;
        }
        if plan.kind.is_some_and(|only| only != kind) {
            return false;
        }
        self.counted.set(self.counted.get() + 1);
        plan.at == 0 || plan.at == self.counted.get() || self.is_late(plan)
    }

    fn is_late(&self, plan: &FaultPlan) -> bool {
        plan.fault == Fault::TimedOut && self.counted.get() >= plan.at
    }
}

impl<S: GitSource> Contents for FaultySource<S> {
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        self.read(ReadKind::Blob, Some(oid))?;
        self.inner.read_blob(oid)
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        self.inner.store_blob(content)
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        self.inner.merge_text(base, ours, theirs)
    }

    fn merge_text_favouring(&self, base: &[u8], ours: &[u8], theirs: &[u8], favour: Favour) -> Option<Vec<u8>> {
        self.inner.merge_text_favouring(base, ours, theirs, favour)
    }
}

impl<S: GitSource> GitSource for FaultySource<S> {
    fn kind(&self, oid: Oid) -> Result<ObjectKind, SourceError> {
        self.read(ReadKind::Kind, Some(oid))?;
        self.inner.kind(oid)
    }

    fn read_tree(&self, oid: Oid) -> Result<Arc<Tree>, SourceError> {
        self.read(ReadKind::Tree, Some(oid))?;
        self.inner.read_tree(oid)
    }

    fn read_commit(&self, oid: Oid) -> Result<Rc<Commit>, SourceError> {
        self.read(ReadKind::Commit, Some(oid))?;
        self.inner.read_commit(oid)
    }

    fn read_message(&self, oid: Oid) -> Result<String, SourceError> {
        self.read(ReadKind::Message, Some(oid))?;
        self.inner.read_message(oid)
    }

    fn peel_tag(&self, oid: Oid) -> Result<Oid, SourceError> {
        self.read(ReadKind::Tag, Some(oid))?;
        self.inner.peel_tag(oid)
    }

    fn merge_bases(&self, one: Oid, two: Oid) -> Result<Vec<Oid>, SourceError> {
        self.read(ReadKind::Bases, Some(one))?;
        self.inner.merge_bases(one, two)
    }

    fn is_ancestor(&self, ancestor: Oid, descendant: Oid) -> Result<bool, SourceError> {
        self.read(ReadKind::Ancestor, Some(descendant))?;
        self.inner.is_ancestor(ancestor, descendant)
    }

    fn walk(&self, walk: &CommitWalk) -> Result<Vec<Oid>, SourceError> {
        self.read(ReadKind::Walk, walk.from.first().copied())?;
        self.inner.walk(walk)
    }

    fn refs(&self) -> Result<Vec<Ref>, SourceError> {
        self.read(ReadKind::Refs, None)?;
        self.inner.refs()
    }

    fn refs_below(&self, folder: &str) -> Result<Vec<Ref>, SourceError> {
        self.read(ReadKind::Refs, None)?;
        self.inner.refs_below(folder)
    }

    fn resolve_ref(&self, name: &str) -> Result<Option<Oid>, SourceError> {
        self.read(ReadKind::Ref, None)?;
        self.inner.resolve_ref(name)
    }

    fn head_log(&self) -> Result<Option<Vec<u8>>, SourceError> {
        self.read(ReadKind::Log, None)?;
        self.inner.head_log()
    }

    fn other_logs(&self) -> Result<Vec<Reflog>, SourceError> {
        self.read(ReadKind::Logs, None)?;
        self.inner.other_logs()
    }

    fn user_email(&self) -> Result<Option<Vec<u8>>, SourceError> {
        self.read(ReadKind::Email, None)?;
        self.inner.user_email()
    }

    fn is_shallow(&self) -> bool {
        self.inner.is_shallow()
    }

    fn line_changes(&self, old: &Text, new: &Text, ignore_all_space: bool) -> Result<Arc<[LineChange]>, SourceError> {
        self.read(ReadKind::Texts, None)?;
        self.inner.line_changes(old, new, ignore_all_space)
    }

    fn function_lines(&self, driver: &str, text: &[u8], before: &[usize]) -> Option<Vec<Option<Vec<u8>>>> {
        self.inner.function_lines(driver, text, before)
    }

    fn abbreviated_length(&self, oid: Oid) -> usize {
        self.inner.abbreviated_length(oid)
    }

    fn check_stopped(&self) -> Result<(), SourceError> {
        if self.plan.is_some_and(|plan| self.is_late(&plan)) {
            return Err(SourceError::TimedOut);
        }
        self.inner.check_stopped()
    }

    fn enter(&self, phase: Phase) {
        self.inner.enter(phase);
    }
}

/// The plan for every call of this process, and the reads of the last one.
static PROCESS: Mutex<(Option<FaultPlan>, Vec<Read>)> = Mutex::new((None, Vec::new()));

/// Sets the plan for the calls to come, and gives the reads of the last one.
pub fn plan_faults(plan: Option<FaultPlan>) -> Vec<Read> {
    let mut process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    process.0 = plan;
    std::mem::take(&mut process.1)
}

impl FaultySource<LibgitSource> {
    /// As [`LibgitSource::open`], with the plan of the process.
    pub fn open(cwd: &Path, stop: Stop) -> Result<FaultySource<LibgitSource>, Error> {
        let plan = PROCESS.lock().unwrap_or_else(PoisonError::into_inner).0;
        let mut source = FaultySource::new(LibgitSource::open(cwd, stop)?, plan);
        source.is_told = true;
        Ok(source)
    }

    /// As [`LibgitSource::with`], but never twice: what fails on purpose would fail again.
    pub fn with<T>(cwd: &Path, stop: &Stop, work: impl Fn(&Self) -> Result<T, Error>) -> Result<T, Error> {
        work(&FaultySource::open(cwd, stop.clone())?)
    }
}

impl<S> Drop for FaultySource<S> {
    fn drop(&mut self) {
        if self.is_told {
            PROCESS.lock().unwrap_or_else(PoisonError::into_inner).1 = self.reads.take();
        }
    }
}
