//! The floor: each differing tree object inflated once, and the shown blobs diffed once. No rule, no result, no
//! JavaScript. It reads through libgit2's object database, set up as the crate sets it up, and compares texts with the
//! crate's own line diff.
//!
//! Another reader would be faster on large packs alone. In a prototype (50,000 changed files, packed, one thread) the
//! same walk over gitoxide took 0.75 of this in 200,000 files and 0.7 in 1,000,000; on two threads, over which packed
//! reads through libgit2 hardly spread, 0.35. On small changes it took twice to five times as long.
//!
//! One process answers line after line, so that it can be asked in between whatever it is compared with:
//!
//! ```text
//! open <git directory>          from here on this repository; forgets turns and pairs
//! turn <s0> <s1> [<h0> <h1>]    trees; heads only where they differ
//! pair <old> <new>              two blobs to diff; `-` for none
//! inflate                       the nanoseconds of one go on an open handle that remembers no object, the paths that
//!                               differ, those that moved
//! remember                      the same on a handle that remembers the objects of the go before
//! fresh                         the same on a handle that is opened for it
//! ```

use std::cmp::Ordering;
use std::hint::black_box;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Instant;

use git2::{Odb, OdbObject, Oid, Repository};
use turn_attribution::git::line_changes;

fn main() {
    git2::opts::strict_hash_verification(false);
    let mut work = Work::default();
    let mut forgetful = None;
    let mut remembering = None;
    for line in stdin().lock().lines() {
        let line = line.expect("standard input is text");
        let mut words = line.split(' ');
        let word = words.next().unwrap_or_default();
        match word {
            "open" => {
                work = Work {
                    folder: PathBuf::from(line["open ".len()..].to_owned()),
                    ..Work::default()
                };
                (forgetful, remembering) = (None, None);
            }
            "turn" => {
                let oids: Vec<Oid> = words.filter_map(oid).collect();
                let heads = (oids.len() == 4).then(|| [Some(oids[2]), Some(oids[3])]);
                work.turns.push(Turn {
                    snapshots: [Some(oids[0]), Some(oids[1])],
                    heads,
                });
            }
            "pair" => {
                let mut sides = words.map(oid);
                work.pairs.push([sides.next().flatten(), sides.next().flatten()]);
            }
            "inflate" | "remember" | "fresh" => {
                // A switch of the whole process; what is stored already is still found.
                git2::opts::enable_caching(word != "inflate");
                let kept = match word {
                    "inflate" => &mut forgetful,
                    "remember" => &mut remembering,
                    _ => &mut None,
                };
                let began = Instant::now();
                let odb = kept.get_or_insert_with(|| Repository::open(&work.folder).expect("a repository"));
                let odb = odb.odb().expect("an object database");
                let found = work.done(&odb);
                let nanoseconds = began.elapsed().as_nanos();
                println!("{nanoseconds} {} {}", found.changed, found.moved);
                stdout().flush().expect("standard output is read");
            }
            _ => panic!("{line}: no such word"),
        }
    }
}

fn oid(hex: &str) -> Option<Oid> {
    let bytes: Option<Vec<u8>> = hex
        .as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok())
        .collect();
    Oid::from_bytes(&bytes?).ok()
}

#[derive(Default)]
struct Work {
    folder: PathBuf,
    turns: Vec<Turn>,
    pairs: Vec<[Option<Oid>; 2]>,
}

struct Turn {
    snapshots: [Option<Oid>; 2],
    heads: Option<[Option<Oid>; 2]>,
}

impl Work {
    fn done(&self, odb: &Odb<'_>) -> Found {
        let mut found = Found::default();
        for turn in &self.turns {
            found.walk(odb, turn.snapshots, turn.heads);
        }
        for pair in &self.pairs {
            let [old, new] = pair.map(|side| side.and_then(|oid| odb.read(oid).ok()));
            let text = |side: &Option<OdbObject<'_>>| side.as_ref().map_or(Vec::new(), |object| object.data().to_vec());
            // What only a merge makes is no object; the other side then stands for the work.
            black_box(line_changes(&text(&old), &text(&new), false).expect("texts of a common size"));
        }
        found
    }
}

#[derive(Default)]
struct Found {
    changed: usize,
    moved: usize,
}

