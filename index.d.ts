/* The part of the contract that index.js holds by itself; `napi build` puts it before what comes from Rust. */

/** What every call takes. */
export interface CallOptions {
  /**
   * Stops the call: it rejects at once with code `ABORTED`, and the native work ends at its next read. One signal
   * may serve any number of calls.
   */
  signal?: AbortSignal | undefined
  /**
   * How long the call may take, in milliseconds, waiting for its turn included. What becomes of it then:
   * - before it is known what changed on disk, and in calls that only read one thing: it rejects with `TIMED_OUT`;
   * - while telling what moved from what was written: everything is shown, with the reason `time-limit` (a tenth of the
   *   time is kept for what follows);
   * - while counting lines or printing: what is not done is left out, and each file says so.
   *
   * No limit where absent.
   */
  timeoutMs?: number | undefined
}

/**
 * The stable code of a rejection.
 *
 * - `INVALID_ARGUMENT`: an argument is of the wrong type or can never be right.
 * - `NOT_A_REPOSITORY`: there is no git repository at `cwd` or above it.
 * - `NOT_OWNED`: the repository is another user's and git's `safe.directory` does not list it.
 * - `UNSUPPORTED_REPOSITORY`: its format cannot be read; the message names it.
 * - `REPOSITORY_UNREADABLE`: it is there, but damaged or not permitted to be read.
 * - `SNAPSHOT_MISSING`: a snapshot does not exist, or is no commit or tree.
 * - `PATH_NOT_IN_TURN`: the path asked about did not change in the turn.
 * - `TOO_LARGE`: what changed on disk is more than is looked at (2,000,000 paths, folders 1,024 deep).
 * - `TIMED_OUT`: the time of `timeoutMs` was over before it was known what changed on disk.
 * - `ABORTED`: the signal was aborted; `cause` is its reason and `name` is `AbortError`.
 * - `BINDING_MISSING`: the native binary could not be loaded; the message says what to do.
 * - `INTERNAL`: a fault of this library. The process and later calls are unharmed.
 */
export type ErrorCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_A_REPOSITORY'
  | 'NOT_OWNED'
  | 'UNSUPPORTED_REPOSITORY'
  | 'REPOSITORY_UNREADABLE'
  | 'SNAPSHOT_MISSING'
  | 'PATH_NOT_IN_TURN'
  | 'TOO_LARGE'
  | 'ABORTED'
  | 'TIMED_OUT'
  | 'BINDING_MISSING'
  | 'INTERNAL'

/** What every call rejects with. */
export interface TurnAttributionError extends Error {
  code: ErrorCode
  cause?: unknown
}

/** Whether a value is an error of this package. Never throws, whatever the value. */
export declare function isTurnAttributionError(value: unknown): value is TurnAttributionError

/**
 * The one place that words a move: "Pulled origin/main", "Rebased onto origin/main", "Switched main → feature", or
 * "Updated via git (main → main)". Never throws; `''` for what is no result.
 *
 * ```ts
 * console.log(`${transitionLabel(turn)}: ${turn.demoted.fileCount} files`)
 * ```
 */
export declare function transitionLabel(result: Pick<TurnAttribution, 'branchTransition'>): string


/** A git command, as the log of HEAD tells of it. */
export type ActionKind = 'pull' | 'merge' | 'rebase' | 'checkout' | 'reset' | 'commit' | 'amend' | 'cherry-pick' | 'revert' | 'am' | 'clone' | 'branch' | 'other'

/**
 * Attributes a turn, or a range of turns when `between` is given: which files the agent wrote, how much merely
 * moved through git, and from which branch to which. Attribution trouble never rejects: then every file is shown
 * and `attribution` says why.
 *
 * Rejects as `readHead` does, and with `SNAPSHOT_MISSING` where a snapshot does not exist.
 *
 * ```ts
 * const turn = await attributeTurn({ cwd, from: { ref: s0, headOid: h0 }, to: { ref: s1, headOid: h1 } })
 * for (const file of turn.shown) console.log(file.path, file.additions, file.deletions)
 * console.log(`${transitionLabel(turn)}: ${turn.demoted.fileCount} files`)
 * ```
 */
