//! The names in headers: quoted or not, with a prefix or not.

/// What a `---` or `+++` line says.
#[derive(Debug, PartialEq, Eq)]
pub struct Side {
    /// The name with its prefix; `None` for `/dev/null`.
    pub name: Option<Vec<u8>>,
    /// Whether the time beside the name is the one that stands for "no file".
    pub is_epoch: bool,
}

/// Two names, old and new.
pub type Pair = (Vec<u8>, Vec<u8>);

/// A longer header is none: no system has such names.
const LONGEST_HEADER: usize = 1 << 16;

/// What git puts before names, where it is told to be mnemonic and where it is not; with `-R` the other way round.
const KNOWN_PREFIXES: [[&[u8]; 2]; 7] = [
    [b"a", b"b"],
    [b"i", b"w"],
    [b"c", b"i"],
    [b"c", b"w"],
    [b"o", b"w"],
    [b"o", b"i"],
    [b"1", b"2"],
];

/// Reads what follows `---` or `+++`. A tab ends a name that is not quoted: git writes one after a name with blanks,
/// others before the time.
pub fn side(text: &[u8]) -> Option<Side> {
    if text.len() > LONGEST_HEADER {
        return None;
    }
    let (name, time) = match unquoted(text) {
        Some((name, rest)) => (name, rest),
        None => {
            let tab = text.iter().position(|&byte| byte == b'\t').unwrap_or(text.len());
            (text[..tab].to_vec(), &text[tab..])
        }
    };
    let time = time.trim_ascii_start();
    Some(Side {
        is_epoch: time.starts_with(b"1970-01-01") || time.starts_with(b"1969-12-31"),
        name: if name == b"/dev/null" {
            None
        } else {
            Some(checked(name)?)
        },
    })
}

/// Reads a name that has the rest of its line to itself.
pub fn whole(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > LONGEST_HEADER {
        return None;
    }
    match unquoted(text) {
        Some((name, b"")) => checked(name),
        _ => checked(text.strip_suffix(b"\t").unwrap_or(text).to_vec()),
    }
}

fn checked(name: Vec<u8>) -> Option<Vec<u8>> {
    (!name.is_empty() && !name.contains(&0)).then_some(name)
}

/// Undoes the quoting of git; also gives what follows the quotes.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                name.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => escape,
                    b'0'..=b'3' => {
                        let (&[high, low], after) = rest.split_first_chunk::<2>()?;
                        rest = after;
                        let digit = |byte: u8| (byte as char).to_digit(8).map(|digit| digit as u8);
                        (escape - b'0') * 64 + digit(high)? * 8 + digit(low)?
                    }
                    _ => return None,
                });
            }
            _ => name.push(byte),
        }
    }
}