impl Found {
    /// Walks what differs between the snapshots, and of the heads only what can say whether it moved.
    fn walk(&mut self, odb: &Odb<'_>, snapshots: [Option<Oid>; 2], heads: Option<[Option<Oid>; 2]>) {
        let [old, new] = snapshots;
        // Where the heads are what the snapshots are, one reading does for both.
        let same = heads == Some(snapshots);
        let differing = heads.filter(|[one, two]| !same && one != two);
        let read = |oid: Option<Oid>| oid.map(|oid| odb.read(oid).expect("a tree"));
        let (old_tree, new_tree) = (read(old), read(new));
        let head_trees = differing.map(|sides| {
            let other = |side: Option<Oid>| (side != old && side != new).then(|| read(side)).flatten();
            sides.map(|side| (side, other(side)))
        });
        let mut olds = Entries::of(&old_tree);
        let mut news = Entries::of(&new_tree);
        let mut of_heads = head_trees.as_ref().map(|sides| {
            [0, 1].map(|at| match &sides[at] {
                (side, _) if *side == old => Entries::of(&old_tree),
                (side, _) if *side == new => Entries::of(&new_tree),
                (_, tree) => Entries::of(tree),
            })
        });
        loop {
            let order = match (olds.first, news.first) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(two)) => one.order(&two),
            };
            let one = order.is_le().then(|| olds.take()).flatten();
            let two = order.is_ge().then(|| news.take()).flatten();
            if one.map(Entry::state) == two.map(Entry::state) {
                continue;
            }
            let Some(entry) = one.or(two) else { return };
            let in_heads = match &mut of_heads {
                _ if same => Some([one, two]),
                Some(sides) => Some(sides.each_mut().map(|side| side.find(&entry))),
                None => None,
            };
            if entry.is_tree() {
                let oids = |sides: [Option<Entry<'_>>; 2]| sides.map(|side| side.map(Entry::oid));
                self.walk(odb, oids([one, two]), in_heads.map(oids));
            } else {
                self.changed += 1;
                let state = |sides: [Option<Entry<'_>>; 2]| sides.map(|side| side.map(Entry::state).map(<[_]>::to_vec));
                self.moved += usize::from(in_heads.is_some_and(|heads| state(heads) == state([one, two])));
            }
        }
    }
}

/// An entry of a tree object as it lies there: `<mode> <name>\0<id>`.
#[derive(Clone, Copy)]
struct Entry<'a> {
    mode: &'a [u8],
    name: &'a [u8],
    id: &'a [u8],
    all: &'a [u8],
}

impl<'a> Entry<'a> {
    fn is_tree(&self) -> bool {
        self.mode.first() == Some(&b'4')
    }

    fn oid(self) -> Oid {
        Oid::from_bytes(self.id).expect("the length was looked at")
    }

    /// Mode, name and id: entries that are compared have one name.
    fn state(self) -> &'a [u8] {
        self.all
    }

    fn order(&self, other: &Entry<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        let next = |entry: &Entry<'_>| match entry.name.get(common) {
            Some(&byte) => byte,
            None if entry.is_tree() => b'/',
            None => 0,
        };
        let start = self.name[..common].cmp(&other.name[..common]);
        start.then_with(|| next(self).cmp(&next(other)))
    }
}

struct Entries<'a> {
    first: Option<Entry<'a>>,
    rest: &'a [u8],
}

impl<'a> Entries<'a> {
    fn of(tree: &'a Option<OdbObject<'_>>) -> Entries<'a> {
        let mut entries = Entries {
            first: None,
            rest: tree.as_ref().map_or(&[], |tree| tree.data()),
        };
        entries.take();
        entries
    }

    fn take(&mut self) -> Option<Entry<'a>> {
        let raw = self.rest;
        let space = raw.iter().position(|&byte| byte == b' ');
        let next = space.and_then(|space| {
            let end = space + 1 + raw[space + 1..].iter().position(|&byte| byte == 0)?;
            let id = raw.get(end + 1..end + 21)?;
            self.rest = &raw[end + 21..];
            Some(Entry {
                mode: &raw[..space],
                name: &raw[space + 1..end],
                id,
                all: &raw[..end + 21],
            })
        });
        std::mem::replace(&mut self.first, next)
    }

    fn find(&mut self, wanted: &Entry<'_>) -> Option<Entry<'a>> {
        while let Some(first) = self.first {
            match first.order(wanted) {
                Ordering::Less => self.take(),
                Ordering::Equal => return self.take(),
                Ordering::Greater => return None,
            };
        }
        None
    }
}
