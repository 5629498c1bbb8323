// Plays every scenario against a build in which reads fail on purpose: `npm run faults [-- vitest arguments]`. See
// __test__/scenarios/faults.ts for what is asked. The build goes into a temporary folder; the addon stays as it is.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'turn-attribution-faults-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

// Unoptimised: it is built in seconds, and the scenarios are small.
const built = run('cargo', ['build', '--features', 'fault-injection', '--message-format=json-render-diagnostics'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  encoding: 'utf8',
  maxBuffer: 1 << 28,
})
const library = built.stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .flatMap((line) => JSON.parse(line).filenames ?? [])
  .find((name) => /turn_attribution\.(so|dylib|dll)$/.test(name))
const addon = join(folder, 'faults.node')
copyFileSync(library, addon)

run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...vitestArguments()], {
  stdio: 'inherit',
  env: { ...process.env, TURN_ATTRIBUTION_FAULTS: addon },
})

function vitestArguments() {
  const given = process.argv.slice(2)
  const which = given.some((word) => !word.startsWith('-')) ? [] : ['__test__/scenarios', '__test__/cases']
  return [...which, '--testTimeout=600000', ...given]
}

function run(command, args, options) {
  const done = spawnSync(command, args, { cwd: root, ...options })
  if (done.status === 0) return done
  process.exit(done.status ?? 1)
}
