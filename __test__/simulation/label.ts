// What a turn's card must say of every path, from the ledger alone.
//
// must: the agent wrote it, or took it out, or the user's own uncommitted edit is lost.
// late: only a teammate's lines of this turn.  either: the rule does not decide.  moved: the rest.
import { runGit } from '../support/git.js'
import type { DeltaEntry, Place } from '../support/tree-delta.js'
import type { Authorship } from './authorship.js'
import { allLines, type Content, type FileState, identity } from './content.js'
import type { Inventory } from './inventory.js'

export type Verdict = 'must' | 'late' | 'either' | 'moved'

export interface Label {
  verdict: Verdict
  why: string
  /** Lines of the agent that the path gained. */
  added: string[]
  /** Lines that the agent took out of the path for certain. */
  removed: string[]
  /** Of these, such as stood in the new head's past: the expected state must hold them. */
  removedFromPast: string[]
}

export interface Turn {
  place: Place
  delta: Map<string, DeltaEntry>
  start: Content
  end: Content
  /** The content of the head the turn began at. */
  startHead: Content
  head: string | null
}

const marker = /^(<{7} |={7}$|>{7} |\|{7} )/

export function labelTurn(turn: Turn, ledger: Authorship, inventory: Inventory): Map<string, Label> {
  const reachable =
    turn.head === null ? [] : runGit(turn.place.cwd, turn.place.env, ['rev-list', turn.head]).split('\n')
  const known = reachable.filter((oid) => inventory.has(oid))
  const reachableSet = new Set(reachable)
  const knownLines = inventory.lines(known)
  const endLines = allLines(turn.end)
  const startLines = allLines(turn.start)
  const headLines = allLines(turn.startHead)
  const renamed = inventory.renamed()
  const endPlaces = new Map([...turn.end].map(([path, state]) => [identity(state), path]))

  const committedRemovals = new Map<string, Set<string>>()
  const removedBy = (commit: string): Set<string> => {
    let lines = committedRemovals.get(commit)
    if (lines === undefined) {
      const patch = runGit(turn.place.cwd, turn.place.env, [
        'show',
        '-m',
        '--first-parent',
        '--no-renames',
        '--format=',
        commit,
      ])
      lines = new Set(
        patch
          .split('\n')
          .filter((line) => line.startsWith('-') && !line.startsWith('---'))
          .map((line) => line.slice(1)),
      )
      committedRemovals.set(commit, lines)
    }
    return lines
  }
  const removedByHand = (line: string, path: string): boolean => {
    const removal = ledger.removals.get(line)
    if (removal === undefined || inventory.removed.has(line) || ledger.undecidedLines.has(line)) return false
    if (ledger.lateRemovals.has(line) || ledger.userRemovals.has(line)) return false
    // It stood in the new head's own past, nobody of before the turn took it out, and it is gone.
    if (knownLines.has(line)) return true
    const entry = turn.delta.get(path)
    const state = entry === undefined || /^0+$/.test(entry.newOid) ? null : `${entry.newMode} ${entry.newOid}`
    if (inventory.stands(known, path, state)) return false
    return removal.commits.some((commit) => reachableSet.has(commit) && removedBy(commit).has(line))
  }

  const labels = new Map<string, Label>()
  for (const [path, entry] of turn.delta) {
    const before = turn.start.get(path)
    const after = turn.end.get(path)
    const old = new Set(before?.lines ?? [])
    const now = new Set(after?.lines ?? [])
    const added = [...now].filter((line) => !old.has(line))
    const removed = [...old].filter((line) => !now.has(line))
    const label: Label = {
      verdict: 'moved',
      why: '',
      added: added.filter((line) => ledger.author(line) === 'agent'),
      removed: takenOut(path, before, after),
      removedFromPast: [],
    }
    label.removedFromPast = label.removed.filter((line) => knownLines.has(line))
    labels.set(path, label)
    const say = (verdict: Verdict, why: string): void => {
      label.verdict = verdict
      label.why = why
    }
    const ids = [before, after].filter((state): state is FileState => state !== undefined).map(identity)
    const folders = path.split('/').map((_, at, parts) => `${parts.slice(0, at).join('/')}/`)
    const undecided = [path, ...ids, ...folders]
      .map((key) => ledger.undecidedFiles.get(key))
      .find((why) => why !== undefined)

    if (label.added.length > 0) say('must', 'lines written by the agent')
    else if (label.removed.length > 0) say('must', 'lines removed by the agent')
    else if (added.some((line) => marker.test(line))) say('must', 'conflict markers')
    else if (userEditUndone(path, added, removed)) say('must', "the user's uncommitted edit is undone")
    else if (changedMode() === 'agent') say('must', 'mode set by the agent')
    else if (undecided !== undefined) say('either', undecided)
    else if (ids.some(removedFrom)) say('either', 'removal by the agent that history or an undoing may explain')
    else if (changedMode() === 'undone') say('either', 'mode set by the agent and undone')
    else if (after !== undefined && before?.mode === after.mode && ledger.modeByAgent(after) === 'agent')
      say('either', 'mode set by the agent, as it was before history changed it')
    else if ([...added, ...removed].some((line) => ledger.undecidedLines.has(line)))
      say('either', 'lines of an undecided operation')
    else if (after === undefined && (removed.some((line) => ledger.author(line) === 'user') || editedByUser()))
      say('either', "gone by history, with the user's edit")
    else if (before === undefined && editedByUser()) say('either', "the user's edit, at a path of history's")
    else if (userLinesMoved(added, removed)) say('either', "the user's lines moved")
    else if (isLate(added, removed, ids)) {
      // The agent may have committed the user's edit: then the file was touched by a commit made here.
      if (ids.some((id) => ledger.touched.has(id) || ledger.editedByUser.has(id)))
        say('either', 'late, and touched here')
      else say('late', 'lines of a teammate, written in the turn')
    }

    function editedByUser(): boolean {
      return ids.some((id) => ledger.editedByUser.has(id))
    }

    function changedMode(): 'agent' | 'undone' | null {
      if (after === undefined || before === undefined || before.mode === after.mode) return null
      const by = ledger.modeByAgent(after)
      if (by === 'agent' && inventory.stands(known, path, `${entry.newMode} ${entry.newOid}`)) return 'undone'
      return by
    }
  }
  return labels

  /** Lines of this file that are gone by the agent's hand: also such as history brought in the turn. */
  function takenOut(path: string, before: FileState | undefined, after: FileState | undefined): string[] {
    const state = after ?? before
    if (state === undefined) return []
    const id = identity(state)
    // Where the agent renamed the file, no history explains either path: both are shown for that alone.
    if ((before === undefined || after === undefined) && ledger.renamedByAgent.has(id)) return []
    // Renamed by history: what was taken out is missing at the new path. Gone altogether: nobody can tell where.
    if (after === undefined && (endPlaces.has(id) || renamed.has(id))) return []
    const files = new Set([id, ...(before === undefined || after === undefined ? [] : [identity(before)])])
    return [...ledger.removals]
      .filter(([line, removal]) => files.has(removal.file) && !endLines.has(line) && removedByHand(line, path))
      .map(([line]) => line)
  }

  function removedFrom(id: string): boolean {
    return [...ledger.removals].some(([line, removal]) => removal.file === id && !endLines.has(line))
  }

  function userEditUndone(path: string, added: string[], removed: string[]): boolean {
    const inHead = turn.startHead.has(path)
    // Where history deleted or renamed the file, the loss shows at the other path, or conflicts.
    if (!turn.end.has(path) && inHead) return false
    if (removed.some((line) => ledger.author(line) === 'user' && !endLines.has(line))) return true
    if (!turn.start.has(path)) return false
    return added.some((line) => ledger.userRemovals.has(line) && headLines.has(line) && !startLines.has(line))
  }

  function userLinesMoved(added: string[], removed: string[]): boolean {
    return (
      [...added, ...removed].some((line) => ledger.author(line) === 'user') &&
      added.some((line) => ledger.author(line) === 'user' || ledger.userRemovals.has(line))
    )
  }

  function isLate(added: string[], removed: string[], ids: string[]): boolean {
    if (added.some((line) => ledger.author(line) === 'late')) return true
    if (removed.some((line) => ledger.lateRemovals.has(line))) return true
    return ids.some((id) => ledger.lateFiles.has(id))
  }
}
