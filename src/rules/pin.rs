//! A pin as text: one line of printable ASCII that a host stores and passes back without looking inside.
//!
//! `1;len=1042;last=<old>,<new>,<digest>;op=rebase;onto=<oid>`: a version, then fields in any order. A field that
//! this version does not know is skipped, so that a newer library's pin still serves an older one.

use crate::model::{LogMark, Oid, OperationKind, Pin};
use crate::rules::escape::{escape, unescape};

/// A longer text is no pin of ours.
const LONGEST_PIN: usize = 16 * 1024;
/// An octopus of more sides is not to be expected; the text has to stay bounded.
const MOST_MERGE_HEADS: usize = 64;
/// Ref names are file names, so longer ones hardly exist.
const LONGEST_REF_NAME: usize = 1024;

/// Writes a pin. Merge heads after the 64th and a ref name of over 1024 bytes are left out.
pub fn encode_pin(pin: &Pin) -> String {
    let mut text = String::from("1");
    let mut field = |key: &str, value: String| text.extend([";", key, "=", &value]);
    if let Some(length) = pin.log_length {
        field("len", length.to_string());
    }
    if let Some(LogMark { old, new, digest }) = pin.last_entry {
        field("last", format!("{old},{new},{digest:016x}"));
    }
    if let Some(operation) = pin.operation {
        field("op", operation.as_str().to_owned());
    }
    if !pin.merge_heads.is_empty() {
        let heads: Vec<String> = pin
            .merge_heads
            .iter()
            .take(MOST_MERGE_HEADS)
            .map(Oid::to_string)
            .collect();
        field("merge", heads.join(","));
    }
    let ids = [
        ("pick", pin.pick_head),
        ("revert", pin.revert_head),
        ("from", pin.started_from),
        ("onto", pin.rebase_onto),
    ];
    for (key, oid) in ids {
        if let Some(oid) = oid {
            field(key, oid.to_string());
        }
    }
    if let Some(name) = pin.rebase_ref.as_deref().filter(|name| name.len() <= LONGEST_REF_NAME) {
        field("ref", escape(name).replace(';', "%3B"));
    }
    text
}

/// Reads a pin; `None` for anything that is none, a pin of another version and a damaged one included.
pub fn decode_pin(text: &str) -> Option<Pin> {
    let text = text.trim();
    if text.len() > LONGEST_PIN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let mut fields = text.split(';');
    if fields.next() != Some("1") {
        return None;
    }
    let mut pin = Pin::default();
    let mut seen: Vec<&str> = Vec::new();
    for field in fields {
        let (key, value) = field.split_once('=')?;
        if seen.contains(&key) {
            return None;
        }
        seen.push(key);
        match key {
            "len" => pin.log_length = Some(decimal(value)?),
            "last" => pin.last_entry = Some(mark(value)?),
            "op" => pin.operation = Some(OperationKind::from_name(value)?),
            "merge" => {
                pin.merge_heads = value
                    .split(',')
                    .map(|hex| Oid::from_hex(hex.as_bytes()))
                    .collect::<Option<_>>()?;
            }
            "pick" => pin.pick_head = Some(Oid::from_hex(value.as_bytes())?),
            "revert" => pin.revert_head = Some(Oid::from_hex(value.as_bytes())?),
            "from" => pin.started_from = Some(Oid::from_hex(value.as_bytes())?),
            "onto" => pin.rebase_onto = Some(Oid::from_hex(value.as_bytes())?),
            "ref" => pin.rebase_ref = Some(unescape(value)?),
            _ => {}
        }
    }
    Some(pin)
}

/// Digits only: `str::parse` would take a sign as well.
fn decimal(value: &str) -> Option<u64> {
    value
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| value.parse().ok())?
}

