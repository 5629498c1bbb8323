//! From one call to the next on a handle. The patch of a turn is mostly asked for right after its card: it prints the
//! contents that the card counted, of the files that the card found.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::model::{AskedTurn, Findings, LineChange, Oid, Text};

/// Bytes of contents and line changes that are kept, those of findings aside.
const MOST_BYTES: usize = 16 << 20;
/// Larger contents are not kept.
const LARGEST_KEPT: usize = 1 << 20;
/// Findings about more files are not kept.
const MOST_FILES: usize = 200_000;
/// How long findings serve, however long the handle stays open.
const FINDINGS_SERVE: Duration = Duration::from_millis(1500);

/// How often turns were looked at, of all repositories; a few share a place.
static LOOKED_AT: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];

/// What was read and found out a moment ago.
#[derive(Default)]
pub struct Recent {
    contents: HashMap<Oid, Arc<[u8]>>,
    changes: HashMap<Pair, Arc<[LineChange]>>,
    bytes: usize,
    findings: Option<Found>,
}

/// Findings, with the results of merges that they speak of.
struct Found {
    turn: AskedTurn,
    look: (TurnLooks, u64),
    findings: Arc<Findings>,
    made_blobs: MadeBlobs,
    until: Instant,
}

/// The looks that were taken at a turn. A repository may be open several times, and only what the newest look at a turn
/// found serves: the patch names what the card names that is on the screen.
#[derive(Clone, Copy)]
pub struct TurnLooks(&'static AtomicU64);

impl TurnLooks {
    /// Those at the turn between these snapshots, whatever is known of it, in the repository of this git directory.
    pub fn of(git_folder: &Path, turn: &AskedTurn) -> TurnLooks {
        let mut hasher = DefaultHasher::new();
        git_folder.hash(&mut hasher);
        for (_, snapshot) in turn {
            snapshot.oid.hash(&mut hasher);
        }
        TurnLooks(&LOOKED_AT[(hasher.finish() % LOOKED_AT.len() as u64) as usize])
    }

    /// Begins another.
    pub fn begin(self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn newest(self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Blobs that are in no repository: results of merges.
pub type MadeBlobs = HashMap<Oid, Arc<[u8]>>;

/// Two blobs, or a blob and nothing, and whether white space is ignored.
type Pair = (Option<Oid>, Option<Oid>, bool);

/// A comparison; `None` where a side is a text that no blob is.
#[derive(PartialEq, Eq, Hash)]
pub struct Compared(Option<Pair>);

impl Compared {
    /// The comparison of two texts.
    pub fn of(old: &Text, new: &Text, ignore_all_space: bool) -> Compared {
        let is_told = |text: &Text| text.oid.is_some() || text.content.is_empty();
        Compared((is_told(old) && is_told(new)).then_some((old.oid, new.oid, ignore_all_space)))
    }
}

impl Recent {
    /// The content of a blob.
    pub fn content(&self, oid: Oid) -> Option<Arc<[u8]>> {
        self.contents.get(&oid).cloned()
    }

    /// Keeps the content of a blob.
    pub fn keep_content(&mut self, oid: Oid, content: &Arc<[u8]>) {
        if self.has_room(content.len()) {
            self.contents.insert(oid, content.clone());
        }
    }

    /// What a comparison found.
    pub fn changes(&self, compared: &Compared) -> Option<Arc<[LineChange]>> {
        self.changes.get(compared.0.as_ref()?).cloned()
    }

    /// Keeps what a comparison found.
    pub fn keep_changes(&mut self, compared: Compared, changes: &Arc<[LineChange]>) {
        let Some(compared) = compared.0 else { return };
        if self.has_room(size_of_val(&**changes)) {
            self.changes.insert(compared, changes.clone());
        }
    }

    /// What was found out about a turn, and the contents that were made for it.
    pub fn findings(&self, turn: &AskedTurn) -> Option<(Arc<Findings>, &MadeBlobs)> {
        let found = self.findings.as_ref()?;
        let (looks, look) = found.look;
        let serves = found.until > Instant::now() && looks.newest() == look && found.turn == *turn;
        serves.then_some((found.findings.clone(), &found.made_blobs))
    }

    /// Keeps what a look at a turn found out.
    pub fn keep_findings(
        &mut self,
        turn: AskedTurn,
        look: (TurnLooks, u64),
        findings: Arc<Findings>,
        made_blobs: &MadeBlobs,
    ) {
        let made: usize = made_blobs.values().map(|content| content.len()).sum();
        self.findings = (made <= MOST_BYTES && findings.delta.len() <= MOST_FILES).then(|| Found {
            turn,
            look,
            findings,
            made_blobs: made_blobs.clone(),
            until: Instant::now() + FINDINGS_SERVE,
        });
    }

    /// Makes room, in place of all that is kept where that is too much.
    fn has_room(&mut self, bytes: usize) -> bool {
        if bytes > LARGEST_KEPT {
            return false;
        }
        // What an entry takes beside its content.
        self.bytes += bytes + 128;
        if self.bytes > MOST_BYTES {
            self.contents.clear();
            self.changes.clear();
            self.bytes = bytes + 128;
        }
        true
    }
}
