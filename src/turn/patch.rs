//! The patch: a section for each file, equal to what git prints.

use std::sync::Arc;

use super::attributes_at::attributes_at;
use super::files::{TurnFile, all_files, shown_files};
use super::presentation::sum_demoted;
use super::snapshot::unreadable;
use super::texts::{Sides, Texts};
use crate::model::outcome::{Attribution, ChangeKind, Uncounted};
use crate::model::patch::{DiffFile, DiffOptions, TurnDiff};
use crate::model::{
    Entry, Error, Findings, GitSource, LineChange, LineCounts, Oid, RepoPath, SourceError, Text, TurnRequest,
};
use crate::rules::function_drivers::by_driver;
use crate::rules::function_line::{by_default, function_lines, shown};
use crate::rules::hunks::{Lines, hunks, without_equal_ends, write_hunks};
use crate::rules::patch_header::{Header, Side};
use crate::rules::quoting::Quoting;
use crate::rules::section_cut::{SectionText, fair_share};

/// Makes the patch of what was analysed.
pub fn diff(
    source: &dyn GitSource,
    findings: &Findings,
    options: &DiffOptions,
    request: &TurnRequest,
) -> Result<TurnDiff, Error> {
    let demoted = sum_demoted(source, findings, request)?;
    let written = write(source, findings, options, request.max_files).map_err(|error| unreadable(&error))?;
    Ok(TurnDiff {
        patch: written.patch,
        files: written.files,
        file_count: written.file_count,
        renames_limited: written.renames_limited,
        demoted,
        branch_transition: findings.transition.clone(),
        attribution: Attribution {
            status: findings.status.clone(),
            notes: findings.notes.iter().copied().collect(),
        },
        operation_in_progress: findings.operation,
    })
}

fn write(
    source: &dyn GitSource,
    findings: &Findings,
    options: &DiffOptions,
    most_files: usize,
) -> Result<Written, SourceError> {
    let list = if options.include_git_changes {
        all_files
    } else {
        shown_files
    };
    let mut turn_files = list(source, &findings.delta, &findings.decisions)?;
    if let Some(paths) = &options.paths {
        turn_files.files.retain(|file| paths.contains(&file.path.display()));
    }
    let file_count = turn_files.files.len();
    turn_files.files.truncate(most_files);
    let both_paths = turn_files.files.iter().flat_map(|file| [file.old_path(), &file.path]);
    let attributes = attributes_at(source, findings.to.tree, both_paths)?;
    let writer = Writer {
        texts: Texts { source, attributes },
        options,
    };
    let sides = turn_files.files.iter().map(TurnFile::sides);
    writer.texts.announce(sides, options.ignore_whitespace);
    let mut written = Vec::with_capacity(turn_files.files.len());
    let mut budget = Budget::new(options);
    for file in turn_files.files {
        if let Err(SourceError::Aborted) = source.check_stopped() {
            return Err(SourceError::Aborted);
        }
        let (file, section) = writer.file(file, budget.of_one_file())?;
        budget.add(&section);
        written.push((file, section));
        if budget.is_overdrawn() {
            budget.cut(&mut written);
        }
    }
    budget.settle(&mut written);
    let mut patch = Vec::with_capacity(written.iter().map(|(_, section)| section.size()).sum());
    let files = written.into_iter().map(|(mut file, section)| {
        let start = patch.len();
        for part in &section.parts {
            patch.extend_from_slice(&part.text);
        }
        file.section = (patch.len() > start).then_some(start..patch.len());
        file.truncated = section.parts.iter().any(|part| part.cut);
        file
    });
    let files = files.collect();
    Ok(Written {
        patch,
        files,
        file_count,
        renames_limited: turn_files.renames_limited,
    })
}

/// A patch and what is in it.
struct Written {
    patch: Vec<u8>,
    files: Vec<DiffFile>,
    file_count: usize,
    renames_limited: bool,
}

/// The text about one file: two parts where its type changed.
#[derive(Default)]
struct Section {
    parts: Vec<SectionText>,
}

impl Section {
    fn size(&self) -> usize {
        self.parts.iter().map(|part| part.text.len()).sum()
    }

    fn cut_to(&mut self, budget: usize) {
        let share = fair_share(self.parts.iter().map(|part| part.text.len()), budget);
        for part in &mut self.parts {
            part.cut_to(share);
        }
    }
}

