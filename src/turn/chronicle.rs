//! The logs of a repository, read for one turn: what was made in it, and by which entry.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::model::{GitSource, LogKind, Oid, SourceError};
use crate::rules::log_position::{LogPosition, Standing, locate};
use crate::rules::reflog::{LogEntry, ParsedLog, Word, parse};

/// The log of one ref, and the part of it that was written in the turn.
pub struct Chain {
    /// Which kind of ref it logs.
    pub kind: LogKind,
    /// The ref's full name, or `HEAD`.
    pub name: String,
    /// All entries, in file order.
    pub entries: Vec<LogEntry>,
    /// The word of each entry.
    pub words: Vec<Word>,
    /// The turn's entries.
    pub turn: Range<usize>,
}

impl Chain {
    fn new(kind: LogKind, name: String, log: ParsedLog, turn: Range<usize>) -> Chain {
        let words = log.entries.iter().map(LogEntry::word).collect();
        Chain {
            kind,
            name,
            entries: log.entries,
            words,
            turn,
        }
    }

    /// The marks of entries that tell of something new: these do not repeat.
    fn creations(&self, range: Range<usize>) -> HashSet<(Oid, u64)> {
        range
            .filter(|&at| self.words[at].creates())
            .map(|at| mark(&self.entries[at]))
            .collect()
    }

    /// What the ref named before the turn.
    fn value_before(&self) -> Option<Oid> {
        let before = self.turn.start.checked_sub(1).map(|last| self.entries[last].new);
        before
            .or_else(|| self.entries.first().map(|entry| entry.old))
            .filter(|oid| !oid.is_zero())
    }

    fn before(&self) -> HashSet<Oid> {
        let values = self.entries[..self.turn.start]
            .iter()
            .flat_map(|entry| [entry.old, entry.new]);
        values.filter(|oid| !oid.is_zero()).collect()
    }

    /// Whether commits are made on this ref: what a remote-tracking ref names came from elsewhere or was pushed, and
    /// a stash keeps a working tree, not a line of history.
    fn tells_of_commits(&self) -> bool {
        self.kind != LogKind::Remote && self.name != "refs/stash"
    }

    /// Whether this is a log of HEAD, here or in another worktree: it tells the order of operations.
    pub fn is_head(&self) -> bool {
        matches!(self.kind, LogKind::Head | LogKind::OtherHead)
    }
}

/// A branch that was rebased.
pub struct Rebased {
    /// What it named before; zero where it did not exist.
    pub old: Oid,
    /// What it names after.
    pub new: Oid,
    /// What it was rebased onto, where the log says so.
    pub onto: Option<Oid>,
}

/// Where a log says that a commit was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Making {
    /// Index of the log in [`Chronicle::chains`].
    pub chain: usize,
    /// Index of the entry in that log.
    pub entry: usize,
}

/// All that the logs say of the turn.
pub struct Chronicle {
    /// The log of HEAD in this worktree first, then every other one.
    pub chains: Vec<Chain>,
    /// How the turn was found in the log of HEAD.
    pub position: LogPosition,
    /// Whether there is a log of HEAD at all.
    pub has_head_log: bool,
    /// Commits made in the turn, with the entry that first tells of each. Others repeat it: the log of its branch,
    /// or an amend back to the same content within one second, which gives the same commit.
    pub made: HashMap<Oid, Making>,
    /// Values that HEAD had before the turn.
    pub before: HashSet<Oid>,
    /// Values that were fetched in the turn.
    pub fetched: HashSet<Oid>,
    /// Values that were pushed in the turn: they were here before they were there.
    pub pushed: HashSet<Oid>,
    /// Branches that a rebase put on what it had made; the steps may have been told by a log that is gone.
    pub rebased: Vec<Rebased>,
    /// What was stashed in the turn.
    pub stashed: HashSet<Oid>,
    /// E-mail addresses of whoever moved HEAD in the turn, in lower case.
    pub identities: HashSet<Vec<u8>>,
}

