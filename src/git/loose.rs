//! Loose objects, read in place of libgit2, which never comes back from one that is cut short: its loop waits for output
//! of a stream whose input has ended. They are read twice over: at once, for what is small and undamaged; and as a
//! stream, for libgit2, which tells what is wrong with the rest.

use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Arc;

use flate2::read::ZlibDecoder;
use git2::{Binding, Repository};
use libdeflater::DecompressionError;
use libgit2_sys as raw;

use super::packs::{LARGEST_READ, Scratch};
use super::pipes::{open_file, open_file_of_length};
use crate::model::{ObjectKind, Oid};

/// As libgit2's own for packs: what is added later stands behind, and before its loose objects.
const PRIORITY: c_int = 2;
/// Bytes of a list of alternates.
const LONGEST_ALTERNATES: u64 = 1 << 20;
/// Alternates of alternates; git follows as many.
const MOST_ALTERNATES_DEEP: u32 = 5;
/// What inflates to more (bytes) is not read, whatever it is: contents are refused far below it.
const LARGEST_OBJECT: usize = 1 << 30;
/// `<kind> <size>\0`, with room.
const LONGEST_HEADER: usize = 64;
/// How much more (times) a loose object mostly is than its file, and the least room (bytes) that is tried.
const MOSTLY_INFLATES: usize = 8;
const LEAST_ROOM: usize = 64 << 10;

/// The loose objects of some folders.
#[derive(Clone)]
pub struct Loose {
    folders: Arc<[PathBuf]>,
}

/// What libgit2 calls; it takes the first field for the whole.
#[repr(C)]
struct Backend {
    backend: raw::git_odb_backend,
    loose: Loose,
}

/// From here on loose objects of the repository are read by this module.
pub fn read_by_ourselves(repository: &Repository, loose: Loose) -> Result<(), git2::Error> {
    let odb = repository.odb()?;
    // SAFETY: all fields are numbers, pointers and optional functions, for which zero is none.
    let mut backend: raw::git_odb_backend = unsafe { std::mem::zeroed() };
    backend.version = raw::GIT_ODB_BACKEND_VERSION;
    backend.read = Some(read);
    backend.read_header = Some(read_header);
    backend.free = Some(free);
    let backend = Box::into_raw(Box::new(Backend { backend, loose })).cast();
    // SAFETY: both are valid; the database owns the backend from here on, and gives it to `free`.
    let status = unsafe { raw::git_odb_add_backend(odb.raw(), backend, PRIORITY) };
    if status < 0 {
        free(backend);
        return Err(git2::Error::last_error(status));
    }
    Ok(())
}

/// Where the objects of a repository lie: its own folder, and those that it names as alternates.
pub fn object_folders(common: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    collect(&common.join("objects"), 0, &mut folders);
    folders
}

/// The folder itself and the alternates that it names.
fn collect(folder: &Path, depth: u32, folders: &mut Vec<PathBuf>) {
    if depth > MOST_ALTERNATES_DEEP || folders.iter().any(|known| known == folder) {
        return;
    }
    folders.push(folder.to_path_buf());
    let mut list = Vec::new();
    if let Ok(file) = open_file(&folder.join("info/alternates")) {
        // What cannot be read names nothing.
        let _ = file.take(LONGEST_ALTERNATES).read_to_end(&mut list);
    }
    for line in list.split(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        if !line.is_empty() && !line.starts_with('#') {
            collect(&folder.join(&*line), depth + 1, folders);
        }
    }
}

impl Loose {
    /// The loose objects of these folders of objects.
    pub fn new(folders: Arc<[PathBuf]>) -> Loose {
        Loose { folders }
    }

    /// How many hexadecimal digits an id shares at most with another loose object.
    pub fn shared_digits(&self, oid: Oid) -> usize {
        let hex = oid.to_string();
        let mut most = 0;
        for folder in &*self.folders {
            // What cannot be listed has none.
            for file in fs::read_dir(folder.join(&hex[..2])).into_iter().flatten().flatten() {
                let name = file.file_name();
                let rest = name.as_encoded_bytes();
                if rest.len() == hex.len() - 2 && rest != &hex.as_bytes()[2..] {
                    let same = rest
                        .iter()
                        .zip(&hex.as_bytes()[2..])
                        .take_while(|(one, two)| one == two);
                    most = most.max(2 + same.count());
                }
            }
        }
        most
    }

