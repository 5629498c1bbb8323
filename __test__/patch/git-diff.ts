// Git's own patch between two commits, and ours, under the same options.
import { spawnSync } from 'node:child_process'
import { addon, type DiffFile, type DiffOptions, type TurnDiff } from '../support/addon.js'
import type { GitEnvironment } from '../support/git.js'

/** A way to print a patch: git's flags, and what they are to us. */
export interface Mode {
  flags: string[]
  options: DiffOptions
}

export const modes: Record<string, Mode> = {
  plain: { flags: [], options: {} },
  'without white space': { flags: ['-w'], options: { ignoreWhitespace: true } },
  'no context': { flags: ['-U0'], options: { contextLines: 0 } },
  'ten lines of context': { flags: ['-U10'], options: { contextLines: 10 } },
  'one line, no white space': { flags: ['-U1', '-w'], options: { contextLines: 1, ignoreWhitespace: true } },
  'full ids': { flags: ['--full-index'], options: { fullIndex: true } },
}

/** Nothing is cut. */
export const uncut: DiffOptions = { includeGitChanges: true, maxFileBytes: 1e9, maxBytes: 1e9 }

export function git(cwd: string, env: GitEnvironment, args: string[], input: Buffer | string = ''): Buffer {
  const run = spawnSync('git', args, { cwd, env, input, maxBuffer: 1 << 30 })
  if (run.error) throw run.error
  if (run.status !== 0) throw new Error(`git ${args.join(' ')} failed with ${run.status}\n${run.stderr}`)
  return run.stdout
}

const PRINT = ['--no-color', '--no-ext-diff', '--no-textconv']

/** `git diff` with nobody's settings, and the attributes of the second commit. */
export function gitDiff(cwd: string, env: GitEnvironment, from: string, to: string, flags: string[]): Buffer {
  const settings = ['-c', 'core.quotePath=true', '-c', 'color.ui=false', `--attr-source=${to}`]
  return git(cwd, env, [...settings, 'diff', ...PRINT, ...flags, from, to])
}

export function ourDiff(cwd: string, from: string, to: string, options: DiffOptions): Promise<TurnDiff> {
  return addon().diffTurn({ cwd, from: { ref: from }, to: { ref: to } }, { ...uncut, ...options })
}

/** `added deleted path` for every file as `git diff --numstat -z` says it, a rename as `from => to`. */
export function gitCounts(cwd: string, env: GitEnvironment, from: string, to: string, flags: string[]): string[] {
  const stat = ['--numstat', '-z', ...flags.filter((flag) => !flag.startsWith('-U'))]
  const fields = gitDiff(cwd, env, from, to, stat).toString('latin1').split('\0')
  const rows: string[] = []
  while (fields.length > 1) {
    const [added, deleted, ...path] = (fields.shift() ?? '').split('\t')
    const name = path.join('\t')
    rows.push(`${added} ${deleted} ${name === '' ? `${fields.shift()} => ${fields.shift()}` : name}`)
  }
  return rows
}

/** The same of ours. */
export function ourCounts(files: DiffFile[]): string[] {
  return files.map((file) => {
    const from = file.previousPath === null ? '' : `${latin1(file.previousPath, file.previousPathBytes)} => `
    return `${file.additions ?? '-'} ${file.deletions ?? '-'} ${from}${latin1(file.path, file.pathBytes)}`
  })
}

function latin1(path: string, bytes: Buffer | null): string {
  return (bytes ?? Buffer.from(path)).toString('latin1')
}

/** The percentage that is printed rests on a hash of git's that ours is not: see docs/decisions. */
export function withoutSimilarity(patch: Buffer): string {
  return patch.toString('latin1').replace(/^similarity index \d+%$/gm, 'similarity index')
}

/** Where two patches differ first, to be read in a failed test. */
export function firstDifference(git: string, ours: string): { git: string; ours: string } | null {
  if (git === ours) return null
  const [one, two] = [git.split('\n'), ours.split('\n')]
  const at = one.findIndex((line, index) => line !== two[index])
  const from = Math.max(0, at === -1 ? one.length - 3 : at - 6)
  return { git: one.slice(from, from + 14).join('\n'), ours: two.slice(from, from + 14).join('\n') }
}
