//! Three-way merge of trees, on deltas: what `git merge` makes of two sides, computed without git.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

pub use super::rename_pairing::MergeLimits;
use super::rename_pairing::{Interest, Matches, MovedDirectories, directory, join, match_renames, readable};
use crate::model::{Change, Contents, Delta, Entry, FileMode, Oid, RepoPath, SourceError};

/// The outcome of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Changes to apply on top of `ours`: path to new state (`None`: removed). Where the merge conflicts, ours stays.
    pub changes: BTreeMap<RepoPath, Option<Entry>>,
    /// Paths on which git would stop, or may: both ends where a rename is involved.
    pub conflicts: BTreeSet<RepoPath>,
    /// Paths whose result rests on an inexact rename pairing, both ends.
    pub inexact: BTreeSet<RepoPath>,
}

/// What the base tree holds beside the paths of the deltas. It tells a directory that is gone from one that
/// merely lost some files.
pub trait BaseFiles {
    /// Whether the base holds, at any depth under `directory`, a file whose whole path satisfies `wanted`.
    fn any_file_under(&self, directory: &[u8], wanted: &mut dyn FnMut(&[u8]) -> bool) -> Result<bool, SourceError>;
}

/// Merges two sides, given what each changed of their common base. Without a view of the base, a directory counts
/// as gone when the deltas show files leaving it and none staying: a conflict too many, never one too few.
pub fn merge3(
    ours: &Delta,
    theirs: &Delta,
    contents: &dyn Contents,
    limits: &MergeLimits,
) -> Result<Merged, SourceError> {
    Merge {
        ours,
        theirs,
        base: None,
        contents,
        limits,
    }
    .run()
}

/// [`merge3`] with a view of the base, asked only where a directory may have been renamed.
pub fn merge3_with_base(
    ours: &Delta,
    theirs: &Delta,
    base: &dyn BaseFiles,
    contents: &dyn Contents,
    limits: &MergeLimits,
) -> Result<Merged, SourceError> {
    Merge {
        ours,
        theirs,
        base: Some(base),
        contents,
        limits,
    }
    .run()
}

/// A rename on one side.
#[derive(Clone, Copy)]
struct Rename<'a> {
    to: &'a RepoPath,
    exact: bool,
}

/// The renames of one side that matter to the merge.
#[derive(Default)]
struct Renames<'a> {
    by_source: BTreeMap<&'a RepoPath, Rename<'a>>,
    moved: MovedDirectories<'a>,
    /// Sources whose partner may be another than the one found, or none found where git finds one.
    unsure: BTreeSet<&'a RepoPath>,
    /// Where such sources may have gone.
    open: BTreeSet<&'a RepoPath>,
}

