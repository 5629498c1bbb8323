// Content whose authorship is known: every line is unique; a file's first line names the file for good.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export type Mode = '100644' | '100755' | '120000'

export interface FileState {
  mode: Mode
  lines: readonly string[]
}

/** path → state. */
export type Content = Map<string, FileState>

export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    one.mode === other.mode &&
    one.lines.length === other.lines.length &&
    one.lines.every((line, at) => line === other.lines[at])
  )
}

export function textOf(state: FileState): string {
  return state.mode === '120000' ? state.lines.join('\n') : state.lines.map((line) => `${line}\n`).join('')
}

export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** What a file is known by through renames: its first line. */
export function identity(state: FileState): string {
  return state.lines[0] ?? ''
}

export function allLines(content: Content): Set<string> {
  const all = new Set<string>()
  for (const state of content.values()) for (const line of state.lines) all.add(line)
  return all
}

export function readContent(folder: string): Content {
  const content: Content = new Map()
  const visit = (relative: string): void => {
    for (const name of readdirSync(join(folder, relative)).sort()) {
      if (name === '.git') continue
      const path = relative === '' ? name : `${relative}/${name}`
      const info = lstatSync(join(folder, path))
      if (info.isDirectory()) visit(path)
      else if (info.isSymbolicLink()) content.set(path, { mode: '120000', lines: [readlinkSync(join(folder, path))] })
      else {
        const mode: Mode = info.mode & 0o100 ? '100755' : '100644'
        content.set(path, { mode, lines: linesOf(readFileSync(join(folder, path), 'utf8')) })
      }
    }
  }
  visit('')
  return content
}

/** Makes the folder, which holds `before`, hold `after`. */
export function writeContent(folder: string, before: Content, after: Content): void {
  for (const [path, state] of before) {
    const next = after.get(path)
    if (next !== undefined && (next.mode === '120000') === (state.mode === '120000')) continue
    rmSync(join(folder, path), { force: true })
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
      try {
        rmdirSync(join(folder, parent))
      } catch {
        break
      }
    }
  }
  for (const [path, state] of after) {
    if (sameState(before.get(path), state)) continue
    const full = join(folder, path)
    mkdirSync(dirname(full), { recursive: true })
    if (state.mode === '120000') {
      rmSync(full, { force: true })
      symlinkSync(state.lines.join('\n'), full)
    } else {
      writeFileSync(full, textOf(state))
      chmodSync(full, state.mode === '100755' ? 0o755 : 0o644)
    }
  }
}
