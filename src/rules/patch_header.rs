//! The lines of a patch before its hunks, as git writes them.

use super::quoting::{Quoting, quoted};
use crate::model::FileMode;

/// One side of a section.
#[derive(Clone, Debug)]
pub struct Side {
    /// Type and permission.
    pub mode: FileMode,
    /// Its id as the `index` line has it.
    pub id: String,
}

/// What a section's header tells. A change of type is two sections: one deletes, one adds.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// Path on the old side.
    pub old_path: &'a [u8],
    /// Path on the new side.
    pub new_path: &'a [u8],
    /// The old state; `None` where the file is new.
    pub old: Option<&'a Side>,
    /// The new state; `None` where the file is gone.
    pub new: Option<&'a Side>,
    /// The id of nothing, as long as the others are.
    pub no_id: &'a str,
    /// Whether the two contents are the same.
    pub same_content: bool,
    /// For a rename: how alike the two are, in percent.
    pub similarity: Option<u8>,
    /// How names are written.
    pub quoting: Quoting,
}

impl Header<'_> {
    /// The lines up to the `index` line.
    pub fn extended(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let (a, b) = (self.quoted("a/", self.old_path), self.quoted("b/", self.new_path));
        text.extend([b"diff --git ", &a[..], b" ", &b, b"\n"].concat());
        let mut line = |words: String| text.extend(words.into_bytes());
        match (self.old, self.new) {
            (None, Some(new)) => line(format!("new file mode {}\n", new.mode)),
            (Some(old), None) => line(format!("deleted file mode {}\n", old.mode)),
            (Some(old), Some(new)) if old.mode != new.mode => {
                line(format!("old mode {}\nnew mode {}\n", old.mode, new.mode));
            }
            _ => {}
        }
        if let Some(similarity) = self.similarity {
            line(format!("similarity index {similarity}%\n"));
            let (from, to) = (self.quoted("", self.old_path), self.quoted("", self.new_path));
            text.extend([b"rename from ", &from[..], b"\nrename to ", &to, b"\n"].concat());
        }
        if !self.same_content {
            let id = |side: Option<&Side>| side.map_or(self.no_id, |side| &side.id).to_owned();
            let mode = match (self.old, self.new) {
                (Some(old), Some(new)) if old.mode == new.mode => format!(" {}", new.mode),
                _ => String::new(),
            };
            text.extend(format!("index {}..{}{mode}\n", id(self.old), id(self.new)).into_bytes());
        }
        text
    }

    /// The two lines that name the files right before the hunks.
    pub fn names(&self) -> Vec<u8> {
        // A tab tells where a name with spaces ends; git adds it to a quoted one too.
        let ended = |mut name: Vec<u8>| {
            if name.contains(&b' ') {
                name.push(b'\t');
            }
            name
        };
        let (old, new) = (ended(self.old_name()), ended(self.new_name()));
        [b"--- ", &old[..], b"\n+++ ", &new, b"\n"].concat()
    }

    /// The line that stands for contents that are no text.
    pub fn binary_note(&self) -> Vec<u8> {
        [
            b"Binary files ",
            &self.old_name()[..],
            b" and ",
            &self.new_name(),
            b" differ\n",
        ]
        .concat()
    }

    fn old_name(&self) -> Vec<u8> {
        match self.old {
            Some(_) => self.quoted("a/", self.old_path),
            None => b"/dev/null".to_vec(),
        }
    }

    fn new_name(&self) -> Vec<u8> {
        match self.new {
            Some(_) => self.quoted("b/", self.new_path),
            None => b"/dev/null".to_vec(),
        }
    }

    fn quoted(&self, prefix: &str, name: &[u8]) -> Vec<u8> {
        quoted(prefix, name, self.quoting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(mode: FileMode, id: &str) -> Side {
        Side {
            mode,
            id: id.to_owned(),
        }
    }

    #[test]
    fn the_order_of_the_lines() {
        let (old, new) = (
            side(FileMode::REGULAR, "1111111"),
            side(FileMode::EXECUTABLE, "2222222"),
        );
        let header = Header {
            old_path: b"x y",
            new_path: "é".as_bytes(),
            old: Some(&old),
            new: Some(&new),
            no_id: "0000000",
            same_content: false,
            similarity: Some(91),
            quoting: Quoting::Git,
        };
        let text = String::from_utf8([header.extended(), header.names()].concat()).unwrap();
        let expected = "diff --git a/x y \"b/\\303\\251\"\nold mode 100644\nnew mode 100755\nsimilarity index 91%\n\
            rename from x y\nrename to \"\\303\\251\"\nindex 1111111..2222222\n--- a/x y\t\n+++ \"b/\\303\\251\"\n";
        assert_eq!(text, expected);
        let added = Header {
            old: None,
            similarity: None,
            new_path: b"x y",
            ..header
        };
        let text = String::from_utf8([added.extended(), added.binary_note()].concat()).unwrap();
        let expected = "diff --git a/x y b/x y\nnew file mode 100755\nindex 0000000..2222222\n\
            Binary files /dev/null and b/x y differ\n";
        assert_eq!(text, expected);
    }
}
