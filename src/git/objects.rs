//! Objects as they are read first: in packs, then loose. What is not found or not understood here is asked of libgit2.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::loose::Loose;
use super::packs::{Packs, Scratch};
use super::stop::Stop;
use super::threads::threads;
use crate::model::{ObjectKind, Oid, SourceError, Tree, TreeReader, TreeReaders};

/// Locks of what is kept: threads that read at once seldom meet.
const SHELVES: usize = 16;
/// Bytes that a shelf holds.
const SHELF_BYTES: usize = 4 << 20;
/// Larger objects are not kept.
const LARGEST_KEPT: usize = SHELF_BYTES / 2;

/// The objects of a repository and of those that it borrows from.
pub struct Objects {
    packs: Packs,
    loose: Loose,
    kept: [Mutex<Shelf>; SHELVES],
}

/// Commits and trees for the next call, which mostly asks for the same again.
#[derive(Default)]
struct Shelf {
    objects: HashMap<Oid, Kept>,
    bytes: usize,
}

enum Kept {
    Commit(Box<[u8]>),
    Tree(Arc<Tree>),
}

impl Objects {
    /// The objects of these folders. Nothing is looked at yet.
    pub fn new(folders: Arc<[PathBuf]>, oid_length: usize) -> Objects {
        Objects {
            packs: Packs::new(folders.clone(), oid_length),
            loose: Loose::new(folders),
            kept: Default::default(),
        }
    }

    /// Reads an object of up to [`LARGEST_READ`](super::packs::LARGEST_READ) bytes.
    pub fn read<'s>(&self, oid: Oid, scratch: &'s mut Scratch) -> Option<(ObjectKind, &'s [u8])> {
        match self.shelf(oid).objects.get(&oid) {
            Some(Kept::Commit(content)) => {
                scratch.content.room(content.len()).copy_from_slice(content);
                return Some((ObjectKind::Commit, scratch.content.bytes()));
            }
            Some(Kept::Tree(tree)) => {
                let content = tree.raw();
                scratch.content.room(content.len()).copy_from_slice(content);
                return Some((ObjectKind::Tree, scratch.content.bytes()));
            }
            None => {}
        }
        let kind = self.read_anew(oid, scratch)?;
        let content = scratch.content.bytes();
        if kind == ObjectKind::Commit && content.len() <= LARGEST_KEPT {
            self.shelf(oid).keep(oid, content.len(), Kept::Commit(content.into()));
        }
        Some((kind, content))
    }

    /// Reads a tree.
    pub fn read_tree(&self, oid: Oid, scratch: &mut Scratch) -> Option<Arc<Tree>> {
        if let Some(Kept::Tree(tree)) = self.shelf(oid).objects.get(&oid) {
            return Some(tree.clone());
        }
        if self.read_anew(oid, scratch)? != ObjectKind::Tree {
            return None;
        }
        let tree = Arc::new(Tree::parse(scratch.content.bytes(), oid.as_bytes().len())?);
        if tree.raw().len() <= LARGEST_KEPT {
            self.shelf(oid).keep(oid, tree.raw().len(), Kept::Tree(tree.clone()));
        }
        Some(tree)
    }

    fn read_anew(&self, oid: Oid, scratch: &mut Scratch) -> Option<ObjectKind> {
        // No object has it, and libgit2 says so.
        if oid.is_zero() {
            return None;
        }
        match self.packs.read(oid.as_bytes(), scratch) {
            Some((kind, _)) => Some(kind),
            None => self.loose.read(oid.as_bytes(), scratch),
        }
    }

    fn shelf(&self, oid: Oid) -> MutexGuard<'_, Shelf> {
        let shelf = &self.kept[usize::from(oid.as_bytes()[0]) % SHELVES];
        // A shelf is whole after each step.
        shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many hexadecimal digits an id shares at most with another object; `None` where not all can be listed here.
    pub fn shared_digits(&self, oid: Oid) -> Option<usize> {
        let packed = self.packs.shared_digits(oid.as_bytes())?;
        Some(packed.max(self.loose.shared_digits(oid)))
    }

    /// The kind and the size of an object.
    pub fn header(&self, oid: Oid, scratch: &mut Scratch) -> Option<(ObjectKind, u64)> {
        match self.shelf(oid).objects.get(&oid) {
            Some(Kept::Commit(content)) => return Some((ObjectKind::Commit, content.len() as u64)),
            Some(Kept::Tree(tree)) => return Some((ObjectKind::Tree, tree.raw().len() as u64)),
            None if oid.is_zero() => return None,
            None => {}
        }
        let packed = self.packs.header(oid.as_bytes(), scratch);
        packed.or_else(|| self.loose.kind_and_size(oid.as_bytes()))
    }
}

impl Shelf {
    /// Keeps an object, in place of all others where they are too many.
    fn keep(&mut self, oid: Oid, bytes: usize, kept: Kept) {
        if self.bytes + bytes > SHELF_BYTES {
            *self = Shelf::default();
        }
        self.bytes += bytes;
        self.objects.insert(oid, kept);
    }
}

/// Trees for threads that read beside a call, and end with it.
pub struct TreesBeside<'a> {
    objects: &'a Objects,
    stop: Mutex<Stop>,
}

impl<'a> TreesBeside<'a> {
    /// For the threads of a call that may be stopped.
    pub fn new(objects: &'a Objects, stop: Stop) -> TreesBeside<'a> {
        TreesBeside {
            objects,
            stop: Mutex::new(stop),
        }
    }
}

impl TreeReaders for TreesBeside<'_> {
    fn threads(&self) -> usize {
        threads()
    }

    fn reader(&self) -> Box<dyn TreeReader + '_> {
        Box::new(TreesOfThread {
            objects: self.objects,
            scratch: Scratch::default(),
            stop: self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        })
    }
}

struct TreesOfThread<'a> {
    objects: &'a Objects,
    scratch: Scratch,
    stop: Stop,
}

impl TreeReader for TreesOfThread<'_> {
    fn read_tree(&mut self, oid: Oid) -> Result<Arc<Tree>, SourceError> {
        self.stop.check()?;
        let tree = self.objects.read_tree(oid, &mut self.scratch);
        tree.ok_or(SourceError::Missing(oid))
    }
}
