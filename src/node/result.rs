//! What callers get: plain objects and closed unions of strings.

use std::collections::HashSet;
use std::ops::Range;

use napi::bindgen_prelude::{Buffer, Uint8Array, Utf16String};
use napi_derive::napi;
use serde::Serialize;

use super::listed::Listed;
use super::request::PatchText;
use crate::model::outcome;
use crate::model::{self, Entry, RepoPath};
use crate::rules::checkpoint_facts;
use crate::rules::unified_diff::{self, ParsedKind, utf16_places};

/// Converts an enum of the model into the union of the same names; the compiler sees to it that none is forgotten.
macro_rules! same_names {
    ($model:path => $name:ident { $($variant:ident),+ $(,)? }) => {
        impl From<$model> for $name {
            fn from(value: $model) -> $name {
                use $model as Model;
                match value { $(Model::$variant => $name::$variant),+ }
            }
        }
    };
}

/// What git is in the middle of.
#[napi(string_enum = "kebab-case")]
pub enum OperationKind {
    Merge,
    Rebase,
    CherryPick,
    Revert,
    Am,
    Bisect,
}

same_names! { model::OperationKind => OperationKind { Merge, Rebase, CherryPick, Revert, Am, Bisect } }

/// What happened to a file, from the state it is compared with to its state in the `to` snapshot.
/// `typechange`: it became a file, symbolic link or submodule and was another of these.
#[napi(string_enum = "kebab-case")]
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Typechange,
    Submodule,
}

same_names! { outcome::ChangeKind => ChangeKind { Added, Modified, Deleted, Renamed, Typechange, Submodule } }

/// Why a file is shown.
///
/// - `head-not-moved`: HEAD did not move, so every change on disk was made by hand.
/// - `not-attributed`: the turn could not be attributed; see `attribution.reason`.
/// - `authored`: no movement through git explains its state.
/// - `edited-after-move`: it moved through git and was changed by hand; only the hand's part is counted.
/// - `conflict`: a merge or replay stops on it, so what moved cannot be told apart (`mixed`).
/// - `redo-conflict`: a merge or pick of the turn stops on it, so its state is a resolution.
/// - `late-commit`: a commit dated in the turn and made elsewhere holds what the agent changed by hand (`mixed`).
/// - `unproven-commit`: a commit holds it of which nothing tells whether it was made in the turn (`mixed`).
/// - `authored-in-range`: in a range, it was shown in a turn of the range.
/// - `does-not-compose`: in a range, the turns' movements do not compose on it (`mixed`).
/// - `turn-not-attributed`: in a range, a turn that changed it could not be attributed (`mixed`).
/// - `renamed-by-history`: in a range, later history renamed a file that an earlier turn authored.
#[napi(string_enum = "kebab-case")]
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShownReason {
    HeadNotMoved,
    NotAttributed,
    Authored,
    EditedAfterMove,
    Conflict,
    RedoConflict,
    LateCommit,
    UnprovenCommit,
    AuthoredInRange,
    DoesNotCompose,
    TurnNotAttributed,
    RenamedByHistory,
}

same_names! { outcome::ShownReason => ShownReason { HeadNotMoved, NotAttributed, Authored, EditedAfterMove, Conflict, RedoConflict, LateCommit, UnprovenCommit, AuthoredInRange, DoesNotCompose, TurnNotAttributed, RenamedByHistory } }

/// Why a file is demoted.
///
/// - `moved-by-history`: its state is the one it has in the history that HEAD moved to.
/// - `merged-with-uncommitted`: it is what git makes of that history and of changes that were uncommitted before.
/// - `replayed`: it is what git makes by replaying commits that existed before.
#[napi(string_enum = "kebab-case")]
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DemotedReason {
    MovedByHistory,
    MergedWithUncommitted,
    Replayed,
}

same_names! { outcome::DemotedReason => DemotedReason { MovedByHistory, MergedWithUncommitted, Replayed } }

