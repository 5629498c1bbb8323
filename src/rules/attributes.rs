//! The `diff` attribute of paths: whether a content is text, binary, or has a driver of its own.

use std::collections::HashMap;

use gix_attributes::glob::pattern::Case;
use gix_attributes::search::{MetadataCollection, Outcome};
use gix_attributes::{Search, StateRef};

use crate::model::RepoPath;

/// Git passes over longer lines.
const LONGEST_LINE: usize = 2047;

/// What `.gitattributes` files say about the `diff` attribute of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffAttribute {
    /// Nothing, or `!diff`: the content decides.
    Unspecified,
    /// `diff`: text, whatever the content.
    Set,
    /// `-diff`, as by the macro `binary`: binary, whatever the content.
    Unset,
    /// `diff=name`: a driver, which the configuration may define.
    Driver(String),
}

/// The rules of all `.gitattributes` files of a tree.
pub struct Attributes {
    builtin: Search,
    by_directory: HashMap<RepoPath, Search>,
    names: MetadataCollection,
}

impl Attributes {
    /// Takes the files, each with the directory it lies in (empty: the top). Lines that are no rules are passed
    /// over, and so are macros outside the top directory, as by git.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a RepoPath, &'a [u8])>) -> Attributes {
        let mut names = MetadataCollection::default();
        let mut parse = |content: &[u8], macros: bool| {
            let mut search = Search::default();
            // The library's error is about where the file lies, which we do not tell it.
            let _ = search.add_patterns_buffer(content, ".gitattributes".into(), None, &mut names, macros);
            search
        };
        let builtin = parse(b"[attr]binary -diff -merge -text", true);
        let mut by_directory = HashMap::new();
        for (directory, content) in files {
            // Git reads what a tree has as a C string.
            let end = content.iter().position(|&byte| byte == 0).unwrap_or(content.len());
            let lines = content[..end].split_inclusive(|&byte| byte == b'\n');
            let short = lines.filter(|line| line.strip_suffix(b"\n").unwrap_or(line).len() <= LONGEST_LINE);
            // A byte order mark is part of the first pattern to git, where it reads a tree; the library passes over one
            // at the start of what it is given.
            let content: Vec<u8> = b"\n".iter().chain(short.flatten()).copied().collect();
            by_directory.insert(directory.clone(), parse(&content, directory.is_empty()));
        }
        Attributes {
            builtin,
            by_directory,
            names,
        }
    }

    /// The attribute of a path.
    pub fn diff(&self, path: &[u8]) -> DiffAttribute {
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.names, ["diff"]);
        // From the deepest directory upwards: the first to decide wins.
        let ends = (0..path.len())
            .rev()
            .filter(|&at| path[at] == b'/')
            .map(|at| (at, at + 1));
        for (end, start) in ends.chain([(0, 0)]) {
            if let Some(search) = self.by_directory.get(&path[..end]) {
                search.pattern_matching_relative_path(path[start..].into(), Case::Sensitive, Some(false), &mut outcome);
            }
            if outcome.is_done() {
                break;
            }
        }
        self.builtin
            .pattern_matching_relative_path(path.into(), Case::Sensitive, Some(false), &mut outcome);
        let state = outcome.iter_selected().next().map(|found| found.assignment.state);
        match state {
            None | Some(StateRef::Unspecified) => DiffAttribute::Unspecified,
            Some(StateRef::Set) => DiffAttribute::Set,
            Some(StateRef::Unset) => DiffAttribute::Unset,
            Some(StateRef::Value(name)) => DiffAttribute::Driver(String::from_utf8_lossy(name.as_bstr()).into_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(files: &[(&str, &str)], path: &str) -> DiffAttribute {
        let files: Vec<_> = files
            .iter()
            .map(|(directory, content)| (RepoPath::from(directory), content))
            .collect();
        let files = files.iter().map(|(directory, content)| (directory, content.as_bytes()));
        Attributes::new(files).diff(path.as_bytes())
    }

    #[test]
    fn every_state() {
        let top = [(
            "",
            "*.a diff\n*.b -diff\n*.c diff=cpp\n*.d binary\n*.e diff\ne.e !diff\n",
        )];
        assert_eq!(diff(&top, "x/y.a"), DiffAttribute::Set);
        assert_eq!(diff(&top, "y.b"), DiffAttribute::Unset);
        assert_eq!(diff(&top, "y.c"), DiffAttribute::Driver("cpp".to_owned()));
        assert_eq!(diff(&top, "y.d"), DiffAttribute::Unset);
        assert_eq!(diff(&top, "e.e"), DiffAttribute::Unspecified);
        assert_eq!(diff(&top, "y"), DiffAttribute::Unspecified);
        assert_eq!(diff(&[], "y.a"), DiffAttribute::Unspecified);
    }

    #[test]
    fn later_lines_and_deeper_directories_win() {
        let files = [
            ("a/b", "f diff\n"),
            ("", "f -diff\n/g -diff\ng diff\na/b/h diff"),
            ("a", "f diff=x\nh -diff"),
        ];
        assert_eq!(diff(&files, "f"), DiffAttribute::Unset);
        assert_eq!(diff(&files, "a/f"), DiffAttribute::Driver("x".to_owned()));
        assert_eq!(diff(&files, "a/b/f"), DiffAttribute::Set);
        assert_eq!(diff(&files, "ab/f"), DiffAttribute::Unset);
        assert_eq!(diff(&files, "g"), DiffAttribute::Set);
        assert_eq!(diff(&files, "a/b/h"), DiffAttribute::Unset);
    }

    #[test]
    fn a_macro_counts_only_at_the_top() {
        let files = [
            ("", "[attr]lock -diff\n*.lock lock\n"),
            ("a", "[attr]own diff\n*.own own\n*.lock !lock diff\n"),
        ];
        assert_eq!(diff(&files, "x.lock"), DiffAttribute::Unset);
        assert_eq!(diff(&files, "a/x.lock"), DiffAttribute::Set);
        assert_eq!(diff(&files, "a/x.own"), DiffAttribute::Unspecified);
    }

    #[test]
    fn line_ends_and_quotes() {
        let top = [("", "f -diff\r\n\"g h\" diff\r\n# f diff\r\n")];
        assert_eq!(diff(&top, "f"), DiffAttribute::Unset);
        assert_eq!(diff(&top, "g h"), DiffAttribute::Set);
    }

    /// As `git check-attr --source` has it.
    #[test]
    fn a_byte_order_mark_is_part_of_the_first_pattern() {
        for top in ["\u{feff}f -diff\ng diff\n", "\n\u{feff}f -diff\ng diff\n"] {
            let top = [("", top)];
            assert_eq!(diff(&top, "f"), DiffAttribute::Unspecified);
            assert_eq!(diff(&top, "\u{feff}f"), DiffAttribute::Unset);
            assert_eq!(diff(&top, "g"), DiffAttribute::Set);
        }
        let utf16 = (RepoPath::from(""), b"\xff\xfef -diff\n");
        let attributes = Attributes::new([(&utf16.0, &utf16.1[..])]);
        assert_eq!(attributes.diff(b"f"), DiffAttribute::Unspecified);
        assert_eq!(attributes.diff(b"\xff\xfef"), DiffAttribute::Unset);
    }

    /// As `git check-attr --source` has it.
    #[test]
    fn the_text_ends_at_a_nul_byte() {
        assert_eq!(diff(&[("", "f -diff\n\0g diff\n")], "g"), DiffAttribute::Unspecified);
        assert_eq!(
            diff(&[("", "f -diff\nx\0 -diff\ng diff\n")], "g"),
            DiffAttribute::Unspecified
        );
        assert_eq!(diff(&[("", "f -diff\0 -merge\n")], "f"), DiffAttribute::Unset);
        assert_eq!(diff(&[("", "f -di\0ff\n")], "f"), DiffAttribute::Unspecified);
    }

    #[test]
    fn a_line_too_long_for_git_is_passed_over() {
        let line = |length: usize| format!("f{:>1$}\n", "-diff", length - 1);
        assert_eq!(diff(&[("", &line(LONGEST_LINE))], "f"), DiffAttribute::Unset);
        assert_eq!(diff(&[("", &line(LONGEST_LINE + 1))], "f"), DiffAttribute::Unspecified);
    }
}
