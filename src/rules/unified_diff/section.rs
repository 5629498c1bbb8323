//! One section: its headers and what stands below them.

use std::ops::Range;

use super::hunk::{Counts, Reading, is_hunk, read_binary_patch, read_hunk};
use super::lines::Lines;
use super::names::{self, Pair};
use crate::model::{FileMode, RepoPath};

/// What a section says of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Where it stands in the text.
    pub range: Range<usize>,
    /// The new name, or the old one of a deleted file.
    pub path: RepoPath,
    /// The old name, where it is another.
    pub previous_path: Option<RepoPath>,
    /// Whether there is no old state.
    pub is_added: bool,
    /// Whether there is no new state.
    pub is_deleted: bool,
    /// Whether the old name stays.
    pub is_copied: bool,
    /// The old mode, where it is told.
    pub old_mode: Option<FileMode>,
    /// The new mode, where it is told.
    pub new_mode: Option<FileMode>,
    /// Lines by their origin.
    pub counts: Counts,
    /// Whether the contents are not told as lines.
    pub is_binary: bool,
}

/// What was found at a line.
pub enum Found {
    /// A section, if its names could be read; and whether all of it was understood.
    Section(Option<Section>, bool),
    /// The start of a section without its names: nothing else can start so, and nothing was read.
    Command,
    /// Part of a section that is not there.
    Stray,
    /// None of that: text around the sections.
    Prose,
}

/// Reads what starts at the line. With `is_lost`, the lines may be the content of a hunk whose lengths were wrong, so
/// that only what cannot be content counts.
pub fn read(lines: &mut Lines, is_lost: bool) -> Found {
    let Some(line) = lines.header() else {
        return Found::Prose;
    };
    if let Some(names) = line.strip_prefix(b"diff --git ") {
        return read_git(lines, Title::Git(names));
    }
    let merge = line
        .strip_prefix(b"diff --cc ")
        .or_else(|| line.strip_prefix(b"diff --combined "));
    if let Some(name) = merge {
        return read_git(lines, Title::Merge(name));
    }
    let start = lines.position();
    let mut ahead = *lines;
    let is_command = line.starts_with(b"diff -") || line.starts_with(b"Index: ");
    if is_command {
        ahead.advance();
        if ahead.header().is_some_and(is_rule) {
            ahead.advance();
        }
    }
    if (is_command || !is_lost) && ahead.after(b"--- ").is_some() {
        let found = read_plain(&mut ahead, start);
        if !matches!(found, Found::Prose) {
            *lines = ahead;
            return found;
        }
    }
    if is_command {
        Found::Command
    } else if is_hunk(lines) {
        Found::Stray
    } else {
        Found::Prose
    }
}

/// Whether the line that starts at `start` would begin a section or a hunk but for the colours of a terminal. Such a
/// patch is not read.
pub fn is_coloured(text: &[u8], start: usize) -> bool {
    let mut rest = &text[start..];
    while let Some(sequence) = rest.strip_prefix(b"\x1b[") {
        let parameters = sequence
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || b";:".contains(byte))
            .count();
        // Colours, and the erasing of a line, as in what `grep` prints.
        match sequence.get(parameters) {
            Some(b'm' | b'K') => rest = &sequence[parameters + 1..],
            _ => return false,
        }
    }
    let place = text.len() - rest.len();
    let is_title = |title: &&[u8]| rest.starts_with(title);
    let titles = [&b"diff --git "[..], b"diff --cc ", b"diff --combined "];
    place > start && (titles.iter().any(is_title) || is_hunk(&Lines::new(text, place)))
}

/// The line that Subversion puts below `Index:`.
fn is_rule(line: &[u8]) -> bool {
    !line.is_empty() && line.iter().all(|&byte| byte == b'=')
}

/// What the first line of a section that git wrote says.
enum Title<'a> {
    /// Two names in one line.
    Git(&'a [u8]),
    /// The one name of a merge.
    Merge(&'a [u8]),
}

/// The lines between `diff --git` and the content.
#[derive(Default)]
struct Headers<'a> {
    any: bool,
    is_added: bool,
    is_deleted: bool,
    is_copied: bool,
    old_mode: Option<FileMode>,
    new_mode: Option<FileMode>,
    from: Option<&'a [u8]>,
    to: Option<&'a [u8]>,
}

