//! The facts about a checkpoint inside its commit message, for hosts that have no better place for them.
//!
//! One `key=value` a line, from the line's first column to its end. What is not exactly such a line belongs to the
//! host. Values are escaped, so a word in parentheses can stand for a fact that is no value:
//!
//! ```text
//! turn-head=(unborn)
//! turn-branch=feature/a%20b
//! turn-pin=1;len=1042
//! turn-started-at=1767225600000
//! ```

use crate::model::Oid;
use crate::rules::escape::{escape, unescape};

const HEAD: &str = "turn-head";
const BRANCH: &str = "turn-branch";
const PIN: &str = "turn-pin";
const STARTED_AT: &str = "turn-started-at";
const UNBORN: &str = "(unborn)";
const DETACHED: &str = "(detached)";

/// What was recorded at a checkpoint. The outer `None` is "not recorded", in old messages always; the inner one is a
/// fact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedFacts {
    /// The head commit; `Some(None)`: unborn.
    pub head: Option<Option<Oid>>,
    /// The branch; `Some(None)`: detached.
    pub branch: Option<Option<String>>,
    /// The pin, as text.
    pub pin: Option<String>,
    /// When the turn began that starts at this checkpoint, in milliseconds since the epoch.
    pub turn_started_at: Option<f64>,
}

enum Fact {
    Head(Option<Oid>),
    Branch(Option<String>),
    Pin(String),
    StartedAt(f64),
}

/// Writes the facts into a message, in place of any that it holds. The host's own lines stay as they are; only
/// blank lines at the end may change. A value that cannot be right (a time that is no time, an empty name) is
/// not written.
pub fn write_facts(message: &str, facts: &RecordedFacts) -> String {
    let line_end = if message.contains("\r\n") { "\r\n" } else { "\n" };
    let own: String = message
        .split_inclusive('\n')
        .filter(|line| read_line(line).is_none())
        .collect();
    // Whole line ends only: without a return of its own the host's last line could become a fact.
    let mut own = &own[..];
    while let Some(before) = own.strip_suffix('\n') {
        own = before.strip_suffix('\r').unwrap_or(before);
    }
    let mut lines = Vec::new();
    if let Some(head) = &facts.head {
        lines.push(format!(
            "{HEAD}={}",
            head.map_or(UNBORN.to_owned(), |oid| oid.to_string())
        ));
    }
    if let Some(branch) = &facts.branch {
        lines.push(format!(
            "{BRANCH}={}",
            branch.as_deref().map_or(DETACHED.to_owned(), escape)
        ));
    }
    if let Some(pin) = &facts.pin {
        lines.push(format!("{PIN}={}", escape(pin)));
    }
    if let Some(time) = facts.turn_started_at {
        lines.push(format!("{STARTED_AT}={time}"));
    }
    lines.retain(|line| read_line(line).is_some());
    let mut written = own.to_owned();
    if !own.is_empty() {
        written.push_str(line_end);
        if !lines.is_empty() {
            written.push_str(line_end);
        }
    }
    for line in lines {
        written.push_str(&line);
        written.push_str(line_end);
    }
    written
}

/// Reads the facts from a message. Where a key stands more than once the last one counts.
pub fn read_facts(message: &str) -> RecordedFacts {
    let mut facts = RecordedFacts::default();
    for fact in message.split('\n').filter_map(read_line) {
        match fact {
            Fact::Head(head) => facts.head = Some(head),
            Fact::Branch(branch) => facts.branch = Some(branch),
            Fact::Pin(pin) => facts.pin = Some(pin),
            Fact::StartedAt(time) => facts.turn_started_at = Some(time),
        }
    }
    facts
}