/// The budget of the whole patch. While it is being written up to twice the budget is held, then what is there is cut
/// to its share: with every further file the share only shrinks, so nothing is cut that could have stayed.
struct Budget {
    file: usize,
    total: usize,
    used: usize,
    /// How much may be held before it is cut.
    held: usize,
}

impl Budget {
    fn new(options: &DiffOptions) -> Budget {
        Budget {
            file: options.max_file_bytes,
            total: options.max_bytes,
            used: 0,
            held: options.max_bytes.saturating_mul(2),
        }
    }

    fn of_one_file(&self) -> usize {
        self.file.min(self.total)
    }

    fn add(&mut self, section: &Section) {
        self.used += section.size();
    }

    fn is_overdrawn(&self) -> bool {
        self.used > self.held
    }

    fn cut(&mut self, written: &mut [(DiffFile, Section)]) {
        let share = fair_share(written.iter().map(|(_, section)| section.size()), self.total);
        for (_, section) in written.iter_mut().filter(|(_, section)| section.size() > share) {
            section.cut_to(share);
        }
        self.used = written.iter().map(|(_, section)| section.size()).sum();
        // Headers stay, and may alone be more than the budget.
        self.held = self.total.max(self.used).saturating_mul(2);
    }

    fn settle(&mut self, written: &mut [(DiffFile, Section)]) {
        if self.used > self.total {
            self.cut(written);
        }
    }
}

struct Writer<'a> {
    texts: Texts<'a>,
    options: &'a DiffOptions,
}

/// One `diff --git` of a patch.
struct Part<'a> {
    old_path: &'a RepoPath,
    new_path: &'a RepoPath,
    old: Option<Entry>,
    new: Option<Entry>,
    similarity: Option<u8>,
}

/// What a change comes to.
enum Body {
    Unreadable(Uncounted),
    Binary,
    Text {
        old: Arc<[u8]>,
        new: Arc<[u8]>,
        counts: LineCounts,
        changes: Arc<[LineChange]>,
    },
}

