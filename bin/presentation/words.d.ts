import type { DiffFile, ShownFile, TurnAttribution, UncountedReason } from '../../index.js'

/** What a card says of a turn in which the agent wrote nothing. */
export declare const NOTHING_SHOWN: string

/** `1 file`, `2 files`. */
export declare function counted(count: number, noun: string): string

/** `main`, `detached at 1a2b3c4`, or `no branch`. */
export declare function branchName(branch: string | null | undefined, head: string | null): string

export interface MovedRow {
  /** `Updated via git (main → feature)`. */
  words: string
  /** What `transitionLabel` says of the move: `Pulled origin/main` where the git actions are known. */
  label: string
  fileCount: number
  /** `214 files`; `null` where nothing on disk moved. */
  files: string | null
}

/** The muted row of a card; `null` where nothing moved. */
export declare function movedRow(result: Pick<TurnAttribution, 'demoted' | 'branchTransition'>): MovedRow | null

/** `new`, `deleted`, `type changed`, `submodule`, `mode 100644 → 100755`, `mixed`. */
export declare function marksOf(file: Pick<ShownFile | DiffFile, 'kind' | 'oldMode' | 'newMode' | 'mixed'>): string[]

/** Why a turn was not attributed, notes, and an operation that was left open: a sentence each. */
export declare function remarks(result: Pick<TurnAttribution, 'attribution' | 'operationInProgress'>): string[]

/** Why the lines of a file are not counted. */
export declare function uncountedWords(reason: UncountedReason): string
