//! Remembers what a call has seen of refs and logs, and that something could not be read. Where the rest stands without
//! what failed, as for a count, an attribute, a renamed file or the age of a commit, nothing else would tell that the
//! answer could have been another.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::{
    AskedTurn, Commit, CommitWalk, Contents, Favour, Findings, GitSource, Glance, LineChange, ObjectKind, Oid, Phase,
    Ref, Reflog, SourceError, Text, Tree, TreeReaders,
};

/// A source whose failed reads are remembered, and what refs and logs said.
pub struct Witness<'a> {
    source: &'a dyn GitSource,
    has_failed: Cell<bool>,
    refs: RefCell<Option<Vec<Ref>>>,
    resolved: RefCell<HashMap<String, Option<Oid>>>,
    head_log: RefCell<Option<Option<Vec<u8>>>>,
    other_logs: RefCell<Option<Vec<Reflog>>>,
    user_email: RefCell<Option<Option<Vec<u8>>>>,
}

impl<'a> Witness<'a> {
    /// A witness of one call.
    pub fn new(source: &'a dyn GitSource) -> Witness<'a> {
        Witness {
            source,
            has_failed: Cell::new(false),
            refs: RefCell::default(),
            resolved: RefCell::default(),
            head_log: RefCell::default(),
            other_logs: RefCell::default(),
            user_email: RefCell::default(),
        }
    }

    /// Whether a read has failed.
    pub fn has_failed(&self) -> bool {
        self.has_failed.get()
    }

    /// Reads what can change, once: all turns of a range are judged by one state of it.
    fn once<T: Clone>(
        &self,
        place: &RefCell<Option<T>>,
        read: impl FnOnce() -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        if let Some(known) = &*place.borrow() {
            return Ok(known.clone());
        }
        let read = self.seen(read())?;
        *place.borrow_mut() = Some(read.clone());
        Ok(read)
    }

    fn seen<T>(&self, read: Result<T, SourceError>) -> Result<T, SourceError> {
        if read.is_err() {
            self.has_failed.set(true);
        }
        read
    }
}

impl Contents for Witness<'_> {
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        self.seen(self.source.read_blob(oid))
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        self.source.store_blob(content)
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        self.source.merge_text(base, ours, theirs)
    }

    fn merge_text_favouring(&self, base: &[u8], ours: &[u8], theirs: &[u8], favour: Favour) -> Option<Vec<u8>> {
        self.source.merge_text_favouring(base, ours, theirs, favour)
    }
}

impl GitSource for Witness<'_> {
    fn kind(&self, oid: Oid) -> Result<ObjectKind, SourceError> {
        self.seen(self.source.kind(oid))
    }

    fn read_tree(&self, oid: Oid) -> Result<Arc<Tree>, SourceError> {
        self.seen(self.source.read_tree(oid))
    }

    fn tree_readers(&self) -> Option<Box<dyn TreeReaders + '_>> {
        // What they cannot read is read again by the source.
        self.source.tree_readers()
    }

    fn read_commit(&self, oid: Oid) -> Result<Rc<Commit>, SourceError> {
        self.seen(self.source.read_commit(oid))
    }

    fn glance(&self, oid: Oid) -> Result<Glance, SourceError> {
        self.seen(self.source.glance(oid))
    }

    fn read_message(&self, oid: Oid) -> Result<String, SourceError> {
        self.seen(self.source.read_message(oid))
    }

    fn peel_tag(&self, oid: Oid) -> Result<Oid, SourceError> {
        self.seen(self.source.peel_tag(oid))
    }

    fn merge_bases(&self, one: Oid, two: Oid) -> Result<Vec<Oid>, SourceError> {
        self.seen(self.source.merge_bases(one, two))
    }

    fn is_ancestor(&self, ancestor: Oid, descendant: Oid) -> Result<bool, SourceError> {
        self.seen(self.source.is_ancestor(ancestor, descendant))
    }

    fn walk(&self, walk: &CommitWalk) -> Result<Vec<Oid>, SourceError> {
        self.seen(self.source.walk(walk))
    }

    fn refs(&self) -> Result<Vec<Ref>, SourceError> {
        self.once(&self.refs, || self.source.refs())
    }

    fn refs_below(&self, folder: &str) -> Result<Vec<Ref>, SourceError> {
        self.seen(self.source.refs_below(folder))
    }

    fn resolve_ref(&self, name: &str) -> Result<Option<Oid>, SourceError> {
        if let Some(known) = self.resolved.borrow().get(name) {
            return Ok(*known);
        }
        let found = self.seen(self.source.resolve_ref(name))?;
        self.resolved.borrow_mut().insert(name.to_owned(), found);
        Ok(found)
    }

    fn head_log(&self) -> Result<Option<Vec<u8>>, SourceError> {
        self.once(&self.head_log, || self.source.head_log())
    }

    fn other_logs(&self) -> Result<Vec<Reflog>, SourceError> {
        self.once(&self.other_logs, || self.source.other_logs())
    }

    fn user_email(&self) -> Result<Option<Vec<u8>>, SourceError> {
        self.once(&self.user_email, || self.source.user_email())
    }

    fn is_shallow(&self) -> bool {
        self.source.is_shallow()
    }

    fn line_changes(&self, old: &Text, new: &Text, ignore_all_space: bool) -> Result<Arc<[LineChange]>, SourceError> {
        self.seen(self.source.line_changes(old, new, ignore_all_space))
    }

    fn announce(&self, comparisons: &[(Option<Oid>, Option<Oid>)], ignore_all_space: bool) {
        self.source.announce(comparisons, ignore_all_space);
    }

    fn function_lines(&self, driver: &str, text: &[u8], before: &[usize]) -> Option<Vec<Option<Vec<u8>>>> {
        self.source.function_lines(driver, text, before)
    }

    fn abbreviated_length(&self, oid: Oid) -> usize {
        self.source.abbreviated_length(oid)
    }

    fn check_stopped(&self) -> Result<(), SourceError> {
        self.source.check_stopped()
    }

    fn enter(&self, phase: Phase) {
        self.source.enter(phase);
    }

    fn kept_findings(&self, turn: &AskedTurn) -> Option<Arc<Findings>> {
        self.source.kept_findings(turn)
    }

    fn look_anew(&self, turn: &AskedTurn) -> u64 {
        self.source.look_anew(turn)
    }

    fn keep_findings(&self, turn: AskedTurn, look: u64, findings: Arc<Findings>) {
        self.source.keep_findings(turn, look, findings);
    }
}
