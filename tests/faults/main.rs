//! The promise under faults: whatever cannot be read, no file of the agent's is hidden, no path is left out, and an
//! answer that differs from the one without faults says why. Only what leaves nothing to show is refused: a snapshot,
//! or the change on disk, that cannot be read.
//!
//! Every read of every card fails once, in every way; of every patch, some.

mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use turn_attribution::git::faults::{Fault, FaultPlan, FaultySource, PANIC, Read, ReadKind};
use turn_attribution::git::{LibgitSource, Stop};
use turn_attribution::model::outcome::{Attribution, Demoted, ShownFile, Status, TurnAttribution, Verdict};
use turn_attribution::model::patch::{DiffOptions, TurnDiff};
use turn_attribution::model::{Error, ErrorCode, GitSource, Oid, RepoPath, TurnRequest};
use turn_attribution::turn::{attribute_turn, diff_turn, explain_path};

use turns::{Turn, turns};

/// An answer, as far as the promise is about it.
struct Answer {
    /// Each shown path, also what a rename took away.
    shown: BTreeSet<RepoPath>,
    demoted: BTreeSet<RepoPath>,
    attribution: Attribution,
    /// Whether a count is missing of a file that is not binary: then its content could not be read.
    has_unread: bool,
    /// The files that are shown whole, since their own reason is that something could not be told apart.
    mixed: BTreeSet<RepoPath>,
    /// All of it, to compare.
    whole: String,
}

impl Answer {
    fn of_card(turn: TurnAttribution) -> Answer {
        let whole = format!("{:?}", (&turn.shown, &turn.demoted, &turn.branch_transition));
        let files = turn.shown.iter();
        let paths = files.flat_map(
            |ShownFile {
                 path, previous_path, ..
             }| [Some(path), previous_path.as_ref()],
        );
        Answer {
            shown: paths.flatten().cloned().collect(),
            demoted: demoted_paths(&turn.demoted),
            mixed: turn
                .shown
                .iter()
                .filter(|file| file.mixed)
                .map(|file| file.path.clone())
                .collect(),
            has_unread: turn.shown.iter().any(|file| file.additions.is_none() && !file.binary),
            attribution: turn.attribution,
            whole,
        }
    }

    fn of_patch(diff: TurnDiff) -> Answer {
        let text = String::from_utf8_lossy(&diff.patch).into_owned();
        let whole = format!("{:?}{text}", (&diff.files, &diff.demoted, &diff.branch_transition));
        let shown = diff
            .files
            .iter()
            .filter(|file| matches!(file.verdict, Verdict::Shown(_)));
        let paths = shown.flat_map(|file| [Some(&file.path), file.previous_path.as_ref()]);
        Answer {
            shown: paths.flatten().cloned().collect(),
            demoted: demoted_paths(&diff.demoted),
            mixed: diff
                .files
                .iter()
                .filter(|file| file.mixed)
                .map(|file| file.path.clone())
                .collect(),
            has_unread: diff.files.iter().any(|file| file.additions.is_none() && !file.binary),
            attribution: diff.attribution,
            whole,
        }
    }

    fn paths(&self) -> BTreeSet<&RepoPath> {
        self.shown.iter().chain(&self.demoted).collect()
    }

    /// What is wrong with an answer, beside the one without faults.
    fn breach(&self, faultless: &Answer) -> Option<String> {
        let hidden: Vec<_> = faultless.shown.difference(&self.shown).collect();
        if !hidden.is_empty() {
            return Some(format!("hides {hidden:?}"));
        }
        if self.paths() != faultless.paths() {
            return Some(format!("covers {:?}", self.paths()));
        }
        let notes = |answer: &Answer| answer.attribution.notes.iter().copied().collect::<BTreeSet<_>>();
        let says_why = matches!(self.attribution.status, Status::NotAttributed(..))
            || !notes(self).is_subset(&notes(faultless))
            || self.has_unread
            || !self.mixed.is_subset(&faultless.mixed);
        (self.whole != faultless.whole && !says_why).then(|| "differs and does not say why".into())
    }
}

fn demoted_paths(demoted: &Demoted) -> BTreeSet<RepoPath> {
    let files = demoted.files.as_deref().unwrap_or_default();
    assert_eq!(files.len(), demoted.file_count);
    files.iter().map(|file| file.path.clone()).collect()
}

type Asked = fn(&dyn GitSource, &TurnRequest) -> Result<Answer, Error>;

const CARD: Asked = |source, request| attribute_turn(source, request).map(Answer::of_card);
const PATCH: Asked = |source, request| diff_turn(source, request, &DiffOptions::default()).map(Answer::of_patch);
/// Asks for nothing but what a refusal may come from: the snapshots and the change on disk.
const SNAPSHOTS: Asked = |source, request| {
    let nowhere = RepoPath::from("no/such/path");
    explain_path(source, request, &nowhere).map(|_| unreachable!("it did not change"))
};

