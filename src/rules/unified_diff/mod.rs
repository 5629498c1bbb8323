//! Patches that arrive as text: which files they change, and where each stands.
//!
//! The text is read once, in linear time, and never refused: around the sections anything may stand, and of what is
//! malformed or cut the rest counts. Content is what the lengths of a hunk say, whatever it looks like; once they
//! were wrong, only a line that cannot be content (`diff --git`, `diff -`, `Index:`) starts a section again.

mod files;
mod hunk;
mod lines;
mod names;
mod section;
mod utf16;

use std::ops::Range;

pub use files::{ParsedFile, ParsedKind};
pub use utf16::utf16_places;

use self::lines::Lines;
use self::section::Found;
use crate::model::RepoPath;

/// The files of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedDiff {
    /// In the order in which they first appear.
    pub files: Vec<ParsedFile>,
    /// Whether something was left out because it is malformed, in colour or UTF-16, or the text ends within it.
    pub truncated: bool,
}

/// Part of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilteredDiff {
    /// The places in the text that the part is made of, in order.
    pub pieces: Vec<Range<usize>>,
    /// The files, their sections where they stand in the part.
    pub diff: ParsedDiff,
}

/// Reads a patch.
pub fn parse(text: &[u8]) -> ParsedDiff {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let start = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut lines = Lines::new(text, start);
    let mut sections = Vec::new();
    let (mut truncated, mut is_lost) = (is_utf16(text), false);
    while lines.line().is_some() {
        let before = lines.position();
        match section::read(&mut lines, is_lost) {
            Found::Section(section, is_whole) => {
                sections.extend(section);
                is_lost = !is_whole;
            }
            Found::Command => is_lost = false,
            Found::Stray => is_lost = true,
            Found::Prose => truncated |= section::is_coloured(text, before),
        }
        truncated |= is_lost;
        if lines.position() == before {
            lines.advance();
        }
    }
    ParsedDiff {
        files: files::files(sections),
        truncated,
    }
}

/// Whether a byte order mark says that this is UTF-16, of which nothing is read.
fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")
}

/// Keeps the files that are wanted by their path or the previous one.
pub fn filter(text: &[u8], is_wanted: impl Fn(&RepoPath) -> bool) -> FilteredDiff {
    let mut diff = parse(text);
    diff.files
        .retain(|file| is_wanted(&file.path) || file.previous_path.as_ref().is_some_and(&is_wanted));
    let mut sections: Vec<_> = diff.files.iter_mut().flat_map(|file| &mut file.sections).collect();
    sections.sort_unstable_by_key(|section| section.start);
    let mut pieces = Vec::with_capacity(sections.len());
    let mut length = 0;
    for section in sections {
        pieces.push(section.clone());
        *section = length..length + section.len();
        length = section.end;
    }
    FilteredDiff { pieces, diff }
}

#[cfg(test)]
mod tests;
