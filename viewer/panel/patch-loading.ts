// The patch of one turn under one set of options, as it comes in. A small turn comes with one request. Of a large one
// the list of files is known first, and their text comes batch by batch, what is looked at before the rest.

import type { DiffFile, ShownFile, TurnAttribution } from 'turn-attribution'
import { inTreeOrder } from '../card/file-tree.js'
import {
  BATCH_BYTES,
  FILE_BYTES,
  FIRST_BYTES,
  type LoadPatch,
  type PatchQuery,
  type TurnPatch,
  WHOLE_FILE_BYTES,
} from './patch-query.js'
import { NO_TEXT, type TextTraits, traitsOf } from './text-traits.js'

export type PatchOptions = Pick<PatchQuery, 'includeGitChanges' | 'ignoreWhitespace'>

export interface PatchFile extends TextTraits {
  /** As the card has it until its text is there. */
  file: ShownFile | DiffFile
  /** `null`: not there yet; `''`: there is none. */
  text: string | null
  /** Why there is no text where none came: lines differ in white space alone, or the file is no longer in the turn. */
  without: 'whitespace' | 'gone' | null
  /** Whether `text` is not all. */
  cut: boolean
  /** Whether it holds lines that moved beside those written here, since git's changes were asked for. */
  withGit: boolean
  /** How much of a file that was cut has been asked for. */
  whole: 'not-asked' | 'loading' | 'failed' | 'tried'
}

export interface PatchState {
  /** `null` until it is known which files there are. */
  files: readonly PatchFile[] | null
  /** More than `files` names where there are more than are named. */
  fileCount: number
  loadedCount: number
  /** `paused`: much has been loaded, and the rest waits for `resume`. */
  status: 'loading' | 'paused' | 'done' | 'failed'
  error: unknown
}

const SMALL_TURN_FILES = 64
const BATCH_FILES = 64
const BATCH_LINES = 20_000
/** What is loaded without being asked again: UTF-16 units of text, and files. */
const UNASKED_TEXT = 48 * 1024 * 1024
const UNASKED_FILES = 10_000

let started = 0

export class PatchLoading {
  /** Another number for every other: what is kept of one view, such as folded files, is not for the next. */
  readonly id = ++started
  readonly options: PatchOptions
  readonly turn: TurnAttribution
  readonly #load: LoadPatch
  readonly #mixed: ReadonlySet<string>
  readonly #stop = new AbortController()
  readonly #listeners = new Set<() => void>()
  #state: PatchState
  /** Where in the list to go on: what is looked at. */
  #firstWanted: () => number = () => 0
  #textLimit = UNASKED_TEXT
  #fileLimit = UNASKED_FILES
  #textLength = 0
  #running = false

  constructor(load: LoadPatch, turn: TurnAttribution, options: PatchOptions) {
    this.#load = load
    this.turn = turn
    this.options = options
    this.#mixed = new Set(turn.shown.filter(({ mixed }) => mixed).map(({ path }) => path))
    this.#state = { files: null, fileCount: 0, loadedCount: 0, status: 'loading', error: null }
    if (options.includeGitChanges || turn.shownFileCount <= SMALL_TURN_FILES) return
    // The card has named them: nothing more has to be asked to list them.
    const files = listed(turn.shown)
    this.#state = { ...this.#state, files, fileCount: turn.shownFileCount }
  }

  getState = (): PatchState => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Asks for what is looked at first. */
  preferFrom(firstWanted: () => number) {
    this.#firstWanted = firstWanted
  }

  /** Nobody looks any more: what is under way is aborted, and whatever it answers is not taken. */
  close() {
    this.#stop.abort()
    this.#listeners.clear()
  }

  /** Goes on after a pause or a failure. */
  resume() {
    if (this.#state.status === 'paused') {
      this.#textLimit = this.#textLength + UNASKED_TEXT
      this.#fileLimit = this.#state.loadedCount + UNASKED_FILES
    }
    void this.run()
  }

