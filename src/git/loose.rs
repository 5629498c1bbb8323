//! Loose objects, read in place of libgit2, which never comes back from one that is cut short: its loop waits for output
//! of a stream whose input has ended. Packs are asked first, as ever.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::ptr;

use flate2::read::ZlibDecoder;
use git2::{Binding, Repository};
use libgit2_sys as raw;

use super::pipes::open_file;

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

/// What libgit2 calls; it takes the first field for the whole.
#[repr(C)]
struct Loose {
    backend: raw::git_odb_backend,
    folders: Vec<PathBuf>,
}

/// From here on loose objects of the repository are read by this module.
pub fn read_by_ourselves(repository: &Repository) -> Result<(), git2::Error> {
    let odb = repository.odb()?;
    let folders = object_folders(repository.commondir());
    // SAFETY: all fields are numbers, pointers and optional functions, for which zero is none.
    let mut backend: raw::git_odb_backend = unsafe { std::mem::zeroed() };
    backend.version = raw::GIT_ODB_BACKEND_VERSION;
    backend.read = Some(read);
    backend.read_header = Some(read_header);
    backend.free = Some(free);
    let backend = Box::into_raw(Box::new(Loose { backend, folders })).cast();
    // SAFETY: both are valid; the database owns the backend from here on, and gives it to `free`.
    let status = unsafe { raw::git_odb_add_backend(odb.raw(), backend, PRIORITY) };
    if status < 0 {
        free(backend);
        return Err(git2::Error::last_error(status));
    }
    Ok(())
}

/// Where the objects of a repository lie: its own folder, and those that it names as alternates.
pub(super) fn object_folders(common: &Path) -> Vec<PathBuf> {
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
    fn open(&self, oid: &[u8]) -> io::Result<Option<File>> {
        let name: String = oid.iter().map(|byte| format!("{byte:02x}")).collect();
        for folder in &self.folders {
            match open_file(&folder.join(&name[..2]).join(&name[2..])) {
                Ok(file) => return Ok(Some(file)),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn header(&self, oid: &[u8]) -> io::Result<Option<Header>> {
        self.open(oid)?
            .map(|file| Header::read(&mut ZlibDecoder::new(file)))
            .transpose()
    }

    fn object(&self, oid: &[u8]) -> io::Result<Option<(Header, Vec<u8>)>> {
        let Some(file) = self.open(oid)? else { return Ok(None) };
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
    let (loose, oid) = unsafe { (backend.cast::<Loose>().as_ref(), git2::Oid::from_raw(oid)) };
    let loose = loose.ok_or(raw::GIT_ENOTFOUND)?;
    let found = look(loose, oid.as_bytes()).map_err(|error| failed(&error))?;
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
    drop(unsafe { Box::from_raw(backend.cast::<Loose>()) });
}
