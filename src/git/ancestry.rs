//! Who descends from whom: merge bases, ancestors, and the commits of a range.
//!
//! libgit2 has these too, but cannot be stopped in the middle of them, and a history can be long. The walks go by commit
//! date, as git's do, and mark what is reachable from which side until all that is left has nothing new to tell.

use std::cell::RefCell;
use std::collections::{BinaryHeap, HashMap};

use smallvec::SmallVec;

use super::raw_commit;
use crate::model::{CommitWalk, Glance, Oid, SourceError};

/// Commits that are remembered from call to call; each takes about a hundred bytes.
const MOST_REMEMBERED: usize = 1 << 20;

/// The commits that were met, by number: a walk that goes this way again reads nothing and compares no ids. What a commit
/// says never changes, nor who descends from whom; of a history that is cut otherwise the handle is another.
#[derive(Default)]
pub struct History {
    numbers: HashMap<Oid, u32>,
    commits: Vec<Met>,
    /// Whether the first is an ancestor of the second, where that was asked.
    ancestors: HashMap<(u32, u32), bool>,
}

/// A commit that was met: by its children only, until it is looked at.
struct Met {
    oid: Oid,
    known: Option<Known>,
}

#[derive(Clone)]
struct Known {
    seconds: i64,
    author_seconds: i64,
    author: u64,
    parents: SmallVec<[u32; 2]>,
}

impl History {
    /// Forgets all where it has become too much. Numbers are of no use after it.
    pub fn trim(&mut self) {
        if self.commits.len() + self.ancestors.len() > MOST_REMEMBERED {
            *self = History::default();
        }
    }

    fn number(&mut self, oid: Oid) -> u32 {
        let next = u32::try_from(self.commits.len()).expect("fewer commits than memory holds");
        let number = *self.numbers.entry(oid).or_insert(next);
        if number == next {
            self.commits.push(Met { oid, known: None });
        }
        number
    }

    fn oid(&self, number: u32) -> Oid {
        self.commits[number as usize].oid
    }
}

/// Reads commits, and remembers them.
pub trait ReadHistory {
    /// What a commit says, read from the repository.
    fn read_glance(&self, oid: Oid) -> Result<Glance, SourceError>;
    /// What was read before.
    fn history(&self) -> &RefCell<History>;
    /// An error once the call has to end.
    fn go_on(&self) -> Result<(), SourceError>;
}

/// What a commit says.
pub fn glance(source: &dyn ReadHistory, oid: Oid) -> Result<Glance, SourceError> {
    let number = numbered(source, oid);
    let known = known(source, number)?;
    let history = source.history().borrow();
    Ok(Glance {
        seconds: known.seconds,
        author_seconds: known.author_seconds,
        author: known.author,
        parents: known.parents.iter().map(|&parent| history.oid(parent)).collect(),
    })
}

fn numbered(source: &dyn ReadHistory, oid: Oid) -> u32 {
    source.history().borrow_mut().number(oid)
}

fn known(source: &dyn ReadHistory, number: u32) -> Result<Known, SourceError> {
    source.go_on()?;
    let oid = {
        let history = source.history().borrow();
        let met = &history.commits[number as usize];
        if let Some(known) = &met.known {
            return Ok(known.clone());
        }
        met.oid
    };
    let read = source.read_glance(oid)?;
    let mut history = source.history().borrow_mut();
    let known = Known {
        seconds: read.seconds,
        author_seconds: read.author_seconds,
        author: read.author,
        parents: read.parents.iter().map(|&parent| history.number(parent)).collect(),
    };
    history.commits[number as usize].known = Some(known.clone());
    Ok(known)
}

/// Reads it from the raw text of a commit.
pub fn parse_glance(raw: &[u8]) -> Option<Glance> {
    let mut parents = SmallVec::new();
    let mut author = None;
    let mut lines = raw.split(|&byte| byte == b'\n');
    lines.next()?.strip_prefix(b"tree ")?;
    for line in lines {
        if let Some(parent) = line.strip_prefix(b"parent ") {
            parents.push(Oid::from_hex(parent)?);
        } else if let Some(person) = line.strip_prefix(b"author ") {
            author = author.or(Some(person));
        } else if let Some(committer) = line.strip_prefix(b"committer ") {
            let author = raw_commit::signature(author.unwrap_or_default());
            return Some(Glance {
                seconds: raw_commit::signature_seconds(committer),
                author_seconds: author.seconds,
                author: author.digest(),
                parents,
            });
        } else if line.is_empty() {
            break;
        }
    }
    None
}

