//! What stands before the deflated data of an object in a pack.

use crate::model::ObjectKind;

/// An entry of a pack.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it is.
    pub kind: EntryKind<'a>,
    /// Bytes of the inflated data.
    pub size: u64,
    /// Where the deflated data begins. It ends somewhere before the end of the pack.
    pub start: usize,
}

/// A whole object, or a delta to another.
#[derive(Debug, PartialEq, Eq)]
pub enum EntryKind<'a> {
    /// The object itself.
    Whole(ObjectKind),
    /// A delta to the object that begins so many bytes before.
    OnOffset(u64),
    /// A delta to the object of that id.
    OnId(&'a [u8]),
}

impl Entry<'_> {
    /// Reads the header of the entry that begins at `start`.
    pub fn read(pack: &[u8], start: usize, oid_length: usize) -> Option<Entry<'_>> {
        let mut at = start;
        let mut next = || {
            let byte = *pack.get(at)?;
            at += 1;
            Some(byte)
        };
        let first = next()?;
        let mut size = u64::from(first & 15);
        let (mut more, mut shift) = (first & 128 != 0, 4);
        while more {
            let byte = next()?;
            let bits = u64::from(byte & 127);
            // No bit may be lost.
            if shift > 57 {
                return None;
            }
            size |= bits << shift;
            shift += 7;
            more = byte & 128 != 0;
        }
        let kind = match first >> 4 & 7 {
            1 => EntryKind::Whole(ObjectKind::Commit),
            2 => EntryKind::Whole(ObjectKind::Tree),
            3 => EntryKind::Whole(ObjectKind::Blob),
            4 => EntryKind::Whole(ObjectKind::Tag),
            6 => {
                let mut byte = next()?;
                let mut distance = u64::from(byte & 127);
                while byte & 128 != 0 {
                    byte = next()?;
                    if distance >> 56 != 0 {
                        return None;
                    }
                    // One more for each byte: no distance can be written in two lengths.
                    distance = (distance + 1) << 7 | u64::from(byte & 127);
                }
                EntryKind::OnOffset(distance)
            }
            7 => {
                let oid = pack.get(at..at + oid_length)?;
                at += oid_length;
                EntryKind::OnId(oid)
            }
            _ => return None,
        };
        Some(Entry { kind, size, start: at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<(EntryKind<'_>, u64, usize)> {
        Entry::read(bytes, 0, 2).map(|entry| (entry.kind, entry.size, entry.start))
    }

    #[test]
    fn sizes_and_distances_of_several_bytes() {
        assert_eq!(read(&[0x3f]), Some((EntryKind::Whole(ObjectKind::Blob), 15, 1)));
        assert_eq!(read(&[0x9f, 1]), Some((EntryKind::Whole(ObjectKind::Commit), 31, 2)));
        assert_eq!(read(&[0x60, 0x7f]), Some((EntryKind::OnOffset(127), 0, 2)));
        assert_eq!(read(&[0x60, 0x80, 0]), Some((EntryKind::OnOffset(128), 0, 3)));
        assert_eq!(read(&[0x71, 8, 9]), Some((EntryKind::OnId(&[8, 9]), 1, 3)));
    }

    #[test]
    fn what_is_cut_or_too_large_or_unknown() {
        for bytes in [&[][..], &[0x9f], &[0x60], &[0x60, 0x80], &[0x71, 8], &[0x00], &[0x50]] {
            assert_eq!(read(bytes), None, "{bytes:x?}");
        }
        assert_eq!(read(&[0xff; 40]), None);
        assert_eq!(read(&[[0x60].as_slice(), &[0xff; 40]].concat()), None);
    }
}
