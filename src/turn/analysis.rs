//! One turn: what changed on disk, what git alone would have left there, and the verdict for each path.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::chronicle::Chronicle;
use super::replay::{Redone, Replay, Role};
use super::snapshot::{resolve, unreadable};
use super::state::{Expected, State};
use super::transition;
use super::tree_delta::{KnownDelta, tree_delta};
use super::turn_commits::{Bounds, TurnCommits, turn_commits};
use crate::model::outcome::{Decision, Evidence, NotAttributed, Note, Status};
use crate::model::{
    Change, Checkpoint, Delta, Entry, Error, ErrorCode, FileMode, Findings, GitSource, Oid, OperationKind, Phase,
    RepoPath, Snapshot, SourceError, is_binary,
};
use crate::rules::log_position::Standing;
use crate::rules::traces::{self, Version};
use crate::rules::verdict::{PathFacts, decide, shown_whole};

/// A turn, analysed.
pub struct Analysis {
    /// The start snapshot.
    pub from: Snapshot,
    /// What was found out.
    pub findings: Arc<Findings>,
    /// How it came to the verdicts; only where HEAD moved and the turn could be attributed.
    pub reasoning: Option<Reasoning>,
}

/// The states between the snapshots.
pub struct Reasoning {
    /// F: the foreign tree.
    pub foreign: State,
    /// E: the expected tree, as the merge that makes it.
    pub expected: Expected,
    /// What the replayed turn commits were taken for.
    pub roles: BTreeMap<Oid, Role>,
    /// The turn commits, and the late ones.
    pub commits: TurnCommits,
}

/// What later turns of a range take over from earlier ones: the agent's commits stay the agent's.
#[derive(Default)]
pub struct Inheritance {
    /// Whether there are later turns.
    pub in_range: bool,
    commits: TurnCommits,
    states: HashMap<Oid, State>,
    redone: HashMap<Oid, Redone>,
    /// What was changed by hand in commits, with the path.
    by_hand: Vec<(RepoPath, Change)>,
    /// The lines that the first so many of these added.
    added_by_hand: (usize, HashSet<Vec<u8>>),
    /// Commits of which that is not known yet.
    untold: HashSet<Oid>,
    /// Why it is not known what an earlier turn made.
    unread: Option<(NotAttributed, String)>,
}

/// Analyses the turn between two checkpoints, after the earlier turns of a range.
pub fn analyse(
    source: &dyn GitSource,
    from: &Checkpoint,
    to: &Checkpoint,
    inheritance: &mut Inheritance,
) -> Result<Analysis, Error> {
    // In a range the whole change is known by now, and can be shown without what its turns would tell.
    source.enter(if inheritance.in_range {
        Phase::Attribution
    } else {
        Phase::TreeDelta
    });
    let from_snapshot = resolve(source, from)?;
    let to_snapshot = resolve(source, to)?;
    let delta =
        tree_delta(source, Some(from_snapshot.tree), Some(to_snapshot.tree)).map_err(|error| unreadable(&error))?;
    let mut notes = BTreeSet::new();
    if from_snapshot.ref_moved {
        notes.insert(Note::FromRefMoved);
    }
    if to_snapshot.ref_moved {
        notes.insert(Note::ToRefMoved);
    }
    if from.pin_garbled || to.pin_garbled {
        notes.insert(Note::PinNotUnderstood);
    }
    let start = start_of(from, &from_snapshot, &to_snapshot, &mut notes);
    let turn = Turn {
        source,
        from,
        to,
        snapshot: from_snapshot,
        start,
        end: to_snapshot.seconds.unwrap_or(i64::MAX),
    };
    let mut findings = Findings {
        to: to_snapshot,
        delta,
        decisions: BTreeMap::new(),
        status: Status::Unmoved,
        notes,
        transition: transition::recorded(from, to),
        operation: to.pin.as_ref().and_then(|pin| pin.operation),
    };
    source.enter(Phase::Attribution);
    let reasoning = match turn.attribute(&mut findings, inheritance) {
        Ok(reasoning) => reasoning,
        Err(Trouble::Failed(error)) => return Err(error),
        Err(Trouble::NotAttributed(reason, detail)) => {
            findings.status = Status::NotAttributed(reason, detail);
            None
        }
    };
    if findings.decisions.is_empty() {
        findings.decisions = all_shown(&findings.delta, findings.status != Status::Unmoved);
    }
    Ok(Analysis {
        from: from_snapshot,
        findings: Arc::new(findings),
        reasoning,
    })
}