export declare function attributeTurn(request: AttributeTurnRequest, options?: CallOptions): Promise<TurnAttribution>

/** A turn to attribute. */
export interface AttributeTurnRequest {
  /** Any folder in the repository. */
  cwd: string
  /** Where the turn began. */
  from: Checkpoint
  /** Where it ended. */
  to: Checkpoint
  /** For a range of turns: the checkpoints between, in order. */
  between?: Array<Checkpoint>
  /** What to say of demoted files; `'count'` where absent. */
  demoted?: DemotedDetail
  /**
   * The most files that are named one by one, of the shown ones and of the demoted ones each: the first in byte order
   * of the path. The numbers beside them count all, and the note `files-cut` tells of it. 100,000 where absent.
   */
  maxFiles?: number
}

/** How a turn was attributed. */
export type Attribution =
  | { status: 'unmoved'; notes: Array<AttributionNote> }
  | { status: 'attributed'; evidence: Evidence; notes: Array<AttributionNote> }
  | { status: 'not-attributed'; reason: NotAttributedReason; detail: string; notes: Array<AttributionNote> }

/**
 * What else to know about the evidence.
 *
 * - `from-ref-moved`, `to-ref-moved`: the ref names another object now; the `oid` given was used.
 * - `turn-start-not-believed`: `turnStartedAt` is no time or after the end; the snapshot's own time was used.
 * - `pin-not-understood`: a pin cannot be read, and counts as absent.
 * - `no-pin`: a checkpoint has no pin, so the log was searched by dates.
 * - `reflog-lost`: entries of the log that were there at the turn are gone.
 * - `no-reflog`: there is no log of HEAD.
 * - `turn-not-attributed`: in a range, a turn could not be attributed; all that it changed counts as authored.
 * - `files-cut`: there are more files than `maxFiles`, so the lists do not name all; the counts beside them are whole.
 * - `read-failed`: something could not be read that the rest stands without: counts, attributes and renames may be
 *   missing, and for want of proof more may be shown.
 */
export type AttributionNote = 'from-ref-moved' | 'to-ref-moved' | 'turn-start-not-believed' | 'pin-not-understood' | 'no-pin' | 'reflog-lost' | 'no-reflog' | 'turn-not-attributed' | 'files-cut' | 'read-failed'

/** Where HEAD was and is. */
export interface BranchTransition {
  /** `null`: detached, or not recorded. */
  fromBranch: string | null
  /** `null`: detached, or not recorded. */
  toBranch: string | null
  /** `null`: unborn, or not recorded. */
  fromHead: string | null
  /** `null`: unborn, or not recorded. */
  toHead: string | null
  kind: MoveKind
  /** In order. */
  actions: Array<GitAction>
  /** The move in words, as `transitionLabel` gives it. */
  label: string
}

/**
 * What happened to a file, from the state it is compared with to its state in the `to` snapshot.
 * `typechange`: it became a file, symbolic link or submodule and was another of these.
 */
export type ChangeKind = 'added' | 'modified' | 'deleted' | 'renamed' | 'typechange' | 'submodule'

/**
 * A checkpoint: the host's snapshot, and what it recorded beside it.
 *
 * A key that is absent was not recorded; without a head everything is shown, as if there were no attribution. `null`
 * is a fact: an unborn head, a detached one. Of a checkpoint that names a snapshot and nothing else, the facts are read
 * from the snapshot's message, where `writeCheckpointFacts` puts them.
 */
export interface Checkpoint {
  /** The snapshot: a full object id, or the full name of a ref that holds it. */
  ref: string
  /** The snapshot's id where `ref` is a ref name: refs can be moved, ids cannot. It counts more than the ref. */
  oid?: string
  /** The commit that `HEAD` named when the snapshot was taken; `null` while the branch was unborn. */
  headOid?: string | null
  /** The branch; `null` when `HEAD` was detached. */
  branch?: string | null
  /** The pin that `readHead` gave. */
  pin?: string | null
  /**
   * The start of the turn that begins at this checkpoint, in milliseconds since the epoch. A value that is no
   * time, or lies after the `to` snapshot, is not believed; the snapshot's own time serves. What the log of HEAD
   * tells of the time between the snapshot and the start was not done in the turn: pass the time at which the
   * turn was asked for, never a later one.
   */
  turnStartedAt?: number
}

