// Everything about a release that a Linux machine on x64 can find out before it: builds the four Linux targets, looks at
// them, packs, loads them in the runtimes they are for, installs by the package managers, breaks installs on purpose.
//
//   npm run release-check                  all of it; half an hour at first
//   npm run release-check -- --no-build    with the artifacts that stand in `artifacts/`
//
// Needed beside Node and Rust: git, python3, Debian's apt-get. Tools and runtimes go to `target/release-check/`, each of
// an exact version. The table at the end says what was loaded and where; what stands there as `not run` was not.

import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { broken } from './release/broken.mjs'
import { artifacts, build } from './release/build.mjs'
import { checks } from './release/checks.mjs'
import { inspect } from './release/inspect.mjs'
import { installs } from './release/installs.mjs'
import { loads } from './release/loads.mjs'
import { pack } from './release/pack.mjs'
import { linux, targets } from './release/targets.mjs'
import { zigEnvironment } from './release/tools.mjs'

const step = (name) => console.error(`== ${name}`)
const failures = []
const notRun = []

if (!process.argv.includes('--no-build')) {
  execFileSync('rustup', ['target', 'add', ...linux.map(({ triple }) => triple)], { stdio: 'ignore' })
  for (const target of linux) {
    step(`build ${target.triple}`)
    build(target, zigEnvironment())
  }
}

step('pack')
const packages = pack({ partial: true })

const rows = targets.map((target) => {
  const file = join(artifacts, target.file)
  if (!existsSync(file)) return [target.name, '', '', '', 'not here', 'not run']
  if (target.platform !== 'linux') return [target.name, mebibytes(statSync(file).size), '', '', 'elsewhere', 'not run']
  step(`look at and load ${target.name}`)
  const found = inspect(target)
  const own = packages.filter(({ name }) => name === 'turn-attribution' || name === target.package)
  const loaded = loads(target, own)
  note(target.name, { artifact: found.wrong.join(', ') || 'right', ...loaded })
  const right = Object.keys(loaded).filter((runtime) => loaded[runtime] === 'right')
  return [
    target.name,
    mebibytes(found.size),
    found.glibc ?? 'none',
    found.needed.join(' '),
    'yes',
    right.join(', ') || 'nothing',
  ]
})

step('the packed package')
const held = note('package', checks(packages))
step('installs')
const installed = note('install', await installs(packages))
step('broken installs')
const played = note('broken', broken(packages))

print(['artifact', 'size', 'glibc', 'libraries', 'built', 'loaded in'], rows)
print(['checked', 'outcome'], Object.entries({ ...held, ...played }).map(short))
print(['installed, called and the example run by', 'outcome'], Object.entries(installed).map(short))
if (notRun.length > 0) console.log(`\n${notRun.join('\n')}`)
if (failures.length > 0) {
  console.log(`\nFAILED:\n${failures.join('\n')}`)
  process.exitCode = 1
} else console.log('\nAll that was run is right. macOS and Windows: not run.')

function note(part, outcomes) {
  for (const [name, outcome] of Object.entries(outcomes))
    if (outcome.startsWith('not run')) notRun.push(`${part}, ${name}: ${outcome}`)
    else if (outcome !== 'right') failures.push(`${part}, ${name}: ${outcome}`)
  return outcomes
}

function mebibytes(size) {
  return `${(size / 2 ** 20).toFixed(2)} MiB`
}

function short([name, outcome]) {
  return [name, /^(right|not run)/.exec(outcome)?.[0] ?? 'FAILED']
}

function print(head, body) {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)))
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  console.log(`\n${[line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')}`)
}
