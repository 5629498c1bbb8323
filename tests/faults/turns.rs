//! Turns in real repositories, each rich in what attribution has to read.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use turn_attribution::git::read_head;
use turn_attribution::model::{Checkpoint, DemotedDetail, Oid, TurnRequest};

/// Before every turn, so that what a story says was there before is older (seconds since the epoch).
const BEGINNING: u64 = 1_750_000_000;

/// A repository `w` with a bare remote, and a teammate's clone of that.
pub struct Scene {
    temp: TempDir,
    clock: Cell<u64>,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene {
            temp: tempfile::tempdir().unwrap(),
            clock: Cell::new(BEGINNING),
        };
        fs::create_dir(scene.path("home")).unwrap();
        scene.run("", &["init", "-q", "--bare", "-b", "main", "origin"]);
        scene.run("", &["clone", "-q", "origin", "w"]);
        scene.git("config user.email agent@example.com");
        for (name, content) in [
            ("src/one.txt", lines("one", 20)),
            ("src/two.txt", lines("two", 20)),
            ("src/deep/three.txt", lines("three", 20)),
            ("top.txt", lines("top", 5)),
        ] {
            scene.write(name, &content);
        }
        scene.write("src/.gitattributes", "*.bin -diff\n");
        scene.write("src/data.bin", "data\n");
        scene.commit("base");
        scene.git("push -q origin HEAD:main");
        scene.run("", &["clone", "-q", "origin", "mate"]);
        scene.git("branch -q --set-upstream-to=origin/main");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// The checkout.
    pub fn work(&self) -> PathBuf {
        self.path("w")
    }

    fn try_run(&self, folder: &str, arguments: &[&str]) -> (bool, String) {
        self.clock.set(self.clock.get() + 1);
        let now = format!("{} +0000", self.clock.get());
        let who = if folder == "mate" { "mate" } else { "agent" };
        let mail = format!("{who}@example.com");
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path(folder))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs([("HOME", self.path("home")), ("GIT_CONFIG_GLOBAL", "/dev/null".into())])
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_EDITOR", "true"), ("LC_ALL", "C")])
            .envs([("GIT_AUTHOR_NAME", who), ("GIT_COMMITTER_NAME", who)])
            .envs([("GIT_AUTHOR_EMAIL", &mail), ("GIT_COMMITTER_EMAIL", &mail)])
            .envs([("GIT_AUTHOR_DATE", &now), ("GIT_COMMITTER_DATE", &now)])
            .output()
            .unwrap();
        let text = [&output.stdout[..], &output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&text).trim_end().to_owned(),
        )
    }

    fn run(&self, folder: &str, arguments: &[&str]) -> String {
        let (success, output) = self.try_run(folder, arguments);
        assert!(success, "git {arguments:?}: {output}");
        output
    }

    fn git(&self, line: &str) -> String {
        self.run("w", &line.split(' ').collect::<Vec<_>>())
    }

    /// A command that has to stop half-way.
    fn stops(&self, line: &str) {
        let (success, output) = self.try_run("w", &line.split(' ').collect::<Vec<_>>());
        assert!(!success, "git {line}: {output}");
    }

    fn write(&self, name: &str, content: &str) {
        write(&self.work(), name, content);
    }

    fn commit(&self, message: &str) {
        self.git("add -A");
        self.run("w", &["commit", "-q", "-m", message]);
    }

    /// The teammate pulls, writes a file, commits and pushes.
    fn mate(&self, name: &str, content: &str) {
        self.run("mate", &["pull", "-q", "--ff-only"]);
        write(&self.path("mate"), name, content);
        self.run("mate", &["add", "-A"]);
        self.run("mate", &["commit", "-q", "-m", name]);
        self.run("mate", &["push", "-q", "origin", "HEAD:main"]);
    }

    /// A snapshot of the whole working tree, with what is recorded beside it.
    fn checkpoint(&self) -> Checkpoint {
        // The index is left as it is: a copy takes the snapshot.
        let kept = fs::read(self.path("w/.git/index")).ok();
        self.git("add -A");
        let tree = self.git("write-tree");
        if let Some(index) = kept {
            fs::write(self.path("w/.git/index"), index).unwrap();
        }
        self.clock.set(self.clock.get() + 10);
        let snapshot = self.run("w", &["commit-tree", "-m", "snapshot", &tree]);
        self.clock.set(self.clock.get() + 10);
        let facts = read_head(&self.work()).unwrap();
        Checkpoint {
            oid: Oid::from_hex(snapshot.as_bytes()),
            head: Some(facts.head),
            branch: Some(facts.branch),
            pin: Some(facts.pin),
            ..Checkpoint::default()
        }
    }
}

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn lines(word: &str, count: usize) -> String {
    (1..=count).map(|number| format!("{word} line {number}\n")).collect()
}

