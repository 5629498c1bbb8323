//! Packs, read in place of libgit2 wherever nothing is odd about them: several threads can read at once, and nothing is
//! kept of what was read but what deltas are made of.
//!
//! Whatever is not understood, damaged or too large is not there as far as this module can tell; libgit2 is asked next,
//! and errors are its own. As in libgit2, what is inflated is protected by its checksum, and the result of a delta by
//! nothing but sizes: no hash is computed.

mod data;
mod delta;
mod entry;
mod index;
mod scratch;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use memmap2::Mmap;

pub use self::data::Data;
pub use self::index::{Index, shared_digits};
pub use self::scratch::Scratch;
use super::pipes::open_file;
use crate::model::ObjectKind;

/// Contents of more bytes are not read here: the call has to be able to leave such work alone.
pub const LARGEST_READ: usize = 16 << 20;
/// Packs of more than so many files are left to libgit2: each may be mapped twice.
const MOST_PACKS: usize = 8192;

/// The packs of a repository and of those that it borrows from, as they were when the first object was asked for.
pub struct Packs {
    folders: Arc<[PathBuf]>,
    oid_length: usize,
    files: OnceLock<Vec<Pack>>,
}

/// A pack, of which nothing is opened before it is needed.
struct Pack {
    index_path: PathBuf,
    number: u64,
    index: OnceLock<Option<Index<Mmap>>>,
    data: OnceLock<Option<Data<Mmap>>>,
}

impl Packs {
    /// The packs of these folders of objects. Nothing is looked at yet.
    pub fn new(folders: Arc<[PathBuf]>, oid_length: usize) -> Packs {
        Packs {
            folders,
            oid_length,
            files: OnceLock::new(),
        }
    }

    /// Reads an object of up to [`LARGEST_READ`] bytes.
    pub fn read<'s>(&self, oid: &[u8], scratch: &'s mut Scratch) -> Option<(ObjectKind, &'s [u8])> {
        let kind = self.find(oid, scratch, |data, index, offset, scratch| {
            data.read_into(index, offset, scratch)
        })?;
        Some((kind, scratch.content.bytes()))
    }

    /// The kind and the size of an object.
    pub fn header(&self, oid: &[u8], scratch: &mut Scratch) -> Option<(ObjectKind, u64)> {
        self.find(oid, scratch, |data, index, offset, scratch| {
            data.header(index, offset, scratch)
        })
    }

    /// How many hexadecimal digits an id shares at most with another in any pack; `None` where one cannot be read here.
    pub fn shared_digits(&self, oid: &[u8]) -> Option<usize> {
        let packs = self.files.get_or_init(|| listed(&self.folders));
        let mut shared = packs.iter().map(|pack| pack.index(self.oid_length)?.shared_digits(oid));
        shared.try_fold(0, |most, shared| Some(most.max(shared?)))
    }

    /// Has the object read in the first pack that has it undamaged. The one that had the last object is asked first.
    fn find<T>(
        &self,
        oid: &[u8],
        scratch: &mut Scratch,
        read: impl Fn(&Data<Mmap>, &Index<Mmap>, u64, &mut Scratch) -> Option<T>,
    ) -> Option<T> {
        let packs = self.files.get_or_init(|| listed(&self.folders));
        let last = scratch.last_pack;
        let others = (0..packs.len()).filter(|&at| at != last);
        [last].into_iter().chain(others).find_map(|at| {
            let pack = packs.get(at)?;
            let index = pack.index(self.oid_length)?;
            let offset = index.find(oid)?;
            let found = read(pack.data(index)?, index, offset, scratch)?;
            scratch.last_pack = at;
            Some(found)
        })
    }
}

impl Pack {
    fn index(&self, oid_length: usize) -> Option<&Index<Mmap>> {
        let open = || Index::new(mapped(&self.index_path)?, oid_length);
        self.index.get_or_init(open).as_ref()
    }

    fn data(&self, index: &Index<Mmap>) -> Option<&Data<Mmap>> {
        let open = || Data::new(mapped(&self.index_path.with_extension("pack"))?, self.number, index);
        self.data.get_or_init(open).as_ref()
    }
}

/// The packs of the folders; in each, what was packed last comes first: it is asked for most.
fn listed(folders: &[PathBuf]) -> Vec<Pack> {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    let mut packs = Vec::new();
    for folder in folders {
        let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder.join("pack"))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|file| Path::new(&file.file_name()).extension().is_some_and(|end| end == "idx"))
            .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
            .collect();
        found.sort_by(|one, two| two.cmp(one));
        packs.extend(found.into_iter().map(|(_, index_path)| Pack {
            index_path,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            index: OnceLock::new(),
            data: OnceLock::new(),
        }));
    }
    packs.truncate(MOST_PACKS);
    packs
}

fn mapped(path: &Path) -> Option<Mmap> {
    let file = open_file(path).ok()?;
    // SAFETY: git writes packs and indexes under another name and never changes them. Whoever cuts one short while it is
    // mapped breaks every reader of it, libgit2 as well.
    unsafe { Mmap::map(&file) }.ok()
}
