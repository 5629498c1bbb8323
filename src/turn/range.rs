//! Step 8 of the model: a range of turns, each attributed for itself, composed into the net change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::analysis::{Analysis, Inheritance, Trouble, all_shown, analyse};
use super::snapshot::{resolve, unreadable};
use super::state::State;
use super::transition;
use super::tree_delta::tree_delta;
use crate::model::outcome::{
    BranchTransition, Decision, DemotedReason, Evidence, MoveKind, Note, ShownReason, Status, Verdict,
};
use crate::model::{
    Checkpoint, Delta, Entry, Error, ErrorCode, Findings, GitSource, Phase, RepoPath, SourceError, TurnRequest,
};
use crate::rules::rename_pairing::{MergeLimits, pair_renames};

/// A turn or several, analysed.
pub struct Range {
    /// What was found out about all of it.
    pub findings: Arc<Findings>,
    /// The single turns, in order.
    pub turns: Vec<Analysis>,
}

impl Range {
    /// Analyses every turn of a request, all recorded facts in it, and composes them.
    pub fn analyse(source: &dyn GitSource, request: &TurnRequest) -> Result<Range, Error> {
        source.enter(Phase::TreeDelta);
        let checkpoints: Vec<&Checkpoint> = [&request.from]
            .into_iter()
            .chain(&request.between)
            .chain([&request.to])
            .collect();
        if request.between.is_empty() {
            return Ok(Range::of_one(analyse(
                source,
                &request.from,
                &request.to,
                &mut Inheritance::default(),
            )?));
        }
        source.enter(Phase::TreeDelta);
        let (from, to) = (resolve(source, &request.from)?, resolve(source, &request.to)?);
        let delta = tree_delta(source, Some(from.tree), Some(to.tree)).map_err(|error| unreadable(&error))?;
        let mut inheritance = Inheritance::default();
        inheritance.in_range = true;
        let mut turns = Vec::new();
        let mut late = None;
        for pair in checkpoints.windows(2) {
            match analyse(source, pair[0], pair[1], &mut inheritance) {
                Ok(turn) => turns.push(turn),
                Err(error) if error.code == ErrorCode::TimedOut => {
                    late = Some(SourceError::TimedOut);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let composed = match late {
            Some(error) => Err(error),
            None => compose(source, &turns, &delta),
        };
        let (decisions, status) = match composed.map_err(Trouble::from) {
            Ok(decisions) => (decisions, status_of(&turns)),
            Err(Trouble::NotAttributed(reason, detail)) => {
                (all_shown(&delta, true), Status::NotAttributed(reason, detail))
            }
            Err(Trouble::Failed(error)) => return Err(error),
        };
        let findings = Findings {
            to,
            decisions,
            status,
            notes: notes_of(&turns),
            transition: transition_of(source, request, &turns),
            operation: request.to.pin.as_ref().and_then(|pin| pin.operation),
            delta,
        };
        Ok(Range {
            findings: Arc::new(findings),
            turns,
        })
    }

    fn of_one(turn: Analysis) -> Range {
        Range {
            findings: turn.findings.clone(),
            turns: vec![turn],
        }
    }
}

/// The verdicts of a range: what was authored in any turn is shown, against the start with every turn's
/// foreign change applied in order.
fn compose(
    source: &dyn GitSource,
    turns: &[Analysis],
    delta: &Delta,
) -> Result<BTreeMap<RepoPath, Decision>, SourceError> {
    let mut expected = State::of_tree(Some(turns[0].from.tree));
    let mut authored: BTreeMap<RepoPath, ShownReason> = BTreeMap::new();
    for turn in turns {
        let start = State::of_tree(Some(turn.from.tree));
        if let Some(reasoning) = &turn.reasoning {
            let foreign = start.delta(source, &reasoning.expected.state)?;
            for path in renamed_by(source, &foreign, &authored)? {
                authored.entry(path).or_insert(ShownReason::RenamedByHistory);
            }
            expected = State::merge(source, &start, &expected, &reasoning.expected.state)?.state;
        }
        for (path, decision) in &turn.findings.decisions {
            let Verdict::Shown(reason) = decision.verdict else {
                continue;
            };
            if reason == ShownReason::NotAttributed {
                authored.insert(path.clone(), ShownReason::TurnNotAttributed);
            } else {
                authored.entry(path.clone()).or_insert(ShownReason::AuthoredInRange);
            }
        }
    }
    // A merge of texts that was given up for time looks like one that conflicts.
    source.check_stopped()?;
    let mut decisions = BTreeMap::new();
    for (path, change) in delta {
        let reason = authored.get(path).copied();
        decisions.insert(
            path.clone(),
            decide(
                change.old,
                change.new,
                expected.get(source, path)?,
                &expected,
                path,
                reason,
            ),
        );
    }
    Ok(decisions)
}

fn decide(
    old: Option<Entry>,
    new: Option<Entry>,
    expected: Option<Entry>,
    state: &State,
    path: &RepoPath,
    authored: Option<ShownReason>,
) -> Decision {
    let whole = |reason| Decision {
        verdict: Verdict::Shown(reason),
        mixed: true,
        base: old,
    };
    match authored {
        // A turn of which nothing is known may have moved what it changed.
        Some(ShownReason::TurnNotAttributed) => whole(ShownReason::TurnNotAttributed),
        Some(_) if state.untrusted().contains(path) || expected == new => whole(ShownReason::DoesNotCompose),
        Some(reason) => Decision {
            verdict: Verdict::Shown(reason),
            mixed: false,
            base: expected,
        },
        None if expected == new => Decision {
            verdict: Verdict::Demoted(DemotedReason::MovedByHistory),
            mixed: false,
            base: old,
        },
        None => whole(ShownReason::DoesNotCompose),
    }
}

/// Paths that a turn's history made by renaming a path authored before it.
fn renamed_by(
    source: &dyn GitSource,
    foreign: &Delta,
    authored: &BTreeMap<RepoPath, ShownReason>,
) -> Result<Vec<RepoPath>, SourceError> {
    let side = |old: bool| {
        let one_sided = foreign
            .iter()
            .filter(move |(_, change)| change.old.is_some() == old && change.new.is_some() != old);
        one_sided.filter_map(|(path, change)| Some((path.clone(), change.old.or(change.new)?)))
    };
    let gone: Vec<_> = side(true).filter(|(path, _)| authored.contains_key(path)).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let came: Vec<_> = side(false).collect();
    let pairing = pair_renames(&gone, &came, source, &MergeLimits::default())?;
    Ok(pairing.pairs.into_iter().map(|pair| pair.to).collect())
}

/// The weakest evidence of any turn that moved; not attributed only where no turn is.
fn status_of(turns: &[Analysis]) -> Status {
    let refused = turns
        .iter()
        .filter(|turn| matches!(turn.findings.status, Status::NotAttributed(..)));
    if refused.count() == turns.len() {
        return turns[0].findings.status.clone();
    }
    let evidence = turns.iter().filter_map(|turn| match turn.findings.status {
        Status::Attributed(evidence) => Some(evidence),
        Status::NotAttributed(..) => Some(Evidence::Weak),
        Status::Unmoved => None,
    });
    evidence.max().map_or(Status::Unmoved, Status::Attributed)
}

fn notes_of(turns: &[Analysis]) -> BTreeSet<Note> {
    let mut notes: BTreeSet<Note> = turns
        .iter()
        .flat_map(|turn| turn.findings.notes.iter().copied())
        .collect();
    if turns
        .iter()
        .any(|turn| matches!(turn.findings.status, Status::NotAttributed(..)))
    {
        notes.insert(Note::TurnNotAttributed);
    }
    notes
}

fn transition_of(source: &dyn GitSource, request: &TurnRequest, turns: &[Analysis]) -> BranchTransition {
    let actions = turns
        .iter()
        .flat_map(|turn| turn.findings.transition.actions.iter().cloned())
        .collect();
    let merged = turns
        .iter()
        .any(|turn| turn.findings.transition.kind == MoveKind::Merge);
    let renamed = turns
        .iter()
        .any(|turn| turn.findings.transition.kind == MoveKind::Rename);
    transition::over_range(source, &request.from, &request.to, actions, merged, renamed)
}
