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

use crate::model::outcome::{Attribution, PathExplanation, TurnAttribution};
use crate::model::patch::{DiffOptions, TurnDiff};
use crate::model::{Checkpoint, Error, GitSource, Oid, RepoPath, TurnRequest};
use crate::rules::checkpoint_facts::{RecordedFacts, read_facts};
use range::Range;

/// Says of a turn, or of a range of turns, what the agent wrote and what merely moved through git.
pub fn attribute_turn(source: &dyn GitSource, request: &TurnRequest) -> Result<TurnAttribution, Error> {
    let range = Range::analyse(source, request)?;
    let (shown, demoted) =
        presentation::present(source, range.to.tree, &range.delta, &range.decisions, request.demoted)?;
    Ok(TurnAttribution {
        shown,
        demoted,
        branch_transition: range.transition,
        attribution: Attribution {
            status: range.status,
            notes: range.notes.into_iter().collect(),
        },
        operation_in_progress: range.operation,
    })
}

/// Makes the patch of a turn, or of a range of turns: of the shown files, or of the whole change on disk.
pub fn diff_turn(source: &dyn GitSource, request: &TurnRequest, options: &DiffOptions) -> Result<TurnDiff, Error> {
    let range = Range::analyse(source, request)?;
    patch::diff(source, range, options, request.demoted)
}

/// Says what decided one file of a turn or range.
pub fn explain_path(source: &dyn GitSource, request: &TurnRequest, path: &RepoPath) -> Result<PathExplanation, Error> {
    let range = Range::analyse(source, request)?;
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
