//! Merges and rename pairing against the git binary, on random trees.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use turn_attribution::model::{Change, Contents, Delta, Entry, FileMode, Oid, RepoPath, SourceError};
use turn_attribution::rules::merge3::{BaseFiles, MergeLimits, Merged, merge3, merge3_with_base};
use turn_attribution::rules::rename_pairing::{RenamePair, pair_renames};
use turn_attribution::rules::similarity::similarity_percent;

// ---- contents in memory ----

#[derive(Default)]
struct Memory {
    blobs: RefCell<HashMap<Oid, Arc<[u8]>>>,
    reads: Cell<usize>,
    abort: Cell<bool>,
}

impl Memory {
    fn add(&self, content: &[u8]) -> Oid {
        let oid = git2::Oid::hash_object(git2::ObjectType::Blob, content).unwrap();
        let oid = Oid::from_bytes(oid.as_bytes()).unwrap();
        self.blobs.borrow_mut().entry(oid).or_insert_with(|| content.into());
        oid
    }
}

impl Contents for Memory {
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        self.reads.set(self.reads.get() + 1);
        if self.abort.get() {
            return Err(SourceError::Aborted);
        }
        self.blobs.borrow().get(&oid).cloned().ok_or(SourceError::Missing(oid))
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        self.add(&content)
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        turn_attribution::git::merge_text(base, ours, theirs, None)
    }
}

// ---- random trees ----

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    mode: u32,
    content: Vec<u8>,
}

type Tree = BTreeMap<String, Node>;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn line(&mut self) -> String {
        if self.percent(REPEATED_LINES.with(Cell::get)) {
            self.of(&["}\n", "\n", "    return;\n", "{\n"]).to_string()
        } else {
            let words = 1 + self.below(6);
            let text: Vec<String> = (0..words).map(|_| format!("w{:x}", self.below(1 << 20))).collect();
            text.join(" ") + "\n"
        }
    }

    fn text(&mut self) -> Vec<u8> {
        let count = *self.of(&[1, 2, 5, 12, 30, 80]);
        let mut text = (0..count).map(|_| self.line()).collect::<String>().into_bytes();
        if self.percent(10) {
            text.pop();
        }
        if self.percent(4) {
            text.insert(0, 0);
        }
        if self.percent(6) {
            text.clear();
        }
        text
    }

    fn edited(&mut self, content: &[u8], share: usize) -> Vec<u8> {
        let mut lines: Vec<Vec<u8>> = content
            .split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        let times = 1 + lines.len() * share / 100;
        for _ in 0..times {
            let place = self.below(lines.len() + 1);
            match self.below(3) {
                0 => lines.insert(place, self.line().into_bytes()),
                _ if place == lines.len() => {}
                1 => lines[place] = self.line().into_bytes(),
                _ => drop(lines.remove(place)),
            }
        }
        lines.concat()
    }

    fn path(&mut self) -> String {
        let directory = *self.of(&[
            "",
            "",
            "a/",
            "b/",
            "c/",
            "a/x/",
            "b/x/",
            "a/y/",
            "lib/core/",
            "src/",
            "src/x/",
        ]);
        let name = *self.of(&[
            "index", "mod", "main", "one", "two", "three", "four", "five", "six", "seven",
        ]);
        format!("{directory}{name}")
    }

    fn node(&mut self) -> Node {
        match self.below(20) {
            0 => Node {
                mode: 0o120000,
                content: format!("to{}", self.below(30)).into_bytes(),
            },
            1 if self.percent(50) => Node {
                mode: 0o160000,
                content: vec![self.below(5) as u8],
            },
            2 | 3 => Node {
                mode: 0o100755,
                content: self.text(),
            },
            _ => Node {
                mode: 0o100644,
                content: self.text(),
            },
        }
    }
}

thread_local! {
    static REPEATED_LINES: Cell<usize> = const { Cell::new(10) };
}

