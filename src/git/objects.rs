//! Objects as they are read first: in packs, then loose. What is not found or not understood here is asked of libgit2.

use std::path::PathBuf;
use std::sync::Arc;

use super::loose::Loose;
use super::packs::{Packs, Scratch};
use crate::model::{ObjectKind, Oid, Tree};

/// The objects of a repository and of those that it borrows from.
pub struct Objects {
    packs: Packs,
    loose: Loose,
}

impl Objects {
    /// The objects of these folders. Nothing is looked at yet.
    pub fn new(folders: Arc<[PathBuf]>, oid_length: usize) -> Objects {
        Objects {
            packs: Packs::new(folders.clone(), oid_length),
            loose: Loose::new(folders),
        }
    }

    /// Reads an object of up to [`LARGEST_READ`](super::packs::LARGEST_READ) bytes.
    pub fn read<'s>(&self, oid: Oid, scratch: &'s mut Scratch) -> Option<(ObjectKind, &'s [u8])> {
        // No object has it, and libgit2 says so.
        if oid.is_zero() {
            return None;
        }
        let kind = match self.packs.read(oid.as_bytes(), scratch) {
            Some((kind, _)) => kind,
            None => self.loose.read(oid.as_bytes(), scratch)?,
        };
        Some((kind, scratch.content.bytes()))
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
