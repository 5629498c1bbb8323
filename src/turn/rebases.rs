//! Rebases that ended in the turn, as the logs tell them.

use std::collections::{HashMap, HashSet};

use super::chronicle::{Chain, Chronicle, Making};
use crate::model::{LogKind, Oid};
use crate::rules::reflog::{Via, Word};

/// A rebase: what it started from, and the commits it made.
#[derive(Clone, Debug)]
pub struct Rebase {
    /// Where the rebased line stood before.
    pub from: Oid,
    /// Commits made on the way, by git or by hand while it was stopped.
    pub made: HashSet<Oid>,
    /// How many commits were squashed into another.
    pub squashed: usize,
}

/// The rebases of all logs of HEAD, by the tip that they ended at. `still_open`: the turn ends inside one.
pub fn rebases(chronicle: &Chronicle, still_open: bool) -> HashMap<Oid, Rebase> {
    let mut found = HashMap::new();
    for (index, chain) in chronicle.chains.iter().enumerate().filter(|(_, chain)| chain.is_head()) {
        rebases_of(chain, chronicle, still_open && index == 0, &mut found);
    }
    found
}

fn rebases_of(chain: &Chain, chronicle: &Chronicle, still_open: bool, found: &mut HashMap<Oid, Rebase>) {
    // A rebase that was left open by an earlier turn started before this one's entries.
    let mut open: Option<OpenRebase> = None;
    for at in 0..chain.turn.end {
        let (entry, word) = (&chain.entries[at], &chain.words[at]);
        match word {
            Word::RebaseStart { .. } => {
                end_at_last_step(open.take(), found);
                open = Some(OpenRebase::from(entry.old));
            }
            Word::RebaseFinish(name) => {
                let Some(mut ended) = open.take() else { continue };
                // `git rebase upstream topic` starts where HEAD happened to stand; the branch knows better.
                if let Some(old) = value_before(chronicle, name, entry.new) {
                    ended.rebase.from = old;
                }
                if ended.rebase.made.contains(&entry.new) {
                    found.insert(entry.new, ended.rebase);
                }
            }
            Word::RebaseReturn if entry.message.contains("(abort)") => open = None,
            _ => {
                let Some(open) = &mut open else { continue };
                if word.creates() {
                    open.rebase.made.insert(entry.new);
                }
                if matches!(word, Word::Pick(Via::Rebase)) {
                    open.rebase.squashed += usize::from(is_squash(&entry.message));
                    open.last_step = Some((entry.new, open.rebase.clone()));
                }
            }
        }
    }
    if !still_open {
        end_at_last_step(open, found);
    }
}

/// A rebase on the way.
struct OpenRebase {
    rebase: Rebase,
    /// The last commit that the rebase itself made, and what had been made by then.
    last_step: Option<(Oid, Rebase)>,
}

impl OpenRebase {
    fn from(from: Oid) -> OpenRebase {
        OpenRebase {
            rebase: Rebase {
                from,
                made: HashSet::new(),
                squashed: 0,
            },
            last_step: None,
        }
    }
}

/// A detached HEAD is rebased without a last word: it ended with its last step.
fn end_at_last_step(open: Option<OpenRebase>, found: &mut HashMap<Oid, Rebase>) {
    if let Some((tip, rebase)) = open.and_then(|open| open.last_step) {
        found.insert(tip, rebase);
    }
}

/// Whether a step of a rebase put a commit into the one before it.
pub fn is_squash(message: &str) -> bool {
    ["(squash): ", "(fixup): "].iter().any(|step| message.contains(step))
}

/// Where the line stood that is rebased by the step of a making.
pub fn line_before(chronicle: &Chronicle, making: Making) -> Option<Oid> {
    let chain = &chronicle.chains[making.chain];
    let begun = chain.words[..making.entry]
        .iter()
        .rposition(|word| matches!(word, Word::RebaseStart { .. }))?;
    let named = (making.entry..chain.entries.len()).find_map(|at| match &chain.words[at] {
        Word::RebaseFinish(name) => value_before(chronicle, name, chain.entries[at].new),
        _ => None,
    });
    Some(named.unwrap_or(chain.entries[begun].old))
}

/// What the branch named before the rebase put it on `tip`.
fn value_before(chronicle: &Chronicle, name: &str, tip: Oid) -> Option<Oid> {
    let log = chronicle
        .chains
        .iter()
        .find(|chain| chain.kind == LogKind::Ref && chain.name == name)?;
    // Later entries may name the tip again: a reset back to it.
    let put = |at: &usize| log.entries[*at].new == tip && matches!(log.words[*at], Word::RebaseFinish(_));
    let last = (0..log.entries.len()).rev().find(put)?;
    Some(log.entries[last].old).filter(|oid| !oid.is_zero())
}
