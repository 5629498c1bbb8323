//! Which deleted file became which added one, decided the way git's rename detection does.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use super::similarity::{ChunkIndex, Fingerprint, Score};
use crate::model::{Contents, Entry, FileMode, Oid, RepoPath, SourceError};

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
    /// Shared chunks looked at when all files are compared with all; it bounds time. Past it they are not paired by
    /// similarity.
    pub max_rename_work: u64,
}

impl Default for MergeLimits {
    fn default() -> MergeLimits {
        MergeLimits {
            max_blob_bytes: 128 << 20,
            max_rename_candidates: 1000,
            max_rename_bytes: 128 << 20,
            max_rename_work: 500_000_000,
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
    /// Targets that were not compared with a source, since one of the two could not be read.
    pub unread: HashSet<usize>,
    /// Sources and targets that are equally good for one another. Left empty for display.
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
    if let Interest::Only(_) = interest {
        pairing.note_identical_rivals();
    }
    if pairing.has_candidates(interest) {
        let mut reader = Reader::new(contents, limits);
        pairing.match_names(interest, &mut reader)?;
        pairing.match_similar(interest, &mut reader, limits)?;
    }
    pairing.pairs.sort_by_key(|found| found.target);
    Ok(Matches {
        pairs: pairing.pairs,
        unsure: pairing.unsure,
        unread: pairing.unread,
        ambiguous: pairing.ambiguous,
    })
}

/// Sources in order of the path, of which the taken ones are dropped from the front.
#[derive(Default)]
struct Queue {
    items: Vec<usize>,
    start: usize,
}

impl Queue {
    fn first(&mut self, taken: &[bool]) -> Option<usize> {
        while self.items.get(self.start).is_some_and(|&item| taken[item]) {
            self.start += 1;
        }
        self.items.get(self.start).copied()
    }
}

struct Matching<'a> {
    deleted: &'a [Listed<'a>],
    added: &'a [Listed<'a>],
    source_taken: Vec<bool>,
    target_taken: Vec<bool>,
    pairs: Vec<Match>,
    unsure: HashSet<usize>,
    unread: HashSet<usize>,
    ambiguous: Vec<(Vec<usize>, Vec<usize>)>,
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
            unread: HashSet::new(),
            ambiguous: Vec::new(),
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
        // Regular files pair whatever their permission; a link or submodule only with its like.
        let kind = |entry: Entry| {
            (
                entry.oid,
                if entry.mode.is_file() {
                    FileMode::REGULAR
                } else {
                    entry.mode
                },
            )
        };
        let mut sources: HashMap<_, Queue> = HashMap::with_capacity(self.deleted.len());
        let mut named: HashMap<_, Queue> = HashMap::with_capacity(self.deleted.len());
        for (source, &(path, entry)) in self.deleted.iter().enumerate() {
            sources.entry(kind(entry)).or_default().items.push(source);
            named
                .entry((kind(entry), basename(path)))
                .or_default()
                .items
                .push(source);
        }
        for (target, &(path, entry)) in self.added.iter().enumerate() {
            let same_name = named.get_mut(&(kind(entry), basename(path)));
            let chosen = same_name
                .and_then(|queue| queue.first(&self.source_taken))
                .or_else(|| sources.get_mut(&kind(entry))?.first(&self.source_taken));
            if let Some(source) = chosen {
                self.take(source, target, Score::MAX, true);
            }
        }
    }

    /// Notes identical contents whose pairing depends on the order in which files are met. For display that is the
    /// order of the path; a merge of git meets them in an order of its own.
    fn note_identical_rivals(&mut self) {
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
        self.ambiguous.extend(groups.into_values());
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
        for source in 0..self.deleted.len() {
            if !interest.includes(source) || !self.source_open(source) {
                continue;
            }
            let path = self.deleted[source].0;
            let name = basename(path);
            let only_one = sources[name].and_then(|_| targets.get(name).copied().flatten());
            let target = only_one.or_else(|| {
                let to = moved.as_ref()?.destination(directory(path))?;
                let guess = join(to, name);
                self.added.binary_search_by(|(path, _)| path[..].cmp(&guess)).ok()
            });
            let Some(target) = target.filter(|&target| self.target_open(target)) else {
                continue;
            };
            if let Compared::Score(score) = self.compare(source, target, SAME_NAME_THRESHOLD, None, reader)? {
                self.take(source, target, score, false);
                if let Some(moved) = &mut moved {
                    moved.record(path, self.added[target].0);
                }
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
        let index = reader.index(sources.iter().map(|&source| self.deleted[source].1.oid))?;
        let mut shared = vec![0; sources.len()];
        let mut work = 0;
        for &target in &targets {
            let mut best: Vec<Candidate> = Vec::with_capacity(BEST_PER_TARGET + 1);
            let oid = self.added[target].1.oid;
            reader.load(oid)?;
            if let Known::Print(print) = &reader.known[&oid] {
                work += index.shared_bytes(print, &mut shared);
            }
            if work > limits.max_rename_work {
                self.unsure.extend(sources);
                return Ok(());
            }
            for (&source, &shared) in sources.iter().zip(&shared) {
                let score = match self.compare(source, target, THRESHOLD, Some(shared), reader)? {
                    Compared::Score(score) => score,
                    Compared::Below => continue,
                    Compared::Skipped => {
                        self.unsure.insert(source);
                        continue;
                    }
                    Compared::Unread => {
                        self.unsure.insert(source);
                        self.unread.insert(target);
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
        for equals in candidates.chunk_by(|one, two| one.rank() == two.rank()) {
            if let Interest::Only(_) = interest {
                self.note_equal_rivals(equals);
            }
            for &Candidate {
                score, source, target, ..
            } in equals
            {
                if !self.source_taken[source] && !self.target_taken[target] {
                    self.take(source, target, score, false);
                }
            }
        }
        Ok(())
    }

    /// Notes pairs of equal merit that exclude one another: which of them git takes depends on its order.
    fn note_equal_rivals(&mut self, equals: &[Candidate]) {
        let open =
            |candidate: &&Candidate| !self.source_taken[candidate.source] && !self.target_taken[candidate.target];
        let open: Vec<&Candidate> = equals.iter().filter(open).collect();
        let sources = unique(open.iter().map(|candidate| (candidate.source, ())));
        let targets = unique(open.iter().map(|candidate| (candidate.target, ())));
        for candidate in open {
            if sources[&candidate.source].is_none() || targets[&candidate.target].is_none() {
                self.ambiguous.push((vec![candidate.source], vec![candidate.target]));
            }
        }
    }

    fn compare(
        &self,
        source: usize,
        target: usize,
        at_least: Score,
        shared: Option<u64>,
        reader: &mut Reader<'_>,
    ) -> Result<Compared, SourceError> {
        let (old, new) = (self.deleted[source].1.oid, self.added[target].1.oid);
        reader.load(old)?;
        reader.load(new)?;
        Ok(match (&reader.known[&old], &reader.known[&new]) {
            (Known::Print(old), Known::Print(new)) => shared
                .map_or_else(
                    || old.similarity(new, at_least),
                    |shared| old.score(new, shared, at_least),
                )
                .map_or(Compared::Below, Compared::Score),
            // Whatever is in it, a content several times as large is not similar.
            (Known::Print(print), Known::TooLarge(size)) | (Known::TooLarge(size), Known::Print(print))
                if print.size() < size / 2 =>
            {
                Compared::Below
            }
            (Known::Unreadable, _) | (_, Known::Unreadable) => Compared::Unread,
            _ => Compared::Skipped,
        })
    }
}

enum Compared {
    Score(Score),
    Below,
    /// For a limit.
    Skipped,
    /// One of the two cannot be read.
    Unread,
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

/// Reads each blob once and keeps what comparing it takes, within the limits.
struct Reader<'a> {
    contents: &'a dyn Contents,
    max_blob_bytes: usize,
    bytes_left: u64,
    known: HashMap<Oid, Known>,
}

enum Known {
    Print(Fingerprint),
    TooLarge(u64),
    /// More is not read.
    OverLimit,
    Unreadable,
}

impl<'a> Reader<'a> {
    fn new(contents: &'a dyn Contents, limits: &MergeLimits) -> Reader<'a> {
        Reader {
            contents,
            max_blob_bytes: limits.max_blob_bytes,
            bytes_left: limits.max_rename_bytes,
            known: HashMap::new(),
        }
    }

    /// An index of contents, numbered in order.
    fn index(&mut self, contents: impl Iterator<Item = Oid>) -> Result<ChunkIndex, SourceError> {
        let mut index = ChunkIndex::default();
        for (number, oid) in contents.enumerate() {
            self.load(oid)?;
            if let Known::Print(print) = &self.known[&oid] {
                index.add(number, print);
            }
        }
        Ok(index)
    }

    fn load(&mut self, oid: Oid) -> Result<(), SourceError> {
        if self.known.contains_key(&oid) {
            return Ok(());
        }
        if self.bytes_left == 0 {
            self.known.insert(oid, Known::OverLimit);
            return Ok(());
        }
        let known = match readable(self.contents.read_blob(oid))? {
            None => Known::Unreadable,
            Some(content) => {
                self.bytes_left = self.bytes_left.saturating_sub(content.len() as u64);
                if content.len() > self.max_blob_bytes {
                    Known::TooLarge(content.len() as u64)
                } else {
                    Known::Print(Fingerprint::of(&content))
                }
            }
        };
        self.known.insert(oid, known);
        Ok(())
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

/// A path inside a directory; empty is the root.
pub(super) fn join(directory: &[u8], rest: &[u8]) -> Vec<u8> {
    if directory.is_empty() {
        rest.to_vec()
    } else {
        [directory, b"/", rest].concat()
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Contents by the first byte of their id.
    struct Blobs(Vec<&'static str>);

    impl Contents for Blobs {
        fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
            let found = self.0.get(oid.as_bytes()[0] as usize);
            found
                .map(|text| text.as_bytes().into())
                .ok_or(SourceError::Missing(oid))
        }

        fn store_blob(&self, _: Vec<u8>) -> Oid {
            unreachable!("pairing stores nothing")
        }

        fn merge_text(&self, _: &[u8], _: &[u8], _: &[u8]) -> Option<Vec<u8>> {
            unreachable!("pairing merges nothing")
        }
    }

    fn listed(files: &[(&str, FileMode, u8)]) -> Vec<(RepoPath, Entry)> {
        let entry = |mode, blob| Entry {
            mode,
            oid: Oid::from_bytes(&[blob; 20]).expect("20 bytes are an id"),
        };
        files
            .iter()
            .map(|&(path, mode, blob)| (path.into(), entry(mode, blob)))
            .collect()
    }

    fn pairs(deleted: &[(&str, FileMode, u8)], added: &[(&str, FileMode, u8)]) -> (Vec<(String, String, u8)>, bool) {
        let blobs = Blobs(vec!["a\nb\nc\nd\n", "a\nb\nc\ne\n", "a\nb\nx\ny\n", "q\n"]);
        let pairing = pair_renames(&listed(deleted), &listed(added), &blobs, &MergeLimits::default());
        let pairing = pairing.expect("nothing aborts");
        let pairs = pairing
            .pairs
            .iter()
            .map(|pair| (pair.from.display(), pair.to.display(), pair.score_percent));
        (pairs.collect(), pairing.limited)
    }

    fn pair(from: &str, to: &str, score: u8) -> (String, String, u8) {
        (from.to_string(), to.to_string(), score)
    }

    const FILE: FileMode = FileMode::REGULAR;

    #[test]
    fn of_identical_files_the_one_of_the_same_name_is_taken() {
        let (found, _) = pairs(
            &[("a/x", FILE, 0), ("b/y", FILE, 0)],
            &[("c/y", FILE, 0), ("c/z", FILE, 0)],
        );
        assert_eq!(found, [pair("b/y", "c/y", 100), pair("a/x", "c/z", 100)]);
    }

    #[test]
    fn a_name_kept_goes_before_a_better_match_only_from_75_percent_on() {
        let (found, _) = pairs(&[("a/x", FILE, 0)], &[("b/x", FILE, 1), ("b/y", FILE, 0)]);
        assert_eq!(found, [pair("a/x", "b/y", 100)]);
        let (found, _) = pairs(&[("a/x", FILE, 1)], &[("b/x", FILE, 0), ("b/y", FILE, 2)]);
        assert_eq!(found, [pair("a/x", "b/x", 75)]);
        let (found, _) = pairs(&[("a/x", FILE, 0)], &[("b/x", FILE, 2), ("b/y", FILE, 1)]);
        assert_eq!(found, [pair("a/x", "b/y", 75)]);
    }

    #[test]
    fn only_regular_files_pair_by_similarity() {
        let link = FileMode::SYMLINK;
        assert_eq!(pairs(&[("a", link, 0)], &[("b", link, 1)]).0, []);
        assert_eq!(pairs(&[("a", link, 0)], &[("b", link, 0)]).0, [pair("a", "b", 100)]);
        assert_eq!(pairs(&[("a", link, 0)], &[("b", FILE, 0)]).0, []);
        assert_eq!(
            pairs(&[("a", FileMode::EXECUTABLE, 0)], &[("b", FILE, 0)]).0,
            [pair("a", "b", 100)]
        );
    }

    #[test]
    fn a_content_that_cannot_be_read_is_reported() {
        assert_eq!(pairs(&[("a", FILE, 0)], &[("b", FILE, 9)]), (vec![], true));
        assert_eq!(pairs(&[("a", FILE, 0)], &[("b", FILE, 3)]), (vec![], false));
    }

    #[test]
    fn renames_count_for_parents_that_kept_their_names() {
        let (from, to) = (RepoPath::from("a/x/y/file"), RepoPath::from("b/x/y/other"));
        let mut moved = MovedDirectories::default();
        moved.record(&from, &to);
        assert_eq!(moved.destination(b"a/x/y"), Some(&b"b/x/y"[..]));
        assert_eq!(moved.destination(b"a/x"), Some(&b"b/x"[..]));
        assert_eq!(moved.destination(b"a"), Some(&b"b"[..]));
        assert_eq!(moved.destination(b"b"), None);
    }
}