fn read_line(line: &str) -> Option<Fact> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let (key, value) = line.strip_suffix('\r').unwrap_or(line).split_once('=')?;
    if value.is_empty() {
        return None;
    }
    match (key, value) {
        (HEAD, UNBORN) => Some(Fact::Head(None)),
        (HEAD, hex) => Some(Fact::Head(Some(
            Oid::from_hex(hex.as_bytes()).filter(|oid| !oid.is_zero())?,
        ))),
        (BRANCH, DETACHED) => Some(Fact::Branch(None)),
        (BRANCH, name) => Some(Fact::Branch(Some(unescape(name)?))),
        (PIN, pin) => Some(Fact::Pin(unescape(pin)?)),
        (STARTED_AT, time) => {
            let plain = time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let time: f64 = plain.then(|| time.parse().ok())??;
            time.is_finite().then_some(Fact::StartedAt(time))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(digits: usize) -> Oid {
        Oid::from_hex("a1".repeat(digits / 2).as_bytes()).unwrap()
    }

    const MESSAGES: [&str; 12] = [
        "",
        "\n",
        "t3 checkpoint",
        "t3 checkpoint\n",
        "t3 checkpoint\n\n\n",
        "t3 checkpoint\r\n\r\nref=refs/t3/1\r\n",
        "subject\n\nbody=1\nturn-head\nturn-head:a\n",
        " turn-head=(unborn)\nTurn-Head=(unborn)\nturn-heads=1\nxturn-head=(unborn)\nturn-head =(unborn)\n",
        "turn-head=(unborn) as it were\nturn-head= (unborn)\nturn-branch=two words\nturn-started-at=now\n",
        "turn-head=\nturn-head=abc\nturn-branch=\nturn-branch=%zz\nturn-pin=\nturn-started-at=-1",
        "turn-head=0000000000000000000000000000000000000000\nturn-started-at=inf\nturn-started-at=1e3\nturn-started-at=1.2.3",
        "ä\u{2028}turn-head=(unborn)\rturn-branch=x\n\u{feff}turn-branch=x",
    ];

    fn every_fact() -> Vec<RecordedFacts> {
        let heads = [None, Some(None), Some(Some(oid(40))), Some(Some(oid(64)))];
        let names = [
            "main",
            "a=b",
            "a b",
            "tür",
            "x\u{2028}y",
            "a\nturn-head=(unborn)",
            "\r",
            "(detached)",
            "%41",
            "a;b",
            "\u{fffd}",
        ];
        let branches = [None, Some(None)]
            .into_iter()
            .chain(names.map(|name| Some(Some(name.to_owned()))));
        let pins = [
            None,
            Some("1;len=3;last=a,b,c".to_owned()),
            Some("pin of\nanother host %=".to_owned()),
        ];
        let times = [
            None,
            Some(0.0),
            Some(1_767_225_600_123.0),
            Some(1_767_225_600_123.456),
            Some(f64::MAX),
        ];
        let mut all = Vec::new();
        for branch in branches {
            for head in heads {
                for pin in &pins {
                    for turn_started_at in times {
                        all.push(RecordedFacts {
                            head,
                            branch: branch.clone(),
                            pin: pin.clone(),
                            turn_started_at,
                        });
                    }
                }
            }
        }
        all
    }

    #[test]
    fn old_messages_and_look_alikes_record_nothing() {
        for message in MESSAGES {
            assert_eq!(read_facts(message), RecordedFacts::default(), "{message:?}");
        }
    }

    #[test]
    fn every_fact_survives_in_every_message() {
        for facts in every_fact() {
            for message in MESSAGES {
                let written = write_facts(message, &facts);
                assert_eq!(read_facts(&written), facts, "{written:?}");
                let own = message.trim_end_matches(['\r', '\n']);
                assert!(written.starts_with(own), "{written:?}");
                assert_eq!(read_facts(&written.replace("\r\n", "\n").replace('\n', "\r\n")), facts);
            }
        }
    }

    #[test]
    fn writing_again_replaces() {
        let (first, last) = (
            every_fact().pop().unwrap(),
            RecordedFacts {
                head: Some(None),
                ..Default::default()
            },
        );
        for message in MESSAGES {
            let once = write_facts(message, &last);
            assert_eq!(write_facts(&write_facts(message, &first), &last), once);
            assert_eq!(write_facts(&once, &last), once);
            assert_eq!(
                read_facts(&write_facts(&once, &RecordedFacts::default())),
                RecordedFacts::default()
            );
        }
    }

    #[test]
    fn the_facts_are_a_paragraph_of_their_own() {
        let facts = RecordedFacts {
            head: Some(None),
            branch: Some(Some("a b".to_owned())),
            ..Default::default()
        };
        assert_eq!(
            write_facts("subject", &facts),
            "subject\n\nturn-head=(unborn)\nturn-branch=a%20b\n"
        );
        assert_eq!(write_facts("", &facts), "turn-head=(unborn)\nturn-branch=a%20b\n");
        assert_eq!(
            write_facts("s\r\n", &facts),
            "s\r\n\r\nturn-head=(unborn)\r\nturn-branch=a%20b\r\n"
        );
    }

    #[test]
    fn what_cannot_be_right_is_not_written() {
        for time in [f64::NAN, f64::INFINITY, -1.0] {
            let facts = RecordedFacts {
                turn_started_at: Some(time),
                ..Default::default()
            };
            assert_eq!(write_facts("x\n", &facts), "x\n");
        }
        let empty = RecordedFacts {
            branch: Some(Some(String::new())),
            pin: Some(String::new()),
            ..Default::default()
        };
        assert_eq!(write_facts("x\n", &empty), "x\n");
    }

    #[test]
    fn the_last_of_several_counts() {
        assert_eq!(
            read_facts("turn-branch=a\nturn-branch=b\nturn-branch=%").branch,
            Some(Some("b".to_owned()))
        );
    }

    #[test]
    fn a_line_of_the_host_does_not_become_a_fact() {
        let message = "subject\nturn-pin=1\r\r\nturn-head=(unborn)\n";
        let facts = read_facts(message);
        assert_eq!((&facts.pin, facts.head), (&None, Some(None)));
        assert_eq!(read_facts(&write_facts(message, &facts)), facts);
    }
}
