//! G: the state at a commit had the agent only run git.
//!
//! Steps 8 to 15 of the procedure, one function for each. Merges here are replayed, never looked up.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::chronicle::{Chronicle, Making};
use super::evidence::commit_if_there;
use super::originals::Originals;
use super::rebases::{Rebase, is_squash, line_before, rebases};
use super::state::{Merge, State};
use super::turn_commits::TurnCommits;
use crate::model::{Commit, CommitWalk, Delta, Favour, GitSource, Oid, RepoPath, Signature, SourceError};
use crate::rules::reflog::{Via, Word};

/// The most merges that one turn may need.
const MAX_MERGES: usize = 5_000;

/// The most commits of old lines that are tried, in one turn, as what a squash step squashed.
const MAX_SQUASH_TRIES: usize = 500;

/// When less stack than this is left (bytes), a replay goes on with more.
const STACK_LEFT: usize = 128 << 10;
const STACK_MORE: usize = 4 << 20;

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
    /// A squash merge that a server made of this pushed commit.
    Squash(Oid),
    /// A step of a rebase that squashed a commit of the old line into the one before it.
    SquashStep {
        /// What the step before had made.
        into: Oid,
        /// The commit of the old line.
        squashed: Oid,
    },
    /// Step 14: what stood here was committed again after a soft reset.
    Recommit(Oid),
    /// Step 15: a commit without parents, made where HEAD stood on this commit.
    Root(Option<Oid>),
    /// Step 15: everything else.
    Plain,
    /// Dated before the turn, and no log tells of it: it may be older, only nothing proves it. What it changed is
    /// neither the hand's for certain nor git's.
    Unproven,
    /// A late commit on top of turn commits: what it changed is another's, what it builds on is not.
    LateOnTop,
}

/// An old line that recurs as a whole.
struct RecurringLine {
    /// O: its first commit that recurs.
    first: Oid,
    /// The oldest commit of the new line.
    oldest_new: Oid,
    /// Paths of which it cannot be told whether what changed them was squashed or left out.
    unsure: BTreeSet<RepoPath>,
}

/// What git alone makes of the real trees that a commit came from, and the paths on which it stops.
pub type Redone = (State, Rc<BTreeSet<RepoPath>>);

/// Replays turn commits, remembering each.
pub struct Replay<'a> {
    source: &'a dyn GitSource,
    chronicle: &'a Chronicle,
    commits: &'a TurnCommits,
    /// The turn's start, seconds since the epoch.
    start: i64,
    /// Whether the turn ends inside a rebase.
    rebase_open: bool,
    originals: Originals<'a>,
    rebases: OnceCell<HashMap<Oid, Rebase>>,
    states: HashMap<Oid, State>,
    /// Of each commit what git alone makes on the real trees. In a range the turn that made it knows best: its log tells
    /// what the commit is.
    redone: HashMap<Oid, Redone>,
    /// Commits whose replay has begun: one that leads back to itself ends as a plain commit.
    begun: HashSet<Oid>,
    merges: usize,
    chosen_originals: HashMap<Oid, Option<Oid>>,
    /// Picks whose original could be another one.
    guessed: HashSet<Oid>,
    /// What the squash steps were found to be. Each commit of an old line is squashed once.
    squash_steps: HashMap<Oid, Option<(Oid, Oid)>>,
    squash_tries: usize,
    bases: HashMap<(Vec<Oid>, Oid), State>,
    roles: BTreeMap<Oid, Role>,
}

