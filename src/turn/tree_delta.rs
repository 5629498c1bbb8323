//! The delta of two trees: a merge walk that reads only what differs.

use std::cmp::Ordering as Order;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::model::{
    Change, Delta, Entry, FileMode, GitSource, Oid, RawEntry, RepoPath, SourceError, Tree, TreeEntry, TreeReaders,
};

/// Folders inside folders; deeper trees are refused rather than followed to the end of the stack.
const MAX_DEPTH: usize = 1024;
/// Changed paths, and files looked through: a few small trees can name each other for thousands of millions of paths.
const MAX_PATHS: usize = 2_000_000;
/// From so many differing folders on, several threads are sooner done than one.
const MANY_PAIRS: usize = 128;
/// Bytes of stack that a folder needs at most, and how many more there are once fewer are left.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// The paths in which two trees differ; `None` is the empty tree. Equal subtrees are not read.
pub fn tree_delta(source: &dyn GitSource, old: Option<Oid>, new: Option<Oid>) -> Result<Delta, SourceError> {
    let met = Met::default();
    let mut walk = Walk::new(&met, |oid| source.read_tree(oid));
    let root = Pair {
        path: Vec::new(),
        old,
        new,
    };
    let mut pairs = vec![root];
    for depth in 0..=MAX_DEPTH {
        pairs.retain(|pair| pair.old != pair.new);
        if pairs.is_empty() {
            return Ok(as_delta(walk.found));
        }
        if pairs.len() >= MANY_PAIRS {
            match source.tree_readers() {
                Some(readers) => walk
                    .found
                    .extend(by_threads(source, readers.as_ref(), &pairs, depth, &met)?),
                None => pairs.iter().try_for_each(|pair| walk.below(pair, depth))?,
            }
            return Ok(as_delta(walk.found));
        }
        // Level by level, until there is enough for several threads.
        let mut below = Vec::new();
        for pair in pairs {
            walk.compare(&pair, &mut |_, pair| {
                below.push(pair);
                Ok(())
            })?;
        }
        pairs = below;
    }
    Err(SourceError::Limit("tree depth"))
}

/// What a walk found, in its order.
type Found = Vec<(RepoPath, Change)>;

