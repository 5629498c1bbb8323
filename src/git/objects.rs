//! Objects as they are read first: in packs, then loose. What is not found or not understood here is asked of libgit2.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use super::loose::Loose;
use super::packs::{Packs, Scratch};
use super::stop::Stop;
use crate::model::{ObjectKind, Oid, SourceError, Tree, TreeReader, TreeReaders};

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
    fn read_tree(&mut self, oid: Oid) -> Result<Rc<Tree>, SourceError> {
        self.stop.check()?;
        let tree = match self.objects.read(oid, &mut self.scratch) {
            Some((ObjectKind::Tree, raw)) => Tree::parse(raw, oid.as_bytes().len()),
            _ => None,
        };
        tree.map(Rc::new).ok_or(SourceError::Missing(oid))
    }
}
