// The shapes that the host stores and sends. Its decoders trim names, drop keys they do not know, and take no null.

import * as Schema from 'effect/Schema'
import { TurnGitSummary } from '../../TurnGitSummary.ts'

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Name = Schema.Trim.check(Schema.isNonEmpty())

/** A row of the card. */
export const CheckpointFile = Schema.Struct({ path: Name, kind: Name, additions: Count, deletions: Count })

const fields = {
  turnId: Name,
  turnCount: Count,
  checkpointRef: Name,
  files: Schema.Array(CheckpointFile),
  completedAt: Schema.String,
  // The one addition; optional, so that what was stored before stays readable.
  git: Schema.optionalKey(TurnGitSummary),
}

/** What the reactor says of a finished turn. */
export const TurnDiffCompleted = Schema.Struct({ threadId: Name, ...fields })
export type TurnDiffCompleted = typeof TurnDiffCompleted.Type

/** What the read model keeps of it. */
export const CheckpointSummary = Schema.Struct(fields)
export type CheckpointSummary = typeof CheckpointSummary.Type

export const TurnDiffInput = Schema.Struct({
  threadId: Name,
  fromTurnCount: Count,
  toTurnCount: Count,
  ignoreWhitespace: Schema.optionalKey(Schema.Boolean),
  includeGitChanges: Schema.optionalKey(Schema.Boolean),
})
export type TurnDiffInput = typeof TurnDiffInput.Type

export const TurnDiffResult = Schema.Struct({
  threadId: Name,
  fromTurnCount: Count,
  toTurnCount: Count,
  diff: Schema.String,
  git: Schema.optionalKey(TurnGitSummary),
})
export type TurnDiffResult = typeof TurnDiffResult.Type

/** What a provider tells of itself; its times are by the server's clock. */
export type ProviderEvent =
  | { readonly type: 'turn.started'; readonly threadId: string; readonly turnId: string; readonly createdAt: string }
  | { readonly type: 'turn.completed'; readonly threadId: string; readonly turnId: string; readonly createdAt: string }

/** The ref of a checkpoint. */
export const checkpointRef = (threadId: string, turnCount: number): string =>
  `refs/t3/checkpoints/${Buffer.from(threadId).toString('base64url')}/turn/${turnCount}`