/// The two names of a section: what follows `diff --git`, and the names that `---` and `+++` gave. The line alone can
/// be read in more than one way where a name holds blanks.
pub fn of_git_section(header: &[u8], old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Pair> {
    if header.len() > LONGEST_HEADER {
        return None;
    }
    // A quote may be part of a name too, where names are not quoted.
    let half_quoted = split_half_quoted(header);
    let is_known = |pair: &Pair| {
        old.or(new).is_some() && old.is_none_or(|old| pair.0 == old) && new.is_none_or(|new| pair.1 == new)
    };
    let pair = split_quoted(header)
        .or_else(|| half_quoted.clone().filter(is_known))
        .or_else(|| split_at_known(header, old, new))
        .or_else(|| split_alike(header).map(|(old, new)| (old.to_vec(), new.to_vec())))
        .or_else(|| Some((old?.to_vec(), new?.to_vec())))
        .or(half_quoted)
        .or_else(|| split_before_b(header))?;
    let (mut old, mut new) = without_prefixes(&pair.0, &pair.1);
    if (old.len(), new.len()) == (pair.0.len(), pair.1.len()) && old != new {
        (old, new) = common_tail(old, new).unwrap_or((old, new));
    }
    Some((checked(old.to_vec())?, checked(new.to_vec())?))
}

/// The two names of a section that has no `diff --git` line.
pub fn of_plain_section(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Pair> {
    let without = |name: &[u8], prefix: &[u8]| checked(name.strip_prefix(prefix).unwrap_or(name).to_vec());
    match (old, new) {
        (Some(old), Some(new)) => {
            let (old, new) = without_prefixes(old, new);
            let is_backup = [&b".orig"[..], b"~"]
                .iter()
                .any(|end| old.strip_suffix(*end) == Some(new));
            Some((if is_backup { new.to_vec() } else { old.to_vec() }, new.to_vec()))
        }
        (Some(old), None) => without(old, b"a/").map(|name| (name.clone(), name)),
        (None, Some(new)) => without(new, b"b/").map(|name| (name.clone(), name)),
        (None, None) => None,
    }
}

/// Splits where both names are quoted.
fn split_quoted(header: &[u8]) -> Option<Pair> {
    let (old, rest) = unquoted(header)?;
    match unquoted(rest.strip_prefix(b" ")?)? {
        (new, b"") => Some((old, new)),
        _ => None,
    }
}

/// Splits where one of the names is quoted.
fn split_half_quoted(header: &[u8]) -> Option<Pair> {
    if let Some((old, rest)) = unquoted(header) {
        return Some((old, rest.strip_prefix(b" ")?.to_vec()));
    }
    let quote = header.iter().position(|&byte| byte == b'"')?;
    let old = header[..quote].strip_suffix(b" ")?;
    match unquoted(&header[quote..])? {
        (new, b"") => Some((old.to_vec(), new)),
        _ => None,
    }
}

/// Splits where the other lines say what stands on a side.
fn split_at_known(header: &[u8], old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Pair> {
    let rest_after = |old: &[u8]| header.strip_prefix(old)?.strip_prefix(b" ").map(<[u8]>::to_vec);
    match (old, new) {
        (Some(old), Some(new)) => (rest_after(old)? == new).then(|| (old.to_vec(), new.to_vec())),
        (Some(old), None) => Some((old.to_vec(), rest_after(old)?)),
        (None, Some(new)) => {
            let old = header.strip_suffix(new)?.strip_suffix(b" ")?;
            Some((old.to_vec(), new.to_vec()))
        }
        (None, None) => None,
    }
}

/// Splits so that the names are one but for the first folder, which is the prefix. Takes linear time.
fn split_alike(header: &[u8]) -> Option<(&[u8], &[u8])> {
    let middle = header.len() / 2;
    if header.len() % 2 == 1 && header[middle] == b' ' {
        let (old, new) = (&header[..middle], &header[middle + 1..]);
        if without_prefixes(old, new).0 == without_prefixes(old, new).1 || common_tail(old, new).is_some() {
            return Some((old, new));
        }
    }
    let after_prefix = header.iter().position(|&byte| byte == b'/').map(|slash| slash + 1);
    after_prefix
        .into_iter()
        .chain([0])
        .find_map(|start| split_at_border(header, start))
}

/// Splits `<prefix><name> <prefix><name>` where the first name starts at `start`: then the name is what the rest both
/// starts and ends with.
fn split_at_border(header: &[u8], start: usize) -> Option<(&[u8], &[u8])> {
    /// Only a name made to be ambiguous has so many candidates.
    const TRIES: usize = 64;
    let text = &header[start..];
    // The lengths of what each beginning of the text both starts and ends with, as Knuth, Morris and Pratt have it.
    let mut borders = vec![0usize; text.len()];
    for at in 1..text.len() {
        let mut length = borders[at - 1];
        while length > 0 && text[length] != text[at] {
            length = borders[length - 1];
        }
        borders[at] = length + usize::from(text[length] == text[at]);
    }
    let mut length = *borders.last()?;
    for _ in 0..TRIES {
        if length == 0 {
            return None;
        }
        let between = text.get(length..text.len() - length).unwrap_or_default();
        if let Some(prefix) = between.strip_prefix(b" ") {
            let folder = prefix.strip_suffix(b"/");
            if prefix.is_empty() || folder.is_some_and(|folder| !folder.contains(&b'/')) {
                return Some((&header[..start + length], &header[start + length + 1..]));
            }
        }
        length = borders[length - 1];
    }
    None
}

/// Splits names that differ, as `git diff --no-index` writes them, where there is one way to.
fn split_before_b(header: &[u8]) -> Option<Pair> {
    let mut places = header.windows(3).enumerate().filter(|(_, window)| window == b" b/");
    let (at, _) = places.next().filter(|_| header.starts_with(b"a/"))?;
    let pair = (header[..at].to_vec(), header[at + 1..].to_vec());
    places.next().is_none().then_some(pair)
}

/// Takes the prefixes off: the first folders, where they are known ones or all that differs.
fn without_prefixes<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    if old == new {
        return (old, new);
    }
    let (old_rest, new_rest) = (after_first_folder(old), after_first_folder(new));
    if let (Some((old_folder, old)), Some((new_folder, new))) = (old_rest, new_rest) {
        let is_known =
            |&[one, two]: &[&[u8]; 2]| [one, two] == [old_folder, new_folder] || [two, one] == [old_folder, new_folder];
        if old == new || KNOWN_PREFIXES.iter().any(is_known) {
            return (old, new);
        }
    }
    match (old_rest, new_rest) {
        (Some((_, rest)), _) if rest == new => (rest, new),
        (_, Some((_, rest))) if rest == old => (old, rest),
        _ => (old, new),
    }
}

fn after_first_folder(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = name.iter().position(|&byte| byte == b'/')?;
    let (folder, rest) = (&name[..slash], &name[slash + 1..]);
    (!rest.is_empty()).then_some((folder, rest))
}

/// The name behind prefixes of several folders each.
fn common_tail<'a>(old: &'a [u8], new: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let slashes = |name: &[u8]| name.iter().filter(|&&byte| byte == b'/').count();
    if slashes(old) != slashes(new) {
        return None;
    }
    let common = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(one, two)| one == two)
        .count();
    let tail = &old[old.len() - common..];
    let slash = tail.iter().position(|&byte| byte == b'/')?;
    let length = common - slash - 1;
    (length > 0).then(|| (&old[old.len() - length..], &new[new.len() - length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(header: &str) -> Option<(String, String)> {
        of_git_section(header.as_bytes(), None, None).map(text)
    }

    fn text((old, new): Pair) -> (String, String) {
        (String::from_utf8(old).unwrap(), String::from_utf8(new).unwrap())
    }

    #[test]
    fn names_are_found_by_their_likeness() {
        for (header, name) in [
            ("a/x b/x", "x"),
            ("x x", "x"),
            ("dir/x dir/x", "dir/x"),
            ("a/dir/f b.txt b/dir/f b.txt", "dir/f b.txt"),
            ("a/a b/f b.txt b/a b/f b.txt", "a b/f b.txt"),
            ("x b/x x b/x", "x b/x"),
            ("i/x w/x", "x"),
            ("old/x y new2/x y", "x y"),
            ("x y/z new2/x y/z", "x y/z"),
            ("old/x x", "x"),
            ("my/old/d/x my/new/d/x", "d/x"),
            ("a/x\" \"y b/x\" \"y", "x\" \"y"),
            ("a/x \" b/x \"", "x \""),
            ("\"x\" y \"x\" y", "\"x\" y"),
            (r#""a/t\tab \303\244" "b/t\tab \303\244""#, "t\tab ä"),
            (r#""a/\"q\"\\" "b/\"q\"\\""#, "\"q\"\\"),
        ] {
            assert_eq!(alone(header), Some((name.to_string(), name.to_string())), "{header}");
        }
    }

    #[test]
    fn names_that_differ_need_a_hint() {
        assert_eq!(alone("a/one b/two"), Some(("one".into(), "two".into())));
        assert_eq!(alone("a/one b/b b/two"), None);
        assert_eq!(alone("is a command"), None);
        assert_eq!(alone(r#"a/one "b/t\two""#), Some(("one".into(), "t\two".into())));
        assert_eq!(alone(r#""a/t\two" b/one"#), Some(("t\two".into(), "one".into())));
        let hinted = of_git_section(b"a/one b/b b/two", Some(b"a/one"), Some(b"b/b b/two")).map(text);
        assert_eq!(hinted, Some(("one".into(), "b b/two".into())));
        let header = br#"a/x " b/x ""#;
        let bare = of_git_section(header, Some(b"a/x \""), Some(b"b/x \"")).map(text);
        assert_eq!(bare, Some(("x \"".into(), "x \"".into())));
        let half = of_git_section(header, Some(b"a/x"), Some(b" b/x ")).map(text);
        assert_eq!(half, Some(("a/x".into(), " b/x ".into())));
        for (old, new) in [(Some(&b"a/x \""[..]), None), (None, Some(&b"b/x \""[..]))] {
            let one_side = of_git_section(header, old, new).map(text);
            assert_eq!(one_side, Some(("x \"".into(), "x \"".into())));
        }
        let added = of_git_section(b"a/x y b/x y", None, Some(b"b/x y")).map(text);
        assert_eq!(added, Some(("x y".into(), "x y".into())));
    }

    #[test]
    fn hostile_headers_take_linear_time() {
        for unit in ["/", " ", "a ", "a/ ", "a b/", "/a /a "] {
            alone(&unit.repeat(LONGEST_HEADER / unit.len()));
        }
        assert_eq!(alone(&" x".repeat(LONGEST_HEADER)), None);
    }

    #[test]
    fn sides_end_at_a_tab() {
        let name = |text: &str| {
            side(text.as_bytes())
                .unwrap()
                .name
                .map(|name| String::from_utf8(name).unwrap())
        };
        assert_eq!(name("a/x y\t"), Some("a/x y".into()));
        assert_eq!(name("a/x\t2024-01-01 10:00:00.000000000 +0000"), Some("a/x".into()));
        assert_eq!(name("\"a/x\\001\"\t"), Some("a/x\u{1}".into()));
        assert_eq!(name("/dev/null"), None);
        assert!(side(b"x\t1970-01-01 01:00:00.000000000 +0100").unwrap().is_epoch);
        assert!(!side(b"x\t2024-01-01").unwrap().is_epoch);
        assert_eq!((side(b""), side(b"\"\\000\""), whole(b"")), (None, None, None));
        assert_eq!(whole(b"\"\\377\""), Some(vec![0xff]));
        assert_eq!(whole(b"\"half"), Some(b"\"half".to_vec()));
    }

    #[test]
    fn plain_names() {
        let plain = |old: Option<&str>, new: Option<&str>| {
            of_plain_section(old.map(str::as_bytes), new.map(str::as_bytes)).map(text)
        };
        let same = |name: &str| Some((name.to_string(), name.to_string()));
        assert_eq!(plain(Some("a/x"), Some("b/x")), same("x"));
        assert_eq!(plain(Some("old/d/x"), Some("new/d/x")), same("d/x"));
        assert_eq!(plain(Some("d/x"), Some("d/x")), same("d/x"));
        assert_eq!(plain(Some("x.orig"), Some("x")), same("x"));
        assert_eq!(plain(None, Some("b/x")), same("x"));
        assert_eq!(plain(Some("a/x"), None), same("x"));
        assert_eq!(plain(Some("x"), Some("y")), Some(("x".into(), "y".into())));
        assert_eq!(plain(None, None), None);
    }
}
