//! G: the state at a commit had the agent only run git.
//!
//! Steps 8 to 15 of the procedure, one function for each. Merges here are replayed, never looked up.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::chronicle::{Chronicle, Making};
use super::originals::Originals;
use super::rebases::{Rebase, rebases};
use super::state::{Merge, State};
use crate::model::{Commit, CommitWalk, GitSource, Oid, RepoPath, SourceError};
use crate::rules::reflog::Word;

/// The most merges that one turn may need.
const MAX_MERGES: usize = 5_000;

/// What a turn commit is, by the step of the procedure that decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Step 9: the tip of a finished rebase of what stood at `from`.
    RebaseTip {
        /// Where the rebased line stood before.
        from: Oid,
    },
    /// Step 10: an amend, or a rewrite, of this commit.
    Amend(Oid),
    /// Step 11: a merge.
    Merge,
    /// Step 12: a revert.
    Revert,
    /// Step 13: a replay of this commit.
    Pick(Oid),
    /// Step 14: what stood here was committed again after a soft reset.
    Recommit(Oid),
    /// Step 15: a commit without parents, made where HEAD stood on this commit.
    Root(Option<Oid>),
    /// Step 15: everything else.
    Plain,
}

/// Replays turn commits, remembering each.
pub struct Replay<'a> {
    source: &'a dyn GitSource,
    chronicle: &'a Chronicle,
    turn_commits: &'a HashSet<Oid>,
    /// The turn's start, seconds since the epoch.
    start: i64,
    /// Whether the turn ends inside a rebase.
    rebase_open: bool,
    originals: Originals<'a>,
    rebases: OnceCell<HashMap<Oid, Rebase>>,
    states: HashMap<Oid, State>,
    /// Commits whose replay has begun: one that leads back to itself ends as a plain commit.
    begun: HashSet<Oid>,
    merges: usize,
    roles: BTreeMap<Oid, Role>,
}

