//! From changed lines to the hunks of a patch.

use std::ops::Range;

use crate::model::LineChange;

/// A text taken apart into lines, each with its line feed.
pub struct Lines<'a> {
    text: &'a [u8],
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Takes a text apart.
    pub fn of(text: &'a [u8]) -> Lines<'a> {
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', text).map(|at| at + 1).collect();
        if ends.last().copied().unwrap_or(0) < text.len() {
            ends.push(text.len());
        }
        Lines { text, ends }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// One of them.
    pub fn get(&self, line: usize) -> &'a [u8] {
        let start = if line == 0 { 0 } else { self.ends[line - 1] };
        &self.text[start..self.ends[line]]
    }
}

/// A run of changes close enough to share their context. Line numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old text.
    pub old: Range<usize>,
    /// Lines of the new text.
    pub new: Range<usize>,
    /// Which of the changes.
    pub changes: Range<usize>,
}

/// Groups changes into hunks with so many lines of context around each.
pub fn hunks(changes: &[LineChange], context: usize, old_lines: usize, new_lines: usize) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut first = 0;
    for next in 1..=changes.len() {
        let last = &changes[next - 1];
        let old_end = last.old_start + last.old_count;
        if changes
            .get(next)
            .is_some_and(|change| change.old_start - old_end <= context.saturating_mul(2))
        {
            continue;
        }
        let new_end = last.new_start + last.new_count;
        let (old_start, new_start) = (changes[first].old_start, changes[first].new_start);
        let before = context.min(old_start).min(new_start);
        let after = context.min(old_lines - old_end).min(new_lines - new_end);
        hunks.push(Hunk {
            old: old_start - before..old_end + after,
            new: new_start - before..new_end + after,
            changes: first..next,
        });
        first = next;
    }
    hunks
}

/// The two texts as git compares them where no context is asked for: equal blocks at their ends are left out, but for
/// the rest of the line that the first of them begins in. It decides where a change is placed that could stand in
/// several places.
pub fn without_equal_ends<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    const BLOCK: usize = 1024;
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let equal = BLOCK * blocks.take_while(|(one, two)| one == two).count();
    let left_out = &old[old.len() - equal..];
    let kept = left_out
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(equal, |at| at + 1);
    let less = equal - kept;
    (&old[..old.len() - less], &new[..new.len() - less])
}

/// What a patch says of a last line that has no line feed.
const NO_LINE_FEED: &[u8] = b"\\ No newline at end of file\n";

/// Writes hunks, each with the text behind the numbers of its header, until more than `limit` bytes are written: then
/// the last hunk may lack lines. Returns whether all is written.
pub fn write_hunks(
    out: &mut Vec<u8>,
    texts: (&Lines<'_>, &Lines<'_>),
    changes: &[LineChange],
    hunks: &[Hunk],
    functions: &[Option<Vec<u8>>],
    limit: usize,
) -> bool {
    let (old, new) = texts;
    for (number, hunk) in hunks.iter().enumerate() {
        write_numbers(out, &hunk.old, &hunk.new);
        if let Some(Some(function)) = functions.get(number) {
            out.push(b' ');
            out.extend_from_slice(function);
        }
        out.push(b'\n');
        let mut context = hunk.new.start;
        for change in &changes[hunk.changes.clone()] {
            let parts = [
                (b' ', new, context..change.new_start),
                (b'-', old, change.old_start..change.old_start + change.old_count),
                (b'+', new, change.new_start..change.new_start + change.new_count),
            ];
            for (sign, lines, range) in parts {
                if !write_lines(out, sign, lines, range, limit) {
                    return false;
                }
            }
            context = change.new_start + change.new_count;
        }
        if !write_lines(out, b' ', new, context..hunk.new.end, limit) {
            return false;
        }
    }
    true
}

fn write_lines(out: &mut Vec<u8>, sign: u8, lines: &Lines<'_>, range: Range<usize>, limit: usize) -> bool {
    for number in range {
        if out.len() > limit {
            return false;
        }
        let line = lines.get(number);
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.push(b'\n');
            out.extend_from_slice(NO_LINE_FEED);
        }
    }
    true
}

/// `@@ -1,2 +3 @@` without a line feed. A count of 1 is left out; where there are no lines, the number is that of
/// the line before.
pub(super) fn write_numbers(out: &mut Vec<u8>, old: &Range<usize>, new: &Range<usize>) {
    let side = |range: &Range<usize>| {
        let start = if range.is_empty() { range.start } else { range.start + 1 };
        match range.len() {
            1 => start.to_string(),
            count => format!("{start},{count}"),
        }
    };
    out.extend(format!("@@ -{} +{} @@", side(old), side(new)).into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: [LineChange; 2] = [
        LineChange {
            old_start: 1,
            old_count: 1,
            new_start: 1,
            new_count: 0,
        },
        LineChange {
            old_start: 4,
            old_count: 0,
            new_start: 3,
            new_count: 1,
        },
    ];

    fn written(context: usize, limit: usize) -> (String, bool) {
        let (old, new) = (Lines::of(b"1\n2\n3\n4\n5"), Lines::of(b"1\n3\n4\nx\n5"));
        let hunks = hunks(&CHANGES, context, old.count(), new.count());
        let mut out = Vec::new();
        let functions = [None, Some(b"f()".to_vec())];
        let complete = write_hunks(&mut out, (&old, &new), &CHANGES, &hunks, &functions, limit);
        (String::from_utf8(out).unwrap(), complete)
    }

    #[test]
    fn context_joins_changes_that_are_close() {
        let joined = "@@ -1,5 +1,5 @@\n 1\n-2\n 3\n 4\n+x\n 5\n\\ No newline at end of file\n";
        assert_eq!(written(1, 1000), (joined.to_owned(), true));
        assert_eq!(written(usize::MAX, 1000), (joined.to_owned(), true));
        assert_eq!(
            written(0, 1000),
            ("@@ -2 +1,0 @@\n-2\n@@ -4,0 +4 @@ f()\n+x\n".to_owned(), true)
        );
    }

    #[test]
    fn equal_ends_are_left_out_by_blocks() {
        let end = "123456789\n".repeat(110);
        for (old, new, left) in [(&end[..], &format!("x\n{end}")[..], 80), (&end[80..], &end[70..], 1020)] {
            let (one, two) = without_equal_ends(old.as_bytes(), new.as_bytes());
            assert_eq!((one.len(), two.len()), (left, left + new.len() - old.len()));
        }
        assert_eq!(without_equal_ends(&[b'x'; 3000], &[b'x'; 3000]).0.len(), 3000);
    }

    #[test]
    fn writing_stops_soon_after_the_limit() {
        assert_eq!(written(1, 16), ("@@ -1,5 +1,5 @@\n 1\n".to_owned(), false));
    }
}
