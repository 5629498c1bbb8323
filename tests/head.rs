//! `read_head` on repositories made by real git, in every state that git can stop in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use turn_attribution::git::read_head;
use turn_attribution::model::{Error, ErrorCode, HeadFacts, LogMark, Oid, OperationKind};
use turn_attribution::rules::pin::{decode_pin, encode_pin};

struct Repo {
    temp: TempDir,
}

impl Repo {
    fn empty() -> Repo {
        let repo = Repo {
            temp: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(repo.path("home")).unwrap();
        fs::create_dir(repo.path("w")).unwrap();
        repo.git("init -q -b main .");
        repo
    }

    /// `main` and `topic` change the same line of `f`; `topic` adds `a` and `b` after that.
    fn forked() -> Repo {
        let repo = Repo::empty();
        repo.commit("f", "1\n", "base");
        repo.git("checkout -q -b topic");
        repo.commit("f", "topic\n", "t1");
        repo.commit("a", "a\n", "t2");
        repo.commit("b", "b\n", "t3");
        repo.git("checkout -q main");
        repo.commit("f", "main\n", "m1");
        repo
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn work(&self) -> PathBuf {
        self.path("w")
    }

    fn run(&self, folder: &str, arguments: &[&str]) -> (bool, String) {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path(folder))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs([("HOME", self.path("home")), ("GIT_CONFIG_GLOBAL", "/dev/null".into())])
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_EDITOR", "true"),
                ("LC_ALL", "C"),
                ("TZ", "UTC"),
            ])
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
            .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.com")])
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
        )
    }

    fn git(&self, line: &str) -> String {
        let (success, output) = self.run("w", &line.split(' ').collect::<Vec<_>>());
        assert!(success, "git {line}");
        output
    }

    /// A command that has to stop half-way.
    fn stops(&self, line: &str) {
        assert!(!self.run("w", &line.split(' ').collect::<Vec<_>>()).0, "git {line}");
    }

    fn commit(&self, file: &str, content: &str, message: &str) {
        fs::write(self.work().join(file), content).unwrap();
        self.git(&format!("add {file}"));
        self.git(&format!("commit -q -m {message}"));
    }

    fn oid(&self, name: &str) -> Oid {
        Oid::from_hex(self.git(&format!("rev-parse {name}")).as_bytes()).unwrap()
    }

    /// Reads the facts, and checks what has to hold in every state: nothing is written, the log position is right,
    /// the pin survives as text.
    fn facts_in(&self, folder: &str) -> HeadFacts {
        let before = listing(self.temp.path());
        let facts = read_head(&self.path(folder)).unwrap();
        assert_eq!(listing(self.temp.path()), before);
        let text = self.run(folder, &["rev-parse", "--absolute-git-dir"]).1;
        let log = fs::read(Path::new(&text).join("logs/HEAD")).ok();
        assert_eq!(facts.pin.log_length, log.as_ref().map(|log| log.len() as u64));
        let last = log
            .as_deref()
            .unwrap_or_default()
            .split(|&byte| byte == b'\n')
            .rev()
            .nth(1);
        assert_eq!(facts.pin.last_entry, last.and_then(LogMark::of_line));
        assert_eq!(decode_pin(&encode_pin(&facts.pin)).as_ref(), Some(&facts.pin));
        assert_eq!(facts.pin.operation, facts.operation);
        facts
    }

    fn facts(&self) -> HeadFacts {
        self.facts_in("w")
    }
}

fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let metadata = entry.metadata().unwrap();
        let content = if metadata.is_file() {
            fs::read(entry.path()).unwrap()
        } else {
            Vec::new()
        };
        all.push((entry.path(), content, metadata.modified().unwrap()));
        if metadata.is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all.sort();
    all
}

fn error(folder: &Path) -> Error {
    read_head(folder).unwrap_err()
}