/// What a side removed and added, in order of the path. Empty files are no evidence of a rename: git leaves them out
/// of merges, however exact the match.
struct Files<'a> {
    deleted: Vec<(&'a RepoPath, Entry)>,
    added: Vec<(&'a RepoPath, Entry)>,
}

impl<'a> Files<'a> {
    fn of(side: &'a Delta) -> Files<'a> {
        let mut files = Files {
            deleted: Vec::new(),
            added: Vec::new(),
        };
        for (path, change) in side {
            match (change.old, change.new) {
                (Some(entry), None) if !is_empty_blob(entry.oid) => files.deleted.push((path, entry)),
                (None, Some(entry)) if !is_empty_blob(entry.oid) => files.added.push((path, entry)),
                _ => {}
            }
        }
        files
    }

    fn pair(&self, wanted: impl Fn(&RepoPath) -> bool, merge: &Merge<'_>) -> Result<Matches, SourceError> {
        let wanted = (0..self.deleted.len())
            .filter(|&source| wanted(self.deleted[source].0))
            .collect();
        match_renames(
            &self.deleted,
            &self.added,
            &Interest::Only(wanted),
            merge.contents,
            merge.limits,
        )
    }
}

enum Resolved {
    Clean(Option<Entry>),
    Conflict,
}

struct Merge<'a> {
    ours: &'a Delta,
    theirs: &'a Delta,
    base: Option<&'a dyn BaseFiles>,
    contents: &'a dyn Contents,
    limits: &'a MergeLimits,
}

impl<'a> Merge<'a> {
    fn run(&self) -> Result<Merged, SourceError> {
        let mut merged = Merged::default();
        if self.ours.is_empty() {
            merged.changes = self
                .theirs
                .iter()
                .map(|(path, change)| (path.clone(), change.new))
                .collect();
            return Ok(merged);
        }
        if self.theirs.is_empty() || self.ours == self.theirs {
            return Ok(merged);
        }
        let our_gone = self.gone_directories(self.ours, self.theirs)?;
        let their_gone = self.gone_directories(self.theirs, self.ours)?;
        let our_renames = self.renames(self.ours, self.theirs, &our_gone)?;
        let their_renames = self.renames(self.theirs, self.ours, &their_gone)?;

        let mut settled = BTreeSet::new();
        self.merge_renamed(&our_renames, &their_renames, &mut merged, &mut settled)?;
        for (path, theirs) in self.theirs {
            if !settled.contains(path) {
                self.merge_path(path, theirs, &mut merged)?;
            }
        }
        self.flag_additions_to_moved_directories(self.theirs, &our_gone, &our_renames, &their_renames, &mut merged);
        self.flag_additions_to_moved_directories(self.ours, &their_gone, &their_renames, &our_renames, &mut merged);
        self.separate_files_from_directories(&settled, &mut merged);
        Ok(merged)
    }

    /// A path that both sides left in place, or that is in one delta only.
    fn merge_path(&self, path: &RepoPath, theirs: &Change, merged: &mut Merged) -> Result<(), SourceError> {
        let Some(ours) = self.ours.get(path) else {
            merged.changes.insert(path.clone(), theirs.new);
            return Ok(());
        };
        match self.resolve(theirs.old, ours.new, theirs.new)? {
            Resolved::Clean(state) => self.put(path, state, merged),
            Resolved::Conflict => {
                merged.conflicts.insert(path.clone());
            }
        }
        Ok(())
    }

    fn put(&self, path: &RepoPath, state: Option<Entry>, merged: &mut Merged) {
        if state != self.state_in(self.ours, path) {
            merged.changes.insert(path.clone(), state);
        }
    }

    /// The state of a path of either delta on the side of `delta`.
    fn state_in(&self, delta: &Delta, path: &[u8]) -> Option<Entry> {
        match delta.get(path) {
            Some(change) => change.new,
            None => self
                .ours
                .get(path)
                .or_else(|| self.theirs.get(path))
                .and_then(|change| change.old),
        }
    }

    // ---- contents ----

    fn resolve(
        &self,
        base: Option<Entry>,
        ours: Option<Entry>,
        theirs: Option<Entry>,
    ) -> Result<Resolved, SourceError> {
        if ours == theirs || theirs == base {
            return Ok(Resolved::Clean(ours));
        }
        if ours == base {
            return Ok(Resolved::Clean(theirs));
        }
        // Modified here, deleted there; or two that are not of one type.
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return Ok(Resolved::Conflict);
        };
        if !ours.mode.same_type(theirs.mode) {
            return Ok(Resolved::Conflict);
        }
        let base = base.filter(|base| base.mode.same_type(ours.mode));
        let Some(mode) = merge_modes(base.map(|base| base.mode), ours.mode, theirs.mode) else {
            return Ok(Resolved::Conflict);
        };
        let oid = self.merge_oids(base.map(|base| base.oid), ours.oid, theirs.oid, mode)?;
        Ok(oid.map_or(Resolved::Conflict, |oid| Resolved::Clean(Some(Entry { mode, oid }))))
    }

    fn merge_oids(
        &self,
        base: Option<Oid>,
        ours: Oid,
        theirs: Oid,
        mode: FileMode,
    ) -> Result<Option<Oid>, SourceError> {
        if ours == theirs || base == Some(theirs) {
            return Ok(Some(ours));
        }
        if base == Some(ours) {
            return Ok(Some(theirs));
        }
        // Links are not merged, and whether one commit of a submodule contains the other cannot be known here.
        if !mode.is_file() {
            return Ok(None);
        }
        // Two additions are merged against an empty base: they agree only where one side added nothing.
        if base.is_none() && !is_empty_blob(ours) && !is_empty_blob(theirs) {
            return Ok(None);
        }
        let mut texts = Vec::with_capacity(3);
        for oid in [base, Some(ours), Some(theirs)] {
            let read = oid
                .filter(|&oid| !is_empty_blob(oid))
                .map_or(Ok(Arc::from([])), |oid| self.contents.read_blob(oid));
            match readable(read)? {
                Some(text) if text.len() <= self.limits.max_blob_bytes => texts.push(text),
                _ => return Ok(None),
            }
        }
        Ok(self
            .contents
            .merge_text(&texts[0], &texts[1], &texts[2])
            .map(|text| self.contents.store_blob(text)))
    }

    // ---- renames ----

    /// Directories that one side emptied and in which the other added something: if their files were moved, git
    /// suggests moving the additions too, and stops.
    fn gone_directories(&self, side: &'a Delta, other: &'a Delta) -> Result<BTreeSet<&'a [u8]>, SourceError> {
        // Start from the smaller delta: each directory looked at costs a look into the other one.
        let mut gone = BTreeSet::new();
        if side.len() <= other.len() {
            let deleted = side.iter().filter(|(_, change)| change.new.is_none());
            for candidate in directories(deleted.map(|(path, _)| path)) {
                let mut added = under(other, candidate).filter(|(_, change)| change.old.is_none());
                if added.next().is_some() && self.is_gone(side, other, candidate)? {
                    gone.insert(candidate);
                }
            }
        } else {
            let added = other.iter().filter(|(_, change)| change.old.is_none());
            for candidate in directories(added.map(|(path, _)| path)) {
                if self.is_gone(side, other, candidate)? {
                    gone.insert(candidate);
                }
            }
        }
        Ok(gone)
    }

    /// Whether no file is left in a directory that had some.
    fn is_gone(&self, side: &Delta, other: &Delta, candidate: &[u8]) -> Result<bool, SourceError> {
        let mut had_files = false;
        for (_, change) in under(side, candidate) {
            if change.new.is_some() {
                return Ok(false);
            }
            had_files = true;
        }
        // A file that only the other side changed is still there.
        let stays = |(path, change): (&RepoPath, &Change)| change.old.is_some() && !side.contains_key(path);
        if !had_files || under(other, candidate).any(stays) {
            return Ok(false);
        }
        match self.base {
            None => Ok(true),
            Some(base) => Ok(!base.any_file_under(candidate, &mut |path| !side.contains_key(path))?),
        }
    }

    /// The renames of one side whose source the other side touched, or that tell where a directory went.
    fn renames(
        &self,
        side: &'a Delta,
        other: &'a Delta,
        gone: &BTreeSet<&'a [u8]>,
    ) -> Result<Renames<'a>, SourceError> {
        let is_source = |change: &Change| change.new.is_none() && !change.old.is_some_and(|old| is_empty_blob(old.oid));
        let (fewer, more) = if side.len() <= other.len() {
            (side, other)
        } else {
            (other, side)
        };
        let touched: HashSet<&RepoPath> = fewer
            .keys()
            .filter(|path| more.contains_key(*path) && side.get(*path).is_some_and(is_source))
            .collect();
        // git sees no addition to a moved directory where all of them are in new subdirectories, unless it has to
        // look for renames anyway.
        let added_beside = |path: &[u8]| {
            under(other, path).any(|(path, change)| change.old.is_none() && gone.contains(directory(path)))
        };
        let mut leaving: HashSet<&RepoPath> = HashSet::new();
        if !touched.is_empty() || gone.iter().any(|path| added_beside(path)) {
            for path in outermost(gone) {
                leaving.extend(
                    under(side, path)
                        .filter(|(_, change)| is_source(change))
                        .map(|(path, _)| path),
                );
            }
        }
        if touched.is_empty() && leaving.is_empty() {
            return Ok(Renames::default());
        }
        let files = Files::of(side);
        if files.added.is_empty() {
            return Ok(Renames::default());
        }
        let by_need = files.pair(|path| touched.contains(path), self)?;
        let mut renames = Renames::default();
        let all = if leaving.iter().all(|path| touched.contains(path)) {
            by_need
        } else {
            // git follows only as many files of a directory as it needs to. A file that is paired one way or another
            // depending on that is not to be relied on.
            let all = files.pair(|path| touched.contains(path) || leaving.contains(path), self)?;
            let partners = |matches: &Matches| -> BTreeMap<usize, usize> {
                matches.pairs.iter().map(|found| (found.source, found.target)).collect()
            };
            let (few, many) = (partners(&by_need), partners(&all));
            for (source, &(path, _)) in files.deleted.iter().enumerate() {
                let (one, two) = (few.get(&source), many.get(&source));
                if touched.contains(path) && one != two {
                    renames.unsure.insert(path);
                    renames
                        .open
                        .extend(one.into_iter().chain(two).map(|&target| files.added[target].0));
                }
            }
            all
        };
        for found in &all.pairs {
            let (from, to) = (files.deleted[found.source].0, files.added[found.target].0);
            renames.by_source.insert(from, Rename { to, exact: found.exact });
            renames.moved.record(from, to);
        }
        renames
            .unsure
            .extend(all.unsure.iter().map(|&source| files.deleted[source].0));
        // What came to them may be what the other side changed elsewhere.
        renames
            .open
            .extend(all.unread.iter().map(|&target| files.added[target].0));
        for (sources, targets) in &all.ambiguous {
            let sources = sources.iter().map(|&source| files.deleted[source].0);
            let targets = targets.iter().map(|&target| files.added[target].0);
            // Whatever the pairs are, both sides have the same.
            if sources
                .clone()
                .chain(targets.clone())
                .all(|path| other.get(path) == side.get(path))
            {
                continue;
            }
            let mut rivals = sources.filter(|path| other.contains_key(*path)).peekable();
            if rivals.peek().is_some() {
                renames.unsure.extend(rivals);
                renames.open.extend(targets);
            }
        }
        Ok(renames)
    }

    /// Settles the paths at both ends of renames.
    fn merge_renamed(
        &self,
        ours: &Renames<'a>,
        theirs: &Renames<'a>,
        merged: &mut Merged,
        settled: &mut BTreeSet<RepoPath>,
    ) -> Result<(), SourceError> {
        let unsure = ours.unsure.iter().chain(&theirs.unsure);
        let unsure = unsure.filter(|path| self.ours.contains_key(**path) && self.theirs.contains_key(**path));
        for &path in unsure.chain(&ours.open).chain(&theirs.open) {
            merged.conflicts.insert(path.clone());
            settled.insert(path.clone());
        }
        // A place that another file may have come to as well.
        let contested = |rename: &Rename, merged: &Merged| merged.conflicts.contains(rename.to);
        let sources: BTreeSet<&RepoPath> = ours.by_source.keys().chain(theirs.by_source.keys()).copied().collect();
        for source in sources {
            let (Some(our_change), Some(their_change)) = (self.ours.get(source), self.theirs.get(source)) else {
                continue;
            };
            let (our_rename, their_rename) = (ours.by_source.get(source), theirs.by_source.get(source));
            let unsure = ours.unsure.contains(source) || theirs.unsure.contains(source);
            let targets = [our_rename, their_rename];
            let ends: BTreeSet<&RepoPath> = std::iter::once(source)
                .chain(targets.iter().flatten().map(|rename| rename.to))
                .collect();
            if targets.iter().flatten().any(|rename| !rename.exact) {
                merged.inexact.extend(ends.iter().map(|&path| path.clone()));
            }
            let resolved = match (our_rename, their_rename) {
                _ if unsure => Resolved::Conflict,
                (Some(ours), Some(theirs)) if ours.to != theirs.to => Resolved::Conflict,
                (Some(ours), Some(theirs)) => self.resolve(
                    our_change.old,
                    self.state_in(self.ours, ours.to),
                    self.state_in(self.theirs, theirs.to),
                )?,
                (Some(ours), None) => self.merge_into(ours.to, self.ours, their_change, self.theirs)?,
                (None, Some(theirs)) => self.merge_into(theirs.to, self.theirs, our_change, self.ours)?,
                (None, None) => continue,
            };
            settled.extend(ends.iter().map(|&path| path.clone()));
            match (resolved, our_rename.or(their_rename)) {
                (Resolved::Clean(state), Some(rename)) if !contested(rename, merged) => {
                    self.put(source, None, merged);
                    self.put(rename.to, state, merged);
                }
                _ => merged.conflicts.extend(ends.into_iter().cloned()),
            }
        }
        Ok(())
    }

    /// Merges a file that one side moved to `target` with what the other made of it in the old place.
    fn merge_into(
        &self,
        target: &RepoPath,
        mover: &Delta,
        stayed: &Change,
        other: &Delta,
    ) -> Result<Resolved, SourceError> {
        let (moved, base) = (self.state_in(mover, target), stayed.old);
        let same_type = |one: Option<Entry>, two: Option<Entry>| {
            one.zip(two).is_some_and(|(one, two)| one.mode.same_type(two.mode))
        };
        // Deleted or replaced in the old place, or the new place is taken.
        if !same_type(stayed.new, moved) || self.state_in(other, target).is_some() {
            return Ok(Resolved::Conflict);
        }
        self.resolve(base, moved, stayed.new)
    }

    /// Flags what one side added to directories that the other one moved.
    fn flag_additions_to_moved_directories(
        &self,
        adder: &Delta,
        gone: &BTreeSet<&'a [u8]>,
        mover: &Renames<'a>,
        adder_renames: &Renames<'a>,
        merged: &mut Merged,
    ) {
        if gone.is_empty() {
            return;
        }
        let origins: HashMap<&RepoPath, &RepoPath> = adder_renames
            .by_source
            .iter()
            .map(|(&source, rename)| (rename.to, source))
            .collect();
        for outer in outermost(gone) {
            let prefix = RepoPath::from([outer, b"/"].concat());
            let mut unsure = mover.unsure.range::<&RepoPath, _>(&prefix..);
            let unsure = unsure.next().is_some_and(|source| source.starts_with(&prefix));
            for (path, _) in under(adder, outer).filter(|(_, change)| change.old.is_none()) {
                let moved = ancestors(path)
                    .filter(|ancestor| gone.contains(ancestor))
                    .find_map(|from| Some(join(mover.moved.destination(from)?, &path[from.len() + 1..])));
                if moved.is_none() && !unsure {
                    continue;
                }
                for touched in [Some(path), origins.get(path).copied()].into_iter().flatten() {
                    merged.conflicts.insert(touched.clone());
                    merged.changes.remove(touched);
                }
                merged.conflicts.extend(moved.map(RepoPath::from));
            }
        }
    }

    /// Finds paths that would be a file and a directory at once, and takes back what would make them so.
    fn separate_files_from_directories(&self, settled: &BTreeSet<RepoPath>, merged: &mut Merged) {
        // What a conflict leaves open may yet be there.
        let is_present = |path: &[u8]| match merged.changes.get(path) {
            Some(state) => state.is_some(),
            None => {
                self.state_in(self.ours, path).is_some()
                    || (merged.conflicts.contains(path) && self.state_in(self.theirs, path).is_some())
            }
        };
        let mut clashing: BTreeSet<RepoPath> = BTreeSet::new();
        let mut check = |path: &RepoPath| {
            if !is_present(path) {
                return;
            }
            let above = ancestors(path)
                .filter(|ancestor| is_present(ancestor))
                .map(RepoPath::from);
            let below = under(self.ours, path)
                .chain(under(self.theirs, path))
                .map(|(path, _)| path);
            let below = below.filter(|path| is_present(path)).cloned();
            let found: Vec<RepoPath> = above.chain(below).collect();
            if !found.is_empty() {
                clashing.insert(path.clone());
                clashing.extend(found);
            }
        };
        // A clash takes a path where the merge departs from ours and one where it departs from theirs.
        if merged.changes.len() <= self.ours.len() + settled.len() {
            merged.changes.keys().for_each(&mut check);
        } else {
            self.ours.keys().chain(settled).for_each(&mut check);
        }
        merged.conflicts.iter().for_each(&mut check);
        for path in clashing {
            // Ours is a tree: taking back what it does not hold leaves no clash.
            if self.state_in(self.ours, &path).is_none() {
                merged.changes.remove(&path);
            }
            merged.conflicts.insert(path);
        }
    }
}

