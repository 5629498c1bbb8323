//! From verdicts to files: kinds, renames and line counts.

use std::collections::BTreeMap;

use super::attributes_at::attributes_at;
use super::snapshot::unreadable;
use crate::model::outcome::{ChangeKind, Demoted, DemotedFile, ShownFile, Verdict};
use crate::model::{Delta, DemotedDetail, Entry, Error, FileMode, GitSource, Oid, RepoPath, SourceError, is_binary};
use crate::rules::attributes::{Attributes, DiffAttribute};
use crate::rules::rename_pairing::{MergeLimits, pair_renames};
use crate::rules::verdict::Decision;

/// The shown files of a turn and the sum of the others. `tree` is the end snapshot's.
pub fn present(
    source: &dyn GitSource,
    tree: Oid,
    delta: &Delta,
    decisions: &BTreeMap<RepoPath, Decision>,
    detail: DemotedDetail,
) -> Result<(Vec<ShownFile>, Demoted), Error> {
    let counted = decisions
        .iter()
        .filter(|(_, decision)| detail == DemotedDetail::Lines || matches!(decision.verdict, Verdict::Shown(_)));
    let attributes = attributes_at(source, tree, counted.map(|(path, _)| path)).map_err(|error| unreadable(&error))?;
    let counting = Counting { source, attributes };
    let shown = counting.shown(delta, decisions).map_err(|error| unreadable(&error))?;
    let demoted = counting
        .demoted(delta, decisions, detail)
        .map_err(|error| unreadable(&error))?;
    Ok((shown, demoted))
}

struct Counting<'a> {
    source: &'a dyn GitSource,
    attributes: Attributes,
}

/// Lines of one change; `None` where it is binary or cannot be read.
#[derive(Default)]
struct Lines {
    additions: Option<u32>,
    deletions: Option<u32>,
    binary: bool,
}

