// The host's snapshot: a parentless commit of the whole working tree, taken with an index of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type GitEnvironment, runGit, tryGit } from './git.js'

/** Takes a snapshot of `cwd`; the user's index is not touched. */
export function takeSnapshot(cwd: string, env: GitEnvironment): string {
  const folder = mkdtempSync(join(env.HOME, 'index-'))
  const indexed = { env: { GIT_INDEX_FILE: join(folder, 'index') } }
  try {
    if (tryGit(cwd, env, ['rev-parse', '-q', '--verify', 'HEAD']).status === 0) {
      runGit(cwd, env, ['read-tree', 'HEAD'], indexed)
    }
    runGit(cwd, env, ['add', '-A', '--', '.'], indexed)
    const tree = runGit(cwd, env, ['write-tree'], indexed)
    return runGit(cwd, env, ['commit-tree', tree, '-m', 't3 checkpoint'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
