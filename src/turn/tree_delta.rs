//! The delta of two trees: a merge walk that reads only what differs.

use std::cmp::Ordering;

use crate::model::{Change, Delta, Entry, FileMode, GitSource, Oid, RawEntry, RepoPath, SourceError, TreeEntry};

/// Folders inside folders; deeper trees are refused rather than followed to the end of the stack.
const MAX_DEPTH: usize = 1024;
/// Changed paths, and files looked through: a few small trees can name each other for thousands of millions of paths.
const MAX_PATHS: usize = 2_000_000;

/// The paths in which two trees differ; `None` is the empty tree. Equal subtrees are not read.
pub fn tree_delta(source: &dyn GitSource, old: Option<Oid>, new: Option<Oid>) -> Result<Delta, SourceError> {
    let mut walk = Walk {
        source,
        path: Vec::new(),
        found: Vec::new(),
    };
    walk.trees(old, new, 0)?;
    Ok(as_delta(walk.found))
}

/// Two trees and their delta, known already.
pub struct KnownDelta<'a> {
    /// The old side.
    pub old: Option<Oid>,
    /// The new side.
    pub new: Option<Oid>,
    /// The paths in which they differ.
    pub delta: &'a Delta,
}

/// The delta of two trees of which each differs little from one of a pair whose delta is known: the trees of two heads,
/// beside the snapshots taken there. Only what differs from the pair is walked.
pub fn tree_delta_beside(
    source: &dyn GitSource,
    old: Option<Oid>,
    new: Option<Oid>,
    known: &KnownDelta<'_>,
) -> Result<Delta, SourceError> {
    let to_old = tree_delta(source, old, known.old)?;
    let to_new = tree_delta(source, new, known.new)?;
    let mut delta = known.delta.clone();
    for path in to_old.keys().chain(to_new.keys()) {
        let (before, after) = (to_old.get(path), to_new.get(path));
        let between = known.delta.get(path);
        // Where one pair says nothing of a path, its two sides are alike, and another pair knows the state.
        let known_old = before.map(|change| change.new);
        let known_old = known_old
            .or(between.map(|change| change.old))
            .or(after.map(|change| change.new));
        let known_new = after.map(|change| change.new);
        let known_new = known_new
            .or(between.map(|change| change.new))
            .or(before.map(|change| change.new));
        let change = Change {
            old: before.map(|change| change.old).or(known_old).flatten(),
            new: after.map(|change| change.old).or(known_new).flatten(),
        };
        if change.old == change.new {
            delta.remove(path);
        } else {
            delta.insert(path.clone(), change);
        }
    }
    Ok(delta)
}

/// Orders what a walk found. A tree that is out of order can give one path twice; what then turns out equal is no change.
fn as_delta(mut found: Vec<(RepoPath, Change)>) -> Delta {
    // A walk goes in git's order of trees, where the files of a folder stand behind `folder.txt`.
    if !found.is_sorted_by(|(one, _), (two, _)| one < two) {
        found.sort_by(|(one, _), (two, _)| one.cmp(two));
        found.dedup_by(|(later, second), (earlier, first)| {
            let is_same = later == earlier;
            if is_same {
                first.old = second.old.or(first.old);
                first.new = second.new.or(first.new);
            }
            is_same
        });
        found.retain(|(_, change)| change.old != change.new);
    }
    found.into_iter().collect()
}

struct Walk<'a> {
    source: &'a dyn GitSource,
    path: Vec<u8>,
    found: Vec<(RepoPath, Change)>,
}

