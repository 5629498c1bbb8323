//! Objects as they are read first: in packs, then loose. What is not found or not understood here is asked of libgit2.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::loose::Loose;
use super::packs::{Packs, Scratch};
use crate::model::{ObjectKind, Oid, Tree};

/// Locks of what is kept: threads that read at once seldom meet.
const SHELVES: usize = 16;
/// Bytes that a shelf holds.
const SHELF_BYTES: usize = 4 << 20;
/// Larger objects are not kept.
const LARGEST_KEPT: usize = SHELF_BYTES / 16;

/// The objects of a repository and of those that it borrows from.
pub struct Objects {
    packs: Packs,
    loose: Loose,
    kept: [Mutex<Shelf>; SHELVES],
}

/// Commits and trees for the next call, which mostly asks for the same again.
#[derive(Default)]
struct Shelf {
    objects: HashMap<Oid, (ObjectKind, Box<[u8]>)>,
    bytes: usize,
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
        // No object has it, and libgit2 says so.
        if oid.is_zero() {
            return None;
        }
        let shelf = &self.kept[usize::from(oid.as_bytes()[0]) % SHELVES];
        // A shelf is whole after each step.
        let shelf = || shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kind, content)) = shelf().objects.get(&oid) {
            scratch.content.room(content.len()).copy_from_slice(content);
            return Some((*kind, scratch.content.bytes()));
        }
        let kind = match self.packs.read(oid.as_bytes(), scratch) {
            Some((kind, _)) => kind,
            None => self.loose.read(oid.as_bytes(), scratch)?,
        };
        let content = scratch.content.bytes();
        if matches!(kind, ObjectKind::Commit | ObjectKind::Tree) && content.len() <= LARGEST_KEPT {
            shelf().keep(oid, kind, content);
        }
        Some((kind, content))
    }

    /// The kind and the size of an object.
    pub fn header(&self, oid: Oid, scratch: &mut Scratch) -> Option<(ObjectKind, u64)> {
        if oid.is_zero() {
            return None;
        }
        let packed = self.packs.header(oid.as_bytes(), scratch);
        packed.or_else(|| self.loose.kind_and_size(oid.as_bytes()))
    }
}

impl Shelf {
    /// Keeps an object, in place of all others where they are too many.
    fn keep(&mut self, oid: Oid, kind: ObjectKind, content: &[u8]) {
        if self.bytes + content.len() > SHELF_BYTES {
            *self = Shelf::default();
        }
        self.bytes += content.len();
        self.objects.insert(oid, (kind, content.into()));
    }
}

/// Trees for threads that read beside the call. It must not outlive it: it keeps files open.
#[derive(Clone)]
pub struct TreeReader(pub(super) Arc<Objects>);

impl TreeReader {
    /// Reads a tree; `None` where the call itself has to read it, to learn why that fails if it does.
    pub fn read_tree(&self, oid: Oid, scratch: &mut Scratch) -> Option<Tree> {
        match self.0.read(oid, scratch)? {
            (ObjectKind::Tree, raw) => Tree::parse(raw, oid.as_bytes().len()),
            _ => None,
        }
    }
}
