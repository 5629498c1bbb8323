//! What is said of a turn.

use super::{Entry, Oid, OperationKind, RepoPath, SourceError};

/// What happened to a file, from the state it is compared with to its state in the end snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content or mode differs.
    Modified,
    /// It is gone.
    Deleted,
    /// It is new here, and like a file that is gone elsewhere.
    Renamed,
    /// It became another type: file, symbolic link, submodule.
    Typechange,
    /// A submodule was added, moved to another commit, or removed.
    Submodule,
}

/// Why a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownReason {
    /// HEAD did not move: every change on disk was made by hand.
    HeadNotMoved,
    /// The turn could not be attributed; see `attribution`.
    NotAttributed,
    /// No movement through git explains its state.
    Authored,
    /// It moved through git and was then changed by hand; what moved is left out.
    EditedAfterMove,
    /// A merge or replay of the turn stops on it when the hand is left out.
    Conflict,
    /// A merge or pick of the turn stops on it, so its state is a resolution.
    RedoConflict,
    /// A commit dated in the turn, made elsewhere, holds what the agent changed by hand.
    LateCommit,
    /// A commit holds it of which nothing tells whether it was made in the turn.
    UnprovenCommit,
    /// In a range: it was shown in a turn of the range.
    AuthoredInRange,
    /// In a range: the turns' movements do not compose on it.
    DoesNotCompose,
    /// In a range: a turn that changed it could not be attributed.
    TurnNotAttributed,
    /// In a range: a later turn's history renamed a file that an earlier turn authored.
    RenamedByHistory,
}

/// Why a file is demoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemotedReason {
    /// Its state is the one it has in the history that HEAD moved to.
    MovedByHistory,
    /// Its state is what git makes of that history and of changes that were uncommitted before.
    MergedWithUncommitted,
    /// Its state is what git makes by replaying commits that existed before.
    Replayed,
}

/// Why the lines of a file are not counted, which is not binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// A content is not in the repository.
    ContentMissing,
    /// A content is damaged.
    ContentUnreadable,
    /// A content is larger than what is read.
    ContentTooLarge,
    /// The time that the caller gave was over.
    TimeLimit,
}

/// A file of the turn that is the agent's.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownFile {
    /// Path in the end snapshot, or where it was deleted.
    pub path: RepoPath,
    /// Where a renamed file was before.
    pub previous_path: Option<RepoPath>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Lines added; `None` for binary files and where the content cannot be read.
    pub additions: Option<u32>,
    /// Lines removed; likewise.
    pub deletions: Option<u32>,
    /// Whether it is binary, by content or attribute.
    pub binary: bool,
    /// Why the lines are not counted, where it is not for being binary.
    pub uncounted: Option<Uncounted>,
    /// The state it is compared with: the expected one, or that of the start snapshot where `mixed`.
    pub old: Option<Entry>,
    /// The state in the end snapshot.
    pub new: Option<Entry>,
    /// Whether what moved could not be told from what was written: then the whole change is shown.
    pub mixed: bool,
    /// Why it is shown.
    pub reason: ShownReason,
}

/// A file of the turn that only moved through git.
#[derive(Clone, Debug, PartialEq)]
pub struct DemotedFile {
    /// Its path.
    pub path: RepoPath,
    /// What happened to it between the snapshots.
    pub kind: ChangeKind,
    /// Lines added, where they were asked for and it is not binary.
    pub additions: Option<u32>,
    /// Lines removed, likewise.
    pub deletions: Option<u32>,
    /// Why the lines are not counted, where they were asked for and it is not binary.
    pub uncounted: Option<Uncounted>,
    /// Why it is demoted.
    pub reason: DemotedReason,
}

/// What only moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demoted {
    /// How many files.
    pub file_count: usize,
    /// Lines added in all of them, where asked for.
    pub additions: Option<u64>,
    /// Lines removed in all of them, where asked for.
    pub deletions: Option<u64>,
    /// The files, where asked for.
    pub files: Option<Vec<DemotedFile>>,
}

/// How HEAD moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Not at all.
    None,
    /// To a descendant.
    FastForward,
    /// To an ancestor.
    Rewind,
    /// To another branch.
    Switch,
    /// To a line that replaces the one before (rebase, amend, reset).
    Rewrite,
    /// To a merge of it with another line.
    Merge,
    /// Off a branch.
    Detach,
    /// Onto a branch.
    Attach,
    /// To a first commit.
    Birth,
    /// The branch has another name.
    Rename,
    /// It is not known where HEAD was or is.
    Unknown,
}