fn mark(value: &str) -> Option<LogMark> {
    let mut parts = value.split(',');
    let old = Oid::from_hex(parts.next()?.as_bytes())?;
    let new = Oid::from_hex(parts.next()?.as_bytes())?;
    let digest = parts
        .next()
        .filter(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    parts.next().is_none().then_some(LogMark {
        old,
        new,
        digest: u64::from_str_radix(digest, 16).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(digit: char) -> Oid {
        Oid::from_hex(digit.to_string().repeat(40).as_bytes()).unwrap()
    }

    fn full() -> Pin {
        Pin {
            log_length: Some(u64::MAX),
            last_entry: Some(LogMark {
                old: oid('0'),
                new: oid('1'),
                digest: 7,
            }),
            operation: Some(OperationKind::Rebase),
            merge_heads: vec![oid('2'), oid('3')],
            pick_head: Some(oid('4')),
            revert_head: Some(Oid::from_hex("5".repeat(64).as_bytes()).unwrap()),
            started_from: Some(oid('6')),
            rebase_onto: Some(oid('7')),
            rebase_ref: Some("refs/heads/tür;x=1,%/\u{2028}".to_owned()),
        }
    }

    /// Every subset of the fields.
    fn pins() -> impl Iterator<Item = Pin> {
        (0..1_u32 << 9).map(|bits| {
            let (mut pin, none) = (full(), Pin::default());
            let keep = |bit: u32| bits >> bit & 1 == 1;
            pin.log_length = pin.log_length.filter(|_| keep(0));
            pin.last_entry = pin.last_entry.filter(|_| keep(1));
            pin.operation = pin.operation.filter(|_| keep(2));
            pin.merge_heads = if keep(3) { pin.merge_heads } else { none.merge_heads };
            pin.pick_head = pin.pick_head.filter(|_| keep(4));
            pin.revert_head = pin.revert_head.filter(|_| keep(5));
            pin.started_from = pin.started_from.filter(|_| keep(6));
            pin.rebase_onto = pin.rebase_onto.filter(|_| keep(7));
            pin.rebase_ref = pin.rebase_ref.filter(|_| keep(8));
            pin
        })
    }

    #[test]
    fn every_pin_survives_as_one_line_of_printable_ascii() {
        for pin in pins() {
            let text = encode_pin(&pin);
            assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
            assert_eq!(decode_pin(&text), Some(pin), "{text}");
            assert_eq!(decode_pin(&format!(" {text}\r\n")), decode_pin(&text));
        }
    }

    #[test]
    fn no_log_and_an_empty_log_are_two_things() {
        let empty = Pin {
            log_length: Some(0),
            ..Pin::default()
        };
        assert_eq!(encode_pin(&empty), "1;len=0");
        assert_eq!(encode_pin(&Pin::default()), "1");
        assert_eq!(decode_pin("1"), Some(Pin::default()));
    }

    #[test]
    fn a_field_of_a_later_version_is_skipped() {
        assert_eq!(decode_pin("1;mood=good;len=3"), decode_pin("1;len=3"));
    }

    #[test]
    fn the_text_stays_bounded() {
        let long = Pin {
            merge_heads: vec![oid('a'); 1000],
            rebase_ref: Some("é".repeat(2000)),
            ..full()
        };
        let text = encode_pin(&long);
        assert!(text.len() < LONGEST_PIN);
        let read = decode_pin(&text).unwrap();
        assert_eq!((read.merge_heads.len(), read.rebase_ref), (MOST_MERGE_HEADS, None));
        let name = Pin {
            rebase_ref: Some("é".repeat(512)),
            merge_heads: vec![long.revert_head.unwrap(); 64],
            ..full()
        };
        assert_eq!(decode_pin(&encode_pin(&name)), Some(name));
    }

    #[test]
    fn what_is_no_pin_is_none() {
        let long = format!("1;x={}", "a".repeat(LONGEST_PIN));
        for text in [
            "",
            "2",
            "2;len=1",
            "len=1",
            "1;",
            "1;len",
            "1;len=",
            "1;len=+1",
            "1;len=-1",
            "1;len=99999999999999999999",
            "1;len=1;len=1",
            "1;last=1,2,3",
            "1;op=Merge",
            "1;op=",
            "1;merge=",
            "1;merge=abc",
            "1;pick=",
            "1;ref=%",
            "1;ref=%zz",
            "1;ref=%ff",
            "1; len=1",
            "1;len=1\n1;len=2",
            "1;ref=é",
            &long,
        ] {
            assert_eq!(decode_pin(text), None, "{text:.60}");
        }
    }

    #[test]
    fn no_damage_panics_or_changes_what_is_left() {
        let text = encode_pin(&full());
        for end in 0..text.len() {
            let _ = decode_pin(&text[..end]);
        }
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = b'~';
            let _ = decode_pin(std::str::from_utf8(&bytes).unwrap());
        }
    }
}