/// Walks what lies below the pairs on several threads. What their readers do not know is walked here: the source says
/// what is wrong with it, if anything is.
fn by_threads(
    source: &dyn GitSource,
    readers: &dyn TreeReaders,
    pairs: &[Pair],
    depth: usize,
    met: &Met,
) -> Result<Found, SourceError> {
    let next = AtomicUsize::new(0);
    let work = || -> Vec<(usize, Result<Found, SourceError>)> {
        let mut reader = readers.reader();
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(pair) = pairs.get(at) else { return done };
            let mut walk = Walk::new(met, |oid| reader.read_tree(oid));
            let walked = walk.below(pair, depth);
            if walked.is_err() {
                walk.forget();
            }
            let walked = walked.map(|()| walk.found);
            let ends = matches!(
                walked,
                Err(SourceError::Aborted | SourceError::TimedOut | SourceError::Limit(_))
            );
            done.push((at, walked));
            if ends {
                // The others need not go on either.
                next.store(pairs.len(), Ordering::Relaxed);
            }
        }
    };
    let mut walked = thread::scope(|scope| {
        let others: Vec<_> = (1..readers.threads())
            .filter_map(|_| {
                thread::Builder::new()
                    .name("turn-attribution".into())
                    .spawn_scoped(scope, work)
                    .ok()
            })
            .collect();
        let mut walked = work();
        for other in others {
            match other.join() {
                Ok(more) => walked.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        walked
    });
    walked.sort_by_key(|(at, _)| *at);
    let mut found = Vec::new();
    for (at, walked) in walked {
        match walked {
            Ok(more) => found.extend(more),
            Err(error @ (SourceError::Aborted | SourceError::TimedOut | SourceError::Limit(_))) => return Err(error),
            Err(_) => {
                let mut walk = Walk::new(met, |oid| source.read_tree(oid));
                walk.below(&pairs[at], depth)?;
                found.extend(walk.found);
            }
        }
    }
    Ok(found)
}

fn check_size(paths: usize) -> Result<(), SourceError> {
    if paths > MAX_PATHS {
        return Err(SourceError::Limit("changed paths"));
    }
    Ok(())
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

/// Two trees that stand at the same path.
struct Pair {
    /// The path; empty for the root.
    path: Vec<u8>,
    old: Option<Oid>,
    new: Option<Oid>,
}

/// What all walks of a delta met together: its limits are theirs, however many there are.
#[derive(Default)]
struct Met {
    /// Pairs of folders: empty ones can name each other without end.
    folders: AtomicUsize,
    paths: AtomicUsize,
}

impl Met {
    fn one_more(counter: &AtomicUsize) -> Result<(), SourceError> {
        check_size(counter.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

struct Walk<'m, Read> {
    read: Read,
    met: &'m Met,
    compared: usize,
    found: Found,
}

impl<Read: FnMut(Oid) -> Result<Arc<Tree>, SourceError>> Walk<'_, Read> {
    fn new(met: &Met, read: Read) -> Walk<'_, Read> {
        Walk {
            read,
            met,
            compared: 0,
            found: Vec::new(),
        }
    }

    /// Takes back what it counted: somebody else walks there again.
    fn forget(&mut self) {
        self.met.folders.fetch_sub(self.compared, Ordering::Relaxed);
        self.met.paths.fetch_sub(self.found.len(), Ordering::Relaxed);
        self.found.clear();
    }

    /// All that differs at or below a pair.
    fn below(&mut self, pair: &Pair, depth: usize) -> Result<(), SourceError> {
        if depth > MAX_DEPTH {
            return Err(SourceError::Limit("tree depth"));
        }
        // The threads of the host are not ours to size.
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || {
            self.compare(pair, &mut |walk, pair| walk.below(&pair, depth + 1))
        })
    }

    /// What differs right in a pair; `descend` is given the pairs of folders in it that differ.
    fn compare(
        &mut self,
        pair: &Pair,
        descend: &mut dyn FnMut(&mut Self, Pair) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        self.compared += 1;
        Met::one_more(&self.met.folders)?;
        let old_tree = pair.old.map(&mut self.read).transpose()?;
        let new_tree = pair.new.map(&mut self.read).transpose()?;
        let mut olds = raw_entries(old_tree.as_deref());
        let mut news = raw_entries(new_tree.as_deref());
        let (mut old, mut new) = (olds.next(), news.next());
        loop {
            let order = match (&old, &new) {
                (None, None) => return Ok(()),
                (Some(_), None) => Order::Less,
                (None, Some(_)) => Order::Greater,
                (Some(one), Some(two)) if one.raw == two.raw => {
                    (old, new) = (olds.next(), news.next());
                    continue;
                }
                (Some(one), Some(two)) => tree_order(one, two),
            };
            let one = old.filter(|_| order.is_le()).map(|entry| entry.read());
            let two = new.filter(|_| order.is_ge()).map(|entry| entry.read());
            self.entries(&pair.path, one, two, descend)?;
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
        folder: &[u8],
        old: Option<TreeEntry<'_>>,
        new: Option<TreeEntry<'_>>,
        descend: &mut dyn FnMut(&mut Self, Pair) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let state = |entry: Option<TreeEntry<'_>>| {
            entry.map(|entry| Entry {
                mode: entry.mode,
                oid: entry.oid,
            })
        };
        let change = Change {
            old: state(old),
            new: state(new),
        };
        if change.old == change.new {
            return Ok(());
        }
        let Some(entry) = old.or(new) else { return Ok(()) };
        let mut path = Vec::with_capacity(folder.len() + 1 + entry.name.len());
        path.extend_from_slice(folder);
        if !folder.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(entry.name);
        // Both sides are of one kind here: `tree_order` tells a folder from a file of the same name.
        if entry.mode == FileMode::TREE {
            let (old, new) = (old.map(|entry| entry.oid), new.map(|entry| entry.oid));
            return descend(self, Pair { path, old, new });
        }
        self.found.push((RepoPath::from(path), change));
        Met::one_more(&self.met.paths)
    }
}

/// Those of no tree are none. Not by `flat_map`: this is the innermost loop.
fn raw_entries(tree: Option<&Tree>) -> impl Iterator<Item = RawEntry<'_>> {
    let mut entries = tree.map(Tree::raw_entries);
    std::iter::from_fn(move || entries.as_mut()?.next())
}

