//! What a hunk header says of the place: the function line that stands closest before the hunk.

use super::hunks::Lines;

/// Longer texts are cut.
const LONGEST: usize = 80;

/// For each line number in `before` (rising), the closest line before it that `rule` takes for a function line; `rule`
/// gives the part of the line to be shown.
pub fn function_lines(
    rule: impl Fn(&[u8]) -> Option<&[u8]>,
    text: &Lines<'_>,
    before: &[usize],
) -> Vec<Option<Vec<u8>>> {
    let mut looked_at = 0;
    let mut last: Option<Vec<u8>> = None;
    let mut found = Vec::with_capacity(before.len());
    for &line in before {
        let new = (looked_at..line)
            .rev()
            .find_map(|number| rule(line_text(text.get(number))));
        if let Some(new) = new {
            last = Some(shown(new).to_vec());
        }
        looked_at = line;
        found.push(last.clone());
    }
    found
}

/// Git's rule where there is no driver: a line that begins with a letter, an underscore or a dollar sign.
pub fn by_default(line: &[u8]) -> Option<&[u8]> {
    let first = *line.first()?;
    (first.is_ascii_alphabetic() || first == b'_' || first == b'$').then_some(line)
}

fn line_text(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The part of a function line that a header has room for: cut, without the blanks at its end, and without what is no
/// UTF-8 (a character that the cut went through, mostly).
pub fn shown(text: &[u8]) -> &[u8] {
    let text = &text[..text.len().min(LONGEST)];
    let blanks = text.iter().rev().take_while(|byte| b" \t\r\n".contains(byte)).count();
    let text = &text[..text.len() - blanks];
    let valid = match std::str::from_utf8(text) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    // Two that UTF-8 allows, and git does not.
    let end = valid.find(['\u{fffe}', '\u{ffff}']).unwrap_or(valid.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_line_before() {
        let text = Lines::of(b"int a()\n{\n}\n$b = 1; \n c\n_d");
        let found = function_lines(by_default, &text, &[0, 1, 3, 5, 6]);
        let found: Vec<Option<&[u8]>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(
            found,
            [
                None,
                Some(&b"int a()"[..]),
                Some(b"int a()"),
                Some(b"$b = 1;"),
                Some(b"_d")
            ]
        );
    }

    #[test]
    fn what_a_header_has_room_for() {
        let long = format!("f{}é", "x".repeat(78));
        assert_eq!(shown(long.as_bytes()).len(), 79);
        assert_eq!(shown(format!("f{}  y", "x".repeat(78)).as_bytes()).len(), 79);
        assert_eq!(shown(b"f \xff g"), b"f ");
        assert_eq!(shown(b"f\r"), b"f");
        assert_eq!(shown("f \u{ffff} g".as_bytes()), b"f ");
    }
}
