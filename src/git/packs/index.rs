//! The index of a pack, version 2: which object lies where.

use std::ops::{Deref, Range};

const MAGIC: &[u8] = b"\xfftOc\0\0\0\x02";
const FAN_OUT: usize = 256 * 4;
/// Checksum and place of an object.
const NUMBERS: usize = 4 + 4;
/// Set in a place: the rest is the position of a place of 64 bits.
const IS_LARGE: u32 = 1 << 31;

/// An index whose parts are where its length says.
pub struct Index<B> {
    bytes: B,
    oid_length: usize,
    objects: usize,
    /// How many places of 64 bits there are.
    large: usize,
}

impl<B: Deref<Target = [u8]>> Index<B> {
    /// Takes the content of an index file; `None` where it is of another version or contradicts itself.
    pub fn new(bytes: B, oid_length: usize) -> Option<Index<B>> {
        if !bytes.starts_with(MAGIC) {
            return None;
        }
        let mut objects = 0;
        for number in bytes.get(MAGIC.len()..MAGIC.len() + FAN_OUT)?.chunks_exact(4) {
            let next = u32::from_be_bytes(number.try_into().ok()?);
            if next < objects {
                return None;
            }
            objects = next;
        }
        let objects = usize::try_from(objects).ok()?;
        let tables = objects.checked_mul(oid_length + NUMBERS)?;
        let least = tables.checked_add(MAGIC.len() + FAN_OUT + 2 * oid_length)?;
        let rest = bytes.len().checked_sub(least)?;
        if rest % 8 != 0 || rest / 8 > objects {
            return None;
        }
        Some(Index {
            bytes,
            oid_length,
            objects,
            large: rest / 8,
        })
    }

    /// Where in the pack the object begins.
    pub fn find(&self, oid: &[u8]) -> Option<u64> {
        if oid.len() != self.oid_length {
            return None;
        }
        self.offset(self.position(oid)?.ok()?)
    }

    /// How many hexadecimal digits an id shares at most with another that the pack has.
    pub fn shared_digits(&self, oid: &[u8]) -> Option<usize> {
        if oid.len() != self.oid_length {
            return None;
        }
        // Those that share most stand right beside it.
        let (before, after) = match self.position(oid)? {
            Ok(at) => (at.checked_sub(1), at + 1),
            Err(at) => (at.checked_sub(1), at),
        };
        let beside = before.into_iter().chain([after]).filter_map(|at| self.oid(at));
        Some(beside.map(|other| shared_digits(oid, other)).max().unwrap_or(0))
    }

    /// Where an id is, or would be.
    fn position(&self, oid: &[u8]) -> Option<Result<usize, usize>> {
        let Range { mut start, mut end } = self.candidates(*oid.first()?)?;
        while start < end {
            let middle = start + (end - start) / 2;
            match self.oid(middle)?.cmp(oid) {
                std::cmp::Ordering::Less => start = middle + 1,
                std::cmp::Ordering::Equal => return Some(Ok(middle)),
                std::cmp::Ordering::Greater => end = middle,
            }
        }
        Some(Err(start))
    }

    /// The id at a position, in rising order.
    pub fn oid(&self, position: usize) -> Option<&[u8]> {
        let start = MAGIC.len() + FAN_OUT + position * self.oid_length;
        (position < self.objects).then(|| self.bytes.get(start..start + self.oid_length))?
    }

    /// How many objects the pack has.
    pub fn objects(&self) -> usize {
        self.objects
    }

    /// What the pack has to end with.
    pub fn pack_checksum(&self) -> Option<&[u8]> {
        let start = self.bytes.len().checked_sub(2 * self.oid_length)?;
        self.bytes.get(start..start + self.oid_length)
    }

    pub(super) fn oid_length(&self) -> usize {
        self.oid_length
    }

    /// The positions of the ids with that first byte.
    fn candidates(&self, first: u8) -> Option<Range<usize>> {
        let number = |at: usize| Some(self.number(MAGIC.len() + at * 4)? as usize);
        let end = number(usize::from(first))?;
        let start = first
            .checked_sub(1)
            .map_or(Some(0), |before| number(usize::from(before)))?;
        Some(start..end)
    }

    fn offset(&self, position: usize) -> Option<u64> {
        let places = MAGIC.len() + FAN_OUT + self.objects * (self.oid_length + 4);
        let place = self.number(places + position * 4)?;
        if place & IS_LARGE == 0 {
            return Some(u64::from(place));
        }
        let large = (place & !IS_LARGE) as usize;
        if large >= self.large {
            return None;
        }
        let start = places + self.objects * 4 + large * 8;
        Some(u64::from_be_bytes(self.bytes.get(start..start + 8)?.try_into().ok()?))
    }

    fn number(&self, at: usize) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes.get(at..at + 4)?.try_into().ok()?))
    }
}

/// How many hexadecimal digits two ids share at their beginning.
pub fn shared_digits(one: &[u8], two: &[u8]) -> usize {
    let same = one.iter().zip(two).take_while(|(one, two)| one == two).count();
    match (one.get(same), two.get(same)) {
        (Some(one), Some(two)) if one >> 4 == two >> 4 => same * 2 + 1,
        _ => same * 2,
    }
}

#[cfg(test)]
mod tests {
    use super::shared_digits;

    #[test]
    fn digits_are_half_bytes() {
        assert_eq!(shared_digits(&[0x12, 0x34], &[0x22, 0x34]), 0);
        assert_eq!(shared_digits(&[0x12, 0x34], &[0x13, 0x34]), 1);
        assert_eq!(shared_digits(&[0x12, 0x34], &[0x12, 0x44]), 2);
        assert_eq!(shared_digits(&[0x12, 0x34], &[0x12, 0x34]), 4);
    }
}