/// How HEAD moved. `unknown`: a head was not recorded.
#[napi(string_enum = "kebab-case")]
pub enum MoveKind {
    None,
    FastForward,
    Rewind,
    Switch,
    Rewrite,
    Merge,
    Detach,
    Attach,
    Birth,
    Rename,
    Unknown,
}

same_names! { outcome::MoveKind => MoveKind { None, FastForward, Rewind, Switch, Rewrite, Merge, Detach, Attach, Birth, Rename, Unknown } }

/// A git command, as the log of HEAD tells of it.
#[napi(string_enum = "kebab-case")]
pub enum ActionKind {
    Pull,
    Merge,
    Rebase,
    Checkout,
    Reset,
    Commit,
    Amend,
    CherryPick,
    Revert,
    Am,
    Clone,
    Branch,
    Other,
}

same_names! { outcome::ActionKind => ActionKind { Pull, Merge, Rebase, Checkout, Reset, Commit, Amend, CherryPick, Revert, Am, Clone, Branch, Other } }

/// How strong the evidence is. `reflog`: the log of HEAD tells the whole turn, between two pins. `dates`: it
/// tells the whole turn, placed by dates. `weak`: it is silent, broken, or holds a word of no known command;
/// what is not proven older than the turn then counts as made in it.
#[napi(string_enum = "kebab-case")]
pub enum Evidence {
    Reflog,
    Dates,
    Weak,
}

same_names! { outcome::Evidence => Evidence { Reflog, Dates, Weak } }

/// Why a turn could not be attributed. Every file is shown then.
///
/// - `head-not-recorded`: a checkpoint has no `headOid`.
/// - `head-missing`: a recorded head is not in the repository, or is no commit.
/// - `unborn-at-end`: there was a commit at the start and none at the end.
/// - `history-missing`: an object of the history between is not in the repository.
/// - `history-cut`: history ends artificially (shallow clone, graft) where it was needed.
/// - `reflog-lost`: entries of the log that were there at the turn are gone (expired), and commits may have been
///   made in it.
/// - `limit`: the turn is larger than what is looked at; `detail` names the limit.
/// - `time-limit`: the time given with `timeoutMs` was over.
/// - `unreadable`: an object or log is damaged; `detail` says which.
#[napi(string_enum = "kebab-case")]
pub enum NotAttributedReason {
    HeadNotRecorded,
    HeadMissing,
    UnbornAtEnd,
    HistoryMissing,
    HistoryCut,
    ReflogLost,
    Limit,
    TimeLimit,
    Unreadable,
}

same_names! { outcome::NotAttributed => NotAttributedReason { HeadNotRecorded, HeadMissing, UnbornAtEnd, HistoryMissing, HistoryCut, ReflogLost, Limit, TimeLimit, Unreadable } }

/// What else to know about the evidence.
///
/// - `from-ref-moved`, `to-ref-moved`: the ref names another object now; the `oid` given was used.
/// - `turn-start-not-believed`: `turnStartedAt` is no time or after the end; the snapshot's own time was used.
/// - `pin-not-understood`: a pin cannot be read, and counts as absent.
/// - `no-pin`: a checkpoint has no pin, so the log was searched by dates.
/// - `reflog-lost`: entries of the log that were there at the turn are gone.
/// - `no-reflog`: there is no log of HEAD.
/// - `turn-not-attributed`: in a range, a turn could not be attributed; all that it changed counts as authored.
/// - `files-cut`: there are more files than `maxFiles`, so the lists do not name all; the counts beside them are whole.
/// - `read-failed`: something could not be read that the rest stands without: counts, attributes and renames may be
///   missing, and for want of proof more may be shown.
#[napi(string_enum = "kebab-case")]
pub enum AttributionNote {
    FromRefMoved,
    ToRefMoved,
    TurnStartNotBelieved,
    PinNotUnderstood,
    NoPin,
    ReflogLost,
    NoReflog,
    TurnNotAttributed,
    FilesCut,
    ReadFailed,
}

