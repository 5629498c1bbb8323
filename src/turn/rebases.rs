//! Rebases that ended in the turn, as the logs tell them.

use std::collections::{HashMap, HashSet};

use super::chronicle::{Chain, Chronicle};
use crate::model::{LogKind, Oid};
use crate::rules::reflog::Word;

/// A rebase: what it started from, and the commits it made.
#[derive(Clone, Debug)]
pub struct Rebase {
    /// Where the rebased line stood before.
    pub from: Oid,
    /// Commits made on the way, by git or by hand while it was stopped.
    pub made: HashSet<Oid>,
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
    let mut open: Option<Rebase> = None;
    let mut tip = None;
    for at in 0..chain.turn.end {
        let (entry, word) = (&chain.entries[at], &chain.words[at]);
        match word {
            Word::RebaseStart { .. } => {
                end(&mut open, tip, found);
                open = Some(Rebase {
                    from: entry.old,
                    made: HashSet::new(),
                });
            }
            Word::RebaseFinish(name) => {
                if let Some(rebase) = &mut open {
                    // `git rebase upstream topic` starts where HEAD happened to stand; the branch knows better.
                    if let Some(old) = value_before(chronicle, name, entry.new) {
                        rebase.from = old;
                    }
                }
                end(&mut open, Some(entry.new), found);
            }
            Word::RebaseReturn if entry.message.contains("(abort)") => open = None,
            Word::Checkout { .. } | Word::Reset(_) | Word::Clone => {
                // A detached HEAD is rebased without a last word: what comes next ends it.
                if tip == Some(entry.old) {
                    end(&mut open, tip, found);
                }
            }
            _ if word.creates() => {
                if let Some(rebase) = &mut open {
                    rebase.made.insert(entry.new);
                }
            }
            _ => {}
        }
        tip = Some(entry.new);
    }
    if !still_open {
        end(&mut open, tip, found);
    }
}

fn end(open: &mut Option<Rebase>, tip: Option<Oid>, found: &mut HashMap<Oid, Rebase>) {
    if let (Some(rebase), Some(tip)) = (open.take(), tip)
        && rebase.made.contains(&tip)
    {
        found.insert(tip, rebase);
    }
}

/// What the branch named before the rebase put it on `tip`.
fn value_before(chronicle: &Chronicle, name: &str, tip: Oid) -> Option<Oid> {
    let log = chronicle
        .chains
        .iter()
        .find(|chain| chain.kind == LogKind::Ref && chain.name == name)?;
    let last = log.entries.iter().rposition(|entry| entry.new == tip)?;
    matches!(log.words[last], Word::RebaseFinish(_))
        .then(|| log.entries[last].old)
        .filter(|oid| !oid.is_zero())
}