/// Puts a file where it fits: replaces what is in the way.
fn place(tree: &mut Tree, path: &str, node: Node) {
    tree.retain(|other, _| !other.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{other}/")));
    tree.insert(path.to_string(), node);
}

fn free(tree: &Tree, path: &str) -> bool {
    !tree
        .keys()
        .any(|other| other == path || other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/")))
}

fn base_tree(random: &mut Random) -> Tree {
    let mut tree = Tree::new();
    for _ in 0..4 + random.below(24) {
        let path = random.path();
        if free(&tree, &path) {
            let copied = random.percent(8).then(|| tree.values().next().cloned()).flatten();
            let node = copied.unwrap_or_else(|| random.node());
            tree.insert(path, node);
        }
    }
    tree
}

fn mutate(tree: &mut Tree, random: &mut Random) {
    let paths: Vec<String> = tree.keys().cloned().collect();
    if paths.is_empty() {
        let path = random.path();
        place(tree, &path, random.node());
        return;
    }
    let path = random.of(&paths).clone();
    let mut node = tree[&path].clone();
    let file = node.mode & 0o170000 == 0o100000;
    match random.below(28) {
        0..8 => {
            if file {
                let share = *random.of(&[1, 1, 10, 40, 70]);
                node.content = random.edited(&node.content, share);
            } else {
                node.content = vec![b'a' + random.below(8) as u8];
            }
            tree.insert(path, node);
        }
        8..10 => drop(tree.remove(&path)),
        10..13 => {
            let path = random.path();
            if free(tree, &path) {
                tree.insert(path, random.node());
            }
        }
        13 => {
            if file {
                node.mode ^= 0o111;
                tree.insert(path, node);
            }
        }
        14..20 => {
            let moved = random.path();
            let moved = match random.below(3) {
                0 => moved,
                1 => format!(
                    "{}{}",
                    &moved[..moved.rfind('/').map_or(0, |at| at + 1)],
                    path.rsplit('/').next().unwrap()
                ),
                _ => format!(
                    "{}{}",
                    &path[..path.rfind('/').map_or(0, |at| at + 1)],
                    moved.rsplit('/').next().unwrap()
                ),
            };
            if free(tree, &moved) {
                tree.remove(&path);
                if file && random.percent(60) {
                    let share = *random.of(&[1, 5, 15, 30, 45]);
                    node.content = random.edited(&node.content, share);
                }
                if file && random.percent(10) {
                    node.mode ^= 0o111;
                }
                tree.insert(moved, node);
            }
        }
        20..23 => {
            // A directory moves, mostly whole.
            let Some(slash) = path.rfind('/') else { return };
            let from = &path[..slash];
            let from = if random.percent(25) {
                &from[..from.find('/').unwrap_or(from.len())]
            } else {
                from
            };
            let to = *random.of(&["new", "a", "b/z", "lib", "src/y"]);
            let whole = random.percent(75);
            for path in &paths {
                let Some(rest) = path.strip_prefix(&format!("{from}/")) else {
                    continue;
                };
                let moved = format!("{to}/{rest}");
                if (whole || random.percent(70)) && free(tree, &moved) {
                    let mut node = tree.remove(path).unwrap();
                    if node.mode & 0o170000 == 0o100000 && random.percent(25) {
                        node.content = random.edited(&node.content, 10);
                    }
                    tree.insert(moved, node);
                }
            }
        }
        23 => {
            let node = random.node();
            place(tree, &path, node);
        }
        24 => {
            let child = format!("{path}/{}", random.of(&["inner", "index"]));
            let content = if random.percent(50) { node } else { random.node() };
            place(tree, &child, content);
        }
        25 => {
            if let Some(slash) = path.rfind('/') {
                let node = random.node();
                place(tree, &path[..slash], node);
            }
        }
        _ => {
            // A file beside another one: what directory renames catch.
            let directory = &path[..path.rfind('/').map_or(0, |at| at + 1)];
            let beside = format!("{directory}{}", random.of(&["fresh", "index", "mod", "main"]));
            if free(tree, &beside) {
                tree.insert(beside, random.node());
            }
        }
    }
}

// ---- the fixture ----

fn oid_of(node: &Node, memory: &Memory) -> Oid {
    if node.mode == 0o160000 {
        let mut bytes = [7; 20];
        bytes[0] = node.content.first().copied().unwrap_or(0);
        Oid::from_bytes(&bytes).unwrap()
    } else {
        memory.add(&node.content)
    }
}

fn entries(tree: &Tree, memory: &Memory) -> BTreeMap<RepoPath, Entry> {
    let entry = |node: &Node| Entry {
        mode: FileMode::canonical(node.mode),
        oid: oid_of(node, memory),
    };
    tree.iter()
        .map(|(path, node)| (RepoPath::from(path), entry(node)))
        .collect()
}

fn delta(old: &BTreeMap<RepoPath, Entry>, new: &BTreeMap<RepoPath, Entry>) -> Delta {
    let paths: BTreeSet<&RepoPath> = old.keys().chain(new.keys()).collect();
    let change = |path: &RepoPath| Change {
        old: old.get(path).copied(),
        new: new.get(path).copied(),
    };
    let changes = paths.into_iter().map(|path| (path.clone(), change(path)));
    changes.filter(|(_, change)| change.old != change.new).collect()
}

struct Base<'a>(&'a BTreeMap<RepoPath, Entry>);

impl BaseFiles for Base<'_> {
    fn any_file_under(&self, directory: &[u8], wanted: &mut dyn FnMut(&[u8]) -> bool) -> Result<bool, SourceError> {
        let prefix = [directory, b"/"].concat();
        Ok(self.0.keys().any(|path| path.starts_with(&prefix) && wanted(path)))
    }
}

