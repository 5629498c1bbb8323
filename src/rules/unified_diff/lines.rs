//! A text, line by line.

/// A place in a text, always at the start of a line. Cheap to copy: that is how to look ahead.
#[derive(Clone, Copy)]
pub struct Lines<'a> {
    text: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Lines<'a> {
    /// The first line of the text from that place on.
    pub fn new(text: &'a [u8], start: usize) -> Lines<'a> {
        let length = text[start..].iter().position(|&byte| byte == b'\n');
        Lines {
            text,
            start,
            end: length.map_or(text.len(), |length| start + length),
        }
    }

    /// The line without its line feed; `None` at the end of the text.
    pub fn line(&self) -> Option<&'a [u8]> {
        (self.start < self.text.len()).then(|| &self.text[self.start..self.end])
    }

    /// The line as a header: without the carriage return that a patch with CRLF line ends has there. No name ends
    /// in a bare one, because git quotes it.
    pub fn header(&self) -> Option<&'a [u8]> {
        self.line().map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// What follows `word` in the header here, if it starts with that.
    pub fn after(&self, word: &[u8]) -> Option<&'a [u8]> {
        self.header().and_then(|line| line.strip_prefix(word))
    }

    /// Whether a line feed ends the line.
    pub fn is_terminated(&self) -> bool {
        self.end < self.text.len()
    }

    /// Where the line starts.
    pub fn position(&self) -> usize {
        self.start
    }

    /// Goes to the next line.
    pub fn advance(&mut self) {
        *self = Lines::new(self.text, (self.end + 1).min(self.text.len()));
    }

    /// The text from `start` to the line here.
    pub fn since(&self, start: usize) -> &'a [u8] {
        &self.text[start..self.start]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_line_feed_starts_no_line() {
        let all = |text: &'static [u8]| {
            let mut lines = Lines::new(text, 0);
            let mut all = Vec::new();
            while let Some(line) = lines.line() {
                all.push((lines.position(), line, lines.is_terminated()));
                lines.advance();
            }
            all
        };
        assert_eq!(all(b""), []);
        assert_eq!(all(b"a\n\r\n"), [(0, &b"a"[..], true), (2, b"\r", true)]);
        assert_eq!(all(b"\nb"), [(0, &b""[..], true), (1, b"b", false)]);
        assert_eq!(Lines::new(b"a\r\r\n", 0).header(), Some(&b"a\r"[..]));
    }
}