  async run() {
    if (this.#running || this.#stop.signal.aborted) return
    this.#running = true
    this.#set({ status: 'loading', error: null })
    try {
      if (this.#state.files === null) await this.#loadFirst()
      for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
        if (this.#textLength >= this.#textLimit || this.#state.loadedCount >= this.#fileLimit)
          return this.#set({ status: 'paused' })
        const paths = batch.map(({ file }) => file.path)
        this.#take(await this.#ask({ paths, maxFileBytes: FILE_BYTES, maxBytes: BATCH_BYTES }), new Set(paths))
      }
      this.#set({ status: 'done' })
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#set({ status: 'failed', error })
    } finally {
      this.#running = false
    }
  }

  /** Loads all of a file that was cut, up to `WHOLE_FILE_BYTES`. */
  async loadWhole(path: string) {
    const only = new Set([path])
    this.#change(only, (file) => ({ ...file, whole: 'loading' }))
    try {
      const answer = await this.#ask({
        paths: [path],
        maxFileBytes: WHOLE_FILE_BYTES,
        maxBytes: WHOLE_FILE_BYTES,
      })
      this.#take(answer, only, 'tried')
    } catch {
      // Said at the file, which can be asked for again: the loading of the others goes on, and would hide it.
      this.#change(only, (file) => ({ ...file, whole: 'failed' }))
    }
  }

  async #loadFirst() {
    const answer = await this.#ask({ maxFileBytes: FILE_BYTES, maxBytes: FIRST_BYTES })
    this.#set({ files: listed(answer.files), fileCount: answer.fileCount })
    // What is whole is taken; what was cut may have been so for the sake of the others.
    this.#take(answer, new Set(answer.files.filter(({ truncated }) => !truncated).map(({ path }) => path)))
  }

  async #ask(query: Omit<PatchQuery, keyof PatchOptions>): Promise<TurnPatch> {
    const { signal } = this.#stop
    const answer = await this.#load({ ...this.options, ...query }, signal)
    signal.throwIfAborted()
    return answer
  }

  #nextBatch(): PatchFile[] {
    const files = this.#state.files ?? []
    const batch: PatchFile[] = []
    let lines = 0
    const start = Math.min(Math.max(this.#firstWanted(), 0), files.length)
    for (let step = 0; step < files.length && batch.length < BATCH_FILES; step++) {
      const file = files[(start + step) % files.length]
      if (file === undefined || file.text !== null) continue
      lines += (file.file.additions ?? 0) + (file.file.deletions ?? 0)
      if (batch.length > 0 && lines > BATCH_LINES) break
      batch.push(file)
    }
    return batch
  }

  // Names that are not UTF-8 may be the same in text; they are told apart by their order, which is that of the list.
  #take(answer: TurnPatch, paths: ReadonlySet<string>, whole: PatchFile['whole'] = 'not-asked') {
    const arrived = new Map<string, DiffFile[]>()
    for (const file of answer.files) {
      if (!paths.has(file.path)) continue
      const same = arrived.get(file.path)
      if (same) same.push(file)
      else arrived.set(file.path, [file])
    }
    this.#change(paths, (before) => {
      const file = arrived.get(before.file.path)?.shift()
      if (file === undefined) return { ...unread(before.file), text: '', without: 'gone', whole }
      const text = file.section === null ? '' : answer.patch.slice(file.section.start, file.section.end)
      this.#textLength += text.length
      // That a file is mixed is said of what could not be told apart, not of what was asked for.
      const mixed = this.#mixed.has(file.path)
      const withGit = file.mixed && !mixed && !file.demoted
      const sameButSpace = text === '' && this.options.ignoreWhitespace && file.uncounted === null && !file.binary
      return {
        ...traitsOf(text, file.kind === 'typechange'),
        file: { ...file, mixed },
        text,
        without: sameButSpace ? 'whitespace' : null,
        cut: file.truncated,
        withGit,
        whole,
      }
    })
  }

  #change(paths: ReadonlySet<string>, change: (file: PatchFile) => PatchFile) {
    const files = this.#state.files?.map((file) => (paths.has(file.file.path) ? change(file) : file)) ?? null
    this.#set({ files, loadedCount: files?.filter(({ text }) => text !== null).length ?? 0 })
  }

  #set(change: Partial<PatchState>) {
    if (this.#stop.signal.aborted) return
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

// In the order of the card, so that the two read alike.
function listed(files: readonly (ShownFile | DiffFile)[]): PatchFile[] {
  return inTreeOrder(files).map(unread)
}

function unread(file: ShownFile | DiffFile): PatchFile {
  return { ...NO_TEXT, file, text: null, without: null, cut: false, withGit: false, whole: 'not-asked' }
}
