// The one shape that is stored and sent. It needs nothing but effect: it belongs where the host keeps its contracts.

import * as Schema from 'effect/Schema'

const NonNegativeInt = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * What merely moved through git in a turn: the data of the card's muted row, stored beside the files.
 *
 * A turn that has one was attributed by the addon; a turn without went the host's own way. So the queries can give a
 * patch that agrees with the card (see docs/host-integration.md).
 */
export const TurnGitSummary = Schema.Struct({
  /** How many files moved and are not listed. */
  fileCount: NonNegativeInt,
  /** Lines added in them; `null`: not counted. */
  additions: Schema.NullOr(NonNegativeInt),
  /** Lines removed in them; likewise. */
  deletions: Schema.NullOr(NonNegativeInt),
  /** `null`: detached. No trimming: git takes names that JavaScript would trim. */
  fromBranch: Schema.NullOr(Schema.String),
  /** `null`: detached. */
  toBranch: Schema.NullOr(Schema.String),
  /** `null`: no commit yet. */
  fromHead: Schema.NullOr(Schema.String),
  /** `null`: no commit yet. */
  toHead: Schema.NullOr(Schema.String),
  /** The move in words, to be shown as it is. */
  label: Schema.String,
  /** Why nothing could be told apart, so that everything is listed; `null` where it could. */
  reason: Schema.NullOr(Schema.String),
  /** The start of the turn that was passed, in milliseconds since 1970: the queries have to pass the same. */
  turnStartedAt: Schema.NullOr(NonNegativeInt),
})
export type TurnGitSummary = typeof TurnGitSummary.Type