#[test]
fn an_unborn_branch_has_a_name_and_no_head() {
    let repo = Repo::empty();
    let facts = repo.facts();
    assert_eq!(
        (facts.head, facts.branch.as_deref(), facts.operation),
        (None, Some("main"), None)
    );
    assert_eq!(facts.pin.log_length, None);
    repo.commit("f", "1\n", "base");
    repo.git("checkout -q --orphan new/root");
    let facts = repo.facts();
    assert_eq!((facts.head, facts.branch.as_deref()), (None, Some("new/root")));
    assert!(facts.pin.log_length.unwrap() > 0);
}

#[test]
fn a_branch_may_have_any_name() {
    let repo = Repo::forked();
    for name in ["a/b/c", "tür/✓", "x=y;z,%20", "HEAD2", "refs/heads/odd"] {
        repo.git(&format!("checkout -q -b {name}"));
        let facts = repo.facts();
        assert_eq!(
            (facts.head, facts.branch.as_deref()),
            (Some(repo.oid("HEAD")), Some(name))
        );
    }
    repo.git("pack-refs --all");
    assert_eq!(repo.facts().branch.as_deref(), Some("refs/heads/odd"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_shown_as_well_as_can_be() {
    use std::os::unix::ffi::OsStrExt;
    let repo = Repo::empty();
    let head = repo.work().join(".git/HEAD");
    fs::write(&head, b"ref: refs/heads/caf\xe9\n").unwrap();
    let facts = repo.facts();
    assert_eq!((facts.head, facts.branch.as_deref()), (None, Some("caf\u{fffd}")));
    repo.git("commit -q --allow-empty -m x");
    assert!(
        repo.work()
            .join(".git/refs/heads")
            .join(std::ffi::OsStr::from_bytes(b"caf\xe9"))
            .exists()
    );
    let facts = repo.facts();
    assert_eq!(
        (facts.head, facts.branch.as_deref()),
        (Some(repo.oid("HEAD")), Some("caf\u{fffd}"))
    );
}

#[test]
fn a_symbolic_branch_leads_to_the_last_one() {
    let repo = Repo::forked();
    repo.git("symbolic-ref refs/heads/alias refs/heads/topic");
    repo.git("symbolic-ref HEAD refs/heads/alias");
    let facts = repo.facts();
    assert_eq!(
        (facts.head, facts.branch.as_deref()),
        (Some(repo.oid("topic")), Some("topic"))
    );
    repo.git("symbolic-ref refs/heads/alias refs/heads/none");
    let facts = repo.facts();
    assert_eq!((facts.head, facts.branch.as_deref()), (None, Some("none")));
}

#[test]
fn detached() {
    let repo = Repo::forked();
    repo.git("checkout -q --detach topic");
    let facts = repo.facts();
    assert_eq!(
        (facts.head, facts.branch, facts.operation),
        (Some(repo.oid("topic")), None, None)
    );
}

#[test]
fn a_linked_worktree_has_its_own_head_and_state() {
    let repo = Repo::forked();
    repo.git("worktree add -q ../linked topic");
    repo.stops("merge topic");
    assert!(!repo.run("linked", &["cherry-pick", "main"]).0);
    let facts = repo.facts_in("linked");
    assert_eq!(
        (facts.head, facts.branch.as_deref()),
        (Some(repo.oid("topic")), Some("topic"))
    );
    assert_eq!(
        (facts.operation, facts.pin.merge_heads.len()),
        (Some(OperationKind::CherryPick), 0)
    );
    assert_eq!(repo.facts().operation, Some(OperationKind::Merge));
}

#[test]
fn in_the_middle_of_a_merge() {
    let repo = Repo::forked();
    repo.stops("merge topic");
    let facts = repo.facts();
    assert_eq!(
        (facts.head, facts.branch.as_deref()),
        (Some(repo.oid("main")), Some("main"))
    );
    assert_eq!(facts.operation, Some(OperationKind::Merge));
    assert_eq!(facts.pin.merge_heads, [repo.oid("topic")]);
    repo.git("merge --abort");
    assert_eq!(repo.facts().operation, None);
    repo.git("checkout -q -b one main");
    repo.commit("o", "o\n", "o");
    repo.git("checkout -q -b two main");
    repo.git("merge -q --no-commit one topic -s ours");
    assert_eq!(repo.facts().pin.merge_heads, [repo.oid("one"), repo.oid("topic")]);
}

#[test]
fn in_the_middle_of_a_rebase_the_branch_is_the_one_being_rebased() {
    for backend in ["--merge", "--apply"] {
        let repo = Repo::forked();
        let topic = repo.oid("topic");
        repo.git("checkout -q topic");
        repo.stops(&format!("rebase {backend} main"));
        let facts = repo.facts();
        assert_eq!(
            (facts.head, facts.branch.as_deref()),
            (Some(repo.oid("main")), Some("topic")),
            "{backend}"
        );
        assert_eq!(facts.operation, Some(OperationKind::Rebase));
        assert_eq!(facts.pin.pick_head, Some(repo.oid("topic~2")));
        assert_eq!(
            (facts.pin.rebase_onto, facts.pin.started_from),
            (Some(repo.oid("main")), Some(topic))
        );
        assert_eq!(facts.pin.rebase_ref.as_deref(), Some("refs/heads/topic"));
        repo.git("rebase --abort");
        let facts = repo.facts();
        assert_eq!(
            (facts.operation, facts.pin.pick_head, facts.pin.rebase_ref),
            (None, None, None)
        );

        repo.git("checkout -q --detach topic");
        repo.stops(&format!("rebase {backend} main"));
        let facts = repo.facts();
        assert_eq!(
            (facts.branch, facts.operation),
            (None, Some(OperationKind::Rebase)),
            "{backend}"
        );
    }
}

#[test]
fn in_the_middle_of_a_pick_or_revert() {
    let repo = Repo::forked();
    repo.stops("cherry-pick topic~2");
    let facts = repo.facts();
    assert_eq!(
        (facts.branch.as_deref(), facts.operation),
        (Some("main"), Some(OperationKind::CherryPick))
    );
    assert_eq!(facts.pin.pick_head, Some(repo.oid("topic~2")));
    repo.git("cherry-pick --abort");

    repo.commit("f", "other\n", "m2");
    repo.stops("revert --no-edit main~1");
    let facts = repo.facts();
    assert_eq!(
        (facts.branch.as_deref(), facts.operation),
        (Some("main"), Some(OperationKind::Revert))
    );
    assert_eq!(
        (facts.pin.revert_head, facts.pin.pick_head),
        (Some(repo.oid("main~1")), None)
    );
}

#[test]
fn between_two_picks_of_a_sequence() {
    let repo = Repo::forked();
    let main = repo.oid("main");
    repo.stops("cherry-pick topic~3..topic");
    fs::write(repo.work().join("f"), "resolved\n").unwrap();
    repo.git("commit -q -a -m resolved");
    let facts = repo.facts();
    assert_eq!(
        (facts.operation, facts.pin.pick_head),
        (Some(OperationKind::CherryPick), None)
    );
    assert_eq!(facts.pin.started_from, Some(main));
}

#[test]
fn in_the_middle_of_an_am() {
    let repo = Repo::forked();
    repo.git("format-patch -q -o ../patches topic~3..topic");
    repo.stops("am ../patches/0001-t1.patch");
    let facts = repo.facts();
    assert_eq!(
        (facts.branch.as_deref(), facts.operation),
        (Some("main"), Some(OperationKind::Am))
    );
    assert_eq!(facts.pin.rebase_ref, None);
}

#[test]
fn a_bisection_is_detached() {
    let repo = Repo::forked();
    repo.git("bisect start topic topic~3");
    let facts = repo.facts();
    assert_eq!((facts.branch, facts.operation), (None, Some(OperationKind::Bisect)));
    assert_eq!(facts.head, Some(repo.oid("HEAD")));
}

#[test]
fn the_repository_is_found_from_below_bare_and_apart() {
    let repo = Repo::forked();
    fs::create_dir_all(repo.work().join("deep/er")).unwrap();
    let top = repo.facts();
    assert_eq!(repo.facts_in("w/deep/er"), top);
    assert_eq!(repo.facts_in("w/.git"), top);

    repo.git("clone -q --bare . ../bare.git");
    let facts = repo.facts_in("bare.git");
    assert_eq!(
        (facts.head, facts.branch.as_deref(), facts.pin.log_length),
        (top.head, Some("main"), None)
    );

    repo.git("init -q --separate-git-dir ../elsewhere");
    assert!(repo.work().join(".git").is_file());
    assert_eq!(repo.facts(), top);
}

#[test]
fn the_environment_does_not_choose_the_repository() {
    // Set for the child only: this test binary asks itself.
    if let Some(folder) = std::env::var_os("HEAD_TEST_FOLDER") {
        assert_eq!(read_head(Path::new(&folder)).unwrap().branch.as_deref(), Some("main"));
        return;
    }
    let (here, other) = (Repo::forked(), Repo::forked());
    other.git("checkout -q topic");
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_environment_does_not_choose_the_repository"])
        .env("HEAD_TEST_FOLDER", here.work())
        .env("GIT_DIR", other.work().join(".git"))
        .status()
        .unwrap();
    assert!(child.success());
}

#[test]
fn logs_of_every_shape() {
    let repo = Repo::forked();
    let log = repo.work().join(".git/logs/HEAD");
    let text = fs::read(&log).unwrap();

    // A line that is being written: the one before it is the last.
    fs::write(&log, [&text[..], b"0123 torn"].concat()).unwrap();
    let facts = read_head(&repo.work()).unwrap();
    assert_eq!(facts.pin.log_length, Some(text.len() as u64));
    assert_eq!(facts.pin.last_entry.map(|mark| mark.new), facts.head);

    fs::write(&log, b"not an entry\n").unwrap();
    let facts = repo.facts();
    assert_eq!((facts.pin.log_length, facts.pin.last_entry), (Some(13), None));

    for content in ["", "torn"] {
        fs::write(&log, content).unwrap();
        let pin = read_head(&repo.work()).unwrap().pin;
        assert_eq!((pin.log_length, pin.last_entry), (Some(0), None));
    }
    fs::remove_file(&log).unwrap();
    assert_eq!(repo.facts().pin.log_length, None);
    repo.git("config core.logAllRefUpdates false");
    repo.git("commit -q --allow-empty -m x");
    assert_eq!(repo.facts().pin.log_length, None);
}

#[test]
fn a_subject_longer_than_any_buffer() {
    for length in [4000, 5000, 40_000, 100_000] {
        let repo = Repo::empty();
        repo.commit("f", "1\n", &"s".repeat(length));
        assert_eq!(repo.facts().pin.last_entry.map(|mark| mark.new), Some(repo.oid("HEAD")));
        repo.commit("f", "2\n", &"s".repeat(length));
        assert_eq!(repo.facts().pin.last_entry.map(|mark| mark.new), Some(repo.oid("HEAD")));
    }
}

#[test]
fn head_and_log_are_of_one_moment() {
    let repo = Repo::forked();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..40 {
                repo.git(&format!("commit -q --allow-empty -m c{number}"));
            }
        });
        while !writer.is_finished() {
            let facts = read_head(&repo.work()).unwrap();
            assert_eq!(facts.pin.last_entry.map(|mark| mark.new), facts.head);
        }
    });
}