/// Clocks differ, so a walk goes on a little after all that is left looks settled; git looks at as many.
const SLOP: u32 = 5;

const ONE: u8 = 1;
const TWO: u8 = 2;
/// Reachable from a common ancestor that was found.
const STALE: u8 = 4;
const RESULT: u8 = 8;

/// Beside these, where a commit waits to be looked at.
const WAITING: u8 = 16;

/// The best common ancestors: those that no other common ancestor descends from.
pub fn merge_bases(source: &dyn ReadHistory, one: Oid, two: Oid) -> Result<Vec<Oid>, SourceError> {
    if one == two {
        return Ok(vec![one]);
    }
    let (one, two) = (numbered(source, one), numbered(source, two));
    let found = paint(source, one, &[two])?.common(&source.history().borrow());
    // Where clocks were wrong the walk may have met a common ancestor before the one that descends from it.
    let mut best = found.clone();
    for &commit in &found {
        let others: Vec<u32> = best.iter().copied().filter(|&other| other != commit).collect();
        if others.len() == best.len() || others.is_empty() {
            continue;
        }
        let painted = paint(source, commit, &others)?;
        best.retain(|&other| painted.marks.of(other) & if other == commit { TWO } else { ONE } == 0);
    }
    let history = source.history().borrow();
    Ok(best.into_iter().map(|commit| history.oid(commit)).collect())
}

/// Whether `ancestor` is `descendant` or reachable from it.
pub fn is_ancestor(source: &dyn ReadHistory, ancestor: Oid, descendant: Oid) -> Result<bool, SourceError> {
    if ancestor == descendant {
        return Ok(true);
    }
    let (ancestor, descendant) = (numbered(source, ancestor), numbered(source, descendant));
    if let Some(&known) = source.history().borrow().ancestors.get(&(ancestor, descendant)) {
        return Ok(known);
    }
    let is_ancestor = paint(source, ancestor, &[descendant])?.marks.of(ancestor) & TWO != 0;
    let mut history = source.history().borrow_mut();
    history.ancestors.insert((ancestor, descendant), is_ancestor);
    Ok(is_ancestor)
}

/// What is known of each commit in a walk, by its number.
#[derive(Default)]
struct Marks(Vec<u8>);

