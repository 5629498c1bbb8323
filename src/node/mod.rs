//! The JavaScript boundary: requests arrive as JSON text, work runs on libuv's pool, results leave as plain
//! objects. Thin: it checks, converts and catches panics. The only layer that names `napi`.
//!
//! The doc comments here become `index.d.ts`, so they are written for the TypeScript caller. The signatures are
//! those of `index.js`, which adds what only JavaScript can do (`AbortSignal`, the error class).

// napi registers these functions only outside of tests.
#![cfg_attr(test, allow(dead_code))]

#[cfg(feature = "fault-injection")]
mod faults;
mod listed;
mod patch;
mod request;
mod result;
mod work;

use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Either, External, Uint8Array, Utf16String};
use napi_derive::napi;

use self::listed::Listed;
use self::patch::TurnDiff;
use self::request::{
    CwdArguments, DiffTurnArguments, ExplainPathArguments, FilterArguments, PatchText, ReadCheckpointArguments,
    ReadFactsArguments, TurnRequestArguments, WriteFactsArguments, parsed,
};
use self::result::{
    FilteredDiff, HeadFacts, ListedCheckpoint, ParsedDiff, PathExplanation, RecordedCheckpoint, RecordedFacts,
    TurnAttribution,
};
use self::work::{CancelToken, Work};
#[cfg(not(feature = "fault-injection"))]
use crate::git::LibgitSource;
#[cfg(feature = "fault-injection")]
use crate::git::faults::FaultySource as LibgitSource;
use crate::{git, turn};