#[test]
fn no_repository() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(error(temp.path()).code, ErrorCode::NotARepository);
    assert_eq!(error(&temp.path().join("none")).code, ErrorCode::NotARepository);
    fs::write(temp.path().join("file"), "").unwrap();
    assert_eq!(error(&temp.path().join("file")).code, ErrorCode::NotARepository);
    fs::write(temp.path().join(".git"), "gitdir: nowhere\n").unwrap();
    assert_eq!(error(temp.path()).code, ErrorCode::NotARepository);
}

#[test]
fn paths_that_can_never_be_right() {
    for path in ["", "a\0b", "\0"] {
        assert_eq!(error(Path::new(path)).code, ErrorCode::InvalidArgument, "{path:?}");
    }
}

#[test]
fn formats_that_cannot_be_read_are_named() {
    let repo = Repo::forked();
    repo.git("config core.repositoryFormatVersion 1");
    repo.git("config extensions.refStorage another");
    let unknown = error(&repo.work());
    assert_eq!(unknown.code, ErrorCode::UnsupportedRepository);
    assert!(unknown.message.contains("refstorage = another"), "{unknown}");
    let repo = Repo::forked();
    repo.git("config core.repositoryFormatVersion 1");
    repo.git("config extensions.foobar 1");
    let unknown = error(&repo.work());
    assert_eq!(unknown.code, ErrorCode::UnsupportedRepository);
    assert!(unknown.message.contains("foobar"), "{unknown}");
    repo.git("init -q --initial-branch=x ../second");
    fs::write(
        repo.path("second/.git/config"),
        "[core]\n\trepositoryformatversion = 2\n",
    )
    .unwrap();
    assert_eq!(error(&repo.path("second")).code, ErrorCode::UnsupportedRepository);
    fs::write(repo.path("second/.git/config"), "[core]\n\tbare = false\n").unwrap();
    // What other storages write for the eyes of old readers, and the settings name none.
    fs::write(repo.path("second/.git/HEAD"), "ref: refs/heads/.invalid\n").unwrap();
    assert_eq!(error(&repo.path("second")).code, ErrorCode::RepositoryUnreadable);
}

