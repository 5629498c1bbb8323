// npm run formats [-- --only sha256+reftable]
//
// Tells every scenario and case again in repositories of the other formats that git makes: SHA-256 ids, refs in
// tables, both. Then asks the slow questions of `__test__/formats`, which are too long for every change.

import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stories = ['__test__/scenarios', '__test__/cases']
const runs = [
  { name: 'sha256', env: { GIT_DEFAULT_HASH: 'sha256' }, folders: stories },
  { name: 'reftable', env: { GIT_DEFAULT_REF_FORMAT: 'reftable' }, folders: stories },
  {
    name: 'sha256+reftable',
    env: { GIT_DEFAULT_HASH: 'sha256', GIT_DEFAULT_REF_FORMAT: 'reftable' },
    folders: stories,
  },
  { name: 'slow', env: { SLOW_FORMATS: '1', REPACK_SECONDS: '30' }, folders: ['__test__/formats'] },
]
const { values: options } = parseArgs({ options: { only: { type: 'string' } } })
const wanted = runs.filter(({ name }) => options.only === undefined || name === options.only)
if (wanted.length === 0) {
  console.error(`--only is one of ${runs.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const failed = wanted.filter(({ name, env, folders }) => {
  console.log(`\n${name}`)
  const run = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=600000', ...folders],
    {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    },
  )
  return run.status !== 0
})
if (failed.length > 0) console.error(`\nfailed: ${failed.map(({ name }) => name).join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
