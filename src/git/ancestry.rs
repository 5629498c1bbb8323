//! Who descends from whom: merge bases, ancestors, and the commits of a range.
//!
//! libgit2 has these too, but cannot be stopped in the middle of them, and a history can be long. The walks go by commit
//! date, as git's do, and mark what is reachable from which side until all that is left has nothing new to tell.

use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::raw_commit;
use crate::model::{CommitWalk, Oid, SourceError};

/// What a walk has to know of a commit.
#[derive(Clone, Debug)]
pub struct Links {
    /// Its parents as git sees them.
    pub parents: Vec<Oid>,
    /// When it was committed (seconds since the epoch).
    pub seconds: i64,
}

impl Links {
    /// Reads them from the raw text of a commit.
    pub fn parse(raw: &[u8]) -> Option<Links> {
        let mut parents = Vec::new();
        let mut lines = raw.split(|&byte| byte == b'\n');
        lines.next()?.strip_prefix(b"tree ")?;
        for line in lines {
            if let Some(parent) = line.strip_prefix(b"parent ") {
                parents.push(Oid::from_hex(parent)?);
            } else if let Some(committer) = line.strip_prefix(b"committer ") {
                let seconds = raw_commit::signature_seconds(committer);
                return Some(Links { parents, seconds });
            } else if line.is_empty() {
                break;
            }
        }
        None
    }
}

/// Reads the links of a commit; an error also once the call has to end.
pub trait ReadLinks {
    /// The links of a commit.
    fn links(&self, oid: Oid) -> Result<Links, SourceError>;
}

/// Clocks differ, so a walk goes on a little after all that is left looks settled; git looks at as many.
const SLOP: u32 = 5;

const ONE: u8 = 1;
const TWO: u8 = 2;
/// Reachable from a common ancestor that was found.
const STALE: u8 = 4;
const RESULT: u8 = 8;

/// The best common ancestors: those that no other common ancestor descends from.
pub fn merge_bases(source: &dyn ReadLinks, one: Oid, two: Oid) -> Result<Vec<Oid>, SourceError> {
    if one == two {
        return Ok(vec![one]);
    }
    let found = paint(source, one, &[two])?.common();
    // Where clocks were wrong the walk may have met a common ancestor before the one that descends from it.
    let mut best = found.clone();
    for &oid in &found {
        let others: Vec<Oid> = best.iter().copied().filter(|&other| other != oid).collect();
        if others.len() == best.len() || others.is_empty() {
            continue;
        }
        let flags = paint(source, oid, &others)?.flags;
        let reached = |oid: &Oid, from: u8| flags.get(oid).is_some_and(|&flags| flags & from != 0);
        best.retain(|other| {
            if *other == oid {
                !reached(other, TWO)
            } else {
                !reached(other, ONE)
            }
        });
    }
    Ok(best)
}

/// Whether `ancestor` is `descendant` or reachable from it.
pub fn is_ancestor(source: &dyn ReadLinks, ancestor: Oid, descendant: Oid) -> Result<bool, SourceError> {
    if ancestor == descendant {
        return Ok(true);
    }
    let painted = paint(source, ancestor, &[descendant])?;
    Ok(painted.flags.get(&ancestor).is_some_and(|&flags| flags & TWO != 0))
}

struct Painted {
    flags: HashMap<Oid, u8>,
    results: Vec<(i64, Oid)>,
}

impl Painted {
    /// Common ancestors, the newest first.
    fn common(self) -> Vec<Oid> {
        let flags = self.flags;
        let mut common = self.results;
        common.retain(|(_, oid)| flags[oid] & STALE == 0);
        common.sort_unstable_by(|a, b| b.cmp(a));
        common.into_iter().map(|(_, oid)| oid).collect()
    }
}

/// Goes down from one commit and from others, the newest first, until only what is below common ancestors is left.
fn paint(source: &dyn ReadLinks, one: Oid, others: &[Oid]) -> Result<Painted, SourceError> {
    let mut flags: HashMap<Oid, u8> = HashMap::new();
    let mut queue = Queue::default();
    for (oid, flag) in others.iter().map(|&oid| (oid, TWO)).chain([(one, ONE)]) {
        if flags.insert(oid, flag).is_none() {
            queue.push(source.links(oid)?, oid);
        }
    }
    let mut fresh = flags.len();
    let mut results = Vec::new();
    while fresh > 0 {
        let Some((oid, links)) = queue.pop() else { break };
        let own = flags[&oid];
        if own & STALE == 0 {
            fresh -= 1;
        }
        let mut passed = own & (ONE | TWO | STALE);
        if passed & (ONE | TWO) == ONE | TWO {
            if own & (RESULT | STALE) == 0 {
                flags.insert(oid, own | RESULT);
                results.push((links.seconds, oid));
            }
            passed |= STALE;
        }
        for &parent in &links.parents {
            let known = flags.get(&parent).copied();
            let before = known.unwrap_or(0);
            if before & passed == passed {
                continue;
            }
            let after = before | passed;
            flags.insert(parent, after);
            if !queue.holds(parent) {
                queue.push(source.links(parent)?, parent);
                fresh += usize::from(after & STALE == 0);
            } else if before & STALE == 0 && after & STALE != 0 {
                fresh -= 1;
            }
        }
    }
    Ok(Painted { flags, results })
}

