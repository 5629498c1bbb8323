//! The refs below a folder, whatever else there is: what cannot be read is left out, and the others stand.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use git2::Repository;

use super::pipes::{named, open_file};
use super::ref_storage::RefStorage;
use crate::model::{Oid, Ref, SourceError};

/// Refs that are looked at below one folder.
const MOST_REFS: usize = 100_000;
/// Folders in folders.
const DEEPEST: usize = 8;
/// Bytes of `packed-refs` that are read.
const MOST_PACKED: u64 = 1 << 30;

/// The refs of a repository that keeps them in files. `folder` ends with a slash.
pub fn in_files(
    repository: &Repository,
    folder: &str,
    check_stopped: impl Fn() -> Result<(), SourceError>,
) -> Result<Vec<Ref>, SourceError> {
    let mut found = packed(repository, folder)?;
    let mut pending = vec![(folder.to_owned(), 0, false)];
    let mut seen = 0;
    while let Some((folder, depth, behind_link)) = pending.pop() {
        let place: PathBuf = repository.commondir().join(named(folder.as_bytes()));
        for child in fs::read_dir(place).into_iter().flatten().flatten() {
            check_stopped()?;
            // A name that is no text is none that is looked for.
            let Ok(name) = child.file_name().into_string() else {
                continue;
            };
            let Ok(what) = fs::metadata(child.path()) else { continue };
            let is_link = child.file_type().is_ok_and(|kind| kind.is_symlink());
            let name = format!("{folder}{name}");
            if what.is_dir() {
                // A link may lead in a circle, and a dozen of them into as many circles again: behind one none is followed.
                if depth < DEEPEST && !(is_link && behind_link) {
                    pending.push((format!("{name}/"), depth + 1, is_link || behind_link));
                }
            } else if what.is_file() && seen < MOST_REFS && !name.ends_with(".lock") {
                seen += 1;
                // One that cannot be read is not what it was when refs were packed, either.
                match RefStorage::Files.resolve(repository, &name) {
                    Ok(Some(oid)) => found.insert(name, oid),
                    _ => found.remove(&name),
                };
            }
        }
    }
    Ok(limited(found))
}

/// Of refs that were read from tables.
pub fn in_tables(refs: Vec<(Vec<u8>, Oid)>, folder: &str) -> Vec<Ref> {
    let texts = refs
        .into_iter()
        .filter_map(|(name, oid)| Some((String::from_utf8(name).ok()?, oid)));
    limited(texts.filter(|(name, _)| name.starts_with(folder)).collect())
}

fn limited(found: BTreeMap<String, Oid>) -> Vec<Ref> {
    let refs = found.into_iter().map(|(name, oid)| Ref { name, oid });
    refs.take(MOST_REFS).collect()
}

/// What `packed-refs` has; a line that is not understood is passed over.
fn packed(repository: &Repository, folder: &str) -> Result<BTreeMap<String, Oid>, SourceError> {
    let mut text = Vec::new();
    let file = open_file(&repository.commondir().join("packed-refs"));
    match file.and_then(|file| file.take(MOST_PACKED).read_to_end(&mut text)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(SourceError::Repository(format!("packed-refs: {error}")));
        }
        _ => {}
    }
    let of_line = |line: &[u8]| {
        let (oid, name) = line.split_at_checked(line.iter().position(|&byte| byte == b' ')?)?;
        let name = std::str::from_utf8(&name[1..]).ok()?;
        let name = name.strip_suffix('\r').unwrap_or(name);
        Some((name.starts_with(folder).then(|| name.to_owned())?, Oid::from_hex(oid)?))
    };
    Ok(text.split(|&byte| byte == b'\n').filter_map(of_line).collect())
}
