//! Which deleted file became which added one, decided the way git's rename detection does.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use super::similarity::{Fingerprint, Score};
use crate::model::{Contents, Entry, Oid, RepoPath, SourceError};

/// How much work a merge or a rename pairing may do. Past a limit the paths concerned are reported, never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeLimits {
    /// A larger blob is neither merged nor compared.
    pub max_blob_bytes: usize,
    /// Contents are compared only while deleted times added files is at most this number squared, which is how
    /// git reads `diff.renameLimit`. Files of one name, and of one content, are still paired past it.
    pub max_rename_candidates: usize,
    /// Blob bytes read for one pairing; it bounds memory as well.
    pub max_rename_bytes: u64,
}

impl Default for MergeLimits {
    fn default() -> MergeLimits {
        MergeLimits {
            max_blob_bytes: 16 << 20,
            max_rename_candidates: 1000,
            max_rename_bytes: 128 << 20,
        }
    }
}

/// A deleted and an added path that are one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamePair {
    /// The deleted path.
    pub from: RepoPath,
    /// The added path.
    pub to: RepoPath,
    /// Similarity in percent, rounded down.
    pub score_percent: u8,
    /// Whether the contents are identical.
    pub exact: bool,
}

/// The outcome of [`pair_renames`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// The pairs, in order of the added path.
    pub pairs: Vec<RenamePair>,
    /// Whether a content was not compared, for a limit or because it could not be read: another pairing is possible.
    pub limited: bool,
}

/// The least similarity of a pair.
const THRESHOLD: Score = Score::from_percent(50);

/// Files that keep their name are paired before others are looked at. The bar is higher, so that a far better
/// match under another name is not lost.
const SAME_NAME_THRESHOLD: Score = Score::from_percent(75);

/// Of the deleted files similar to an added one, this many best ones stay in the running.
const BEST_PER_TARGET: usize = 4;

/// Pairs deleted with added paths as `git diff -M` does: identical contents first (the same name preferred), then
/// unique names kept across directories, then the most similar. Only regular files pair by similarity. Both lists
/// must be in order of the path.
pub fn pair_renames(
    deleted: &[(RepoPath, Entry)],
    added: &[(RepoPath, Entry)],
    contents: &dyn Contents,
    limits: &MergeLimits,
) -> Result<Pairing, SourceError> {
    let deleted: Vec<_> = deleted.iter().map(|(path, entry)| (path, *entry)).collect();
    let added: Vec<_> = added.iter().map(|(path, entry)| (path, *entry)).collect();
    let matches = match_renames(&deleted, &added, &Interest::All, contents, limits)?;
    let pairs = matches.pairs.iter().map(|found| RenamePair {
        from: deleted[found.source].0.clone(),
        to: added[found.target].0.clone(),
        score_percent: found.score.percent(),
        exact: found.exact,
    });
    Ok(Pairing {
        pairs: pairs.collect(),
        limited: !matches.unsure.is_empty(),
    })
}

/// Which deleted files are worth comparing by content.
pub(super) enum Interest {
    /// Each, as for display.
    All,
    /// Those whose new place matters to a merge, by index. Files that kept their name in a directory that moved
    /// are tried there first.
    Only(HashSet<usize>),
}

impl Interest {
    fn includes(&self, source: usize) -> bool {
        match self {
            Interest::All => true,
            Interest::Only(sources) => sources.contains(&source),
        }
    }
}

/// A pair, by index into the two lists.
pub(super) struct Match {
    pub source: usize,
    pub target: usize,
    pub score: Score,
    pub exact: bool,
}

/// The outcome of [`match_renames`].
#[derive(Default)]
pub(super) struct Matches {
    /// In order of the target.
    pub pairs: Vec<Match>,
    /// Sources for which a possible partner was not compared.
    pub unsure: HashSet<usize>,
    /// Sources and targets of one content that could be paired in several ways.
    pub ambiguous: Vec<(Vec<usize>, Vec<usize>)>,
}

type Listed<'a> = (&'a RepoPath, Entry);