/**
 * Where in a turn a checkpoint stands.
 *
 * - `turn`: between two turns, the end of the one with its number and the start of the next.
 * - `mark`: at the start of a turn.
 * - `end`: at the end of the turn that the mark of the same number began.
 */
export type CheckpointKind = 'turn' | 'mark' | 'end'

/** Who keeps a checkpoint: T3 Code, T3 Code under the refs of its second orchestration, or the command `mark`. */
export type CheckpointSource = 't3code' | 't3code-v2' | 'mark'

/**
 * Closes the repositories that are kept open. After a call its repository stays open for at most two seconds, so that
 * the next call finds it warm; where open files are in the way of what comes next, as of `git gc` or of removing the
 * folder on Windows, they are closed at once by this. A call that is at work closes its own when it ends.
 *
 * Rejects with `BINDING_MISSING`.
 *
 * ```ts
 * await closeRepositories()
 * await rm(folder, { recursive: true })
 * ```
 */
export declare function closeRepositories(): Promise<void>

/** What only moved through git. */
export interface Demoted {
  /** How many files. */
  fileCount: number
  /** Lines added in all of them; `null` unless asked for with `demoted: 'lines'`. */
  additions: number | null
  /** Lines removed in all of them; likewise. */
  deletions: number | null
  /** The files; `null` unless asked for with `demoted: 'paths'` or `'lines'`. */
  files: Array<DemotedFile> | null
}

/** How much to say of demoted files: their number; paths and reasons too; lines too (their contents are read). */
export type DemotedDetail = 'count' | 'paths' | 'lines'

/** A file that only moved through git. */
export interface DemotedFile {
  /** Relative to the repository's root, with `/`. */
  path: string
  kind: ChangeKind
  /** Lines added; `null` unless asked for with `demoted: 'lines'`, and for binary files. */
  additions: number | null
  /** Lines removed; likewise. */
  deletions: number | null
  /** Why the lines are not counted; `null` where they are, for binary files, and unless asked for. */
  uncounted: UncountedReason | null
  reason: DemotedReason
}

/**
 * Why a file is demoted.
 *
 * - `moved-by-history`: its state is the one it has in the history that HEAD moved to.
 * - `merged-with-uncommitted`: it is what git makes of that history and of changes that were uncommitted before.
 * - `replayed`: it is what git makes by replaying commits that existed before.
 */
export type DemotedReason = 'moved-by-history' | 'merged-with-uncommitted' | 'replayed'

/** A file of a patch. */
export interface DiffFile {
  /** Relative to the repository's root, with `/`. Bytes that are not UTF-8 are U+FFFD. */
  path: string
  /** Where a renamed file was before. */
  previousPath: string | null
  kind: ChangeKind
  /**
   * Lines added, as `git diff --numstat` counts them under the same options, whatever was cut; `null` for binary
   * files and unreadable contents.
   */
  additions: number | null
  /** Lines removed; likewise. */
  deletions: number | null
  /** Whether it is binary, by its content or by the snapshot's own `.gitattributes`. */
  binary: boolean
  /** Why the lines are not counted; `null` where they are, and for binary files. */
  uncounted: UncountedReason | null
  /**
   * Mode in the state it is compared with: what git alone would have left there, or, where `mixed` and with
   * `includeGitChanges`, the state in the `from` snapshot. `null` where there was no file.
   */
  oldMode: string | null
  /** Mode in the `to` snapshot; `null` where it was deleted. */
  newMode: string | null
  /** Object id for `oldMode`. It may be the result of a merge, which is no object of the repository. */
  oldOid: string | null
  /** Object id for `newMode`. */
  newOid: string | null
  /** Whether the text may hold what only moved: it could not be told apart, or `includeGitChanges` asked for it. */
  mixed: boolean
  /** Whether it only moved through git; such a file is listed with `includeGitChanges` alone. */
  demoted: boolean
  reason: ShownReason | DemotedReason
  /**
   * Where its text stands in the patch, for a change of type both parts of it. `null` where it has none: only white
   * space differs and that is ignored, or a content cannot be read.
   */
  section: Section | null
  /** Whether its text was cut for a budget. */
  truncated: boolean
  /** The exact path where it is not UTF-8. */
  pathBytes: Buffer | null | null
  /** The exact previous path where it is not UTF-8. */
  previousPathBytes: Buffer | null | null
}

