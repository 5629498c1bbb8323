// The parity script at work on random commits.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runGit } from '../support/git.js'
import { randomCommits } from './random-commits.js'

const script = join(import.meta.dirname, '../../scripts/parity.mjs')

it('every pair of a repository is equal in every mode', () => {
  const { cwd, env } = randomCommits('parity', 15)
  runGit(cwd, env, ['symbolic-ref', 'HEAD', 'refs/heads/fuzz'])
  const run = spawnSync(process.execPath, [script, cwd, '--pairs', '14'], { encoding: 'utf8' })
  const equal = run.stdout.match(/^[\w-]+: pairs equal 14 of 14 /gm)
  expect(equal?.length, run.stdout + run.stderr).toBe(5)
  expect(run.status).toBe(0)
})

it('without a repository it says how it is called', () => {
  expect(spawnSync(process.execPath, [script], { encoding: 'utf8' })).toMatchObject({ status: 2 })
})
