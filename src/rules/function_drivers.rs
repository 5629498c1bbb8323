//! Function lines by the diff drivers that git has and its library has not, or has in an older form. Written from what
//! git takes for one and what not, line by line; see docs/decisions.

/// Gives the part of a line to be shown, where the line is a function line.
pub type Rule = fn(&[u8]) -> Option<&[u8]>;

/// The rule of a driver.
pub fn by_driver(name: &str) -> Option<Rule> {
    Some(match name {
        "bash" => bash,
        "csharp" => csharp,
        "css" => css,
        "dts" => dts,
        "elixir" => elixir,
        "fountain" => fountain,
        "golang" => golang,
        "html" => html,
        "java" => java,
        "kotlin" => kotlin,
        "markdown" => markdown,
        "matlab" => matlab,
        "php" => php,
        "python" => python,
        "ruby" => ruby,
        "rust" => rust,
        "scheme" => scheme,
        _ => return None,
    })
}

fn bash(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let end = plain_bash_function(line).or_else(|| marked_bash_function(line))?;
    Some(&line[..line.len() - end.len()])
}

/// What stands behind `name ( )`.
fn plain_bash_function(line: &[u8]) -> Option<&[u8]> {
    parentheses(after_name(line)?)
}

/// What stands behind `function name` and the bracket that opens its body.
fn marked_bash_function(line: &[u8]) -> Option<&[u8]> {
    let name = blanks(line.strip_prefix(b"function")?)?;
    let rest = after_name(name)?;
    let opened = |rest| after_any(rest, &[b"{", b"((", b"(", b"[["]);
    parentheses(rest)
        .and_then(|rest| opened(unindented(rest)))
        .or_else(|| opened(blanks(rest)?))
}

fn parentheses(rest: &[u8]) -> Option<&[u8]> {
    unindented(unindented(rest).strip_prefix(b"(")?).strip_prefix(b")")
}

fn csharp(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    if csharp_statement(line) {
        return None;
    }
    if followed_by_blank(line, &[b"namespace"]) {
        return Some(line);
    }
    let mut rest = line;
    while !word(rest).is_empty() {
        if followed_by_blank(rest, &[b"class", b"enum", b"interface", b"struct", b"record"]) {
            return Some(line);
        }
        match blanks(&rest[word(rest).len()..]) {
            Some(next) => rest = next,
            None => break,
        }
    }
    let is_method = line.iter().position(|byte| *byte == b'(').is_some_and(|open| {
        let mut words = CsharpWords::default();
        trimmed_end(&line[..open]).iter().for_each(|byte| words.take(*byte));
        words.are_declaration() && !line.contains(&b';')
    });
    let is_property = || {
        // What a property has only inside of angle brackets, and so not behind its name.
        let last_other = line.iter().rposition(|byte| b";=:,()".contains(byte));
        let mut words = CsharpWords::default();
        line.iter().enumerate().any(|(at, byte)| {
            words.take(*byte);
            last_other.is_none_or(|other| at > other) && words.are_declaration()
        })
    };
    (is_method || is_property()).then_some(line)
}

/// Whether one of the words of a line begins a statement.
fn csharp_statement(line: &[u8]) -> bool {
    const STATEMENTS: [&[u8]; 16] = [
        b"do", b"while", b"for", b"foreach", b"if", b"else", b"new", b"default", b"return", b"switch", b"case",
        b"throw", b"catch", b"using", b"lock", b"fixed",
    ];
    let mut starts = (0..line.len()).filter(|&at| at == 0 || is_blank(line[at - 1]));
    starts.any(|at| {
        let word = word(&line[at..]);
        let ended = line
            .get(at + word.len())
            .is_none_or(|byte| is_blank(*byte) || *byte == b'(');
        ended && STATEMENTS.contains(&word)
    })
}

/// Attributes, modifiers, a type and a name, read from the start of a line. Angle brackets come in pairs, and commas
/// stand inside of them.
#[derive(Default)]
struct CsharpWords {
    depth: usize,
    /// Words outside of angle brackets.
    count: usize,
    is_in_word: bool,
    impossible: bool,
}

impl CsharpWords {
    fn take(&mut self, byte: u8) {
        let is_inside = self.depth > 0;
        match byte {
            b'<' => {
                self.impossible |= !self.is_in_word;
                self.depth += 1;
            }
            b'>' if is_inside => self.depth -= 1,
            b',' if is_inside => {}
            _ if is_blank(byte) => self.is_in_word = is_inside,
            _ if is_word(byte) || b"[].@".contains(&byte) => {
                self.count += usize::from(!self.is_in_word);
                self.is_in_word = true;
            }
            _ => self.impossible = true,
        }
    }

    /// Whether this may be all up to the end of the name, or to a place in it.
    fn are_declaration(&self) -> bool {
        !self.impossible && self.depth == 0 && self.count > 1
    }
}