#[test]
fn extensions_that_do_no_harm() {
    let repo = Repo::forked();
    let head = repo.oid("HEAD");
    repo.git("config core.repositoryFormatVersion 1");
    for setting in [
        "refStorage files",
        "partialClone origin",
        "noop 1",
        "preciousObjects true",
        "worktreeConfig true",
    ] {
        repo.git(&format!("config extensions.{setting}"));
        let facts = read_head(&repo.work()).unwrap();
        assert_eq!(
            (facts.head, facts.branch.as_deref()),
            (Some(head), Some("main")),
            "{setting}"
        );
    }
}

#[test]
fn damage_is_reported_as_such() {
    let repo = Repo::forked();
    fs::write(repo.work().join(".git/refs/heads/main"), "garbage\n").unwrap();
    assert_eq!(error(&repo.work()).code, ErrorCode::RepositoryUnreadable);
    let repo = Repo::forked();
    fs::write(repo.work().join(".git/config"), "[core\n").unwrap();
    assert_eq!(error(&repo.work()).code, ErrorCode::RepositoryUnreadable);
    let repo = Repo::forked();
    fs::write(repo.work().join(".git/MERGE_HEAD"), "garbage\n").unwrap();
    assert_eq!(repo.facts().operation, None);
}

/// Needs root, to give the folder away.
#[cfg(unix)]
#[test]
fn a_repository_of_someone_else() {
    let repo = Repo::forked();
    let given = Command::new("chown")
        .args(["-R", "12345"])
        .arg(repo.work())
        .status()
        .unwrap();
    // In the environment of this process, where safe.directory may be set to anything.
    let allowed = Command::new("git")
        .arg("-C")
        .arg(repo.work())
        .args(["rev-parse", "HEAD"])
        .output()
        .unwrap();
    if !given.success() || allowed.status.success() {
        return;
    }
    let error = error(&repo.work());
    assert_eq!(error.code, ErrorCode::NotOwned);
    assert!(
        error.message.contains("safe.directory") && error.message.contains("/w"),
        "{error}"
    );
}