fn ask(turn: &Turn, request: &TurnRequest, plan: Option<FaultPlan>, asked: Asked) -> (Outcome, Vec<Read>) {
    let inner = LibgitSource::open(&turn.scene.work(), Stop::never()).unwrap();
    let source = FaultySource::new(inner, plan);
    let outcome = match catch_unwind(AssertUnwindSafe(|| asked(&source, request))) {
        Ok(Ok(answer)) => Outcome::Answered(answer),
        Ok(Err(error)) => Outcome::Refused(error),
        Err(panic) => Outcome::Panicked(
            panic
                .downcast_ref::<&str>()
                .map(|text| text.to_string())
                .unwrap_or_default(),
        ),
    };
    (outcome, source.reads())
}

enum Outcome {
    Answered(Answer),
    Refused(Error),
    Panicked(String),
}

/// The reads that leave nothing to show where they fail.
fn needed(turn: &Turn) -> BTreeSet<(ReadKind, Option<Oid>)> {
    let TurnRequest { from, between, to, .. } = &turn.request;
    let mut checkpoints: Vec<_> = [from].into_iter().chain(between).chain([to]).cloned().collect();
    for checkpoint in &mut checkpoints {
        checkpoint.head = None;
    }
    let pairs = checkpoints.windows(2).map(|pair| (&pair[0], &pair[1]));
    let ends = (&checkpoints[0], &checkpoints[checkpoints.len() - 1]);
    pairs
        .chain([ends])
        .flat_map(|(from, to)| {
            let request = TurnRequest {
                from: from.clone(),
                to: to.clone(),
                ..TurnRequest::default()
            };
            ask(turn, &request, None, SNAPSHOTS).1
        })
        .map(|read| (read.kind, read.oid))
        .collect()
}

/// Each plan that is to be tried on so many reads.
fn plans(reads: usize, all: bool) -> impl Iterator<Item = FaultPlan> {
    let spread = |at: &usize| [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233].contains(at);
    let plan = |fault, at, lasting| FaultPlan {
        fault,
        kind: None,
        at,
        lasting,
    };
    let each = (1..=reads).filter(move |at| all || spread(at)).flat_map(move |at| {
        let rare = [Fault::Limit, Fault::Slow, Fault::Panic, Fault::TimedOut]
            .into_iter()
            .filter(move |_| spread(&at));
        [
            plan(Fault::Missing, at, true),
            plan(Fault::Unreadable, at, true),
            plan(Fault::Repository, at, false),
        ]
        .into_iter()
        .chain(rare.map(move |fault| plan(fault, at, false)))
    });
    let kinds = ReadKind::ALL.into_iter().flat_map(|kind| {
        [Fault::Missing, Fault::Unreadable, Fault::Repository, Fault::Limit].map(|fault| FaultPlan {
            fault,
            kind: Some(kind),
            at: 0,
            lasting: false,
        })
    });
    each.chain(kinds)
}

#[test]
fn the_promise_holds_under_every_fault() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut breaches: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut tried = 0;
    for turn in turns() {
        let needed = needed(&turn);
        for (name, asked) in [("card", CARD), ("patch", PATCH)] {
            let (Outcome::Answered(faultless), reads) = ask(&turn, &turn.request, None, asked) else {
                panic!("{}: no answer without faults", turn.name);
            };
            for plan in plans(reads.len(), name == "card") {
                tried += 1;
                let (outcome, reads) = ask(&turn, &turn.request, Some(plan), asked);
                let struck: Vec<_> = reads.iter().filter(|read| read.failed).collect();
                let may_refuse = struck.iter().any(|read| needed.contains(&(read.kind, read.oid)));
                let breach = match outcome {
                    Outcome::Answered(answer) => answer.breach(&faultless),
                    Outcome::Panicked(said) => {
                        (plan.fault != Fault::Panic || said != PANIC).then(|| format!("panics: {said}"))
                    }
                    Outcome::Refused(error) => {
                        let stable = [
                            ErrorCode::SnapshotMissing,
                            ErrorCode::RepositoryUnreadable,
                            ErrorCode::TooLarge,
                            ErrorCode::TimedOut,
                        ];
                        (!may_refuse || !stable.contains(&error.code)).then(|| format!("refuses: {error:?}"))
                    }
                };
                if let Some(breach) = breach {
                    let key = format!("{}, {name}: {breach}", turn.name);
                    let kinds = struck.first().map(|read| (read.kind, read.oid));
                    breaches.entry(key).or_default().push(format!("{plan:?} at {kinds:?}"));
                }
            }
        }
        eprintln!("{}: {tried} tried so far", turn.name);
    }
    let _ = std::panic::take_hook();
    let told: String = breaches
        .iter()
        .map(|(breach, plans)| format!("{breach}\n    {} times, first {}\n", plans.len(), plans[0]))
        .collect();
    assert!(breaches.is_empty(), "of {tried} answers\n{told}");
}
