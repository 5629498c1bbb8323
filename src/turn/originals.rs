//! Which commit a pick replays: one of the same author and author date.

use std::cell::OnceCell;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::chronicle::Chronicle;
use super::evidence::glance_if_there;
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

type Candidates = HashMap<Signature, Vec<(Place, Oid)>>;

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

    /// The commits that `commit` may replay, best kind first. Its own descendants are no originals of it, nor is what
    /// was made later. If the log says that its message was `kept`, only those of one message with it, where some are.
    pub fn of(
        &self,
        commit: &Commit,
        kept: bool,
        made_later: impl Fn(Oid) -> bool,
    ) -> Result<Vec<Candidate>, SourceError> {
        if self.found.get().is_none() {
            let candidates = self.search()?;
            self.found.get_or_init(|| candidates);
        }
        let Some(found) = self.found.get().and_then(|found| found.get(&commit.author)) else {
            return Ok(Vec::new());
        };
        let mut candidates = Vec::new();
        for &(place, oid) in found {
            if !made_later(oid) && !self.source.is_ancestor(commit.oid, oid)? {
                let kind = self.kind(place, oid)?;
                candidates.push(Candidate { kind, oid });
            }
        }
        candidates.sort_by_key(|candidate| candidate.kind);
        if kept {
            self.of_one_message(commit, candidates)
        } else {
            Ok(candidates)
        }
    }

    /// Those of the best kind that there is; of one message with `commit` where some are.
    pub fn best(&self, commit: &Commit, candidates: &[Candidate]) -> Result<Vec<Oid>, SourceError> {
        let best = candidates.iter().copied();
        let best = best.filter(|candidate| candidate.kind == candidates[0].kind).collect();
        let best = self.of_one_message(commit, best)?;
        Ok(best.iter().map(|candidate| candidate.oid).collect())
    }

    /// Those of one message with `commit`; all where none is.
    fn of_one_message(&self, commit: &Commit, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, SourceError> {
        let mut same = Vec::new();
        for &candidate in &candidates {
            if self.same_message(commit, candidate.oid)? {
                same.push(candidate);
            }
        }
        Ok(if same.is_empty() { candidates } else { same })
    }

    /// Whether two commits are of one message, by its first line.
    pub fn same_message(&self, commit: &Commit, other: Oid) -> Result<bool, SourceError> {
        Ok(self.source.read_commit(other)?.summary == commit.summary)
    }

    fn kind(&self, place: Place, oid: Oid) -> Result<Kind, SourceError> {
        let made_here = self.commits.made_here.contains(&oid);
        Ok(match place {
            _ if made_here && self.chronicle.made.contains_key(&oid) => Kind::MadeHere,
            _ if made_here || !self.is_older(oid)? => Kind::Arrived,
            Place::Ref => Kind::OnRef,
            Place::Log => Kind::InLog,
        })
    }

    fn is_older(&self, oid: Oid) -> Result<bool, SourceError> {
        Ok(self.source.read_commit(oid)?.committer.seconds < self.start)
    }

    fn search(&self) -> Result<Candidates, SourceError> {
        let mut wanted = HashSet::new();
        let mut oldest = i64::MAX;
        for &oid in &self.commits.made_here {
            let author = &self.source.read_commit(oid)?.author;
            oldest = oldest.min(author.seconds);
            wanted.insert(author.digest());
        }
        let since = oldest.saturating_sub(CLOCK_SKEW);
        let mut search = Search {
            source: self.source,
            since,
            wanted,
            seen: HashSet::new(),
            found: HashMap::new(),
        };
        search.down_from(self.heads.clone(), Place::Ref)?;
        if !self.chronicle.position.lost {
            let logged: HashMap<&str, Option<Oid>> = self.chronicle.refs_before().collect();
            let unlogged = self
                .source
                .refs()?
                .into_iter()
                .filter(|found| !logged.contains_key(found.name.as_str()));
            let mut standing: Vec<Oid> = unlogged.map(|found| found.oid).collect();
            standing.extend(logged.into_values().flatten());
            search.down_from(standing, Place::Ref)?;
            search.down_from(self.chronicle.named_until_end().collect(), Place::Log)?;
        }
        let mut found = search.found;
        for candidates in found.values_mut() {
            let mut there = Vec::with_capacity(candidates.len());
            for &(place, oid) in &*candidates {
                if self.was_there(oid)? {
                    there.push((place, oid));
                }
            }
            *candidates = there;
        }
        Ok(found)
    }

    /// Whether a candidate existed in the turn: a later copy of a turn commit holds the agent's work.
    fn was_there(&self, oid: Oid) -> Result<bool, SourceError> {
        if self.commits.made_here.contains(&oid) || self.commits.fetched.contains(&oid) {
            return Ok(true);
        }
        Ok(self.is_older(oid)? && !self.chronicle.made_later(oid))
    }
}

/// A commit that another may replay.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The commit.
    pub oid: Oid,
    kind: Kind,
}

/// Where a candidate was found.
#[derive(Clone, Copy)]
enum Place {
    /// Reachable from the head at the start, or from a ref as it stood before the turn.
    Ref,
    /// Named by a log only.
    Log,
}

/// What a candidate is, best first. A copy that was left behind or came back from a server may hold the very
/// resolution that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    OnRef,
    InLog,
    MadeHere,
    Arrived,
}

struct Search<'a> {
    source: &'a dyn GitSource,
    since: i64,
    /// Digests of authors.
    wanted: HashSet<u64>,
    seen: HashSet<Oid>,
    found: Candidates,
}

impl Search<'_> {
    /// Looks newest first, so that of several candidates the newest stands first.
    fn down_from(&mut self, heads: Vec<Oid>, place: Place) -> Result<(), SourceError> {
        let mut pending = BinaryHeap::new();
        for oid in heads {
            self.enter(oid, &mut pending)?;
        }
        while let Some((_, oid)) = pending.pop() {
            self.source.check_stopped()?;
            let glance = self.source.glance(oid)?;
            if self.wanted.contains(&glance.author) {
                let author = self.source.read_commit(oid)?.author.clone();
                self.found.entry(author).or_default().push((place, oid));
            }
            for parent in glance.parents {
                self.enter(parent, &mut pending)?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, oid: Oid, pending: &mut BinaryHeap<(i64, Oid)>) -> Result<(), SourceError> {
        if oid.is_zero() || self.seen.len() >= MAX_LOOKED_AT || !self.seen.insert(oid) {
            return Ok(());
        }
        // What a ref or log names may be gone, or no commit: then it is no original either.
        if let Some(commit) = glance_if_there(self.source, oid)?
            && commit.seconds >= self.since
        {
            pending.push((commit.seconds, oid));
        }
        Ok(())
    }
}