/** What a patch is to hold, and how it is to be written. */
export interface DiffOptions {
  /** The whole change on disk, from snapshot to snapshot, instead of the shown files alone; `false` where absent. */
  includeGitChanges?: boolean
  /**
   * Lines that differ in white space alone are the same, as with `--ignore-all-space`; `false` where absent. A file
   * with only such changes stays in `files`, with 0 additions and deletions.
   */
  ignoreWhitespace?: boolean
  /** Lines of context around a change; 3 where absent. */
  contextLines?: number
  /** Only these files, named as in `path` of the result; others are absent from it. */
  paths?: Array<string>
  /**
   * The most bytes of patch text for one file; 1 MiB where absent. Text is cut between lines, and what is left is a
   * well-formed patch. Counts are never touched.
   */
  maxFileBytes?: number
  /**
   * The most bytes of patch text in all; 10 MiB where absent. The largest files are cut first. Headers always stay,
   * so many files may come to more. Never more than 256 MiB: text in JavaScript has an end.
   */
  maxBytes?: number
  /** Object ids in full on `index` lines; `false` where absent: as short as git makes them. */
  fullIndex?: boolean
  /**
   * Names in headers without quotes and escapes, for readers that do not know them; `false` where absent. Only a
   * name with a line feed or another control character is still quoted.
   */
  unquotedPaths?: boolean
}

/**
 * Makes the patch of a turn, or of a range of turns: of exactly the files that `attributeTurn` shows, each from the
 * state that git alone would have left to the one in the `to` snapshot, so that a file that was pulled and edited has
 * the agent's hunks alone. With `includeGitChanges` it is the whole change on disk, byte for byte what `git diff`
 * prints between the two snapshots. No setting of the user or the repository changes the text, and attributes come
 * from the `to` snapshot.
 *
 * Budgets cut text only: `files` is always whole, its counts exact. Rejects as `attributeTurn` does.
 *
 * ```ts
 * const { patch, files } = await diffTurn(request, { ignoreWhitespace: true })
 * for (const { path, section } of files) if (section) console.log(path, patch.slice(section.start, section.end))
 * ```
 */
export declare function diffTurn(request: AttributeTurnRequest, options?: DiffOptions, callOptions?: CallOptions): Promise<TurnDiff>

/**
 * How strong the evidence is. `reflog`: the log of HEAD tells the whole turn, between two pins. `dates`: it
 * tells the whole turn, placed by dates. `weak`: it is silent, broken, or holds a word of no known command;
 * what is not proven older than the turn then counts as made in it.
 */
export type Evidence = 'reflog' | 'dates' | 'weak'

/** A commit of the turn that changed the file. */
export interface ExplainedCommit {
  oid: string
  /** What it was taken for, in words. */
  role: string
}

/** The states that a file was judged by; `null` where the path does not exist. */
export interface ExplainedStates {
  /** In the head at the start. */
  startHead: FileState | null
  /** In the `from` snapshot. */
  start: FileState | null
  /** In the head at the end. */
  endHead: FileState | null
  /** In the `to` snapshot. */
  end: FileState | null
  /** In the head at the end as it would be had the agent only run git. */
  mechanical: FileState | null
  /** On disk as it would be had the agent only run git. */
  expected: FileState | null
}

/**
 * Says what decided one file of a turn: the rule, the states it was judged by, and the commits that changed it.
 *
 * `path` is as in the result of `attributeTurn`. Rejects as `attributeTurn` does, and with `PATH_NOT_IN_TURN`
 * where the file did not change.
 *
 * ```ts
 * const { verdict, rule, commits } = await explainPath(request, 'src/routes.ts')
 * ```
 */
export declare function explainPath(request: AttributeTurnRequest, path: string, options?: CallOptions): Promise<PathExplanation>