/// The commits of a walk, children before parents, the newest first.
pub fn walk(source: &dyn ReadLinks, walk: &CommitWalk) -> Result<Vec<Oid>, SourceError> {
    let mut hidden: HashMap<Oid, bool> = HashMap::new();
    let mut queue = Queue::default();
    let mut shown_left = 0usize;
    let heads = walk.from.iter().map(|&oid| (oid, false));
    for (oid, hide) in walk.hide.iter().map(|&oid| (oid, true)).chain(heads) {
        if let Entry::Vacant(place) = hidden.entry(oid) {
            place.insert(hide);
            queue.push(source.links(oid)?, oid);
            shown_left += usize::from(!hide);
        }
    }
    let mut found: HashMap<Oid, Links> = HashMap::new();
    let mut oldest = i64::MAX;
    let mut slop = SLOP;
    while let Some((oid, links)) = queue.pop() {
        let hide = hidden[&oid];
        if hide {
            found.remove(&oid);
            // Nothing but hidden commits is left: they could still lead to one that was found, where clocks were wrong.
            if shown_left == 0 && links.seconds < oldest {
                if slop == 0 {
                    break;
                }
                slop -= 1;
            } else {
                slop = SLOP;
            }
        } else {
            shown_left -= 1;
            oldest = oldest.min(links.seconds);
            slop = SLOP;
        }
        for &parent in &links.parents {
            match hidden.get(&parent).copied() {
                None => {
                    hidden.insert(parent, hide);
                    queue.push(source.links(parent)?, parent);
                    shown_left += usize::from(!hide);
                }
                Some(false) if hide => {
                    hidden.insert(parent, true);
                    if queue.holds(parent) {
                        shown_left -= 1;
                    } else {
                        // It was taken for one to be shown, and so were its parents.
                        queue.push(source.links(parent)?, parent);
                    }
                }
                Some(_) => {}
            }
        }
        if !hide {
            found.insert(oid, links);
        }
    }
    if found.len() > walk.limit {
        return Err(SourceError::Limit("commits walked"));
    }
    Ok(in_order(found))
}

/// Children before parents; of those that may come next, the newest.
fn in_order(mut found: HashMap<Oid, Links>) -> Vec<Oid> {
    let mut children: HashMap<Oid, usize> = HashMap::new();
    for links in found.values() {
        for parent in links.parents.iter().collect::<HashSet<_>>() {
            *children.entry(*parent).or_default() += 1;
        }
    }
    let ready = found.iter().filter(|(oid, _)| !children.contains_key(oid));
    let mut ready: BinaryHeap<(i64, Oid)> = ready.map(|(&oid, links)| (links.seconds, oid)).collect();
    let mut order = Vec::with_capacity(found.len());
    while let Some((_, oid)) = ready.pop() {
        order.push(oid);
        let Some(links) = found.remove(&oid) else { continue };
        for parent in links.parents.into_iter().collect::<HashSet<_>>() {
            if let Some(left) = children.get_mut(&parent) {
                *left -= 1;
                if *left == 0
                    && let Some(links) = found.get(&parent)
                {
                    ready.push((links.seconds, parent));
                }
            }
        }
    }
    order
}

/// Commits to be looked at, the newest first.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<(i64, Oid)>,
    waiting: HashMap<Oid, Links>,
}

impl Queue {
    fn push(&mut self, links: Links, oid: Oid) {
        self.heap.push((links.seconds, oid));
        self.waiting.insert(oid, links);
    }

    fn pop(&mut self) -> Option<(Oid, Links)> {
        let (_, oid) = self.heap.pop()?;
        let links = self.waiting.remove(&oid)?;
        Some((oid, links))
    }

    fn holds(&self, oid: Oid) -> bool {
        self.waiting.contains_key(&oid)
    }
}