    /// Reads an object; its content is then in the scratch. `None` where there is none, where it is large, and where
    /// anything is wrong with it.
    pub fn read(&self, oid: &[u8], scratch: &mut Scratch) -> Option<ObjectKind> {
        let (file, length) = self.open(oid).ok()??;
        let length = usize::try_from(length).ok().filter(|&length| length <= LARGEST_READ)?;
        let Scratch {
            content,
            file: deflated,
            inflater,
            ..
        } = scratch;
        deflated.clear();
        deflated.reserve(length + 1);
        file.take(LARGEST_READ as u64 + 1).read_to_end(deflated).ok()?;
        let most = LARGEST_READ + LONGEST_HEADER;
        let room = content.room((length * MOSTLY_INFLATES).clamp(LEAST_ROOM, most));
        let (header, start, end) = match inflater.inflate_up_to(deflated, room) {
            Ok(end) => {
                let mut rest = &room[..end];
                let header = Header::read(&mut rest).ok()?;
                (header, end - rest.len(), end)
            }
            Err(DecompressionError::InsufficientSpace) => {
                let mut stream = ZlibDecoder::new(&deflated[..]);
                let header = Header::read(&mut stream).ok()?;
                if header.size > LARGEST_READ {
                    return None;
                }
                // A byte more, so that the stream comes to its end.
                let room = content.room(header.size + 1);
                let end = read_all(&mut stream, room).ok()?;
                (header, 0, end)
            }
            Err(DecompressionError::BadData) => return None,
        };
        if end - start != header.size || header.size > LARGEST_READ {
            return None;
        }
        content.narrow(start..end);
        kind_of(header.kind)
    }

    /// The kind and the size of an object, as far as its header says.
    pub fn kind_and_size(&self, oid: &[u8]) -> Option<(ObjectKind, u64)> {
        let header = self.header(oid).ok()??;
        Some((kind_of(header.kind)?, header.size as u64))
    }