same_names! { outcome::Note => AttributionNote { FromRefMoved, ToRefMoved, TurnStartNotBelieved, PinNotUnderstood, NoPin, ReflogLost, NoReflog, TurnNotAttributed, FilesCut, ReadFailed } }

/// What a host stores beside a snapshot.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct HeadFacts {
    /// The commit that `HEAD` names; `null` while the branch is unborn.
    pub head_oid: Option<String>,
    /// The short name of the branch, during a rebase the one being rebased; `null` when detached.
    pub branch: Option<String>,
    /// What git is in the middle of.
    pub operation: Option<OperationKind>,
    /// Opaque: the position in the log of HEAD, and what an operation in progress will not leave behind. One line
    /// of printable ASCII; store it and pass it back.
    pub pin: String,
}

/// Facts read from a checkpoint's message. A key that is absent was not recorded; `null` is a fact.
#[napi(object, object_from_js = false)]
pub struct RecordedFacts {
    /// The head; `null`: unborn.
    #[napi(ts_type = "string | null")]
    pub head_oid: Option<Option<String>>,
    /// The branch; `null`: detached.
    #[napi(ts_type = "string | null")]
    pub branch: Option<Option<String>>,
    /// The pin.
    pub pin: Option<String>,
    /// The start of the turn that begins at the checkpoint, in milliseconds since the epoch.
    pub turn_started_at: Option<f64>,
}

/// A checkpoint found in a repository: a `Checkpoint` of which the snapshot is known to exist.
#[napi(object, object_from_js = false)]
pub struct RecordedCheckpoint {
    /// As it was asked for.
    #[napi(js_name = "ref")]
    pub name: String,
    /// The snapshot's id.
    pub oid: String,
    /// The head; `null`: unborn.
    #[napi(ts_type = "string | null")]
    pub head_oid: Option<Option<String>>,
    /// The branch; `null`: detached.
    #[napi(ts_type = "string | null")]
    pub branch: Option<Option<String>>,
    /// The pin.
    pub pin: Option<String>,
    /// The start of the turn that begins at the checkpoint, in milliseconds since the epoch.
    pub turn_started_at: Option<f64>,
}

impl RecordedCheckpoint {
    /// What was found under `name`.
    pub fn new(name: String, oid: model::Oid, facts: checkpoint_facts::RecordedFacts) -> RecordedCheckpoint {
        let RecordedFacts {
            head_oid,
            branch,
            pin,
            turn_started_at,
        } = facts.into();
        RecordedCheckpoint {
            name,
            oid: oid.to_string(),
            head_oid,
            branch,
            pin,
            turn_started_at,
        }
    }
}

/// Who keeps a checkpoint: T3 Code, T3 Code under the refs of its second orchestration, or the command `mark`.
#[napi(string_enum)]
#[derive(Serialize)]
pub enum CheckpointSource {
    #[napi(value = "t3code")]
    #[serde(rename = "t3code")]
    T3code,
    #[napi(value = "t3code-v2")]
    #[serde(rename = "t3code-v2")]
    T3codeV2,
    #[napi(value = "mark")]
    #[serde(rename = "mark")]
    Mark,
}

same_names! { model::CheckpointSource => CheckpointSource { T3code, T3codeV2, Mark } }

/// Where in a turn a checkpoint stands.
///
/// - `turn`: between two turns, the end of the one with its number and the start of the next.
/// - `mark`: at the start of a turn.
/// - `end`: at the end of the turn that the mark of the same number began.
#[napi(string_enum = "kebab-case")]
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointKind {
    Turn,
    Mark,
    End,
}

same_names! { model::CheckpointKind => CheckpointKind { Turn, Mark, End } }