struct Fixture {
    directory: tempfile::TempDir,
    repository: git2::Repository,
}

impl Fixture {
    fn new() -> Fixture {
        // Thousands of small objects: in memory where the system offers it.
        let memory = Path::new("/dev/shm");
        let directory = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        }
        .unwrap();
        let repository = git2::Repository::init_bare(directory.path()).unwrap();
        Fixture { directory, repository }
    }

    fn write_tree(&self, tree: &Tree) -> git2::Oid {
        let mut index = git2::Index::new().unwrap();
        for (path, node) in tree {
            let id = if node.mode == 0o160000 {
                git2::Oid::from_bytes(oid_of(node, &Memory::default()).as_bytes()).unwrap()
            } else {
                self.repository.blob(&node.content).unwrap()
            };
            let time = git2::IndexTime::new(0, 0);
            let entry = git2::IndexEntry {
                ctime: time,
                mtime: time,
                dev: 0,
                ino: 0,
                mode: node.mode,
                uid: 0,
                gid: 0,
                file_size: 0,
                id,
                flags: 0,
                flags_extended: 0,
                path: path.as_bytes().to_vec(),
            };
            index.add(&entry).unwrap();
        }
        index.write_tree_to(&self.repository).unwrap()
    }

    fn commit(&self, tree: &Tree) -> git2::Oid {
        let tree = self.repository.find_tree(self.write_tree(tree)).unwrap();
        let who = git2::Signature::new("a", "a@b", &git2::Time::new(1, 0)).unwrap();
        self.repository.commit(None, &who, &who, "", &tree, &[]).unwrap()
    }

    fn read_tree(&self, id: git2::Oid) -> BTreeMap<RepoPath, Entry> {
        let mut found = BTreeMap::new();
        let tree = self.repository.find_tree(id).unwrap();
        tree.walk(git2::TreeWalkMode::PreOrder, |root, entry| {
            if entry.kind() != Some(git2::ObjectType::Tree) {
                let path = [root.as_bytes(), entry.name_bytes()].concat();
                let oid = Oid::from_bytes(entry.id().as_bytes()).unwrap();
                found.insert(
                    path.into(),
                    Entry {
                        mode: FileMode::canonical(entry.filemode() as u32),
                        oid,
                    },
                );
            }
            git2::TreeWalkResult::Ok
        })
        .unwrap();
        found
    }

    fn git(&self, arguments: &[&str], input: &str) -> Vec<u8> {
        run_git(self.directory.path(), arguments, input)
    }
}

