//! Random trees in memory, for tests that hold a shortcut against the long way.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use crate::git::merge_text;
use crate::model::{
    Commit, CommitWalk, Contents, Entry, FileMode, GitSource, LineChange, ObjectKind, Oid, Phase, Ref, Reflog,
    SourceError, Text, Tree, TreeReader, TreeReaders,
};

pub type Files = BTreeMap<Vec<u8>, Entry>;

/// What git calls the empty blob.
const EMPTY_BLOB: &[u8] = b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/// An id of the content. Not git's own, but for the one that rules know.
fn hash(kind: &str, content: &[u8]) -> Oid {
    if kind == "blob" && content.is_empty() {
        return Oid::from_hex(EMPTY_BLOB).expect("an id");
    }
    let part = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, kind, content).hash(&mut hasher);
        hasher.finish().to_be_bytes()
    };
    let bytes = [part(0), part(1), part(2)].concat();
    Oid::from_bytes(&bytes[..20]).expect("an id")
}

/// Trees and blobs in memory.
#[derive(Default)]
pub struct Memory {
    pub trees: RefCell<HashMap<Oid, Arc<Tree>>>,
    blobs: RefCell<HashMap<Oid, Arc<[u8]>>>,
    /// Whether there are readers for several threads.
    pub has_readers: Cell<bool>,
    /// Trees that these do not know.
    pub beyond_readers: RefCell<HashSet<Oid>>,
    /// The comparisons that were announced last.
    pub announced: RefCell<Vec<(Option<Oid>, Option<Oid>)>>,
}

struct Readers(HashMap<Oid, Arc<Tree>>);

impl TreeReaders for Readers {
    fn threads(&self) -> usize {
        4
    }

    fn reader(&self) -> Box<dyn TreeReader + '_> {
        Box::new(Reader(&self.0))
    }
}

struct Reader<'a>(&'a HashMap<Oid, Arc<Tree>>);

impl TreeReader for Reader<'_> {
    fn read_tree(&mut self, oid: Oid) -> Result<Arc<Tree>, SourceError> {
        self.0.get(&oid).cloned().ok_or(SourceError::Missing(oid))
    }
}

impl Memory {
    pub fn store_tree(&self, files: &Files) -> Oid {
        let mut children: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
        let mut folders: BTreeMap<&[u8], Files> = BTreeMap::new();
        for (path, entry) in files {
            match path.iter().position(|&byte| byte == b'/') {
                Some(at) => {
                    let below = folders.entry(&path[..at]).or_default();
                    below.insert(path[at + 1..].to_vec(), *entry);
                }
                None => {
                    children.insert([&path[..], b"\0"].concat(), *entry);
                }
            }
        }
        for (name, files) in folders {
            let (mode, oid) = (FileMode::TREE, self.store_tree(&files));
            children.insert([name, b"/"].concat(), Entry { mode, oid });
        }
        let children: Vec<_> = children
            .iter()
            .map(|(key, entry)| (&key[..key.len() - 1], *entry))
            .collect();
        self.store_children(&children)
    }

    /// A tree of these, in this order.
    pub fn store_children(&self, children: &[(&[u8], Entry)]) -> Oid {
        let mut raw = Vec::new();
        for (name, entry) in children {
            let mode = entry.mode.to_string();
            raw.extend(mode.trim_start_matches('0').bytes());
            raw.push(b' ');
            raw.extend(*name);
            raw.push(0);
            raw.extend(entry.oid.as_bytes());
        }
        let oid = hash("tree", &raw);
        let tree = Tree::parse(raw, 20).expect("a tree that is well formed");
        self.trees.borrow_mut().insert(oid, Arc::new(tree));
        oid
    }
}

impl Contents for Memory {
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        self.blobs.borrow().get(&oid).cloned().ok_or(SourceError::Missing(oid))
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        let oid = hash("blob", &content);
        self.blobs.borrow_mut().insert(oid, content.into());
        oid
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        merge_text(base, ours, theirs, None)
    }
}

/// Merges ask for trees and blobs only.
#[rustfmt::skip]
impl GitSource for Memory {
    fn announce(&self, comparisons: &[(Option<Oid>, Option<Oid>)], _ignore_all_space: bool) {
        *self.announced.borrow_mut() = comparisons.to_vec();
    }

