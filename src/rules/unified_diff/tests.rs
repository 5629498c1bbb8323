//! Whole patches, one of each kind.

use super::*;
use crate::model::FileMode;
use crate::model::outcome::ChangeKind;

/// A line for each file: kind, name, where from, counts, modes, and how many sections.
fn told(text: &[u8]) -> Vec<String> {
    parse(text).files.iter().map(line).collect()
}

fn line(file: &ParsedFile) -> String {
    let kind = match file.kind {
        ParsedKind::Copied => "copied".to_string(),
        ParsedKind::Change(kind) => format!("{kind:?}").to_lowercase(),
    };
    let from = file.previous_path.as_ref().map(|path| format!(" < {}", path.display()));
    let count = |count: Option<u64>| count.map_or("-".to_string(), |count| count.to_string());
    let mode = |mode: Option<FileMode>| mode.map_or("-".to_string(), |mode| mode.to_string());
    let counts = format!("{}/{}", count(file.additions), count(file.deletions));
    let modes = format!("{}>{}", mode(file.old_mode), mode(file.new_mode));
    let sections = file.sections.len();
    let (path, from) = (file.path.display(), from.unwrap_or_default());
    format!("{kind} {path}{from} {counts} {modes} {sections}")
}

#[track_caller]
fn whole(text: &str, expected: &[&str]) {
    assert_eq!(told(text.as_bytes()), expected, "{text}");
    assert!(!parse(text.as_bytes()).truncated, "{text}");
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(told(crlf.as_bytes()), expected, "CRLF: {text}");
    assert!(!parse(crlf.as_bytes()).truncated, "CRLF: {text}");
}

#[track_caller]
fn cut(text: &str, expected: &[&str]) {
    assert_eq!(told(text.as_bytes()), expected, "{text}");
    assert!(parse(text.as_bytes()).truncated, "{text}");
}

const EDIT: &str = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n";
const EDITED: &str = "modified x 2/1 100644>100644 1";

#[test]
fn sections_of_git() {
    whole(EDIT, &[EDITED]);
    whole(
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n",
        &["modified run.sh 0/0 100644>100755 1"],
    );
    whole(
        "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
        &["renamed b < a 0/0 ->- 1"],
    );
    whole(
        "diff --git a/a b/b\nold mode 100644\nnew mode 100755\nsimilarity index 90%\ncopy from a\ncopy to b\n\
         index 1..2\n--- a/a\n+++ b/b\n@@ -0,0 +1 @@\n+x\n",
        &["copied b < a 1/0 100644>100755 1"],
    );
    whole(
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
        &["added e 0/0 ->100644 1"],
    );
    whole(
        "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n",
        &["deleted e 0/0 100644>- 1"],
    );
    whole(
        "diff --git a/b.dat b/b.dat\nindex 1..2 100644\nBinary files a/b.dat and b/b.dat differ\n",
        &["modified b.dat -/- 100644>100644 1"],
    );
    whole(
        "diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\n\
         literal 0\nHcmV?d00001\n\n",
        &["modified b -/- 100644>100644 1"],
    );
}

#[test]
fn submodules_and_changes_of_type() {
    let commit = "0123456789012345678901234567890123456789";
    whole(
        &format!(
            "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit {commit}\n\
             +Subproject commit {commit}\n"
        ),
        &["submodule s 1/1 160000>160000 1"],
    );
    let link = "diff --git a/A b/A\ndeleted file mode 100644\nindex 1..0\n--- a/A\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                diff --git a/A b/A\nnew file mode 120000\nindex 0..2\n--- /dev/null\n+++ b/A\n@@ -0,0 +1 @@\n+t\n\
                \\ No newline at end of file\n";
    whole(link, &["typechange A 1/1 100644>120000 2"]);
    let merge = "diff --cc s\nindex 1,2..3\n--- a/s\n+++ b/s\n@@@ -1,1 -1,1 +1,1 @@@\n";
    let lines = format!("- Subproject commit {commit}\n -Subproject commit {commit}\n++Subproject commit {commit}\n");
    whole(&format!("{merge}{lines}"), &["submodule s 1/2 160000>160000 1"]);
}

#[test]
fn merges() {
    let body = "--- a/f g\n+++ b/f g\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n- b\n -c\n++d\n";
    whole(
        &format!("diff --cc f g\nindex 1,2..3\n{body}"),
        &["modified f g 1/2 ->- 1"],
    );
    whole(
        &format!("diff --combined f g\nindex 1,2..3\nmode 100644,100644..100755\n{body}"),
        &["modified f g 1/2 100644>100755 1"],
    );
    whole(
        "diff --cc f\nindex 1,0..1\nmode 100644,000000..100755\n--- a/f\n+++ b/f\ndiff --cc g\nindex 0,1..1\n\
         mode 000000,160000..160000\n--- a/g\n+++ b/g\n",
        &["modified f 0/0 100644>100755 1", "submodule g 0/0 ->160000 1"],
    );
    whole(
        "diff --cc \"\\303\\244\"\nindex 1,2..0\ndeleted file mode 100644,100755\n--- a/x\n--- a/x\n+++ /dev/null\n\
         @@@ -1,1 -1,1 +0,0 @@@\n--x\n",
        &["deleted ä 0/1 100644>- 1"],
    );
    whole(
        "diff --cc b\nindex 1,2..3\nBinary files differ\n",
        &["modified b -/- ->- 1"],
    );
}