/// A checkpoint that a repository keeps under a ref. Head, branch and pin are in the message of its commit, where its
/// host put them there: `attributeTurn` reads them when it is given the ref alone.
#[napi(object, object_from_js = false, use_nullable = true)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCheckpoint {
    /// The full name of the ref.
    #[napi(js_name = "ref")]
    #[serde(rename = "ref")]
    pub name: String,
    /// What the ref names.
    pub oid: String,
    pub source: CheckpointSource,
    pub kind: CheckpointKind,
    /// The thread, as it stands in the name; of marks their name.
    pub thread: String,
    /// Its number in the thread.
    pub number: u32,
    /// When it was taken, in milliseconds since the epoch; `null` where it is a bare tree or cannot be read.
    pub taken_at: Option<f64>,
}

impl From<model::ListedCheckpoint> for ListedCheckpoint {
    fn from(found: model::ListedCheckpoint) -> ListedCheckpoint {
        ListedCheckpoint {
            name: found.name,
            oid: found.oid.to_string(),
            source: found.place.source.into(),
            kind: found.place.kind.into(),
            thread: found.place.thread,
            number: found.place.number,
            taken_at: found.seconds.map(|seconds| seconds as f64 * 1000.0),
        }
    }
}

/// The state of a path in a tree.
#[napi(object, object_from_js = false)]
pub struct FileState {
    /// As git writes it: `100644`, `100755`, `120000` (symbolic link) or `160000` (submodule).
    pub mode: String,
    /// Blob id, or the commit id of a submodule.
    pub oid: String,
}

/// Why the lines of a file are not counted, which is not known to be binary. The file and the rest of the answer
/// stand.
///
/// - `content-missing`: a content is not in the repository (a partial clone, pruned). Nothing is fetched.
/// - `content-unreadable`: a content is damaged.
/// - `content-too-large`: a content is larger than what is read.
/// - `time-limit`: the time given with `timeoutMs` was over.
#[napi(string_enum = "kebab-case")]
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::enum_variant_names, reason = "callers see each name alone")]
pub enum UncountedReason {
    ContentMissing,
    ContentUnreadable,
    ContentTooLarge,
    TimeLimit,
}

same_names! { outcome::Uncounted => UncountedReason { ContentMissing, ContentUnreadable, ContentTooLarge, TimeLimit } }

/// A file that the agent wrote.
#[napi(object, object_from_js = false, use_nullable = true)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownFile {
    /// Relative to the repository's root, with `/`. Bytes that are not UTF-8 are U+FFFD.
    pub path: String,
    /// Where a renamed file was before.
    pub previous_path: Option<String>,
    pub kind: ChangeKind,
    /// Lines added, as `git diff --numstat` counts them; `null` for binary files and unreadable contents.
    pub additions: Option<u32>,
    /// Lines removed; likewise.
    pub deletions: Option<u32>,
    /// Whether it is binary, by its content or by the snapshot's own `.gitattributes`.
    pub binary: bool,
    /// Why the lines are not counted; `null` where they are, and for binary files.
    pub uncounted: Option<UncountedReason>,
    /// Mode in the state it is compared with: what git alone would have left there, or, where `mixed`, the state
    /// in the `from` snapshot. `null` where there was no file.
    pub old_mode: Option<String>,
    /// Mode in the `to` snapshot; `null` where it was deleted.
    pub new_mode: Option<String>,
    /// Object id for `oldMode`. It may be the result of a merge, which is no object of the repository.
    pub old_oid: Option<String>,
    /// Object id for `newMode`.
    pub new_oid: Option<String>,
    /// Whether the whole change is shown because what moved could not be told from what was written.
    pub mixed: bool,
    pub reason: ShownReason,
}

/// A file that only moved through git.
#[napi(object, object_from_js = false, use_nullable = true)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DemotedFile {
    /// Relative to the repository's root, with `/`.
    pub path: String,
    pub kind: ChangeKind,
    /// Lines added; `null` unless asked for with `demoted: 'lines'`, and for binary files.
    pub additions: Option<u32>,
    /// Lines removed; likewise.
    pub deletions: Option<u32>,
    /// Why the lines are not counted; `null` where they are, for binary files, and unless asked for.
    pub uncounted: Option<UncountedReason>,
    pub reason: DemotedReason,
}

