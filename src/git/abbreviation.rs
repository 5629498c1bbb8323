//! How short git would write an object id in a repository.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use git2::Repository;

use super::loose::object_folders;
use super::objects::Objects;
use super::pipes::open_file;
use crate::model::Oid;

/// The shortest that git makes an id of itself.
const SHORTEST: usize = 7;

/// Finds the abbreviation of ids, and keeps what it found.
#[derive(Default)]
pub struct Abbreviation {
    known: RefCell<HashMap<Oid, usize>>,
}

impl Abbreviation {
    /// How many digits it takes: half the bits of the number of packed objects, and more until it is the only object
    /// that begins so. `shortest` keeps the first for as long as the packs are the same.
    pub fn length(
        &self,
        repository: &Repository,
        shortest: &Cell<Option<usize>>,
        objects: &Objects,
        oid: Oid,
    ) -> usize {
        if let Some(&known) = self.known.borrow().get(&oid) {
            return known;
        }
        let least = shortest
            .get()
            .unwrap_or_else(|| least_length(packed_objects(repository.commondir())));
        shortest.set(Some(least));
        let full = oid.as_bytes().len() * 2;
        let shared = objects.shared_digits(oid).or_else(|| shared_digits(repository, oid));
        let length = shared.map_or(full, |shared| least.max(shared + 1).min(full));
        self.known.borrow_mut().insert(oid, length);
        length
    }
}

/// How many digits an id shares at most with another object, as libgit2 knows it.
fn shared_digits(repository: &Repository, oid: Oid) -> Option<usize> {
    let (odb, id) = (repository.odb().ok()?, git2::Oid::from_bytes(oid.as_bytes()).ok()?);
    let is_taken = |length: &usize| match odb.exists_prefix(id, *length) {
        Ok(found) => found != id,
        Err(error) => error.code() == git2::ErrorCode::Ambiguous,
    };
    // It takes no shorter ones.
    Some(
        (SHORTEST..oid.as_bytes().len() * 2)
            .take_while(is_taken)
            .last()
            .unwrap_or(0),
    )
}

fn least_length(objects: u64) -> usize {
    let bits = (u64::BITS - objects.leading_zeros()) as usize;
    SHORTEST.max(bits.div_ceil(2))
}

/// How many objects the packs hold, those of borrowed databases too. What cannot be read is not counted.
fn packed_objects(common: &Path) -> u64 {
    let folders = object_folders(common).into_iter();
    // A database may be named in several ways.
    let places: HashSet<PathBuf> = folders.map(|folder| folder.canonicalize().unwrap_or(folder)).collect();
    places
        .iter()
        .map(|place| packed_in(&place.join("pack")).unwrap_or(0))
        .sum()
}

fn packed_in(folder: &Path) -> std::io::Result<u64> {
    let (mut count, covered) = multi_pack_index(&folder.join("multi-pack-index")).unwrap_or_default();
    for file in fs::read_dir(folder)?.flatten() {
        let path = file.path();
        let covered = path
            .file_name()
            .is_some_and(|name| covered.contains(name.as_encoded_bytes()));
        if path.extension().is_some_and(|extension| extension == "idx")
            && !covered
            && path.with_extension("pack").exists()
        {
            count += objects_of_pack(&path).unwrap_or(0);
        }
    }
    Ok(count)
}

/// The last entry of the fan-out table of a pack index is the number of its objects.
fn objects_of_pack(index: &Path) -> std::io::Result<u64> {
    let mut file = open_file(index)?;
    let mut magic = [0; 4];
    file.read_exact(&mut magic)?;
    let header = if magic == *b"\xfftOc" { 8 } else { 0 };
    number_at(&mut file, header + 255 * 4)
}

/// The number of objects of a multi-pack index, and the names of the pack indexes that it covers.
fn multi_pack_index(path: &Path) -> Option<(u64, HashSet<Vec<u8>>)> {
    let mut file = open_file(path).ok()?;
    let mut header = [0; 12];
    file.read_exact(&mut header).ok()?;
    if !header.starts_with(b"MIDX") {
        return None;
    }
    let mut table = vec![0; (usize::from(header[6]) + 1) * 12];
    file.read_exact(&mut table).ok()?;
    let mut chunks = HashMap::new();
    for pair in table.windows(24).step_by(12) {
        let place = |at: usize| Some(u64::from_be_bytes(pair[at..at + 8].try_into().ok()?));
        chunks.insert(<[u8; 4]>::try_from(&pair[..4]).ok()?, (place(4)?, place(16)?));
    }
    let &(fan_out, _) = chunks.get(b"OIDF")?;
    let count = number_at(&mut file, fan_out + 255 * 4).ok()?;
    let &(start, end) = chunks.get(b"PNAM")?;
    let mut names = vec![0; usize::try_from(end.checked_sub(start)?).ok()?.min(1 << 24)];
    file.seek(SeekFrom::Start(start)).ok()?;
    file.read_exact(&mut names).ok()?;
    Some((count, names.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect()))
}

fn number_at(file: &mut File, at: u64) -> std::io::Result<u64> {
    let mut number = [0; 4];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut number)?;
    Ok(u64::from(u32::from_be_bytes(number)))
}

#[cfg(test)]
mod tests {
    use super::least_length;

    #[test]
    fn half_the_bits_of_the_number_of_objects() {
        for (objects, length) in [(0, 7), (1 << 13, 7), (1 << 14, 8), ((1 << 14) - 1, 7), (849_000, 10)] {
            assert_eq!(least_length(objects), length, "{objects}");
        }
    }
}