/// [`pair_renames`] by index, comparing the contents of the sources of interest only.
pub(super) fn match_renames(
    deleted: &[Listed<'_>],
    added: &[Listed<'_>],
    interest: &Interest,
    contents: &dyn Contents,
    limits: &MergeLimits,
) -> Result<Matches, SourceError> {
    let mut pairing = Matching::new(deleted, added);
    pairing.match_identical();
    if pairing.has_candidates(interest) {
        let mut reader = Reader::new(contents, limits);
        pairing.match_names(interest, &mut reader)?;
        pairing.match_similar(interest, &mut reader, limits)?;
    }
    pairing.pairs.sort_by_key(|found| found.target);
    let ambiguous = match interest {
        Interest::All => Vec::new(),
        Interest::Only(_) => pairing.ambiguous(),
    };
    Ok(Matches {
        pairs: pairing.pairs,
        unsure: pairing.unsure,
        ambiguous,
    })
}

struct Matching<'a> {
    deleted: &'a [Listed<'a>],
    added: &'a [Listed<'a>],
    source_taken: Vec<bool>,
    target_taken: Vec<bool>,
    pairs: Vec<Match>,
    unsure: HashSet<usize>,
}

impl<'a> Matching<'a> {
    fn new(deleted: &'a [Listed<'a>], added: &'a [Listed<'a>]) -> Matching<'a> {
        Matching {
            deleted,
            added,
            source_taken: vec![false; deleted.len()],
            target_taken: vec![false; added.len()],
            pairs: Vec::new(),
            unsure: HashSet::new(),
        }
    }

    fn take(&mut self, source: usize, target: usize, score: Score, exact: bool) {
        self.source_taken[source] = true;
        self.target_taken[target] = true;
        self.pairs.push(Match {
            source,
            target,
            score,
            exact,
        });
    }

    fn match_identical(&mut self) {
        let mut sources_of: HashMap<Oid, Vec<usize>> = HashMap::with_capacity(self.deleted.len());
        for (source, (_, entry)) in self.deleted.iter().enumerate() {
            sources_of.entry(entry.oid).or_default().push(source);
        }
        let mut exhausted: HashMap<Oid, usize> = HashMap::new();
        for (target, (path, entry)) in self.added.iter().enumerate() {
            let Some(sources) = sources_of.get(&entry.oid) else {
                continue;
            };
            // Of a content held by many deleted files, those taken at the front are skipped once and for all.
            let start = exhausted.entry(entry.oid).or_default();
            while *start < sources.len() && self.source_taken[sources[*start]] {
                *start += 1;
            }
            let mut free = sources[*start..]
                .iter()
                .copied()
                .filter(|&source| !self.source_taken[source] && entry.mode.same_type(self.deleted[source].1.mode));
            let Some(first) = free.next() else { continue };
            let same_name = |source: usize| basename(self.deleted[source].0) == basename(path);
            let chosen = if same_name(first) {
                first
            } else {
                free.find(|&source| same_name(source)).unwrap_or(first)
            };
            self.take(chosen, target, Score::MAX, true);
        }
    }

    /// Identical contents whose pairing depends on the order in which files are met. For display that is the order
    /// of the path; a merge meets them in an order of its own.
    fn ambiguous(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut groups: HashMap<Oid, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for found in self.pairs.iter().filter(|found| found.exact) {
            groups.entry(self.deleted[found.source].1.oid).or_default();
        }
        for (source, (_, entry)) in self.deleted.iter().enumerate() {
            if let Some((sources, _)) = groups.get_mut(&entry.oid) {
                sources.push(source);
            }
        }
        for (target, (_, entry)) in self.added.iter().enumerate() {
            if let Some((_, targets)) = groups.get_mut(&entry.oid) {
                targets.push(target);
            }
        }
        groups.retain(|_, (sources, targets)| {
            let names = unique(sources.iter().map(|&source| (basename(self.deleted[source].0), ())));
            let wanted = unique(targets.iter().map(|&target| (basename(self.added[target].0), ())));
            // Where each target has the one source of its name, no order can change the pairs.
            let settled = wanted
                .iter()
                .all(|(name, once)| once.is_some() && names.get(name) == Some(&Some(())));
            (sources.len() > 1 || targets.len() > 1) && !settled
        });
        groups.into_values().collect()
    }

    fn source_open(&self, source: usize) -> bool {
        !self.source_taken[source] && self.deleted[source].1.mode.is_file()
    }

    fn target_open(&self, target: usize) -> bool {
        !self.target_taken[target] && self.added[target].1.mode.is_file()
    }

    fn has_candidates(&self, interest: &Interest) -> bool {
        (0..self.deleted.len()).any(|source| interest.includes(source) && self.source_open(source))
            && (0..self.added.len()).any(|target| self.target_open(target))
    }

    fn match_names(&mut self, interest: &Interest, reader: &mut Reader<'_>) -> Result<(), SourceError> {
        let open_sources = (0..self.deleted.len()).filter(|&source| !self.source_taken[source]);
        let sources = unique(open_sources.map(|source| (basename(self.deleted[source].0), source)));
        let open_targets = (0..self.added.len()).filter(|&target| !self.target_taken[target]);
        let targets = unique(open_targets.map(|target| (basename(self.added[target].0), target)));
        let mut moved = match interest {
            Interest::All => None,
            Interest::Only(_) => Some(self.moved_directories()),
        };
        let by_path: HashMap<&[u8], usize> = match interest {
            Interest::All => HashMap::new(),
            Interest::Only(_) => self
                .added
                .iter()
                .enumerate()
                .map(|(target, (path, _))| (&path[..], target))
                .collect(),
        };
        for source in 0..self.deleted.len() {
            if !interest.includes(source) || !self.source_open(source) {
                continue;
            }
            let path = self.deleted[source].0;
            let name = basename(path);
            let target = if sources[name].is_some() && targets.get(name).is_some_and(Option::is_some) {
                targets[name]
            } else {
                moved
                    .as_ref()
                    .and_then(|moved| moved.destination(directory(path)))
                    .and_then(|to| {
                        let guess = if to.is_empty() {
                            name.to_vec()
                        } else {
                            [to, b"/", name].concat()
                        };
                        by_path.get(&guess[..]).copied()
                    })
            };
            let Some(target) = target.filter(|&target| self.target_open(target)) else {
                continue;
            };
            match self.compare(source, target, SAME_NAME_THRESHOLD, reader)? {
                Compared::Score(score) => {
                    self.take(source, target, score, false);
                    if let Some(moved) = &mut moved {
                        moved.record(path, self.added[target].0);
                    }
                }
                Compared::Below | Compared::Skipped => {}
            }
        }
        Ok(())
    }

    fn moved_directories(&self) -> MovedDirectories<'a> {
        let mut moved = MovedDirectories::default();
        for found in &self.pairs {
            moved.record(self.deleted[found.source].0, self.added[found.target].0);
        }
        moved
    }

    fn match_similar(
        &mut self,
        interest: &Interest,
        reader: &mut Reader<'_>,
        limits: &MergeLimits,
    ) -> Result<(), SourceError> {
        let wanted = |source: &usize| interest.includes(*source) && self.source_open(*source);
        let sources: Vec<usize> = (0..self.deleted.len()).filter(wanted).collect();
        let targets: Vec<usize> = (0..self.added.len())
            .filter(|&target| self.target_open(target))
            .collect();
        if sources.is_empty() || targets.is_empty() {
            return Ok(());
        }
        if sources.len().saturating_mul(targets.len()) > limits.max_rename_candidates.saturating_pow(2) {
            self.unsure.extend(sources);
            return Ok(());
        }
        let mut candidates = Vec::new();
        for &target in &targets {
            let mut best: Vec<Candidate> = Vec::with_capacity(BEST_PER_TARGET + 1);
            for &source in &sources {
                let score = match self.compare(source, target, THRESHOLD, reader)? {
                    Compared::Score(score) => score,
                    Compared::Below => continue,
                    Compared::Skipped => {
                        self.unsure.insert(source);
                        continue;
                    }
                };
                let same_name = basename(self.deleted[source].0) == basename(self.added[target].0);
                let candidate = Candidate {
                    score,
                    same_name,
                    source,
                    target,
                };
                // Of equals, the first in order of the path stays ahead.
                let place = best.partition_point(|other| other.rank() >= candidate.rank());
                best.insert(place, candidate);
                best.truncate(BEST_PER_TARGET);
            }
            candidates.append(&mut best);
        }
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        for Candidate {
            score, source, target, ..
        } in candidates
        {
            if !self.source_taken[source] && !self.target_taken[target] {
                self.take(source, target, score, false);
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        source: usize,
        target: usize,
        at_least: Score,
        reader: &mut Reader<'_>,
    ) -> Result<Compared, SourceError> {
        let (old, new) = (self.deleted[source].1.oid, self.added[target].1.oid);
        if !reader.load(old)? || !reader.load(new)? {
            return Ok(Compared::Skipped);
        }
        let (Some(Some(old)), Some(Some(new))) = (reader.known.get(&old), reader.known.get(&new)) else {
            return Ok(Compared::Skipped);
        };
        Ok(old.similarity(new, at_least).map_or(Compared::Below, Compared::Score))
    }
}

enum Compared {
    Score(Score),
    Below,
    Skipped,
}

struct Candidate {
    score: Score,
    same_name: bool,
    source: usize,
    target: usize,
}

impl Candidate {
    fn rank(&self) -> (Score, bool) {
        (self.score, self.same_name)
    }
}

/// Reads each blob once and keeps its fingerprint, within the limits.
struct Reader<'a> {
    contents: &'a dyn Contents,
    max_blob_bytes: usize,
    bytes_left: Cell<u64>,
    /// `None` for a blob that cannot be compared.
    known: HashMap<Oid, Option<Fingerprint>>,
}

