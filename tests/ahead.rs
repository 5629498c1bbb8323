//! Comparisons that were announced are done ahead, and say what they say one by one.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use tempfile::TempDir;
use turn_attribution::git::{LibgitSource, Stop, close_repositories};
use turn_attribution::model::{Contents, GitSource, LineChange, Oid, SourceError, Text};

type Pair = (Option<Oid>, Option<Oid>);

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Pairs of loose blobs of about so many bytes; texts, every seventh a binary file, each text twice in the list.
fn repository(count: usize, bytes: usize) -> (TempDir, Vec<Pair>) {
    let temp = tempfile::tempdir().unwrap();
    git(temp.path(), &["init", "-q", "."]);
    for number in 0..count {
        for side in ["old", "new"] {
            let line = |at: usize| {
                let changed = if side == "new" && at.is_multiple_of(number + 2) {
                    "!"
                } else {
                    ""
                };
                format!("line {at} of {number}{changed}\n")
            };
            let mut content: String = (0..bytes / 20).map(line).collect();
            if number % 7 == 3 {
                content.insert(0, '\0');
            }
            fs::write(temp.path().join(format!("{number}-{side}")), content).unwrap();
        }
    }
    let files: Vec<String> = (0..count)
        .flat_map(|number| [format!("{number}-old"), format!("{number}-new")])
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let written = git(temp.path(), &[&["hash-object", "-w"], &files[..]].concat());
    let oids: Vec<Oid> = written
        .lines()
        .map(|line| Oid::from_hex(line.as_bytes()).unwrap())
        .collect();
    let pairs: Vec<Pair> = oids.chunks(2).map(|pair| (Some(pair[0]), Some(pair[1]))).collect();
    let swapped = pairs.iter().map(|&(old, new)| (new, old));
    (temp, pairs.iter().copied().chain(swapped).collect())
}

/// On a handle that nothing was asked of yet.
fn source(temp: &TempDir, stop: Stop) -> LibgitSource {
    close_repositories();
    LibgitSource::open(temp.path(), stop).unwrap()
}

fn compare(source: &LibgitSource, pair: Pair, ignore_all_space: bool) -> Result<Arc<[LineChange]>, SourceError> {
    let text = |oid: Option<Oid>| {
        let content = oid.map_or(Ok(Arc::default()), |oid| source.read_blob(oid));
        content.map(|content| Text { oid, content })
    };
    source.line_changes(&text(pair.0)?, &text(pair.1)?, ignore_all_space)
}

fn all(source: &LibgitSource, pairs: &[Pair], ignore_all_space: bool) -> Vec<String> {
    let each = pairs.iter().map(|&pair| compare(source, pair, ignore_all_space));
    each.map(|found| format!("{found:?}")).collect()
}

#[test]
fn they_say_what_they_say_one_by_one() {
    let (temp, mut pairs) = repository(200, 4000);
    let one = |pair: Pair| (pair.0, None);
    pairs.push((None, None));
    pairs.push(one(pairs[5]));
    let none = Oid::from_hex(&[b'0'; 40]).unwrap();
    let missing = Oid::from_hex(&[b'7'; 40]).unwrap();
    pairs.insert(80, (Some(none), pairs[80].1));
    pairs.insert(90, (pairs[90].0, Some(missing)));
    for ignore_all_space in [false, true] {
        let alone = all(&source(&temp, Stop::never()), &pairs, ignore_all_space);
        let source = source(&temp, Stop::never());
        source.announce(&pairs, ignore_all_space);
        assert_eq!(all(&source, &pairs, ignore_all_space), alone);
        // What was announced for one way of comparing says nothing of the other, nor of an order of the caller's own.
        source.announce(&pairs, !ignore_all_space);
        let backwards: Vec<Pair> = pairs.iter().rev().copied().collect();
        let mut found = all(&source, &backwards, ignore_all_space);
        found.reverse();
        assert_eq!(found, alone);
    }
}

#[test]
fn more_than_is_held_at_once() {
    let (temp, pairs) = repository(120, 150_000);
    let alone = all(&source(&temp, Stop::never()), &pairs, false);
    let source = source(&temp, Stop::never());
    source.announce(&pairs, false);
    assert_eq!(all(&source, &pairs, false), alone);
}

#[test]
fn they_are_read_ahead() {
    if available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        return;
    }
    let (temp, pairs) = repository(100, 2000);
    let alone = all(&source(&temp, Stop::never()), &pairs, false);
    let source = source(&temp, Stop::never());
    source.announce(&pairs, false);
    compare(&source, pairs[0], false).unwrap();
    fs::remove_dir_all(temp.path().join(".git/objects")).unwrap();
    assert_eq!(all(&source, &pairs, false), alone);
}

#[test]
fn a_call_that_ends_leaves_the_rest() {
    let (temp, pairs) = repository(100, 2000);
    let cancelled = Arc::new(AtomicBool::new(false));
    let source = source(&temp, Stop::new(cancelled.clone(), None));
    source.announce(&pairs, false);
    compare(&source, pairs[0], false).unwrap();
    cancelled.store(true, Ordering::Relaxed);
    assert!(matches!(compare(&source, pairs[1], false), Err(SourceError::Aborted)));
}

#[test]
fn the_same_comparison_under_many_paths_is_done_once() {
    let (temp, pairs) = repository(10, 2000);
    let source = source(&temp, Stop::never());
    let mut announced = vec![pairs[0]; 500];
    announced.push(pairs[1]);
    source.announce(&announced, false);
    compare(&source, pairs[0], false).unwrap();
    // There are but two, too few for a second thread.
    fs::remove_dir_all(temp.path().join(".git/objects")).unwrap();
    compare(&source, pairs[0], false).unwrap();
    compare(&source, pairs[1], false).unwrap_err();
}

/// Pairs of which each takes long for its size.
fn hard_repository(count: usize) -> (TempDir, Vec<Pair>) {
    let temp = tempfile::tempdir().unwrap();
    git(temp.path(), &["init", "-q", "."]);
    let mut seed = 1u32;
    let names: Vec<String> = (0..2 * count).map(|number| number.to_string()).collect();
    for name in &names {
        let content: String = (0..3000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                format!("{}\n", (seed >> 16) % 300)
            })
            .collect();
        fs::write(temp.path().join(name), content).unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let written = git(temp.path(), &[&["hash-object", "-w"], &names[..]].concat());
    let oids: Vec<Oid> = (written.lines())
        .map(|line| Oid::from_hex(line.as_bytes()).unwrap())
        .collect();
    let pairs = oids.chunks(2).map(|pair| (Some(pair[0]), Some(pair[1]))).collect();
    (temp, pairs)
}

#[test]
fn what_was_done_ahead_is_taken_before_the_time_is_over() {
    let (temp, pairs) = hard_repository(400);
    let source = source(&temp, Stop::new(Arc::default(), Some(Duration::from_secs(1))));
    source.announce(&pairs, false);
    let done = pairs
        .iter()
        .filter(|&&pair| compare(&source, pair, false).is_ok())
        .count();
    assert_ne!(done, 0);
}
