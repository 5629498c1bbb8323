//! Merge bases, ancestors and ranges of commits, held against git in random histories whose clocks are wrong as often
//! as right.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use turn_attribution::git::{LibgitSource, Stop, close_repositories};
use turn_attribution::model::{CommitWalk, GitSource, Oid};

fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> (bool, String) {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A history in which each commit has up to three parents among the last few; with its commits.
fn history(folder: &Path, random: &mut Random, skewed: bool) -> Vec<Oid> {
    history_of_pace(folder, random, skewed, 10)
}

/// The same with so many seconds between two commits.
fn history_of_pace(folder: &Path, random: &mut Random, skewed: bool, pace: i64) -> Vec<Oid> {
    assert!(git(folder, &["init", "-q"], b"").0);
    let mut stream = String::new();
    let count = 60u32;
    for at in 1..=count {
        let skew = if skewed && random.below(4) == 0 {
            random.below(400) as i64 - 200
        } else {
            0
        };
        let seconds = 1_700_000_000 + i64::from(at) * pace + skew;
        stream += &format!("commit refs/heads/b{at}\nmark :{at}\ncommitter R <r@x> {seconds} +0000\ndata 1\nx\n");
        let mut parents = BTreeSet::new();
        for _ in 0..random.below(4) {
            parents.insert(at.saturating_sub(1 + random.below(8) as u32).max(1));
        }
        parents.remove(&at);
        if parents.is_empty() && random.below(6) > 0 && at > 1 {
            parents.insert(at - 1);
        }
        for (number, parent) in parents.iter().rev().enumerate() {
            stream += &format!("{} :{parent}\n", if number == 0 { "from" } else { "merge" });
        }
    }
    assert!(git(folder, &["fast-import", "--quiet"], stream.as_bytes()).0);
    let refs = git(folder, &["for-each-ref", "--format=%(objectname)"], b"").1;
    refs.lines()
        .map(|line| Oid::from_hex(line.as_bytes()).unwrap())
        .collect()
}

#[test]
fn as_git_sees_them() {
    let mut random = Random(7);
    for round in 0..8 {
        let folder = tempfile::tempdir().unwrap();
        let commits = history(folder.path(), &mut random, round % 2 == 1);
        let source = LibgitSource::open(folder.path(), Stop::never()).unwrap();
        let mut pick = || commits[random.below(commits.len() as u64) as usize];
        for _ in 0..25 {
            let (one, two, three) = (pick(), pick(), pick());
            let [a, b, c] = [one, two, three].map(|oid| oid.to_string());
            let bases = |said: String| said.lines().map(str::to_owned).collect::<BTreeSet<_>>();
            let ours = source.merge_bases(one, two).unwrap();
            let theirs = bases(git(folder.path(), &["merge-base", "--all", &a, &b], b"").1);
            assert_eq!(
                ours.iter().map(Oid::to_string).collect::<BTreeSet<_>>(),
                theirs,
                "{a} {b}"
            );
            let descends = git(folder.path(), &["merge-base", "--is-ancestor", &a, &b], b"").0;
            assert_eq!(source.is_ancestor(one, two).unwrap(), descends, "{a} {b}");

            let walk = CommitWalk {
                from: vec![one, two],
                hide: vec![three],
                limit: 1000,
            };
            let ours = source.walk(&walk).unwrap();
            let theirs = git(folder.path(), &["rev-list", &a, &b, &format!("^{c}")], b"").1;
            let listed: BTreeSet<String> = theirs.lines().map(str::to_owned).collect();
            assert_eq!(
                ours.iter().map(Oid::to_string).collect::<BTreeSet<_>>(),
                listed,
                "{a} {b} ^{c}"
            );
            for (at, oid) in ours.iter().enumerate() {
                let parents = &source.read_commit(*oid).unwrap().parents;
                assert!(
                    parents.iter().all(|parent| !ours[..at].contains(parent)),
                    "a parent before {oid}"
                );
            }
        }
    }
}

#[test]
fn the_order_of_merge_bases_does_not_depend_on_what_was_asked_before() {
    let mut random = Random(11);
    let mut several = 0;
    for _ in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        // All of one second.
        let commits = history_of_pace(folder.path(), &mut random, false, 0);
        let open = || LibgitSource::open(folder.path(), Stop::never()).unwrap();
        let met = open();
        // Numbers are given as commits are met: the oldest first here, from the heads down below.
        for &commit in commits.iter().rev() {
            met.glance(commit).unwrap();
        }
        for _ in 0..60 {
            let [one, two] = [(); 2].map(|()| commits[random.below(60) as usize]);
            close_repositories();
            let bases = open().merge_bases(one, two).unwrap();
            several += usize::from(bases.len() > 1);
            assert_eq!(met.merge_bases(one, two).unwrap(), bases);
            let walk = CommitWalk {
                from: vec![one],
                hide: vec![two],
                limit: 1000,
            };
            assert_eq!(met.walk(&walk).unwrap(), open().walk(&walk).unwrap());
        }
    }
    assert!(several > 10, "{several}");
}

