//! The card: shown files and demoted ones, with their line counts.

use super::attributes_at::attributes_at;
use super::files::{TurnFile, change_kind, shown_files};
use super::snapshot::unreadable;
use super::texts::{Sides, Texts};
use crate::model::outcome::{Demoted, DemotedFile, ShownFile, Uncounted, Verdict};
use crate::model::{DemotedDetail, Entry, Error, Findings, GitSource, LineCounts, RepoPath, SourceError, TurnRequest};

/// What the card holds.
pub struct Card {
    /// The shown files that are named.
    pub shown: Vec<ShownFile>,
    /// How many there are.
    pub shown_file_count: usize,
    /// The sum of the others.
    pub demoted: Demoted,
}

/// The shown files of a turn and the sum of the others.
pub fn present(source: &dyn GitSource, findings: &Findings, request: &TurnRequest) -> Result<Card, Error> {
    let present = || {
        let counting = Counting::new(source, findings, request.demoted, true)?;
        let (shown, shown_file_count) = counting.shown(findings, request.max_files)?;
        let demoted = counting.demoted(findings, request)?;
        Ok(Card {
            shown,
            shown_file_count,
            demoted,
        })
    };
    present().map_err(|error: SourceError| unreadable(&error))
}

/// The sum of the demoted files alone.
pub fn sum_demoted(source: &dyn GitSource, findings: &Findings, request: &TurnRequest) -> Result<Demoted, Error> {
    Counting::new(source, findings, request.demoted, false)
        .and_then(|counting| counting.demoted(findings, request))
        .map_err(|error| unreadable(&error))
}

struct Counting<'a> {
    texts: Texts<'a>,
}

/// Lines of one change; `None` where it is binary or cannot be read.
#[derive(Default)]
struct Lines {
    additions: Option<u32>,
    deletions: Option<u32>,
    binary: bool,
    uncounted: Option<Uncounted>,
}

impl Lines {
    fn uncounted(why: Uncounted) -> Lines {
        Lines {
            uncounted: Some(why),
            ..Lines::default()
        }
    }
}

impl<'a> Counting<'a> {
    fn new(
        source: &'a dyn GitSource,
        findings: &Findings,
        detail: DemotedDetail,
        count_shown: bool,
    ) -> Result<Counting<'a>, SourceError> {
        let counted = findings
            .decisions
            .iter()
            .filter(|(_, decision)| match decision.verdict {
                Verdict::Shown(_) => count_shown,
                Verdict::Demoted(_) => detail == DemotedDetail::Lines,
            });
        let attributes = attributes_at(source, findings.to.tree, counted.map(|(path, _)| path))?;
        let texts = Texts { source, attributes };
        Ok(Counting { texts })
    }

    /// The first so many shown files, and how many there are.
    fn shown(&self, findings: &Findings, most: usize) -> Result<(Vec<ShownFile>, usize), SourceError> {
        let files = shown_files(self.texts.source, &findings.delta, &findings.decisions)?.files;
        let count = files.len();
        let mut shown = Vec::with_capacity(count.min(most));
        let sides = files.iter().take(most).map(TurnFile::sides);
        self.texts.announce(sides, false);
        for file in files.into_iter().take(most) {
            let Verdict::Shown(reason) = file.verdict else { continue };
            let lines = self.lines(file.old_path(), &file.path, file.old, file.new)?;
            shown.push(ShownFile {
                path: file.path,
                previous_path: file.previous_path,
                kind: file.kind,
                additions: lines.additions,
                deletions: lines.deletions,
                binary: lines.binary,
                uncounted: lines.uncounted,
                old: file.old,
                new: file.new,
                mixed: file.mixed,
                reason,
            });
        }
        Ok((shown, count))
    }

    fn demoted(&self, findings: &Findings, request: &TurnRequest) -> Result<Demoted, SourceError> {
        let detail = request.demoted;
        let mut demoted = Demoted::default();
        if detail == DemotedDetail::Lines {
            let moved =
                (findings.decisions.iter()).filter(|(_, decision)| matches!(decision.verdict, Verdict::Demoted(_)));
            let sides = moved.map(|(path, _)| [(path, findings.delta[path].old), (path, findings.delta[path].new)]);
            self.texts.announce(sides, false);
        }
        let mut files = Vec::new();
        let (mut additions, mut deletions) = (0u64, 0u64);
        for (path, decision) in &findings.decisions {
            let Verdict::Demoted(reason) = decision.verdict else {
                continue;
            };
            demoted.file_count += 1;
            if detail == DemotedDetail::Count {
                continue;
            }
            let change = findings.delta[path];
            let lines = match detail {
                DemotedDetail::Lines => self.lines(path, path, change.old, change.new)?,
                _ => Lines::default(),
            };
            additions += u64::from(lines.additions.unwrap_or(0));
            deletions += u64::from(lines.deletions.unwrap_or(0));
            if files.len() >= request.max_files {
                continue;
            }
            let kind = change_kind(change.old, change.new);
            let (additions, deletions) = (lines.additions, lines.deletions);
            files.push(DemotedFile {
                path: path.clone(),
                kind,
                additions,
                deletions,
                uncounted: lines.uncounted,
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

    /// As `git diff --numstat` counts.
    fn lines(
        &self,
        old_path: &RepoPath,
        new_path: &RepoPath,
        old: Option<Entry>,
        new: Option<Entry>,
    ) -> Result<Lines, SourceError> {
        let (old, new) = match self.texts.sides(old_path, new_path, old, new)? {
            Sides::Unreadable(why) => return Ok(Lines::uncounted(why)),
            Sides::Binary => {
                return Ok(Lines {
                    binary: true,
                    ..Lines::default()
                });
            }
            Sides::Text(old, new) => (old, new),
        };
        let counts = self.texts.source.line_changes(&old, &new, false);
        match counts.and_then(|changes| LineCounts::of(&changes)) {
            Ok(counts) => Ok(Lines {
                additions: Some(counts.additions),
                deletions: Some(counts.deletions),
                ..Lines::default()
            }),
            Err(SourceError::Aborted) => Err(SourceError::Aborted),
            Err(error) => Ok(Lines::uncounted(Uncounted::from(&error))),
        }
    }
}
