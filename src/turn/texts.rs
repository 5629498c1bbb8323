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
    /// Tells the source which changes will be compared, in this order.
    pub fn announce(&self, changes: impl Iterator<Item = (Option<Entry>, Option<Entry>)>, ignore_all_space: bool) {
        let is_blob = |entry: Option<Entry>| entry.is_none_or(|entry| entry.mode != FileMode::GITLINK);
        let oid = |entry: Option<Entry>| entry.map(|entry| entry.oid);
        let comparisons: Vec<_> = changes
            .filter(|&(old, new)| is_blob(old) && is_blob(new))
            .map(|(old, new)| (oid(old), oid(new)))
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
        let mut text_forced = [false; 2];
        for (side, (path, entry)) in sides.iter().enumerate() {
            if !entry.is_some_and(|entry| entry.mode.is_file()) {
                continue;
            }
            match self.attributes.diff(path) {
                DiffAttribute::Unset => return Ok(Sides::Binary),
                DiffAttribute::Set => text_forced[side] = true,
                DiffAttribute::Unspecified | DiffAttribute::Driver(_) => {}
            }
        }
        let mut contents = [const { None }; 2];
        let mut trouble = None;
        for (side, (_, entry)) in sides.into_iter().enumerate() {
            match self.text(entry) {
                Ok(text) if !text_forced[side] && is_binary(&text.content) => return Ok(Sides::Binary),
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