impl<'a> Replay<'a> {
    /// A replay of the given turn commits.
    pub fn new(
        source: &'a dyn GitSource,
        chronicle: &'a Chronicle,
        commits: &'a TurnCommits,
        start: i64,
        heads: Vec<Oid>,
        rebase_open: bool,
    ) -> Replay<'a> {
        Replay {
            source,
            chronicle,
            commits,
            start,
            rebase_open,
            originals: Originals::new(source, chronicle, commits, start, heads),
            rebases: OnceCell::new(),
            states: HashMap::new(),
            redone: HashMap::new(),
            begun: HashSet::new(),
            merges: 0,
            chosen_originals: HashMap::new(),
            guessed: HashSet::new(),
            squash_steps: HashMap::new(),
            squash_tries: 0,
            bases: HashMap::new(),
            roles: BTreeMap::new(),
        }
    }

    /// Takes over what earlier turns of a range made of their commits.
    pub fn inherit(&mut self, states: &HashMap<Oid, State>, redone: &HashMap<Oid, Redone>) {
        self.states
            .extend(states.iter().map(|(oid, state)| (*oid, state.clone())));
        self.redone
            .extend(redone.iter().map(|(oid, redone)| (*oid, redone.clone())));
    }

    /// What was made of each replayed commit, for the turns after this one in a range.
    pub fn into_memory(self) -> (HashMap<Oid, State>, HashMap<Oid, Redone>) {
        (self.states, self.redone)
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
            if !self.commits.made_here.contains(&at) && !self.commits.late_on_top.contains(&at) {
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
            let state = stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.replay(&commit, &role))?;
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
            Role::Merge => {
                let ours = self.merged(commit)?;
                self.corrected(commit, ours)
            }
            Role::Pick(original) => {
                let ours = self.picked(commit, *original)?;
                self.corrected(commit, ours)
            }
            Role::LateOnTop => self.late_on_top(commit),
            Role::Unproven => {
                let changed = self.changes_of(commit.oid)?.into_keys();
                Ok(self.state_before(commit.oid)?.distrusting(changed))
            }
            Role::Squash(pushed) => {
                let base = self.base_of(&commit.parents, *pushed)?;
                let (ours, theirs) = (self.state_before(commit.oid)?, self.state_at(*pushed)?);
                Ok(self.merge(&base, &ours, &theirs)?.state)
            }
            Role::SquashStep { into, squashed } => {
                let base = self.state_before(*squashed)?;
                let (ours, theirs) = (self.state_at(*into)?, self.state_at(*squashed)?);
                Ok(self.merge(&base, &ours, &theirs)?.state)
            }
            Role::Root(None) | Role::Plain | Role::Revert => Ok(State::default()),
        }
    }

    /// Which step of the procedure a turn commit falls under.
    fn role(&mut self, commit: &Commit) -> Result<Role, SourceError> {
        if self.commits.late_on_top.contains(&commit.oid) {
            return Ok(Role::LateOnTop);
        }
        if let Some(rebase) = self.rebases().get(&commit.oid).cloned()
            && self.recurring_line(commit.oid, &rebase)?.is_some()
        {
            return Ok(Role::RebaseTip { from: rebase.from });
        }
        self.role_alone(commit)
    }

    /// The role of a commit by itself, whatever line it belongs to.
    fn role_alone(&mut self, commit: &Commit) -> Result<Role, SourceError> {
        let making = self.making(commit.oid);
        if let Some(making) = making
            && let Some((into, squashed)) = self.squash_step(commit, making)?
        {
            return Ok(Role::SquashStep { into, squashed });
        }
        if let Some(making) = making
            && let Some(old) = self.amended(commit, making)?
        {
            // `reset --soft` and amend: what stood before the reset may be closer than what was amended.
            let kept = self
                .real_tree(Some(&old))?
                .delta(self.source, &State::of_tree(Some(commit.tree)))?
                .len();
            return Ok(match self.recommitted(commit, making)? {
                Some((differing, stood)) if differing < kept => Role::Recommit(stood),
                _ => Role::Amend(old),
            });
        }
        if commit.parents.len() > 1 {
            return Ok(Role::Merge);
        }
        if making.is_some_and(|making| *self.chronicle.word(making) == Word::Revert) {
            return Ok(Role::Revert);
        }
        if making.is_none()
            && let Some(pushed) = self.squashed(commit)?
        {
            return Ok(Role::Squash(pushed));
        }
        if self.may_replay(commit)
            && let Some(original) = self.original(commit)?
        {
            return Ok(Role::Pick(original));
        }
        if commit.parents.is_empty() {
            let stood = making.and_then(|making| self.stood_before(making));
            return Ok(Role::Root(stood));
        }
        if let Some(making) = making
            && let Some((_, stood)) = self.recommitted(commit, making)?
        {
            return Ok(Role::Recommit(stood));
        }
        Ok(if self.is_unproven(commit) {
            Role::Unproven
        } else {
            Role::Plain
        })
    }

    /// Whether it is only for want of proof that a commit counts as a turn commit.
    fn is_unproven(&self, commit: &Commit) -> bool {
        let made_known = self.chronicle.made.contains_key(&commit.oid) || self.chronicle.pushed.contains(&commit.oid);
        !self.chronicle.position.told && !made_known && commit.committer.seconds < self.start
    }

    /// The paths that unproven commits changed.
    pub fn unproven_paths(&self) -> Result<BTreeSet<RepoPath>, SourceError> {
        let mut paths = BTreeSet::new();
        for (&oid, _) in self.roles.iter().filter(|(_, role)| **role == Role::Unproven) {
            paths.extend(self.changes_of(oid)?.into_keys());
        }
        Ok(paths)
    }

    /// The pushed commit of which `commit`, made elsewhere, is exactly the squash merge.
    fn squashed(&mut self, commit: &Commit) -> Result<Option<Oid>, SourceError> {
        let [parent] = commit.parents[..] else { return Ok(None) };
        let mut pushed: Vec<Oid> = self.chronicle.pushed.iter().copied().collect();
        pushed.sort();
        let made = State::of_tree(Some(commit.tree));
        for tip in pushed {
            if commit_if_there(self.source, tip)?.is_none() || self.source.is_ancestor(tip, commit.oid)? {
                continue;
            }
            let base = self.real_base(&[parent], tip)?;
            let (ours, theirs) = (self.real_tree(Some(&parent))?, self.real_tree(Some(&tip))?);
            let merge = self.merge(&base, &ours, &theirs)?;
            if merge.conflicts.is_empty() && merge.state.delta(self.source, &made)?.is_empty() {
                return Ok(Some(tip));
            }
        }
        Ok(None)
    }

    /// What a squash or fixup step of a rebase made its commit of, where git alone made it: the commit of the step
    /// before, and the one of the old line whose change the step adds to it exactly.
    fn squash_step(&mut self, commit: &Commit, making: Making) -> Result<Option<(Oid, Oid)>, SourceError> {
        let entry = self.chronicle.entry(making);
        if *self.chronicle.word(making) != Word::Pick(Via::Rebase) || !is_squash(&entry.message) {
            return Ok(None);
        }
        if let Some(known) = self.squash_steps.get(&commit.oid) {
            return Ok(*known);
        }
        let into = entry.old;
        let squashed = match line_before(self.chronicle, making) {
            Some(from) => self.squashed_into(commit, into, from)?,
            None => None,
        };
        let step = squashed.map(|squashed| (into, squashed));
        self.squash_steps.insert(commit.oid, step);
        Ok(step)
    }

    /// The commit on the line of `from` that, put on top of `into`, gives exactly `commit`.
    fn squashed_into(&mut self, commit: &Commit, into: Oid, from: Oid) -> Result<Option<Oid>, SourceError> {
        let line = CommitWalk {
            from: vec![from],
            hide: commit.parents.clone(),
            limit: MAX_MERGES,
        };
        let used: HashSet<Oid> = self
            .squash_steps
            .values()
            .flatten()
            .map(|(_, squashed)| *squashed)
            .collect();
        for oid in self.source.walk(&line)?.into_iter().filter(|oid| !used.contains(oid)) {
            if self.squash_tries == MAX_SQUASH_TRIES {
                break;
            }
            self.squash_tries += 1;
            if self.distance_from(commit, Some(&into), oid, None)? == 0 {
                return Ok(Some(oid));
            }
        }
        Ok(None)
    }

    /// Whether a commit may be a replay of another: a word says so, its author date does, or it was made
    /// elsewhere, as a server does that rebases what was pushed.
    fn may_replay(&self, commit: &Commit) -> bool {
        let word = self.making(commit.oid).map(|making| self.chronicle.word(making));
        commit.author.seconds < self.start || matches!(word, None | Some(Word::Pick(_)))
    }

    fn making(&self, oid: Oid) -> Option<Making> {
        self.chronicle.made.get(&oid).copied()
    }

    fn rebases(&self) -> &HashMap<Oid, Rebase> {
        self.rebases.get_or_init(|| rebases(self.chronicle, self.rebase_open))
    }

    /// Step 9. One replay for the whole line: what the rebase did with single commits on the way does not
    /// matter, only what the line held before and where it was put.
    fn rebased(&mut self, tip: &Commit, from: Oid) -> Result<State, SourceError> {
        let rebase = self.rebases()[&tip.oid].clone();
        let Some(line) = self.recurring_line(tip.oid, &rebase)? else {
            return Ok(State::default());
        };
        let base = self.state_before(line.first)?;
        let onto = self.state_before(line.oldest_new)?;
        let theirs = self.state_at(from)?;
        let new_line = self.new_line(tip.oid, &rebase)?;
        let state = self.merge_for(tip, &new_line, [&base, &onto, &theirs])?;
        let state = state.distrusting(line.unsure);
        if state.untrusted().is_empty() {
            return Ok(state);
        }
        // Git went commit by commit; where the line as a whole stops, the steps may not.
        let role = self.role_alone(tip)?;
        let by_steps = match role {
            Role::Plain | Role::Revert => self.state_before(tip.oid)?,
            _ => self.replay(tip, &role)?,
        };
        let fewer = by_steps.untrusted().len() < state.untrusted().len();
        Ok(if fewer { by_steps } else { state })
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

    /// How the old line of a rebase recurs in the new one, by author and author date; `None` where it does not
    /// as a whole, so that each new commit has to be looked at for itself.
    fn recurring_line(&mut self, tip: Oid, rebase: &Rebase) -> Result<Option<RecurringLine>, SourceError> {
        let new = self.new_line(tip, rebase)?;
        let Some(&oldest_new) = new.last() else { return Ok(None) };
        let mut recurring: HashMap<Signature, usize> = HashMap::new();
        for &oid in &new {
            *recurring
                .entry(self.source.read_commit(oid)?.author.clone())
                .or_default() += 1;
        }
        let old = CommitWalk {
            from: vec![rebase.from],
            hide: vec![tip],
            limit: MAX_MERGES,
        };
        let mut first = None;
        let mut missing = Vec::new();
        let mut unsure = BTreeSet::new();
        for oid in self.source.walk(&old)?.into_iter().rev() {
            let commit = self.source.read_commit(oid)?;
            match recurring.get_mut(&commit.author) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    first = first.or(Some(oid));
                }
                // Commits left out before the first that recurs do not bear on the replay.
                None if first.is_none() => {}
                // Merges are left out of every rebase that is not told to keep them, and with them what was made in
                // them by hand.
                _ if commit.parents.len() > 1 => {
                    let (state, stopped) = self.remerged(&commit)?;
                    let by_hand = state.delta(self.source, &State::of_tree(Some(commit.tree)))?;
                    unsure.extend(by_hand.into_keys().chain(stopped));
                }
                _ => missing.push(oid),
            }
        }
        let Some(first) = first else { return Ok(None) };
        // A commit that does not recur was squashed into another, which a word tells of, or was left out: then
        // the whole line would bring it back.
        if !missing.is_empty() && rebase.squashed == 0 {
            return Ok(None);
        }
        let squashed = self.squashed_in(&new)?;
        for oid in missing.into_iter().filter(|oid| !squashed.contains(oid)) {
            unsure.extend(self.changes_of(oid)?.into_keys());
        }
        Ok(Some(RecurringLine {
            first,
            oldest_new,
            unsure,
        }))
    }

    /// What the squash steps of a line of new commits squashed, as far as git alone made them.
    fn squashed_in(&mut self, line: &[Oid]) -> Result<HashSet<Oid>, SourceError> {
        let mut squashed = HashSet::new();
        for &oid in line {
            let mut at = oid;
            while let Some(making) = self.making(at)
                && let Some((into, oid)) = self.squash_step(&self.source.read_commit(at)?.clone(), making)?
            {
                squashed.insert(oid);
                at = into;
            }
        }
        Ok(squashed)
    }

    /// What a commit changes against its first parent.
    pub fn changes_of(&self, oid: Oid) -> Result<Delta, SourceError> {
        let commit = self.source.read_commit(oid)?;
        self.real_tree(commit.parents.first())?
            .delta(self.source, &State::of_tree(Some(commit.tree)))
    }

    /// Where a word proves that git finished a merge or pick by itself, what it made stands, even where ours
    /// would stop or end elsewhere (strategies and their options, drivers, directory renames): the difference
    /// is git's.
    fn corrected(&mut self, commit: &Commit, ours: State) -> Result<State, SourceError> {
        if !self.finished_by_git(commit.oid) || self.guessed.contains(&commit.oid) {
            return Ok(ours);
        }
        let made = State::of_tree(Some(commit.tree));
        let (real, stopped) = self.redone(commit)?;
        if stopped.is_empty() && ours.untrusted().is_empty() && real.delta(self.source, &made)?.is_empty() {
            return Ok(ours);
        }
        let by_hand = self.differs_from_real(commit)?;
        if by_hand.is_empty() {
            return Ok(made);
        }
        let own = real.delta(self.source, &made)?.into_keys().chain(stopped).collect();
        let (believed, doubtful) = self.without_the_hand(commit, own, &by_hand)?;
        let state = self.merge(&real, &ours, &made)?.state;
        Ok(state.trusting(&believed).distrusting(doubtful))
    }

    /// Parts paths in which git did something of its own: those that the hand had no part in, and those of which it
    /// cannot be told. What the hand wrote may have come from another name (renames, subtrees), so that more is asked
    /// than whether the hand touched the path: it stands in every side, or as it stands in one, or not at all.
    fn without_the_hand(
        &self,
        commit: &Commit,
        own: BTreeSet<RepoPath>,
        by_hand: &BTreeSet<RepoPath>,
    ) -> Result<(BTreeSet<RepoPath>, BTreeSet<RepoPath>), SourceError> {
        let made = State::of_tree(Some(commit.tree));
        let sides = self.sides(commit)?;
        let sides = sides.iter().map(|oid| self.real_tree(Some(oid)));
        let sides = sides.collect::<Result<Vec<State>, SourceError>>()?;
        let (mut believed, mut doubtful) = (BTreeSet::new(), BTreeSet::new());
        for path in own {
            let stands = made.get(self.source, &path)?;
            let mut elsewhere = Vec::new();
            for side in &sides {
                elsewhere.push(side.get(self.source, &path)?);
            }
            let explained = stands.is_none() || elsewhere.contains(&stands) || elsewhere.iter().all(Option::is_some);
            if explained && !by_hand.contains(&path) {
                believed.insert(path);
            } else {
                doubtful.insert(path);
            }
        }
        Ok((believed, doubtful))
    }

    /// What a merge or pick was made from.
    fn sides(&self, commit: &Commit) -> Result<Vec<Oid>, SourceError> {
        let mut sides = commit.parents.clone();
        if let Some(&Role::Pick(original)) = self.roles.get(&commit.oid) {
            sides.push(original);
            sides.extend(self.source.read_commit(original)?.parents.first());
        }
        Ok(sides)
    }

    /// The paths in which what a merge or pick was made from differs from what it is without the hand.
    fn differs_from_real(&mut self, commit: &Commit) -> Result<BTreeSet<RepoPath>, SourceError> {
        let sides = self.sides(commit)?;
        let mut differing = BTreeSet::new();
        for side in sides {
            let state = self.state_at(side)?;
            differing.extend(state.delta(self.source, &self.real_tree(Some(&side))?)?.into_keys());
            differing.extend(state.untrusted().iter().cloned());
        }
        Ok(differing)
    }

    /// Whether the log has a word for a commit that git writes only when it did not stop. Rebase and am write the
    /// same word after a stop; a hook may amend under the same word.
    fn finished_by_git(&self, oid: Oid) -> bool {
        let Some(making) = self.making(oid) else { return false };
        let entry = self.chronicle.entry(making);
        let Ok(commit) = self.source.read_commit(oid) else {
            return false;
        };
        let on_top = commit.parents.first() == Some(&entry.old);
        on_top
            && match self.chronicle.word(making) {
                Word::Merge(via) => *via != Via::Commit && commit.parents.len() > 1,
                Word::Pick(Via::CherryPick) => !stopped(&entry.message),
                _ => false,
            }
    }

    /// What a late commit changed, applied to its parents without the agent's hand.
    fn late_on_top(&mut self, commit: &Commit) -> Result<State, SourceError> {
        let ours = match commit.parents.len() {
            0 | 1 => self.state_before(commit.oid)?,
            _ => self.merged(commit)?,
        };
        let (base, stopped) = self.mechanical(commit.oid)?;
        let theirs = State::of_tree(Some(commit.tree));
        let state = self
            .merge(&base, &ours, &theirs)?
            .state
            .distrusting(stopped.iter().cloned());
        if commit.parents.len() < 2 {
            return Ok(state);
        }
        let own = base.delta(self.source, &theirs)?.into_keys().collect();
        let by_hand = self.differs_from_real(commit)?;
        let (_, doubtful) = self.without_the_hand(commit, own, &by_hand)?;
        Ok(state.distrusting(doubtful))
    }

    /// The commit that a pick replays. Commits made within one second share author and date: of several, the one
    /// whose replay on the real trees comes closest to what was made.
    fn original(&mut self, commit: &Commit) -> Result<Option<Oid>, SourceError> {
        if let Some(known) = self.chosen_originals.get(&commit.oid) {
            return Ok(*known);
        }
        // What no log tells of is no copy of what a log says was copied: it is where that came from.
        let is_copy = |candidate| {
            let making = self.making(candidate);
            making.is_some_and(|making| matches!(self.chronicle.word(making), Word::Pick(_) | Word::Unknown))
        };
        let untold = self.making(commit.oid).is_none();
        let made_later = |candidate| self.made_before(commit.oid, candidate) || (untold && is_copy(candidate));
        let making = self.making(commit.oid);
        let picked = |making: Making| self.chronicle.entry(making).message.contains(" (pick): ");
        let all = self.originals.of(commit, making.is_some_and(picked), made_later)?;
        if self.finished_by_git(commit.oid) {
            // Then what it replays gives it exactly; of what else it was made (a rewritten copy that is gone, an option
            // of the merge) is not to be told.
            for candidate in &all {
                if self.gives_exactly(commit, candidate.oid)? {
                    self.chosen_originals.insert(commit.oid, Some(candidate.oid));
                    return Ok(Some(candidate.oid));
                }
            }
            self.guessed.insert(commit.oid);
        }
        let candidates = self.originals.best(commit, &all)?;
        let word = making.map(|making| self.chronicle.word(making));
        let told = matches!(word, Some(Word::Pick(_)));
        let original = match candidates[..] {
            [only] if told => {
                if !self.originals.same_message(commit, only)? {
                    self.guessed.insert(commit.oid);
                }
                Some(only)
            }
            _ => {
                // Within the turn author and date alone may be a coincidence: then a replay is closer to what was
                // made than the parent.
                let far = if told || commit.author.seconds < self.start {
                    usize::MAX
                } else {
                    self.changes_of(commit.oid)?.len()
                };
                let mut closest = None;
                for oid in candidates {
                    let differing = self.replay_distance(commit, oid)?;
                    if differing < closest.map_or(far, |(least, _)| least) {
                        closest = Some((differing, oid));
                    }
                }
                self.guessed.insert(commit.oid);
                closest.map(|(_, oid)| oid)
            }
        };
        self.chosen_originals.insert(commit.oid, original);
        Ok(original)
    }

    /// Whether a log names `one` before it tells how `other` was made.
    fn made_before(&self, one: Oid, other: Oid) -> bool {
        self.making(other)
            .is_some_and(|making| self.chronicle.names_before(one, making))
    }

    /// In how many paths a commit differs from the replay of `original` on its real parent.
    fn replay_distance(&mut self, commit: &Commit, original: Oid) -> Result<usize, SourceError> {
        self.distance_from(commit, commit.parents.first(), original, None)
    }

    /// Whether git makes exactly `commit` of `original`, with an option that takes one side of a conflict too.
    fn gives_exactly(&mut self, commit: &Commit, original: Oid) -> Result<bool, SourceError> {
        for favour in [None, Some(Favour::Ours), Some(Favour::Theirs)] {
            if self.distance_from(commit, commit.parents.first(), original, favour)? == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// In how many paths a commit differs from what git makes of the real trees when it puts `original` on `onto`.
    fn distance_from(
        &mut self,
        commit: &Commit,
        onto: Option<&Oid>,
        original: Oid,
        favour: Option<Favour>,
    ) -> Result<usize, SourceError> {
        let base = self.real_tree(self.source.read_commit(original)?.parents.first())?;
        let (ours, theirs) = (self.real_tree(onto)?, self.real_tree(Some(&original))?);
        let merge = self.merge_favouring(&base, &ours, &theirs, favour)?;
        let made = State::of_tree(Some(commit.tree));
        Ok(merge.state.delta(self.source, &made)?.len() + merge.conflicts.len())
    }

    fn real_tree(&self, oid: Option<&Oid>) -> Result<State, SourceError> {
        let commit = oid.map(|&oid| self.source.read_commit(oid)).transpose()?;
        Ok(State::of_tree(commit.map(|commit| commit.tree)))
    }

    /// Step 10: what a commit amends. Without the word, a new commit that does not stand on the old value but is of
    /// its author and author date: a rewriter, or a hook that amends under the word of another command.
    fn amended(&self, commit: &Commit, making: Making) -> Result<Option<Oid>, SourceError> {
        let old = self.chronicle.entry(making).old;
        if old.is_zero() || old == commit.oid {
            return Ok(None);
        }
        match self.chronicle.word(making) {
            Word::Amend => Ok(Some(old)),
            Word::Pick(Via::Rebase) => Ok(None),
            _ if commit.parents.contains(&old) => Ok(None),
            _ => Ok((self.source.read_commit(old)?.author == commit.author).then_some(old)),
        }
    }

    /// Step 11.
    fn merged(&mut self, commit: &Commit) -> Result<State, SourceError> {
        let mut state = self.state_at(commit.parents[0])?;
        for (index, &parent) in commit.parents.iter().enumerate().skip(1) {
            let base = self.base_of(&commit.parents[..index], parent)?;
            let theirs = self.state_at(parent)?;
            state = self.merge_for(commit, &[], [&base, &state, &theirs])?;
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
        let key = (sides.to_vec(), other);
        if let Some(state) = self.bases.get(&key) {
            return Ok(state.clone());
        }
        let state = self.merged_bases(sides, other)?;
        self.bases.insert(key, state.clone());
        Ok(state)
    }

    fn merged_bases(&mut self, sides: &[Oid], other: Oid) -> Result<State, SourceError> {
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
        self.merge_for(commit, &[], [&base, &ours, &theirs])
    }

    /// Step 14: where HEAD stood before it was reset, if `commit` was then made of what stood there. After several
    /// resets, the place that the commit is closest to, with the number of paths in which it differs.
    fn recommitted(&self, commit: &Commit, making: Making) -> Result<Option<(usize, Oid)>, SourceError> {
        let chain = &self.chronicle.chains[making.chain];
        let Some(&parent) = commit.parents.first() else {
            return Ok(None);
        };
        if !chain.is_head() {
            return Ok(None);
        }
        let mut closest: Option<(usize, Oid)> = None;
        for at in (0..making.entry).rev() {
            let word = &chain.words[at];
            if word.creates() {
                break;
            }
            // A stash writes a reset that goes nowhere; and what was only looked at, by a reset there and back, was
            // left as it was.
            let stood = chain.entries[at].old;
            let back = at > 0
                && matches!(chain.words[at - 1], Word::Reset(_))
                && chain.entries[at - 1].old == chain.entries[at].new;
            if !matches!(word, Word::Reset(_)) || stood.is_zero() || stood == chain.entries[at].new || back {
                continue;
            }
            if let Some(left_out) = self.left_out(commit, parent, stood)?
                && closest.is_none_or(|(least, _)| left_out < least)
            {
                closest = Some((left_out, stood));
            }
        }
        Ok(closest)
    }

    /// In how many paths `commit` differs from what stood at `stood`; `None` where it holds less than half of what the
    /// reset undid: a few paths in that state may have been written by hand, after a hard reset.
    fn left_out(&self, commit: &Commit, parent: Oid, stood: Oid) -> Result<Option<usize>, SourceError> {
        if stood == parent
            || commit_if_there(self.source, stood)?.is_none()
            || !self.source.is_ancestor(parent, stood)?
        {
            return Ok(None);
        }
        let (before, stood) = (self.real_tree(Some(&parent))?, self.real_tree(Some(&stood))?);
        let left_out = State::of_tree(Some(commit.tree)).delta(self.source, &stood)?;
        let undone = before.delta(self.source, &stood)?;
        let held = undone.keys().filter(|path| !left_out.contains_key(*path)).count();
        Ok((held > 0 && 2 * held >= undone.len()).then_some(left_out.len()))
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

    /// A merge that made `commit`, and before it the others of `line`. Where git stopped, a file that was renamed
    /// and is not the same on both sides may have been paired by hand: it was not if what was committed is what
    /// the pairing gives.
    fn merge_for(&mut self, commit: &Commit, line: &[Oid], sides: [&State; 3]) -> Result<State, SourceError> {
        let merge = self.merge(sides[0], sides[1], sides[2])?;
        let mut paired_by_hand = BTreeSet::new();
        if !merge.inexact.is_empty() {
            for &oid in line.iter().chain([&commit.oid]) {
                let is_stop = |making: Making| stopped(&self.chronicle.entry(making).message);
                if !self.making(oid).is_some_and(is_stop) {
                    continue;
                }
                let made = self.source.read_commit(oid)?;
                let (redone, _) = self.redone(&made)?;
                let differing = redone.delta(self.source, &State::of_tree(Some(made.tree)))?;
                paired_by_hand.extend(
                    merge
                        .inexact
                        .iter()
                        .filter(|path| differing.contains_key(*path))
                        .cloned(),
                );
            }
        }
        Ok(merge.state.distrusting(paired_by_hand))
    }

    /// Merges states, and counts it.
    pub fn merge(&mut self, base: &State, ours: &State, theirs: &State) -> Result<Merge, SourceError> {
        self.merge_favouring(base, ours, theirs, None)
    }

    fn merge_favouring(
        &mut self,
        base: &State,
        ours: &State,
        theirs: &State,
        favour: Option<Favour>,
    ) -> Result<Merge, SourceError> {
        self.merges += 1;
        if self.merges > MAX_MERGES {
            return Err(SourceError::Limit("merges replayed"));
        }
        State::merge_favouring(self.source, base, ours, theirs, favour)
    }

    /// A commit whose parents are the real ones.
    fn uncut(&self, oid: Oid) -> Result<Rc<Commit>, SourceError> {
        let commit = self.source.read_commit(oid)?;
        if commit.cut {
            Err(SourceError::HistoryCut(oid))
        } else {
            Ok(commit)
        }
    }

    /// Step 18: the paths on which merges and picks stop when they are redone on the real trees. Asked of the turn
    /// commits that the head and every replay on the way to it rest on.
    pub fn redo_conflicts(&mut self, head: Oid) -> Result<BTreeSet<RepoPath>, SourceError> {
        let mut conflicts = BTreeSet::new();
        for oid in self.rested_on(head)? {
            conflicts.extend(self.mechanical(oid)?.1.iter().cloned());
        }
        Ok(conflicts)
    }

    /// The turn commits that the head, and each replay on the way to it, rest on.
    pub fn rested_on(&self, head: Oid) -> Result<BTreeSet<Oid>, SourceError> {
        let mut pending: Vec<Oid> = self.roles.keys().copied().chain([head]).collect();
        let mut met = BTreeSet::new();
        while let Some(oid) = pending.pop() {
            if self.commits.made_here.contains(&oid) && met.insert(oid) {
                pending.extend(&self.source.read_commit(oid)?.parents);
            }
        }
        Ok(met)
    }

    /// What a commit changed by hand, on the real trees.
    pub fn by_hand(&mut self, oid: Oid) -> Result<Delta, SourceError> {
        let (state, _) = self.mechanical(oid)?;
        state.delta(self.source, &State::of_tree(Some(self.source.read_commit(oid)?.tree)))
    }

    /// What git alone makes of the real trees that a commit came from, and where it stops.
    fn mechanical(&mut self, oid: Oid) -> Result<Redone, SourceError> {
        if let Some(known) = self.redone.get(&oid) {
            return Ok(known.clone());
        }
        let commit = self.uncut(oid)?;
        let (state, conflicts) = if self.finished_by_git(oid) {
            (State::of_tree(Some(commit.tree)), BTreeSet::new())
        } else {
            self.redone(&commit)?
        };
        let redone = (state, Rc::new(conflicts));
        self.redone.insert(oid, redone.clone());
        Ok(redone)
    }

    /// A merge or pick redone on the real trees; for any other commit, the tree it was made from.
    fn redone(&mut self, commit: &Commit) -> Result<(State, BTreeSet<RepoPath>), SourceError> {
        let role = match self.roles.get(&commit.oid) {
            Some(Role::LateOnTop) if commit.parents.len() > 1 => Role::Merge,
            Some(Role::LateOnTop) => Role::Plain,
            // The line as a whole is no commit of its own: here each commit counts for itself.
            Some(Role::RebaseTip { .. }) | None => self.role_alone(commit)?,
            Some(role) => role.clone(),
        };
        let no_conflicts = BTreeSet::new();
        match role {
            Role::Merge => self.remerged(commit),
            Role::Pick(original) => {
                let base = self.real_tree(self.uncut(original)?.parents.first())?;
                let ours = self.real_tree(commit.parents.first())?;
                let theirs = self.real_tree(Some(&original))?;
                let merge = self.merge(&base, &ours, &theirs)?;
                Ok((merge.state, merge.conflicts))
            }
            Role::Amend(old) | Role::Recommit(old) | Role::Root(Some(old)) => {
                Ok((self.real_tree(Some(&old))?, no_conflicts))
            }
            Role::Squash(_) | Role::SquashStep { .. } => Ok((State::of_tree(Some(commit.tree)), no_conflicts)),
            _ => Ok((self.real_tree(commit.parents.first())?, no_conflicts)),
        }
    }

    /// A merge redone on the real trees of its parents, and where it stops.
    fn remerged(&mut self, commit: &Commit) -> Result<(State, BTreeSet<RepoPath>), SourceError> {
        let mut state = self.real_tree(commit.parents.first())?;
        let mut conflicts = BTreeSet::new();
        for (index, parent) in commit.parents.iter().enumerate().skip(1) {
            let base = self.real_base(&commit.parents[..index], *parent)?;
            let theirs = self.real_tree(Some(parent))?;
            let merge = self.merge(&base, &state, &theirs)?;
            state = merge.state;
            conflicts.extend(merge.conflicts);
        }
        Ok((state, conflicts))
    }

    fn real_base(&mut self, sides: &[Oid], other: Oid) -> Result<State, SourceError> {
        let bases = common_bases(self.source, sides, other)?;
        let mut state = self.real_tree(bases.first())?;
        for (index, &base) in bases.iter().enumerate().skip(1) {
            let ancestor = self.real_base(&bases[..index], base)?;
            let theirs = self.real_tree(Some(&base))?;
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
