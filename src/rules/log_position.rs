//! Which entries of `logs/HEAD` belong to the turn.

use std::ops::Range;

use super::reflog::{LogEntry, ParsedLog, Word};
use crate::model::{Oid, Pin};

/// Where HEAD stood at a checkpoint: what places it in the log.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The head; `None` is unborn.
    pub head: Option<Oid>,
    /// The pin, where the host kept it.
    pub pin: Option<&'a Pin>,
    /// Seconds since the epoch: the turn's start, or the end snapshot's time.
    pub seconds: i64,
    /// Seconds since the epoch: when the snapshot was taken. From then to the turn's start nobody's turn ran.
    pub snapshot: i64,
}

/// The turn's part of a log, and how sure that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// Indexes of the turn's entries.
    pub turn: Range<usize>,
    /// How many entries before them were written between the start snapshot and the turn's start: what a user did
    /// in the meantime is no part of the turn.
    pub idle: usize,
    /// Whether both ends were found by their pins.
    pub pinned: bool,
    /// Whether an unbroken chain of known words leads from the one head to the other.
    pub told: bool,
    /// Whether entries that were there are gone: nothing the log does not say counts.
    pub lost: bool,
}

/// Finds the entries between two checkpoints. Without a pin, doubt takes more entries, never fewer.
pub fn locate(log: Option<&ParsedLog>, from: Standing<'_>, to: Standing<'_>) -> LogPosition {
    let Some(log) = log else {
        let recorded = [from, to]
            .iter()
            .any(|mark| mark.pin.is_some_and(|pin| pin.last_entry.is_some()));
        return LogPosition {
            turn: 0..0,
            idle: 0,
            pinned: false,
            told: false,
            lost: recorded,
        };
    };
    let entries = &log.entries;
    let start = match from.pin {
        Some(pin) => pinned(entries, pin),
        None => started_by_time(entries, from, to.seconds),
    };
    let Some(start) = start else {
        return LogPosition {
            turn: 0..entries.len(),
            idle: 0,
            pinned: false,
            told: false,
            lost: true,
        };
    };
    let end = match to.pin {
        Some(pin) => pinned(entries, pin).filter(|&end| end >= start),
        None => ended_by_time(entries, start, to),
    };
    let Some(end) = end else {
        return LogPosition {
            turn: start..entries.len(),
            idle: 0,
            pinned: false,
            told: false,
            lost: true,
        };
    };
    let told = log.whole && is_told(&entries[start..end], from.head, to.head);
    let in_the_meantime = |entry: &&LogEntry| from.snapshot <= entry.seconds && entry.seconds < from.seconds;
    let idle = entries[start..end].iter().take_while(in_the_meantime).count();
    LogPosition {
        turn: start + idle..end,
        idle,
        pinned: from.pin.is_some() && to.pin.is_some(),
        told,
        lost: false,
    }
}

/// The index after the pinned entry: at its byte position, or wherever it stands since older ones expired.
fn pinned(entries: &[LogEntry], pin: &Pin) -> Option<usize> {
    if pin.log_length.is_none_or(|length| length == 0) {
        return Some(0);
    }
    let last = pin.last_entry?;
    let is_it = |entry: &LogEntry| entry.mark.same_entry(&last);
    let at_position = entries
        .iter()
        .position(|entry| Some(entry.end as u64) == pin.log_length);
    let found = at_position.filter(|&index| is_it(&entries[index]));
    found.or_else(|| entries.iter().rposition(is_it)).map(|index| index + 1)
}

/// The last entry that put HEAD where it stood, dated before the start; or else the first such entry, unless it
/// was written after the turn.
fn started_by_time(entries: &[LogEntry], from: Standing<'_>, end: i64) -> Option<usize> {
    let Some(head) = from.head else {
        let before = entries.iter().rposition(|entry| entry.seconds < from.seconds);
        return Some(before.map_or(0, |index| index + 1));
    };
    let stood = |entry: &LogEntry| entry.new == head;
    let before = entries
        .iter()
        .rposition(|entry| stood(entry) && entry.seconds < from.seconds);
    let first = || entries.iter().position(|entry| stood(entry) && entry.seconds <= end);
    before.or_else(first).map(|index| index + 1)
}

