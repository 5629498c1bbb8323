//! Which commit a pick replays: one of the same author and author date.

use std::cell::OnceCell;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::chronicle::Chronicle;
use crate::model::{Commit, GitSource, Oid, Signature, SourceError};

/// The most commits looked through for originals.
const MAX_LOOKED_AT: usize = 200_000;
/// An original is not committed before it is written; clocks of two machines may differ by this (seconds).
const CLOCK_SKEW: i64 = 86_400;

/// Finds the originals of picks. Nothing is read before the first one is asked for.
pub struct Originals<'a> {
    source: &'a dyn GitSource,
    chronicle: &'a Chronicle,
    turn_commits: &'a HashSet<Oid>,
    /// Where the search starts: the head at the turn's start.
    heads: Vec<Oid>,
    found: OnceCell<Candidates>,
}

type Candidates = HashMap<Signature, Vec<Oid>>;

impl<'a> Originals<'a> {
    /// Originals for these turn commits.
    pub fn new(
        source: &'a dyn GitSource,
        chronicle: &'a Chronicle,
        turn_commits: &'a HashSet<Oid>,
        heads: Vec<Oid>,
    ) -> Originals<'a> {
        Originals {
            source,
            chronicle,
            turn_commits,
            heads,
            found: OnceCell::new(),
        }
    }

    /// The commit that `commit` replays: reachable from a ref first, then any that a log names; not one of the
    /// turn where another will do; the newest of several.
    pub fn of(&self, commit: &Commit) -> Result<Option<Oid>, SourceError> {
        if self.found.get().is_none() {
            let candidates = self.search()?;
            self.found.get_or_init(|| candidates);
        }
        let Some(candidates) = self.found.get().and_then(|found| found.get(&commit.author)) else {
            return Ok(None);
        };
        let others = || candidates.iter().copied().filter(|&oid| oid != commit.oid);
        // Its own descendant is no original of a commit.
        let mut of_turn = None;
        for candidate in others() {
            if self.source.is_ancestor(commit.oid, candidate)? {
                continue;
            }
            if !self.turn_commits.contains(&candidate) {
                return Ok(Some(candidate));
            }
            of_turn = of_turn.or(Some(candidate));
        }
        Ok(of_turn)
    }

    fn search(&self) -> Result<Candidates, SourceError> {
        let mut wanted = HashSet::new();
        let mut oldest = i64::MAX;
        for &oid in self.turn_commits {
            let author = &self.source.read_commit(oid)?.author;
            oldest = oldest.min(author.seconds);
            wanted.insert(author.clone());
        }
        let since = oldest.saturating_sub(CLOCK_SKEW);
        let mut search = Search {
            source: self.source,
            since,
            wanted,
            seen: HashSet::new(),
            found: HashMap::new(),
        };
        let mut reachable = self.heads.clone();
        reachable.extend(self.source.refs()?.into_iter().map(|found| found.oid));
        search.down_from(reachable)?;
        let logged = self.chronicle.chains.iter().flat_map(|chain| &chain.entries);
        search.down_from(logged.flat_map(|entry| [entry.new, entry.old]).collect())?;
        Ok(search.found)
    }
}

struct Search<'a> {
    source: &'a dyn GitSource,
    since: i64,
    wanted: HashSet<Signature>,
    seen: HashSet<Oid>,
    found: Candidates,
}

impl Search<'_> {
    /// Looks newest first, so that of several candidates the newest stands first.
    fn down_from(&mut self, heads: Vec<Oid>) -> Result<(), SourceError> {
        let mut pending = BinaryHeap::new();
        for oid in heads {
            self.enter(oid, &mut pending);
        }
        while let Some((_, oid)) = pending.pop() {
            self.source.check_aborted()?;
            let commit = self.source.read_commit(oid)?;
            if self.wanted.contains(&commit.author) {
                self.found.entry(commit.author.clone()).or_default().push(oid);
            }
            for &parent in &commit.parents {
                self.enter(parent, &mut pending);
            }
        }
        Ok(())
    }

    fn enter(&mut self, oid: Oid, pending: &mut BinaryHeap<(i64, Oid)>) {
        if oid.is_zero() || self.seen.len() >= MAX_LOOKED_AT || !self.seen.insert(oid) {
            return;
        }
        // What a ref or log names may be gone, or no commit: then it is no original either.
        let Ok(commit) = self.source.read_commit(oid) else {
            return;
        };
        if commit.committer.seconds >= self.since {
            pending.push((commit.committer.seconds, oid));
        }
    }
}
