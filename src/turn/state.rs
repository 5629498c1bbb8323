//! A whole-tree state that may exist in no tree object: a tree, and paths that differ from it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::tree_delta::{KnownDelta, any_file_under, lookup, tree_delta, tree_delta_beside};
use crate::model::{Change, Contents, Delta, Entry, Favour, GitSource, LineCounts, Oid, RepoPath, SourceError};
use crate::rules::merge3::{BaseFiles, MergeLimits, Merged, merge3_with_base};

/// A tree with changes laid over it, and the paths in it that cannot be trusted: a merge stopped on
/// them, so what stands there is not what git alone would have made.
#[derive(Clone, Debug, Default)]
pub struct State {
    tree: Option<Oid>,
    laid_over: Rc<BTreeMap<RepoPath, Option<Entry>>>,
    untrusted: Rc<BTreeSet<RepoPath>>,
}

impl State {
    /// The state of a tree; `None` is the empty tree.
    pub fn of_tree(tree: Option<Oid>) -> State {
        State {
            tree,
            ..State::default()
        }
    }

    /// The paths on which a merge stopped on the way to this state.
    pub fn untrusted(&self) -> &BTreeSet<RepoPath> {
        &self.untrusted
    }

    /// The same state with more paths that cannot be trusted.
    pub fn distrusting(mut self, paths: impl IntoIterator<Item = RepoPath>) -> State {
        let mut paths = paths.into_iter().peekable();
        if paths.peek().is_some() {
            Rc::make_mut(&mut self.untrusted).extend(paths);
        }
        self
    }

    /// The same state with these paths trusted.
    pub fn trusting(mut self, paths: &BTreeSet<RepoPath>) -> State {
        if self.untrusted.iter().any(|path| paths.contains(path)) {
            Rc::make_mut(&mut self.untrusted).retain(|path| !paths.contains(path));
        }
        self
    }

    /// The state of one path.
    pub fn get(&self, source: &dyn GitSource, path: &[u8]) -> Result<Option<Entry>, SourceError> {
        match self.laid_over.get(path) {
            Some(entry) => Ok(*entry),
            None => lookup(source, self.tree, path),
        }
    }

    /// The paths in which two states differ.
    pub fn delta(&self, source: &dyn GitSource, new: &State) -> Result<Delta, SourceError> {
        self.laid_over_delta(source, new, tree_delta(source, self.tree, new.tree)?)
    }

    /// What `delta`, of the two trees, becomes with what is laid over them.
    fn laid_over_delta(&self, source: &dyn GitSource, new: &State, mut delta: Delta) -> Result<Delta, SourceError> {
        if Rc::ptr_eq(&self.laid_over, &new.laid_over) && self.tree == new.tree {
            return Ok(delta);
        }
        for path in self.laid_over.keys().chain(new.laid_over.keys()) {
            let change = Change {
                old: self.get(source, path)?,
                new: new.get(source, path)?,
            };
            if change.old == change.new {
                delta.remove(path);
            } else {
                delta.insert(path.clone(), change);
            }
        }
        Ok(delta)
    }

    /// What git alone makes of `ours` and `theirs`, which both come from `base`. Conflicts keep one side
    /// and are untrusted, as is every path that was untrusted in any of the three.
    pub fn merge(source: &dyn GitSource, base: &State, ours: &State, theirs: &State) -> Result<Merge, SourceError> {
        State::merge_favouring(source, base, ours, theirs, None)
    }

    /// The same, where `base` and `theirs` differ little from two trees whose delta is known.
    pub fn merge_beside(
        source: &dyn GitSource,
        base: &State,
        ours: &State,
        theirs: &State,
        known: &KnownDelta<'_>,
    ) -> Result<Merge, SourceError> {
        let on_theirs = tree_delta_beside(source, base.tree, theirs.tree, known)?;
        let on_theirs = base.laid_over_delta(source, theirs, on_theirs)?;
        State::merge_deltas(
            source,
            base,
            [ours, theirs],
            [base.delta(source, ours)?, on_theirs],
            None,
        )
    }

    /// The same with the lines of one side where both changed them.
    pub fn merge_favouring(
        source: &dyn GitSource,
        base: &State,
        ours: &State,
        theirs: &State,
        favour: Option<Favour>,
    ) -> Result<Merge, SourceError> {
        let deltas = [base.delta(source, ours)?, base.delta(source, theirs)?];
        State::merge_deltas(source, base, [ours, theirs], deltas, favour)
    }

