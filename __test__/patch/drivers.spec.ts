// What a hunk header says under each diff driver: lines that are function lines to git and lines that nearly are, one
// file of them for each driver, with a change behind every line.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitEnvironment, runGit } from '../support/git.js'
import { temporaryFolder } from '../support/turn-repository.js'
import { gitDiff, ourDiff } from './git-diff.js'

const folder = join(import.meta.dirname, 'driver-lines')

/** Lines where our word differs from git's: libgit2 does not see blanks at the end of a line. */
const KNOWN: Record<string, number> = { perl: 1 }

function headers(patch: Buffer): string[] {
  return patch
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('@@ '))
}

async function headersOfBoth(driver: string, text: string): Promise<[string[], string[]]> {
  const root = temporaryFolder()
  const env = gitEnvironment(join(root, 'home'))
  mkdirSync(env.HOME)
  runGit(root, env, ['init', '-q', 'repo'])
  const cwd = join(root, 'repo')
  const commit = (sign: string) => {
    const content = text.replaceAll('\n', `\n\x01${sign}\n`)
    const files = { '.gitattributes': `* diff=${driver}\n`, file: content }
    const entries = Object.entries(files).map(
      ([name, data]) => `M 644 inline ${name}\ndata ${Buffer.byteLength(data)}\n${data}\n`,
    )
    return `commit refs/heads/x\ncommitter a <a> 1 +0000\ndata 1\nx\n${entries.join('')}`
  }
  const run = spawnSync('git', ['fast-import', '--quiet'], { cwd, env, input: commit('-') + commit('+') })
  expect(run.status, String(run.stderr)).toBe(0)
  const [from, to] = ['x~', 'x'].map((name) => runGit(cwd, env, ['rev-parse', name])) as [string, string]
  const ours = await ourDiff(cwd, from, to, { contextLines: 0 })
  return [headers(gitDiff(cwd, env, from, to, ['-U0'])), headers(ours.patchBytes)]
}

describe('function text under a driver', () => {
  for (const file of readdirSync(folder)) {
    const driver = basename(file, '.txt')
    it(driver, async () => {
      const [git, ours] = await headersOfBoth(driver, readFileSync(join(folder, file), 'latin1'))
      expect(ours.length).toBe(git.length)
      const different = git.filter((header, index) => header !== ours[index])
      expect(different.length, different.slice(0, 5).join('\n')).toBeLessThanOrEqual(KNOWN[driver] ?? 0)
    })
  }

  it('a driver that nobody knows, and one that the user has set up, are as none', async () => {
    for (const driver of ['nonsense', 'default']) {
      const [git, ours] = await headersOfBoth(driver, 'int a()\n b\n_c\n$d\n1e\n')
      expect(ours).toEqual(git)
    }
  })
})