impl Chronicle {
    /// Reads all logs. `start` and `end` are in seconds since the epoch.
    pub fn read(source: &dyn GitSource, from: Standing<'_>, to: Standing<'_>) -> Result<Chronicle, SourceError> {
        let head_log = source.head_log()?.map(|text| parse(&text));
        let position = locate(head_log.as_ref(), from, to);
        let has_head_log = head_log.is_some();
        let turn = position.turn.clone();
        let head = Chain::new(LogKind::Head, "HEAD".into(), head_log.unwrap_or_default(), turn.clone());
        let anchors = Anchors {
            before: head.creations(0..turn.start),
            turn: head.creations(turn.clone()),
            later: head.creations(turn.end..head.entries.len()),
            start: from.seconds,
            end: to.seconds,
        };
        let mut chains = vec![head];
        for log in source.other_logs()? {
            let parsed = parse(&log.text);
            let turn = anchors.turn_of(&parsed.entries);
            chains.push(Chain::new(log.kind, log.name, parsed, turn));
        }
        let mut chronicle = Chronicle {
            chains,
            position,
            has_head_log,
            made: HashMap::new(),
            before: HashSet::new(),
            fetched: HashSet::new(),
            pushed: HashSet::new(),
            rebased: Vec::new(),
            stashed: HashSet::new(),
            identities: HashSet::new(),
        };
        chronicle.gather(from.head);
        Ok(chronicle)
    }

    fn gather(&mut self, from_head: Option<Oid>) {
        for chain in &self.chains {
            for at in chain.turn.clone() {
                let (entry, word) = (&chain.entries[at], &chain.words[at]);
                if chain.kind == LogKind::Ref && matches!(word, Word::RebaseFinish(_)) {
                    let onto = entry.message.rsplit_once(" onto ").map(|(_, onto)| onto.as_bytes());
                    self.rebased.push(Rebased {
                        old: entry.old,
                        new: entry.new,
                        onto: onto.and_then(Oid::from_hex),
                    });
                }
                if chain.name == "refs/stash" {
                    self.stashed.insert(entry.new);
                }
                // `git fetch origin refs/pull/1/head:pr-1` puts a branch of this repository on what it fetched.
                if chain.kind == LogKind::Ref && *word == Word::Fetched {
                    self.fetched.insert(entry.new);
                }
            }
        }
        let head_before = self.chains[0].before();
        self.before = head_before.iter().copied().chain(from_head).collect();
        let mut elsewhere = HashSet::new();
        for chain in self.chains.iter().filter(|chain| chain.kind == LogKind::Remote) {
            for at in 0..chain.turn.end {
                let entry = &chain.entries[at];
                let fetched = is_fetch(&entry.message);
                let in_turn = chain.turn.contains(&at);
                if fetched {
                    elsewhere.insert(entry.new);
                }
                match (fetched, in_turn) {
                    (true, true) => self.fetched.insert(entry.new),
                    (false, true) if chain.words[at] == Word::Pushed => self.pushed.insert(entry.new),
                    _ => false,
                };
            }
        }
        for (index, chain) in self
            .chains
            .iter()
            .enumerate()
            .filter(|(_, chain)| chain.tells_of_commits())
        {
            // Time is all that tells the parts of the other logs apart, and a clock set by hand moves an
            // entry to the wrong side: such a log speaks for itself only, the log of HEAD for all.
            let named_before = if index == 0 { HashSet::new() } else { chain.before() };
            for at in chain.turn.clone() {
                let (entry, word) = (&chain.entries[at], &chain.words[at]);
                // A rewriter writes under the name of whom it rewrites.
                if index == 0 && *word != Word::Unknown {
                    self.identities.insert(email(&entry.identity));
                }
                // A new worktree's HEAD is put on a commit without a word.
                let placed = chain.kind == LogKind::OtherHead && at == 0 && entry.old.is_zero();
                // An unknown word creates, unless what it names is known to come from elsewhere.
                let moved = *word == Word::Unknown && elsewhere.contains(&entry.new);
                let was_here = self.before.contains(&entry.new) || named_before.contains(&entry.new);
                if word.creates() && !placed && !moved && !was_here && !entry.new.is_zero() {
                    self.made.entry(entry.new).or_insert(Making {
                        chain: index,
                        entry: at,
                    });
                }
            }
        }
        self.pushed
            .retain(|oid| !self.before.contains(oid) && !elsewhere.contains(oid));
        for pushed in [&mut self.fetched, &mut self.pushed] {
            pushed.retain(|oid| !oid.is_zero());
        }
    }

    /// Every value that a ref of this repository was given in the turn by making something, and the one it had.
    pub fn values_made_from(&self) -> impl Iterator<Item = Oid> {
        let own = self.chains.iter().filter(|chain| chain.tells_of_commits());
        let making = own.flat_map(|chain| {
            let made = |at: &usize| chain.words[*at].creates() || matches!(chain.words[*at], Word::RebaseFinish(_));
            chain.turn.clone().filter(made).map(|at| &chain.entries[at])
        });
        making
            .flat_map(|entry| [entry.old, entry.new])
            .filter(|oid| !oid.is_zero())
    }