    fn open(&self, oid: &[u8]) -> io::Result<Option<(File, u64)>> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = oid.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let name: String = digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect();
        for folder in &*self.folders {
            match open_file_of_length(&folder.join(&name[..2]).join(&name[2..])) {
                Ok(file) => return Ok(Some(file)),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn header(&self, oid: &[u8]) -> io::Result<Option<Header>> {
        self.open(oid)?
            .map(|(file, _)| Header::read(&mut ZlibDecoder::new(file)))
            .transpose()
    }

    fn object(&self, oid: &[u8]) -> io::Result<Option<(Header, Vec<u8>)>> {
        let Some((file, _)) = self.open(oid)? else {
            return Ok(None);
        };
        let mut stream = ZlibDecoder::new(file);
        let header = Header::read(&mut stream)?;
        if header.size > LARGEST_OBJECT {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the object is too large"));
        }
        // Not reserved by what the header says: it may say anything.
        let mut content = Vec::new();
        stream.take(header.size as u64 + 1).read_to_end(&mut content)?;
        if content.len() != header.size {
            return Err(malformed());
        }
        Ok(Some((header, content)))
    }
}

struct Header {
    kind: raw::git_object_t,
    size: usize,
}

impl Header {
    fn read(stream: &mut impl Read) -> io::Result<Header> {
        let mut text = Vec::new();
        for _ in 0..LONGEST_HEADER {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            match byte[0] {
                0 => {
                    let text = std::str::from_utf8(&text).map_err(|_| malformed())?;
                    let (kind, size) = text.split_once(' ').ok_or_else(malformed)?;
                    let kind = match kind {
                        "commit" => raw::GIT_OBJECT_COMMIT,
                        "tree" => raw::GIT_OBJECT_TREE,
                        "blob" => raw::GIT_OBJECT_BLOB,
                        "tag" => raw::GIT_OBJECT_TAG,
                        _ => return Err(malformed()),
                    };
                    let size = size.parse().map_err(|_| malformed())?;
                    return Ok(Header { kind, size });
                }
                byte => text.push(byte),
            }
        }
        Err(malformed())
    }
}

fn kind_of(kind: raw::git_object_t) -> Option<ObjectKind> {
    match kind {
        raw::GIT_OBJECT_COMMIT => Some(ObjectKind::Commit),
        raw::GIT_OBJECT_TREE => Some(ObjectKind::Tree),
        raw::GIT_OBJECT_BLOB => Some(ObjectKind::Blob),
        raw::GIT_OBJECT_TAG => Some(ObjectKind::Tag),
        _ => None,
    }
}

/// Fills the room as far as the stream goes.
fn read_all(stream: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut end = 0;
    while end < room.len() {
        match stream.read(&mut room[end..])? {
            0 => break,
            read => end += read,
        }
    }
    Ok(end)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the loose object is damaged")
}

/// What `look` finds for the id that libgit2 asks for, or the status to tell it.
///
/// # Safety
/// Only with the pointers that libgit2 hands to the functions below.
unsafe fn looked_up<T>(
    backend: *mut raw::git_odb_backend,
    oid: *const raw::git_oid,
    look: impl FnOnce(&Loose, &[u8]) -> io::Result<Option<T>>,
) -> Result<T, c_int> {
    // SAFETY: the backend is the one made above, of which libgit2 only knows the first field; ids are plain bytes.
    let (backend, oid) = unsafe { (backend.cast::<Backend>().as_ref(), git2::Oid::from_raw(oid)) };
    let backend = backend.ok_or(raw::GIT_ENOTFOUND)?;
    let found = look(&backend.loose, oid.as_bytes()).map_err(|error| failed(&error))?;
    found.ok_or(raw::GIT_ENOTFOUND)
}

fn failed(error: &io::Error) -> c_int {
    let text = std::ffi::CString::new(error.to_string()).unwrap_or_default();
    // SAFETY: libgit2 copies the text.
    unsafe { raw::git_error_set_str(raw::GIT_ERROR_ODB as c_int, text.as_ptr()) };
    raw::GIT_ERROR
}

extern "C" fn read(
    content: *mut *mut c_void,
    size: *mut usize,
    kind: *mut raw::git_object_t,
    backend: *mut raw::git_odb_backend,
    oid: *const raw::git_oid,
) -> c_int {
    // SAFETY: see `looked_up`.
    let found = unsafe { looked_up(backend, oid, Loose::object) };
    found.map_or_else(
        |status| status,
        |(header, found)| {
            // SAFETY: the places are libgit2's. It frees the memory, which has to be its own; readers of text expect
            // a zero behind the content.
            unsafe {
                let data = raw::git_odb_backend_data_alloc(backend, found.len() + 1).cast::<u8>();
                if data.is_null() {
                    return raw::GIT_ERROR;
                }
                ptr::copy_nonoverlapping(found.as_ptr(), data, found.len());
                data.add(found.len()).write(0);
                content.write(data.cast());
                size.write(header.size);
                kind.write(header.kind);
            }
            0
        },
    )
}

extern "C" fn read_header(
    size: *mut usize,
    kind: *mut raw::git_object_t,
    backend: *mut raw::git_odb_backend,
    oid: *const raw::git_oid,
) -> c_int {
    // SAFETY: see `looked_up`.
    let found = unsafe { looked_up(backend, oid, Loose::header) };
    found.map_or_else(
        |status| status,
        |header| {
            // SAFETY: the places are libgit2's.
            unsafe {
                size.write(header.size);
                kind.write(header.kind);
            }
            0
        },
    )
}

extern "C" fn free(backend: *mut raw::git_odb_backend) {
    // SAFETY: it was made by `Box::into_raw` above, and this is called once.
    drop(unsafe { Box::from_raw(backend.cast::<Backend>()) });
}