fn css(line: &[u8]) -> Option<&[u8]> {
    let (&first, rest) = line.split_first()?;
    let starts = is_word(first) || (b":[@.#".contains(&first) && rest.first().is_some_and(|byte| is_word(*byte)));
    let goes_on = trimmed_end(line).last().is_some_and(|byte| b";:".contains(byte));
    (starts && !goes_on).then_some(line)
}

fn dts(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    if line.iter().any(|byte| b";=".contains(byte)) {
        return None;
    }
    let root = line
        .strip_prefix(b"/")
        .is_some_and(|rest| unindented(rest).starts_with(b"{"));
    let name = line.strip_prefix(b"&").unwrap_or(line);
    let named = name
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    (root || named).then_some(line)
}

fn elixir(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let words: [&[u8]; 7] = [
        b"def",
        b"defp",
        b"defmodule",
        b"defmacro",
        b"defimpl",
        b"defprotocol",
        b"test",
    ];
    followed_by_blank(line, &words).then_some(line)
}

fn fountain(line: &[u8]) -> Option<&[u8]> {
    let forced = line.len() > 1 && line[0] == b'.' && line[1] != b'.';
    let places: [&[u8]; 6] = [b"INT", b"EXT", b"EST", b"INT./EXT", b"INT/EXT", b"I/E"];
    let heading = places.into_iter().any(|place| {
        let start = line
            .get(..place.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(place));
        start && line.get(place.len()).is_some_and(|byte| b". ".contains(byte))
    });
    (forced || heading).then_some(line)
}

fn golang(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    if line.starts_with(b"func") {
        return Some(line);
    }
    let body = 4 + line
        .strip_prefix(b"type")
        .filter(|rest| rest.first().is_some_and(|byte| is_blank(*byte)))
        .map(|_| 1)?;
    let last = |kind: &[u8]| {
        let place = line[body..].windows(kind.len()).rposition(|part| part == kind)?;
        Some(body + place + kind.len())
    };
    let end = last(b"struct").max(last(b"interface"))?;
    let brace = unindented(&line[end..]).strip_prefix(b"{");
    Some(brace.map_or(&line[..end], |rest| &line[..line.len() - rest.len()]))
}

fn html(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let [b'<', b'h' | b'H', b'1'..=b'6', rest @ ..] = line else {
        return None;
    };
    let closed = match rest.first()? {
        b'>' => true,
        byte => is_blank(*byte) && rest.contains(&b'>'),
    };
    closed.then_some(line)
}

fn java(line: &[u8]) -> Option<&[u8]> {
    const STATEMENTS: [&[u8]; 10] = [
        b"catch",
        b"do",
        b"for",
        b"if",
        b"instanceof",
        b"new",
        b"return",
        b"switch",
        b"throw",
        b"while",
    ];
    let line = unindented(line);
    // Also where a longer word begins so.
    if STATEMENTS.iter().any(|statement| line.starts_with(statement)) {
        return None;
    }
    let kinds: [&[u8]; 4] = [b"class", b"enum", b"interface", b"record"];
    let mut rest = line;
    loop {
        if followed_by_blank(rest, &kinds) {
            return Some(line);
        }
        let modifier = rest
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || **byte == b'-')
            .count();
        match blanks(&rest[modifier..]).filter(|_| modifier > 0) {
            Some(next) => rest = next,
            None => break,
        }
    }
    let open = line.iter().position(|byte| *byte == b'(')?;
    let declared = trimmed_end(&line[..open]);
    let name = declared.iter().rev().take_while(|byte| is_word(**byte)).count();
    let (types, name) = declared.split_at(declared.len() - name);
    let in_type = |byte: &u8| is_word(*byte) || b"<>[],.?&".contains(byte);
    let starts_type = |byte: u8| (is_word(byte) && !byte.is_ascii_digit()) || b"<>&".contains(&byte);
    let mut words = types.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty());
    let is_method = name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && types.last().is_some_and(|byte| is_blank(*byte))
        && words.all(|word| starts_type(word[0]) && word.iter().all(in_type))
        && !line[open..].contains(&b';');
    is_method.then_some(line)
}

fn kotlin(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let mut rest = line;
    loop {
        if followed_by_blank(rest, &[b"fun", b"class", b"interface"]) {
            return Some(line);
        }
        let modifier = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        rest = blanks(&rest[modifier..]).filter(|_| modifier > 0)?;
    }
}

fn markdown(line: &[u8]) -> Option<&[u8]> {
    let indent = line.iter().take_while(|byte| **byte == b' ').count();
    let level = line[indent..].iter().take_while(|byte| **byte == b'#').count();
    let heading =
        indent <= 3 && (1..=6).contains(&level) && line.get(indent + level).is_some_and(|byte| is_blank(*byte));
    heading.then_some(line)
}

fn matlab(line: &[u8]) -> Option<&[u8]> {
    if followed_by_blank(line, &[b"%%%", b"%%", b"##"]) {
        return Some(line);
    }
    let line = unindented(line);
    followed_by_blank(line, &[b"function", b"classdef"]).then_some(line)
}

