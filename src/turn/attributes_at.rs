//! The attributes of paths as the end snapshot's own `.gitattributes` files give them: never the checkout's,
//! the index's or the user's, which may say something else by the time a turn is looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tree_delta::lookup;
use crate::model::{GitSource, Oid, RepoPath, SourceError};
use crate::rules::attributes::Attributes;

/// Reads the `.gitattributes` files that bear on `paths`.
pub fn attributes_at<'p>(
    source: &dyn GitSource,
    tree: Oid,
    paths: impl Iterator<Item = &'p RepoPath>,
) -> Result<Attributes, SourceError> {
    let mut directories = BTreeSet::from([RepoPath::from(b"")]);
    for path in paths {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes {
            if !directories.contains(&path[..at]) {
                directories.insert(RepoPath::from(&path[..at]));
            }
        }
    }
    let mut files: Vec<(RepoPath, Arc<[u8]>)> = Vec::new();
    for directory in directories {
        let mut path = directory.to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend(b".gitattributes");
        // Git reads no attributes through a symbolic link.
        let content = lookup(source, Some(tree), &path).and_then(|found| {
            let file = found.filter(|entry| entry.mode.is_file());
            file.map(|entry| source.read_blob(entry.oid)).transpose()
        });
        match content {
            Ok(content) => files.extend(content.map(|content| (directory, content))),
            Err(SourceError::Aborted) => return Err(SourceError::Aborted),
            // Rules that cannot be read are no rules: the content decides.
            Err(_) => {}
        }
    }
    Ok(Attributes::new(
        files.iter().map(|(directory, content)| (directory, &content[..])),
    ))
}
