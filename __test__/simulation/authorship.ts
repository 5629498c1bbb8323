// The ledger: who wrote every line, and what the agent's hand did in the turn.
import { allLines, type Content, type FileState, identity, type Mode, sameState } from './content.js'

/**
 * `earlier`: stood in history, or was on its way there, before the turn. `user`: uncommitted when the turn began.
 * `agent`: written in the turn by the agent. `late`: written in the turn by a teammate.
 */
export type Author = 'earlier' | 'user' | 'agent' | 'late'

export interface Removal {
  /** The file it was taken out of. */
  file: string
  /** Commits that the agent made while this removal stood uncommitted. */
  commits: string[]
  folder: string
  pending: boolean
}

export class Authorship {
  private count = 0
  private readonly authors = new Map<string, Author>()
  /** Lines that the agent's hand took out, as far as this was not undone. */
  readonly removals = new Map<string, Removal>()
  /** Lines whose coming or going the rule does not decide: revert, path checkout, squash merge, old patches … */
  readonly undecidedLines = new Set<string>()
  /** Files (by identity, and by path) that the rule does not decide: renamed or resolved by hand. */
  readonly undecidedFiles = new Map<string, string>()
  /** Modes that the agent set, by file identity; `undone` when another mode was seen since. */
  readonly modes = new Map<string, { mode: Mode; undone: boolean }>()
  /** Files the agent's hand touched at all. */
  readonly touched = new Set<string>()
  readonly renamedByAgent = new Set<string>()
  readonly lateRemovals = new Set<string>()
  readonly lateFiles = new Set<string>()
  readonly userRemovals = new Set<string>()
  /** Files with uncommitted edits of the user when the turn began. */
  readonly editedByUser = new Set<string>()

  newLine(author: Author, words: string): string {
    this.count += 1
    const line = `${this.count.toString(36).padStart(4, '0')} ${words}`
    this.authors.set(line, author)
    return line
  }

  author(line: string): Author | null {
    return this.authors.get(line) ?? null
  }

  /** Registers what a hand did to a folder's content. */
  recordHand(before: Content, after: Content, author: Author, folder: string): void {
    if (author === 'earlier') return
    if (author === 'user') {
      for (const state of after.values())
        if (state.lines.some((line) => this.author(line) === 'user')) this.editedByUser.add(identity(state))
    }
    const left = allLines(after)
    const places = new Map([...after].map(([path, state]) => [identity(state), path]))
    for (const [path, state] of before) {
      const next = after.get(path)
      const id = identity(state)
      const gone = state.lines.filter((line) => !left.has(line))
      const movedTo = places.get(id)
      if (author === 'user') {
        for (const line of gone) this.userRemovals.add(line)
        if (gone.length > 0) this.editedByUser.add(id)
        continue
      }
      if (author === 'late') {
        for (const line of gone) this.lateRemovals.add(line)
        if (movedTo !== path || gone.length > 0 || next?.mode !== state.mode) this.lateFiles.add(id)
        continue
      }
      for (const line of gone)
        if (this.author(line) !== 'agent') this.removals.set(line, { file: id, commits: [], folder, pending: true })
      if (gone.length > 0 || movedTo !== path) this.touched.add(id)
      if (movedTo !== undefined && movedTo !== path) {
        this.renamedByAgent.add(id)
        for (const key of [id, path, movedTo]) this.leaveUndecided(key, 'renamed by the agent')
      }
      if (next !== undefined && identity(next) === id && next.mode !== state.mode) {
        this.modes.set(id, { mode: next.mode, undone: false })
        this.touched.add(id)
      }
    }
    if (author !== 'agent') return
    // Old lines written anew are no work of the agent's own, nor do they merely move.
    const old = allLines(before)
    for (const state of after.values()) {
      for (const line of state.lines) {
        if (old.has(line) || this.author(line) === 'agent') continue
        this.undecidedLines.add(line)
        this.leaveUndecided(identity(state), 'old lines written anew by the agent')
      }
      if (state.lines.some((line) => this.author(line) === 'agent')) this.touched.add(identity(state))
    }
  }

  leaveUndecided(file: string, why: string): void {
    if (!this.undecidedFiles.has(file)) this.undecidedFiles.set(file, why)
  }

  isUndecided(path: string, state: FileState): boolean {
    return this.undecidedFiles.has(path) || this.undecidedFiles.has(identity(state))
  }

  /** What changed here is neither the agent's writing nor a plain move. */
  recordUndecided(before: Content, after: Content): void {
    const old = allLines(before)
    const now = allLines(after)
    for (const line of old) if (!now.has(line)) this.undecidedLines.add(line)
    for (const line of now) if (!old.has(line)) this.undecidedLines.add(line)
    const why = 'changed by an undecided operation'
    const mark = (one: Content, other: Content): void => {
      for (const [path, state] of one) {
        if (sameState(state, other.get(path))) continue
        this.leaveUndecided(identity(state), why)
        this.leaveUndecided(path, why)
      }
    }
    mark(before, after)
    mark(after, before)
  }

  /** After an operation: whatever stands again as it was is undone. */
  observe(content: Content, folder: string): void {
    const present = allLines(content)
    for (const [line, removal] of this.removals) {
      if (removal.pending && removal.folder === folder && present.has(line)) {
        this.removals.delete(line)
        this.undecidedLines.add(line)
      }
    }
    for (const state of content.values()) {
      const set = this.modes.get(identity(state))
      if (set && set.mode !== state.mode) set.undone = true
    }
  }

  /** The agent committed everything that stood in `folder`. */
  recordCommit(oid: string, folder: string): void {
    for (const removal of this.removals.values()) {
      if (!removal.pending || removal.folder !== folder) continue
      removal.commits.push(oid)
      removal.pending = false
    }
  }

  modeByAgent(state: FileState): 'agent' | 'undone' | null {
    const set = this.modes.get(identity(state))
    if (set === undefined) return null
    return set.undone || set.mode !== state.mode ? 'undone' : 'agent'
  }
}
