// What the host's projector takes of a turn: the rows of the card, and one optional summary of what git moved.

import * as Schema from 'effect/Schema'
import type { ChangeKind, TurnAttribution } from 'turn-attribution'

const NonNegativeInt = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** One row of the card, in the shape of the host's checkpoint files. */
export interface ProjectedFile {
  /** The path, as `toProjectedPath` writes it. */
  readonly path: string
  readonly kind: ChangeKind
  /** Lines added; 0 where the addon has no count (binary, unreadable), because the host's schema knows no `null`. */
  readonly additions: number
  /** Lines removed; likewise. */
  readonly deletions: number
}

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

/**
 * The path as it survives the host's schema, which trims: a path that begins or ends with a blank, or that could be
 * mistaken for a quoted one, is put in double quotes with git's escapes. Every other path is itself.
 */
export function toProjectedPath(path: string): string {
  if (path === path.trim() && !path.startsWith('"')) return path
  return `"${path.replace(/[\\"\n\r\t]/g, (character) => escapes[character] ?? character)}"`
}

/** The path that `toProjectedPath` was given. */
export function fromProjectedPath(path: string): string {
  if (!/^".*"$/s.test(path)) return path
  return path.slice(1, -1).replace(/\\(.)/g, (whole, letter: string) => unescapes[letter] ?? whole)
}

const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const unescapes: Record<string, string> = { '\\': '\\', '"': '"', n: '\n', r: '\r', t: '\t' }

/**
 * The rows of the card: one per path, in the order of the host (by locale, not by byte). Names that differ only in
 * bytes that are not UTF-8 look the same and become one row, because the host uses the path as a key.
 */
export function toProjectedFiles(shown: TurnAttribution['shown']): ReadonlyArray<ProjectedFile> {
  const rows = new Map<string, ProjectedFile>()
  for (const file of shown) {
    const path = toProjectedPath(file.path)
    const twin = rows.get(path)
    rows.set(path, {
      path,
      kind: twin?.kind ?? file.kind,
      additions: (twin?.additions ?? 0) + (file.additions ?? 0),
      deletions: (twin?.deletions ?? 0) + (file.deletions ?? 0),
    })
  }
  return [...rows.values()].sort((left, right) => left.path.localeCompare(right.path))
}

/** The summary of a turn; `turnStartedAt` is what the addon was told. */
export function toSummary(
  turn: Pick<TurnAttribution, 'demoted' | 'branchTransition' | 'attribution'>,
  turnStartedAt: number | null,
): TurnGitSummary {
  const { demoted, branchTransition: move, attribution } = turn
  return {
    fileCount: demoted.fileCount,
    additions: demoted.additions,
    deletions: demoted.deletions,
    fromBranch: move.fromBranch,
    toBranch: move.toBranch,
    fromHead: move.fromHead,
    toHead: move.toHead,
    label: move.label,
    reason: attribution.status === 'not-attributed' ? attribution.reason : null,
    turnStartedAt,
  }
}
