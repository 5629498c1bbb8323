// Three rules that others use, over git's plumbing. They give the simulation its teeth: a run in which they do well
// would prove nothing.
import { tryGit } from '../support/git.js'
import { type DeltaEntry, gitTreeDelta, type Place } from '../support/tree-delta.js'

export const ruleNames = ['author date', 'author date, combined merges', 'commit date, re-merge'] as const
export type RuleName = (typeof ruleNames)[number]

interface Dated {
  authored: number
  committed: number
  merge: boolean
  paths: Set<string>
}

function commitsBetween(place: Place, from: string | null, to: string, merges: string): Dated[] {
  const range = from === null ? [to] : [to, '--not', from]
  const flags = ['--no-renames', '--name-only', '--root', `--diff-merges=${merges}`, '--format=commit %at %ct %P']
  const run = tryGit(place.cwd, place.env, ['log', ...flags, ...range])
  const commits: Dated[] = []
  for (const row of run.stdout.split('\n')) {
    if (row.startsWith('commit ')) {
      const [, authored, committed, ...parents] = row.trim().split(' ')
      commits.push({
        authored: Number(authored),
        committed: Number(committed),
        merge: parents.length > 1,
        paths: new Set(),
      })
    } else if (row !== '') commits.at(-1)?.paths.add(row)
  }
  return commits
}

const sameEntry = (one: DeltaEntry | undefined, other: DeltaEntry): boolean =>
  one !== undefined &&
  one.oldMode === other.oldMode &&
  one.newMode === other.newMode &&
  one.oldOid === other.oldOid &&
  one.newOid === other.newOid

/** What each rule shows. */
export function shownByOtherRules(
  place: Place,
  delta: Map<string, DeltaEntry>,
  from: string | null,
  to: string | null,
  turnStartedAt: number,
): Map<RuleName, Set<string>> {
  const all = new Set(delta.keys())
  if (to === null || from === to) return new Map(ruleNames.map((name) => [name, all]))
  const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  const history = gitTreeDelta(place, from ?? emptyTree, to)
  const start = Math.floor(turnStartedAt / 1000)
  const shown = (touched: Set<string>): Set<string> =>
    new Set(
      [...delta]
        .filter(([path, entry]) => touched.has(path) || !sameEntry(history.get(path), entry))
        .map(([path]) => path),
    )
  const touchedBy = (commits: Dated[], counts: (commit: Dated) => boolean): Set<string> =>
    new Set(commits.filter(counts).flatMap((commit) => [...commit.paths]))
  const combined = commitsBetween(place, from, to, 'combined')
  const remerged = commitsBetween(place, from, to, 'remerge')
  return new Map([
    ['author date', shown(touchedBy(combined, (commit) => commit.authored >= start && !commit.merge))],
    ['author date, combined merges', shown(touchedBy(combined, (commit) => commit.authored >= start))],
    ['commit date, re-merge', shown(touchedBy(remerged, (commit) => commit.committed >= start))],
  ])
}
