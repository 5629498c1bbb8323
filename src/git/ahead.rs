//! Contents read and compared on all cores, a batch ahead of a call that asks for them one by one.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::libgit::MUCH_TEXT;
use super::line_counts;
use super::objects::Objects;
use super::packs::Scratch;
use super::recent::{Compared, Recent};
use super::stop::Stop;
use super::threads::threads;
use crate::model::{LineChange, ObjectKind, Oid, Text, is_binary};

/// Pairs that a thread takes at once: files beside one another are deltas to the same, which is then inflated once.
const RUN: usize = 32;
/// Of fewer pairs a second thread would get none, or be late.
const FEWEST: usize = 2 * RUN;
/// Bytes of contents that are held; a batch ends with the run that reaches it.
const BATCH_BYTES: usize = 16 << 20;
/// Pairs of a batch.
const BATCH_PAIRS: usize = 1024;

/// A batch takes no more than one part in so many of the time that a call has left.
const PART_OF_THE_TIME: u32 = 4;

/// Comparisons that were announced, and what of them is done. What cannot be done ahead is left to the call: it says what
/// is wrong with it, if anything is.
#[derive(Default)]
pub struct Ahead {
    announced: Vec<(Option<Oid>, Option<Oid>)>,
    /// Where in the list a blob comes first.
    first: HashMap<Oid, usize>,
    ignore_all_space: bool,
    /// How much of the list has been in a batch.
    begun: usize,
    batch: Batch,
}

/// What a thread, or all of them, have read and compared.
#[derive(Default)]
struct Batch {
    contents: HashMap<Oid, Arc<[u8]>>,
    changes: HashMap<Compared, Arc<[LineChange]>>,
}

impl Ahead {
    /// Takes the place of what was announced before.
    pub fn announce(&mut self, pairs: &[(Option<Oid>, Option<Oid>)], ignore_all_space: bool) {
        *self = Ahead {
            ignore_all_space,
            ..Ahead::default()
        };
        if pairs.len() < FEWEST || threads() < 2 {
            return;
        }
        // What a call compares again it finds among what it did a moment ago.
        let mut seen = HashSet::with_capacity(pairs.len());
        self.announced = pairs.iter().copied().filter(|pair| seen.insert(*pair)).collect();
        for (at, pair) in self.announced.iter().enumerate() {
            for oid in [pair.0, pair.1].into_iter().flatten() {
                self.first.entry(oid).or_insert(at);
            }
        }
    }

    /// The content of a blob that was announced; the batch it begins is read and compared now.
    pub fn content(
        &mut self,
        oid: Oid,
        (objects, scratch): (&Objects, &mut Scratch),
        recent: &Recent,
        stop: &Stop,
    ) -> Option<Arc<[u8]>> {
        let &at = self.first.get(&oid)?;
        if at >= self.begun {
            let end = (at + BATCH_PAIRS).min(self.announced.len());
            self.run(at..end, (objects, scratch), recent, stop);
        }
        self.batch.contents.get(&oid).cloned()
    }

    /// What a comparison found.
    pub fn changes(&self, compared: &Compared) -> Option<Arc<[LineChange]>> {
        self.batch.changes.get(compared).cloned()
    }

    fn run(&mut self, range: Range<usize>, (objects, scratch): (&Objects, &mut Scratch), recent: &Recent, stop: &Stop) {
        self.batch = Batch::default();
        self.begun = range.end;
        let is_known = |oid: &Option<Oid>| oid.is_none_or(|oid| recent.content(oid).is_some());
        let pairs: Vec<_> = (range.map(|at| (at, self.announced[at])))
            .filter(|(_, (old, new))| !(is_known(old) && is_known(new)))
            .collect();
        if pairs.len() < FEWEST {
            return;
        }
        let (next, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let ignore_all_space = self.ignore_all_space;
        // What is not taken before the time is over was done for nothing.
        let stop = &stop.with_part_of_the_time(PART_OF_THE_TIME);
        let work = |scratch: &mut Scratch, stop: Stop| {
            let mut done = Batch::default();
            let goes_on = || bytes.load(Ordering::Relaxed) < BATCH_BYTES && stop.check().is_ok();
            while goes_on() {
                let rest = pairs.get(next.fetch_add(RUN, Ordering::Relaxed)..).unwrap_or_default();
                if rest.is_empty() {
                    break;
                }
                for (_, pair) in rest.iter().take(RUN).take_while(|_| goes_on()) {
                    let read = done.compare(*pair, ignore_all_space, objects, scratch);
                    bytes.fetch_add(read, Ordering::Relaxed);
                }
            }
            done
        };
        let batch = &mut self.batch;
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads())
                .filter_map(|_| {
                    let (work, stop) = (&work, stop.clone());
                    thread::Builder::new()
                        .name("turn-attribution".into())
                        .spawn_scoped(scope, move || work(&mut Scratch::default(), stop))
                        .ok()
                })
                .collect();
            *batch = work(scratch, stop.clone());
            for other in others {
                match other.join() {
                    Ok(more) => batch.add(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        if let Some(&(at, _)) = pairs.get(next.into_inner()) {
            self.begun = at;
        }
    }
}

impl Batch {
    /// Reads and compares, and says how much was read (bytes).
    fn compare(
        &mut self,
        pair: (Option<Oid>, Option<Oid>),
        ignore_all_space: bool,
        objects: &Objects,
        scratch: &mut Scratch,
    ) -> usize {
        let mut read = |oid: Option<Oid>| -> Option<Text> {
            let content = match oid {
                None => Arc::default(),
                Some(oid) => match self.contents.get(&oid) {
                    Some(content) => content.clone(),
                    None => match objects.read(oid, scratch)? {
                        (ObjectKind::Blob, content) => content.into(),
                        _ => return None,
                    },
                },
            };
            Some(Text { oid, content })
        };
        let old = read(pair.0);
        // The call asks for no other side then, unless attributes say that it is text.
        let is_binary_already = old.as_ref().is_some_and(|old| is_binary(&old.content));
        let texts = [old, if is_binary_already { None } else { read(pair.1) }];
        let mut bytes = 0;
        for text in texts.iter().flatten() {
            bytes += text.content.len();
            if let Some(oid) = text.oid {
                self.contents.insert(oid, text.content.clone());
            }
        }
        if let [Some(old), Some(new)] = texts {
            // What takes long is compared where the call can leave it alone.
            let is_fit = bytes < MUCH_TEXT && ![&old, &new].iter().any(|text| is_binary(&text.content));
            if is_fit && let Ok(changes) = line_counts::line_changes(&old.content, &new.content, ignore_all_space) {
                self.changes
                    .insert(Compared::of(&old, &new, ignore_all_space), changes.into());
            }
        }
        bytes
    }

    fn add(&mut self, other: Batch) {
        self.contents.extend(other.contents);
        self.changes.extend(other.changes);
    }
}
