//! From one call to the next on a handle. The patch of a turn is mostly asked for right after its card: it prints the
//! contents that the card counted, of the files that the card found.

use std::collections::HashMap;
use std::sync::Arc;
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
    findings: Arc<Findings>,
    made_blobs: MadeBlobs,
    until: Instant,
}

/// Blobs that are in no repository: results of merges.
pub type MadeBlobs = HashMap<Oid, Arc<[u8]>>;

/// Two blobs, or a blob and nothing, and whether white space is ignored.
type Pair = (Option<Oid>, Option<Oid>, bool);

/// A comparison; `None` where a side is a text that no blob is.
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
        let serves = found.until > Instant::now() && found.turn == *turn;
        serves.then_some((found.findings.clone(), &found.made_blobs))
    }

    /// Keeps what was found out about a turn.
    pub fn keep_findings(&mut self, turn: AskedTurn, findings: Arc<Findings>, made_blobs: &MadeBlobs) {
        let made: usize = made_blobs.values().map(|content| content.len()).sum();
        self.findings = (made <= MOST_BYTES && findings.delta.len() <= MOST_FILES).then(|| Found {
            turn,
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