/// After the last entry that put HEAD where it ended, dated until then; a clock set by hand may date it later.
fn ended_by_time(entries: &[LogEntry], start: usize, to: Standing<'_>) -> Option<usize> {
    let Some(head) = to.head else {
        return Some(entries.len());
    };
    let until = |end: i64| {
        entries[start..]
            .iter()
            .rposition(|entry| entry.new == head && entry.seconds <= end)
    };
    until(to.seconds)
        .or_else(|| until(i64::MAX))
        .map(|index| start + index + 1)
}

fn is_told(turn: &[LogEntry], from: Option<Oid>, to: Option<Oid>) -> bool {
    let at = |oid: Oid| if oid.is_zero() { None } else { Some(oid) };
    let mut stands = from;
    for entry in turn {
        if at(entry.old) != stands || entry.word() == Word::Unknown {
            return false;
        }
        stands = at(entry.new);
    }
    stands == to
}

#[cfg(test)]
mod tests {
    use super::super::reflog::parse;
    use super::*;

    fn oid(digit: char) -> Oid {
        Oid::from_hex(String::from(digit).repeat(40).as_bytes()).unwrap()
    }

    /// A log of `(old, new, seconds, message)`.
    fn log(entries: &[(char, char, i64, &str)]) -> (String, ParsedLog) {
        let line = |&(old, new, seconds, message): &(char, char, i64, &str)| {
            format!("{} {} A <a@b> {seconds} +0000\t{message}\n", oid(old), oid(new))
        };
        let text: String = entries.iter().map(line).collect();
        let parsed = parse(text.as_bytes());
        (text, parsed)
    }

    /// The pin that was taken when the log had `lines` lines.
    fn pin(text: &str, lines: usize) -> Pin {
        let length: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
        let last = text
            .lines()
            .take(lines)
            .last()
            .and_then(|line| LogMark::of_line(line.as_bytes()));
        Pin {
            log_length: Some(length as u64),
            last_entry: last,
            ..Pin::default()
        }
    }

    use crate::model::LogMark;

