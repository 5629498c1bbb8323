//! Line counts from git's own diff library: other implementations of its algorithm count differently.

use git2::{DiffOptions, Patch};

use crate::model::{LineCounts, SourceError};

/// Counts the lines that `git diff --numstat` counts between two texts, with its default algorithm. Whether a
/// content is text is for the caller to know: here all of it is.
pub fn count_lines(old: &[u8], new: &[u8]) -> Result<LineCounts, SourceError> {
    if old == new {
        return Ok(LineCounts {
            additions: 0,
            deletions: 0,
        });
    }
    let failed = |error: git2::Error| SourceError::Repository(error.message().to_owned());
    let mut options = DiffOptions::new();
    // No context: it is not counted. No size limit: beyond one, libgit2 takes a text for binary.
    options.force_text(true).context_lines(0).max_size(-1);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options)).map_err(failed)?;
    let (_, additions, deletions) = patch.line_stats().map_err(failed)?;
    let count = |lines: usize| u32::try_from(lines).map_err(|_| SourceError::Limit("line count"));
    Ok(LineCounts {
        additions: count(additions)?,
        deletions: count(deletions)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let counts = count_lines(old.as_bytes(), new.as_bytes()).unwrap();
            assert_eq!(
                (counts.additions, counts.deletions),
                (additions, deletions),
                "{old:?} {new:?}"
            );
        }
    }
}
