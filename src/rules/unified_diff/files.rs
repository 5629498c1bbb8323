//! From sections to files: one entry for each path.

use std::collections::HashMap;
use std::ops::Range;

use super::section::Section;
use crate::model::outcome::ChangeKind;
use crate::model::{FileMode, RepoPath};

/// What happened to a file, as a patch tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParsedKind {
    /// As of any change.
    Change(ChangeKind),
    /// It is new here, and like another that stays.
    Copied,
}

/// A file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedFile {
    /// The new name, or the old one of a deleted file.
    pub path: RepoPath,
    /// Where it was renamed or copied from.
    pub previous_path: Option<RepoPath>,
    /// What happened to it.
    pub kind: ParsedKind,
    /// Lines added; `None` where the contents are not told as lines.
    pub additions: Option<u64>,
    /// Lines removed; likewise.
    pub deletions: Option<u64>,
    /// Whether the contents are not told as lines.
    pub is_binary: bool,
    /// The mode before, where it is told and there was a file.
    pub old_mode: Option<FileMode>,
    /// The mode after; likewise.
    pub new_mode: Option<FileMode>,
    /// Where its sections stand, in their order.
    pub sections: Vec<Range<usize>>,
}

/// The files of sections, in the order in which they first appear. Several sections of a path are one change after
/// the other: what was before the first became what is after the last.
pub fn files(sections: Vec<Section>) -> Vec<ParsedFile> {
    let mut at: HashMap<RepoPath, usize> = HashMap::new();
    let mut stories: Vec<Story> = Vec::new();
    for section in sections {
        match at.get(&section.path) {
            Some(&at) => stories[at].go_on(section),
            None => {
                at.insert(section.path.clone(), stories.len());
                stories.push(Story::new(section));
            }
        }
    }
    stories.into_iter().map(Story::told).collect()
}

/// What the sections of one path say together.
struct Story {
    all: Section,
    ranges: Vec<Range<usize>>,
}

impl Story {
    fn new(section: Section) -> Story {
        Story {
            ranges: vec![section.range.clone()],
            all: section,
        }
    }

    fn go_on(&mut self, section: Section) {
        self.ranges.push(section.range);
        if self.all.previous_path.is_none() {
            self.all.previous_path = section.previous_path;
            self.all.is_copied = section.is_copied;
        }
        self.all.is_deleted = section.is_deleted;
        self.all.new_mode = section.new_mode;
        self.all.counts.additions += section.counts.additions;
        self.all.counts.deletions += section.counts.deletions;
        self.all.is_binary |= section.is_binary;
    }

    fn told(self) -> ParsedFile {
        let Section { is_binary, counts, .. } = self.all;
        ParsedFile {
            kind: kind(&self.all),
            path: self.all.path,
            previous_path: self.all.previous_path,
            additions: (!is_binary).then_some(counts.additions),
            deletions: (!is_binary).then_some(counts.deletions),
            is_binary,
            old_mode: self.all.old_mode,
            new_mode: self.all.new_mode,
            sections: self.ranges,
        }
    }
}

fn kind(section: &Section) -> ParsedKind {
    let is_submodule = [section.old_mode, section.new_mode].contains(&Some(FileMode::GITLINK));
    let changes_type = matches!((section.old_mode, section.new_mode), (Some(old), Some(new)) if !old.same_type(new));
    ParsedKind::Change(match section {
        _ if section.is_copied => return ParsedKind::Copied,
        _ if section.previous_path.is_some() => ChangeKind::Renamed,
        _ if changes_type => ChangeKind::Typechange,
        _ if is_submodule => ChangeKind::Submodule,
        _ if section.is_deleted => ChangeKind::Deleted,
        _ if section.is_added => ChangeKind::Added,
        _ => ChangeKind::Modified,
    })
}