fn run_git(directory: &Path, arguments: &[&str], input: &str) -> Vec<u8> {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .env("HOME", directory)
        .env("XDG_CONFIG_HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.stdout
}

/// What git made of one merge.
struct Verdict {
    clean: bool,
    tree: git2::Oid,
    conflicted: BTreeSet<RepoPath>,
    messages: Vec<String>,
}

/// Reads the records of `git merge-tree --stdin --name-only`.
fn verdicts(output: &[u8]) -> Vec<Verdict> {
    let text = |field: &[u8]| String::from_utf8(field.to_vec()).unwrap();
    let mut fields = output.split(|&byte| byte == 0);
    let mut found = Vec::new();
    while let Some(status) = fields.next().filter(|field| !field.is_empty()) {
        let tree = git2::Oid::from_str(&text(fields.next().unwrap())).unwrap();
        let conflicted: BTreeSet<RepoPath> = fields
            .by_ref()
            .take_while(|field| !field.is_empty())
            .map(RepoPath::from)
            .collect();
        let mut messages = Vec::new();
        let mut records = if status == b"0" { fields.next() } else { None };
        while let Some(count) = records.filter(|field| !field.is_empty()) {
            let paths = (0..text(count).parse().unwrap())
                .map(|_| text(fields.next().unwrap()))
                .collect::<Vec<_>>();
            let kind = text(fields.next().unwrap());
            fields.next();
            if kind.starts_with("CONFLICT") {
                messages.push(format!("{kind} {}", paths.join(", ")));
            }
            records = fields.next();
        }
        found.push(Verdict {
            clean: status == b"1",
            tree,
            conflicted,
            messages,
        });
    }
    found
}

/// `path~branch`, where git puts what is in the way, back to `path`.
fn without_branch(path: &RepoPath) -> RepoPath {
    path.split(|&byte| byte == b'~').next().unwrap().into()
}

fn apply(ours: &BTreeMap<RepoPath, Entry>, merged: &Merged) -> BTreeMap<RepoPath, Entry> {
    let mut result = ours.clone();
    for (path, state) in &merged.changes {
        match state {
            Some(entry) => drop(result.insert(path.clone(), *entry)),
            None => drop(result.remove(path)),
        }
    }
    result
}

fn assert_is_a_tree(result: &BTreeMap<RepoPath, Entry>, name: &str) {
    for path in result.keys() {
        let under = [&path[..], b"/"].concat();
        let inside = result.range(RepoPath::from(&under)..).next();
        assert!(
            !inside.is_some_and(|(inner, _)| inner.starts_with(&under)),
            "{name}: {path:?} is two things"
        );
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    CleanButDifferent,
    CleanWhereGitConflicts,
    ConflictWhereGitIsClean,
    ConflictMissed,
    DifferentBesideConflicts,
}

/// How the merges compare; what agrees is only counted.
#[derive(Default, Debug)]
struct Tally {
    merges: usize,
    git_clean: usize,
    notes: BTreeMap<Kind, Vec<String>>,
}

impl Tally {
    fn count(&self, kind: Kind) -> usize {
        self.notes.get(&kind).map_or(0, Vec::len)
    }

    fn print(&self) {
        println!("{} merges, {} clean in git", self.merges, self.git_clean);
        for (kind, notes) in &self.notes {
            println!("  {kind:?}: {}", notes.len());
            notes
                .iter()
                .take(setting("MERGE3_SHOW", 5) as usize)
                .for_each(|note| println!("    {note}"));
        }
    }
}

/// One merge: base, ours, theirs.
type Case = [Tree; 3];

/// Merges each case with git and here, and sorts the outcomes.
fn compare(cases: &[(String, Case)], with_base: bool) -> Tally {
    let fixture = Fixture::new();
    let memory = Memory::default();
    let mut input = String::new();
    for (_, trees) in cases {
        let [base, ours, theirs] = trees.each_ref().map(|tree| fixture.commit(tree));
        input += &format!("{base} -- {ours} {theirs}\n");
    }
    let verdicts = verdicts(&fixture.git(&["merge-tree", "--write-tree", "--stdin", "-z", "--name-only"], &input));
    assert_eq!(verdicts.len(), cases.len());

    let mut tally = Tally::default();
    for ((name, trees), git) in cases.iter().zip(&verdicts) {
        let [base, ours, theirs] = trees.each_ref().map(|tree| entries(tree, &memory));
        let (our_delta, their_delta) = (delta(&base, &ours), delta(&base, &theirs));
        let limits = MergeLimits::default();
        let merged = if with_base {
            merge3_with_base(&our_delta, &their_delta, &Base(&base), &memory, &limits).unwrap()
        } else {
            merge3(&our_delta, &their_delta, &memory, &limits).unwrap()
        };
        let result = apply(&ours, &merged);
        assert_is_a_tree(&result, name);
        let expected = fixture.read_tree(git.tree);
        let git_conflicted: BTreeSet<RepoPath> = git.conflicted.iter().map(without_branch).collect();
        let paths: BTreeSet<&RepoPath> = result.keys().chain(expected.keys()).collect();
        let open = |path: &RepoPath| merged.conflicts.contains(path) || git_conflicted.contains(path);
        let differs = |path: &&RepoPath| result.get(*path) != expected.get(*path) && !open(&without_branch(path));
        let different: Vec<&RepoPath> = paths.into_iter().filter(differs).collect();
        let missed: Vec<&RepoPath> = git_conflicted.difference(&merged.conflicts).collect();

        tally.merges += 1;
        tally.git_clean += usize::from(git.clean);
        let kind = match (git.clean, merged.conflicts.is_empty()) {
            (true, true) if different.is_empty() => continue,
            (true, true) => Kind::CleanButDifferent,
            (false, true) => Kind::CleanWhereGitConflicts,
            (true, false) => Kind::ConflictWhereGitIsClean,
            (false, false) if !missed.is_empty() => Kind::ConflictMissed,
            (false, false) if !different.is_empty() => Kind::DifferentBesideConflicts,
            (false, false) => continue,
        };
        let (messages, conflicts) = (&git.messages, &merged.conflicts);
        tally.notes.entry(kind).or_default().push(format!(
            "{name}: different {different:?}, missed {missed:?}; git {messages:?}; here {conflicts:?}"
        ));
    }
    tally
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn random_cases(first: u64, count: u64) -> Vec<(String, Case)> {
    let case = |seed: u64| {
        let mut random = Random(seed.wrapping_mul(0x1234_5677));
        let base = base_tree(&mut random);
        let mut common = base.clone();
        if random.percent(30) {
            (0..1 + random.below(2)).for_each(|_| mutate(&mut common, &mut random));
        }
        let (mut ours, mut theirs) = (common.clone(), common);
        (0..1 + random.below(5)).for_each(|_| mutate(&mut ours, &mut random));
        (0..1 + random.below(5)).for_each(|_| mutate(&mut theirs, &mut random));
        (format!("seed {seed}"), [base, ours, theirs])
    };
    (first..first + count).map(case).collect()
}

/// `MERGE3_FIRST`, `MERGE3_COUNT` and `MERGE3_REPEATED` (percent of lines that recur) make it a campaign.
#[test]
fn random_merges_agree_with_git() {
    REPEATED_LINES.with(|share| share.set(setting("MERGE3_REPEATED", 10) as usize));
    let cases = random_cases(setting("MERGE3_FIRST", 0), setting("MERGE3_COUNT", 300));
    // Without a view of the base, more directories count as moved.
    for (with_base, noise) in [(true, 0.02), (false, 0.04)] {
        let tally = compare(&cases, with_base);
        tally.print();
        assert_eq!(tally.count(Kind::CleanWhereGitConflicts), 0);
        assert_eq!(tally.count(Kind::CleanButDifferent), 0);
        let share = |kind| tally.count(kind) as f64 / tally.merges as f64;
        assert!(share(Kind::ConflictWhereGitIsClean) <= noise);
        assert!(share(Kind::ConflictMissed) + share(Kind::DifferentBesideConflicts) <= 0.01);
    }
}

/// The renames that `git diff-tree --stdin --raw` printed, a set for each tree pair.
fn printed_renames(output: &[u8]) -> Vec<BTreeSet<(String, String, u8)>> {
    let mut found: Vec<BTreeSet<_>> = Vec::new();
    for line in std::str::from_utf8(output).unwrap().lines() {
        if !line.starts_with(':') {
            found.push(BTreeSet::new());
            continue;
        }
        let mut fields = line.split('\t');
        let status = fields.next().unwrap().rsplit(' ').next().unwrap();
        if let (Some(score), Some(from), Some(to)) = (status.strip_prefix('R'), fields.next(), fields.next()) {
            found
                .last_mut()
                .unwrap()
                .insert((from.to_string(), to.to_string(), score.parse().unwrap()));
        }
    }
    found
}

type Listed = Vec<(RepoPath, Entry)>;

fn deleted_and_added(delta: &Delta) -> (Listed, Listed) {
    let only = |this: fn(&Change) -> Option<Entry>, other: fn(&Change) -> Option<Entry>| {
        let listed = delta.iter().filter(|(_, change)| other(change).is_none());
        listed
            .filter_map(|(path, change)| Some((path.clone(), this(change)?)))
            .collect()
    };
    (
        only(|change| change.old, |change| change.new),
        only(|change| change.new, |change| change.old),
    )
}

#[test]
fn pairing_agrees_with_git() {
    let fixture = Fixture::new();
    let memory = Memory::default();
    let (mut input, mut cases) = (String::new(), Vec::new());
    for seed in 0..setting("PAIRING_COUNT", 300) {
        let mut random = Random(seed.wrapping_mul(0x7654_3211) + 5);
        let old = base_tree(&mut random);
        let mut new = old.clone();
        (0..1 + random.below(12)).for_each(|_| mutate(&mut new, &mut random));
        input += &format!("{} {}\n", fixture.write_tree(&old), fixture.write_tree(&new));
        cases.push(delta(&entries(&old, &memory), &entries(&new, &memory)));
    }
    let printed = printed_renames(&fixture.git(&["diff-tree", "--stdin", "-r", "-M", "-l0", "--raw"], &input));
    assert_eq!(printed.len(), cases.len());
    let mut different = 0;
    for (case, (delta, expected)) in cases.iter().zip(&printed).enumerate() {
        let (deleted, added) = deleted_and_added(delta);
        let pairing = pair_renames(&deleted, &added, &memory, &MergeLimits::default()).unwrap();
        assert!(!pairing.limited);
        let texts = |pair: &RenamePair| (pair.from.display(), pair.to.display(), pair.score_percent);
        let found: BTreeSet<_> = pairing.pairs.iter().map(texts).collect();
        if found != *expected {
            different += 1;
            println!("case {case}: git {expected:?}, here {found:?}");
        }
    }
    let renames: usize = printed.iter().map(BTreeSet::len).sum();
    println!(
        "{} tree pairs, {renames} renames, {different} tree pairs differ",
        cases.len()
    );
    // git's chunk hash is narrower: where two chunks collide, its percentage is a little higher.
    assert!(different * 100 <= cases.len());
}

#[test]
fn similarity_agrees_with_git() {
    let fixture = Fixture::new();
    let (mut input, mut cases) = (String::new(), Vec::new());
    for seed in 0..setting("SIMILARITY_COUNT", 500) {
        let mut random = Random(seed.wrapping_mul(0x3333_1111) + 9);
        let mut old: Vec<u8> = (0..1 + random.below(4)).flat_map(|_| random.text()).collect();
        if random.percent(15) {
            // Lines longer than a chunk.
            (0..random.below(400)).for_each(|_| old.push(b'a' + random.below(3) as u8));
        }
        if random.percent(20) {
            // Binary, rich in NUL as executables are.
            (0..random.below(900)).for_each(|_| old.push(*random.of(b"\0\0\0\0\0abc\n")));
        }
        let share = *random.of(&[1, 5, 20, 40, 80]);
        let mut new = random.edited(&old, share);
        if random.percent(15) {
            new = String::from_utf8(new).unwrap().replace('\n', "\r\n").into_bytes();
        }
        if random.percent(10) {
            new.pop();
        }
        if old.is_empty() || new.is_empty() || old == new {
            continue;
        }
        let tree = |path: &str, content: &[u8]| {
            fixture.write_tree(&Tree::from([(
                path.to_string(),
                Node {
                    mode: 0o100644,
                    content: content.to_vec(),
                },
            )]))
        };
        input += &format!("{} {}\n", tree("old", &old), tree("new", &new));
        cases.push((old, new));
    }
    let printed = printed_renames(&fixture.git(&["diff-tree", "--stdin", "-r", "-M01%", "--raw"], &input));
    assert_eq!(printed.len(), cases.len());
    let mut different = BTreeMap::<i32, usize>::new();
    for ((old, new), renames) in cases.iter().zip(&printed) {
        let expected = renames.first().map_or(0, |&(_, _, score)| score);
        *different
            .entry(i32::from(similarity_percent(old, new)) - i32::from(expected))
            .or_default() += 1;
    }
    println!("{} contents, here minus git: {different:?}", cases.len());
    assert!(different.keys().all(|difference| difference.abs() <= 5));
    assert!(different.get(&0).is_some_and(|equal| equal * 100 >= cases.len() * 98));
}

// ---- single kinds of merges, each checked against git ----

/// A tree from `path content` texts: `+` before the content makes it executable, `@` a link, `%` a submodule. The
/// content `9*word/end` is nine lines about a word, and a last one.
fn tree(files: &[&str]) -> Tree {
    let node = |text: &str| {
        let (mode, text) = match text.as_bytes().first() {
            Some(b'+') => (0o100755, &text[1..]),
            Some(b'@') => (0o120000, &text[1..]),
            Some(b'%') => (0o160000, &text[1..]),
            _ => (0o100644, text),
        };
        let Some((count, word)) = text.split_once('*') else {
            return Node {
                mode,
                content: text.into(),
            };
        };
        let (word, end) = word
            .split_once('/')
            .map_or((word, None), |(word, end)| (word, Some(format!("{end}\n"))));
        let lines = (0..count.parse().unwrap()).map(|n: usize| format!("{word} in line {n}\n"));
        Node {
            mode,
            content: lines.chain(end).collect::<String>().into_bytes(),
        }
    };
    files
        .iter()
        .map(|file| file.split_once(' ').unwrap())
        .map(|(path, text)| (path.to_string(), node(text)))
        .collect()
}

/// A name, three trees, and whether git merges them cleanly.
type Known = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
    bool,
);

/// What git is known to do.
const KINDS: &[Known] = &[
    ("one side changes", &["a 9*a"], &["a 9*a"], &["a 9*a/b"], true),
    ("both change alike", &["a 9*a"], &["a 9*a/b"], &["a 9*a/b"], true),
    ("both change apart", &["a 9*a"], &["a 9*a/b"], &["a 9*a/c"], false),
    (
        "modify and delete",
        &["a 9*a", "k k"],
        &["a 9*a/b", "k k"],
        &["k k"],
        false,
    ),
    (
        "add and add alike",
        &["k k"],
        &["k k", "n 9*n"],
        &["k k", "n 9*n"],
        true,
    ),
    (
        "add and add apart",
        &["k k"],
        &["k k", "n 9*n"],
        &["k k", "n 9*m"],
        false,
    ),
    (
        "add and add in mode",
        &["k k"],
        &["k k", "n 9*n"],
        &["k k", "n +9*n"],
        false,
    ),
    (
        "add and add with nothing",
        &["k k"],
        &["k k", "n "],
        &["k k", "n 9*n"],
        true,
    ),
    (
        "add nothing and add binary",
        &["k k"],
        &["k k", "n "],
        &["k k", "n \0"],
        false,
    ),
    ("mode and content", &["a 9*a"], &["a +9*a"], &["a 9*a/b"], true),
    ("binary on both sides", &["a \0"], &["a \0b"], &["a \0c"], false),
    ("links on both sides", &["a @a"], &["a @b"], &["a @c"], false),
    ("submodules on both sides", &["a %a"], &["a %b"], &["a %c"], false),
    ("link and mode", &["a 9*a"], &["a @b"], &["a +9*a"], false),
    (
        "link and file added",
        &["k k"],
        &["k k", "a @b"],
        &["k k", "a 9*a"],
        false,
    ),
    ("rename and edit", &["a 9*a"], &["b 9*a"], &["a 9*a/b"], true),
    ("edit and rename", &["a 9*a"], &["a 9*a/b"], &["b 9*a"], true),
    ("rename and edit in mode", &["a 9*a"], &["b 9*a"], &["a +9*a/b"], true),
    ("inexact rename and mode", &["a 9*a"], &["b 9*a/b"], &["a +9*a"], true),
    (
        "inexact rename and edit in one place",
        &["a 9*a"],
        &["b 9*a/b"],
        &["a 9*a/c"],
        false,
    ),
    ("rename alike", &["a 9*a"], &["b 9*a"], &["b 9*a/b"], true),
    ("rename apart", &["a 9*a"], &["b 9*a"], &["c 9*a"], false),
    (
        "rename and delete",
        &["a 9*a", "k k"],
        &["b 9*a", "k k"],
        &["k k"],
        false,
    ),
    ("rename and add", &["a 9*a"], &["b 9*a"], &["a 9*a/b", "b 9*c"], false),
    (
        "two renamed to one",
        &["a 9*a", "b 9*b"],
        &["c 9*a", "b 9*b/x"],
        &["a 9*a/x", "c 9*b"],
        false,
    ),
    ("rename and link", &["a 9*a"], &["b 9*a"], &["a @a"], false),
    ("link renamed and changed", &["a @a"], &["b @a"], &["a @b"], true),
    ("submodule renamed and changed", &["a %a"], &["b %a"], &["a %b"], true),
    (
        "empty file renamed and edited",
        &["a ", "k k"],
        &["b ", "k k"],
        &["a 9*a", "k k"],
        false,
    ),
    (
        "directory moved, file added",
        &["d/a 9*a"],
        &["e/a 9*a"],
        &["d/a 9*a", "d/b 9*b"],
        false,
    ),
    (
        "directory moved to the root, file added",
        &["d/a 9*a"],
        &["a 9*a"],
        &["d/a 9*a", "d/b 9*b"],
        false,
    ),
    (
        "directory moved with a parent",
        &["d/x/a 9*a"],
        &["e/x/a 9*a"],
        &["d/x/a 9*a", "d/b 9*b"],
        false,
    ),
    (
        "directory moved, file renamed into it",
        &["d/a 9*a", "b 9*b"],
        &["e/a 9*a", "b 9*b"],
        &["d/a 9*a", "d/b 9*b"],
        false,
    ),
    (
        "directory split",
        &["d/a 9*a", "d/b 9*b"],
        &["e/a 9*a", "f/b 9*b"],
        &["d/a 9*a", "d/b 9*b", "d/c 9*c"],
        false,
    ),
    (
        "file left its directory",
        &["d/a 9*a", "d/b 9*b"],
        &["e/a 9*a", "d/b 9*b"],
        &["d/a 9*a", "d/b 9*b", "d/c 9*c"],
        true,
    ),
    (
        "root moved, file added",
        &["a 9*a"],
        &["d/a 9*a"],
        &["a 9*a", "b 9*b"],
        true,
    ),
    (
        "directory of empty files moved",
        &["d/a "],
        &["e/a "],
        &["d/a ", "d/b 9*b"],
        true,
    ),
    ("file for directory", &["d/a 9*a"], &["d 9*d"], &["d/a 9*a/b"], false),
    (
        "file for untouched directory",
        &["d/a 9*a"],
        &["d 9*d"],
        &["d/a 9*a", "k k"],
        true,
    ),
    (
        "file and directory added",
        &["k k"],
        &["k k", "d 9*d"],
        &["k k", "d/a 9*a"],
        false,
    ),
    (
        "file renamed into a directory of its name",
        &["a 9*a"],
        &["a/b 9*a"],
        &["a 9*a/b"],
        true,
    ),
];

#[test]
fn each_kind_of_merge_is_as_in_git() {
    let case = |&(name, base, ours, theirs, _): &Known| {
        let case = [tree(base), tree(ours), tree(theirs)];
        let [base, ours, theirs] = case.clone();
        [
            (name.to_string(), case),
            (format!("{name}, mirrored"), [base, theirs, ours]),
        ]
    };
    let tally = compare(&KINDS.iter().flat_map(case).collect::<Vec<_>>(), true);
    tally.print();
    assert_eq!(tally.notes, BTreeMap::new());
    assert_eq!(
        tally.git_clean,
        2 * KINDS.iter().filter(|kind| kind.4).count(),
        "git itself does something else"
    );
}

// ---- limits and cost ----

fn merge(memory: &Memory, trees: [&[&str]; 3], limits: &MergeLimits) -> Result<Merged, SourceError> {
    let [base, ours, theirs] = trees.map(|files| entries(&tree(files), memory));
    memory.reads.set(0);
    merge3(&delta(&base, &ours), &delta(&base, &theirs), memory, limits)
}

fn paths(names: &[&str]) -> BTreeSet<RepoPath> {
    names.iter().map(RepoPath::from).collect()
}

#[test]
fn inexact_pairs_are_named() {
    let memory = Memory::default();
    let limits = MergeLimits::default();
    let inexact = merge(&memory, [&["a 9*a"], &["b 9*a/b"], &["a +9*a"]], &limits).unwrap();
    assert_eq!((inexact.inexact, inexact.conflicts), (paths(&["a", "b"]), paths(&[])));
    let exact = merge(&memory, [&["a 9*a"], &["b 9*a"], &["a +9*a"]], &limits).unwrap();
    assert_eq!((exact.inexact, exact.conflicts), (paths(&[]), paths(&[])));
    assert_eq!(memory.reads.get(), 0, "an exact rename and a mode take no content");
}

#[test]
fn identical_files_that_may_be_paired_either_way_are_not_trusted() {
    let memory = Memory::default();
    let merged = merge(
        &memory,
        [&["a 9*a", "b 9*a"], &["c 9*a"], &["a 9*a/x", "b 9*a"]],
        &MergeLimits::default(),
    )
    .unwrap();
    assert_eq!(merged.conflicts, paths(&["a", "c"]));
}

#[test]
fn past_a_limit_the_paths_conflict() {
    let memory = Memory::default();
    let edits: [&[&str]; 3] = [&["a 9*a"], &["a x\n", "k k"], &["a y\n"]];
    let small = MergeLimits {
        max_blob_bytes: 10,
        ..MergeLimits::default()
    };
    assert_eq!(merge(&memory, edits, &small).unwrap().conflicts, paths(&["a"]));
    let renames: [&[&str]; 3] = [&["a 9*a"], &["b 9*a/b"], &["a +9*a"]];
    for limits in [
        small,
        MergeLimits {
            max_rename_candidates: 0,
            ..MergeLimits::default()
        },
        MergeLimits {
            max_rename_bytes: 0,
            ..MergeLimits::default()
        },
    ] {
        let merged = merge(&memory, renames, &limits).unwrap();
        assert!(merged.conflicts.contains(&RepoPath::from("a")), "{limits:?}");
        assert_eq!(merged.changes, BTreeMap::new(), "{limits:?}");
    }
}

#[test]
fn what_cannot_be_read_conflicts_and_an_abort_ends_the_merge() {
    let memory = Memory::default();
    let trees: [&[&str]; 3] = [&["a 9*a", "b 9*b"], &["c 9*a/x", "b 9*b/x"], &["a +9*a", "b 9*b/y"]];
    let [base, ours, theirs] = trees.map(|files| entries(&tree(files), &memory));
    let (ours, theirs) = (delta(&base, &ours), delta(&base, &theirs));
    memory.blobs.borrow_mut().clear();
    let merged = merge3(&ours, &theirs, &memory, &MergeLimits::default()).unwrap();
    // What came to `c` may be `a`, with what the other side did to that.
    assert_eq!(merged.conflicts, paths(&["a", "b", "c"]));
    memory.abort.set(true);
    let aborted = merge3(&ours, &theirs, &memory, &MergeLimits::default());
    assert!(matches!(aborted, Err(SourceError::Aborted)));
}

#[test]
fn a_large_side_costs_little_and_reads_nothing() {
    let memory = Memory::default();
    let entry = |content: &str| {
        Some(Entry {
            mode: FileMode::REGULAR,
            oid: memory.add(content.as_bytes()),
        })
    };
    let (old, new) = (entry("old"), entry("new"));
    let path = |n: usize| RepoPath::from(format!("d{}/e{}/file{n}", n % 50, n % 1000));
    let large: Delta = (0..50_000)
        .map(|n| match n % 3 {
            0 => (path(n), Change { old, new }),
            1 => (path(n), Change { old: None, new }),
            _ => (path(n), Change { old, new: None }),
        })
        .collect();
    let small = Delta::from([
        (RepoPath::from("d1/e1/mine"), Change { old, new }),
        (RepoPath::from("d2/e2/added"), Change { old: None, new }),
        (RepoPath::from("d3/e3/gone"), Change { old, new: None }),
    ]);
    for (ours, theirs, changes) in [(&large, &small, 3), (&small, &large, 50_000)] {
        let started = std::time::Instant::now();
        let merged = merge3(ours, theirs, &memory, &MergeLimits::default()).unwrap();
        println!("{} against {}: {:?}", ours.len(), theirs.len(), started.elapsed());
        assert_eq!((merged.changes.len(), merged.conflicts), (changes, paths(&[])));
    }
    assert_eq!(memory.reads.get(), 0);
}