/// The verdicts where nothing is known of history, or there is none.
pub fn all_shown(delta: &Delta, head_moved: bool) -> BTreeMap<RepoPath, Decision> {
    let whole = |(path, change): (&RepoPath, &Change)| (path.clone(), shown_whole(change, head_moved));
    delta.iter().map(whole).collect()
}

/// The start of the turn in whole seconds: commits carry no finer time.
fn start_of(from: &Checkpoint, snapshot: &Snapshot, end: &Snapshot, notes: &mut BTreeSet<Note>) -> i64 {
    let own = snapshot.seconds.unwrap_or(0);
    let Some(given) = from.turn_started_at else { return own };
    let latest = end
        .seconds
        .map_or(f64::INFINITY, |seconds| (seconds as f64 + 1.0) * 1000.0);
    if !given.is_finite() || given < 0.0 || given >= latest {
        notes.insert(Note::TurnStartNotBelieved);
        return own;
    }
    (given / 1000.0).floor() as i64
}

/// What may come in the way.
pub enum Trouble {
    /// Attribution: everything is shown, and this is why.
    NotAttributed(NotAttributed, String),
    /// The whole call.
    Failed(Error),
}

impl From<SourceError> for Trouble {
    fn from(error: SourceError) -> Trouble {
        let reason = match &error {
            SourceError::Aborted => return Trouble::Failed(Error::new(ErrorCode::Aborted, "aborted")),
            SourceError::Missing(_) => NotAttributed::HistoryMissing,
            SourceError::HistoryCut(_) => NotAttributed::HistoryCut,
            SourceError::Limit(_) => NotAttributed::Limit,
            SourceError::TimedOut => NotAttributed::TimeLimit,
            SourceError::Unreadable { .. } | SourceError::Repository(_) => NotAttributed::Unreadable,
        };
        Trouble::NotAttributed(reason, error.to_string())
    }
}

struct Turn<'a> {
    source: &'a dyn GitSource,
    from: &'a Checkpoint,
    to: &'a Checkpoint,
    /// The start snapshot.
    snapshot: Snapshot,
    /// Seconds since the epoch.
    start: i64,
    /// Seconds since the epoch.
    end: i64,
}