    fn at(head: Option<char>, pin: Option<&Pin>, seconds: i64) -> Standing<'_> {
        Standing {
            head: head.map(oid),
            pin,
            seconds,
            snapshot: seconds,
        }
    }

    const HISTORY: [(char, char, i64, &str); 5] = [
        ('0', '1', 10, "commit (initial): x"),
        ('1', '2', 20, "commit: x"),
        ('2', '3', 5, "commit: backdated"),
        ('3', '4', 30, "merge b: Fast-forward"),
        ('4', '5', 40, "commit: after the turn"),
    ];

    #[test]
    fn pins_hold_against_clocks() {
        let (text, parsed) = log(&HISTORY);
        let (from, to) = (pin(&text, 2), pin(&text, 4));
        let found = locate(
            Some(&parsed),
            at(Some('2'), Some(&from), 25),
            at(Some('4'), Some(&to), 35),
        );
        assert_eq!(
            found,
            LogPosition {
                turn: 2..4,
                idle: 0,
                pinned: true,
                told: true,
                lost: false
            }
        );
    }

    #[test]
    fn pins_are_found_again_after_older_entries_expired() {
        let (text, _) = log(&HISTORY);
        let (from, to) = (pin(&text, 2), pin(&text, 4));
        let (_, expired) = log(&HISTORY[1..]);
        let found = locate(
            Some(&expired),
            at(Some('2'), Some(&from), 25),
            at(Some('4'), Some(&to), 35),
        );
        assert_eq!(
            found,
            LogPosition {
                turn: 1..3,
                idle: 0,
                pinned: true,
                told: true,
                lost: false
            }
        );
    }

    #[test]
    fn a_pinned_entry_that_is_gone_is_a_loss() {
        let (text, _) = log(&HISTORY);
        let (from, to) = (pin(&text, 2), pin(&text, 4));
        let standings = (at(Some('2'), Some(&from), 25), at(Some('4'), Some(&to), 35));
        for (_, rest) in [log(&[]), log(&HISTORY[3..])] {
            let found = locate(Some(&rest), standings.0, standings.1);
            assert!(found.lost && !found.told, "{found:?}");
        }
        assert!(locate(None, standings.0, standings.1).lost);
    }

    #[test]
    fn without_pins_doubt_takes_more_entries() {
        let (_, parsed) = log(&HISTORY);
        let found = locate(Some(&parsed), at(Some('2'), None, 25), at(Some('4'), None, 35));
        assert_eq!(
            found,
            LogPosition {
                turn: 2..4,
                idle: 0,
                pinned: false,
                told: true,
                lost: false
            }
        );
        // The start is dated after the entry that set its head: the first such entry serves.
        let found = locate(Some(&parsed), at(Some('3'), None, 1), at(Some('4'), None, 35));
        assert_eq!(found.turn, 3..4);
        // No entry explains the end: everything after the start is taken, and nothing is told.
        let found = locate(Some(&parsed), at(Some('2'), None, 25), at(Some('9'), None, 35));
        assert_eq!((found.turn, found.told, found.lost), (2..5, false, true));
        // The start is found only where HEAD came back after the turn: it proves nothing.
        let found = locate(Some(&parsed), at(Some('5'), None, 25), at(Some('4'), None, 35));
        assert!(found.lost);
        // No entry explains the start: the log was cut.
        let found = locate(Some(&parsed), at(Some('8'), None, 25), at(Some('4'), None, 35));
        assert!(found.lost);
    }

    #[test]
    fn what_was_done_between_the_snapshot_and_the_start_is_not_of_the_turn() {
        let idle = [
            ('0', '1', 10, "commit (initial): x"),
            ('1', '2', 20, "commit: of the user"),
            ('2', '3', 30, "commit: of the agent"),
            ('3', '4', 25, "commit: of the agent, backdated"),
        ];
        let (text, parsed) = log(&idle);
        let (from, to) = (pin(&text, 1), pin(&text, 4));
        let standing = |seconds, snapshot| Standing {
            snapshot,
            ..at(Some('1'), Some(&from), seconds)
        };
        let located = |from| locate(Some(&parsed), from, at(Some('4'), Some(&to), 40));
        let found = located(standing(30, 15));
        assert_eq!((found.turn, found.idle, found.told), (2..4, 1, true));
        // Older than the snapshot: a clock set back, not the meantime.
        assert_eq!(located(standing(30, 21)).turn, 1..4);
        // The start is not told: there is no meantime.
        assert_eq!(located(standing(15, 15)).turn, 1..4);
    }

    #[test]
    fn a_log_that_never_was_is_no_loss() {
        let absent = Pin::default();
        let found = locate(None, at(Some('2'), Some(&absent), 25), at(Some('4'), Some(&absent), 35));
        assert_eq!(
            found,
            LogPosition {
                turn: 0..0,
                idle: 0,
                pinned: false,
                told: false,
                lost: false
            }
        );
        assert!(!locate(None, at(Some('2'), None, 25), at(Some('4'), None, 35)).lost);
    }

    #[test]
    fn a_broken_chain_or_an_unknown_word_tells_nothing() {
        let mut broken = HISTORY;
        broken[2].0 = '9';
        let mut unknown = HISTORY;
        unknown[2].3 = "filter-branch: rewrite";
        for history in [broken, unknown] {
            let (text, parsed) = log(&history);
            let (from, to) = (pin(&text, 2), pin(&text, 4));
            let found = locate(
                Some(&parsed),
                at(Some('2'), Some(&from), 25),
                at(Some('4'), Some(&to), 35),
            );
            assert_eq!((found.turn, found.told, found.lost), (2..4, false, false));
        }
    }

    #[test]
    fn an_unborn_head_is_where_the_log_begins() {
        let (text, parsed) = log(&HISTORY);
        let (from, to) = (Pin::default(), pin(&text, 2));
        let found = locate(Some(&parsed), at(None, Some(&from), 5), at(Some('2'), Some(&to), 25));
        assert_eq!(
            found,
            LogPosition {
                turn: 0..2,
                idle: 0,
                pinned: true,
                told: true,
                lost: false
            }
        );
    }
}
