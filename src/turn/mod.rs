//! The procedure: from two checkpoints to the truth about a turn.

mod analysis;
mod attributes_at;
mod chronicle;
mod evidence;
mod explanation;
mod files;
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

use crate::model::outcome::{Attribution, NotAttributed, Note, PathExplanation, Status, TurnAttribution};
use crate::model::patch::{DiffOptions, TurnDiff};
use crate::model::{Checkpoint, Error, GitSource, Oid, Phase, RepoPath, TurnRequest};
use crate::rules::checkpoint_facts::{RecordedFacts, read_facts};
pub use snapshot::unreadable;

use range::Range;
use witness::Witness;

/// Says of a turn, or of a range of turns, what the agent wrote and what merely moved through git.
pub fn attribute_turn(source: &dyn GitSource, request: &TurnRequest) -> Result<TurnAttribution, Error> {
    let source = &Witness::new(source);
    let range = Range::analyse(source, request)?;
    source.enter(Phase::Presentation);
    let (shown, demoted) =
        presentation::present(source, range.to.tree, &range.delta, &range.decisions, request.demoted)?;
    let notes = notes(range.notes, &range.status, source);
    Ok(TurnAttribution {
        shown,
        demoted,
        branch_transition: range.transition,
        attribution: Attribution {
            status: range.status,
            notes,
        },
        operation_in_progress: range.operation,
    })
}

/// Makes the patch of a turn, or of a range of turns: of the shown files, or of the whole change on disk.
pub fn diff_turn(source: &dyn GitSource, request: &TurnRequest, options: &DiffOptions) -> Result<TurnDiff, Error> {
    let source = &Witness::new(source);
    let range = Range::analyse(source, request)?;
    source.enter(Phase::Presentation);
    let (known, status) = (range.notes.clone(), range.status.clone());
    let mut diff = patch::diff(source, range, options, request.demoted)?;
    diff.attribution.notes = notes(known, &status, source);
    Ok(diff)
}

/// What to know about the evidence, and of what could not be read unless that is why everything is shown.
fn notes(known: BTreeSet<Note>, status: &Status, witness: &Witness<'_>) -> Vec<Note> {
    let is_told = matches!(
        status,
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
    known.into_iter().chain(failed).collect()
}

/// Says what decided one file of a turn or range.
pub fn explain_path(source: &dyn GitSource, request: &TurnRequest, path: &RepoPath) -> Result<PathExplanation, Error> {
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
