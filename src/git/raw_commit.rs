//! Commits, taken apart as leniently as git does: libgit2 refuses one whose author or date it cannot make sense of, and
//! imported histories hold such.

use crate::model::{Commit, Oid, Signature};

/// The facts of a commit; `None` where it has no tree or a parent that is no id. What cannot be read of a person is
/// empty, of a date 0.
pub fn parse(oid: Oid, raw: &[u8]) -> Option<Commit> {
    let mut lines = raw.split(|&byte| byte == b'\n');
    let tree = Oid::from_hex(lines.next()?.strip_prefix(b"tree ")?)?;
    let mut parents = Vec::new();
    let (mut author, mut committer) = (None, None);
    for line in lines.take_while(|line| !line.is_empty()) {
        if let Some(parent) = line.strip_prefix(b"parent ") {
            parents.push(Oid::from_hex(parent)?);
        } else if let Some(person) = line.strip_prefix(b"author ") {
            author = author.or_else(|| Some(signature(person)));
        } else if let Some(person) = line.strip_prefix(b"committer ") {
            committer = committer.or_else(|| Some(signature(person)));
        }
    }
    let summary = message(raw).split(|&byte| byte == b'\n').next().unwrap_or_default();
    let nobody = || signature(b"");
    Some(Commit {
        oid,
        tree,
        parents,
        cut: false,
        summary: summary.to_vec(),
        author: author.unwrap_or_else(nobody),
        committer: committer.unwrap_or_else(nobody),
    })
}

/// What stands after the header.
pub fn message(raw: &[u8]) -> &[u8] {
    let header = raw.windows(2).position(|pair| pair == b"\n\n");
    let mut message = header.map_or(&raw[raw.len()..], |at| &raw[at + 2..]);
    while let Some(rest) = message.strip_prefix(b"\n") {
        message = rest;
    }
    message
}

/// Name and e-mail, and the seconds behind them.
pub fn signature(person: &[u8]) -> Signature {
    let (identity, _) = person.split_at(end_of_identity(person));
    let identity = match identity.iter().position(|&byte| byte == b'<') {
        Some(at) => [
            identity[..at].trim_ascii(),
            b" <",
            identity[at + 1..]
                .strip_suffix(b">")
                .unwrap_or(&identity[at + 1..])
                .trim_ascii(),
            b">",
        ]
        .concat(),
        None => identity.to_vec(),
    };
    Signature {
        identity,
        seconds: signature_seconds(person),
    }
}

/// The seconds behind name and e-mail; 0 where there are none.
pub fn signature_seconds(person: &[u8]) -> i64 {
    let time = person[end_of_identity(person)..].trim_ascii();
    let seconds = time.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let number = std::str::from_utf8(seconds).ok().and_then(|text| text.parse().ok());
    number.unwrap_or(0)
}

fn end_of_identity(person: &[u8]) -> usize {
    let end = person.iter().rposition(|&byte| byte == b'>');
    end.map_or(person.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_no_one_could_have_made() {
        let tree = "1".repeat(40);
        let oid = Oid::from_hex(tree.as_bytes()).unwrap();
        let raw = format!(
            "tree {tree}\nparent {tree}\nauthor A a@b> 12 +0000\ncommitter C <c@d> 9223372036854775808 +0000\n\nwords\nmore"
        );
        let commit = parse(oid, raw.as_bytes()).unwrap();
        assert_eq!(commit.parents, [oid]);
        assert_eq!(
            (commit.author.identity.as_slice(), commit.author.seconds),
            (&b"A a@b>"[..], 12)
        );
        assert_eq!(
            (commit.committer.identity.as_slice(), commit.committer.seconds),
            (&b"C <c@d>"[..], 0)
        );
        assert_eq!(commit.summary, b"words");
        assert_eq!(message(raw.as_bytes()), b"words\nmore");
        assert!(parse(oid, b"no commit").is_none());
    }
}
