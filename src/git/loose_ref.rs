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
    let is_special = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    let mut is_ours = is_special || is_plain(name);
    let mut name = name.to_vec();
    for _ in 0..=MOST_SYMBOLIC_REFS {
        if !is_ours {
            break;
        }
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
            is_ours = is_plain(&name);
        } else {
            let oid = content.strip_suffix(b"\n").and_then(Oid::from_hex);
            return Ok(oid.map(|oid| Followed { name, oid }));
        }
    }
    refuse(&repository.path().join(named(&name)))?;
    if repository.path() != repository.commondir() {
        refuse(&repository.commondir().join(named(&name)))?;
    }
    refuse(&repository.commondir().join("packed-refs"))?;
    Ok(None)
}

/// Whether a name is one that git takes for a ref in the folder of refs, and nothing in it would lead out of there.
fn is_plain(name: &[u8]) -> bool {
    let is_odd = |&byte: &u8| byte <= b' ' || byte == 0x7f || br"~^:?*[\".contains(&byte);
    let is_part = |part: &[u8]| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock");
    let has_pair = |pair: &[u8; 2]| name.windows(2).any(|found| found == pair);
    let mut parts = name.split(|&byte| byte == b'/');
    parts.next() == Some(b"refs")
        && parts.all(is_part)
        && !name.iter().any(is_odd)
        && !name.ends_with(b".")
        && !has_pair(b"..")
        && !has_pair(b"@{")
}
