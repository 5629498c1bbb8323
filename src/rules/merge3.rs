//! Three-way merge of trees, on deltas: what `git merge` makes of two sides, computed without git.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Bound;
use std::rc::Rc;

pub use super::rename_pairing::MergeLimits;
use super::rename_pairing::{Interest, MovedDirectories, directory, match_renames, readable};
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
    /// Sources whose partner may be another than the one found, or none found where git finds one; with the other
    /// targets they may have.
    unsure: BTreeMap<&'a RepoPath, Vec<&'a RepoPath>>,
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
        if self.theirs.is_empty() {
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
        let resolved = match self.ours.get(path) {
            None => Resolved::Clean(theirs.new),
            Some(ours) => self.resolve(theirs.old, ours.new, theirs.new)?,
        };
        match resolved {
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
                .map_or(Ok(Rc::from([])), |oid| self.contents.read_blob(oid));
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
    fn gone_directories(&self, side: &Delta, other: &Delta) -> Result<BTreeSet<&'a [u8]>, SourceError>
    where
        'a: 'a,
    {
        let (side, other) = self.own(side, other);
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

    /// The deltas with the lifetime of the merge.
    fn own(&self, side: &Delta, _other: &Delta) -> (&'a Delta, &'a Delta) {
        if std::ptr::eq(side, self.ours) {
            (self.ours, self.theirs)
        } else {
            (self.theirs, self.ours)
        }
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
    fn renames(&self, side: &Delta, other: &Delta, gone: &BTreeSet<&[u8]>) -> Result<Renames<'a>, SourceError> {
        let (side, other) = self.own(side, other);
        let mut wanted: BTreeSet<&RepoPath> = BTreeSet::new();
        let is_source = |change: &Change| change.new.is_none() && !change.old.is_some_and(|old| is_empty_blob(old.oid));
        let (fewer, more) = if side.len() <= other.len() {
            (side, other)
        } else {
            (other, side)
        };
        for path in fewer.keys().filter(|path| more.contains_key(*path)) {
            if let Some((path, change)) = side.get_key_value(path)
                && is_source(change)
            {
                wanted.insert(path);
            }
        }
        // git sees no addition to a moved directory where all of them are in new subdirectories, unless it has to
        // look for renames anyway.
        let added_beside = |directory: &[u8]| {
            under(other, directory)
                .any(|(path, change)| change.old.is_none() && gone.contains(super::rename_pairing::directory(path)))
        };
        if !wanted.is_empty() || gone.iter().any(|directory| added_beside(directory)) {
            for directory in outermost(gone) {
                wanted.extend(
                    under(side, directory)
                        .filter(|(_, change)| is_source(change))
                        .map(|(path, _)| path),
                );
            }
        }
        let mut renames = Renames::default();
        if wanted.is_empty() {
            return Ok(renames);
        }
        let (mut deleted, mut added) = (Vec::new(), Vec::new());
        for (path, change) in side {
            match (change.old, change.new) {
                // An empty file is no evidence of a rename: git leaves it out of merges, exact or not.
                (Some(entry), None) if !is_empty_blob(entry.oid) => deleted.push((path, entry)),
                (None, Some(entry)) if !is_empty_blob(entry.oid) => added.push((path, entry)),
                _ => {}
            }
        }
        if added.is_empty() {
            return Ok(renames);
        }
        let wanted: HashSet<usize> = deleted
            .iter()
            .enumerate()
            .filter(|(_, (path, _))| wanted.contains(path))
            .map(|(index, _)| index)
            .collect();
        let matches = match_renames(&deleted, &added, &Interest::Only(wanted), self.contents, self.limits)?;
        for found in matches.pairs {
            let (from, to) = (deleted[found.source].0, added[found.target].0);
            renames.by_source.insert(from, Rename { to, exact: found.exact });
            renames.moved.record(from, to);
        }
        renames.unsure = matches
            .unsure
            .into_iter()
            .map(|source| (deleted[source].0, Vec::new()))
            .collect();
        for (sources, targets) in &matches.ambiguous {
            for &source in sources {
                let path = deleted[source].0;
                if other.contains_key(path) {
                    renames
                        .unsure
                        .entry(path)
                        .or_default()
                        .extend(targets.iter().map(|&target| added[target].0));
                }
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
        for (&source, targets) in ours.unsure.iter().chain(&theirs.unsure) {
            if self.ours.contains_key(source) && self.theirs.contains_key(source) {
                for path in std::iter::once(source).chain(targets.iter().copied()) {
                    merged.conflicts.insert(path.clone());
                    settled.insert(path.clone());
                }
            }
        }
        let sources: BTreeSet<&RepoPath> = ours.by_source.keys().chain(theirs.by_source.keys()).copied().collect();
        for source in sources {
            let (Some(our_change), Some(their_change)) = (self.ours.get(source), self.theirs.get(source)) else {
                continue;
            };
            let (our_rename, their_rename) = (ours.by_source.get(source), theirs.by_source.get(source));
            let unsure = ours.unsure.contains_key(source) || theirs.unsure.contains_key(source);
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
            // A target that two renames or an addition share stays in conflict whichever comes last.
            let contested = ends
                .iter()
                .any(|&path| path != source && merged.conflicts.contains(path));
            match (resolved, our_rename.or(their_rename)) {
                (Resolved::Clean(state), Some(rename)) if !contested => {
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
        gone: &BTreeSet<&[u8]>,
        mover: &Renames<'a>,
        adder_renames: &Renames<'a>,
        merged: &mut Merged,
    ) {
        for directory in outermost(gone) {
            let unsure = mover.unsure.keys().any(|source| is_under(source, directory));
            for (path, _) in under(adder, directory).filter(|(_, change)| change.old.is_none()) {
                let destination = ancestors(path)
                    .filter(|ancestor| gone.contains(ancestor))
                    .find_map(|ancestor| mover.moved.destination(ancestor).map(|to| (ancestor, to)));
                if destination.is_none() && !unsure {
                    continue;
                }
                merged.conflicts.insert(path.clone());
                merged.changes.remove(path);
                if let Some((from, to)) = destination {
                    let rest = &path[from.len() + 1..];
                    let moved = if to.is_empty() {
                        rest.to_vec()
                    } else {
                        [to, b"/", rest].concat()
                    };
                    merged.conflicts.insert(moved.into());
                }
                let origin = adder_renames.by_source.iter().find(|(_, rename)| rename.to == path);
                if let Some((&source, _)) = origin {
                    merged.conflicts.insert(source.clone());
                    merged.changes.remove(source);
                }
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

/// Whether a path lies in a directory, at any depth.
fn is_under(path: &[u8], directory: &[u8]) -> bool {
    path.len() > directory.len() && path.starts_with(directory) && path[directory.len()] == b'/'
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