impl Writer<'_> {
    fn file(&self, file: TurnFile, budget: usize) -> Result<(DiffFile, Section), SourceError> {
        let whole = Part {
            old_path: file.old_path(),
            new_path: &file.path,
            old: file.old,
            new: file.new,
            similarity: file.similarity,
        };
        let body = self.body(&whole)?;
        let mut counts = match &body {
            Body::Text { counts, .. } => Some(*counts),
            _ => None,
        };
        let binary = matches!(body, Body::Binary);
        let mut uncounted = match body {
            Body::Unreadable(why) => Some(why),
            _ => None,
        };
        let mut section = Section::default();
        if file.kind == ChangeKind::Typechange {
            let halves = [(file.old, None), (None, file.new)].map(|(old, new)| Part { old, new, ..whole });
            let bodies = [self.body(&halves[0])?, self.body(&halves[1])?];
            let trouble = bodies.iter().find_map(|body| match body {
                Body::Unreadable(why) => Some(*why),
                _ => None,
            });
            if trouble.is_some() {
                // One half alone would say that the file was deleted, or added.
                counts = None;
                uncounted = trouble;
            } else {
                for (half, body) in halves.iter().zip(bodies) {
                    section.parts.extend(self.part(half, body, budget));
                }
                section.cut_to(budget);
            }
        } else {
            section.parts.extend(self.part(&whole, body, budget));
        }
        let file = DiffFile {
            path: file.path,
            previous_path: file.previous_path,
            kind: file.kind,
            additions: counts.map(|counts| counts.additions),
            deletions: counts.map(|counts| counts.deletions),
            binary,
            uncounted,
            old: file.old,
            new: file.new,
            mixed: file.mixed,
            verdict: file.verdict,
            section: None,
            truncated: false,
        };
        Ok((file, section))
    }

    fn body(&self, part: &Part<'_>) -> Result<Body, SourceError> {
        let sides = self.texts.sides(part.old_path, part.new_path, part.old, part.new)?;
        let (old, new) = match sides {
            Sides::Unreadable(why) => return Ok(Body::Unreadable(why)),
            Sides::Binary => return Ok(Body::Binary),
            Sides::Text(old, new) => (old, new),
        };
        match self.changes(&old, &new) {
            Ok((counts, changes)) => Ok(Body::Text {
                old: old.content,
                new: new.content,
                counts,
                changes,
            }),
            Err(SourceError::Aborted) => Err(SourceError::Aborted),
            Err(error) => Ok(Body::Unreadable(Uncounted::from(&error))),
        }
    }

    /// The changed lines, and how many there are. Without context git places them otherwise and may even find others,
    /// but counts as ever.
    fn changes(&self, old: &Text, new: &Text) -> Result<(LineCounts, Arc<[LineChange]>), SourceError> {
        let find = |old: &Text, new: &Text| self.texts.source.line_changes(old, new, self.options.ignore_whitespace);
        let changes = find(old, new)?;
        let counts = LineCounts::of(&changes)?;
        if self.options.context_lines > 0 {
            return Ok((counts, changes));
        }
        let (old_part, new_part) = without_equal_ends(&old.content, &new.content);
        let part = |content: &[u8]| Text {
            oid: None,
            content: content.into(),
        };
        let changes = if old_part.len() < old.content.len() {
            find(&part(old_part), &part(new_part))?
        } else {
            changes
        };
        Ok((counts, changes))
    }

    /// The text of a part; nothing where git prints nothing, and where a content cannot be read.
    fn part(&self, part: &Part<'_>, body: Body, budget: usize) -> Option<SectionText> {
        let side = |entry: Option<Entry>| {
            entry.map(|entry| Side {
                mode: entry.mode,
                id: self.id(entry.oid),
            })
        };
        let (old, new) = (side(part.old), side(part.new));
        let oid = part.old.or(part.new)?.oid;
        let no_id = self.id(Oid::from_bytes(&vec![0; oid.as_bytes().len()])?);
        let header = Header {
            old_path: part.old_path,
            new_path: part.new_path,
            old: old.as_ref(),
            new: new.as_ref(),
            no_id: &no_id,
            same_content: part.old.map(|entry| entry.oid) == part.new.map(|entry| entry.oid),
            similarity: part.similarity,
            quoting: if self.options.unquoted_paths {
                Quoting::Bare
            } else {
                Quoting::Git
            },
        };
        let mut text = header.extended();
        let header_end = text.len();
        let mut cut = false;
        match body {
            Body::Unreadable(_) => return None,
            // An empty file that comes or goes has the content of no file.
            Body::Binary if self.content_of(part.old) == self.content_of(part.new) => {}
            Body::Binary => text.extend(header.binary_note()),
            Body::Text { changes, .. } if changes.is_empty() => {
                let says_something = old.as_ref().map(|side| side.mode) != new.as_ref().map(|side| side.mode)
                    || part.similarity.is_some();
                if !says_something {
                    return None;
                }
            }
            Body::Text { old, new, changes, .. } => {
                text.extend(header.names());
                let hunks_start = text.len();
                let (old_lines, new_lines) = (Lines::of(&old), Lines::of(&new));
                let hunks = hunks(
                    &changes,
                    self.options.context_lines,
                    old_lines.count(),
                    new_lines.count(),
                );
                let before: Vec<usize> = hunks.iter().map(|hunk| hunk.old.start).collect();
                let functions = self.functions(part, &old, &old_lines, &before);
                let texts = (&old_lines, &new_lines);
                cut = !write_hunks(&mut text, texts, &changes, &hunks, &functions, budget);
                let mut section = SectionText {
                    text,
                    header_end,
                    hunks_start,
                    cut,
                };
                section.cut_to(budget);
                return Some(section);
            }
        }
        Some(SectionText {
            header_end: text.len().max(header_end),
            hunks_start: text.len(),
            text,
            cut,
        })
    }

    fn functions(&self, part: &Part<'_>, old: &[u8], lines: &Lines<'_>, before: &[usize]) -> Vec<Option<Vec<u8>>> {
        let Some(driver) = self.texts.driver(part.old_path, part.new_path) else {
            return function_lines(by_default, lines, before);
        };
        if let Some(rule) = by_driver(&driver) {
            return function_lines(rule, lines, before);
        }
        match self.texts.source.function_lines(&driver, old, before) {
            Some(found) => found.into_iter().map(|text| Some(shown(&text?).to_vec())).collect(),
            None => function_lines(by_default, lines, before),
        }
    }

    fn content_of(&self, entry: Option<Entry>) -> Oid {
        entry.map_or_else(|| self.texts.source.store_blob(Vec::new()), |entry| entry.oid)
    }

    fn id(&self, oid: Oid) -> String {
        let mut id = oid.to_string();
        if !self.options.full_index {
            id.truncate(self.texts.source.abbreviated_length(oid));
        }
        id
    }
}