/// Reads what a host stores beside each snapshot: the commit that `HEAD` names, the branch, an operation in
/// progress, and a pin. Take it right after the snapshot, and store all of it.
///
/// `cwd` is any folder in a repository; it is looked for upwards, as git does.
/// Rejects with `INVALID_ARGUMENT`, `NOT_A_REPOSITORY`, `NOT_OWNED`, `UNSUPPORTED_REPOSITORY`,
/// `REPOSITORY_UNREADABLE`, `ABORTED`, `BINDING_MISSING` or `INTERNAL`.
///
/// ```ts
/// const { headOid, branch, pin } = await readHead('/path/to/workspace')
/// ```
#[napi(
    js_name = "readHead",
    ts_args_type = "cwd: string, options?: CallOptions",
    ts_return_type = "Promise<HeadFacts>"
)]
pub fn read_head(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<HeadFacts>> {
    Work::start(token, move |_| {
        let arguments: CwdArguments = parsed(&arguments)?;
        Ok(git::read_head(arguments.folder()?)?.into())
    })
}

/// Attributes a turn, or a range of turns when `between` is given: which files the agent wrote, how much merely
/// moved through git, and from which branch to which. Attribution trouble never rejects: then every file is shown
/// and `attribution` says why.
///
/// Rejects as `readHead` does, and with `SNAPSHOT_MISSING` where a snapshot does not exist.
///
/// ```ts
/// const turn = await attributeTurn({ cwd, from: { ref: s0, headOid: h0 }, to: { ref: s1, headOid: h1 } })
/// for (const file of turn.shown) console.log(file.path, file.additions, file.deletions)
/// console.log(`${transitionLabel(turn)}: ${turn.demoted.fileCount} files`)
/// ```
#[napi(
    js_name = "attributeTurn",
    ts_args_type = "request: AttributeTurnRequest, options?: CallOptions",
    ts_return_type = "Promise<TurnAttribution>"
)]
pub fn attribute_turn(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<TurnAttribution>> {
    Work::start(token, move |stop| {
        let arguments: TurnRequestArguments = parsed(&arguments)?;
        let request = arguments.to_model()?;
        LibgitSource::with(Path::new(&arguments.cwd), &stop, |source| {
            Ok(turn::attribute_turn(source, &request)?.into())
        })
    })
}

/// Makes the patch of a turn, or of a range of turns: of exactly the files that `attributeTurn` shows, each from the
/// state that git alone would have left to the one in the `to` snapshot, so that a file that was pulled and edited has
/// the agent's hunks alone. With `includeGitChanges` it is the whole change on disk, byte for byte what `git diff`
/// prints between the two snapshots. No setting of the user or the repository changes the text, and attributes come
/// from the `to` snapshot.
///
/// Budgets cut text only: `files` is always whole, its counts exact. Rejects as `attributeTurn` does.
///
/// ```ts
/// const { patch, files } = await diffTurn(request, { ignoreWhitespace: true })
/// for (const { path, section } of files) if (section) console.log(path, patch.slice(section.start, section.end))
/// ```
#[napi(
    js_name = "diffTurn",
    ts_args_type = "request: AttributeTurnRequest, options?: DiffOptions, callOptions?: CallOptions",
    ts_return_type = "Promise<TurnDiff>"
)]
pub fn diff_turn(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<TurnDiff>> {
    Work::start(token, move |stop| {
        let arguments: DiffTurnArguments = parsed(&arguments)?;
        let request = arguments.request.to_model()?;
        let options = arguments.options()?;
        LibgitSource::with(Path::new(&arguments.request.cwd), &stop, |source| {
            Ok(turn::diff_turn(source, &request, &options)?.into())
        })
    })
}

/// Says what decided one file of a turn: the rule, the states it was judged by, and the commits that changed it.
///
/// `path` is as in the result of `attributeTurn`. Rejects as `attributeTurn` does, and with `PATH_NOT_IN_TURN`
/// where the file did not change.
///
/// ```ts
/// const { verdict, rule, commits } = await explainPath(request, 'src/routes.ts')
/// ```
#[napi(
    js_name = "explainPath",
    ts_args_type = "request: AttributeTurnRequest, path: string, options?: CallOptions",
    ts_return_type = "Promise<PathExplanation>"
)]
pub fn explain_path(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<PathExplanation>> {
    Work::start(token, move |stop| {
        let arguments: ExplainPathArguments = parsed(&arguments)?;
        let request = arguments.request.to_model()?;
        let path = arguments.path()?;
        LibgitSource::with(Path::new(&arguments.request.cwd), &stop, |source| {
            Ok(turn::explain_path(source, &request, &path)?.into())
        })
    })
}

/// Reads a checkpoint that keeps its facts in the message of the snapshot commit, as `writeCheckpointFacts`
/// puts them there. `ref` is a full object id or a full ref name.
///
/// Rejects as `attributeTurn` does.
///
/// ```ts
/// const from = await readCheckpoint(cwd, 'refs/t3/checkpoints/abc/turn/1')
/// const to = await readCheckpoint(cwd, 'refs/t3/checkpoints/abc/turn/2')
/// const turn = await attributeTurn({ cwd, from, to })
/// ```
#[napi(
    js_name = "readCheckpoint",
    ts_args_type = "cwd: string, ref: string, options?: CallOptions",
    ts_return_type = "Promise<RecordedCheckpoint>"
)]
pub fn read_checkpoint(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<RecordedCheckpoint>> {
    Work::start(token, move |stop| {
        let arguments: ReadCheckpointArguments = parsed(&arguments)?;
        let checkpoint = arguments.to_model()?;
        let (oid, facts) = LibgitSource::with(Path::new(&arguments.cwd), &stop, |source| {
            turn::read_checkpoint(source, &checkpoint)
        })?;
        Ok(RecordedCheckpoint::new(arguments.name, oid, facts))
    })
}

/// Lists the checkpoints that a repository keeps under refs, by their names: those of T3 Code
/// (`refs/t3/checkpoints/<thread>/turn/<n>`, `refs/t3/orchestration-v2/checkpoints/<thread>/ordinal/<n>`), where turn `n`
/// goes from checkpoint `n - 1` to `n`, and those of the commands `mark` and `show`
/// (`refs/turn-attribution/<thread>/mark/<n>` and `…/end/<n>`). Sorted by source, thread and number. At most 100,000 refs
/// of each of the three are looked at. A ref that is damaged is left out.
///
/// Rejects as `readHead` does, and with `TIMED_OUT`.
///
/// ```ts
/// const [from, to] = (await listCheckpoints(cwd)).filter((one) => one.thread === thread)
/// if (from && to) await attributeTurn({ cwd, from: { ref: from.ref }, to: { ref: to.ref } })
/// ```
#[napi(
    js_name = "listCheckpoints",
    ts_args_type = "cwd: string, options?: CallOptions",
    ts_return_type = "Promise<Array<ListedCheckpoint>>"
)]
pub fn list_checkpoints(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<Listed<ListedCheckpoint>>> {
    Work::start(token, move |stop| {
        let arguments: CwdArguments = parsed(&arguments)?;
        let listed = LibgitSource::with(arguments.folder()?, &stop, |source| turn::list_checkpoints(source))?;
        Ok(Listed::plain(listed.into_iter().map(ListedCheckpoint::from).collect()))
    })
}

/// Closes the repositories that are kept open. After a call its repository stays open for at most two seconds, so that
/// the next call finds it warm; where open files are in the way of what comes next, as of `git gc` or of removing the
/// folder on Windows, they are closed at once by this. A call that is at work closes its own when it ends.
///
/// Rejects with `BINDING_MISSING`.
///
/// ```ts
/// await closeRepositories()
/// await rm(folder, { recursive: true })
/// ```
#[napi(js_name = "closeRepositories", ts_return_type = "Promise<void>")]
pub fn close_repositories() {
    git::close_repositories();
}

/// Writes facts into the message of a checkpoint's commit, one `key=value` a line, in place of any it holds.
///
/// Rejects with `INVALID_ARGUMENT`, `BINDING_MISSING` or `INTERNAL`.
///
/// ```ts
/// const message = await writeCheckpointFacts('my checkpoint', await readHead(cwd))
/// ```
#[napi(
    js_name = "writeCheckpointFacts",
    ts_args_type = "message: string, facts: RecordedFacts",
    ts_return_type = "Promise<string>"
)]
pub fn write_checkpoint_facts(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<String>> {
    Work::start(token, move |_| {
        let arguments: WriteFactsArguments = parsed(&arguments)?;
        Ok(crate::rules::checkpoint_facts::write_facts(
            &arguments.message,
            &arguments.facts.to_model()?,
        ))
    })
}

/// Reads the facts that a checkpoint's message holds; a key that is absent was not recorded. Spread the result
/// into a `Checkpoint`. Any message is readable: an old one holds nothing.
///
/// Rejects with `INVALID_ARGUMENT`, `BINDING_MISSING` or `INTERNAL`.
///
/// ```ts
/// const from = { ref: s0, ...(await readCheckpointFacts(message)) }
/// ```
#[napi(
    js_name = "readCheckpointFacts",
    ts_args_type = "message: string",
    ts_return_type = "Promise<RecordedFacts>"
)]
pub fn read_checkpoint_facts(arguments: String, token: &External<CancelToken>) -> AsyncTask<Work<RecordedFacts>> {
    Work::start(token, move |_| {
        let arguments: ReadFactsArguments = parsed(&arguments)?;
        Ok(crate::rules::checkpoint_facts::read_facts(&arguments.message).into())
    })
}

