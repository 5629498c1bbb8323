//! The delta of two trees: a merge walk that reads only what differs.

use std::cmp::Ordering;

use crate::model::{Change, Delta, Entry, FileMode, GitSource, Oid, RepoPath, SourceError, TreeEntry};

/// Folders inside folders; deeper trees are refused rather than followed to the end of the stack.
const MAX_DEPTH: usize = 1024;
/// Changed paths, and files looked through: a few small trees can name each other for thousands of millions of paths.
const MAX_PATHS: usize = 2_000_000;

/// The paths in which two trees differ; `None` is the empty tree. Equal subtrees are not read.
pub fn tree_delta(source: &dyn GitSource, old: Option<Oid>, new: Option<Oid>) -> Result<Delta, SourceError> {
    let mut walk = Walk {
        source,
        path: Vec::new(),
        delta: Delta::new(),
    };
    walk.trees(old, new, 0)?;
    // A tree that is out of order can give one path twice; what then turns out equal is no change.
    walk.delta.retain(|_, change| change.old != change.new);
    Ok(walk.delta)
}

struct Walk<'a> {
    source: &'a dyn GitSource,
    path: Vec<u8>,
    delta: Delta,
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
        let mut olds = old_tree.iter().flat_map(|tree| tree.entries()).peekable();
        let mut news = new_tree.iter().flat_map(|tree| tree.entries()).peekable();
        loop {
            let order = match (olds.peek(), news.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(two)) => tree_order(one, two),
            };
            let one = if order.is_le() { olds.next() } else { None };
            let two = if order.is_ge() { news.next() } else { None };
            self.entries(one, two, depth)?;
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
        if state(old) == state(new) {
            return Ok(());
        }
        let Some(name) = old.or(new).map(|entry| entry.name) else {
            return Ok(());
        };
        let length = self.path.len();
        if length > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        // Both sides are of one kind here: `tree_order` tells a folder from a file of the same name.
        if old.or(new).is_some_and(|entry| entry.mode == FileMode::TREE) {
            self.trees(old.map(|entry| entry.oid), new.map(|entry| entry.oid), depth + 1)?;
        } else {
            if self.delta.len() == MAX_PATHS {
                return Err(SourceError::Limit("changed paths"));
            }
            let change = self
                .delta
                .entry(RepoPath::from(&self.path))
                .or_insert(Change { old: None, new: None });
            change.old = state(old).or(change.old);
            change.new = state(new).or(change.new);
        }
        self.path.truncate(length);
        Ok(())
    }
}

/// Git's order inside a tree object: a folder sorts as if its name ended in a slash.
fn tree_order(one: &TreeEntry<'_>, two: &TreeEntry<'_>) -> Ordering {
    let key = |entry: &TreeEntry<'_>, at: usize| match entry.name.get(at) {
        Some(&byte) => byte,
        None if entry.mode == FileMode::TREE => b'/',
        None => 0,
    };
    let common = one.name.len().min(two.name.len());
    one.name[..common].cmp(&two.name[..common]).then_with(|| {
        let (first, second) = (key(one, common), key(two, common));
        first.cmp(&second).then(one.name.len().cmp(&two.name.len()))
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
        .entries()
        .find(|entry| entry.name == name && entry.mode != FileMode::TREE);
    Ok(found.map(|entry| Entry {
        mode: entry.mode,
        oid: entry.oid,
    }))
}

/// The tree of a directory; the root for the empty path.
fn subtree(source: &dyn GitSource, tree: Option<Oid>, directory: &[u8]) -> Result<Option<Oid>, SourceError> {
    let Some(mut oid) = tree else { return Ok(None) };
    for name in directory.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        let tree = source.read_tree(oid)?;
        let found = tree
            .entries()
            .find(|entry| entry.name == name && entry.mode == FileMode::TREE);
        match found {
            Some(entry) => oid = entry.oid,
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
