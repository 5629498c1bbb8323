//! What libgit2's own diff drivers take for a function line. They are asked in a repository that exists in memory
//! only: neither the user's repository nor any configuration is looked at, and nothing is written.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use git2::{Config, DiffOptions, Index, IndexEntry, IndexTime, Odb, Patch, Repository};

/// The drivers that libgit2 ships, git has too, and both understand alike.
const SHIPPED: [&str; 8] = ["ada", "bibtex", "cpp", "fortran", "objc", "pascal", "perl", "tex"];

/// libgit2 looks at a line without the blanks at its end, git with them. It matters to these; to others, whose
/// patterns ask for the end of a line, a byte behind the blanks would do harm.
const MINDS_BLANKS: [&str; 3] = ["ada", "fortran", "objc"];

/// Keeps blanks from being at the end of a line.
const KEEPS_BLANKS: u8 = 2;

/// Lines that are in no text, one to leave and one to come in its place: each opens a hunk of its own.
const LEAVES: &[u8] = b"\x01-\n";
const COMES: &[u8] = b"\x01+\n";

/// Longer texts are cut, and a character that the cut goes through is left out.
const LONGEST: usize = 80;
const MAY_BE_CUT: usize = 4;

/// Asks the drivers, and keeps what asking takes.
#[derive(Default)]
pub struct FunctionLines {
    repositories: RefCell<HashMap<String, Option<Repository>>>,
}

impl FunctionLines {
    /// For each line number (from 0, rising) the function line that stands closest before that line.
    pub fn before(&self, driver: &str, text: &[u8], before: &[usize]) -> Option<Vec<Option<Vec<u8>>>> {
        if !SHIPPED.contains(&driver) {
            return None;
        }
        let mut repositories = self.repositories.borrow_mut();
        let repository = repositories
            .entry(driver.to_owned())
            .or_insert_with(|| repository(driver).ok())
            .as_ref()?;
        let asked: Vec<usize> = before.iter().copied().filter(|&line| line > 0).collect();
        let mut found = asks(repository, text, &asked, MINDS_BLANKS.contains(&driver))
            .ok()?
            .into_iter();
        if found.len() != asked.len() {
            return None;
        }
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let answer = |&line: &usize| {
            let answer = if line > 0 { found.next().flatten() } else { None };
            Some(untrimmed(answer?, &lines[..line.min(lines.len())]))
        };
        Some(before.iter().map(answer).collect())
    }
}

/// A repository in memory whose index says that every file is of this driver.
fn repository(driver: &str) -> Result<Repository, git2::Error> {
    let odb = Odb::new()?;
    odb.add_new_mempack_backend(1)?;
    let repository = Repository::from_odb(odb)?;
    repository.set_config(&Config::new()?)?;
    let mut index = Index::new()?;
    let rules = repository.blob(format!("* diff={driver}\n").as_bytes())?;
    let none = IndexTime::new(0, 0);
    index.add(&IndexEntry {
        ctime: none,
        mtime: none,
        dev: 0,
        ino: 0,
        mode: 0o100644,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: rules,
        flags: 0,
        flags_extended: 0,
        path: b".gitattributes".to_vec(),
    })?;
    repository.set_index(&mut index)?;
    Ok(repository)
}

/// Has libgit2 write hunk headers, with a hunk at each line asked about.
fn asks(
    repository: &Repository,
    text: &[u8],
    before: &[usize],
    minds_blanks: bool,
) -> Result<Vec<Option<Vec<u8>>>, git2::Error> {
    let Some(&last) = before.last() else {
        return Ok(Vec::new());
    };
    let (mut old, mut new) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut wanted = before.iter().copied().peekable();
    let lines = text.split_inclusive(|&byte| byte == b'\n').take(last);
    for (number, line) in lines.chain([&b""[..]]).enumerate() {
        if wanted.next_if_eq(&number).is_some() {
            for (side, marker) in [(&mut old, LEAVES), (&mut new, COMES)] {
                if side.last().is_some_and(|&byte| byte != b'\n') {
                    side.push(b'\n');
                }
                side.extend_from_slice(marker);
            }
        }
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        for side in [&mut old, &mut new] {
            side.extend_from_slice(content);
            if minds_blanks && content.last().is_some_and(|byte| b" \t".contains(byte)) {
                side.push(KEEPS_BLANKS);
            }
            if line.len() > content.len() {
                side.push(b'\n');
            }
        }
    }
    let (old, new) = (
        repository.find_blob(repository.blob(&old)?)?,
        repository.find_blob(repository.blob(&new)?)?,
    );
    let mut options = DiffOptions::new();
    options
        .context_lines(0)
        .interhunk_lines(0)
        .force_text(true)
        .max_size(-1);
    let path = Some(Path::new("file"));
    let patch = Patch::from_blobs(&old, path, &new, path, Some(&mut options))?;
    let mut found = Vec::with_capacity(before.len());
    for number in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(number)?;
        found.push(function_text(hunk.header()));
    }
    Ok(found)
}

/// libgit2 cuts and trims a text in its own way. Where it goes to the end of its line, this gives it as the line has it.
fn untrimmed(text: Vec<u8>, lines: &[&[u8]]) -> Vec<u8> {
    let starts_so = |line: &&&[u8]| line.trim_ascii_start().starts_with(&text);
    let Some(line) = lines.iter().rev().find(starts_so).map(|line| line.trim_ascii_start()) else {
        return text;
    };
    let was_cut = text.len() + MAY_BE_CUT > LONGEST;
    if was_cut || line[text.len()..].trim_ascii().is_empty() {
        line.to_vec()
    } else {
        text
    }
}

/// The text behind the numbers of a hunk header.
fn function_text(header: &[u8]) -> Option<Vec<u8>> {
    let numbers = header.windows(4).position(|four| four == b" @@ ")?;
    let text = header[numbers + 4..].trim_ascii_end();
    Some(text.strip_suffix(&[KEEPS_BLANKS]).unwrap_or(text).to_vec())
}

#[cfg(test)]
mod tests {
    use super::FunctionLines;

    #[test]
    fn drivers_work_in_a_repository_that_is_nowhere() {
        let perl = "package A;\n  $x = 1;\nsub f {\n    y\n\n  put(1)\n";
        let found = FunctionLines::default()
            .before("perl", perl.as_bytes(), &[0, 1, 2, 3, 5, 6])
            .unwrap();
        let found: Vec<Option<&str>> = found
            .iter()
            .map(|text| std::str::from_utf8(text.as_deref()?).ok())
            .collect();
        let (class, method) = (Some("package A;"), Some("sub f {"));
        assert_eq!(found, [None, class, class, method, method, method]);
    }

    #[test]
    fn an_unknown_driver_is_none() {
        assert!(FunctionLines::default().before("nonsense", b"a\n", &[1]).is_none());
    }
}