    /// The turn's entries of this worktree's HEAD, with their words.
    pub fn told(&self) -> impl DoubleEndedIterator<Item = (&LogEntry, &Word)> {
        let head = &self.chains[0];
        head.turn.clone().map(|at| (&head.entries[at], &head.words[at]))
    }

    /// What the refs that have a log named before the turn, but for what was made in it.
    pub fn refs_before(&self) -> impl Iterator<Item = (&str, Option<Oid>)> {
        let logged = self
            .chains
            .iter()
            .filter(|chain| !chain.is_head() && !chain.entries.is_empty());
        logged.map(|chain| {
            (
                &chain.name[..],
                chain.value_before().filter(|oid| !self.made.contains_key(oid)),
            )
        })
    }

    /// What a ref named whose log begins after the turn.
    pub fn first_moved_later(&self, name: &str) -> Option<Oid> {
        let chain = self
            .chains
            .iter()
            .find(|chain| chain.name == name && !chain.is_head())?;
        chain.value_before().filter(|_| chain.turn.end == 0)
    }

    /// The last values that HEAD had before the turn, newest first, here and in each other worktree.
    pub fn lately_before(&self, most: usize) -> impl Iterator<Item = Oid> {
        let heads = self.chains.iter().filter(|chain| chain.is_head());
        heads.flat_map(move |head| {
            let values = head.entries[..head.turn.start].iter().rev().map(|entry| entry.new);
            values.filter(|oid| !oid.is_zero()).take(most)
        })
    }

    /// Every value that a log named until the turn's end.
    pub fn named_until_end(&self) -> impl Iterator<Item = Oid> {
        let entries = self.chains.iter().flat_map(|chain| &chain.entries[..chain.turn.end]);
        entries.flat_map(|entry| [entry.new, entry.old])
    }

    /// Whether a log says that a commit was made after the turn.
    pub fn made_later(&self, oid: Oid) -> bool {
        self.chains.iter().any(|chain| {
            let later = chain.turn.end..chain.entries.len();
            later
                .into_iter()
                .any(|at| chain.entries[at].new == oid && chain.words[at].creates())
        })
    }

    /// Whether a log names a commit before it tells of the making.
    pub fn names_before(&self, oid: Oid, making: Making) -> bool {
        let before = &self.chains[making.chain].entries[..making.entry];
        before.iter().any(|entry| entry.new == oid)
    }

    /// The entry of a making.
    pub fn entry(&self, making: Making) -> &LogEntry {
        &self.chains[making.chain].entries[making.entry]
    }

    /// The word of a making.
    pub fn word(&self, making: Making) -> &Word {
        &self.chains[making.chain].words[making.entry]
    }
}

/// The address in an identity, as it is compared.
pub fn email(identity: &[u8]) -> Vec<u8> {
    crate::model::Signature {
        identity: identity.to_vec(),
        seconds: 0,
    }
    .email()
    .to_ascii_lowercase()
}

/// In a remote-tracking ref's log: whether the value came from the remote. A push puts it there from here.
fn is_fetch(message: &str) -> bool {
    ["fetch", "pull", "clone", "remote"]
        .iter()
        .any(|command| message.starts_with(command))
}

/// What places the entries of other logs: the log of HEAD where it has the same entry, else time.
struct Anchors {
    before: HashSet<(Oid, u64)>,
    turn: HashSet<(Oid, u64)>,
    later: HashSet<(Oid, u64)>,
    /// Seconds since the epoch.
    start: i64,
    /// Seconds since the epoch.
    end: i64,
}

impl Anchors {
    /// The turn's part of a log. An entry after one of the turn was written in it or later, whatever clock it
    /// carries.
    fn turn_of(&self, entries: &[LogEntry]) -> Range<usize> {
        let stands_in = |marks: &HashSet<(Oid, u64)>, entry: &LogEntry| marks.contains(&mark(entry));
        let starts = |entry: &LogEntry| entry.seconds >= self.start || stands_in(&self.turn, entry);
        let continues = |entry: &LogEntry| entry.seconds <= self.end || stands_in(&self.turn, entry);
        let first = entries.iter().position(starts).unwrap_or(entries.len());
        let after_before = entries.iter().rposition(|entry| stands_in(&self.before, entry));
        let first = first.max(after_before.map_or(0, |at| at + 1));
        let last = entries.iter().rposition(continues).map_or(0, |at| at + 1);
        let later = entries.iter().position(|entry| stands_in(&self.later, entry));
        let last = last.min(later.unwrap_or(entries.len()));
        first..last.max(first)
    }
}

/// Names an entry among all that tell of the same creation.
fn mark(entry: &LogEntry) -> (Oid, u64) {
    (entry.new, entry.mark.digest)
}