#[test]
fn content_that_looks_like_headers() {
    let sql = "diff --git a/q.sql b/q.sql\nindex 1..2 100644\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n\
               --- old comment\n-++count;\n+-- new comment\n+--count;\n";
    whole(sql, &["modified q.sql 2/2 100644>100644 1"]);
    let embedded: String = sql.lines().map(|line| format!("+{line}\n")).collect();
    let patch = format!("diff --git a/p b/p\nindex 1..2 100644\n--- a/p\n+++ b/p\n@@ -0,0 +1,9 @@\n{embedded}");
    whole(&format!("{patch}{EDIT}"), &["modified p 9/0 100644>100644 1", EDITED]);
    let doc = "--- a/doc\n+++ b/doc\n@@ -1 +1,2 @@\n Binary files a and b differ\n+Binary files a/x and b/x differ\n";
    whole(doc, &["modified doc 1/0 ->- 1"]);
}

#[test]
fn plain_patches() {
    whole(
        "Only in new: y\ndiff -ru old/d/x new/d/x\n--- old/d/x\t2024-01-01 10:00:00.0 +0000\n\
         +++ new/d/x\t2024-01-02 10:00:00.0 +0000\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
        &["modified d/x 1/1 ->- 1"],
    );
    whole(
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        &["added x 1/0 ->- 1", "deleted y 0/1 ->- 1"],
    );
    whole(
        "--- old/x\t1970-01-01 01:00:00.000000000 +0100\n+++ new/x\t2024-01-02 10:00:00.0 +0000\n@@ -0,0 +1 @@\n+a\n",
        &["added x 1/0 ->- 1"],
    );
    whole(
        "Index: d/x\n===================================================================\n--- d/x\t(revision 1)\n\
         +++ d/x\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n",
        &["modified d/x 1/1 ->- 1"],
    );
}

#[test]
fn text_around_the_sections() {
    let mail = format!(
        "From 0123 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\ndiff --git is\n--- quoted\n@@ not a hunk\n---\n x | 2 +-\n\n{EDIT}-- \n2.47.3\n\n"
    );
    whole(&mail, &[EDITED]);
    whole(&format!("\u{feff}{EDIT}"), &[EDITED]);
    whole(&format!("diff --git is a command\n\n```diff\n{EDIT}```"), &[EDITED]);
    whole("", &[]);
    whole("no patch at all", &[]);
    whole(&EDIT[..EDIT.len() - 1], &[EDITED]);
}

#[test]
fn what_is_not_read_is_not_said_to_be_all() {
    let coloured = |line: &str| match line.as_bytes()[0] {
        b' ' => format!("{line}\n"),
        b'@' => format!("\x1b[36m{line}\x1b[m\n"),
        b'+' if !line.starts_with("+++") => format!("\x1b[32m+\x1b[m\x1b[32m{}\x1b[m\n", &line[1..]),
        _ => format!("\x1b[1m{line}\x1b[m\n"),
    };
    let all = |text: &str| text.lines().map(coloured).collect::<String>();
    cut(&all(EDIT), &[]);
    cut(&all("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"), &[]);
    cut(&all("diff --cc x\nindex 1,2..3\n"), &[]);
    cut(&all("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n"), &[]);
    cut(&format!("{EDIT}{}", all(EDIT)), &[EDITED]);
    cut("\x1b[0m\x1b[38;5;1mdiff --git a/x b/x\n", &[]);
    // Not a header, and what a file has in it.
    whole("\x1b[1mcommit 1\x1b[m\n\x1b[2Jdiff --git a/x b/x\n\x1b[", &[]);
    whole(
        "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+\x1b[36m@@ -1 +1 @@\n+\x1b[1mdiff --git a/x b/x\n",
        &["modified x 2/1 ->- 1"],
    );
    for mark in [u16::to_le_bytes, u16::to_be_bytes] {
        let text: Vec<u8> = format!("\u{feff}{EDIT}").encode_utf16().flat_map(mark).collect();
        assert!(parse(&text).truncated);
        assert_eq!(told(&text), [] as [String; 0]);
    }
}

#[test]
fn several_sections_of_a_path_are_one_file() {
    whole(
        &format!("{EDIT}commit 2\n\n{EDIT}"),
        &["modified x 4/2 100644>100644 2"],
    );
    let renamed = "diff --git a/w b/x\nsimilarity index 100%\nrename from w\nrename to x\n";
    whole(&format!("{renamed}{EDIT}"), &["renamed x < w 2/1 ->100644 2"]);
}

