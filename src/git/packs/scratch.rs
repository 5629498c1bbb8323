//! What reading needs beside the files: one for each thread that reads.

use std::collections::HashMap;
use std::ops::Range;

use libdeflater::{DecompressionError, Decompressor};

use crate::model::ObjectKind;

/// Bytes of objects that others are deltas to.
const MOST_BASES: usize = 16 << 20;
/// One byte of deflated data stands for no more than these; what claims more need not be tried.
const MOST_INFLATED: u64 = 1032;

/// Buffers, the state of the decompressor, and the objects that were needed last to make others.
#[derive(Default)]
pub struct Scratch {
    /// The object that was read last.
    pub(in crate::git) content: Content,
    /// What the last delta is applied to.
    pub(super) base: Content,
    pub(super) delta: Content,
    pub(super) chain: Vec<Link>,
    pub(super) bases: Bases,
    /// The deflated data of a file.
    pub(in crate::git) file: Vec<u8>,
    pub(in crate::git) inflater: Inflater,
    /// The position of the pack that had the last object.
    pub(super) last_pack: usize,
}

/// A delta on the way to an object that is whole.
pub(super) struct Link {
    /// Where its entry begins.
    pub(super) offset: u64,
    /// Where its deflated data begins.
    pub(super) start: usize,
    /// Bytes of the inflated delta.
    pub(super) size: usize,
}

/// A buffer that is not cleared each time.
#[derive(Default)]
pub(in crate::git) struct Content {
    buffer: Vec<u8>,
    used: Range<usize>,
}

impl Content {
    /// Room for so many bytes, whatever they are.
    pub(in crate::git) fn room(&mut self, size: usize) -> &mut [u8] {
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        self.used = 0..size;
        &mut self.buffer[..size]
    }

    /// Only that part of the room is used.
    pub(in crate::git) fn narrow(&mut self, used: Range<usize>) {
        self.used = used;
    }

    pub(in crate::git) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.used.clone()).unwrap_or_default()
    }
}

/// Inflates in one go.
#[derive(Default)]
pub(in crate::git) struct Inflater(Decompressor);

impl Inflater {
    /// Inflates the stream at the start of `deflated` to exactly `size` bytes.
    pub(super) fn inflate(&mut self, deflated: &[u8], size: usize, content: &mut Content) -> Option<()> {
        if size as u64 / MOST_INFLATED > deflated.len() as u64 {
            return None;
        }
        let inflated = self.0.zlib_decompress(deflated, content.room(size)).ok()?;
        (inflated == size).then_some(())
    }

    /// Inflates what fits into `room`.
    pub(in crate::git) fn inflate_up_to(
        &mut self,
        deflated: &[u8],
        room: &mut [u8],
    ) -> Result<usize, DecompressionError> {
        self.0.zlib_decompress(deflated, room)
    }
}

/// Objects by the number of the pack and the place in it.
#[derive(Default)]
pub(super) struct Bases {
    kept: HashMap<(u64, u64), Base>,
    bytes: usize,
}

type Base = (ObjectKind, Box<[u8]>);

impl Bases {
    pub(super) fn get(&self, pack: u64, offset: u64) -> Option<(ObjectKind, &[u8])> {
        self.kept
            .get(&(pack, offset))
            .map(|(kind, content)| (*kind, &content[..]))
    }

    /// Keeps a content, in place of all others where they are too many.
    pub(super) fn keep(&mut self, pack: u64, offset: u64, kind: ObjectKind, content: &[u8]) {
        if content.len() > MOST_BASES / 8 || self.kept.contains_key(&(pack, offset)) {
            return;
        }
        if self.bytes + content.len() > MOST_BASES {
            *self = Bases::default();
        }
        self.bytes += content.len();
        self.kept.insert((pack, offset), (kind, content.into()));
    }
}
