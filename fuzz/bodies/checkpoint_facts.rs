//! Facts in a message, and a pin: what was read can be written, and is then read again.

use turn_attribution::rules::checkpoint_facts::{read_facts, write_facts};
use turn_attribution::rules::pin::{decode_pin, encode_pin};

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let facts = read_facts(&text);
    let half = (0..=text.len() / 2).rfind(|&at| text.is_char_boundary(at)).unwrap_or(0);
    for message in [&text, "", &text[..half], &text[half..]] {
        let written = write_facts(message, &facts);
        assert_eq!(read_facts(&written), facts);
        // A return at the very end becomes part of a line end.
        if !message.ends_with('\r') {
            assert_eq!(write_facts(&written, &facts), written);
        }
        // Line ends at the end may change.
        let lines: Vec<&str> = written.lines().map(|line| line.trim_end_matches('\r')).collect();
        for line in message.lines().map(|line| line.trim_end_matches('\r')) {
            let is_fact = line.starts_with("turn-");
            assert!(is_fact || lines.contains(&line) || line.is_empty(), "{line:?} is gone");
        }
    }
    for pin in text.lines().chain(facts.pin.as_deref()).filter_map(decode_pin) {
        // Limits that writing has: see `encode_pin`.
        if pin.merge_heads.len() <= 64 && pin.rebase_ref.as_ref().is_none_or(|name| name.len() <= 1024) {
            assert_eq!(decode_pin(&encode_pin(&pin)), Some(pin));
        }
    }
}