impl Marks {
    fn of(&self, commit: u32) -> u8 {
        self.0.get(commit as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, commit: u32, marks: u8) {
        let at = commit as usize;
        if self.0.len() <= at {
            self.0.resize((at + 1).max(self.0.len() * 2), 0);
        }
        self.0[at] = marks;
    }
}

struct Painted {
    marks: Marks,
    results: Vec<(i64, u32)>,
}

impl Painted {
    /// Common ancestors, the newest first. Of two of one second the ids decide: numbers tell which was met first, by
    /// this call or one before, and what is merged of them must not depend on that.
    fn common(self, history: &History) -> Vec<u32> {
        let marks = self.marks;
        let mut common = self.results;
        common.retain(|&(_, commit)| marks.of(commit) & STALE == 0);
        let place = |&(seconds, commit): &(i64, u32)| (seconds, history.oid(commit));
        common.sort_unstable_by_key(|found| std::cmp::Reverse(place(found)));
        common.into_iter().map(|(_, commit)| commit).collect()
    }
}

/// Goes down from one commit and from others, the newest first, until only what is below common ancestors is left.
fn paint(source: &dyn ReadHistory, one: u32, others: &[u32]) -> Result<Painted, SourceError> {
    let mut marks = Marks::default();
    let mut queue = BinaryHeap::new();
    let mut fresh = 0usize;
    for (commit, mark) in others.iter().map(|&commit| (commit, TWO)).chain([(one, ONE)]) {
        if marks.of(commit) == 0 {
            queue.push((known(source, commit)?.seconds, commit));
            fresh += 1;
        }
        marks.set(commit, mark | WAITING);
    }
    let mut results = Vec::new();
    while fresh > 0 {
        let Some((seconds, commit)) = queue.pop() else { break };
        let own = marks.of(commit) & !WAITING;
        marks.set(commit, own);
        if own & STALE == 0 {
            fresh -= 1;
        }
        let mut passed = own & (ONE | TWO | STALE);
        if passed & (ONE | TWO) == ONE | TWO {
            if own & (RESULT | STALE) == 0 {
                marks.set(commit, own | RESULT);
                results.push((seconds, commit));
            }
            passed |= STALE;
        }
        for parent in known(source, commit)?.parents {
            let before = marks.of(parent);
            if before & passed == passed {
                continue;
            }
            let after = before | passed;
            if before & WAITING == 0 {
                queue.push((known(source, parent)?.seconds, parent));
                fresh += usize::from(after & STALE == 0);
            } else if before & STALE == 0 && after & STALE != 0 {
                fresh -= 1;
            }
            marks.set(parent, after | WAITING);
        }
    }
    Ok(Painted { marks, results })
}

const MET: u8 = 1;
const HIDDEN: u8 = 2;
const FOUND: u8 = 4;

/// The commits of a walk, children before parents, the newest first.
pub fn walk(source: &dyn ReadHistory, walk: &CommitWalk) -> Result<Vec<Oid>, SourceError> {
    let mut marks = Marks::default();
    let mut queue = BinaryHeap::new();
    let mut shown_left = 0usize;
    let heads = walk.from.iter().map(|&oid| (oid, 0));
    for (oid, hide) in walk.hide.iter().map(|&oid| (oid, HIDDEN)).chain(heads) {
        let commit = numbered(source, oid);
        if marks.of(commit) == 0 {
            marks.set(commit, MET | WAITING | hide);
            queue.push((known(source, commit)?.seconds, commit));
            shown_left += usize::from(hide == 0);
        }
    }
    let mut found = Vec::new();
    let mut oldest = i64::MAX;
    let mut slop = SLOP;
    while let Some((seconds, commit)) = queue.pop() {
        let own = marks.of(commit) & !WAITING;
        let hide = own & HIDDEN;
        if hide != 0 {
            marks.set(commit, own & !FOUND);
            // Nothing but hidden commits is left: they could still lead to one that was found, where clocks were wrong.
            if shown_left == 0 && seconds < oldest {
                if slop == 0 {
                    break;
                }
                slop -= 1;
            } else {
                slop = SLOP;
            }
        } else {
            marks.set(commit, own | FOUND);
            found.push(commit);
            shown_left -= 1;
            oldest = oldest.min(seconds);
            slop = SLOP;
        }
        for parent in known(source, commit)?.parents {
            let before = marks.of(parent);
            if before == 0 {
                marks.set(parent, MET | WAITING | hide);
                queue.push((known(source, parent)?.seconds, parent));
                shown_left += usize::from(hide == 0);
            } else if hide != 0 && before & HIDDEN == 0 {
                if before & WAITING != 0 {
                    shown_left -= 1;
                } else {
                    // It was taken for one to be shown, and so were its parents.
                    queue.push((known(source, parent)?.seconds, parent));
                }
                marks.set(parent, before | HIDDEN | WAITING);
            }
        }
    }
    found.retain(|&commit| marks.of(commit) & FOUND != 0);
    if found.len() > walk.limit {
        return Err(SourceError::Limit("commits walked"));
    }
    in_order(source, &found)
}

/// Children before parents; of those that may come next, the newest.
fn in_order(source: &dyn ReadHistory, found: &[u32]) -> Result<Vec<Oid>, SourceError> {
    let mut children: HashMap<u32, usize> = found.iter().map(|&commit| (commit, 0)).collect();
    let parents_of = |commit: u32| -> Result<SmallVec<[u32; 2]>, SourceError> {
        let mut parents = known(source, commit)?.parents;
        parents.sort_unstable();
        parents.dedup();
        Ok(parents)
    };
    for &commit in found {
        for parent in parents_of(commit)? {
            children.entry(parent).and_modify(|count| *count += 1);
        }
    }
    let place = |commit: u32| -> Result<(i64, Oid, u32), SourceError> {
        let seconds = known(source, commit)?.seconds;
        Ok((seconds, source.history().borrow().oid(commit), commit))
    };
    let ready = found.iter().filter(|commit| children[*commit] == 0);
    let mut ready = ready
        .map(|&commit| place(commit))
        .collect::<Result<BinaryHeap<_>, _>>()?;
    let mut order = Vec::with_capacity(found.len());
    while let Some((_, oid, commit)) = ready.pop() {
        order.push(oid);
        for parent in parents_of(commit)? {
            if let Some(left) = children.get_mut(&parent) {
                *left -= 1;
                if *left == 0 {
                    ready.push(place(parent)?);
                }
            }
        }
    }
    Ok(order)
}