/// Reads a patch that arrives as text, such as a provider's own diff of a turn: which files it changes, how, and where
/// each stands in it. What git prints is understood, with text around it (mail, a log) and under any option that keeps
/// it a patch, and so are patches of other tools. Content is what the lengths of a hunk say, whatever it looks like.
///
/// A patch is never refused: what is malformed or cut is left out, and `truncated` says so, as it does of sections in
/// colour (`--color=always`) and of UTF-16, which are not read.
/// Rejects with `INVALID_ARGUMENT`, `ABORTED`, `BINDING_MISSING` or `INTERNAL`.
///
/// ```ts
/// const { files } = await parseUnifiedDiff(text)
/// for (const { path, additions, deletions } of files) console.log(path, additions, deletions)
/// ```
#[napi(
    js_name = "parseUnifiedDiff",
    ts_args_type = "text: string | Uint8Array, options?: CallOptions",
    ts_return_type = "Promise<ParsedDiff>"
)]
pub fn parse_unified_diff(
    text: Either<Utf16String, Uint8Array>,
    token: &External<CancelToken>,
) -> AsyncTask<Work<ParsedDiff>> {
    let text = PatchText::copied(text);
    Work::start(token, move |_| Ok(ParsedDiff::of(&text)))
}

/// Keeps the sections of some files of a patch, exactly as they stand in it; `paths` are as `parseUnifiedDiff` gives
/// them, as `path` or as `previousPath`. Text around the sections is left out.
///
/// Rejects as `parseUnifiedDiff` does.
///
/// ```ts
/// const { patch } = await filterUnifiedDiff(text, turn.shown.map((file) => file.path))
/// ```
#[napi(
    js_name = "filterUnifiedDiff",
    ts_args_type = "text: string | Uint8Array, paths: string[], options?: CallOptions",
    ts_return_type = "Promise<FilteredDiff>"
)]
pub fn filter_unified_diff(
    text: Either<Utf16String, Uint8Array>,
    arguments: String,
    token: &External<CancelToken>,
) -> AsyncTask<Work<FilteredDiff>> {
    let text = PatchText::copied(text);
    Work::start(token, move |_| {
        let arguments: FilterArguments = parsed(&arguments)?;
        Ok(FilteredDiff::of(&text, &arguments.paths()))
    })
}
