//! The reader of reftables against git: what git does in a repository with refs in files and what it does in one with
//! refs in tables must read the same, ref by ref and log by log, byte for byte.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use turn_attribution::git::reftable::Reftable;
use turn_attribution::model::LogKind;

type Logs = BTreeMap<String, String>;

/// The same commands in two repositories that differ in their ref storage alone.
struct Twins {
    temp: TempDir,
    ticks: u32,
}

const STORAGES: [&str; 2] = ["files", "reftable"];

impl Twins {
    fn new(hash: &str) -> Twins {
        let mut twins = Twins {
            temp: tempfile::tempdir().unwrap(),
            ticks: 0,
        };
        for storage in STORAGES {
            let folder = twins.folder(storage);
            fs::create_dir(&folder).unwrap();
            let format = format!("--object-format={hash}");
            let refs = format!("--ref-format={storage}");
            twins.run(&folder, &["init", "-q", "-b", "main", &format, &refs], "", true);
        }
        twins.git("commit -q --allow-empty -m first");
        twins
    }

    fn folder(&self, storage: &str) -> PathBuf {
        self.temp.path().join(storage)
    }

    fn tables(&self) -> PathBuf {
        self.folder("reftable").join(".git")
    }

    /// Both run at the same time of the same clock.
    fn run(&self, folder: &Path, arguments: &[&str], input: &str, expected: bool) -> String {
        let date = format!("{} +0130", 1_700_000_000 + 60 * self.ticks);
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs([
                ("HOME", self.temp.path().as_os_str()),
                ("GIT_CONFIG_NOSYSTEM", "1".as_ref()),
            ])
            .envs([("GIT_EDITOR", "true"), ("LC_ALL", "C"), ("TZ", "UTC")])
            .envs([("GIT_AUTHOR_NAME", "Ä B"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
            .envs([("GIT_COMMITTER_NAME", "Ç D"), ("GIT_COMMITTER_EMAIL", "c@example.com")])
            .envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), expected, "git {arguments:.200?}: {error:.500}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn both(&mut self, arguments: &[&str], input: &str, expected: bool) -> String {
        self.ticks += 1;
        let [files, tables] = STORAGES.map(|storage| self.run(&self.folder(storage), arguments, input, expected));
        assert_eq!(files, tables, "git {arguments:?}");
        tables
    }

    fn git(&mut self, line: &str) -> String {
        self.both(&line.split(' ').collect::<Vec<_>>(), "", true)
    }

    fn stops(&mut self, line: &str) {
        self.both(&line.split(' ').collect::<Vec<_>>(), "", false);
    }

    fn update_refs(&mut self, input: &str) {
        self.both(
            &["update-ref", "-m", "many at once", "--create-reflog", "--stdin"],
            input,
            true,
        );
    }

    fn commit(&mut self, file: &str, text: &str, message: &str) {
        for storage in STORAGES {
            fs::write(self.folder(storage).join(file), text).unwrap();
        }
        self.git("add -A");
        self.both(&["commit", "-q", "-m", message], "", true);
    }

    /// Ref by ref and log by log.
    fn agree(&self, when: &str) {
        let own = self.tables();
        self.agree_in(when, &own, &self.folder("files").join(".git"), &self.folder("reftable"));
    }

    fn agree_in(&self, when: &str, own: &Path, own_files: &Path, place: &Path) {
        let tables = Reftable::read(own, &self.tables()).unwrap();
        let refs: Vec<String> = tables
            .all()
            .unwrap()
            .into_iter()
            .map(|(name, oid)| format!("{oid} {}", String::from_utf8(name).unwrap()))
            .collect();
        let told = self.run(place, &["for-each-ref", "--format=%(objectname) %(refname)"], "", true);
        let told: Vec<String> = told.lines().map(str::to_owned).collect();
        assert_eq!(refs, told, "refs {when}");
        for line in told.iter().step_by(1 + told.len() / 40) {
            let (oid, name) = line.split_once(' ').unwrap();
            let found = tables.follow(name.as_bytes()).unwrap().0.map(|oid| oid.to_string());
            assert_eq!(found.as_deref(), Some(oid), "{name} {when}");
        }
        for absent in [
            "refs/heads/no such branch",
            "refs/heads",
            "refs/heads/zzzz",
            "\u{0}",
            "refs/heads/\u{ff}",
        ] {
            assert_eq!(tables.follow(absent.as_bytes()).unwrap().0, None, "{absent:?} {when}");
        }
        let head = self.try_head(place);
        assert_eq!(
            tables.follow(b"HEAD").unwrap().0.map(|oid| oid.to_string()),
            head,
            "HEAD {when}"
        );

        let log_of_head = tables.head_log().unwrap().unwrap_or_default();
        let in_file = fs::read(own_files.join("logs/HEAD")).unwrap_or_default();
        assert_eq!(text(&log_of_head), text(&in_file), "log of HEAD {when}");
        let mut logs = Logs::new();
        for log in tables.other_logs(|| Ok(())).unwrap() {
            if log.kind != LogKind::OtherHead && !log.text.is_empty() && !is_alias(&log.name) {
                logs.insert(log.name, text(&log.text));
            }
        }
        let mut in_files = Logs::new();
        let common = self.folder("files").join(".git/logs");
        collect(&common.join("refs"), &common, &mut in_files);
        assert_eq!(
            logs.keys().collect::<Vec<_>>(),
            in_files.keys().collect::<Vec<_>>(),
            "names of logs {when}"
        );
        for (name, log) in &logs {
            assert_eq!(&renamed_at_once(log), &in_files[name], "log of {name} {when}");
        }
    }

    fn try_head(&self, place: &Path) -> Option<String> {
        let output = Command::new("git")
            .args(["rev-parse", "-q", "--verify", "HEAD"])
            .current_dir(place)
            .output()
            .unwrap();
        let oid = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        (!oid.is_empty()).then_some(oid)
    }
}

fn text(log: &[u8]) -> String {
    String::from_utf8_lossy(log).into_owned()
}

/// Where a branch is renamed, tables get two entries, to nothing and from nothing, and files one.
fn renamed_at_once(log: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in log.lines() {
        let (old, rest) = line.split_once(' ').unwrap();
        let renaming = rest.contains("\tBranch: renamed") && old.bytes().all(|byte| byte == b'0');
        match lines.last_mut() {
            Some(last) if renaming => last.replace_range(old.len() + 1.., rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// The log of a symbolic ref is expired by git only where it lies in a table.
fn is_alias(name: &str) -> bool {
    name.contains("/alias")
}

fn collect(folder: &Path, root: &Path, logs: &mut Logs) {
    for child in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = child.path();
        if path.is_dir() {
            collect(&path, root, logs);
        } else {
            let content = text(&fs::read(&path).unwrap());
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if !content.is_empty() && !is_alias(&name) {
                logs.insert(name, content);
            }
        }
    }
}

fn many(count: usize, mut line: impl FnMut(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        writeln!(text, "{}", line(at)).unwrap();
        text
    })
}

/// Everything that moves refs, with what tables are made of set to `settings`.
fn a_life(hash: &str, branches: usize, settings: &[(&str, &str)]) {
    let mut twins = Twins::new(hash);
    for (key, value) in settings {
        twins.git(&format!("config {key} {value}"));
    }
    twins.agree("at first");
    for at in 0..12 {
        twins.commit("f", &format!("{at}\n"), &format!("commit {at}"));
        if at % 4 == 1 {
            twins.agree("after a commit");
        }
    }
    twins.commit("g", "g\n", &format!("a long subject {}", "ü - ".repeat(180)));
    twins.both(
        &["commit", "-q", "--allow-empty", "-m", "  spaces\tand\ttabs  \n\nbody\n"],
        "",
        true,
    );
    twins.both(
        &[
            "update-ref",
            "-m",
            " a\nmessage \t of\nlines ",
            "refs/heads/said",
            "HEAD",
        ],
        "",
        true,
    );
    twins.agree("with long messages");

    let head = twins.git("rev-parse HEAD").trim().to_owned();
    let other = twins.git("rev-parse HEAD~3").trim().to_owned();
    twins.update_refs(&many(branches, |at| {
        format!("create refs/heads/many/{at:05}/ünï-{} {head}", at * 7919)
    }));
    twins.agree("with many branches");
    twins.update_refs(&many(branches / 3, |at| {
        format!("update refs/heads/many/{:05}/ünï-{} {other}", at * 3, at * 3 * 7919)
    }));
    twins.agree("after moving some");
    twins.update_refs(&many(branches / 3, |at| {
        format!("delete refs/heads/many/{:05}/ünï-{}", at * 3 + 1, (at * 3 + 1) * 7919)
    }));
    twins.agree("after deleting some");
    twins.git("pack-refs --all");
    twins.agree("after compaction");
    twins.git("branch many/00001");
    twins.agree("after a name came back in another form");

    twins.git("tag light");
    twins.git("tag -a -m words heavy");
    twins.git("symbolic-ref refs/heads/alias refs/heads/said");
    twins.git("symbolic-ref refs/heads/alias-of-alias refs/heads/alias");
    twins.git("symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main");
    twins.agree("with symbolic refs");
    twins.git("checkout -q -b größe/ß said");
    twins.commit("h", "h\n", "on another branch");
    twins.git("branch -m größe/ß renamed");
    twins.agree("after renaming the branch under HEAD");
    // Not `branch -c`: there the two storages log another old value.
    twins.git("branch copied renamed");
    twins.git("checkout -q --detach HEAD~1");
    twins.agree("detached");
    twins.commit("i", "i\n", "detached work");
    twins.git("checkout -q main");
    twins.git("branch -D copied");
    twins.git("branch copied");
    twins.agree("after a branch went and came back");
    twins.stops("merge -q --no-edit --no-ff renamed --squash --commit");
    twins.git("merge -q --no-edit --no-ff -m merged renamed");
    twins.git("reset -q --hard HEAD~1");
    twins.git("rebase -q renamed");
    twins.agree("after a rebase");
    twins.git("stash list");
    for at in 0..3 {
        twins.commit("f", &format!("again {at}\n"), "again");
        for storage in STORAGES {
            fs::write(twins.folder(storage).join("f"), format!("stashed {at}\n")).unwrap();
        }
        twins.git("stash push -q");
    }
    twins.agree("with stashes");
    twins.git("stash drop -q stash@{1}");
    twins.agree("after an entry in the middle was dropped");
    twins.git("reflog delete --rewrite HEAD@{2}");
    twins.agree("after an entry was deleted and the next rewritten");
    twins.git("reflog expire --expire=1700000600 --all");
    twins.agree("after entries expired");
    twins.git("pack-refs --all");
    twins.agree("after entries expired and compaction");
    twins.git("reflog expire --expire=all --all");
    twins.agree("after all expired");
    twins.commit("f", "after\n", "after all expired");
    twins.agree("after a commit on nothing");
    twins.git("checkout -q --orphan unborn");
    twins.agree("unborn");
    let found = Reftable::read(&twins.tables(), &twins.tables())
        .unwrap()
        .follow(b"HEAD")
        .unwrap();
    assert_eq!(found, (None, b"refs/heads/unborn".to_vec()));
}

#[test]
fn a_life_as_git_makes_it_by_default() {
    a_life("sha1", 3000, &[]);
}

#[test]
fn a_life_in_small_blocks_without_restarts_and_object_index() {
    a_life(
        "sha256",
        900,
        &[
            ("reftable.blockSize", "2048"),
            ("reftable.restartInterval", "1"),
            ("reftable.indexObjects", "false"),
        ],
    );
}

#[test]
fn a_life_in_large_blocks_never_merged() {
    a_life(
        "sha1",
        300,
        &[
            ("reftable.blockSize", "65536"),
            ("reftable.restartInterval", "1000"),
            ("core.logAllRefUpdates", "always"),
        ],
    );
}

#[test]
fn a_worktree_has_a_head_and_refs_of_its_own() {
    let mut twins = Twins::new("sha1");
    for at in 0..3 {
        twins.commit("f", &format!("{at}\n"), "work");
    }
    for storage in STORAGES {
        let place = twins.temp.path().join(format!("linked-{storage}"));
        twins.run(
            &twins.folder(storage),
            &["worktree", "add", "-q", "-b", "linked", place.to_str().unwrap()],
            "",
            true,
        );
    }
    let places = STORAGES.map(|storage| twins.temp.path().join(format!("linked-{storage}")));
    for (at, message) in ["one", "two"].into_iter().enumerate() {
        for place in &places {
            fs::write(place.join("f"), format!("{at}\n")).unwrap();
            twins.run(place, &["commit", "-q", "-a", "-m", message], "", true);
            twins.run(place, &["update-ref", "refs/worktree/own", "HEAD"], "", true);
            twins.run(place, &["update-ref", "refs/bisect/bad", "HEAD~1"], "", true);
        }
        twins.agree("in the main worktree");
        let inside = STORAGES.map(|storage| twins.folder(storage).join(format!(".git/worktrees/linked-{storage}")));
        twins.agree_in("in the linked worktree", &inside[1], &inside[0], &places[1]);
        let other = Reftable::read(&twins.tables(), &twins.tables())
            .unwrap()
            .other_logs(|| Ok(()))
            .unwrap();
        let heads: Vec<_> = other.iter().filter(|log| log.kind == LogKind::OtherHead).collect();
        assert_eq!(heads.len(), 1);
        assert_eq!(
            text(&heads[0].text),
            text(&fs::read(inside[0].join("logs/HEAD")).unwrap())
        );
        twins.git("pack-refs --all");
    }
}

#[test]
fn damage_is_an_error_never_another_answer() {
    let mut twins = Twins::new("sha1");
    twins.update_refs(&many(300, |at| format!("create refs/heads/b{at} HEAD")));
    twins.git("pack-refs --all");
    let folder = twins.tables().join("reftable");
    let list = fs::read_to_string(folder.join("tables.list")).unwrap();
    let table = folder.join(list.trim());
    let whole = fs::read(&table).unwrap();
    let answer = |own: &Path| -> Result<_, String> {
        let tables = Reftable::read(own, own).map_err(|error| error.to_string())?;
        let refs = tables.all().map_err(|error| error.to_string())?;
        let logs = tables.other_logs(|| Ok(())).map_err(|error| error.to_string())?;
        Ok((refs, logs.into_iter().map(|log| log.text).collect::<Vec<_>>()))
    };
    let right = answer(&twins.tables()).unwrap();
    for length in (0..whole.len()).step_by(97) {
        fs::write(&table, &whole[..length]).unwrap();
        assert!(answer(&twins.tables()).is_err(), "cut at {length}");
    }
    // A flipped byte may stand in an id or a name, where nothing can tell; but no ref is lost by it.
    for at in (0..whole.len()).step_by(13) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        fs::write(&table, &damaged).unwrap();
        if let Ok((refs, logs)) = answer(&twins.tables()) {
            assert!(
                refs.len() + 1 >= right.0.len(),
                "{} refs after damage at {at}",
                refs.len()
            );
            assert_eq!(logs, right.1, "logs after damage at {at}");
        }
    }
    fs::write(&table, &whole).unwrap();
    fs::write(folder.join("tables.list"), format!("{list}../../config\n")).unwrap();
    assert!(answer(&twins.tables()).is_err());
    fs::write(folder.join("tables.list"), format!("{list}no-such-table.ref\n")).unwrap();
    assert!(answer(&twins.tables()).is_err());
}
