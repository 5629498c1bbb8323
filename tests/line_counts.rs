//! Line counts against `git diff --numstat`, on texts made to be hard.

use std::fs;
use std::path::Path;
use std::process::Command;

use turn_attribution::git::line_changes;
use turn_attribution::model::{LineCounts, is_binary};

/// A small generator: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }

    /// Few different lines, so that there are many ways to pair them, and every kind of line end.
    fn line(&mut self) -> Vec<u8> {
        let text = *self.of(&[
            "",
            "{",
            "}",
            "  return;",
            "\treturn;",
            "if (x) {",
            "a",
            "b",
            "c",
            "d",
            "\u{c}",
            "\u{b}x",
            "x ",
            "\u{fffd}",
            "else",
            "lone\rreturn",
            "// ä",
            "end",
        ]);
        let end = *self.of(&["\n", "\n", "\n", "\n", "\r\n", "\n", "\n\n", " \n"]);
        [text.as_bytes(), end.as_bytes()].concat()
    }

    fn text(&mut self) -> Vec<Vec<u8>> {
        let most = *self.of(&[0, 1, 3, 10, 40, 200, 600]);
        let mut lines: Vec<_> = (0..self.below(most + 1)).map(|_| self.line()).collect();
        if self.below(4) == 0 {
            lines.push(b"no newline".to_vec());
        }
        lines
    }

    fn edited(&mut self, lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut lines = lines.to_vec();
        for _ in 0..=self.below(12) {
            let at = self.below(lines.len() as u64 + 1) as usize;
            let end = (at + self.below(6) as usize).min(lines.len());
            match self.below(6) {
                0 => drop(lines.drain(at..end)),
                1 => {
                    let block: Vec<_> = lines.drain(at..end).collect();
                    let to = self.below(lines.len() as u64 + 1) as usize;
                    drop(lines.splice(to..to, block));
                }
                2 => {
                    let block = lines[at..end].to_vec();
                    drop(lines.splice(at..at, block));
                }
                3 => lines.iter_mut().for_each(|line| {
                    if line.ends_with(b"\r\n") {
                        line.truncate(line.len() - 2);
                        line.push(b'\n');
                    }
                }),
                4 => {
                    if let Some(last) = lines.last_mut().filter(|line| line.ends_with(b"\n")) {
                        last.pop();
                    }
                }
                _ => {
                    let block: Vec<_> = (0..self.below(5)).map(|_| self.line()).collect();
                    drop(lines.splice(at..end, block));
                }
            }
        }
        lines
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
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
        .output()
        .unwrap();
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// `git diff --numstat` of all pairs at once, in order; `None` where git takes one for binary.
fn numstat(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<Option<(u32, u32)>> {
    let temp = tempfile::tempdir().unwrap();
    for side in ["a", "b"] {
        fs::create_dir(temp.path().join(side)).unwrap();
    }
    for (number, (old, new)) in pairs.iter().enumerate() {
        fs::write(temp.path().join(format!("a/{number:06}")), old).unwrap();
        fs::write(temp.path().join(format!("b/{number:06}")), new).unwrap();
    }
    let output = git(
        temp.path(),
        &[
            "diff",
            "--no-index",
            "--numstat",
            "--no-renames",
            "--no-ext-diff",
            "a",
            "b",
        ],
    );
    let mut counts = vec![Some((0, 0)); pairs.len()];
    for line in String::from_utf8(output).unwrap().lines() {
        let mut columns = line.split('\t');
        let (additions, deletions, name) = (
            columns.next().unwrap(),
            columns.next().unwrap(),
            columns.next().unwrap(),
        );
        let number: usize = name[name.len().saturating_sub(6)..]
            .trim_end_matches('}')
            .parse()
            .unwrap_or_else(|_| panic!("{line}"));
        counts[number] = additions.parse().ok().zip(deletions.parse().ok());
    }
    counts
}

#[test]
fn counts_are_those_of_git() {
    let mut random = Random(7);
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = (0..3000)
        .map(|_| {
            let old = random.text();
            let new = if random.below(5) == 0 {
                random.text()
            } else {
                random.edited(&old)
            };
            (old.concat(), new.concat())
        })
        .collect();
    for ((old, new), expected) in pairs.iter().zip(numstat(&pairs)) {
        let counts = LineCounts::of(&line_changes(old, new, false).unwrap()).unwrap();
        let texts = [old, new].map(|text| String::from_utf8_lossy(text));
        assert_eq!(Some((counts.additions, counts.deletions)), expected, "{texts:?}");
    }
}

/// Long enough for git's shortcuts on costly comparisons.
#[test]
fn counts_of_large_texts_are_those_of_git() {
    let mut random = Random(11);
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = (0..12)
        .map(|round| {
            let old: Vec<_> = (0..8000).map(|_| random.line()).collect();
            let mut new = old.clone();
            for _ in 0..60 * (round + 1) {
                new = if round < 6 { random.edited(&new) } else { new };
                let (one, two) = (random.below(new.len() as u64), random.below(new.len() as u64));
                new.swap(one as usize, two as usize);
            }
            (old.concat(), new.concat())
        })
        .collect();
    for ((old, new), expected) in pairs.iter().zip(numstat(&pairs)) {
        let counts = LineCounts::of(&line_changes(old, new, false).unwrap()).unwrap();
        assert_eq!(Some((counts.additions, counts.deletions)), expected);
    }
}

#[test]
fn what_is_binary_is_what_git_says() {
    let mut random = Random(3);
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = (0..300)
        .map(|_| {
            let mut content = vec![b'a'; random.below(9000) as usize + 1];
            if random.below(2) == 0 {
                let at = (7900 + random.below(200)).min(content.len() as u64 - 1) as usize;
                content[at] = 0;
            }
            (Vec::new(), content)
        })
        .collect();
    for ((_, content), counts) in pairs.iter().zip(numstat(&pairs)) {
        assert_eq!(is_binary(content), counts.is_none(), "{}", content.len());
    }
}