impl Turn<'_> {
    fn attribute(&self, findings: &mut Findings, inheritance: &mut Inheritance) -> Result<Option<Reasoning>, Trouble> {
        let (Some(from_head), Some(to_head)) = (self.from.head, self.to.head) else {
            if inheritance.in_range {
                // What the turn made may come to a head that is recorded, in a later turn.
                self.leave_to_later(&self.chronicle(None, None, inheritance)?, inheritance);
            }
            return Err(Trouble::NotAttributed(
                NotAttributed::HeadNotRecorded,
                "a checkpoint has no recorded head".into(),
            ));
        };
        if (from_head, open_heads(self.from)) == (to_head, open_heads(self.to)) {
            let switched = self.from.branch != self.to.branch;
            if switched || inheritance.in_range {
                let chronicle = self.chronicle(from_head, to_head, inheritance)?;
                if switched {
                    findings.transition = transition::told(self.source, self.from, self.to, &chronicle)?;
                }
                self.leave_to_later(&chronicle, inheritance);
            }
            return Ok(None);
        }
        let Some(to_head) = to_head else {
            return Err(Trouble::NotAttributed(
                NotAttributed::UnbornAtEnd,
                "HEAD is unborn at the end".into(),
            ));
        };
        let chronicle = self.chronicle(from_head, Some(to_head), inheritance)?;
        let attributed = self.attribute_moved(findings, &chronicle, from_head, to_head, inheritance);
        if attributed.is_err() {
            self.leave_to_later(&chronicle, inheritance);
        }
        attributed.map(Some)
    }

    fn attribute_moved(
        &self,
        findings: &mut Findings,
        chronicle: &Chronicle,
        from_head: Option<Oid>,
        to_head: Oid,
        inheritance: &mut Inheritance,
    ) -> Result<Reasoning, Trouble> {
        if let Some((reason, detail)) = &inheritance.unread {
            return Err(Trouble::NotAttributed(*reason, detail.clone()));
        }
        for head in from_head.iter().chain([&to_head]) {
            self.source.read_commit(*head).map_err(|error| match error {
                SourceError::Aborted => Trouble::from(error),
                error => Trouble::NotAttributed(NotAttributed::HeadMissing, error.to_string()),
            })?;
        }
        self.note_evidence(chronicle, &mut findings.notes);
        findings.transition = transition::told(self.source, self.from, self.to, chronicle)?;
        let (reasoning, decisions) = self.reason(findings, chronicle, from_head, to_head, inheritance)?;
        findings.decisions = decisions;
        let evidence = match (chronicle.position.told, chronicle.position.pinned) {
            (true, true) => Evidence::Reflog,
            (true, false) => Evidence::Dates,
            (false, _) => Evidence::Weak,
        };
        findings.status = Status::Attributed(evidence);
        Ok(reasoning)
    }

    /// What was parked on a branch, in another worktree or in the stash may come back in a later turn of the range,
    /// and so may what a turn made that could not be attributed.
    fn leave_to_later(&self, chronicle: &Chronicle, inheritance: &mut Inheritance) {
        let committed = chronicle.made.keys().chain(&chronicle.pushed);
        inheritance.untold.extend(committed.clone());
        inheritance
            .commits
            .made_here
            .extend(committed.chain(&chronicle.stashed));
    }

    /// Reads the logs. Where they cannot be read, no later turn of the range can be attributed either: what this one
    /// made would pass for old.
    fn chronicle(
        &self,
        from_head: Option<Oid>,
        to_head: Option<Oid>,
        inheritance: &mut Inheritance,
    ) -> Result<Chronicle, Trouble> {
        let from = Standing {
            head: from_head,
            pin: self.from.pin.as_ref(),
            seconds: self.start,
            snapshot: self.snapshot.seconds.unwrap_or(self.start),
        };
        let to = Standing {
            head: to_head,
            pin: self.to.pin.as_ref(),
            seconds: self.end,
            snapshot: self.end,
        };
        Chronicle::read(self.source, from, to).map_err(|error| {
            let trouble = Trouble::from(error);
            if let Trouble::NotAttributed(reason, detail) = &trouble {
                inheritance.unread = Some((*reason, detail.clone()));
            }
            trouble
        })
    }

    fn note_evidence(&self, chronicle: &Chronicle, notes: &mut BTreeSet<Note>) {
        if self.from.pin.is_none() || self.to.pin.is_none() {
            notes.insert(Note::NoPin);
        }
        if chronicle.position.lost {
            notes.insert(Note::ReflogLost);
        }
        if !chronicle.has_head_log {
            notes.insert(Note::NoReflog);
        }
    }

    fn reason(
        &self,
        findings: &Findings,
        chronicle: &Chronicle,
        from_head: Option<Oid>,
        to_head: Oid,
        inheritance: &mut Inheritance,
    ) -> Result<(Reasoning, BTreeMap<RepoPath, Decision>), Trouble> {
        let source = self.source;
        let open = open_heads(self.to);
        let own_branch = match (&self.from.branch, &self.to.branch) {
            (Some(Some(from)), Some(Some(to))) if from == to => Some(from.as_str()),
            _ => None,
        };
        let bounds = Bounds {
            from_head,
            to_head,
            open_heads: &open,
            start: self.start,
            own_branch,
        };
        let commits = turn_commits(source, chronicle, &bounds, &inheritance.commits)?;
        if chronicle.position.lost && !commits.made_here.is_empty() {
            let detail = "entries of the log of HEAD that were there at the turn are gone";
            return Err(Trouble::NotAttributed(NotAttributed::ReflogLost, detail.into()));
        }
        let heads = from_head.into_iter().collect();
        let rebase_open = findings.operation == Some(OperationKind::Rebase);
        let mut replay = Replay::new(source, chronicle, &commits, self.start, heads, rebase_open);
        replay.inherit(&inheritance.states, &inheritance.redone);
        let start_head = match from_head {
            Some(head) => carried_on(&mut replay, head, self.from)?,
            None => State::default(),
        };
        let foreign = carried_on(&mut replay, to_head, self.to)?;
        let start = State::of_tree(Some(self.snapshot.tree));
        let snapshots = KnownDelta {
            old: Some(self.snapshot.tree),
            new: Some(findings.to.tree),
            delta: &findings.delta,
        };
        let expected = State::expect(source, &start_head, &start, &foreign, &snapshots)?;

        let redo_conflicts = replay.redo_conflicts(to_head)?;
        let expected_at = |path: &RepoPath, change: &Change| expected.changed(path).unwrap_or(change.old);
        if inheritance.in_range || !commits.late.is_empty() {
            for &oid in &commits.made_here {
                let untold = chronicle.made.contains_key(&oid) || inheritance.untold.contains(&oid);
                if untold || self.was_pushed(chronicle, oid)? {
                    inheritance.by_hand.extend(replay.by_hand(oid)?);
                }
            }
            inheritance.untold.clear();
        }
        let carried_by_others = self.carried_by_others(findings, &commits, inheritance, &replay, expected_at)?;
        let unproven = replay.unproven_paths()?;
        let replayed = !replay.rested_on(to_head)?.is_empty();
        // A merge of texts that was given up for time looks like one that conflicts.
        source.check_stopped()?;
        let decisions = findings.delta.iter().map(|(path, change)| {
            let facts = PathFacts {
                change,
                expected: expected_at(path, change),
                untrusted: expected.state.untrusted().contains(path),
                unproven: unproven.contains(path),
                redo_conflict: redo_conflicts.contains(path),
                by_hand_and_late: carried_by_others.contains(path),
                was_dirty: expected.differs_on_ours(path),
                replayed,
            };
            (path.clone(), decide(&facts))
        });
        let decisions = decisions.collect();
        let roles = replay.roles().clone();
        (inheritance.states, inheritance.redone) = replay.into_memory();
        inheritance.commits = commits.clone();
        inheritance.commits.made_here.extend(&chronicle.stashed);
        Ok((
            Reasoning {
                foreign,
                expected,
                roles,
                commits,
            },
            decisions,
        ))
    }

    /// Step 19: paths that a late commit touches, whose expected state holds what a commit made here changed in
    /// them by hand.
    fn carried_by_others(
        &self,
        findings: &Findings,
        commits: &TurnCommits,
        inheritance: &mut Inheritance,
        replay: &Replay<'_>,
        expected_at: impl Fn(&RepoPath, &Change) -> Option<Entry>,
    ) -> Result<BTreeSet<RepoPath>, SourceError> {
        if commits.late.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut late = BTreeSet::new();
        // A commit may rename what it takes over: which files it took away, and which it brought.
        let mut renames: Vec<(BTreeSet<RepoPath>, Vec<RepoPath>)> = Vec::new();
        for &oid in &commits.late {
            let changes = replay.changes_of(oid)?;
            let gone = changes
                .iter()
                .filter(|(_, change)| change.new.is_none())
                .map(|(path, _)| path.clone());
            let came = changes
                .iter()
                .filter(|(_, change)| change.old.is_none())
                .map(|(path, _)| path.clone());
            let (gone, came): (BTreeSet<RepoPath>, Vec<RepoPath>) = (gone.collect(), came.collect());
            if !gone.is_empty() && !came.is_empty() {
                renames.push((gone, came));
            }
            late.extend(changes.into_keys());
        }
        let by_hand = &inheritance.by_hand;
        let (gathered, added_by_hand) = &mut inheritance.added_by_hand;
        for (_, by_hand) in &by_hand[*gathered..] {
            let hand = self.texts_of([by_hand.old, by_hand.new])?;
            let [before, after] = hand.each_ref().map(|(entry, text)| version(*entry, text));
            traces::collect_added(before, after, added_by_hand);
        }
        *gathered = by_hand.len();
        let mut carried = BTreeSet::new();
        // Moved to another file, or written anew with other indentation.
        for (path, change) in findings.delta.iter().filter(|(path, _)| late.contains(*path)) {
            let states = self.texts_of([change.old, expected_at(path, change)])?;
            let [start, expected] = states.each_ref().map(|(entry, text)| version(*entry, text));
            if traces::mostly_from(added_by_hand, start, expected) {
                carried.insert(path.clone());
            }
        }
        for (path, by_hand) in by_hand.iter().filter(|(path, _)| late.contains(path)) {
            let hand = self.texts_of([by_hand.old, by_hand.new])?;
            let [before, after] = hand.each_ref().map(|(entry, text)| version(*entry, text));
            if let Some(change) = findings.delta.get(path) {
                let states = self.texts_of([change.old, expected_at(path, change)])?;
                let [start, expected] = states.each_ref().map(|(entry, text)| version(*entry, text));
                if states[0].0 != states[1].0 && traces::shows(before, after, start, expected) {
                    carried.insert(path.clone());
                }
            }
            for other in renames
                .iter()
                .filter(|(gone, _)| gone.contains(path))
                .flat_map(|(_, came)| came)
            {
                let Some(change) = findings.delta.get(other) else {
                    continue;
                };
                let [(entry, text), _] = self.texts_of([expected_at(other, change), None])?;
                if traces::reappear(before, after, version(entry, &text)) {
                    carried.insert(other.clone());
                }
            }
        }
        Ok(carried)
    }

    /// Whether a commit was here before it was pushed in the turn, though no log is left that tells of it.
    fn was_pushed(&self, chronicle: &Chronicle, oid: Oid) -> Result<bool, SourceError> {
        for &pushed in &chronicle.pushed {
            if self.source.is_ancestor(oid, pushed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The texts of two states; `None` where there is none.
    fn texts_of(&self, entries: [Option<Entry>; 2]) -> Result<[StateText; 2], SourceError> {
        let text_of = |entry: Option<Entry>| match entry.filter(|entry| entry.mode != FileMode::GITLINK) {
            Some(entry) => Ok(Some(self.source.read_blob(entry.oid)?).filter(|content| !is_binary(content))),
            None => Ok(None),
        };
        let [one, two] = entries;
        Ok([(one, text_of(one)?), (two, text_of(two)?)])
    }
}

/// A state, and its text where it has one.
type StateText = (Option<Entry>, Option<Arc<[u8]>>);

fn version(entry: Option<Entry>, text: &Option<Arc<[u8]>>) -> Option<Version<'_>> {
    entry.map(|entry| Version {
        mode: entry.mode,
        text: text.as_deref(),
    })
}

/// The commits that an operation in progress is about to bring in.
fn open_heads(checkpoint: &Checkpoint) -> Vec<Oid> {
    let pin = checkpoint.pin.as_ref();
    pin.into_iter()
        .flat_map(|pin| pin.merge_heads.iter().copied().chain(pin.pick_head))
        .collect()
}

/// G at a head, with what an operation in progress there has already put on disk.
fn carried_on(replay: &mut Replay<'_>, head: Oid, checkpoint: &Checkpoint) -> Result<State, SourceError> {
    let mut state = replay.state_at(head)?;
    let Some(pin) = &checkpoint.pin else { return Ok(state) };
    for &other in &pin.merge_heads {
        state = replay.merge_open(state, head, other)?;
    }
    if let Some(original) = pin.pick_head {
        state = replay.pick_open(state, original)?;
    }
    Ok(state)
}
