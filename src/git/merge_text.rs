//! The line merge of git's own merge library.

use super::xdiff;
use crate::model::{Favour, is_binary};

/// Merges three texts; `None` where one of them is binary, or where they conflict and no side is favoured.
pub fn merge_text(base: &[u8], ours: &[u8], theirs: &[u8], favour: Option<Favour>) -> Option<Vec<u8>> {
    if [base, ours, theirs].into_iter().any(is_binary) {
        return None;
    }
    if base == ours || ours == theirs {
        return Some(theirs.to_vec());
    }
    if base == theirs {
        return Some(ours.to_vec());
    }
    xdiff::merge(base, ours, theirs, favour)
}

#[cfg(test)]
mod tests {
    use super::merge_text;

    fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
        merge_text(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), None)
            .map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn changes_apart_from_each_other_are_merged() {
        assert_eq!(
            merge("1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n").as_deref(),
            Some("one\n2\nthree\n")
        );
        assert_eq!(merge("1\n2\n3\n", "2\n3\n", "1\n2\n").as_deref(), Some("2\n"));
    }

    #[test]
    fn changes_of_the_same_or_of_neighbouring_lines_conflict() {
        assert_eq!(merge("1\n", "2\n", "3\n"), None);
        assert_eq!(merge("1\n2\n", "one\n2\n", "1\ntwo\n"), None);
        assert_eq!(merge("", "a\n", "b\n"), None);
    }

    #[test]
    fn nothing_to_merge() {
        for (base, ours, theirs, merged) in [
            ("a", "a", "", ""),
            ("a", "", "a", ""),
            ("a", "", "", ""),
            ("a", "b", "b", "b"),
            ("", "", "", ""),
        ] {
            assert_eq!(merge(base, ours, theirs).as_deref(), Some(merged));
        }
    }

    #[test]
    fn a_binary_content_is_never_merged() {
        assert_eq!(merge("a\0", "a\0", "b"), None);
        assert_eq!(merge("a", "a", "\0"), None);
    }
}
