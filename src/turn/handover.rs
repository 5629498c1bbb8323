//! From the card to the patch: what was found out about a turn serves the calls that print it right after.
//!
//! A turn is over when it is asked about. What refs and logs tell of it later is the same or less, so that an answer of a
//! moment ago is as good as a new one, and the card and the patch name the same files. Only whole answers are handed over:
//! where something could not be read, the next call looks for itself.

use std::sync::Arc;

use super::snapshot::resolve;
use super::witness::Witness;
use crate::model::outcome::Status;
use crate::model::{AskedTurn, Error, Findings, GitSource, TurnRequest};

/// What a call a moment ago found out about the turn of this request, all recorded facts in it.
pub fn kept(source: &Witness<'_>, request: &TurnRequest) -> Option<Arc<Findings>> {
    source.kept_findings(&asked(source, request).ok()?)
}

/// Keeps what was found out for the calls to come.
pub fn keep(source: &Witness<'_>, request: &TurnRequest, findings: &Arc<Findings>) {
    if source.has_failed() || matches!(findings.status, Status::NotAttributed(..)) {
        return;
    }
    if let Ok(turn) = asked(source, request) {
        source.keep_findings(turn, findings.clone());
    }
}

fn asked(source: &dyn GitSource, request: &TurnRequest) -> Result<AskedTurn, Error> {
    let checkpoints = [&request.from].into_iter().chain(&request.between).chain([&request.to]);
    checkpoints
        .map(|checkpoint| Ok((checkpoint.clone(), resolve(source, checkpoint)?)))
        .collect()
}