/** The state of a path in a tree. */
export interface FileState {
  /** As git writes it: `100644`, `100755`, `120000` (symbolic link) or `160000` (submodule). */
  mode: string
  /** Blob id, or the commit id of a submodule. */
  oid: string
}

/** A part of a patch. */
export interface FilteredDiff {
  /** The sections that were kept; bytes that are not UTF-8 are U+FFFD. */
  patch: string
  /** The same, exact. */
  patchBytes: Buffer
  /** The files that were kept, and where they stand in `patch` and `patchBytes`. */
  files: Array<ParsedFile>
  /** As of the whole patch: something malformed or cut may have been about these files. */
  truncated: boolean
}

/**
 * Keeps the sections of some files of a patch, exactly as they stand in it; `paths` are as `parseUnifiedDiff` gives
 * them, as `path` or as `previousPath`. Text around the sections is left out.
 *
 * Rejects as `parseUnifiedDiff` does.
 *
 * ```ts
 * const { patch } = await filterUnifiedDiff(text, turn.shown.map((file) => file.path))
 * ```
 */
export declare function filterUnifiedDiff(text: string | Uint8Array, paths: string[], options?: CallOptions): Promise<FilteredDiff>

/** Something git did in the turn. */
export interface GitAction {
  action: ActionKind
  /** The branch, remote branch or commit it was about, where the log says so. */
  target: string | null
}

/** What a host stores beside a snapshot. */
export interface HeadFacts {
  /** The commit that `HEAD` names; `null` while the branch is unborn. */
  headOid: string | null
  /** The short name of the branch, during a rebase the one being rebased; `null` when detached. */
  branch: string | null
  /** What git is in the middle of. */
  operation: OperationKind | null
  /**
   * Opaque: the position in the log of HEAD, and what an operation in progress will not leave behind. One line
   * of printable ASCII; store it and pass it back.
   */
  pin: string
}

/**
 * Lists the checkpoints that a repository keeps under refs, by their names: those of T3 Code
 * (`refs/t3/checkpoints/<thread>/turn/<n>`, `refs/t3/orchestration-v2/checkpoints/<thread>/ordinal/<n>`), where turn `n`
 * goes from checkpoint `n - 1` to `n`, and those of the commands `mark` and `show`
 * (`refs/turn-attribution/<thread>/mark/<n>` and `…/end/<n>`). Sorted by source, thread and number. At most 100,000 refs
 * of each of the three are looked at. A ref that is damaged is left out.
 *
 * Rejects as `readHead` does, and with `TIMED_OUT`.
 *
 * ```ts
 * const [from, to] = (await listCheckpoints(cwd)).filter((one) => one.thread === thread)
 * if (from && to) await attributeTurn({ cwd, from: { ref: from.ref }, to: { ref: to.ref } })
 * ```
 */
export declare function listCheckpoints(cwd: string, options?: CallOptions): Promise<Array<ListedCheckpoint>>

/**
 * A checkpoint that a repository keeps under a ref. Head, branch and pin are in the message of its commit, where its
 * host put them there: `attributeTurn` reads them when it is given the ref alone.
 */
export interface ListedCheckpoint {
  /** The full name of the ref. */
  ref: string
  /** What the ref names. */
  oid: string
  source: CheckpointSource
  kind: CheckpointKind
  /** The thread, as it stands in the name; of marks their name. */
  thread: string
  /** Its number in the thread. */
  number: number
  /** When it was taken, in milliseconds since the epoch; `null` where it is a bare tree or cannot be read. */
  takenAt: number | null
}

/** How HEAD moved. `unknown`: a head was not recorded. */
export type MoveKind = 'none' | 'fast-forward' | 'rewind' | 'switch' | 'rewrite' | 'merge' | 'detach' | 'attach' | 'birth' | 'rename' | 'unknown'

