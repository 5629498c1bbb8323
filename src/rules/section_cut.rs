//! Cutting the text of a patch to a budget so that what is left is a well-formed patch.

use std::ops::Range;

use super::hunks::write_numbers;

/// One section: its header, the lines naming the files, and hunks.
#[derive(Clone, Debug, Default)]
pub struct SectionText {
    /// All of it.
    pub text: Vec<u8>,
    /// Where the extended header ends. It is never cut.
    pub header_end: usize,
    /// Where the hunks begin; the end of the text where there are none.
    pub hunks_start: usize,
    /// Whether anything is missing.
    pub cut: bool,
}

impl SectionText {
    /// Cuts the text down to `budget` bytes: behind the last hunk that fits, or behind the last line of the next one
    /// that does, with the numbers of its header made right. The extended header stays whatever the budget is. The
    /// last hunk may lack lines where the text is cut already.
    pub fn cut_to(&mut self, budget: usize) {
        if self.text.len() <= budget && !self.cut {
            return;
        }
        let mut kept = self.text[..self.hunks_start].to_vec();
        let mut at = self.hunks_start;
        while let Some(hunk) = Hunk::read(&self.text, at) {
            if hunk.complete && kept.len() + (hunk.end - at) <= budget {
                kept.extend_from_slice(&self.text[at..hunk.end]);
                at = hunk.end;
                continue;
            }
            if let Some(part) = hunk.up_to(&self.text, budget.saturating_sub(kept.len())) {
                kept.extend(part);
            }
            break;
        }
        if kept.len() == self.hunks_start {
            // Names without hunks are no patch.
            kept.truncate(self.header_end);
        }
        self.cut |= kept != self.text;
        self.hunks_start = self.hunks_start.min(kept.len());
        self.text = kept;
    }
}

/// A hunk in a text.
struct Hunk {
    start: usize,
    old: Range<usize>,
    new: Range<usize>,
    /// The text behind the numbers.
    function: Range<usize>,
    body: usize,
    end: usize,
    complete: bool,
}

impl Hunk {
    fn read(text: &[u8], at: usize) -> Option<Hunk> {
        let line_end = at + text[at..].iter().position(|&byte| byte == b'\n')?;
        let line = &text[at..line_end];
        let numbers_end = line.windows(3).skip(2).position(|three| three == b" @@")? + 2;
        let numbers = std::str::from_utf8(line.get(3..numbers_end)?).ok()?;
        let (old, new) = numbers.split_once(' ')?;
        let (old, new) = (range(old.strip_prefix('-')?)?, range(new.strip_prefix('+')?)?);
        let body = line_end + 1;
        let (mut old_left, mut new_left) = (old.len(), new.len());
        let mut end = body;
        while old_left + new_left > 0 {
            let Some(line) = LinesOfHunk::next(text, end) else {
                break;
            };
            old_left = old_left.saturating_sub(usize::from(line.sign != b'+'));
            new_left = new_left.saturating_sub(usize::from(line.sign != b'-'));
            end = line.end;
        }
        Some(Hunk {
            start: at,
            old,
            new,
            function: at + numbers_end + 3..line_end,
            body,
            end,
            complete: old_left + new_left == 0,
        })
    }

    /// As much of the hunk as fits, if that holds a change.
    fn up_to(&self, text: &[u8], budget: usize) -> Option<Vec<u8>> {
        let (mut old, mut new) = (0, 0);
        let mut end = self.body;
        let mut changed = false;
        // The numbers of the part are no longer than those of the whole, but for counts of 1 that were left out.
        let header = self.body - self.start + 2 * ",0".len();
        while let Some(line) = LinesOfHunk::next(text, end).filter(|_| end < self.end) {
            if header + (line.end - self.body) > budget {
                break;
            }
            old += usize::from(line.sign != b'+');
            new += usize::from(line.sign != b'-');
            changed |= line.sign != b' ';
            end = line.end;
        }
        if !changed {
            return None;
        }
        let mut part = Vec::new();
        let (old_start, new_start) = (self.old.start, self.new.start);
        write_numbers(&mut part, &(old_start..old_start + old), &(new_start..new_start + new));
        part.extend_from_slice(&text[self.function.clone()]);
        part.push(b'\n');
        part.extend_from_slice(&text[self.body..end]);
        Some(part)
    }
}

