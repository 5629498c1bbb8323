// Git's own word on a tree delta, to compare the attribution with.
import { type GitEnvironment, runGit } from './git.js'

export interface DeltaEntry {
  status: string
  oldMode: string
  newMode: string
  oldOid: string
  newOid: string
}

export interface LineCount {
  additions: number | null
  deletions: number | null
}

/** A place where git runs. */
export interface Place {
  readonly cwd: string
  readonly env: GitEnvironment
}

/** path → modes and oids of the delta between two trees, without renames. */
export function gitTreeDelta(place: Place, from: string, to: string): Map<string, DeltaEntry> {
  const flags = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev']
  const fields = runGit(place.cwd, place.env, ['diff-tree', ...flags, from, to]).split('\0')
  const delta = new Map<string, DeltaEntry>()
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const states = (fields[index] ?? '').replace(/^:/, '').split(' ')
    const [oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = states
    delta.set(fields[index + 1] ?? '', { status, oldMode, newMode, oldOid, newOid })
  }
  return delta
}

/** path → status letter, without renames. */
export function gitNameStatus(place: Place, from: string, to: string): Map<string, string> {
  return new Map([...gitTreeDelta(place, from, to)].map(([path, entry]) => [path, entry.status]))
}

/** path → counts as `git diff --numstat` prints them, without renames. */
export function gitNumstat(place: Place, from: string, to: string, options: string[] = []): Map<string, LineCount> {
  const flags = ['--numstat', '-z', '--no-renames', ...options]
  const counts = new Map<string, LineCount>()
  for (const row of runGit(place.cwd, place.env, ['diff', ...flags, from, to]).split('\0')) {
    if (row === '') continue
    const [added, deleted, ...path] = row.split('\t')
    counts.set(path.join('\t'), {
      additions: added === '-' ? null : Number(added),
      deletions: deleted === '-' ? null : Number(deleted),
    })
  }
  return counts
}
