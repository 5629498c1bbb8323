//! Which commit a pick replays: one of the same author and author date.

use std::cell::OnceCell;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::chronicle::Chronicle;
use super::turn_commits::TurnCommits;
use crate::model::{Commit, GitSource, Oid, Signature, SourceError};

/// The most commits looked through for originals.
const MAX_LOOKED_AT: usize = 200_000;
/// An original is not committed before it is written; clocks of two machines may differ by this (seconds).
const CLOCK_SKEW: i64 = 86_400;

/// Finds the originals of picks. Nothing is read before the first one is asked for.
pub struct Originals<'a> {
    source: &'a dyn GitSource,
    chronicle: &'a Chronicle,
    commits: &'a TurnCommits,
    /// The turn's start, seconds since the epoch.
    start: i64,
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
        commits: &'a TurnCommits,
        start: i64,
        heads: Vec<Oid>,
    ) -> Originals<'a> {
        Originals {
            source,
            chronicle,
            commits,
            start,
            heads,
            found: OnceCell::new(),
        }
    }

    /// The commits that `commit` may replay: reachable from a ref first, then any that a log names; the turn's own
    /// last; the newest of several first. Its own descendants are no originals of it.
    pub fn of(&self, commit: &Commit) -> Result<Vec<Oid>, SourceError> {
        if self.found.get().is_none() {
            let candidates = self.search()?;
            self.found.get_or_init(|| candidates);
        }
        let Some(candidates) = self.found.get().and_then(|found| found.get(&commit.author)) else {
            return Ok(Vec::new());
        };
        let mut others = Vec::new();
        for &candidate in candidates {
            if !self.source.is_ancestor(commit.oid, candidate)? {
                others.push(candidate);
            }
        }
        // What arrived in the turn may be a server's copy of this very commit: it counts only where there is
        // nothing that was here.
        let was_here = |oid: &Oid| self.chronicle.made.contains_key(oid) || self.is_older(*oid);
        if others.iter().any(was_here) {
            others.retain(was_here);
        }
        others.sort_by_key(|oid| self.commits.made_here.contains(oid));
        Ok(others)
    }

    fn is_older(&self, oid: Oid) -> bool {
        let commit = self.source.read_commit(oid);
        !self.commits.made_here.contains(&oid) && commit.is_ok_and(|commit| commit.committer.seconds < self.start)
    }

    fn search(&self) -> Result<Candidates, SourceError> {
        let mut wanted = HashSet::new();
        let mut oldest = i64::MAX;
        for &oid in &self.commits.made_here {
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
        search.down_from(self.heads.clone())?;
        if !self.chronicle.position.lost {
            search.down_from(self.source.refs()?.into_iter().map(|found| found.oid).collect())?;
            search.down_from(self.chronicle.named_until_end().collect())?;
        }
        let mut found = search.found;
        for candidates in found.values_mut() {
            candidates.retain(|oid| self.was_there(*oid));
        }
        Ok(found)
    }

    /// Whether a candidate existed in the turn. Refs are read as they stand now, and a later copy of a turn
    /// commit holds the agent's work.
    fn was_there(&self, oid: Oid) -> bool {
        if self.commits.made_here.contains(&oid) || self.commits.fetched.contains(&oid) {
            return true;
        }
        self.is_older(oid) && !self.chronicle.made_later(oid)
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