impl<'a> Headers<'a> {
    fn read(lines: &mut Lines<'a>) -> Headers<'a> {
        let mut headers = Headers::default();
        while lines.header().is_some_and(|line| headers.take(line).is_some()) {
            headers.any = true;
            lines.advance();
        }
        headers
    }

    /// Takes a line; `None` where it is no header.
    fn take(&mut self, line: &'a [u8]) -> Option<()> {
        const WORDS: [&[u8]; 13] = [
            b"index ",
            b"old mode ",
            b"new mode ",
            b"mode ",
            b"new file mode ",
            b"deleted file mode ",
            b"similarity index ",
            b"dissimilarity index ",
            b"rename from ",
            b"rename to ",
            b"copy from ",
            b"copy to ",
            // What `--remerge-diff` tells of a conflict.
            b"remerge ",
        ];
        let (word, value) = WORDS.iter().find_map(|word| Some((*word, line.strip_prefix(*word)?)))?;
        match word {
            b"index " => {
                let (ids, modes) = split_at_byte(value, b' ').unwrap_or((value, b""));
                let (old, new) = split_at_dots(ids)?;
                let are_ids =
                    |ids: &[u8]| !ids.is_empty() && ids.iter().all(|&byte| byte.is_ascii_hexdigit() || byte == b',');
                if !are_ids(old) || !are_ids(new) {
                    return None;
                }
                if !modes.is_empty() {
                    let mode = mode(modes)?;
                    (self.old_mode, self.new_mode) = (Some(mode), Some(mode));
                }
            }
            b"old mode " => self.old_mode = Some(mode(value)?),
            b"new mode " => self.new_mode = Some(mode(value)?),
            b"mode " => {
                let (old, new) = split_at_dots(value)?;
                self.new_mode = Some(mode(new)?);
                // A parent may lack the file.
                self.is_added = first(old) == b"000000";
                if !self.is_added {
                    self.old_mode = Some(mode(first(old))?);
                }
            }
            b"new file mode " => (self.is_added, self.new_mode) = (true, Some(mode(value)?)),
            b"deleted file mode " => (self.is_deleted, self.old_mode) = (true, mode(first(value))),
            b"rename from " | b"copy from " => self.from = Some(value),
            b"rename to " | b"copy to " => self.to = Some(value),
            _ => {}
        }
        self.is_copied |= word.starts_with(b"copy ");
        Some(())
    }

    /// Whether no line stands without the one that git writes with it.
    fn are_whole(&self, has_one_side: bool) -> bool {
        self.from.is_some() == self.to.is_some() && (has_one_side || self.old_mode.is_some() == self.new_mode.is_some())
    }
}

fn split_at_byte(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&other| other == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

fn split_at_dots(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (left, right) = split_at_byte(text, b'.')?;
    Some((left, right.strip_prefix(b".")?))
}

/// The first of what a merge tells of each parent.
fn first(values: &[u8]) -> &[u8] {
    split_at_byte(values, b',').map_or(values, |(first, _)| first)
}

fn mode(text: &[u8]) -> Option<FileMode> {
    let digits = <&[u8; 6]>::try_from(text).ok()?;
    let mode = digits
        .iter()
        .try_fold(0, |mode, &digit| Some(mode * 8 + (digit as char).to_digit(8)?))?;
    (mode != 0).then(|| FileMode::canonical(mode))
}

fn read_git(lines: &mut Lines, title: Title) -> Found {
    let start = lines.position();
    let is_title_whole = lines.is_terminated();
    lines.advance();
    let mut headers = Headers::read(lines);
    let content_start = lines.position();
    let is_merge = matches!(title, Title::Merge(_));
    let tells_mode = headers.old_mode.or(headers.new_mode).is_some();
    let content = Content::read(lines, is_merge, is_merge && tells_mode);
    let is_empty = !headers.any && !content.has_hunk && !content.is_binary && !content.is_cut;
    let is_added = headers.is_added || content.old == SideName::NoFile;
    let is_deleted = headers.is_deleted || content.new == SideName::NoFile;
    if is_merge && !tells_mode && is_gitlink(lines.since(content_start)) {
        headers.old_mode = Some(FileMode::GITLINK).filter(|_| !is_added);
        headers.new_mode = Some(FileMode::GITLINK).filter(|_| !is_deleted);
    }
    let is_whole = content.is_whole
        && headers.are_whole(is_added || is_deleted)
        && !(is_empty && lines.line().is_none())
        && !ends_within_header(lines);
    let names = match title {
        Title::Merge(name) => names::whole(name).map(|name| (name.clone(), name)),
        Title::Git(both) => match (headers.from, headers.to) {
            // A name that the end of the text cuts is not the one that the first line ends with.
            (Some(_), Some(to)) if lines.line().is_none() && !both.ends_with(to.strip_prefix(b"\"").unwrap_or(to)) => {
                None
            }
            (Some(from), Some(to)) => names::whole(from).zip(names::whole(to)),
            (None, None) => names::of_git_section(both, content.old.known(), content.new.known()),
            _ => None,
        },
    };
    // Two names that differ take a header that says why, or `---` and `+++`.
    let names = names.filter(|(old, new)| is_title_whole && (old == new || !is_empty));
    if names.is_none() && is_empty && lines.line().is_some() {
        return Found::Command;
    }
    let range = start..lines.position();
    (headers.is_added, headers.is_deleted) = (is_added, is_deleted);
    let section = names.map(|names| section(range, names, &headers, &content));
    let is_whole = is_whole && section.is_some();
    Found::Section(section, is_whole)
}

fn section(range: Range<usize>, (old, new): Pair, headers: &Headers, content: &Content) -> Section {
    let &Headers {
        is_added, is_deleted, ..
    } = headers;
    let is_moved = old != new && !is_added && !is_deleted;
    Section {
        range,
        path: RepoPath::from(if is_deleted { &old } else { &new }),
        previous_path: is_moved.then(|| RepoPath::from(&old)),
        is_added,
        is_deleted,
        is_copied: headers.is_copied,
        old_mode: headers.old_mode.filter(|_| !is_added),
        new_mode: headers.new_mode.filter(|_| !is_deleted),
        counts: content.counts,
        is_binary: content.is_binary,
    }
}

/// Reads a section that starts with `---`, as others than git write it. Without a hunk it is none: `---` and `+++`
/// stand in prose too.
fn read_plain(lines: &mut Lines, start: usize) -> Found {
    let content = Content::read_hunks(lines, false, false);
    if !content.has_hunk {
        return if content.is_cut { Found::Stray } else { Found::Prose };
    }
    let headers = Headers {
        is_added: content.old == SideName::NoFile || content.is_old_epoch,
        is_deleted: content.new == SideName::NoFile || content.is_new_epoch,
        ..Headers::default()
    };
    let names = names::of_plain_section(content.old.known(), content.new.known());
    let section = names.map(|names| section(start..lines.position(), names, &headers, &content));
    let is_whole = content.is_whole && section.is_some() && !ends_within_header(lines);
    Found::Section(section, is_whole)
}

/// What stands below the headers.
#[derive(Debug, Default)]
struct Content {
    /// Whether all of it was understood.
    is_whole: bool,
    /// Whether `---` stands there, and the text ends before a hunk.
    is_cut: bool,
    is_binary: bool,
    has_hunk: bool,
    old: SideName,
    new: SideName,
    /// Whether the time beside a name stands for "no file".
    is_old_epoch: bool,
    is_new_epoch: bool,
    counts: Counts,
}

/// What a `---` or `+++` line gave.
#[derive(Debug, Default, PartialEq, Eq)]
enum SideName {
    #[default]
    NotTold,
    NoFile,
    Known(Vec<u8>),
}

impl SideName {
    fn known(&self) -> Option<&[u8]> {
        match self {
            SideName::Known(name) => Some(name),
            _ => None,
        }
    }
}

impl Content {
    fn read(lines: &mut Lines, is_merge: bool, may_lack_hunks: bool) -> Content {
        let mut content = Content {
            is_whole: true,
            ..Content::default()
        };
        let Some(line) = lines.header() else {
            return content;
        };
        let is_note = line.starts_with(b"Binary files ") && (line.ends_with(b" differ") || !lines.is_terminated());
        if line == b"GIT binary patch" {
            lines.advance();
            content.is_binary = true;
            content.is_whole = read_binary_patch(lines) == Reading::Whole;
        } else if is_note || line == b"Binary files differ" {
            lines.advance();
            content.is_binary = true;
            content.is_whole = line.ends_with(b"differ");
        } else if line.starts_with(b"--- ") {
            return Content::read_hunks(lines, is_merge, may_lack_hunks);
        }
        content
    }

    /// `---` with the old name (in a merge perhaps several), `+++` with the new one, hunks (in a merge perhaps none).
    /// Where that is not so nothing is read.
    fn read_hunks(lines: &mut Lines, is_merge: bool, may_lack_hunks: bool) -> Content {
        let mut ahead = *lines;
        let old = ahead.after(b"--- ").and_then(names::side);
        ahead.advance();
        while is_merge && ahead.after(b"--- ").is_some() {
            ahead.advance();
        }
        let new = ahead.after(b"+++ ").and_then(names::side);
        if new.is_some() {
            ahead.advance();
        }
        let (Some(old), Some(new), true) = (old, new, may_lack_hunks || is_hunk(&ahead)) else {
            return Content {
                is_cut: ahead.line().is_none() || ends_within_header(&ahead),
                ..Content::default()
            };
        };
        *lines = ahead;
        let mut content = Content {
            has_hunk: true,
            is_old_epoch: old.is_epoch,
            is_new_epoch: new.is_epoch,
            old: old.name.map_or(SideName::NoFile, SideName::Known),
            new: new.name.map_or(SideName::NoFile, SideName::Known),
            ..Content::default()
        };
        let mut reading = Reading::Whole;
        while reading == Reading::Whole {
            reading = read_hunk(lines, &mut content.counts);
        }
        content.is_whole = reading == Reading::Absent && !is_content(lines);
        content
    }
}

/// Whether the line after a hunk looks as if the hunk were longer than it says. `--` starts the next section, or
/// what a mail ends with.
fn is_content(lines: &Lines) -> bool {
    lines.line().is_some_and(|line| match line {
        [b' ' | b'+', ..] => true,
        [b'-', rest @ ..] => !rest.starts_with(b"-"),
        _ => false,
    })
}

/// Whether the text ends within a line that would go on with the section.
fn ends_within_header(lines: &Lines) -> bool {
    const WORDS: [&[u8]; 17] = [
        b"@@ ",
        b"diff --",
        b"index ",
        b"old mode ",
        b"new mode ",
        b"new file mode ",
        b"deleted file mode ",
        b"similarity index ",
        b"dissimilarity index ",
        b"rename from ",
        b"rename to ",
        b"copy from ",
        b"copy to ",
        b"--- ",
        b"+++ ",
        b"Binary files ",
        b"GIT binary patch",
    ];
    !lines.is_terminated()
        && lines.line().is_some_and(|line| {
            WORDS
                .iter()
                .any(|word| line.starts_with(word) || word.starts_with(line))
        })
}

/// Whether the content, below `---` and `+++`, is one commit in place of another: merges do not tell modes that stay.
fn is_gitlink(content: &[u8]) -> bool {
    const MOST_BYTES: usize = 1 << 16;
    let mut lines = content.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let is_header = |line: &&[u8]| line.starts_with(b"--- ") || line.starts_with(b"+++ ") || line.starts_with(b"@@");
    let is_commit = |line: &[u8]| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = line
            .iter()
            .position(|byte| !b"+- ".contains(byte))
            .map_or(&b""[..], |at| &line[at..]);
        let oid = text.strip_prefix(b"Subproject commit ").unwrap_or_default();
        matches!(oid.len(), 40 | 64) && oid.iter().all(u8::is_ascii_hexdigit)
    };
    content.len() <= MOST_BYTES
        && content.windows(2).filter(|two| two == b"\n@").count() == 1
        && lines.by_ref().all(|line| is_header(&line) || is_commit(line))
}
