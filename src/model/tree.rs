use memchr::memchr;

use super::{FileMode, Oid};

/// An entry of a tree object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// The name: one path component.
    pub name: &'a [u8],
    /// Type and permission, canonical.
    pub mode: FileMode,
    /// The object.
    pub oid: Oid,
}

/// A tree object, checked once and then read in place.
#[derive(Debug)]
pub struct Tree {
    raw: Box<[u8]>,
    oid_length: usize,
}

impl Tree {
    /// Takes the raw content of a tree object; `None` where it is malformed.
    pub fn parse(raw: impl Into<Box<[u8]>>, oid_length: usize) -> Option<Tree> {
        let raw = raw.into();
        if oid_length != 20 && oid_length != 32 {
            return None;
        }
        let mut rest = &raw[..];
        while !rest.is_empty() {
            rest = &rest[RawEntry::split(rest, oid_length)?.raw.len()..];
        }
        Some(Tree { raw, oid_length })
    }

    /// The entries in the order they are stored.
    pub fn entries(&self) -> impl Iterator<Item = TreeEntry<'_>> {
        self.raw_entries().map(|entry| entry.read())
    }

    /// The same, not yet taken apart.
    pub fn raw_entries(&self) -> impl Iterator<Item = RawEntry<'_>> {
        let mut rest = &self.raw[..];
        std::iter::from_fn(move || {
            let entry = RawEntry::split(rest, self.oid_length)?;
            rest = &rest[entry.raw.len()..];
            Some(entry)
        })
    }

    /// The entry of that name.
    pub fn get(&self, name: &[u8]) -> Option<TreeEntry<'_>> {
        let found = self.raw_entries().find(|entry| entry.name() == name);
        found.map(|entry| entry.read())
    }

    /// The raw object.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }
}

/// `<octal mode> <name>\0<oid>` as it stands in a tree object: most entries of two trees are the same bytes.
#[derive(Clone, Copy)]
pub struct RawEntry<'a> {
    /// All of it.
    pub raw: &'a [u8],
    name_start: usize,
    name_end: usize,
    mode: u32,
}

impl<'a> RawEntry<'a> {
    /// The entry at the front; `None` where it is malformed.
    fn split(raw: &'a [u8], oid_length: usize) -> Option<RawEntry<'a>> {
        let mut mode = 0u32;
        let mut at = 0;
        loop {
            match *raw.get(at)? {
                digit @ b'0'..=b'7' => mode = mode.checked_mul(8)?.checked_add(u32::from(digit - b'0'))?,
                b' ' if at > 0 => break,
                _ => return None,
            }
            at += 1;
        }
        let name_start = at + 1;
        let name_end = name_start + memchr(0, raw.get(name_start..)?)?;
        if name_end == name_start {
            return None;
        }
        Some(RawEntry {
            raw: raw.get(..name_end + 1 + oid_length)?,
            name_start,
            name_end,
            mode,
        })
    }

    /// The name: one path component.
    pub fn name(&self) -> &'a [u8] {
        &self.raw[self.name_start..self.name_end]
    }

    /// Whether it is a folder.
    pub fn is_tree(&self) -> bool {
        self.mode() == FileMode::TREE
    }

    /// Takes it apart.
    pub fn read(&self) -> TreeEntry<'a> {
        let oid = Oid::from_bytes(&self.raw[self.name_end + 1..]);
        TreeEntry {
            name: self.name(),
            mode: self.mode(),
            oid: oid.expect("the length was looked at when the tree was"),
        }
    }

    fn mode(&self) -> FileMode {
        FileMode::canonical(self.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_entries_and_refuses_malformed_trees() {
        let mut raw = b"100664 a\0".to_vec();
        raw.extend([7; 20]);
        raw.extend(b"40000 dir\0");
        raw.extend([8; 20]);
        let tree = Tree::parse(&raw[..], 20).unwrap();
        let modes: Vec<_> = tree.entries().map(|entry| entry.mode).collect();
        assert_eq!(modes, [FileMode::REGULAR, FileMode::TREE]);
        assert_eq!(tree.get(b"dir").unwrap().oid.as_bytes(), [8; 20]);
        for cut in 1..raw.len() {
            if cut != 29 {
                assert!(Tree::parse(&raw[..cut], 20).is_none(), "cut at {cut}");
            }
        }
        assert!(Tree::parse(&b"9 a\0aaaaaaaaaaaaaaaaaaaa"[..], 20).is_none());
    }
}