impl Walk<'_> {
    fn trees(&mut self, old: Option<Oid>, new: Option<Oid>, depth: usize) -> Result<(), SourceError> {
        if old == new {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(SourceError::Limit("tree depth"));
        }
        let old_tree = old.map(|oid| self.source.read_tree(oid)).transpose()?;
        let new_tree = new.map(|oid| self.source.read_tree(oid)).transpose()?;
        let mut olds = old_tree.iter().flat_map(|tree| tree.raw_entries());
        let mut news = new_tree.iter().flat_map(|tree| tree.raw_entries());
        let (mut old, mut new) = (olds.next(), news.next());
        loop {
            let order = match (&old, &new) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(two)) if one.raw == two.raw => {
                    (old, new) = (olds.next(), news.next());
                    continue;
                }
                (Some(one), Some(two)) => tree_order(one, two),
            };
            let one = old.filter(|_| order.is_le()).map(|entry| entry.read());
            let two = new.filter(|_| order.is_ge()).map(|entry| entry.read());
            self.entries(one, two, depth)?;
            if order.is_le() {
                old = olds.next();
            }
            if order.is_ge() {
                new = news.next();
            }
        }
    }

    fn entries(
        &mut self,
        old: Option<TreeEntry<'_>>,
        new: Option<TreeEntry<'_>>,
        depth: usize,
    ) -> Result<(), SourceError> {
        let state = |entry: Option<TreeEntry<'_>>| {
            entry.map(|entry| Entry {
                mode: entry.mode,
                oid: entry.oid,
            })
        };
        let (before, after) = (state(old), state(new));
        if before == after {
            return Ok(());
        }
        let Some(entry) = old.or(new) else { return Ok(()) };
        let length = self.path.len();
        if length > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(entry.name);
        // Both sides are of one kind here: `tree_order` tells a folder from a file of the same name.
        if entry.mode == FileMode::TREE {
            self.trees(old.map(|entry| entry.oid), new.map(|entry| entry.oid), depth + 1)?;
        } else {
            if self.found.len() == MAX_PATHS {
                return Err(SourceError::Limit("changed paths"));
            }
            let change = Change {
                old: before,
                new: after,
            };
            self.found.push((RepoPath::from(&self.path), change));
        }
        self.path.truncate(length);
        Ok(())
    }
}

/// Git's order inside a tree object: a folder sorts as if its name ended in a slash.
fn tree_order(one: &RawEntry<'_>, two: &RawEntry<'_>) -> Ordering {
    let (first, second) = (one.name(), two.name());
    let key = |entry: &RawEntry<'_>, name: &[u8], at: usize| match name.get(at) {
        Some(&byte) => byte,
        None if entry.is_tree() => b'/',
        None => 0,
    };
    let common = first.len().min(second.len());
    first[..common].cmp(&second[..common]).then_with(|| {
        let by_key = key(one, first, common).cmp(&key(two, second, common));
        by_key.then(first.len().cmp(&second.len()))
    })
}

/// The state of one path in a tree.
pub fn lookup(source: &dyn GitSource, tree: Option<Oid>, path: &[u8]) -> Result<Option<Entry>, SourceError> {
    let slash = path.iter().rposition(|&byte| byte == b'/');
    let (directory, name) = slash.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
    let Some(directory) = subtree(source, tree, directory)? else {
        return Ok(None);
    };
    let tree = source.read_tree(directory)?;
    let found = tree
        .raw_entries()
        .find(|entry| !entry.is_tree() && entry.name() == name);
    Ok(found.map(|entry| entry.read()).map(|entry| Entry {
        mode: entry.mode,
        oid: entry.oid,
    }))
}

/// The tree of a directory; the root for the empty path.
fn subtree(source: &dyn GitSource, tree: Option<Oid>, directory: &[u8]) -> Result<Option<Oid>, SourceError> {
    let Some(mut oid) = tree else { return Ok(None) };
    for name in directory.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        let tree = source.read_tree(oid)?;
        let found = tree.raw_entries().find(|entry| entry.is_tree() && entry.name() == name);
        match found {
            Some(entry) => oid = entry.read().oid,
            None => return Ok(None),
        }
    }
    Ok(Some(oid))
}

/// Whether a tree holds, at any depth under a directory, a file whose path is wanted.
pub fn any_file_under(
    source: &dyn GitSource,
    tree: Option<Oid>,
    directory: &[u8],
    wanted: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<bool, SourceError> {
    let Some(root) = subtree(source, tree, directory)? else {
        return Ok(false);
    };
    let mut pending = vec![(directory.to_vec(), root)];
    let mut visited = 0;
    while let Some((directory, oid)) = pending.pop() {
        if directory.iter().filter(|&&byte| byte == b'/').count() > MAX_DEPTH {
            return Err(SourceError::Limit("tree depth"));
        }
        for entry in source.read_tree(oid)?.entries() {
            visited += 1;
            if visited > MAX_PATHS {
                return Err(SourceError::Limit("files looked through"));
            }
            let mut path = directory.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend(entry.name);
            if entry.mode == FileMode::TREE {
                pending.push((path, entry.oid));
            } else if wanted(&path) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
