//! The two contents of a change as git compares them: by attribute and content binary or text, links and submodules
//! by the text that git keeps for them.

use crate::model::outcome::Uncounted;
use crate::model::{Entry, FileMode, GitSource, RepoPath, SourceError, Text, is_binary};
use crate::rules::attributes::{Attributes, DiffAttribute};

/// The two sides of a change.
pub enum Sides {
    /// A content cannot be read; the rest of the result stands without it.
    Unreadable(Uncounted),
    /// One is binary.
    Binary,
    /// Both are text; nothing, where there is no file.
    Text(Text, Text),
}

/// Reads contents, with the attributes that bear on them.
pub struct Texts<'a> {
    /// Where they are read.
    pub source: &'a dyn GitSource,
    /// The end snapshot's attributes.
    pub attributes: Attributes,
}

impl Texts<'_> {
    /// Tells the source which changes will be compared, in this order. Of those that attributes make binary no content
    /// is read.
    pub fn announce<'p>(
        &self,
        changes: impl Iterator<Item = [(&'p RepoPath, Option<Entry>); 2]>,
        ignore_all_space: bool,
    ) {
        let is_blob = |entry: Option<Entry>| entry.is_none_or(|entry| entry.mode != FileMode::GITLINK);
        let oid = |entry: Option<Entry>| entry.map(|entry| entry.oid);
        let comparisons: Vec<_> = changes
            .filter(|sides| sides.iter().all(|&(_, entry)| is_blob(entry)))
            .filter(|sides| {
                !sides
                    .map(|side| self.diff_attribute(side))
                    .contains(&DiffAttribute::Unset)
            })
            .map(|[(_, old), (_, new)]| (oid(old), oid(new)))
            .collect();
        self.source.announce(&comparisons, ignore_all_space);
    }

    /// The sides of a change.
    pub fn sides(
        &self,
        old_path: &RepoPath,
        new_path: &RepoPath,
        old: Option<Entry>,
        new: Option<Entry>,
    ) -> Result<Sides, SourceError> {
        let sides = [(old_path, old), (new_path, new)];
        let attributes = sides.map(|side| self.diff_attribute(side));
        if attributes.contains(&DiffAttribute::Unset) {
            return Ok(Sides::Binary);
        }
        let mut contents = [const { None }; 2];
        let mut trouble = None;
        for (side, (_, entry)) in sides.into_iter().enumerate() {
            match self.text(entry) {
                Ok(text) if attributes[side] != DiffAttribute::Set && is_binary(&text.content) => {
                    return Ok(Sides::Binary);
                }
                Ok(text) => contents[side] = Some(text),
                Err(SourceError::Aborted) => return Err(SourceError::Aborted),
                Err(error) => trouble = trouble.or(Some(Uncounted::from(&error))),
            }
        }
        Ok(match (contents, trouble) {
            ([Some(old), Some(new)], None) => Sides::Text(old, new),
            (_, trouble) => Sides::Unreadable(trouble.unwrap_or(Uncounted::ContentUnreadable)),
        })
    }

    /// The diff driver of a change: the old path's, else the new one's.
    pub fn driver(&self, old_path: &RepoPath, new_path: &RepoPath) -> Option<String> {
        [old_path, new_path]
            .into_iter()
            .find_map(|path| match self.attributes.diff(path) {
                DiffAttribute::Driver(name) => Some(name),
                _ => None,
            })
    }

    /// Of a file, as it matters to its content; links and submodules have none.
    fn diff_attribute(&self, (path, entry): (&RepoPath, Option<Entry>)) -> DiffAttribute {
        match entry {
            Some(entry) if entry.mode.is_file() => self.attributes.diff(path),
            _ => DiffAttribute::Unspecified,
        }
    }

    fn text(&self, entry: Option<Entry>) -> Result<Text, SourceError> {
        let (oid, content) = match entry {
            None => (None, Vec::new().into()),
            Some(Entry {
                mode: FileMode::GITLINK,
                oid,
            }) => (None, format!("Subproject commit {oid}\n").into_bytes().into()),
            Some(entry) => (Some(entry.oid), self.source.read_blob(entry.oid)?),
        };
        Ok(Text { oid, content })
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Memory;
    use super::*;
    use crate::model::Oid;

    #[test]
    fn what_attributes_make_binary_is_not_announced() {
        let source = Memory::default();
        let top = &RepoPath::from(b"");
        let texts = Texts {
            source: &source,
            attributes: Attributes::new([(top, &b"*.png binary\n"[..])]),
        };
        let oid = |digit: u8| Oid::from_hex(&[digit; 40]).unwrap();
        let entry = |digit: u8, mode: FileMode| Some(Entry { mode, oid: oid(digit) });
        let file = |digit: u8| entry(digit, FileMode::REGULAR);
        let (text, image) = (&RepoPath::from(b"a.txt"), &RepoPath::from(b"a.png"));
        let changes = [
            [(text, file(b'1')), (text, file(b'2'))],
            [(image, file(b'3')), (image, file(b'4'))],
            [(image, None), (image, file(b'5'))],
            [(image, file(b'6')), (text, file(b'7'))],
            [(text, file(b'8')), (text, entry(b'9', FileMode::GITLINK))],
            [(image, None), (image, entry(b'a', FileMode::SYMLINK))],
        ];
        texts.announce(changes.into_iter(), false);
        let read = [(Some(oid(b'1')), Some(oid(b'2'))), (None, Some(oid(b'a')))];
        assert_eq!(*source.announced.borrow(), read);
    }
}