#[test]
fn what_was_met_is_forgotten_where_history_is_cut_between_two_calls() {
    let folder = tempfile::tempdir().unwrap();
    assert!(git(folder.path(), &["init", "-q"], b"").0);
    let mut stream = String::new();
    for at in 1..=5 {
        stream += &format!(
            "commit refs/heads/m\ncommitter R <r@x> {} +0000\ndata 1\nx\n",
            1_700_000_000 + at
        );
    }
    assert!(git(folder.path(), &["fast-import", "--quiet"], stream.as_bytes()).0);
    let listed = git(folder.path(), &["rev-list", "m"], b"").1;
    let commits: Vec<&str> = listed.lines().collect();
    let oid = |at: usize| Oid::from_hex(commits[at].as_bytes()).unwrap();
    let reaches = || {
        // Long enough after the last change for the handle to be kept.
        std::thread::sleep(std::time::Duration::from_millis(120));
        let source = LibgitSource::open(folder.path(), Stop::never()).unwrap();
        source.is_ancestor(oid(4), oid(0)).unwrap()
    };
    for place in ["shallow", "info/grafts"] {
        let file = folder.path().join(".git").join(place);
        assert!(reaches() && reaches(), "{place}");
        std::fs::write(&file, format!("{}\n", commits[2])).unwrap();
        assert!(!reaches() && !reaches(), "{place}");
        std::fs::write(&file, format!("{}\n", oid(4))).unwrap();
        assert!(reaches(), "{place}");
        std::fs::remove_file(&file).unwrap();
        assert!(reaches(), "{place}");
    }
}

#[test]
fn what_is_damaged_in_one_pack_is_read_from_another() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(13);
    let commits = history(folder.path(), &mut random, false);
    let packs = folder.path().join(".git/objects/pack");
    // The same objects twice, the second time in a pack that is asked first.
    assert!(git(folder.path(), &["repack", "-adfq"], b"").0);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let all = git(folder.path(), &["rev-list", "--all", "--objects"], b"").1;
    let some: String = all
        .lines()
        .step_by(2)
        .map(|line| format!("{}\n", &line[..40]))
        .collect();
    let second = git(
        folder.path(),
        &["pack-objects", "-q", "--no-reuse-object", ".git/objects/pack/pack"],
        some.as_bytes(),
    );
    let second = packs.join(format!("pack-{}.pack", second.1.trim()));
    let whole = std::fs::read(&second).unwrap();
    let plain = LibgitSource::open(folder.path(), Stop::never()).unwrap();
    let expected: Vec<String> = commits
        .iter()
        .map(|&commit| format!("{:?}", plain.read_commit(commit)))
        .collect();
    drop(plain);
    for _ in 0..40 {
        let mut damaged = whole.clone();
        for _ in 0..3 {
            let at = 12 + random.below(whole.len() as u64 - 32) as usize;
            damaged[at] ^= 1 << random.below(8);
        }
        std::fs::remove_file(&second).unwrap();
        std::fs::write(&second, &damaged).unwrap();
        close_repositories();
        let source = LibgitSource::open(folder.path(), Stop::never()).unwrap();
        for (&commit, expected) in commits.iter().zip(&expected) {
            assert_eq!(&format!("{:?}", source.read_commit(commit)), expected);
        }
    }
}
