//! From verdicts to files: which changes there are to be seen, and which of them are renames. The card and the patch
//! both start from here, so that they cannot disagree.

use std::collections::{BTreeMap, HashMap};

use crate::model::outcome::{ChangeKind, Decision, Verdict};
use crate::model::{Delta, Entry, FileMode, GitSource, RepoPath, SourceError};
use crate::rules::rename_pairing::{MergeLimits, pair_renames};

/// A file to be seen.
#[derive(Clone, Debug)]
pub struct TurnFile {
    /// Path in the end snapshot, or where it was deleted.
    pub path: RepoPath,
    /// Where a renamed file was before.
    pub previous_path: Option<RepoPath>,
    /// For a renamed file: how alike the two are, in percent.
    pub similarity: Option<u8>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// The state it is compared with.
    pub old: Option<Entry>,
    /// The state in the end snapshot.
    pub new: Option<Entry>,
    /// Whether what moved could not be told from what was written.
    pub mixed: bool,
    /// Shown or demoted, and why.
    pub verdict: Verdict,
}

impl TurnFile {
    /// The path on the old side.
    pub fn old_path(&self) -> &RepoPath {
        self.previous_path.as_ref().unwrap_or(&self.path)
    }

    /// What is compared.
    pub fn sides(&self) -> [(&RepoPath, Option<Entry>); 2] {
        [(self.old_path(), self.old), (&self.path, self.new)]
    }
}

/// Files in byte order of the path.
pub struct TurnFiles {
    /// The files.
    pub files: Vec<TurnFile>,
    /// Whether pairing renames met a limit.
    pub renames_limited: bool,
}

/// The agent's files, each against the expected state. Only these are paired: a file that history took away is no
/// previous path of one that the agent wrote. Empty files are all alike, which says nothing of where one came from.
pub fn shown_files(
    source: &dyn GitSource,
    delta: &Delta,
    decisions: &BTreeMap<RepoPath, Decision>,
) -> Result<TurnFiles, SourceError> {
    let shown = decisions
        .iter()
        .filter(|(_, decision)| matches!(decision.verdict, Verdict::Shown(_)));
    let files = shown.map(|(path, decision)| file(path, decision, decision.base, delta[path].new));
    let empty = source.store_blob(Vec::new());
    paired(source, files.collect(), |entry| entry.oid != empty)
}

/// The whole change on disk, paired as git pairs it.
pub fn all_files(
    source: &dyn GitSource,
    delta: &Delta,
    decisions: &BTreeMap<RepoPath, Decision>,
) -> Result<TurnFiles, SourceError> {
    let files = decisions.iter().map(|(path, decision)| {
        let change = delta[path];
        let mixed = decision.mixed || decision.base != change.old;
        TurnFile {
            mixed: mixed && matches!(decision.verdict, Verdict::Shown(_)),
            ..file(path, decision, change.old, change.new)
        }
    });
    paired(source, files.collect(), |_| true)
}

fn file(path: &RepoPath, decision: &Decision, old: Option<Entry>, new: Option<Entry>) -> TurnFile {
    TurnFile {
        path: path.clone(),
        previous_path: None,
        similarity: None,
        kind: change_kind(old, new),
        old,
        new,
        mixed: decision.mixed,
        verdict: decision.verdict,
    }
}

/// Joins deleted and added files that are alike.
fn paired(
    source: &dyn GitSource,
    files: Vec<TurnFile>,
    worth_pairing: impl Fn(&Entry) -> bool,
) -> Result<TurnFiles, SourceError> {
    let ends = |old: bool| {
        let one_sided = files
            .iter()
            .filter(move |file| file.old.is_some() == old && file.new.is_some() != old);
        one_sided
            .filter_map(|file| Some((file.path.clone(), file.old.or(file.new)?)))
            .filter(|(_, entry)| worth_pairing(entry))
            .collect::<Vec<_>>()
    };
    let (deleted, added) = (ends(true), ends(false));
    if deleted.is_empty() || added.is_empty() {
        return Ok(TurnFiles {
            files,
            renames_limited: false,
        });
    }
    let pairing = pair_renames(&deleted, &added, source, &MergeLimits::default())?;
    let (mut origins, mut gone) = (HashMap::new(), HashMap::new());
    for pair in &pairing.pairs {
        gone.insert(&pair.from, None);
        origins.insert(&pair.to, pair);
    }
    let mut left = Vec::with_capacity(files.len());
    for file in files {
        match gone.get_mut(&file.path) {
            Some(place) => *place = Some(file),
            None => left.push(file),
        }
    }
    for file in &mut left {
        let Some(pair) = origins.get(&file.path) else { continue };
        let Some(Some(origin)) = gone.remove(&pair.from) else {
            continue;
        };
        file.kind = ChangeKind::Renamed;
        file.similarity = Some(pair.score_percent);
        file.old = origin.old;
        file.mixed |= origin.mixed;
        // Where either end is the agent's, so is the rename.
        if matches!(file.verdict, Verdict::Demoted(_)) {
            file.verdict = origin.verdict;
        }
        file.previous_path = Some(origin.path);
    }
    Ok(TurnFiles {
        files: left,
        renames_limited: pairing.limited,
    })
}

/// What a change of state is called.
pub fn change_kind(old: Option<Entry>, new: Option<Entry>) -> ChangeKind {
    let is_submodule = |entry: Option<Entry>| entry.is_some_and(|entry| entry.mode == FileMode::GITLINK);
    match (old, new) {
        (Some(one), Some(two)) if !one.mode.same_type(two.mode) => ChangeKind::Typechange,
        _ if is_submodule(old) || is_submodule(new) => ChangeKind::Submodule,
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    }
}