/// The lines, one of them written anew.
fn edited(word: &str, at: usize, new: &str) -> String {
    lines(word, 20).replace(&format!("{word} line {at}\n"), &format!("{new}\n"))
}

/// A turn, or several, and what is asked about them.
pub struct Turn {
    /// Its name.
    pub name: &'static str,
    /// Where it was played.
    pub scene: Scene,
    /// The question.
    pub request: TurnRequest,
}

type Story = fn(&Scene);

/// Plays the turns of a range, one story each, after what happened before.
fn played(name: &'static str, before: Story, stories: &[Story]) -> Turn {
    let scene = Scene::new();
    before(&scene);
    let mut checkpoints = vec![scene.checkpoint()];
    for story in stories {
        story(&scene);
        checkpoints.push(scene.checkpoint());
    }
    let to = checkpoints.pop().unwrap();
    let from = checkpoints.remove(0);
    let request = TurnRequest {
        from,
        between: checkpoints,
        to,
        demoted: DemotedDetail::Paths,
        ..TurnRequest::default()
    };
    Turn { name, scene, request }
}

/// Every turn.
pub fn turns() -> Vec<Turn> {
    let nothing: Story = |_| {};
    vec![
        played(
            "edits alone",
            nothing,
            &[|scene| {
                scene.git("mv src/deep/three.txt src/deep/moved.txt");
                scene.write("src/deep/moved.txt", &edited("three", 9, "other"));
                scene.write("src/data.bin", "other\n");
                scene.write("src/new.txt", "new\n");
                scene.write("top.txt", "top\n");
            }],
        ),
        played(
            "a pull, and edits beside and in it",
            nothing,
            &[|scene| {
                scene.mate("src/one.txt", &edited("one", 2, "pulled"));
                scene.mate("src/deep/pulled.txt", "pulled\n");
                scene.git("pull -q --ff-only");
                scene.write(
                    "src/one.txt",
                    &edited("one", 2, "pulled").replace("one line 18", "written"),
                );
                scene.write("top.txt", "written\n");
            }],
        ),
        played(
            "an amend",
            |scene| {
                scene.write("src/one.txt", &edited("one", 3, "first"));
                scene.write("src/two.txt", &edited("two", 3, "first"));
                scene.commit("first");
            },
            &[|scene| {
                scene.write("src/two.txt", &edited("two", 3, "second"));
                scene.git("commit -q -a --amend --no-edit");
                scene.write("src/new.txt", "new\n");
                scene.commit("more");
            }],
        ),
        played(
            "a rebase that stops",
            |scene| {
                scene.write("src/one.txt", &edited("one", 3, "mine"));
                scene.commit("mine");
                scene.write("src/two.txt", &edited("two", 3, "mine"));
                scene.commit("mine too");
            },
            &[|scene| {
                scene.mate("src/one.txt", &edited("one", 3, "theirs"));
                scene.mate("src/deep/pulled.txt", "pulled\n");
                scene.git("fetch -q");
                scene.stops("rebase -q origin/main");
                scene.write("src/one.txt", &edited("one", 3, "both"));
                scene.git("add -A");
                scene.git("rebase --continue");
            }],
        ),
        played(
            "picks",
            |scene| {
                scene.git("checkout -q -b topic");
                scene.write("src/one.txt", &edited("one", 3, "picked"));
                scene.commit("to pick");
                scene.write("src/two.txt", &edited("two", 3, "picked"));
                scene.commit("to pick too");
                scene.git("checkout -q main");
                scene.write("src/two.txt", &edited("two", 3, "stood"));
                scene.commit("stood");
            },
            &[|scene| {
                scene.git("cherry-pick topic~1");
                scene.stops("cherry-pick topic");
                scene.write("src/two.txt", &edited("two", 3, "resolved"));
                scene.git("add -A");
                scene.git("cherry-pick --continue");
                scene.write("src/deep/three.txt", &edited("three", 3, "written"));
                scene.commit("written");
            }],
        ),
        played(
            "a merge that stops, and an edit in it",
            |scene| {
                scene.git("checkout -q -b topic");
                scene.git("mv src/deep src/far");
                scene.write("src/one.txt", &edited("one", 3, "topic"));
                scene.commit("topic");
                scene.git("checkout -q main");
                scene.write("src/one.txt", &edited("one", 3, "main"));
                scene.write("src/deep/three.txt", &edited("three", 15, "main"));
                scene.commit("main");
            },
            &[|scene| {
                scene.stops("merge -q topic");
                scene.write("src/one.txt", &edited("one", 3, "both"));
                scene.write("top.txt", "slipped in\n");
                scene.git("add -A");
                scene.git("commit -q --no-edit");
            }],
        ),
        played(
            "a merge resolved to one side of a rename",
            |scene| {
                scene.git("checkout -q -b topic");
                scene.git("mv src/two.txt src/moved.txt");
                scene.write("src/moved.txt", &edited("two", 15, "topic"));
                scene.write("top.txt", "topic\n");
                scene.commit("topic");
                scene.git("checkout -q main");
                scene.write("src/two.txt", &edited("two", 3, "main"));
                scene.write("top.txt", "main\n");
                scene.commit("main");
            },
            &[|scene| {
                scene.stops("merge -q topic");
                scene.write("src/moved.txt", &edited("two", 15, "topic"));
                scene.write("top.txt", "both\n");
                scene.git("add -A");
                scene.git("commit -q --no-edit");
            }],
        ),
        played(
            "a pull over uncommitted work that was stashed",
            |scene| {
                scene.write("src/one.txt", &edited("one", 18, "before"));
                scene.write("src/new.txt", "before\n");
            },
            &[|scene| {
                scene.mate("src/one.txt", &edited("one", 2, "pulled"));
                scene.git("stash -q -u");
                scene.git("pull -q --ff-only");
                scene.git("stash pop -q");
                scene.write("src/two.txt", &edited("two", 2, "written"));
            }],
        ),
        played(
            "work that a server squashed",
            nothing,
            &[|scene| {
                scene.write("src/one.txt", &edited("one", 3, "pushed"));
                scene.commit("pushed");
                scene.write("src/new.txt", &lines("pushed for the first time", 4));
                scene.commit("pushed too");
                scene.git("push -q origin HEAD:topic");
                scene.git("reset -q --hard HEAD~2");
                scene.run("mate", &["fetch", "-q"]);
                scene.run("mate", &["merge", "-q", "--squash", "origin/topic"]);
                write(&scene.path("mate"), "src/two.txt", &edited("two", 5, "theirs"));
                scene.run("mate", &["add", "-A"]);
                scene.run("mate", &["commit", "-q", "-m", "squashed"]);
                scene.run("mate", &["push", "-q", "origin", "HEAD:main"]);
                scene.git("pull -q --ff-only");
            }],
        ),
        played(
            "work that a colleague squashed into another file",
            nothing,
            &[|scene| {
                scene.write("src/new.txt", &lines("pushed for the first time", 4));
                scene.commit("pushed");
                scene.git("push -q origin HEAD:topic");
                scene.git("reset -q --hard HEAD~1");
                scene.run("mate", &["fetch", "-q"]);
                scene.run("mate", &["merge", "-q", "--squash", "origin/topic"]);
                scene.run("mate", &["mv", "-f", "src/new.txt", "src/taken.txt"]);
                write(&scene.path("mate"), "src/two.txt", &edited("two", 5, "theirs"));
                scene.run("mate", &["add", "-A"]);
                scene.run("mate", &["commit", "-q", "-m", "squashed"]);
                scene.run("mate", &["push", "-q", "origin", "HEAD:main"]);
                scene.git("pull -q --ff-only");
            }],
        ),
        played(
            "work of another worktree",
            nothing,
            &[|scene| {
                scene.git("worktree add -q -b topic ../other");
                write(&scene.path("other"), "src/two.txt", &edited("two", 3, "elsewhere"));
                scene.run("other", &["commit", "-q", "-a", "-m", "elsewhere"]);
                scene.mate("src/one.txt", &edited("one", 2, "pulled"));
                scene.git("pull -q --ff-only");
                scene.git("merge -q --no-edit topic");
            }],
        ),
        played(
            "a soft reset and another commit",
            nothing,
            &[|scene| {
                scene.mate("src/one.txt", &edited("one", 2, "pulled"));
                scene.mate("src/two.txt", &edited("two", 2, "pulled"));
                scene.git("pull -q --ff-only");
                scene.git("reset -q --soft HEAD~2");
                scene.write("src/deep/three.txt", &edited("three", 3, "written"));
                scene.commit("all of it");
            }],
        ),
        played(
            "a range of turns",
            nothing,
            &[
                |scene| {
                    scene.git("checkout -q -b topic");
                    scene.write("src/two.txt", &edited("two", 3, "parked"));
                    scene.commit("parked");
                    scene.git("checkout -q main");
                    scene.write("src/deep/three.txt", &edited("three", 9, "written"));
                    scene.git("stash -q");
                    scene.write("top.txt", "written\n");
                },
                |scene| {
                    scene.mate("src/one.txt", &edited("one", 2, "pulled"));
                    scene.git("pull -q --ff-only");
                },
                |scene| {
                    scene.git("add -A");
                    scene.git("commit -q -m top");
                    scene.git("merge -q --no-edit topic");
                    scene.git("stash pop -q");
                    scene.git("mv src/one.txt src/uno.txt");
                },
            ],
        ),
    ]
}
