//! The data of a pack: objects, whole or as deltas.

use std::ops::Deref;

use super::LARGEST_READ;
use super::delta::Delta;
use super::entry::{Entry, EntryKind};
use super::index::Index;
use super::scratch::{Link, Scratch};
use crate::model::ObjectKind;

/// `PACK`, the version, the number of objects.
const HEADER: usize = 12;
/// Deltas to deltas; git makes no longer chains.
const MOST_DELTAS: usize = 4096;

/// The data of a pack that belongs to an index.
pub struct Data<B> {
    bytes: B,
    /// Tells it from all other packs.
    number: u64,
    /// Where the last entry ends.
    end: usize,
}

impl<B: Deref<Target = [u8]>> Data<B> {
    /// Takes the content of a pack file; `None` where it is not the one that the index was made for.
    pub fn new<I: Deref<Target = [u8]>>(bytes: B, number: u64, index: &Index<I>) -> Option<Data<B>> {
        let field = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let end = bytes.len().checked_sub(index.oid_length())?;
        let is_whole = bytes.starts_with(b"PACK")
            && matches!(field(4)?, 2 | 3)
            && field(8)? as usize == index.objects()
            && end >= HEADER
            && bytes.get(end..) == index.pack_checksum();
        is_whole.then_some(Data { bytes, number, end })
    }

    /// Reads the object that begins at `offset`. `None` where it is too large or
    /// anything is not as it has to be.
    pub fn read<'s, I: Deref<Target = [u8]>>(
        &self,
        index: &Index<I>,
        offset: u64,
        scratch: &'s mut Scratch,
    ) -> Option<(ObjectKind, &'s [u8])> {
        let kind = self.read_into(index, offset, scratch)?;
        Some((kind, scratch.content.bytes()))
    }

    /// The same, with the content left in the scratch.
    pub(super) fn read_into<I: Deref<Target = [u8]>>(
        &self,
        index: &Index<I>,
        offset: u64,
        scratch: &mut Scratch,
    ) -> Option<ObjectKind> {
        let Scratch {
            content,
            base,
            delta,
            chain,
            bases,
            inflater,
            ..
        } = scratch;
        chain.clear();
        let mut at = offset;
        // From the object down to one that is whole or known.
        let kind = loop {
            if let Some((kind, known)) = bases.get(self.number, at) {
                content.room(known.len()).copy_from_slice(known);
                break kind;
            }
            let entry = self.entry(index, at)?;
            let size = usize::try_from(entry.size).ok().filter(|&size| size <= LARGEST_READ)?;
            if let EntryKind::Whole(kind) = entry.kind {
                inflater.inflate(self.deflated(entry.start)?, size, content)?;
                break kind;
            }
            if chain.len() == MOST_DELTAS {
                return None;
            }
            chain.push(Link {
                offset: at,
                start: entry.start,
                size,
            });
            at = base_of(&entry, index, at)?;
        };
        // And up again.
        while let Some(link) = chain.pop() {
            bases.keep(self.number, at, kind, content.bytes());
            at = link.offset;
            inflater.inflate(self.deflated(link.start)?, link.size, delta)?;
            let delta = Delta::read(delta.bytes())?;
            let size = usize::try_from(delta.size).ok().filter(|&size| size <= LARGEST_READ)?;
            std::mem::swap(content, base);
            delta.apply(base.bytes(), content.room(size))?;
        }
        Some(kind)
    }

    /// The kind and the size of the object that begins at `offset`.
    pub fn header<I: Deref<Target = [u8]>>(
        &self,
        index: &Index<I>,
        offset: u64,
        scratch: &mut Scratch,
    ) -> Option<(ObjectKind, u64)> {
        let mut at = offset;
        let mut size = None;
        for _ in 0..=MOST_DELTAS {
            let entry = self.entry(index, at)?;
            if let EntryKind::Whole(kind) = entry.kind {
                return Some((kind, size.unwrap_or(entry.size)));
            }
            if size.is_none() {
                let length = usize::try_from(entry.size).ok().filter(|&size| size <= LARGEST_READ)?;
                let Scratch { delta, inflater, .. } = scratch;
                inflater.inflate(self.deflated(entry.start)?, length, delta)?;
                size = Some(Delta::read(delta.bytes())?.size);
            }
            at = base_of(&entry, index, at)?;
        }
        None
    }

    fn entry<I: Deref<Target = [u8]>>(&self, index: &Index<I>, offset: u64) -> Option<Entry<'_>> {
        let start = usize::try_from(offset).ok().filter(|&start| start >= HEADER)?;
        Entry::read(self.bytes.get(..self.end)?, start, index.oid_length())
    }

    fn deflated(&self, start: usize) -> Option<&[u8]> {
        self.bytes.get(start..self.end)
    }
}

/// Where the object begins that a delta is to: in the same pack, always.
fn base_of<I: Deref<Target = [u8]>>(entry: &Entry<'_>, index: &Index<I>, offset: u64) -> Option<u64> {
    match entry.kind {
        EntryKind::Whole(_) => None,
        EntryKind::OnOffset(distance) => offset.checked_sub(distance).filter(|&base| base < offset),
        EntryKind::OnId(oid) => index.find(oid),
    }
}