/// The permission after both sides; `None` where both chose and differ.
fn merge_modes(base: Option<FileMode>, ours: FileMode, theirs: FileMode) -> Option<FileMode> {
    if ours == theirs || base == Some(theirs) {
        Some(ours)
    } else if base == Some(ours) {
        Some(theirs)
    } else {
        None
    }
}

/// Whether this is the id of the blob without content, in either hash.
fn is_empty_blob(oid: Oid) -> bool {
    const SHA1: [u8; 20] = [
        0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c,
        0x53, 0x91,
    ];
    const SHA256: [u8; 32] = [
        0x47, 0x3a, 0x0f, 0x4c, 0x3b, 0xe8, 0xa9, 0x36, 0x81, 0xa2, 0x67, 0xe3, 0xb1, 0xe9, 0xa7, 0xdc, 0xda, 0x11,
        0x85, 0x43, 0x6f, 0xe1, 0x41, 0xf7, 0x74, 0x91, 0x20, 0xa3, 0x03, 0x72, 0x18, 0x13,
    ];
    oid.as_bytes() == SHA1 || oid.as_bytes() == SHA256
}

/// The part of a delta that lies in a directory, at any depth.
fn under<'d>(delta: &'d Delta, directory: &[u8]) -> impl Iterator<Item = (&'d RepoPath, &'d Change)> + use<'d> {
    let prefix = [directory, b"/"].concat();
    let range = delta.range::<[u8], _>((Bound::Included(&prefix[..]), Bound::Unbounded));
    range.take_while(move |(path, _)| path.starts_with(&prefix))
}

