//! From the card to the patch: what was found out about a turn serves the calls that print it right after.
//!
//! A turn is over when it is asked about. What refs and logs tell of it later is the same or less, so that an answer of a
//! moment ago is as good as a new one, and the card and the patch name the same files. Only whole answers are handed over:
//! where something could not be read, the next call looks for itself. An answer ends those before it, also where it is
//! not handed over: after a card that could not tell what moved, the patch hides nothing for a card of before.

use std::sync::Arc;

use super::range::Range;
use super::snapshot::resolve;
use super::witness::Witness;
use crate::model::outcome::Status;
use crate::model::{AskedTurn, Error, Findings, GitSource, TurnRequest};

/// Looks at the turn of this request, all recorded facts in it, and keeps what is found out for the calls to come.
pub fn analyse(source: &Witness<'_>, request: &TurnRequest) -> Result<Arc<Findings>, Error> {
    analyse_asked(source, request, asked(source, request))
}

/// What a call a moment ago found out about the turn of this request; else it is looked at.
pub fn kept_or_analyse(source: &Witness<'_>, request: &TurnRequest) -> Result<Arc<Findings>, Error> {
    let turn = asked(source, request);
    match turn.as_ref().and_then(|turn| source.kept_findings(turn)) {
        Some(findings) => Ok(findings),
        None => analyse_asked(source, request, turn),
    }
}

fn analyse_asked(source: &Witness<'_>, request: &TurnRequest, turn: Option<AskedTurn>) -> Result<Arc<Findings>, Error> {
    let look = turn.map(|turn| (source.look_anew(&turn), turn));
    let findings = Range::analyse(source, request)?.findings;
    if let Some((look, turn)) = look
        && !source.has_failed()
        && !matches!(findings.status, Status::NotAttributed(..))
    {
        source.keep_findings(turn, look, findings.clone());
    }
    Ok(findings)
}

/// `None` where a snapshot is not found: analysing says so.
fn asked(source: &dyn GitSource, request: &TurnRequest) -> Option<AskedTurn> {
    let checkpoints = [&request.from].into_iter().chain(&request.between).chain([&request.to]);
    checkpoints
        .map(|checkpoint| Some((checkpoint.clone(), resolve(source, checkpoint).ok()?)))
        .collect()
}