/// What a git command did, as the log of HEAD tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// `git pull`.
    Pull,
    /// `git merge`.
    Merge,
    /// `git rebase`.
    Rebase,
    /// `git checkout`, `git switch`.
    Checkout,
    /// `git reset`.
    Reset,
    /// `git commit`.
    Commit,
    /// `git commit --amend`.
    Amend,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git am`.
    Am,
    /// `git clone`, or a first pull.
    Clone,
    /// `git branch`.
    Branch,
    /// Something else.
    Other,
}

/// A git action of the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitAction {
    /// Which command.
    pub kind: ActionKind,
    /// The branch, remote branch or commit that it was about, as short as it can be named.
    pub target: Option<String>,
}

/// Where HEAD was and is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchTransition {
    /// Branch at the start; `None` when detached or not recorded.
    pub from_branch: Option<String>,
    /// Branch at the end; likewise.
    pub to_branch: Option<String>,
    /// Head at the start; `None` when unborn or not recorded.
    pub from_head: Option<Oid>,
    /// Head at the end; likewise.
    pub to_head: Option<Oid>,
    /// How HEAD moved.
    pub kind: MoveKind,
    /// The git actions seen, in order.
    pub actions: Vec<GitAction>,
    /// The move in words for a person.
    pub label: String,
}

/// How strong the evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The log of HEAD tells the whole turn, between two pins.
    Reflog,
    /// The log tells the whole turn, placed by dates.
    Dates,
    /// The log is silent, broken or holds a word of no known command; what is not proven old counts as made here.
    Weak,
}

/// Why a turn could not be attributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAttributed {
    /// A checkpoint has no recorded head.
    HeadNotRecorded,
    /// A recorded head is not in the repository, or is no commit.
    HeadMissing,
    /// HEAD was born before and is unborn at the end.
    UnbornAtEnd,
    /// An object of the history between is missing.
    HistoryMissing,
    /// History is cut (shallow, grafted) where it was needed.
    HistoryCut,
    /// Entries of the log that were there at the turn are gone, and commits may have been made in it.
    ReflogLost,
    /// A limit was met.
    Limit,
    /// The time that the caller gave was over.
    TimeLimit,
    /// Something could not be read.
    Unreadable,
}

/// What else is to be known of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// The ref of the start checkpoint names another object now.
    FromRefMoved,
    /// The ref of the end checkpoint names another object now.
    ToRefMoved,
    /// The start of the turn is no time, or after its end: the start snapshot's own time served.
    TurnStartNotBelieved,
    /// A pin is not readable.
    PinNotUnderstood,
    /// A checkpoint has no pin: the log was searched by dates.
    NoPin,
    /// Entries of the log that were there at the turn are gone.
    ReflogLost,
    /// There is no log of HEAD.
    NoReflog,
    /// In a range: a turn could not be attributed; all that it changed counts as authored.
    TurnNotAttributed,
    /// There are more files than are named one by one.
    FilesCut,
    /// Something could not be read that the rest stands without.
    ReadFailed,
}

/// How the turn was attributed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// HEAD did not move; no history was read.
    Unmoved,
    /// What moved was told from what was written.
    Attributed(Evidence),
    /// It could not be: everything is shown.
    NotAttributed(NotAttributed, String),
}

/// How the turn was attributed, and what to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// The outcome.
    pub status: Status,
    /// Without repeats, in a fixed order.
    pub notes: Vec<Note>,
}

/// The truth about a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnAttribution {
    /// The agent's files, in byte order of the path: as many as were asked for.
    pub shown: Vec<ShownFile>,
    /// How many there are.
    pub shown_file_count: usize,
    /// What only moved.
    pub demoted: Demoted,
    /// Where HEAD went.
    pub branch_transition: BranchTransition,
    /// How it was attributed.
    pub attribution: Attribution,
    /// What git is in the middle of at the end.
    pub operation_in_progress: Option<OperationKind>,
}

/// A commit that took part in deciding a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedCommit {
    /// The commit.
    pub oid: Oid,
    /// What it was taken for.
    pub role: String,
}

/// What decided a file.
#[derive(Clone, Debug, PartialEq)]
pub struct PathExplanation {
    /// The file.
    pub path: RepoPath,
    /// Shown, and why.
    pub verdict: Verdict,
    /// Whether the whole change is shown because what moved could not be told apart.
    pub mixed: bool,
    /// State at the head of the start.
    pub start_head: Option<Entry>,
    /// State in the start snapshot.
    pub start: Option<Entry>,
    /// State at the head of the end.
    pub end_head: Option<Entry>,
    /// State in the end snapshot.
    pub end: Option<Entry>,
    /// State in the foreign tree: the turn's history without the agent's hand.
    pub mechanical: Option<Entry>,
    /// State in the expected tree.
    pub expected: Option<Entry>,
    /// The turn's commits that changed the file.
    pub commits: Vec<ExplainedCommit>,
    /// Content of the state that a shown file is compared with.
    pub expected_content: Option<Vec<u8>>,
}

/// Shown or demoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent's.
    Shown(ShownReason),
    /// Only moved.
    Demoted(DemotedReason),
}

/// A verdict, and what the change is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Shown or demoted, and why.
    pub verdict: Verdict,
    /// Whether the whole change is shown because what moved could not be told apart.
    pub mixed: bool,
    /// The state that the end snapshot's is compared with.
    pub base: Option<Entry>,
}

impl ChangeKind {
    /// The name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Renamed => "renamed",
            ChangeKind::Typechange => "typechange",
            ChangeKind::Submodule => "submodule",
        }
    }
}

impl ShownReason {
    /// The name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            ShownReason::HeadNotMoved => "head-not-moved",
            ShownReason::NotAttributed => "not-attributed",
            ShownReason::Authored => "authored",
            ShownReason::EditedAfterMove => "edited-after-move",
            ShownReason::Conflict => "conflict",
            ShownReason::RedoConflict => "redo-conflict",
            ShownReason::LateCommit => "late-commit",
            ShownReason::UnprovenCommit => "unproven-commit",
            ShownReason::AuthoredInRange => "authored-in-range",
            ShownReason::DoesNotCompose => "does-not-compose",
            ShownReason::TurnNotAttributed => "turn-not-attributed",
            ShownReason::RenamedByHistory => "renamed-by-history",
        }
    }
}

impl DemotedReason {
    /// The name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            DemotedReason::MovedByHistory => "moved-by-history",
            DemotedReason::MergedWithUncommitted => "merged-with-uncommitted",
            DemotedReason::Replayed => "replayed",
        }
    }
}

impl From<&SourceError> for Uncounted {
    fn from(error: &SourceError) -> Uncounted {
        match error {
            SourceError::Missing(_) => Uncounted::ContentMissing,
            SourceError::Limit(_) => Uncounted::ContentTooLarge,
            SourceError::TimedOut => Uncounted::TimeLimit,
            _ => Uncounted::ContentUnreadable,
        }
    }
}

impl Verdict {
    /// The rule that decided, in a sentence for a person.
    pub fn rule(self) -> &'static str {
        match self {
            Verdict::Shown(reason) => match reason {
                ShownReason::HeadNotMoved => "HEAD did not move in the turn, so every change on disk is shown.",
                ShownReason::NotAttributed => "The turn could not be attributed, so every change on disk is shown.",
                ShownReason::Authored => "Its state differs from the expected one, and no history touched it.",
                ShownReason::EditedAfterMove => {
                    "Its state differs from the one that history alone would have left, so the difference is shown."
                }
                ShownReason::Conflict => {
                    "A merge or replay stops on it when the hand is left out, so the whole change is shown."
                }
                ShownReason::RedoConflict => "A merge or pick of the turn stops on it, so somebody resolved it.",
                ShownReason::LateCommit => {
                    "A commit dated in the turn holds what was also changed by hand here, so the whole change is shown."
                }
                ShownReason::UnprovenCommit => {
                    "A commit holds it of which nothing tells whether it was made in the turn, so the whole change is shown."
                }
                ShownReason::AuthoredInRange => "It was shown in a turn of the range.",
                ShownReason::DoesNotCompose => {
                    "What the turns of the range moved does not compose on it, so the whole change is shown."
                }
                ShownReason::TurnNotAttributed => "A turn of the range that changed it could not be attributed.",
                ShownReason::RenamedByHistory => "Later history renamed a file that an earlier turn authored.",
            },
            Verdict::Demoted(reason) => match reason {
                DemotedReason::MovedByHistory => "Its state is the one that history gave it.",
                DemotedReason::MergedWithUncommitted => {
                    "Its state is what git makes of history and of changes that were uncommitted before the turn."
                }
                DemotedReason::Replayed => "Its state is what git makes by replaying commits that existed before.",
            },
        }
    }
}
