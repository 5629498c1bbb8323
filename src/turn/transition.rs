//! The branch transition of a turn: recorded facts, and what the logs add to them.

use super::chronicle::{Chain, Chronicle};
use crate::model::outcome::{BranchTransition, GitAction, MoveKind};
use crate::model::{Checkpoint, GitSource, LogKind, Oid, SourceError};
use crate::rules::branch_transition::{MoveFacts, actions, label, move_kind};
use crate::rules::escape::printable;
use crate::rules::reflog::{Via, Word};

/// The transition as far as the checkpoints alone tell it.
pub fn recorded(from: &Checkpoint, to: &Checkpoint) -> BranchTransition {
    let facts = facts(from, to);
    let known = from.head.is_some() && to.head.is_some();
    let unmoved = known && (&facts.from_head, &facts.from_branch) == (&facts.to_head, &facts.to_branch);
    let kind = if unmoved { MoveKind::None } else { MoveKind::Unknown };
    build(facts, kind, Vec::new())
}

/// The transition with what the logs and the graph tell of it.
pub fn told(
    source: &dyn GitSource,
    from: &Checkpoint,
    to: &Checkpoint,
    chronicle: &Chronicle,
) -> Result<BranchTransition, SourceError> {
    let mut facts = facts(from, to);
    let words = || chronicle.told().map(|(_, word)| word);
    facts.renamed = words().any(|word| *word == Word::BranchRenamed);
    facts.merged = words().any(|word| matches!(word, Word::Merge(_)));
    if let (Some(old), Some(new)) = (facts.from_head, facts.to_head) {
        facts.forward = (chronicle.position.told && words().all(goes_forward)) || source.is_ancestor(old, new)?;
        facts.backward = !facts.forward && source.is_ancestor(new, old)?;
    }
    let fetched = only_fetched(chronicle);
    let actions = actions(chronicle.told(), |oid| remote_name(chronicle, oid), fetched.as_deref());
    let kind = move_kind(&facts);
    Ok(build(facts, kind, actions))
}

/// The transition over several turns, from what is known of each.
pub fn over_range(
    source: &dyn GitSource,
    from: &Checkpoint,
    to: &Checkpoint,
    actions: Vec<GitAction>,
    merged: bool,
    renamed: bool,
) -> BranchTransition {
    let mut facts = facts(from, to);
    (facts.merged, facts.renamed) = (merged, renamed);
    if from.head.is_none() || to.head.is_none() {
        return build(facts, MoveKind::Unknown, actions);
    }
    if let (Some(old), Some(new)) = (facts.from_head, facts.to_head) {
        let (Ok(forward), Ok(backward)) = (source.is_ancestor(old, new), source.is_ancestor(new, old)) else {
            return build(facts, MoveKind::Unknown, actions);
        };
        (facts.forward, facts.backward) = (forward, backward && !forward);
    }
    let kind = move_kind(&facts);
    build(facts, kind, actions)
}

/// Words after which the new value is a descendant of the old one, so that the graph need not be asked.
fn goes_forward(word: &Word) -> bool {
    match word {
        Word::FastForward(via) => *via != Via::Rebase,
        Word::Commit | Word::Merge(_) | Word::Revert => true,
        Word::Pick(via) => *via != Via::Rebase,
        _ => false,
    }
}

fn facts(from: &Checkpoint, to: &Checkpoint) -> MoveFacts {
    MoveFacts {
        from_head: from.head.flatten(),
        to_head: to.head.flatten(),
        from_branch: from.branch.clone().flatten(),
        to_branch: to.branch.clone().flatten(),
        ..MoveFacts::default()
    }
}

fn build(facts: MoveFacts, kind: MoveKind, actions: Vec<GitAction>) -> BranchTransition {
    let label = printable(&label(&facts, &actions));
    BranchTransition {
        from_branch: facts.from_branch,
        to_branch: facts.to_branch,
        from_head: facts.from_head,
        to_head: facts.to_head,
        kind,
        actions,
        label,
    }
}

/// The remote branch that a commit was last fetched or pushed as, `origin/main`.
fn remote_name(chronicle: &Chronicle, oid: Oid) -> Option<String> {
    let named = remote_chains(chronicle).filter(|(_, chain)| chain.entries.iter().any(|entry| entry.new == oid));
    named.map(|(name, _)| name).min().map(str::to_string)
}

/// The remote branch that was fetched in the turn, if it was one.
fn only_fetched(chronicle: &Chronicle) -> Option<String> {
    let mut fetched = remote_chains(chronicle)
        .filter(|(_, chain)| !chain.turn.is_empty())
        .map(|(name, _)| name);
    let first = fetched.next()?;
    fetched.next().is_none().then(|| first.to_string())
}

fn remote_chains(chronicle: &Chronicle) -> impl Iterator<Item = (&str, &Chain)> {
    let remotes = chronicle.chains.iter().filter(|chain| chain.kind == LogKind::Remote);
    let named = remotes.filter_map(|chain| Some((chain.name.strip_prefix("refs/remotes/")?, chain)));
    named.filter(|(name, _)| !name.ends_with("/HEAD"))
}