    fn merge_deltas(
        source: &dyn GitSource,
        base: &State,
        [ours, theirs]: [&State; 2],
        [on_ours, on_theirs]: [Delta; 2],
        favour: Option<Favour>,
    ) -> Result<Merge, SourceError> {
        // The smaller side is laid over the larger one: merging is symmetric but for what a conflict keeps.
        let (mut onto, mut other) = (ours, theirs);
        let (mut onto_delta, mut other_delta) = (on_ours, on_theirs);
        let onto_is_ours = onto_delta.len() >= other_delta.len();
        if !onto_is_ours {
            std::mem::swap(&mut onto, &mut other);
            std::mem::swap(&mut onto_delta, &mut other_delta);
        }
        let favour = favour.map(|favour| Favouring {
            source,
            favour: match (favour, onto_is_ours) {
                (_, true) => favour,
                (Favour::Ours, false) => Favour::Theirs,
                (Favour::Theirs, false) => Favour::Ours,
            },
        });
        let merged = merge3_with_base(
            &onto_delta,
            &other_delta,
            &BaseView { source, base },
            match favour {
                Some(ref favoured) => favoured,
                None => source,
            },
            &MergeLimits::default(),
        )?;
        let mut state = onto.clone();
        if !merged.changes.is_empty() {
            Rc::make_mut(&mut state.laid_over).extend(merged.changes.clone());
        }
        let inherited = base.untrusted.iter().chain(other.untrusted.iter()).cloned();
        let state = state.distrusting(inherited.chain(merged.conflicts.iter().cloned()));
        let Merged {
            changes,
            conflicts,
            inexact,
        } = merged;
        Ok(Merge {
            state,
            conflicts,
            inexact,
            changes,
            onto_delta,
            other_delta,
            onto_is_ours,
        })
    }
}

/// Contents whose line merges favour one side.
struct Favouring<'a> {
    source: &'a dyn GitSource,
    favour: Favour,
}

impl Contents for Favouring<'_> {
    fn read_blob(&self, oid: Oid) -> Result<Rc<[u8]>, SourceError> {
        self.source.read_blob(oid)
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        self.source.store_blob(content)
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        self.source.merge_text_favouring(base, ours, theirs, self.favour)
    }

    fn count_lines(&self, old: &[u8], new: &[u8]) -> Result<LineCounts, SourceError> {
        self.source.count_lines(old, new)
    }
}

/// The outcome of a merge.
pub struct Merge {
    /// The merged state.
    pub state: State,
    /// Where git would have stopped.
    pub conflicts: BTreeSet<RepoPath>,
    /// What rests on a pairing of renamed files that are not the same.
    pub inexact: BTreeSet<RepoPath>,
    changes: BTreeMap<RepoPath, Option<Entry>>,
    onto_delta: Delta,
    other_delta: Delta,
    onto_is_ours: bool,
}

impl Merge {
    /// The merged state of a path that differs from the base on some side; `None` where none differs.
    /// Reads nothing, unlike [`State::get`].
    pub fn changed(&self, path: &[u8]) -> Option<Option<Entry>> {
        let merged = self.changes.get(path).copied();
        let onto = || self.onto_delta.get(path).map(|change| change.new);
        let neither = || self.other_delta.get(path).map(|change| change.old);
        merged.or_else(onto).or_else(neither)
    }

    /// Whether `ours` differs from the base on a path.
    pub fn differs_on_ours(&self, path: &[u8]) -> bool {
        if self.onto_is_ours {
            self.onto_delta.contains_key(path)
        } else {
            self.other_delta.contains_key(path)
        }
    }
}

/// The base of a merge, for the few questions that its two deltas leave open.
struct BaseView<'a> {
    source: &'a dyn GitSource,
    base: &'a State,
}

impl BaseFiles for BaseView<'_> {
    fn any_file_under(&self, directory: &[u8], wanted: &mut dyn FnMut(&[u8]) -> bool) -> Result<bool, SourceError> {
        let laid_over = &self.base.laid_over;
        let inside = |path: &[u8]| path.starts_with(directory) && path.get(directory.len()) == Some(&b'/');
        if laid_over
            .iter()
            .any(|(path, entry)| entry.is_some() && inside(path) && wanted(path))
        {
            return Ok(true);
        }
        any_file_under(self.source, self.base.tree, directory, &mut |path| {
            !laid_over.contains_key(path) && wanted(path)
        })
    }
}
