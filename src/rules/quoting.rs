//! Path names as git writes them in a patch.

/// How names are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quoting {
    /// As git with `core.quotePath` on: a name with a byte that is no printable ASCII, a quote or a backslash stands
    /// in quotes, escaped as in C.
    #[default]
    Git,
    /// As it is, for readers that know no quotes; only a name that would break the lines of a header is quoted.
    Bare,
}

/// A name behind its prefix (`a/`, `b/` or nothing).
pub fn quoted(prefix: &str, name: &[u8], quoting: Quoting) -> Vec<u8> {
    let breaks = |byte: u8| byte < 0x20 || byte == 0x7f;
    let special = |byte: u8| breaks(byte) || byte == b'"' || byte == b'\\' || byte >= 0x80;
    let needs_quotes = match quoting {
        Quoting::Git => name.iter().any(|&byte| special(byte)),
        Quoting::Bare => name.iter().any(|&byte| breaks(byte)) || (prefix.is_empty() && name.starts_with(b"\"")),
    };
    if !needs_quotes {
        return [prefix.as_bytes(), name].concat();
    }
    let mut text = vec![b'"'];
    text.extend_from_slice(prefix.as_bytes());
    for &byte in name {
        match letter(byte) {
            Some(letter) => text.extend([b'\\', letter]),
            None if breaks(byte) || (byte >= 0x80 && quoting == Quoting::Git) => {
                text.extend(format!("\\{byte:03o}").into_bytes());
            }
            None => text.push(byte),
        }
    }
    text.push(b'"');
    text
}

fn letter(byte: u8) -> Option<u8> {
    Some(match byte {
        0x07 => b'a',
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_kind() {
        for (name, git, bare) in [
            ("x y", "a/x y", "a/x y"),
            ("é", r#""a/\303\251""#, "a/é"),
            ("a\"b\\", r#""a/a\"b\\""#, "a/a\"b\\"),
            (
                "\t\n\u{1}\u{7f}é",
                r#""a/\t\n\001\177\303\251""#,
                r#""a/\t\n\001\177é""#,
            ),
        ] {
            assert_eq!(quoted("a/", name.as_bytes(), Quoting::Git), git.as_bytes(), "{name:?}");
            assert_eq!(
                quoted("a/", name.as_bytes(), Quoting::Bare),
                bare.as_bytes(),
                "{name:?}"
            );
        }
        assert_eq!(quoted("", b"\"x", Quoting::Bare), br#""\"x""#);
    }
}