    fn read_tree(&self, oid: Oid) -> Result<Arc<Tree>, SourceError> {
        self.trees.borrow().get(&oid).cloned().ok_or(SourceError::Missing(oid))
    }
    fn tree_readers(&self) -> Option<Box<dyn TreeReaders + '_>> {
        let mut trees = self.trees.borrow().clone();
        trees.retain(|oid, _| !self.beyond_readers.borrow().contains(oid));
        self.has_readers.get().then(|| Box::new(Readers(trees)) as Box<dyn TreeReaders>)
    }
    fn is_shallow(&self) -> bool { false }
    fn check_stopped(&self) -> Result<(), SourceError> { Ok(()) }
    fn enter(&self, _: Phase) {}
    fn abbreviated_length(&self, _: Oid) -> usize { 7 }
    fn kind(&self, _: Oid) -> Result<ObjectKind, SourceError> { unreachable!() }
    fn read_commit(&self, _: Oid) -> Result<Rc<Commit>, SourceError> { unreachable!() }
    fn read_message(&self, _: Oid) -> Result<String, SourceError> { unreachable!() }
    fn peel_tag(&self, _: Oid) -> Result<Oid, SourceError> { unreachable!() }
    fn merge_bases(&self, _: Oid, _: Oid) -> Result<Vec<Oid>, SourceError> { unreachable!() }
    fn is_ancestor(&self, _: Oid, _: Oid) -> Result<bool, SourceError> { unreachable!() }
    fn walk(&self, _: &CommitWalk) -> Result<Vec<Oid>, SourceError> { unreachable!() }
    fn refs(&self) -> Result<Vec<Ref>, SourceError> { unreachable!() }
    fn refs_below(&self, _: &str) -> Result<Vec<Ref>, SourceError> { unreachable!() }
    fn resolve_ref(&self, _: &str) -> Result<Option<Oid>, SourceError> { unreachable!() }
    fn head_log(&self) -> Result<Option<Vec<u8>>, SourceError> { unreachable!() }
    fn other_logs(&self) -> Result<Vec<Reflog>, SourceError> { unreachable!() }
    fn user_email(&self) -> Result<Option<Vec<u8>>, SourceError> { unreachable!() }
    fn line_changes(&self, _: &Text, _: &Text, _: bool) -> Result<Arc<[LineChange]>, SourceError> { unreachable!() }
    fn function_lines(&self, _: &str, _: &[u8], _: &[usize]) -> Option<Vec<Option<Vec<u8>>>> { unreachable!() }
}

/// The same numbers each time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % limit
    }

    pub fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn path(&mut self) -> Vec<u8> {
        let names = ["a", "b", "c", "a-b", "a.t", "a0"];
        let depth = *self.one_of(&[1, 1, 2, 2, 2, 3]);
        let parts: Vec<&str> = (0..depth).map(|_| *self.one_of(&names)).collect();
        parts.join("/").into_bytes()
    }

    /// Few contents: many are alike, some are similar, one is empty.
    pub fn entry(&mut self, memory: &Memory) -> Entry {
        let kind = self.below(5);
        let mut lines: Vec<String> = (0..8).map(|line| format!("line {line} of {kind}\n")).collect();
        if self.below(2) == 0 {
            lines[self.below(3) * 3] = "changed\n".into();
        }
        let content = if kind == 4 { String::new() } else { lines.concat() };
        let oid = memory.store_blob(content.into_bytes());
        let modes = [
            FileMode::REGULAR,
            FileMode::EXECUTABLE,
            FileMode::SYMLINK,
            FileMode::GITLINK,
        ];
        let mode = modes[[0, 0, 0, 0, 0, 0, 1, 1, 2, 3][self.below(10)]];
        Entry { mode, oid }
    }

    pub fn change(&mut self, memory: &Memory, files: &mut Files) {
        let paths: Vec<Vec<u8>> = files.keys().cloned().collect();
        let step = self.below(12);
        if paths.is_empty() || step < 3 {
            let (path, entry) = (self.path(), self.entry(memory));
            put(files, path, entry);
            return;
        }
        let path = self.one_of(&paths).clone();
        let folder = path
            .iter()
            .rposition(|&byte| byte == b'/')
            .map(|at| path[..at].to_vec());
        match (step, folder) {
            (3, _) => drop(files.remove(&path)),
            (4 | 5, _) => drop(files.insert(path, self.entry(memory))),
            (6 | 7, _) => {
                let entry = files.remove(&path).unwrap();
                let to = if self.below(2) == 0 {
                    let name = path.rsplit(|&byte| byte == b'/').next().unwrap().to_vec();
                    [self.path(), name].join(&b'/')
                } else {
                    self.path()
                };
                let entry = if step == 6 {
                    entry
                } else {
                    Entry {
                        oid: self.entry(memory).oid,
                        ..entry
                    }
                };
                put(files, to, entry);
            }
            (8, Some(folder)) => files.retain(|path, _| !is_in(path, &folder)),
            (9 | 10, Some(folder)) => {
                let to = self.path();
                let moved: Vec<_> = files.extract_if(.., |path, _| is_in(path, &folder)).collect();
                for (path, entry) in moved {
                    put(files, [&to[..], &path[folder.len()..]].concat(), entry);
                }
            }
            (_, Some(folder)) => {
                // A file in place of a folder.
                files.retain(|path, _| !is_in(path, &folder));
                let entry = self.entry(memory);
                put(files, folder, entry);
            }
            (_, None) => {
                let (below, entry) = ([&path[..], b"/", &self.path()].concat(), self.entry(memory));
                put(files, below, entry);
            }
        }
    }
}

pub fn is_in(path: &[u8], folder: &[u8]) -> bool {
    path.starts_with(folder) && path.get(folder.len()) == Some(&b'/')
}

/// What is in the way makes room.
pub fn put(files: &mut Files, path: Vec<u8>, entry: Entry) {
    files.retain(|other, _| !is_in(other, &path) && !is_in(&path, other));
    files.insert(path, entry);
}