#[test]
fn a_cut_tail_leaves_what_was_understood() {
    for text in [
        "diff --git a/y b/y\n",
        "diff --git a/y b/y\nind",
        "diff --git a/y b/y\nindex 1..2 100644\n--",
        "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n",
        "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/",
        "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n",
        "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1,2 +1,",
        "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n x\n",
    ] {
        let modes = if text.contains("100644") {
            "100644>100644"
        } else {
            "->-"
        };
        cut(
            &format!("{EDIT}{text}"),
            &[EDITED, &format!("modified y 0/0 {modes} 1")],
        );
    }
    cut(&format!("{EDIT}diff --git a/yes b/y"), &[EDITED]);
    cut(&format!("{EDIT}diff --git a/y b/y"), &[EDITED]);
    cut(&format!("{EDIT}diff --cc ye"), &[EDITED]);
    cut(
        &format!("{EDIT}diff --git a/a b/yes\nrename from a\nrename to ye"),
        &[EDITED],
    );
    cut(&format!("{EDIT}diff --git a/a b/yes\nrename from a\n"), &[EDITED]);
    cut(
        &format!("{EDIT}diff --git a/y b/y\nold mode 100644\n"),
        &[EDITED, "modified y 0/0 100644>- 1"],
    );
    cut(&format!("{EDIT}--- a/y\n+++ b/y\n"), &[EDITED]);
    cut(&format!("{EDIT}@@ -1,"), &[EDITED]);
}

#[test]
fn wrong_lengths_lose_no_later_section() {
    let broken = "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1,9 +1,9 @@\n+a\n-b\n";
    cut(&format!("{broken}{EDIT}"), &["modified y 1/1 100644>100644 1", EDITED]);
    let spilt = "diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n+more\n\
                 --- sql\n+++ x\n@@ -5 +6 @@\n-a\n+b\n";
    cut(&format!("{spilt}{EDIT}"), &["modified y 1/1 100644>100644 1", EDITED]);
    cut("@@ -1 +1 @@\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n", &[]);
}

#[test]
fn names_that_are_not_utf8_keep_their_bytes() {
    let files = parse(b"diff --git \"a/\\377\" \"b/\\377\"\nold mode 100644\nnew mode 100755\n").files;
    assert_eq!(files[0].path, RepoPath::from(b"\xff"));
    let files = parse(b"diff --git a/\xff b/\xff\nold mode 100644\nnew mode 100755\n").files;
    assert_eq!(files[0].path, RepoPath::from(b"\xff"));
}

#[test]
fn a_filtered_patch_is_made_of_sections_as_they_stand() {
    let renamed = "diff --git a/old b/new\r\nsimilarity index 100%\r\nrename from old\r\nrename to new\r\n";
    let other = "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n";
    let text = format!("From x\n{EDIT}\n{other}{renamed}{EDIT}-- \n2.47\n");
    let keep = |wanted: &[&str]| {
        let part = filter(text.as_bytes(), |path| wanted.contains(&&path.display()[..]));
        let patch: String = part.pieces.iter().map(|piece| &text[piece.clone()]).collect();
        assert_eq!(parse(patch.as_bytes()).files, part.diff.files);
        (patch, part.diff.files.len())
    };
    assert_eq!(keep(&["x"]), (format!("{EDIT}{EDIT}"), 1));
    assert_eq!(keep(&["old", "x"]), (format!("{EDIT}{renamed}{EDIT}"), 2));
    assert_eq!(keep(&["y", "none"]), (other.to_string(), 1));
    assert_eq!(keep(&[]), (String::new(), 0));
}

/// Cut anywhere, it is never worse than cut; changed anywhere, it is never more than wrong.
#[test]
fn nothing_panics() {
    let link = "diff --git \"a/\\303\\244 b\" \"b/\\303\\244 b\"\nnew file mode 120000\n--- /dev/null\n+++ \"b/\\303\\244 b\"\t\n";
    let merge = "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n- b\n -c\n++d\n";
    let text = format!("{EDIT}{link}@@ -0,0 +1 @@\n+x\n{merge}--- a/p\n+++ b/p\n@@ -1 +1 @@\n-a\n+b\n").into_bytes();
    for end in 0..text.len() {
        parse(&text[..end]);
        for byte in [0, b'\n', b'"', b'@', 0xff] {
            let mut changed = text.clone();
            changed[end] = byte;
            let diff = parse(&changed);
            let ranges = diff.files.iter().flat_map(|file| &file.sections);
            assert!(
                ranges
                    .clone()
                    .all(|range| range.start < range.end && range.end <= text.len())
            );
        }
    }
}

#[test]
fn a_large_patch_takes_linear_time() {
    for unit in [
        EDIT,
        "--- a\n",
        "diff --git a/x b/x\n",
        "@@ -1 +1 @@\n",
        "Index: x\n===\n",
        "GIT binary patch\n",
        "\n",
    ] {
        parse(unit.repeat(400_000 / unit.len()).as_bytes());
    }
}

#[test]
fn a_name_that_is_a_submodule_in_one_commit_is_not_in_the_next() {
    assert_eq!(
        told(b"diff --git a/s b/s\nnew file mode 160000\nindex 0..1\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n"),
        ["submodule s 1/0 ->160000 1"]
    );
    assert_eq!(
        parse(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").files[0].kind,
        ParsedKind::Change(ChangeKind::Modified)
    );
}
