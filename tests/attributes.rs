//! The `diff` attribute against `git check-attr`, on random patterns and paths.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use turn_attribution::model::RepoPath;
use turn_attribution::rules::attributes::{Attributes, DiffAttribute};

/// A small generator: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn path(&mut self) -> String {
        let odd = [
            "x y", "[a]", "a*", "é", "A", "!a", "#a", ".a", "a]", "-", "a-b", "^a", "ab",
        ];
        let depth = 1 + self.below(3);
        (0..depth)
            .map(|_| {
                if self.chance(60) {
                    self.of(&["a", "b", "a.c"])
                } else {
                    self.of(&odd)
                }
            })
            .collect::<Vec<_>>()
            .join("/")
    }

    fn pattern(&mut self, paths: &[String]) -> String {
        let parts = [
            "a",
            "b",
            "c",
            "*",
            "**",
            "?",
            "[ab]",
            "[!a]",
            "[a-b]",
            "[^a]",
            "[]a]",
            "[a-]",
            "[[:alpha:]]",
            "[[:none:]]",
            "[a",
            "\\a",
            "\\*",
            "\\",
            ".",
            "/",
            "/",
            "**/",
            "/**",
            "/**/",
            "é",
            "A",
            ".c",
            "*.c",
            "-",
            "]",
            "[\\]]",
            "[a\\-z]",
            "[--a]",
            "[!]]",
            "[z-a]",
            "[[:upper:][:digit:]]",
            "[[:alpha]",
            "[/]",
            "[^/]a",
        ];
        let mut pattern = if self.chance(35) {
            let mut path = paths[self.below(paths.len())].clone();
            if self.chance(50) {
                path = path.rsplit('/').next().unwrap().to_owned();
            }
            if self.chance(30) {
                path.insert(0, '/');
            }
            if self.chance(10) {
                path.push('/');
            }
            let (from, to) = (self.of(&["a", "b", "a.c"]), self.of(&["*", "**", "?", "a"]));
            path.replacen(from, to, 1)
        } else {
            let count = 1 + self.below(4);
            (0..count).map(|_| self.of(&parts)).collect()
        };
        if self.chance(4) {
            pattern.insert(0, '!');
        }
        if self.chance(15) || pattern.contains(' ') && self.chance(80) {
            pattern = format!("\"{}\"", pattern.replace('\\', "\\\\"));
            if self.chance(30) {
                pattern = pattern.replace('é', "\\303\\251").replacen('a', "\\141", 1);
            }
        }
        pattern
    }

    fn states(&mut self) -> String {
        let states = [
            "diff", "-diff", "!diff", "diff=cpp", "diff=a=b", "diff=-x", "binary", "-binary", "!binary", "own", "-own",
            "!own", "own=1", "own2", "text", "-text", "!!diff", "--diff", "-diff=x", "diffx", "Diff", "-", "=x",
        ];
        let count = self.below(4);
        (0..count)
            .map(|_| self.of(&states))
            .collect::<Vec<_>>()
            .join(self.of(&[" ", "\t", "  "]))
    }

    fn file(&mut self, paths: &[String]) -> String {
        let end = self.of(&["\n", "\n", "\n", "\r\n"]);
        let mut text = String::new();
        for _ in 0..self.below(12) {
            let (pattern, states) = (self.pattern(paths), self.states());
            let line = match self.below(12) {
                0 => self.of(&["# c", "  # c", "#a diff", "", "   ", "\\#a diff"]).to_owned(),
                1 => format!("[attr]{} {states}", self.of(&["own", "own2", "binary", "diff", " own"])),
                2 => format!(" {pattern}\t{states} "),
                _ => format!("{pattern} {states}"),
            };
            text.extend([&line, end]);
        }
        if self.chance(20) {
            text.trim_end().to_owned()
        } else {
            text
        }
    }
}

fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("LC_ALL", "C"),
        ])
        .env("HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    output.stdout
}