impl<'a> Reader<'a> {
    fn new(contents: &'a dyn Contents, limits: &MergeLimits) -> Reader<'a> {
        Reader {
            contents,
            max_blob_bytes: limits.max_blob_bytes,
            bytes_left: Cell::new(limits.max_rename_bytes),
            known: HashMap::new(),
        }
    }

    /// Whether the blob can be compared.
    fn load(&mut self, oid: Oid) -> Result<bool, SourceError> {
        if let Some(known) = self.known.get(&oid) {
            return Ok(known.is_some());
        }
        let fingerprint = if self.bytes_left.get() == 0 {
            None
        } else {
            readable(self.contents.read_blob(oid))?.and_then(|content| {
                self.bytes_left
                    .set(self.bytes_left.get().saturating_sub(content.len() as u64));
                (content.len() <= self.max_blob_bytes).then(|| Fingerprint::of(&content))
            })
        };
        let loaded = fingerprint.is_some();
        self.known.insert(oid, fingerprint);
        Ok(loaded)
    }
}

/// Turns a failed read into `None`, except where the whole call must end.
pub(super) fn readable<T>(read: Result<T, SourceError>) -> Result<Option<T>, SourceError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(SourceError::Aborted) => Err(SourceError::Aborted),
        Err(_) => Ok(None),
    }
}

