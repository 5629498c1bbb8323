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

/// Splits `<octal mode> <name>\0<oid>` off the front. Large walks spend most of their own time here.
#[inline]
fn split_entry(raw: &[u8], oid_length: usize) -> Option<(TreeEntry<'_>, &[u8])> {
    let mut mode = 0u32;
    let mut digits = 0;
    loop {
        match raw.get(digits)? {
            digit @ b'0'..=b'7' => mode = mode.checked_mul(8)? | u32::from(digit - b'0'),
            b' ' => break,
            _ => return None,
        }
        digits += 1;
    }
    let rest = &raw[digits + 1..];
    let name_end = memchr::memchr(0, rest)?;
    if digits == 0 || name_end == 0 {
        return None;
    }
    let (oid, after) = rest[name_end + 1..].split_at_checked(oid_length)?;
    let entry = TreeEntry {
        name: &rest[..name_end],
        mode: FileMode::canonical(mode),
        oid: Oid::from_bytes(oid)?,
    };
    Some((entry, after))
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