/// `git check-attr diff` with the attributes of a tree.
fn check_attr(folder: &Path, tree: &str, paths: &[String]) -> Vec<DiffAttribute> {
    let source = format!("--attr-source={tree}");
    let input: String = paths.iter().map(|path| format!("{path}\0")).collect();
    let output = git(
        folder,
        &[&source, "check-attr", "-z", "--stdin", "diff"],
        input.as_bytes(),
    );
    let columns: Vec<_> = output.split(|&byte| byte == 0).map(String::from_utf8_lossy).collect();
    let state = |columns: &[std::borrow::Cow<'_, str>]| match &*columns[2] {
        "unspecified" => DiffAttribute::Unspecified,
        "set" => DiffAttribute::Set,
        "unset" => DiffAttribute::Unset,
        name => DiffAttribute::Driver(name.to_owned()),
    };
    columns.chunks_exact(3).map(state).collect()
}

#[test]
fn attributes_are_those_of_git() {
    let temp = tempfile::tempdir().unwrap();
    git(temp.path(), &["init", "-q", "."], b"");
    let mut random = Random(5);
    let mut decided = 0;
    for _ in 0..200 {
        let mut paths: Vec<String> = (0..40).map(|_| random.path()).collect();
        let mut files = BTreeMap::from([(String::new(), random.file(&paths))]);
        for _ in 0..random.below(4) {
            files.insert(random.path(), random.file(&paths));
        }
        paths.extend(
            files
                .keys()
                .filter(|directory| !directory.is_empty())
                .flat_map(|directory| ["a", "b.c", "a/b", "x y/a.c"].map(|name| format!("{directory}/{name}"))),
        );

        git(temp.path(), &["read-tree", "--empty"], b"");
        for (directory, content) in &files {
            let oid = git(temp.path(), &["hash-object", "-w", "--stdin"], content.as_bytes());
            let separator = if directory.is_empty() { "" } else { "/" };
            let oid = String::from_utf8(oid).unwrap();
            let entry = format!("100644,{},{directory}{separator}.gitattributes", oid.trim());
            git(temp.path(), &["update-index", "--add", "--cacheinfo", &entry], b"");
        }
        let tree = String::from_utf8(git(temp.path(), &["write-tree"], b"")).unwrap();
        let expected = check_attr(temp.path(), tree.trim(), &paths);

        let directories: Vec<RepoPath> = files.keys().map(RepoPath::from).collect();
        let attributes = Attributes::new(directories.iter().zip(files.values().map(String::as_bytes)));
        assert_eq!(expected.len(), paths.len());
        for (path, expected) in paths.iter().zip(expected) {
            assert_eq!(attributes.diff(path.as_bytes()), expected, "{path} by {files:#?}");
            decided += usize::from(expected != DiffAttribute::Unspecified);
        }
    }
    assert!(decided > 1000, "the patterns hardly ever match: {decided}");
}

/// From a tree git takes a byte order mark for a part of the pattern; in a checkout it does not, but attributes come
/// from the snapshot.
#[test]
fn a_byte_order_mark_in_a_tree_is_part_of_the_pattern() {
    let temp = tempfile::tempdir().unwrap();
    git(temp.path(), &["init", "-q", "."], b"");
    let content = "\u{feff}*.c -diff\r\n*.d -diff\n";
    fs::write(temp.path().join(".gitattributes"), content).unwrap();
    git(temp.path(), &["add", "-A"], b"");
    let tree = String::from_utf8(git(temp.path(), &["write-tree"], b"")).unwrap();
    let source = format!("--attr-source={}", tree.trim());
    assert_eq!(
        git(temp.path(), &[&source, "check-attr", "diff", "x.c", "x.d"], b""),
        b"x.c: diff: unspecified\nx.d: diff: unset\n"
    );
    let attributes = Attributes::new([(&RepoPath::from(""), content.as_bytes())]);
    assert_eq!(attributes.diff(b"x.c"), DiffAttribute::Unspecified);
    assert_eq!(attributes.diff(b"x.d"), DiffAttribute::Unset);
}
