// What the host's projector takes of a turn: the rows of the card, and one optional summary of what git moved.

import type { ChangeKind, TurnAttribution } from 'turn-attribution'
import type { TurnGitSummary } from './TurnGitSummary.ts'

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
      additions: count((twin?.additions ?? 0) + count(file.additions)),
      deletions: count((twin?.deletions ?? 0) + count(file.deletions)),
    })
  }
  return [...rows.values()].sort((left, right) => left.path.localeCompare(right.path))
}

/** The host's schema refuses the whole turn for one count that is no count. */
function count(lines: number | null | undefined): number {
  if (typeof lines !== 'number' || Number.isNaN(lines)) return 0
  return Math.min(Math.max(Math.trunc(lines), 0), Number.MAX_SAFE_INTEGER)
}

/** The summary of a turn; `turnStartedAt` is what the addon was told. */
export function toSummary(
  turn: Pick<TurnAttribution, 'demoted' | 'branchTransition' | 'attribution'>,
  turnStartedAt: number | null,
): TurnGitSummary {
  const { demoted, branchTransition: move, attribution } = turn
  return {
    fileCount: count(demoted.fileCount),
    additions: demoted.additions == null ? null : count(demoted.additions),
    deletions: demoted.deletions == null ? null : count(demoted.deletions),
    fromBranch: move.fromBranch,
    toBranch: move.toBranch,
    fromHead: move.fromHead,
    toHead: move.toHead,
    label: move.label,
    reason: attribution.status === 'not-attributed' ? attribution.reason : null,
    turnStartedAt,
  }
}
