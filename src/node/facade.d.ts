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

