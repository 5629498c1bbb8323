import type { TurnDiff } from 'turn-attribution'

/** What the panel asks a host for: the options of `diffTurn` for the turn it shows. */
export interface PatchQuery {
  /** The whole change on disk instead of the shown files alone. */
  includeGitChanges: boolean
  ignoreWhitespace: boolean
  /** Only these files; all where absent. */
  paths?: string[]
  maxFileBytes: number
  maxBytes: number
}

/** What the panel reads of the answer. */
export type TurnPatch = Pick<TurnDiff, 'patch' | 'files' | 'fileCount' | 'truncated'>

/** Answers with the patch, or rejects; a signal that is aborted says that nobody waits for the answer any more. */
export type LoadPatch = (query: PatchQuery, signal: AbortSignal) => Promise<TurnPatch>

/** Of one file, at first: what a person reads through. */
export const FILE_BYTES = 512 * 1024
/** Of one file that was asked for as a whole. */
export const WHOLE_FILE_BYTES = 64 * 1024 * 1024
/** Of the first request, which brings an ordinary turn at once. */
export const FIRST_BYTES = 2 * 1024 * 1024
/** Of one request of many files: only single files are cut in it. */
export const BATCH_BYTES = 256 * 1024 * 1024
