/* The part of the contract that index.js holds by itself; `napi build` puts it before what comes from Rust. */

/** What every call takes. */
export interface CallOptions {
  /**
   * Stops the call: it rejects at once with code `ABORTED`, and the native work ends at its next read. One signal
   * may serve any number of calls.
   */
  signal?: AbortSignal | undefined
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
  | 'ABORTED'
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