/// What only moved through git.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct Demoted {
    /// How many files.
    pub file_count: u32,
    /// Lines added in all of them; `null` unless asked for with `demoted: 'lines'`.
    pub additions: Option<f64>,
    /// Lines removed in all of them; likewise.
    pub deletions: Option<f64>,
    /// The files; `null` unless asked for with `demoted: 'paths'` or `'lines'`.
    #[napi(ts_type = "Array<DemotedFile>")]
    pub files: Option<Listed<DemotedFile>>,
}

/// Something git did in the turn.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct GitAction {
    pub action: ActionKind,
    /// The branch, remote branch or commit it was about, where the log says so.
    pub target: Option<String>,
}

/// Where HEAD was and is.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct BranchTransition {
    /// `null`: detached, or not recorded.
    pub from_branch: Option<String>,
    /// `null`: detached, or not recorded.
    pub to_branch: Option<String>,
    /// `null`: unborn, or not recorded.
    pub from_head: Option<String>,
    /// `null`: unborn, or not recorded.
    pub to_head: Option<String>,
    pub kind: MoveKind,
    /// In order.
    pub actions: Vec<GitAction>,
    /// The move in words, as `transitionLabel` gives it.
    pub label: String,
}

/// How a turn was attributed.
#[napi(object_from_js = false, discriminant = "status", discriminant_case = "kebab-case")]
pub enum Attribution {
    /// HEAD did not move: all of the change on disk is shown, and no history was read.
    Unmoved { notes: Vec<AttributionNote> },
    /// What moved was told from what was written.
    Attributed {
        evidence: Evidence,
        notes: Vec<AttributionNote>,
    },
    /// It could not be told: all of the change on disk is shown.
    NotAttributed {
        reason: NotAttributedReason,
        detail: String,
        notes: Vec<AttributionNote>,
    },
}

/// The truth about a turn.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct TurnAttribution {
    /// The files that the agent wrote, in byte order of the path.
    #[napi(ts_type = "Array<ShownFile>")]
    pub shown: Listed<ShownFile>,
    /// How many there are: more than `shown` names where `maxFiles` was met.
    #[napi(ts_type = "number")]
    pub shown_file_count: u32,
    /// What only moved through git. Shown and demoted files together are the whole change on disk.
    pub demoted: Demoted,
    pub branch_transition: BranchTransition,
    pub attribution: Attribution,
    /// What git was in the middle of at the end, where a pin recorded it.
    pub operation_in_progress: Option<OperationKind>,
}

/// Whether a file is the agent's.
#[napi(string_enum = "kebab-case")]
pub enum Verdict {
    Shown,
    Demoted,
}

same_names! { VerdictKind => Verdict { Shown, Demoted } }

/// The verdict without its reason.
pub enum VerdictKind {
    Shown,
    Demoted,
}

/// The states that a file was judged by; `null` where the path does not exist.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct ExplainedStates {
    /// In the head at the start.
    pub start_head: Option<FileState>,
    /// In the `from` snapshot.
    pub start: Option<FileState>,
    /// In the head at the end.
    pub end_head: Option<FileState>,
    /// In the `to` snapshot.
    pub end: Option<FileState>,
    /// In the head at the end as it would be had the agent only run git.
    pub mechanical: Option<FileState>,
    /// On disk as it would be had the agent only run git.
    pub expected: Option<FileState>,
}

/// A commit of the turn that changed the file.
#[napi(object, object_from_js = false)]
pub struct ExplainedCommit {
    pub oid: String,
    /// What it was taken for, in words.
    pub role: String,
}