/// Git's order inside a tree object: a folder sorts as if its name ended in a slash.
fn tree_order(one: &RawEntry<'_>, two: &RawEntry<'_>) -> Order {
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

/// The state of one path in a tree; a folder is none.
pub fn lookup(source: &dyn GitSource, tree: Option<Oid>, path: &[u8]) -> Result<Option<Entry>, SourceError> {
    find(source, tree, path, |entry| !entry.is_tree())
}

/// What stands at a path of a tree, file or folder.
pub fn standing(source: &dyn GitSource, tree: Option<Oid>, path: &[u8]) -> Result<Option<Entry>, SourceError> {
    find(source, tree, path, |_| true)
}

fn find(
    source: &dyn GitSource,
    tree: Option<Oid>,
    path: &[u8],
    wanted: impl Fn(&RawEntry<'_>) -> bool,
) -> Result<Option<Entry>, SourceError> {
    let slash = path.iter().rposition(|&byte| byte == b'/');
    let (directory, name) = slash.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
    let Some(directory) = subtree(source, tree, directory)? else {
        return Ok(None);
    };
    let tree = source.read_tree(directory)?;
    let found = tree.raw_entries().find(|entry| entry.name() == name && wanted(entry));
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

#[cfg(test)]
mod tests {
    use super::super::memory::{Files, Memory, Random, put};
    use super::*;

    fn files_of(random: &mut Random, memory: &Memory) -> Files {
        let mut files = Files::new();
        for _ in 0..random.below(10) {
            put(&mut files, random.path(), random.entry(memory));
        }
        files
    }

    fn plainly(old: &Files, new: &Files) -> Delta {
        let paths = old.keys().chain(new.keys());
        let changes = paths.map(|path| {
            let [old, new] = [old, new].map(|files| files.get(path).copied());
            (RepoPath::from(path), Change { old, new })
        });
        changes.filter(|(_, change)| change.old != change.new).collect()
    }

    #[test]
    fn a_delta_beside_a_known_one_is_the_delta() {
        let memory = Memory::default();
        let mut random = Random(2);
        for round in 0..4_000 {
            let files = files_of(&mut random, &memory);
            let corners = [(); 4].map(|()| {
                let mut files = files.clone();
                for _ in 0..random.below(5) {
                    random.change(&memory, &mut files);
                }
                files
            });
            let trees = corners
                .each_ref()
                .map(|files| (!files.is_empty()).then(|| memory.store_tree(files)));
            let delta = tree_delta(&memory, trees[2], trees[3]).unwrap();
            assert_eq!(delta, plainly(&corners[2], &corners[3]), "round {round}");
            let known = KnownDelta {
                old: trees[2],
                new: trees[3],
                delta: &delta,
            };
            let beside = tree_delta_beside(&memory, trees[0], trees[1], &known).unwrap();
            assert_eq!(beside, plainly(&corners[0], &corners[1]), "round {round}: {corners:#?}");
        }
    }

    #[test]
    fn threads_find_what_one_finds() {
        let memory = Memory::default();
        let mut random = Random(3);
        for round in 0..12 {
            let (mut old, mut new) = (Files::new(), Files::new());
            for folder in 0..MANY_PAIRS + 20 {
                let mut files = files_of(&mut random, &memory);
                let put_all = |side: &mut Files, files: &Files| {
                    side.extend(files.iter().map(|(path, entry)| {
                        let place = [b"all/", folder.to_string().as_bytes(), b"/", path].concat();
                        (place, *entry)
                    }));
                };
                put_all(&mut old, &files);
                random.change(&memory, &mut files);
                put_all(&mut new, &files);
            }
            memory.trees.borrow_mut().clear();
            let trees = [&old, &new].map(|files| Some(memory.store_tree(files)));
            let all: Vec<Oid> = memory.trees.borrow().keys().copied().collect();
            memory.has_readers.set(round % 3 != 0);
            // What their readers do not know is read by the source.
            let beyond = (0..round % 4 * 20).map(|_| *random.one_of(&all)).collect();
            memory.beyond_readers.replace(beyond);
            assert_eq!(
                tree_delta(&memory, trees[0], trees[1]).unwrap(),
                plainly(&old, &new),
                "round {round}"
            );
            // What nobody knows is an error, whoever meets it.
            let only_old = old
                .iter()
                .find(|(path, _)| path[4..].contains(&b'/') && !new.contains_key(*path));
            let (path, _) = only_old.unwrap();
            let folder = &path[..path.iter().rposition(|&byte| byte == b'/').unwrap()];
            let gone = standing(&memory, trees[0], folder).unwrap().unwrap().oid;
            memory.trees.borrow_mut().remove(&gone);
            let error = tree_delta(&memory, trees[0], trees[1]).unwrap_err();
            assert!(
                matches!(error, SourceError::Missing(oid) if oid == gone),
                "round {round}: {error}"
            );
        }
    }

    #[test]
    fn the_limit_is_that_of_all_threads_together() {
        let memory = Memory::default();
        let file = Entry {
            mode: FileMode::REGULAR,
            oid: Oid::from_bytes(&[7; 20]).unwrap(),
        };
        let tree = |oid| Entry {
            mode: FileMode::TREE,
            oid,
        };
        // Each folder is the same twice, sixteen thousand files at last.
        let mut folder = memory.store_children(&[(b"f", file)]);
        for _ in 0..14 {
            folder = memory.store_children(&[(b"a", tree(folder)), (b"b", tree(folder))]);
        }
        let names: Vec<String> = (100..100 + MANY_PAIRS).map(|name| name.to_string()).collect();
        let children: Vec<_> = names.iter().map(|name| (name.as_bytes(), tree(folder))).collect();
        let root = memory.store_children(&children);
        for has_readers in [false, true] {
            memory.has_readers.set(has_readers);
            let error = tree_delta(&memory, None, Some(root)).unwrap_err();
            assert!(matches!(error, SourceError::Limit("changed paths")), "{error}");
        }
    }

    #[test]
    fn a_path_that_is_given_twice_is_one_change_or_none() {
        let memory = Memory::default();
        let file = |byte| Entry {
            mode: FileMode::REGULAR,
            oid: Oid::from_bytes(&[byte; 20]).unwrap(),
        };
        let old = memory.store_children(&[(b"b", file(1)), (b"a", file(2))]);
        let new = memory.store_children(&[(b"a", file(2)), (b"b", file(1))]);
        assert!(tree_delta(&memory, Some(old), Some(new)).unwrap().is_empty());
        let changed = memory.store_children(&[(b"a", file(3)), (b"b", file(1))]);
        let delta = tree_delta(&memory, Some(old), Some(changed)).unwrap();
        let change = Change {
            old: Some(file(2)),
            new: Some(file(3)),
        };
        assert_eq!(delta, Delta::from([(RepoPath::from("a"), change)]));
    }
}