/**
 * Why a turn could not be attributed. Every file is shown then.
 *
 * - `head-not-recorded`: a checkpoint has no `headOid`.
 * - `head-missing`: a recorded head is not in the repository, or is no commit.
 * - `unborn-at-end`: there was a commit at the start and none at the end.
 * - `history-missing`: an object of the history between is not in the repository.
 * - `history-cut`: history ends artificially (shallow clone, graft) where it was needed.
 * - `reflog-lost`: entries of the log that were there at the turn are gone (expired), and commits may have been
 *   made in it.
 * - `limit`: the turn is larger than what is looked at; `detail` names the limit.
 * - `time-limit`: the time given with `timeoutMs` was over.
 * - `unreadable`: an object or log is damaged; `detail` says which.
 */
export type NotAttributedReason = 'head-not-recorded' | 'head-missing' | 'unborn-at-end' | 'history-missing' | 'history-cut' | 'reflog-lost' | 'limit' | 'time-limit' | 'unreadable'

/** What git is in the middle of. */
export type OperationKind = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'am' | 'bisect'

/** What a patch says. */
export interface ParsedDiff {
  /** One for each path, in the order in which they first appear. */
  files: Array<ParsedFile>
  /** Whether something was left out because it is malformed, in colour or UTF-16, or the text ends within it. */
  truncated: boolean
}

/** A file of a patch. */
export interface ParsedFile {
  /**
   * Without the prefix of the patch's own (`a/`, `b/` and the like), or its old name where it was deleted. Bytes
   * that are not UTF-8 are U+FFFD.
   */
  path: string
  /** Where a renamed or copied file was before. */
  previousPath: string | null
  /**
   * Several sections of one path are one change after another: a file that is deleted and added as a symbolic link
   * is a `typechange`.
   */
  kind: ChangeKind | 'copied'
  /**
   * Lines added, in all sections of the path; in the diff of a merge those that any parent lacks. `null` for binary
   * files, where the patch says that they are: of a change of name or mode alone it does not.
   */
  additions: number | null
  /** Lines removed; likewise. */
  deletions: number | null
  /** Whether the patch has no lines for it: `Binary files … differ`, or a binary patch. */
  binary: boolean
  /** Mode before; `null` where the patch does not tell it or there was no file. Of a merge: in its first parent. */
  oldMode: string | null
  /** Mode after; `null` where the patch does not tell it or the file was deleted. */
  newMode: string | null
  /** The path where it is not UTF-8. */
  pathBytes: Buffer | null
  /** The previous path where it is not UTF-8. */
  previousPathBytes: Buffer | null
  /** Where its sections stand, in their order. */
  section: Array<PatchSection>
}

/**
 * Reads a patch that arrives as text, such as a provider's own diff of a turn: which files it changes, how, and where
 * each stands in it. What git prints is understood, with text around it (mail, a log) and under any option that keeps
 * it a patch, and so are patches of other tools. Content is what the lengths of a hunk say, whatever it looks like.
 *
 * A patch is never refused: what is malformed or cut is left out, and `truncated` says so, as it does of sections in
 * colour (`--color=always`) and of UTF-16, which are not read.
 * Rejects with `INVALID_ARGUMENT`, `ABORTED`, `BINDING_MISSING` or `INTERNAL`.
 *
 * ```ts
 * const { files } = await parseUnifiedDiff(text)
 * for (const { path, additions, deletions } of files) console.log(path, additions, deletions)
 * ```
 */
export declare function parseUnifiedDiff(text: string | Uint8Array, options?: CallOptions): Promise<ParsedDiff>

/** Where a part of a patch stands in it. */
export interface PatchSection {
  /** Its first UTF-16 unit in the text. Of a patch given as bytes: in the text that they decode to. */
  start: number
  /** The unit after its last. */
  end: number
  /** Its first byte; of a text: in UTF-8. */
  byteStart: number
  /** The byte after its last. */
  byteEnd: number
}

/** What decided a file. */
export interface PathExplanation {
  path: string
  verdict: Verdict
  /** Whether the whole change is shown because what moved could not be told apart. */
  mixed: boolean
  reason: ShownReason | DemotedReason
  /** The rule that decided, in a sentence. */
  rule: string
  states: ExplainedStates
  commits: Array<ExplainedCommit>
  /** The content that a shown file is compared with (a demoted one: its content); `null` where there is none. */
  expectedContent: Uint8Array | null
}