/// What decided a file.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct PathExplanation {
    pub path: String,
    pub verdict: Verdict,
    /// Whether the whole change is shown because what moved could not be told apart.
    pub mixed: bool,
    #[napi(ts_type = "ShownReason | DemotedReason")]
    pub reason: String,
    /// The rule that decided, in a sentence.
    pub rule: String,
    pub states: ExplainedStates,
    pub commits: Vec<ExplainedCommit>,
    /// The content that a shown file is compared with (a demoted one: its content); `null` where there is none.
    pub expected_content: Option<Uint8Array>,
}

/// Where a part of a patch stands in it.
#[napi(object, object_from_js = false)]
pub struct PatchSection {
    /// Its first UTF-16 unit in the text. Of a patch given as bytes: in the text that they decode to.
    pub start: f64,
    /// The unit after its last.
    pub end: f64,
    /// Its first byte; of a text: in UTF-8.
    pub byte_start: f64,
    /// The byte after its last.
    pub byte_end: f64,
}

/// A file of a patch.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct ParsedFile {
    /// Without the prefix of the patch's own (`a/`, `b/` and the like), or its old name where it was deleted. Bytes
    /// that are not UTF-8 are U+FFFD.
    pub path: String,
    /// Where a renamed or copied file was before.
    pub previous_path: Option<String>,
    /// Several sections of one path are one change after another: a file that is deleted and added as a symbolic link
    /// is a `typechange`.
    #[napi(ts_type = "ChangeKind | 'copied'")]
    pub kind: &'static str,
    /// Lines added, in all sections of the path; in the diff of a merge those that any parent lacks. `null` for binary
    /// files, where the patch says that they are: of a change of name or mode alone it does not.
    pub additions: Option<f64>,
    /// Lines removed; likewise.
    pub deletions: Option<f64>,
    /// Whether the patch has no lines for it: `Binary files … differ`, or a binary patch.
    pub binary: bool,
    /// Mode before; `null` where the patch does not tell it or there was no file. Of a merge: in its first parent.
    pub old_mode: Option<String>,
    /// Mode after; `null` where the patch does not tell it or the file was deleted.
    pub new_mode: Option<String>,
    /// The path where it is not UTF-8.
    pub path_bytes: Option<Buffer>,
    /// The previous path where it is not UTF-8.
    pub previous_path_bytes: Option<Buffer>,
    /// Where its sections stand, in their order.
    pub section: Vec<PatchSection>,
}

/// What a patch says.
#[napi(object, object_from_js = false)]
pub struct ParsedDiff {
    /// One for each path, in the order in which they first appear.
    pub files: Vec<ParsedFile>,
    /// Whether something was left out because it is malformed, in colour or UTF-16, or the text ends within it.
    pub truncated: bool,
}

/// A part of a patch.
#[napi(object, object_from_js = false)]
pub struct FilteredDiff {
    /// The sections that were kept; bytes that are not UTF-8 are U+FFFD.
    #[napi(ts_type = "string")]
    pub patch: Utf16String,
    /// The same, exact.
    pub patch_bytes: Buffer,
    /// The files that were kept, and where they stand in `patch` and `patchBytes`.
    pub files: Vec<ParsedFile>,
    /// As of the whole patch: something malformed or cut may have been about these files.
    pub truncated: bool,
}

impl ParsedDiff {
    /// What the text says.
    pub fn of(text: &PatchText) -> ParsedDiff {
        let bytes = text.bytes();
        let diff = unified_diff::parse(&bytes);
        ParsedDiff {
            files: parsed_files(diff.files, &bytes),
            truncated: diff.truncated,
        }
    }
}

