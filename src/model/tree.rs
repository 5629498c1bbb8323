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
    pub fn parse(raw: &[u8], oid_length: usize) -> Option<Tree> {
        let mut rest = raw;
        while !rest.is_empty() {
            rest = split_entry(rest, oid_length)?.1;
        }
        Some(Tree {
            raw: raw.into(),
            oid_length,
        })
    }

    /// The entries in the order they are stored.
    pub fn entries(&self) -> impl Iterator<Item = TreeEntry<'_>> {
        let mut rest = &self.raw[..];
        std::iter::from_fn(move || {
            let (entry, after) = split_entry(rest, self.oid_length)?;
            rest = after;
            Some(entry)
        })
    }

    /// The entry of that name.
    pub fn get(&self, name: &[u8]) -> Option<TreeEntry<'_>> {
        self.entries().find(|entry| entry.name == name)
    }

    /// Bytes of the raw object.
    pub fn size(&self) -> usize {
        self.raw.len()
    }
}

/// Splits `<octal mode> <name>\0<oid>` off the front.
fn split_entry(raw: &[u8], oid_length: usize) -> Option<(TreeEntry<'_>, &[u8])> {
    let space = raw.iter().position(|&byte| byte == b' ')?;
    let mut mode = 0u32;
    for &digit in &raw[..space] {
        if !(b'0'..=b'7').contains(&digit) {
            return None;
        }
        mode = mode.checked_mul(8)?.checked_add(u32::from(digit - b'0'))?;
    }
    let name_end = space + 1 + raw[space + 1..].iter().position(|&byte| byte == 0)?;
    let oid_end = name_end + 1 + oid_length;
    if space == 0 || name_end == space + 1 || oid_end > raw.len() {
        return None;
    }
    let oid = Oid::from_bytes(&raw[name_end + 1..oid_end])?;
    let entry = TreeEntry {
        name: &raw[space + 1..name_end],
        mode: FileMode::canonical(mode),
        oid,
    };
    Some((entry, &raw[oid_end..]))
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
        let tree = Tree::parse(&raw, 20).unwrap();
        let modes: Vec<_> = tree.entries().map(|entry| entry.mode).collect();
        assert_eq!(modes, [FileMode::REGULAR, FileMode::TREE]);
        assert_eq!(tree.get(b"dir").unwrap().oid.as_bytes(), [8; 20]);
        for cut in 1..raw.len() {
            if cut != 29 {
                assert!(Tree::parse(&raw[..cut], 20).is_none(), "cut at {cut}");
            }
        }
        assert!(Tree::parse(b"9 a\0aaaaaaaaaaaaaaaaaaaa", 20).is_none());
    }
}
