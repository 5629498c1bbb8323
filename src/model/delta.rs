use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::Oid;

/// A path inside the repository: bytes as git stores them, `/` between components. Copies share them: the deltas and
/// verdicts of a turn name the same paths again and again.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// The path as text; bytes that are not UTF-8 become U+FFFD.
    pub fn display(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

impl<T: AsRef<[u8]>> From<T> for RepoPath {
    fn from(bytes: T) -> RepoPath {
        RepoPath(bytes.as_ref().into())
    }
}

impl Deref for RepoPath {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl std::borrow::Borrow<[u8]> for RepoPath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.display())
    }
}

/// The mode of a tree entry, made canonical the way git reads trees: any executable bit gives
/// 100755, any other regular file 100644.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileMode(u32);

impl FileMode {
    /// A regular file.
    pub const REGULAR: FileMode = FileMode(0o100644);
    /// An executable file.
    pub const EXECUTABLE: FileMode = FileMode(0o100755);
    /// A symbolic link.
    pub const SYMLINK: FileMode = FileMode(0o120000);
    /// A submodule: the id is a commit of another repository.
    pub const GITLINK: FileMode = FileMode(0o160000);
    /// A directory.
    pub const TREE: FileMode = FileMode(0o040000);

    /// The canonical form of a raw mode.
    pub fn canonical(raw: u32) -> FileMode {
        match raw & 0o170000 {
            0o100000 if raw & 0o100 != 0 => FileMode::EXECUTABLE,
            0o100000 => FileMode::REGULAR,
            0o120000 => FileMode::SYMLINK,
            0o040000 => FileMode::TREE,
            _ => FileMode::GITLINK,
        }
    }

    /// Whether this is a regular file, executable or not.
    pub fn is_file(self) -> bool {
        self == FileMode::REGULAR || self == FileMode::EXECUTABLE
    }

    /// Whether two modes are of the same type, so that a change between them is no type change.
    pub fn same_type(self, other: FileMode) -> bool {
        self.0 & 0o170000 == other.0 & 0o170000
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:06o}", self.0)
    }
}

impl fmt::Debug for FileMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The state of a path: its mode and the id of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// Type and permission.
    pub mode: FileMode,
    /// Blob id, or commit id of a submodule.
    pub oid: Oid,
}

/// The two states of a path in a delta; `None` where the path does not exist. The two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// State on the old side.
    pub old: Option<Entry>,
    /// State on the new side.
    pub new: Option<Entry>,
}

/// The paths in which two trees differ, without renames, in byte order of the path.
pub type Delta = BTreeMap<RepoPath, Change>;
