//! Any text as one word of printable ASCII, and back; and text that is safe to print.

/// Percent-encodes `%`, parentheses, and all that is not printable ASCII: the result holds no space and no line end
/// of any kind, and a word in parentheses can mean something else.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_plain(byte) && byte != b'%' {
            escaped.push(byte as char);
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

/// The text with everything spelled out that would steer a terminal or a page: control characters, and the marks that
/// turn the direction of text or break a line. Branches may hold them.
pub fn printable(text: &str) -> String {
    let steers = |character: char| {
        character.is_control()
            || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character as u32 {
            _ if !steers(character) => safe.push(character),
            code @ ..=0xff => safe.push_str(&format!("\\x{code:02x}")),
            code => safe.push_str(&format!("\\u{{{code:x}}}")),
        }
    }
    safe
}

/// Undoes [`escape`]; `None` where the text is not the work of [`escape`]. Characters encoded without need pass.
pub fn unescape(escaped: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digit = |byte: u8| (byte as char).to_digit(16);
            let (&[high, low], after) = after.split_first_chunk::<2>()?;
            bytes.push((digit(high)? * 16 + digit(low)?) as u8);
            rest = after;
        } else {
            bytes.push(Some(first).filter(|&byte| is_plain(byte))?);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'(' && byte != b')'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_survives() {
        for character in (0..=char::MAX as u32)
            .step_by(7)
            .chain(0..0x3000)
            .filter_map(char::from_u32)
        {
            let text = format!("a{character}b");
            let escaped = escape(&text);
            assert!(
                escaped
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && !b"()".contains(&byte)),
                "{escaped}"
            );
            assert_eq!(unescape(&escaped), Some(text));
        }
    }

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        assert_eq!(printable("a\u{1b}[31m\u{9b}\u{202e}ü"), r"a\x1b[31m\x9b\u{202e}ü");
    }

    #[test]
    fn what_was_not_escaped_is_none() {
        for text in ["%", "%4", "%zz", "%ff", "a b", "(x)", "é", "a\n"] {
            assert_eq!(unescape(text), None, "{text}");
        }
    }
}