/**
 * Reads a checkpoint that keeps its facts in the message of the snapshot commit, as `writeCheckpointFacts`
 * puts them there. `ref` is a full object id or a full ref name.
 *
 * Rejects as `attributeTurn` does.
 *
 * ```ts
 * const from = await readCheckpoint(cwd, 'refs/t3/checkpoints/abc/turn/1')
 * const to = await readCheckpoint(cwd, 'refs/t3/checkpoints/abc/turn/2')
 * const turn = await attributeTurn({ cwd, from, to })
 * ```
 */
export declare function readCheckpoint(cwd: string, ref: string, options?: CallOptions): Promise<RecordedCheckpoint>

/**
 * Reads the facts that a checkpoint's message holds; a key that is absent was not recorded. Spread the result
 * into a `Checkpoint`. Any message is readable: an old one holds nothing.
 *
 * Rejects with `INVALID_ARGUMENT`, `BINDING_MISSING` or `INTERNAL`.
 *
 * ```ts
 * const from = { ref: s0, ...(await readCheckpointFacts(message)) }
 * ```
 */
export declare function readCheckpointFacts(message: string): Promise<RecordedFacts>

/**
 * Reads what a host stores beside each snapshot: the commit that `HEAD` names, the branch, an operation in
 * progress, and a pin. Take it right after the snapshot, and store all of it.
 *
 * `cwd` is any folder in a repository; it is looked for upwards, as git does.
 * Rejects with `INVALID_ARGUMENT`, `NOT_A_REPOSITORY`, `NOT_OWNED`, `UNSUPPORTED_REPOSITORY`,
 * `REPOSITORY_UNREADABLE`, `ABORTED`, `BINDING_MISSING` or `INTERNAL`.
 *
 * ```ts
 * const { headOid, branch, pin } = await readHead('/path/to/workspace')
 * ```
 */
export declare function readHead(cwd: string, options?: CallOptions): Promise<HeadFacts>

/** A checkpoint found in a repository: a `Checkpoint` of which the snapshot is known to exist. */
export interface RecordedCheckpoint {
  /** As it was asked for. */
  ref: string
  /** The snapshot's id. */
  oid: string
  /** The head; `null`: unborn. */
  headOid?: string | null
  /** The branch; `null`: detached. */
  branch?: string | null
  /** The pin. */
  pin?: string
  /** The start of the turn that begins at the checkpoint, in milliseconds since the epoch. */
  turnStartedAt?: number
}

/** Facts read from a checkpoint's message. A key that is absent was not recorded; `null` is a fact. */
export interface RecordedFacts {
  /** The head; `null`: unborn. */
  headOid?: string | null
  /** The branch; `null`: detached. */
  branch?: string | null
  /** The pin. */
  pin?: string
  /** The start of the turn that begins at the checkpoint, in milliseconds since the epoch. */
  turnStartedAt?: number
}

/** Where the text about a file stands. */
export interface Section {
  /** In `patch`: its first UTF-16 unit. */
  start: number
  /** In `patch`: the first UTF-16 unit behind it. */
  end: number
  /** In `patchBytes`: its first byte. */
  byteStart: number
  /** In `patchBytes`: the first byte behind it. */
  byteEnd: number
}

/** A file that the agent wrote. */
export interface ShownFile {
  /** Relative to the repository's root, with `/`. Bytes that are not UTF-8 are U+FFFD. */
  path: string
  /** Where a renamed file was before. */
  previousPath: string | null
  kind: ChangeKind
  /** Lines added, as `git diff --numstat` counts them; `null` for binary files and unreadable contents. */
  additions: number | null
  /** Lines removed; likewise. */
  deletions: number | null
  /** Whether it is binary, by its content or by the snapshot's own `.gitattributes`. */
  binary: boolean
  /** Why the lines are not counted; `null` where they are, and for binary files. */
  uncounted: UncountedReason | null
  /**
   * Mode in the state it is compared with: what git alone would have left there, or, where `mixed`, the state
   * in the `from` snapshot. `null` where there was no file.
   */
  oldMode: string | null
  /** Mode in the `to` snapshot; `null` where it was deleted. */
  newMode: string | null
  /** Object id for `oldMode`. It may be the result of a merge, which is no object of the repository. */
  oldOid: string | null
  /** Object id for `newMode`. */
  newOid: string | null
  /** Whether the whole change is shown because what moved could not be told from what was written. */
  mixed: boolean
  reason: ShownReason
}