fn php(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    if [&b"class"[..], b"enum", b"interface", b"trait"]
        .iter()
        .any(|kind| line.starts_with(kind))
    {
        return Some(line);
    }
    let class = |modifier: &[u8]| blanks(line.strip_prefix(modifier)?).filter(|rest| rest.starts_with(b"class"));
    if class(b"abstract").or_else(|| class(b"final")).is_some() {
        return Some(line);
    }
    const MODIFIERS: [&[u8]; 6] = [b"public", b"protected", b"private", b"static", b"abstract", b"final"];
    let mut rest = line;
    while MODIFIERS.contains(&word(rest)) {
        rest = blanks(&rest[word(rest).len()..])?;
    }
    rest.starts_with(b"function").then_some(line)
}

fn python(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let later = line.strip_prefix(b"async").and_then(blanks);
    let function = followed_by_blank(later.unwrap_or(line), &[b"def"]);
    (function || followed_by_blank(line, &[b"class"])).then_some(line)
}

fn ruby(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    followed_by_blank(line, &[b"class", b"module", b"def"]).then_some(line)
}

fn rust(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let mut rest = line;
    if let Some(public) = rest.strip_prefix(b"pub") {
        let place = public.strip_prefix(b"(").and_then(|inside| {
            let end = inside.iter().position(|byte| *byte == b')').filter(|end| *end > 0)?;
            Some(&inside[end + 1..])
        });
        rest = blanks(place.unwrap_or(public))?;
    }
    let plain = |rest: &'_ [u8]| [&b"async"[..], b"const", b"unsafe"].contains(&word(rest));
    if plain(rest) {
        rest = blanks(&rest[word(rest).len()..])?;
    } else if let Some(name) = rest.strip_prefix(b"extern").and_then(blanks) {
        let inside = name.strip_prefix(b"\"")?;
        let end = inside.iter().position(|byte| *byte == b'"').filter(|end| *end > 0)?;
        rest = blanks(&inside[end + 1..])?;
    }
    let items: [&[u8]; 8] = [
        b"fn",
        b"struct",
        b"enum",
        b"union",
        b"mod",
        b"trait",
        b"impl",
        b"macro_rules!",
    ];
    let ended =
        |rest: &[u8]| rest.first().is_some_and(|byte| is_blank(*byte) || *byte == b'<') && !rest.contains(&b';');
    items
        .into_iter()
        .any(|item| rest.strip_prefix(item).is_some_and(ended))
        .then_some(line)
}

fn scheme(line: &[u8]) -> Option<&[u8]> {
    let line = unindented(line);
    let form = line.strip_prefix(b"(")?;
    let definitions: [&[u8]; 10] = [
        b"define",
        b"def",
        b"defstruct",
        b"defsyntax",
        b"defclass",
        b"defmethod",
        b"defrules",
        b"defrecord",
        b"defproto",
        b"defalias",
    ];
    let others: [&[u8]; 4] = [b"library", b"module", b"struct", b"class"];
    let behind = |words: &[&[u8]], ends: &[u8]| {
        let end = |word: &&[u8]| {
            form.strip_prefix(*word)
                .and_then(|rest| rest.first())
                .is_some_and(|byte| ends.contains(byte))
        };
        words.iter().any(end)
    };
    (behind(&definitions, b"-*/ \t") || behind(&others, b"*+ \t")).then_some(line)
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn unindented(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
    &text[blanks..]
}

fn trimmed_end(text: &[u8]) -> &[u8] {
    let blanks = text
        .iter()
        .rev()
        .take_while(|byte| is_blank(**byte) || **byte == b'\r')
        .count();
    &text[..text.len() - blanks]
}

/// What stands behind one blank or more.
fn blanks(text: &[u8]) -> Option<&[u8]> {
    let rest = unindented(text);
    (rest.len() < text.len()).then_some(rest)
}

/// The word that a text begins with.
fn word(text: &[u8]) -> &[u8] {
    &text[..text.iter().take_while(|byte| is_word(**byte)).count()]
}

/// What stands behind a name, which begins with no digit.
fn after_name(text: &[u8]) -> Option<&[u8]> {
    let name = word(text);
    name.first().filter(|byte| !byte.is_ascii_digit())?;
    Some(&text[name.len()..])
}

fn after_any<'a>(text: &'a [u8], starts: &[&[u8]]) -> Option<&'a [u8]> {
    starts.iter().find_map(|start| text.strip_prefix(*start))
}

fn followed_by_blank(text: &[u8], starts: &[&[u8]]) -> bool {
    starts
        .iter()
        .any(|start| text.strip_prefix(*start).is_some_and(|rest| blanks(rest).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_takes_linear_time() {
        let words = "a ".repeat(500_000);
        let generic = format!("A<{}> b", "a, ".repeat(300_000));
        for (line, is_function) in [
            (words.clone(), true),
            (format!("{words};"), false),
            (format!("{words}@b {{"), true),
            (format!("< {words}"), false),
            (generic.clone(), true),
            (format!("{generic},"), false),
        ] {
            let shown = &line[..10];
            assert_eq!(csharp(line.as_bytes()).is_some(), is_function, "{shown}");
        }
    }
}
