//! The procedure: from two checkpoints to the truth about a turn.

mod analysis;
mod attributes_at;
mod checkpoints;
mod chronicle;
mod evidence;
mod explanation;
mod files;
mod handover;
#[cfg(test)]
mod memory;
mod originals;
mod patch;
mod presentation;
mod range;
mod rebases;
mod replay;
mod snapshot;
mod state;
mod texts;
mod transition;
mod tree_delta;
mod turn_commits;
mod witness;

use std::collections::BTreeSet;

use crate::model::outcome::{Attribution, Demoted, NotAttributed, Note, PathExplanation, Status, TurnAttribution};
use crate::model::patch::{DiffOptions, TurnDiff};
use crate::model::{Checkpoint, Error, Findings, GitSource, Oid, Phase, RepoPath, TurnRequest};
use crate::rules::checkpoint_facts::{RecordedFacts, read_facts};
pub use checkpoints::list_checkpoints;
pub use snapshot::unreadable;

use range::Range;
use snapshot::with_recorded_facts;
use witness::Witness;

/// Says of a turn, or of a range of turns, what the agent wrote and what merely moved through git.
pub fn attribute_turn(source: &dyn GitSource, request: &TurnRequest) -> Result<TurnAttribution, Error> {
    let source = &Witness::new(source);
    source.enter(Phase::TreeDelta);
    let request = &*with_recorded_facts(source, request);
    let findings = handover::analyse(source, request)?;
    source.enter(Phase::Presentation);
    let card = presentation::present(source, &findings, request)?;
    let cut = files_cut(card.shown.len(), card.shown_file_count, &card.demoted);
    let notes = notes(&findings, cut, source);
    Ok(TurnAttribution {
        shown: card.shown,
        shown_file_count: card.shown_file_count,
        demoted: card.demoted,
        branch_transition: findings.transition.clone(),
        attribution: Attribution {
            status: findings.status.clone(),
            notes,
        },
        operation_in_progress: findings.operation,
    })
}

/// Makes the patch of a turn, or of a range of turns: of the shown files, or of the whole change on disk.
pub fn diff_turn(source: &dyn GitSource, request: &TurnRequest, options: &DiffOptions) -> Result<TurnDiff, Error> {
    let source = &Witness::new(source);
    source.enter(Phase::TreeDelta);
    let request = &*with_recorded_facts(source, request);
    let findings = handover::kept_or_analyse(source, request)?;
    source.enter(Phase::Presentation);
    let mut diff = patch::diff(source, &findings, options, request)?;
    let cut = files_cut(diff.files.len(), diff.file_count, &diff.demoted);
    diff.attribution.notes = notes(&findings, cut, source);
    Ok(diff)
}

/// The note of a list that is not whole.
fn files_cut(named: usize, count: usize, demoted: &Demoted) -> Option<Note> {
    let demoted_named = demoted.files.as_ref().map_or(demoted.file_count, Vec::len);
    (named < count || demoted_named < demoted.file_count).then_some(Note::FilesCut)
}

/// What to know about the evidence, and of what could not be read unless that is why everything is shown.
fn notes(findings: &Findings, cut: Option<Note>, witness: &Witness<'_>) -> Vec<Note> {
    let is_told = matches!(
        findings.status,
        Status::NotAttributed(
            NotAttributed::HeadMissing
                | NotAttributed::HistoryMissing
                | NotAttributed::HistoryCut
                | NotAttributed::Limit
                | NotAttributed::TimeLimit
                | NotAttributed::Unreadable,
            _
        )
    );
    let failed = (witness.has_failed() && !is_told).then_some(Note::ReadFailed);
    let known = findings.notes.iter().copied().chain(cut).chain(failed);
    known.collect::<BTreeSet<Note>>().into_iter().collect()
}

/// Says what decided one file of a turn or range.
pub fn explain_path(source: &dyn GitSource, request: &TurnRequest, path: &RepoPath) -> Result<PathExplanation, Error> {
    source.enter(Phase::TreeDelta);
    let request = &*with_recorded_facts(source, request);
    let range = Range::analyse(source, request)?;
    source.enter(Phase::Presentation);
    explanation::explain(source, &range, path)
}

/// Reads the facts that a checkpoint keeps in the message of its snapshot commit.
pub fn read_checkpoint(source: &dyn GitSource, checkpoint: &Checkpoint) -> Result<(Oid, RecordedFacts), Error> {
    let snapshot = snapshot::resolve(source, checkpoint)?;
    let facts = match snapshot.seconds {
        Some(_) => source
            .read_message(snapshot.oid)
            .map_err(|error| snapshot::unreadable(&error))?,
        None => String::new(),
    };
    Ok((snapshot.oid, read_facts(&facts)))
}