/// The directories of a set that lie in no other one of it.
fn outermost<'d>(directories: &BTreeSet<&'d [u8]>) -> impl Iterator<Item = &'d [u8]> {
    let inner = |directory: &[u8]| ancestors(directory).any(|ancestor| directories.contains(ancestor));
    directories.iter().copied().filter(move |directory| !inner(directory))
}

/// The directories above a path, the nearest first, without the root.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(directory(path)), |&path| Some(directory(path))).take_while(|path| !path.is_empty())
}

/// All directories above the given paths, without the root.
fn directories<'d>(paths: impl Iterator<Item = &'d RepoPath>) -> BTreeSet<&'d [u8]> {
    let mut found = BTreeSet::new();
    for path in paths {
        for ancestor in ancestors(path) {
            if !found.insert(ancestor) {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_merge_like_contents() {
        const FILE: FileMode = FileMode::REGULAR;
        const EXECUTABLE: FileMode = FileMode::EXECUTABLE;
        assert_eq!(merge_modes(Some(FILE), EXECUTABLE, FILE), Some(EXECUTABLE));
        assert_eq!(merge_modes(Some(FILE), FILE, EXECUTABLE), Some(EXECUTABLE));
        assert_eq!(merge_modes(None, FILE, FILE), Some(FILE));
        assert_eq!(merge_modes(None, FILE, EXECUTABLE), None);
    }

    #[test]
    fn directories_are_found_by_component() {
        let files = ["a/b/c", "a-b/c", "ab"].map(RepoPath::from);
        assert_eq!(directories(files.iter()), BTreeSet::from([&b"a"[..], b"a-b", b"a/b"]));
        let delta: Delta = files
            .iter()
            .map(|path| (path.clone(), Change { old: None, new: None }))
            .collect();
        assert_eq!(
            under(&delta, b"a").map(|(path, _)| path).collect::<Vec<_>>(),
            [&files[0]]
        );
        let all = BTreeSet::from([&b"a"[..], b"a-b", b"a/b", b"a/b/c"]);
        assert_eq!(outermost(&all).collect::<Vec<_>>(), [&b"a"[..], b"a-b"]);
    }
}