impl FilteredDiff {
    /// What the text says of the files with these paths.
    pub fn of(text: &PatchText, paths: &HashSet<&str>) -> FilteredDiff {
        let bytes = text.bytes();
        let filtered = unified_diff::filter(&bytes, |path| paths.contains(&path.display()[..]));
        let pieces = &filtered.pieces;
        let patch_bytes = pieces
            .iter()
            .map(|piece| &bytes[piece.clone()])
            .collect::<Vec<_>>()
            .concat();
        let patch = match text {
            PatchText::Bytes(_) => String::from_utf8_lossy(&patch_bytes).into_owned().into(),
            PatchText::Units(units) => {
                let places = utf16_places(&bytes, pieces.iter().flat_map(|piece| [piece.start, piece.end]));
                let piece = |piece: &Range<usize>| &units[places[&piece.start]..places[&piece.end]];
                Utf16String::from(pieces.iter().map(piece).collect::<Vec<_>>().concat())
            }
        };
        FilteredDiff {
            patch,
            files: parsed_files(filtered.diff.files, &patch_bytes),
            patch_bytes: patch_bytes.into(),
            truncated: filtered.diff.truncated,
        }
    }
}

/// The files of a text, with the places in it.
fn parsed_files(files: Vec<unified_diff::ParsedFile>, text: &[u8]) -> Vec<ParsedFile> {
    let sections = files.iter().flat_map(|file| &file.sections);
    let places = utf16_places(text, sections.flat_map(|section| [section.start, section.end]));
    let section = |bytes: Range<usize>| PatchSection {
        start: places[&bytes.start] as f64,
        end: places[&bytes.end] as f64,
        byte_start: bytes.start as f64,
        byte_end: bytes.end as f64,
    };
    let file = |file: unified_diff::ParsedFile| ParsedFile {
        path: file.path.display(),
        previous_path: file.previous_path.as_ref().map(RepoPath::display),
        kind: match file.kind {
            ParsedKind::Copied => "copied",
            ParsedKind::Change(kind) => kind.as_str(),
        },
        additions: file.additions.map(|lines| lines as f64),
        deletions: file.deletions.map(|lines| lines as f64),
        binary: file.is_binary,
        old_mode: file.old_mode.map(|mode| mode.to_string()),
        new_mode: file.new_mode.map(|mode| mode.to_string()),
        path_bytes: bytes_unless_utf8(&file.path),
        previous_path_bytes: file.previous_path.as_ref().and_then(bytes_unless_utf8),
        section: file.sections.into_iter().map(section).collect(),
    };
    files.into_iter().map(file).collect()
}

fn bytes_unless_utf8(path: &RepoPath) -> Option<Buffer> {
    std::str::from_utf8(path).is_err().then(|| Buffer::from(path.to_vec()))
}

impl From<model::HeadFacts> for HeadFacts {
    fn from(facts: model::HeadFacts) -> HeadFacts {
        HeadFacts {
            head_oid: facts.head.map(|oid| oid.to_string()),
            branch: facts.branch,
            operation: facts.operation.map(Into::into),
            pin: crate::rules::pin::encode_pin(&facts.pin),
        }
    }
}

impl From<checkpoint_facts::RecordedFacts> for RecordedFacts {
    fn from(facts: checkpoint_facts::RecordedFacts) -> RecordedFacts {
        RecordedFacts {
            head_oid: facts.head.map(|head| head.map(|oid| oid.to_string())),
            branch: facts.branch,
            pin: facts.pin,
            turn_started_at: facts.turn_started_at,
        }
    }
}

impl From<Entry> for FileState {
    fn from(entry: Entry) -> FileState {
        FileState {
            mode: entry.mode.to_string(),
            oid: entry.oid.to_string(),
        }
    }
}

impl From<outcome::ShownFile> for ShownFile {
    fn from(file: outcome::ShownFile) -> ShownFile {
        ShownFile {
            path: file.path.display(),
            previous_path: file.previous_path.map(|path| path.display()),
            kind: file.kind.into(),
            additions: file.additions,
            deletions: file.deletions,
            binary: file.binary,
            uncounted: file.uncounted.map(Into::into),
            old_mode: file.old.map(|entry| entry.mode.to_string()),
            new_mode: file.new.map(|entry| entry.mode.to_string()),
            old_oid: file.old.map(|entry| entry.oid.to_string()),
            new_oid: file.new.map(|entry| entry.oid.to_string()),
            mixed: file.mixed,
            reason: file.reason.into(),
        }
    }
}

