//! Steps 17 to 20: the verdict for one path. This is the rule of the whole project in one function.

use crate::model::outcome::{Decision, DemotedReason, ShownReason, Verdict};
use crate::model::{Change, Entry};

/// What is known of a path of the tree delta.
#[derive(Clone, Copy, Debug)]
pub struct PathFacts<'a> {
    /// Its change between the snapshots.
    pub change: &'a Change,
    /// Its state in the expected tree.
    pub expected: Option<Entry>,
    /// Whether a replay or merge stopped on it, so that the expected state is no proof.
    pub untrusted: bool,
    /// Whether a commit changed it of which nothing tells whether it was made in the turn.
    pub unproven: bool,
    /// Whether a merge or pick of the turn stops on it on the real trees.
    pub redo_conflict: bool,
    /// Whether a late commit touches it and a commit made here changed it by hand.
    pub by_hand_and_late: bool,
    /// Whether the start snapshot held an uncommitted change of it.
    pub was_dirty: bool,
    /// Whether the turn made commits that were replayed.
    pub replayed: bool,
}

/// The verdict for a path of a turn in which HEAD moved.
pub fn decide(facts: &PathFacts<'_>) -> Decision {
    let whole = |reason| Decision {
        verdict: Verdict::Shown(reason),
        mixed: true,
        base: facts.change.old,
    };
    if facts.untrusted {
        return whole(if facts.unproven {
            ShownReason::UnprovenCommit
        } else {
            ShownReason::Conflict
        });
    }
    let moved_too = facts.expected != facts.change.old;
    if facts.by_hand_and_late && moved_too {
        return whole(ShownReason::LateCommit);
    }
    if facts.expected != facts.change.new {
        let reason = match (facts.redo_conflict, moved_too) {
            (true, _) => ShownReason::RedoConflict,
            (false, true) => ShownReason::EditedAfterMove,
            (false, false) => ShownReason::Authored,
        };
        return Decision {
            verdict: Verdict::Shown(reason),
            mixed: false,
            base: facts.expected,
        };
    }
    if facts.redo_conflict {
        return whole(ShownReason::RedoConflict);
    }
    let reason = match (facts.was_dirty, facts.replayed) {
        (true, _) => DemotedReason::MergedWithUncommitted,
        (false, true) => DemotedReason::Replayed,
        (false, false) => DemotedReason::MovedByHistory,
    };
    Decision {
        verdict: Verdict::Demoted(reason),
        mixed: false,
        base: facts.change.old,
    }
}

/// The verdict where nothing is known of history, or there is none: the whole change is shown, and where
/// HEAD moved it may hold what only moved.
pub fn shown_whole(change: &Change, head_moved: bool) -> Decision {
    let reason = if head_moved {
        ShownReason::NotAttributed
    } else {
        ShownReason::HeadNotMoved
    };
    Decision {
        verdict: Verdict::Shown(reason),
        mixed: head_moved,
        base: change.old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileMode, Oid};

    fn state(digit: u8) -> Option<Entry> {
        Some(Entry {
            mode: FileMode::REGULAR,
            oid: Oid::from_bytes(&[digit; 20]).unwrap(),
        })
    }

    const SHOWN: fn(ShownReason, bool, Option<Entry>) -> Decision = |reason, mixed, base| Decision {
        verdict: Verdict::Shown(reason),
        mixed,
        base,
    };

    /// The verdict for a change from 1 to 2, for the expected state and what else is known.
    fn verdict(expected: Option<Entry>, change_facts: fn(&mut PathFacts<'_>)) -> Decision {
        let change = Change {
            old: state(1),
            new: state(2),
        };
        let mut facts = PathFacts {
            change: &change,
            expected,
            untrusted: false,
            unproven: false,
            redo_conflict: false,
            by_hand_and_late: false,
            was_dirty: false,
            replayed: false,
        };
        change_facts(&mut facts);
        decide(&facts)
    }

    #[test]
    fn what_is_as_expected_is_demoted_and_everything_else_is_shown() {
        let demoted = |facts| verdict(state(2), facts).verdict;
        assert_eq!(demoted(|_| {}), Verdict::Demoted(DemotedReason::MovedByHistory));
        assert_eq!(
            demoted(|facts| facts.replayed = true),
            Verdict::Demoted(DemotedReason::Replayed)
        );
        assert_eq!(
            demoted(|facts| facts.was_dirty = true),
            Verdict::Demoted(DemotedReason::MergedWithUncommitted)
        );
        assert_eq!(verdict(state(1), |_| {}), SHOWN(ShownReason::Authored, false, state(1)));
        assert_eq!(
            verdict(state(3), |_| {}),
            SHOWN(ShownReason::EditedAfterMove, false, state(3))
        );
        assert_eq!(verdict(None, |_| {}), SHOWN(ShownReason::EditedAfterMove, false, None));
    }

    #[test]
    fn a_mode_alone_is_a_difference() {
        let executable = state(2).map(|entry| Entry {
            mode: FileMode::EXECUTABLE,
            ..entry
        });
        assert_eq!(
            verdict(executable, |_| {}).verdict,
            Verdict::Shown(ShownReason::EditedAfterMove)
        );
    }

    #[test]
    fn doubt_shows_the_whole_change() {
        for expected in [state(1), state(2), state(3), None] {
            let decision = verdict(expected, |facts| facts.untrusted = true);
            assert_eq!(decision, SHOWN(ShownReason::Conflict, true, state(1)));
        }
        assert_eq!(
            verdict(state(2), |facts| facts.redo_conflict = true),
            SHOWN(ShownReason::RedoConflict, true, state(1))
        );
        assert_eq!(
            verdict(state(3), |facts| facts.redo_conflict = true),
            SHOWN(ShownReason::RedoConflict, false, state(3))
        );
        for expected in [state(2), state(3)] {
            let decision = verdict(expected, |facts| facts.by_hand_and_late = true);
            assert_eq!(decision, SHOWN(ShownReason::LateCommit, true, state(1)));
        }
        // Nothing moved on the path: the change is the agent's alone.
        assert!(!verdict(state(1), |facts| facts.by_hand_and_late = true).mixed);
    }
}