impl<'a> Replay<'a> {
    /// A replay of the given turn commits.
    pub fn new(
        source: &'a dyn GitSource,
        chronicle: &'a Chronicle,
        turn_commits: &'a HashSet<Oid>,
        start: i64,
        heads: Vec<Oid>,
        rebase_open: bool,
    ) -> Replay<'a> {
        Replay {
            source,
            chronicle,
            turn_commits,
            start,
            rebase_open,
            originals: Originals::new(source, chronicle, turn_commits, heads),
            rebases: OnceCell::new(),
            states: HashMap::new(),
            begun: HashSet::new(),
            merges: 0,
            roles: BTreeMap::new(),
        }
    }

    /// What each replayed commit was taken for.
    pub fn roles(&self) -> &BTreeMap<Oid, Role> {
        &self.roles
    }

    /// G(c).
    pub fn state_at(&mut self, oid: Oid) -> Result<State, SourceError> {
        // Lines of plain commits are long; follow them in a loop, not on the stack.
        let mut at = oid;
        let mut plain = Vec::new();
        let state = loop {
            if let Some(state) = self.states.get(&at) {
                break state.clone();
            }
            if !self.turn_commits.contains(&at) {
                break State::of_tree(Some(self.source.read_commit(at)?.tree));
            }
            let commit = self.uncut(at)?;
            if !self.begun.insert(at) {
                match commit.parents.first() {
                    // Not remembered: it holds only inside the replay that led back here.
                    Some(&parent) => at = parent,
                    None => break State::default(),
                }
                continue;
            }
            let role = self.role(&commit)?;
            self.roles.insert(at, role.clone());
            if let (Role::Plain | Role::Revert, Some(&parent)) = (&role, commit.parents.first()) {
                plain.push(at);
                at = parent;
                continue;
            }
            let state = self.replay(&commit, &role)?;
            self.states.insert(at, state.clone());
            break state;
        };
        for passed in plain {
            self.states.insert(passed, state.clone());
        }
        Ok(state)
    }

    fn replay(&mut self, commit: &Commit, role: &Role) -> Result<State, SourceError> {
        match role {
            Role::RebaseTip { from } => self.rebased(commit, *from),
            Role::Amend(old) | Role::Recommit(old) | Role::Root(Some(old)) => self.state_at(*old),
            Role::Merge => self.merged(commit),
            Role::Pick(original) => self.picked(commit, *original),
            Role::Root(None) | Role::Plain | Role::Revert => Ok(State::default()),
        }
    }

    /// Which step of the procedure a turn commit falls under.
    fn role(&self, commit: &Commit) -> Result<Role, SourceError> {
        if let Some(rebase) = self.rebases().get(&commit.oid)
            && self.first_replayed(commit.oid, rebase)?.is_some()
        {
            return Ok(Role::RebaseTip { from: rebase.from });
        }
        let makings = self.makings(commit.oid);
        for &making in makings {
            if let Some(old) = self.amended(commit, making)? {
                return Ok(Role::Amend(old));
            }
        }
        if commit.parents.len() > 1 {
            return Ok(Role::Merge);
        }
        let words = || makings.iter().map(|&making| self.chronicle.word(making));
        if words().any(|word| *word == Word::Revert) {
            return Ok(Role::Revert);
        }
        let replays = words().any(|word| matches!(word, Word::Pick(_)));
        if (replays || commit.author.seconds < self.start)
            && let Some(original) = self.originals.of(commit)?
        {
            return Ok(Role::Pick(original));
        }
        if commit.parents.is_empty() {
            let stood = makings.iter().find_map(|&making| self.stood_before(making));
            return Ok(Role::Root(stood));
        }
        for &making in makings {
            if let Some(stood) = self.recommitted(commit, making)? {
                return Ok(Role::Recommit(stood));
            }
        }
        Ok(Role::Plain)
    }

    fn makings(&self, oid: Oid) -> &'a [Making] {
        self.chronicle.made.get(&oid).map_or(&[], Vec::as_slice)
    }

    fn rebases(&self) -> &HashMap<Oid, Rebase> {
        self.rebases.get_or_init(|| rebases(self.chronicle, self.rebase_open))
    }

    /// Step 9. One replay for the whole line: what the rebase did with single commits on the way does not
    /// matter, only what the line held before and where it was put.
    fn rebased(&mut self, tip: &Commit, from: Oid) -> Result<State, SourceError> {
        let rebase = self.rebases()[&tip.oid].clone();
        let new = self.new_line(tip.oid, &rebase)?;
        let Some(first) = self.first_replayed(tip.oid, &rebase)? else {
            return Ok(State::default());
        };
        let base = self.state_before(first)?;
        let onto = self.state_before(new.last().copied().unwrap_or(tip.oid))?;
        let theirs = self.state_at(from)?;
        self.merge_for(tip, [&base, &onto, &theirs])
    }

    /// The commits that a rebase made, newest first, along first parents.
    fn new_line(&self, tip: Oid, rebase: &Rebase) -> Result<Vec<Oid>, SourceError> {
        let mut line = Vec::new();
        let mut at = tip;
        while rebase.made.contains(&at) {
            line.push(at);
            match self.source.read_commit(at)?.parents.first() {
                Some(&parent) => at = parent,
                None => break,
            }
        }
        Ok(line)
    }

    /// O of step 9: the oldest commit of the old line that recurs, by author and author date, in the new one.
    fn first_replayed(&self, tip: Oid, rebase: &Rebase) -> Result<Option<Oid>, SourceError> {
        let mut recurring = HashSet::new();
        for oid in self.new_line(tip, rebase)? {
            recurring.insert(self.source.read_commit(oid)?.author.clone());
        }
        let old = CommitWalk {
            from: vec![rebase.from],
            hide: vec![tip],
            limit: MAX_MERGES,
        };
        for oid in self.source.walk(&old)?.into_iter().rev() {
            if recurring.contains(&self.source.read_commit(oid)?.author) {
                return Ok(Some(oid));
            }
        }
        Ok(None)
    }

    /// Step 10: what a commit amends. A rewriter that names no word counts only where the author is the same.
    fn amended(&self, commit: &Commit, making: Making) -> Result<Option<Oid>, SourceError> {
        let old = self.chronicle.entry(making).old;
        if old.is_zero() || old == commit.oid {
            return Ok(None);
        }
        match self.chronicle.word(making) {
            Word::Amend => Ok(Some(old)),
            Word::Unknown if self.source.read_commit(old)?.author == commit.author => Ok(Some(old)),
            _ => Ok(None),
        }
    }

    /// Step 11.
    fn merged(&mut self, commit: &Commit) -> Result<State, SourceError> {
        let mut state = self.state_at(commit.parents[0])?;
        for (index, &parent) in commit.parents.iter().enumerate().skip(1) {
            let base = self.base_of(&commit.parents[..index], parent)?;
            let theirs = self.state_at(parent)?;
            state = self.merge_for(commit, [&base, &state, &theirs])?;
        }
        Ok(state)
    }

    /// The state with a merge begun and not yet committed.
    pub fn merge_open(&mut self, state: State, head: Oid, other: Oid) -> Result<State, SourceError> {
        let base = self.base_of(&[head], other)?;
        let theirs = self.state_at(other)?;
        Ok(self.merge(&base, &state, &theirs)?.state)
    }

    /// The state with a pick begun and not yet committed.
    pub fn pick_open(&mut self, state: State, original: Oid) -> Result<State, SourceError> {
        let base = self.state_before(original)?;
        let theirs = self.state_at(original)?;
        Ok(self.merge(&base, &state, &theirs)?.state)
    }

    /// G of a commit's first parent; the empty tree before a root commit.
    fn state_before(&mut self, oid: Oid) -> Result<State, SourceError> {
        match self.uncut(oid)?.parents.first() {
            Some(&parent) => self.state_at(parent),
            None => Ok(State::default()),
        }
    }

    /// The state that `sides`, merged so far, and `other` have in common: of several bases, their merge.
    fn base_of(&mut self, sides: &[Oid], other: Oid) -> Result<State, SourceError> {
        let bases = common_bases(self.source, sides, other)?;
        let Some((&first, rest)) = bases.split_first() else {
            return Ok(State::default());
        };
        let mut state = self.state_at(first)?;
        for (index, &base) in rest.iter().enumerate() {
            let ancestor = self.base_of(&bases[..=index], base)?;
            let theirs = self.state_at(base)?;
            state = self.merge(&ancestor, &state, &theirs)?.state;
        }
        Ok(state)
    }

    /// Step 13.
    fn picked(&mut self, commit: &Commit, original: Oid) -> Result<State, SourceError> {
        let base = self.state_before(original)?;
        let ours = self.state_before(commit.oid)?;
        let theirs = self.state_at(original)?;
        self.merge_for(commit, [&base, &ours, &theirs])
    }

    /// Step 14: where HEAD stood before it was reset, if `commit` was then made of what stood there.
    fn recommitted(&self, commit: &Commit, making: Making) -> Result<Option<Oid>, SourceError> {
        let chain = &self.chronicle.chains[making.chain];
        let Some(&parent) = commit.parents.first() else {
            return Ok(None);
        };
        if !chain.is_head() {
            return Ok(None);
        }
        let mut stood = None;
        let mut was_reset = false;
        for at in (0..making.entry).rev() {
            let word = &chain.words[at];
            if word.creates() {
                break;
            }
            was_reset |= matches!(word, Word::Reset(_));
            let candidate = chain.entries[at].old;
            if was_reset && !candidate.is_zero() && self.holds_state_of(commit, parent, candidate)? {
                stood = Some(candidate);
            }
        }
        Ok(stood)
    }

    fn holds_state_of(&self, commit: &Commit, parent: Oid, stood: Oid) -> Result<bool, SourceError> {
        if stood == parent || self.source.read_commit(stood).is_err() || !self.source.is_ancestor(parent, stood)? {
            return Ok(false);
        }
        let tree = |oid: Oid| Ok(State::of_tree(Some(self.source.read_commit(oid)?.tree)));
        let (parent, stood) = (tree(parent)?, tree(stood)?);
        let made = State::of_tree(Some(commit.tree)).delta(self.source, &stood)?;
        let undone = parent.delta(self.source, &stood)?;
        Ok(undone.keys().any(|path| !made.contains_key(path)))
    }

    /// Step 15: the commit HEAD stood on before a root commit was made.
    fn stood_before(&self, making: Making) -> Option<Oid> {
        let chain = &self.chronicle.chains[making.chain];
        let old = chain.entries[making.entry].old;
        if !old.is_zero() {
            return Some(old);
        }
        let before = chain.entries[..making.entry].iter().rev().map(|entry| entry.new);
        before.take(1).find(|oid| chain.is_head() && !oid.is_zero())
    }

    /// A merge that made `commit`. Where git stopped, a file that was renamed and is not the same on both
    /// sides may have been paired by hand.
    fn merge_for(&mut self, commit: &Commit, sides: [&State; 3]) -> Result<State, SourceError> {
        let merge = self.merge(sides[0], sides[1], sides[2])?;
        let stopped = |&making: &Making| stopped(&self.chronicle.entry(making).message);
        let by_hand = self.makings(commit.oid).iter().any(stopped);
        Ok(if by_hand {
            merge.state.distrusting(merge.inexact)
        } else {
            merge.state
        })
    }

    /// Merges states, and counts it.
    pub fn merge(&mut self, base: &State, ours: &State, theirs: &State) -> Result<Merge, SourceError> {
        self.merges += 1;
        if self.merges > MAX_MERGES {
            return Err(SourceError::Limit("merges replayed"));
        }
        State::merge(self.source, base, ours, theirs)
    }

    /// A commit whose parents are the real ones.
    fn uncut(&self, oid: Oid) -> Result<std::rc::Rc<Commit>, SourceError> {
        let commit = self.source.read_commit(oid)?;
        if commit.cut {
            Err(SourceError::HistoryCut(oid))
        } else {
            Ok(commit)
        }
    }

    /// Step 18: the paths on which the turn's merges and picks stop when they are redone on the real trees.
    pub fn redo_conflicts(&mut self, commits: &[Oid]) -> Result<BTreeSet<RepoPath>, SourceError> {
        let mut conflicts = BTreeSet::new();
        for &oid in commits {
            let (_, stopped) = self.mechanical(oid)?;
            conflicts.extend(stopped);
        }
        Ok(conflicts)
    }

    /// The paths that a commit changed by hand, on the real trees.
    pub fn by_hand(&mut self, oid: Oid) -> Result<BTreeSet<RepoPath>, SourceError> {
        let (state, stopped) = self.mechanical(oid)?;
        let made = State::of_tree(Some(self.source.read_commit(oid)?.tree));
        let mut paths: BTreeSet<RepoPath> = state.delta(self.source, &made)?.into_keys().collect();
        paths.extend(stopped);
        Ok(paths)
    }

    /// What git alone makes of the real trees that a commit came from, and where it stops.
    fn mechanical(&mut self, oid: Oid) -> Result<(State, BTreeSet<RepoPath>), SourceError> {
        let commit = self.uncut(oid)?;
        let source = self.source;
        let tree = |oid: Option<&Oid>| -> Result<State, SourceError> {
            Ok(State::of_tree(
                oid.map(|&oid| source.read_commit(oid))
                    .transpose()?
                    .map(|commit| commit.tree),
            ))
        };
        let role = match self.roles.get(&oid) {
            // The line as a whole is no commit of its own: here each commit counts for itself.
            Some(Role::RebaseTip { .. }) | None => self.role_alone(&commit)?,
            Some(role) => role.clone(),
        };
        let no_conflicts = BTreeSet::new();
        match role {
            Role::Merge => {
                let mut state = tree(commit.parents.first())?;
                let mut conflicts = BTreeSet::new();
                for (index, parent) in commit.parents.iter().enumerate().skip(1) {
                    let base = self.real_base(&commit.parents[..index], *parent)?;
                    let merge = self.merge(&base, &state, &tree(Some(parent))?)?;
                    state = merge.state;
                    conflicts.extend(merge.conflicts);
                }
                Ok((state, conflicts))
            }
            Role::Pick(original) => {
                let base = tree(self.uncut(original)?.parents.first())?;
                let merge = self.merge(&base, &tree(commit.parents.first())?, &tree(Some(&original))?)?;
                Ok((merge.state, merge.conflicts))
            }
            Role::Amend(old) => Ok((tree(Some(&old))?, no_conflicts)),
            _ => Ok((tree(commit.parents.first())?, no_conflicts)),
        }
    }

    fn role_alone(&self, commit: &Commit) -> Result<Role, SourceError> {
        for &making in self.makings(commit.oid) {
            if let Some(old) = self.amended(commit, making)? {
                return Ok(Role::Amend(old));
            }
        }
        if commit.parents.len() > 1 {
            return Ok(Role::Merge);
        }
        let replays = self
            .makings(commit.oid)
            .iter()
            .any(|&making| matches!(self.chronicle.word(making), Word::Pick(_)));
        if replays || commit.author.seconds < self.start {
            return Ok(self.originals.of(commit)?.map_or(Role::Plain, Role::Pick));
        }
        Ok(Role::Plain)
    }

    fn real_base(&mut self, sides: &[Oid], other: Oid) -> Result<State, SourceError> {
        let bases = common_bases(self.source, sides, other)?;
        let tree = |oid: Oid| Ok(State::of_tree(Some(self.source.read_commit(oid)?.tree)));
        let Some((&first, rest)) = bases.split_first() else {
            return Ok(State::default());
        };
        let mut state = tree(first)?;
        let others = rest
            .iter()
            .map(|&oid| Ok((oid, tree(oid)?)))
            .collect::<Result<Vec<_>, SourceError>>()?;
        for (index, (base, theirs)) in others.into_iter().enumerate() {
            let ancestor = self.real_base(&bases[..=index], base)?;
            state = self.merge(&ancestor, &state, &theirs)?.state;
        }
        Ok(state)
    }
}

/// Whether a word is one that git writes only after it stopped, or was told to.
fn stopped(message: &str) -> bool {
    message.starts_with("commit (merge)")
        || message.starts_with("commit (cherry-pick)")
        || message.contains("(continue): ")
}

/// The best common ancestors of `other` and all `sides` together, without those that others reach.
fn common_bases(source: &dyn GitSource, sides: &[Oid], other: Oid) -> Result<Vec<Oid>, SourceError> {
    let mut bases: Vec<Oid> = Vec::new();
    for &side in sides {
        let found = source.merge_bases(side, other)?;
        if found.is_empty() && source.is_shallow() {
            return Err(SourceError::HistoryCut(other));
        }
        for base in found {
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
    }
    if sides.len() > 1 {
        let all = bases.clone();
        let mut best = Vec::new();
        for &base in &all {
            let mut reached = false;
            for &descendant in &all {
                reached |= descendant != base && source.is_ancestor(base, descendant)?;
            }
            if !reached {
                best.push(base);
            }
        }
        bases = best;
    }
    Ok(bases)
}
