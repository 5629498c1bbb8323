//! Refs that are files of their own: `HEAD`, and what was written since refs were packed.

use std::io::{self, Read};

use git2::Repository;

use super::pipes::{named, open_file, refuse};
use super::ref_storage::MOST_SYMBOLIC_REFS;
use crate::model::Oid;

/// Bytes of a ref that are looked at: more than any name of a ref that git makes.
const LONGEST_REF: u64 = 64 * 1024;
/// Refs of which each worktree has its own, beside those outside of `refs/`.
const OF_ONE_WORKTREE: [&[u8]; 3] = [b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/"];

/// Where a name leads.
pub struct Followed {
    /// The last name on the way.
    pub name: Vec<u8>,
    /// What it holds.
    pub oid: Oid,
}

/// Follows a name as far as files tell, to an id. `None` where they do not tell, or anything is odd: libgit2 is asked
/// then, for which there is no pipe on the way.
pub fn follow(repository: &Repository, name: &[u8]) -> io::Result<Option<Followed>> {
    let mut name = name.to_vec();
    for _ in 0..=MOST_SYMBOLIC_REFS {
        let shared = name.starts_with(b"refs/") && !OF_ONE_WORKTREE.iter().any(|own| name.starts_with(own));
        let folder = if shared {
            repository.commondir()
        } else {
            repository.path()
        };
        let Ok(file) = open_file(&folder.join(named(&name))) else {
            break;
        };
        let mut content = Vec::new();
        if file.take(LONGEST_REF).read_to_end(&mut content).is_err() {
            break;
        }
        if let Some(target) = content.strip_prefix(b"ref:") {
            name = target.trim_ascii().to_vec();
            if !is_plain(&name) {
                break;
            }
        } else {
            let oid = content.strip_suffix(b"\n").and_then(Oid::from_hex);
            return Ok(oid.map(|oid| Followed { name, oid }));
        }
    }
    for folder in [repository.path(), repository.commondir()] {
        refuse(&folder.join(named(&name)))?;
    }
    refuse(&repository.commondir().join("packed-refs"))?;
    Ok(None)
}

/// Whether nothing in a name would lead out of the folder of refs.
fn is_plain(name: &[u8]) -> bool {
    let mut parts = name.split(|&byte| byte == b'/');
    parts.next() == Some(b"refs") && parts.all(|part| !part.is_empty() && !part.starts_with(b"."))
}
