//! Line changes and counts from git's own diff library: other implementations of its algorithm place and count
//! differently.

use super::xdiff;
use crate::model::{LineChange, SourceError};

/// The changes that `git diff` finds between two texts, with its default algorithm. Whether a content is text is for
/// the caller to know: here all of it is.
pub fn line_changes(old: &[u8], new: &[u8], ignore_all_space: bool) -> Result<Vec<LineChange>, SourceError> {
    if old == new {
        return Ok(Vec::new());
    }
    xdiff::diff(old, new, ignore_all_space).ok_or(SourceError::Limit("content size"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LineCounts;

    #[test]
    fn the_ends_of_texts() {
        for (old, new, additions, deletions) in [
            ("", "", 0, 0),
            ("", "a", 1, 0),
            ("", "a\nb\n", 2, 0),
            ("a\n", "", 0, 1),
            ("one\ntwo", "one\ntwo\n", 1, 1),
            ("a\r\nb\r\n", "a\nb\n", 2, 2),
            ("a\rb\rc", "a\rb\rd", 1, 1),
            ("a\n\u{c}\nb\n", "a\nb\n", 0, 1),
            ("a\0\n", "b\0\n", 1, 1),
        ] {
            let changes = line_changes(old.as_bytes(), new.as_bytes(), false).unwrap();
            let counts = LineCounts::of(&changes).unwrap();
            assert_eq!(
                (counts.additions, counts.deletions),
                (additions, deletions),
                "{old:?} {new:?}"
            );
        }
    }
}