impl From<outcome::Demoted> for Demoted {
    fn from(demoted: outcome::Demoted) -> Demoted {
        let file = |file: outcome::DemotedFile| DemotedFile {
            path: file.path.display(),
            kind: file.kind.into(),
            additions: file.additions,
            deletions: file.deletions,
            uncounted: file.uncounted.map(Into::into),
            reason: file.reason.into(),
        };
        Demoted {
            file_count: demoted.file_count as u32,
            additions: demoted.additions.map(|lines| lines as f64),
            deletions: demoted.deletions.map(|lines| lines as f64),
            files: demoted
                .files
                .map(|files| Listed::plain(files.into_iter().map(file).collect())),
        }
    }
}

impl From<outcome::BranchTransition> for BranchTransition {
    fn from(transition: outcome::BranchTransition) -> BranchTransition {
        let action = |action: outcome::GitAction| GitAction {
            action: action.kind.into(),
            target: action.target,
        };
        BranchTransition {
            from_branch: transition.from_branch,
            to_branch: transition.to_branch,
            from_head: transition.from_head.map(|oid| oid.to_string()),
            to_head: transition.to_head.map(|oid| oid.to_string()),
            kind: transition.kind.into(),
            actions: transition.actions.into_iter().map(action).collect(),
            label: transition.label,
        }
    }
}

impl From<outcome::Attribution> for Attribution {
    fn from(attribution: outcome::Attribution) -> Attribution {
        let notes = attribution.notes.into_iter().map(Into::into).collect();
        match attribution.status {
            outcome::Status::Unmoved => Attribution::Unmoved { notes },
            outcome::Status::Attributed(evidence) => Attribution::Attributed {
                evidence: evidence.into(),
                notes,
            },
            outcome::Status::NotAttributed(reason, detail) => Attribution::NotAttributed {
                reason: reason.into(),
                detail,
                notes,
            },
        }
    }
}

impl From<outcome::TurnAttribution> for TurnAttribution {
    fn from(turn: outcome::TurnAttribution) -> TurnAttribution {
        TurnAttribution {
            shown: Listed::plain(turn.shown.into_iter().map(Into::into).collect()),
            shown_file_count: u32::try_from(turn.shown_file_count).unwrap_or(u32::MAX),
            demoted: turn.demoted.into(),
            branch_transition: turn.branch_transition.into(),
            attribution: turn.attribution.into(),
            operation_in_progress: turn.operation_in_progress.map(Into::into),
        }
    }
}

impl From<outcome::PathExplanation> for PathExplanation {
    fn from(explanation: outcome::PathExplanation) -> PathExplanation {
        let (verdict, reason) = match explanation.verdict {
            outcome::Verdict::Shown(reason) => (VerdictKind::Shown, reason.as_str()),
            outcome::Verdict::Demoted(reason) => (VerdictKind::Demoted, reason.as_str()),
        };
        let commit = |commit: outcome::ExplainedCommit| ExplainedCommit {
            oid: commit.oid.to_string(),
            role: commit.role,
        };
        PathExplanation {
            path: explanation.path.display(),
            verdict: verdict.into(),
            mixed: explanation.mixed,
            reason: reason.into(),
            rule: explanation.verdict.rule().into(),
            states: ExplainedStates {
                start_head: explanation.start_head.map(Into::into),
                start: explanation.start.map(Into::into),
                end_head: explanation.end_head.map(Into::into),
                end: explanation.end.map(Into::into),
                mechanical: explanation.mechanical.map(Into::into),
                expected: explanation.expected.map(Into::into),
            },
            commits: explanation.commits.into_iter().map(commit).collect(),
            expected_content: explanation.expected_content.map(Uint8Array::from),
        }
    }
}
