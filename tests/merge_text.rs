//! Line merges against `git merge-tree`, on texts made to be hard: few different lines, so that there are many ways
//! to pair them.

use std::fs;
use std::path::Path;
use std::process::Command;

use turn_attribution::git::merge_text;

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

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn lines(&mut self, most: u64, letters: u8) -> Vec<String> {
        let line = |random: &mut Random| {
            let letter = b'a' + random.below(u64::from(letters)) as u8;
            format!(
                "{}{}",
                letter as char,
                random.of(&["\n", "\n", "\n", "\n", "\n", "\n", "\r\n", " \n", "\u{c}\n"])
            )
        };
        (0..self.below(most + 1)).map(|_| line(self)).collect()
    }

    fn edited(&mut self, lines: &[String], letters: u8) -> Vec<String> {
        let mut lines = lines.to_vec();
        for _ in 0..=self.below(5) {
            let at = self.below(lines.len() as u64 + 1) as usize;
            let end = (at + self.below(5) as usize).min(lines.len());
            lines.splice(at..end, self.lines(4, letters));
        }
        if let Some(last) = lines.last_mut().filter(|_| self.below(6) == 0) {
            last.truncate(1);
        }
        lines
    }
}

fn git(folder: &Path, arguments: &[&str]) -> (Option<i32>, Vec<u8>) {
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
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.com")])
        .env("HOME", folder)
        .output()
        .unwrap();
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (output.status.code(), output.stdout)
}

#[test]
fn merges_are_those_of_git() {
    let mut random = Random(1);
    let cases: Vec<[String; 3]> = (0..1200)
        .map(|_| {
            let letters = random.of(&[1, 2, 3, 5, 9, 20]);
            let most = random.of(&[2, 8, 20, 60, 300]);
            let base = random.lines(most, letters);
            let (ours, theirs) = (random.edited(&base, letters), random.edited(&base, letters));
            [base.concat(), ours.concat(), theirs.concat()]
        })
        .filter(|[base, ours, theirs]| base != ours && base != theirs && ours != theirs)
        .collect();

    let temp = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        String::from_utf8(git(temp.path(), arguments).1)
            .unwrap()
            .trim()
            .to_owned()
    };
    run(&["init", "-q", "."]);
    let mut commits: Vec<String> = Vec::new();
    for side in 0..3 {
        for (number, case) in cases.iter().enumerate() {
            fs::write(temp.path().join(format!("{number:05}")), &case[side]).unwrap();
        }
        run(&["add", "-A", "."]);
        let tree = run(&["write-tree"]);
        let parent = commits.first().map_or(Vec::new(), |base| vec!["-p", base]);
        let commit = run(&[&["commit-tree", &tree, "-m", "x"], &parent[..]].concat());
        commits.push(commit);
    }
    let (_, output) = git(
        temp.path(),
        &[
            "merge-tree",
            "--write-tree",
            "--name-only",
            "--no-messages",
            &commits[1],
            &commits[2],
        ],
    );
    let output = String::from_utf8(output).unwrap();
    let mut lines = output.lines();
    run(&["read-tree", lines.next().unwrap()]);
    run(&["checkout-index", "-q", "-f", "-a"]);
    let conflicts: Vec<&str> = lines.collect();
    assert!(
        conflicts.len() > 200 && cases.len() - conflicts.len() > 200,
        "{}",
        conflicts.len()
    );

    for (number, case @ [base, ours, theirs]) in cases.iter().enumerate() {
        let name = format!("{number:05}");
        let clean = !conflicts.contains(&name.as_str());
        let expected = clean.then(|| fs::read(temp.path().join(name)).unwrap());
        assert_eq!(
            merge_text(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), None),
            expected,
            "{case:?}"
        );
    }
}