/// Where the files of each directory went, counted.
#[derive(Default)]
pub(super) struct MovedDirectories<'a> {
    counts: HashMap<&'a [u8], BTreeMap<&'a [u8], usize>>,
}

impl<'a> MovedDirectories<'a> {
    /// Counts a rename for its directory, and for the parents as long as the directories below kept their names.
    pub fn record(&mut self, from: &'a RepoPath, to: &'a RepoPath) {
        let (mut old, mut new) = (directory(from), directory(to));
        while old != new {
            *self.counts.entry(old).or_default().entry(new).or_default() += 1;
            if old.is_empty() || new.is_empty() || basename(old) != basename(new) {
                break;
            }
            (old, new) = (directory(old), directory(new));
        }
    }

    /// Where most of the files went. Of equals, the last in order of the path.
    pub fn destination(&self, old: &[u8]) -> Option<&'a [u8]> {
        self.counts
            .get(old)?
            .iter()
            .max_by_key(|&(_, count)| count)
            .map(|(&new, _)| new)
    }
}

/// The last component of a path.
pub(super) fn basename(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// The path without its last component; empty at the root.
pub(super) fn directory(path: &[u8]) -> &[u8] {
    path.iter()
        .rposition(|&byte| byte == b'/')
        .map_or(&[], |slash| &path[..slash])
}

/// Keys that occur once, with their value; `None` for those that occur again.
fn unique<K: Eq + Hash, V>(items: impl Iterator<Item = (K, V)>) -> HashMap<K, Option<V>> {
    let mut found = HashMap::new();
    for (key, value) in items {
        found
            .entry(key)
            .and_modify(|known| *known = None)
            .or_insert(Some(value));
    }
    found
}