impl Counting<'_> {
    fn shown(&self, delta: &Delta, decisions: &BTreeMap<RepoPath, Decision>) -> Result<Vec<ShownFile>, SourceError> {
        let mut files = Vec::new();
        for (path, decision) in decisions {
            let Verdict::Shown(reason) = decision.verdict else {
                continue;
            };
            files.push(ShownFile {
                path: path.clone(),
                previous_path: None,
                kind: ChangeKind::Modified,
                additions: None,
                deletions: None,
                binary: false,
                old: decision.base,
                new: delta[path].new,
                mixed: decision.mixed,
                reason,
            });
        }
        self.pair(&mut files)?;
        for file in &mut files {
            if file.kind != ChangeKind::Renamed {
                file.kind = change_kind(file.old, file.new);
            }
            let lines = self.lines(
                file.previous_path.as_ref().unwrap_or(&file.path),
                &file.path,
                file.old,
                file.new,
            )?;
            (file.additions, file.deletions, file.binary) = (lines.additions, lines.deletions, lines.binary);
        }
        Ok(files)
    }

    /// Joins a deleted and an added file that are alike. Only shown files are paired: a file that history
    /// took away is no previous path of one that the agent wrote.
    fn pair(&self, files: &mut Vec<ShownFile>) -> Result<(), SourceError> {
        // Empty files are all alike: that says nothing of where one came from.
        let empty = self.source.store_blob(Vec::new());
        let ends = |old: bool| {
            let one_sided = files
                .iter()
                .filter(move |file| file.old.is_some() == old && file.new.is_some() != old);
            one_sided
                .filter_map(|file| Some((file.path.clone(), file.old.or(file.new)?)))
                .filter(|(_, entry)| entry.oid != empty)
                .collect::<Vec<_>>()
        };
        let (deleted, added) = (ends(true), ends(false));
        if deleted.is_empty() || added.is_empty() {
            return Ok(());
        }
        let pairing = pair_renames(&deleted, &added, self.source, &MergeLimits::default())?;
        for pair in pairing.pairs {
            let Some(from) = files.iter().position(|file| file.path == pair.from) else {
                continue;
            };
            let gone = files.remove(from);
            let Some(file) = files.iter_mut().find(|file| file.path == pair.to) else {
                continue;
            };
            file.kind = ChangeKind::Renamed;
            file.previous_path = Some(gone.path);
            file.old = gone.old;
            file.mixed |= gone.mixed;
        }
        Ok(())
    }

    fn demoted(
        &self,
        delta: &Delta,
        decisions: &BTreeMap<RepoPath, Decision>,
        detail: DemotedDetail,
    ) -> Result<Demoted, SourceError> {
        let mut demoted = Demoted::default();
        let mut files = Vec::new();
        let (mut additions, mut deletions) = (0u64, 0u64);
        for (path, decision) in decisions {
            let Verdict::Demoted(reason) = decision.verdict else {
                continue;
            };
            demoted.file_count += 1;
            if detail == DemotedDetail::Count {
                continue;
            }
            let change = delta[path];
            let lines = match detail {
                DemotedDetail::Lines => self.lines(path, path, change.old, change.new)?,
                _ => Lines::default(),
            };
            additions += u64::from(lines.additions.unwrap_or(0));
            deletions += u64::from(lines.deletions.unwrap_or(0));
            let kind = change_kind(change.old, change.new);
            let (additions, deletions) = (lines.additions, lines.deletions);
            files.push(DemotedFile {
                path: path.clone(),
                kind,
                additions,
                deletions,
                reason,
            });
        }
        if detail != DemotedDetail::Count {
            demoted.files = Some(files);
        }
        if detail == DemotedDetail::Lines {
            (demoted.additions, demoted.deletions) = (Some(additions), Some(deletions));
        }
        Ok(demoted)
    }

    /// As `git diff --numstat` counts: by attribute and content binary or text, links and submodules by the
    /// text that git keeps for them.
    fn lines(
        &self,
        old_path: &RepoPath,
        new_path: &RepoPath,
        old: Option<Entry>,
        new: Option<Entry>,
    ) -> Result<Lines, SourceError> {
        let binary = Lines {
            additions: None,
            deletions: None,
            binary: true,
        };
        let sides = [(old_path, old), (new_path, new)];
        let mut text_forced = [false; 2];
        for (side, (path, entry)) in sides.iter().enumerate() {
            if !entry.is_some_and(|entry| entry.mode.is_file()) {
                continue;
            }
            match self.attributes.diff(path) {
                DiffAttribute::Unset => return Ok(binary),
                DiffAttribute::Set => text_forced[side] = true,
                DiffAttribute::Unspecified | DiffAttribute::Driver(_) => {}
            }
        }
        let mut contents = Vec::new();
        for (_, entry) in sides {
            match self.content(entry) {
                Ok(content) => contents.push(content),
                Err(SourceError::Aborted) => return Err(SourceError::Aborted),
                // The rest of the result stands without this file's counts.
                Err(_) => return Ok(Lines::default()),
            }
        }
        if contents
            .iter()
            .zip(text_forced)
            .any(|(content, text)| !text && is_binary(content))
        {
            return Ok(binary);
        }
        match self.source.count_lines(&contents[0], &contents[1]) {
            Ok(counts) => Ok(Lines {
                additions: Some(counts.additions),
                deletions: Some(counts.deletions),
                binary: false,
            }),
            Err(SourceError::Aborted) => Err(SourceError::Aborted),
            Err(_) => Ok(Lines::default()),
        }
    }

    fn content(&self, entry: Option<Entry>) -> Result<std::rc::Rc<[u8]>, SourceError> {
        match entry {
            None => Ok(Vec::new().into()),
            Some(Entry {
                mode: FileMode::GITLINK,
                oid,
            }) => Ok(format!("Subproject commit {oid}\n").into_bytes().into()),
            Some(entry) => self.source.read_blob(entry.oid),
        }
    }
}

fn change_kind(old: Option<Entry>, new: Option<Entry>) -> ChangeKind {
    let is_submodule = |entry: Option<Entry>| entry.is_some_and(|entry| entry.mode == FileMode::GITLINK);
    match (old, new) {
        (Some(one), Some(two)) if !one.mode.same_type(two.mode) => ChangeKind::Typechange,
        _ if is_submodule(old) || is_submodule(new) => ChangeKind::Submodule,
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    }
}
