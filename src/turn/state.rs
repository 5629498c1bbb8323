//! A whole-tree state that may exist in no tree object: a tree, and paths that differ from it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;
use std::sync::Arc;

use super::tree_delta::{KnownDelta, any_file_under, lookup, standing, tree_delta, tree_delta_beside};
use crate::model::{Change, Contents, Delta, Entry, Favour, FileMode, GitSource, Oid, RepoPath, SourceError};
use crate::rules::merge3::{BaseFiles, MergeLimits, Merged, merge3_with_base};

/// So many paths of a change are looked at one by one, sooner than all that the other side changed.
const FEW_PATHS: usize = 256;

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

    /// E: the foreign change from `base` to `theirs`, merged into the start snapshot. `base` and `theirs` differ little
    /// from two trees whose delta is known.
    pub fn expect(
        source: &dyn GitSource,
        base: &State,
        ours: &State,
        theirs: &State,
        known: &KnownDelta<'_>,
    ) -> Result<Expected, SourceError> {
        let on_theirs = tree_delta_beside(source, base.tree, theirs.tree, known)?;
        let on_theirs = base.laid_over_delta(source, theirs, on_theirs)?;
        let deltas = [base.delta(source, ours)?, on_theirs];
        State::merge_deltas(source, base, [ours, theirs], deltas, None).map(|(_, expected)| expected)
    }

    /// The same with the lines of one side where both changed them.
    pub fn merge_favouring(
        source: &dyn GitSource,
        base: &State,
        ours: &State,
        theirs: &State,
        favour: Option<Favour>,
    ) -> Result<Merge, SourceError> {
        let on_theirs = base.delta(source, theirs)?;
        if on_theirs.len() <= FEW_PATHS && ours.stands_as(source, base, theirs, &on_theirs)? {
            return Ok(ours.with(base, theirs, on_theirs));
        }
        let deltas = [base.delta(source, ours)?, on_theirs];
        State::merge_deltas(source, base, [ours, theirs], deltas, favour).map(|(merge, _)| merge)
    }

    /// Whether, of what bears on the paths that `theirs` changed, nothing was changed here: not the paths, not the
    /// folders that it removed, and none of those that it added files to is gone. Then a merge brings the change over as
    /// it is, and what else was changed here need not be known.
    fn stands_as(
        &self,
        source: &dyn GitSource,
        base: &State,
        theirs: &State,
        on_theirs: &Delta,
    ) -> Result<bool, SourceError> {
        let mut looked_at = BTreeSet::new();
        for (path, change) in on_theirs {
            if !self.is_same_at(source, base, path)? {
                return Ok(false);
            }
            for folder in folders_of(path).filter(|_| change.old.is_none() || change.new.is_none()) {
                if !looked_at.insert((folder, change.new.is_some())) {
                    continue;
                }
                let same = if change.new.is_some() {
                    let [here, before] = [self, base].map(|state| state.standing(source, folder));
                    match (here?, before?) {
                        (Some(here), Some(before)) => is_folder(here) == is_folder(before),
                        _ => false,
                    }
                } else {
                    let stays = theirs
                        .standing(source, folder)?
                        .is_some_and(|found| is_folder(found) == Some(true));
                    stays || self.is_same_at(source, base, folder)?
                };
                if !same {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a path, with all below it, is known to be as it is in another state.
    fn is_same_at(&self, source: &dyn GitSource, other: &State, path: &[u8]) -> Result<bool, SourceError> {
        match (self.standing(source, path)?, other.standing(source, path)?) {
            (Some(here), Some(there)) => Ok(here == there),
            _ => Ok(false),
        }
    }

    /// What stands at a path, file or folder; `None` where no tree tells it.
    fn standing(&self, source: &dyn GitSource, path: &[u8]) -> Result<Option<Option<Entry>>, SourceError> {
        if !self.laid_over.is_empty() {
            if folders_of(path).any(|folder| self.laid_over.contains_key(folder)) {
                return Ok(None);
            }
            let below = self
                .laid_over
                .range::<[u8], _>((Bound::Included(path), Bound::Unbounded));
            let mut below = below
                .take_while(|(other, _)| other.starts_with(path))
                .filter(|(other, _)| other.get(path.len()).is_none_or(|&byte| byte == b'/'));
            match below.next() {
                Some((other, entry)) if other.len() == path.len() => {
                    // What is laid over takes a file's place, and a folder may stand there beside it.
                    return Ok(entry.map(Some));
                }
                Some(_) => return Ok(None),
                None => {}
            }
        }
        standing(source, self.tree, path).map(Some)
    }

    /// This state with what `theirs` changed laid over it.
    fn with(&self, base: &State, theirs: &State, on_theirs: Delta) -> Merge {
        let mut state = self.clone();
        if !on_theirs.is_empty() {
            let changes = on_theirs.into_iter().map(|(path, change)| (path, change.new));
            Rc::make_mut(&mut state.laid_over).extend(changes);
        }
        let inherited = base.untrusted.iter().chain(theirs.untrusted.iter()).cloned();
        Merge {
            state: state.distrusting(inherited),
            conflicts: BTreeSet::new(),
            inexact: BTreeSet::new(),
        }
    }

    fn merge_deltas(
        source: &dyn GitSource,
        base: &State,
        [ours, theirs]: [&State; 2],
        [on_ours, on_theirs]: [Delta; 2],
        favour: Option<Favour>,
    ) -> Result<(Merge, Expected), SourceError> {
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
        let expected = Expected {
            state: state.clone(),
            changes,
            onto_delta,
            other_delta,
            onto_is_ours,
        };
        let merge = Merge {
            state,
            conflicts,
            inexact,
        };
        Ok((merge, expected))
    }
}

/// The folders that a path lies in, the innermost first.
fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[..at])
}

/// Whether a folder stands there; `None` where nothing does.
fn is_folder(standing: Option<Entry>) -> Option<bool> {
    standing.map(|entry| entry.mode == FileMode::TREE)
}

/// Contents whose line merges favour one side.
struct Favouring<'a> {
    source: &'a dyn GitSource,
    favour: Favour,
}