struct LinesOfHunk {
    sign: u8,
    end: usize,
}

impl LinesOfHunk {
    /// The line that begins at `at`, with what is said of its missing line feed.
    fn next(text: &[u8], at: usize) -> Option<LinesOfHunk> {
        let after = |start: usize| Some(start + text.get(start..)?.iter().position(|&byte| byte == b'\n')? + 1);
        let mut end = after(at)?;
        if text.get(end) == Some(&b'\\') {
            end = after(end)?;
        }
        Some(LinesOfHunk { sign: text[at], end })
    }
}

/// `12,3` or `12`, as lines counted from 0.
fn range(text: &str) -> Option<Range<usize>> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    let start = if count == 0 { start } else { start.checked_sub(1)? };
    Some(start..start + count)
}

/// The size to cut everything down to, so that all together is at most `total`; small ones stay whole.
pub fn fair_share(sizes: impl Iterator<Item = usize>, total: usize) -> usize {
    let mut sizes: Vec<usize> = sizes.collect();
    sizes.sort_unstable();
    let mut left = total;
    for (at, &size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at);
        if size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "diff --git a/x b/x\nindex 1..2 100644\n";
    const NAMES: &str = "--- a/x\n+++ b/x\n";

    fn section(hunks: &str, cut: bool) -> SectionText {
        SectionText {
            text: format!("{HEADER}{NAMES}{hunks}").into_bytes(),
            header_end: HEADER.len(),
            hunks_start: HEADER.len() + NAMES.len(),
            cut,
        }
    }

    fn cut(hunks: &str, budget: usize) -> (String, bool) {
        let mut section = section(hunks, false);
        section.cut_to(budget);
        (String::from_utf8(section.text).unwrap(), section.cut)
    }

    #[test]
    fn whole_hunks_first_then_lines() {
        let one = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n";
        let two = "@@ -10,0 +10,3 @@ f @@ g\n+1\n+2\n+3\n";
        let all = format!("{HEADER}{NAMES}{one}{two}");
        let hunks = format!("{one}{two}");
        assert_eq!(cut(&hunks, all.len()), (all.clone(), false));
        let room = HEADER.len() + NAMES.len() + one.len();
        assert_eq!(cut(&hunks, room + 30), (format!("{HEADER}{NAMES}{one}"), true));
        let wide = room + 60;
        let long = format!("{one}@@ -10,0 +10,90 @@ f @@ g\n{}", "+1\n".repeat(90));
        let (text, was_cut) = cut(&long, wide);
        assert!(was_cut && text.len() <= wide);
        let lines = text.matches("+1\n").count();
        assert!(
            text.contains(&format!("@@ -10,0 +10,{lines} @@ f @@ g\n")) && lines > 1,
            "{text}"
        );
    }

    #[test]
    fn without_room_the_header_is_left() {
        assert_eq!(cut("@@ -1 +1 @@\n-a\n+b\n", 10), (HEADER.to_owned(), true));
        let mut twice = section("@@ -1 +1 @@\n-a\n+b\n", false);
        twice.cut_to(10);
        twice.cut_to(5);
        assert_eq!(twice.text, HEADER.as_bytes());
    }

    #[test]
    fn what_loses_nothing_is_not_cut() {
        let mut section = SectionText {
            text: HEADER.into(),
            header_end: HEADER.len(),
            hunks_start: HEADER.len(),
            cut: false,
        };
        section.cut_to(1);
        assert_eq!((section.text, section.cut), (HEADER.into(), false));
    }

    #[test]
    fn a_hunk_that_lacks_lines_is_made_right() {
        let mut section = section("@@ -1,9 +1,9 @@\n a\n-b\n+c\n d\n", true);
        section.cut_to(10_000);
        assert_eq!(
            String::from_utf8(section.text).unwrap(),
            format!("{HEADER}{NAMES}@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n")
        );
    }

    #[test]
    fn the_small_ones_stay_whole() {
        assert_eq!(fair_share([5, 1000, 7].into_iter(), 100), 88);
        assert_eq!(fair_share([5, 50, 7].into_iter(), 100), usize::MAX);
        assert_eq!(fair_share([50, 50, 50].into_iter(), 30), 10);
        assert_eq!(fair_share([].into_iter(), 30), usize::MAX);
    }
}
