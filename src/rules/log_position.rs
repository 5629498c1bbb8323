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
}

/// The turn's part of a log, and how sure that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// Indexes of the turn's entries.
    pub turn: Range<usize>,
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
            pinned: false,
            told: false,
            lost: recorded,
        };
    };
    let entries = &log.entries;
    let start = match from.pin {
        Some(pin) => pinned(entries, pin),
        None => started_by_time(entries, from),
    };
    let Some(start) = start else {
        return LogPosition {
            turn: 0..entries.len(),
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
            pinned: false,
            told: false,
            lost: to.pin.is_some(),
        };
    };
    let told = log.whole && is_told(&entries[start..end], from.head, to.head);
    LogPosition {
        turn: start..end,
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

fn started_by_time(entries: &[LogEntry], from: Standing<'_>) -> Option<usize> {
    let Some(head) = from.head else {
        let before = entries.iter().rposition(|entry| entry.seconds < from.seconds);
        return Some(before.map_or(0, |index| index + 1));
    };
    let stood = |entry: &LogEntry| entry.new == head;
    let before = entries
        .iter()
        .rposition(|entry| stood(entry) && entry.seconds < from.seconds);
    before.or_else(|| entries.iter().position(stood)).map(|index| index + 1)
}

fn ended_by_time(entries: &[LogEntry], start: usize, to: Standing<'_>) -> Option<usize> {
    let Some(head) = to.head else {
        return Some(entries.len());
    };
    let last = entries[start..]
        .iter()
        .rposition(|entry| entry.new == head && entry.seconds <= to.seconds);
    last.map(|index| start + index + 1)
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
