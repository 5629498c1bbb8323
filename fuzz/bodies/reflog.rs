//! A reflog: every line is an entry or is left out, and no line changes what another says.

use turn_attribution::model::LogMark;
use turn_attribution::rules::reflog::{LogEntry, parse};

pub fn check(text: &[u8]) {
    let log = parse(text);
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    assert!(log.entries.len() <= lines.clone().count());
    assert_eq!(log.whole, log.entries.len() == lines.count());
    let mut readable = Vec::new();
    let mut last = 0;
    for entry in &log.entries {
        assert!(entry.end > last && entry.end <= text.len());
        last = entry.end;
        let start = text[..entry.end - 1]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let line = &text[start..entry.end];
        readable.extend_from_slice(line);
        assert_eq!(
            LogMark::of_line(line.strip_suffix(b"\n").unwrap_or(line)),
            Some(entry.mark)
        );
        let _ = entry.word().creates();
    }
    let again = parse(&readable);
    let without_place = |entry: &LogEntry| LogEntry {
        end: 0,
        ..entry.clone()
    };
    assert!(again.whole);
    assert!(
        again
            .entries
            .iter()
            .map(without_place)
            .eq(log.entries.iter().map(without_place))
    );
}