/**
 * Why a file is shown.
 *
 * - `head-not-moved`: HEAD did not move, so every change on disk was made by hand.
 * - `not-attributed`: the turn could not be attributed; see `attribution.reason`.
 * - `authored`: no movement through git explains its state.
 * - `edited-after-move`: it moved through git and was changed by hand; only the hand's part is counted.
 * - `conflict`: a merge or replay stops on it, so what moved cannot be told apart (`mixed`).
 * - `redo-conflict`: a merge or pick of the turn stops on it, so its state is a resolution.
 * - `late-commit`: a commit dated in the turn and made elsewhere holds what the agent changed by hand (`mixed`).
 * - `unproven-commit`: a commit holds it of which nothing tells whether it was made in the turn (`mixed`).
 * - `authored-in-range`: in a range, it was shown in a turn of the range.
 * - `does-not-compose`: in a range, the turns' movements do not compose on it (`mixed`).
 * - `turn-not-attributed`: in a range, a turn that changed it could not be attributed (`mixed`).
 * - `renamed-by-history`: in a range, later history renamed a file that an earlier turn authored.
 */
export type ShownReason = 'head-not-moved' | 'not-attributed' | 'authored' | 'edited-after-move' | 'conflict' | 'redo-conflict' | 'late-commit' | 'unproven-commit' | 'authored-in-range' | 'does-not-compose' | 'turn-not-attributed' | 'renamed-by-history'

/** The truth about a turn. */
export interface TurnAttribution {
  /** The files that the agent wrote, in byte order of the path. */
  shown: Array<ShownFile>
  /** How many there are: more than `shown` names where `maxFiles` was met. */
  shownFileCount: number
  /** What only moved through git. Shown and demoted files together are the whole change on disk. */
  demoted: Demoted
  branchTransition: BranchTransition
  attribution: Attribution
  /** What git was in the middle of at the end, where a pin recorded it. */
  operationInProgress: OperationKind | null
}

/** The patch of a turn. */
export interface TurnDiff {
  /** The patch as text; bytes that are not UTF-8 are U+FFFD. */
  patch: string
  /** The patch, exactly. */
  patchBytes: Buffer
  /** Whether the text of any file was cut for a budget. */
  truncated: boolean
  /** Whether pairing renames was given up for size: then some stand as a deletion and an addition. */
  renamesLimited: boolean
  /** Every file, whatever text was cut, in byte order of the path, which is the order of the patch. */
  files: Array<DiffFile>
  /** How many there are: more than `files` names where `maxFiles` was met. The patch is of those named. */
  fileCount: number
  /** What only moved through git. */
  demoted: Demoted
  branchTransition: BranchTransition
  attribution: Attribution
  /** What git was in the middle of at the end, where a pin recorded it. */
  operationInProgress: OperationKind | null
}

/**
 * Why the lines of a file are not counted, which is not known to be binary. The file and the rest of the answer
 * stand.
 *
 * - `content-missing`: a content is not in the repository (a partial clone, pruned). Nothing is fetched.
 * - `content-unreadable`: a content is damaged.
 * - `content-too-large`: a content is larger than what is read.
 * - `time-limit`: the time given with `timeoutMs` was over.
 */
export type UncountedReason = 'content-missing' | 'content-unreadable' | 'content-too-large' | 'time-limit'

/** Whether a file is the agent's. */
export type Verdict = 'shown' | 'demoted'

/**
 * Writes facts into the message of a checkpoint's commit, one `key=value` a line, in place of any it holds.
 *
 * Rejects with `INVALID_ARGUMENT`, `BINDING_MISSING` or `INTERNAL`.
 *
 * ```ts
 * const message = await writeCheckpointFacts('my checkpoint', await readHead(cwd))
 * ```
 */
export declare function writeCheckpointFacts(message: string, facts: RecordedFacts): Promise<string>