impl Contents for Favouring<'_> {
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        self.source.read_blob(oid)
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        self.source.store_blob(content)
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        self.source.merge_text_favouring(base, ours, theirs, self.favour)
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
}

/// The expected state, with what it was made of.
pub struct Expected {
    /// The state.
    pub state: State,
    changes: BTreeMap<RepoPath, Option<Entry>>,
    onto_delta: Delta,
    other_delta: Delta,
    onto_is_ours: bool,
}

impl Expected {
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

#[cfg(test)]
mod tests {
    use super::super::memory::{Files, Memory, Random, put};
    use super::*;

    /// These files as a tree, or as another tree with changes laid over it.
    fn state(random: &mut Random, memory: &Memory, files: &Files) -> State {
        let mut stored = files.clone();
        for _ in 0..[0, 0, 1, 3][random.below(4)] {
            random.change(memory, &mut stored);
        }
        let mut state = State::of_tree(Some(memory.store_tree(&stored)));
        let tree = State::of_tree(Some(memory.store_tree(files)));
        let delta = state.delta(memory, &tree).unwrap();
        let mut laid_over: BTreeMap<_, _> = delta.into_iter().map(|(path, change)| (path, change.new)).collect();
        if random.below(4) == 0 {
            // What is laid over need not differ.
            let more = files.iter().filter(|_| random.below(3) == 0);
            laid_over.extend(more.map(|(path, entry)| (RepoPath::from(path), Some(*entry))));
        }
        state.laid_over = Rc::new(laid_over);
        if random.below(4) == 0 {
            state = state.distrusting([RepoPath::from(random.path())]);
        }
        state
    }

    #[test]
    fn a_small_change_is_brought_over_as_a_whole_merge_would() {
        let memory = Memory::default();
        let mut random = Random(1);
        let (mut shortened, mut rounds) = (0, 0);
        let wanted = 6_000;
        while rounds < wanted {
            rounds += 1;
            let mut files = Files::new();
            for _ in 0..2 + random.below(9) {
                put(&mut files, random.path(), random.entry(&memory));
            }
            let mut sides = [files.clone(), files.clone()];
            let largest = 1 + random.below(5);
            for side in &mut sides {
                for _ in 0..random.below(largest + 1) {
                    random.change(&memory, side);
                }
            }
            let [base, ours, theirs] = [&files, &sides[0], &sides[1]].map(|files| state(&mut random, &memory, files));
            let on_theirs = base.delta(&memory, &theirs).unwrap();
            let deltas = [base.delta(&memory, &ours).unwrap(), on_theirs.clone()];
            let (whole, expected) =
                State::merge_deltas(&memory, &base, [&ours, &theirs], deltas.clone(), None).unwrap();
            for path in deltas
                .iter()
                .flat_map(BTreeMap::keys)
                .chain(whole.state.laid_over.keys())
            {
                let here = ours.get(&memory, path).unwrap();
                assert_eq!(
                    expected.changed(path).unwrap_or(here),
                    whole.state.get(&memory, path).unwrap(),
                    "round {rounds}: {path:?}"
                );
                assert_eq!(expected.differs_on_ours(path), deltas[0].contains_key(path));
            }
            if !ours.stands_as(&memory, &base, &theirs, &on_theirs).unwrap() {
                continue;
            }
            shortened += 1;
            let short = ours.with(&base, &theirs, on_theirs);
            let differing = short.state.delta(&memory, &whole.state).unwrap();
            let sides = [&ours, &theirs].map(|side| base.delta(&memory, side).unwrap());
            assert!(
                differing.is_empty(),
                "round {rounds}: {differing:#?}\n{files:#?}\n{sides:#?}"
            );
            assert_eq!(
                whole.conflicts, short.conflicts,
                "round {rounds}\n{files:#?}\n{sides:#?}"
            );
            assert_eq!(whole.inexact, short.inexact, "round {rounds}");
            assert_eq!(whole.state.untrusted, short.state.untrusted, "round {rounds}");
            // And it is what a tree can be.
            let merged = State::of_tree(None).delta(&memory, &short.state).unwrap();
            for path in merged.keys() {
                assert!(
                    folders_of(path).all(|folder| !merged.contains_key(folder)),
                    "round {rounds}: {path:?}"
                );
            }
        }
        assert!(shortened > wanted / 8, "{shortened} of {rounds}");
    }
}
