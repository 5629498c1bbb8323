// npm run clauses [-- --only <words>] [--turns 110] [--seed spec] [--skip-simulation] [--skip-tests]
//                 [--skip-baseline] [--quick] [--folder <path>]
//
// Switches off every clause of the procedure in turn, in a copy of the crate, and asks who notices: the simulation of
// random turns, and the tests. A clause that neither misses is a clause that nothing proves: SURVIVED, exit code 1.
// Without any clause switched off, all must pass first. `--quick` asks of the tests only the one most likely to notice.
// `--folder` keeps the copy and what cargo built for a next run.

import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { clauses } from './clause-list.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    turns: { type: 'string', default: '110' },
    seed: { type: 'string', default: 'spec' },
    'skip-simulation': { type: 'boolean', default: false },
    'skip-tests': { type: 'boolean', default: false },
    'skip-baseline': { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
})
const folder = options.folder ? resolve(options.folder) : mkdtempSync(join(tmpdir(), 'turn-attribution-clauses-'))
const crate = join(folder, 'crate')
/** The generated loader takes its addon from here. */
const ADDON_PATH = 'NAPI_RS_NATIVE_LIBRARY_PATH'
const cargoEnvironment = {
  ...process.env,
  CARGO_TARGET_DIR: join(folder, 'target'),
  CARGO_INCREMENTAL: '1',
  CARGO_PROFILE_DEV_DEBUG: '0',
  CARGO_PROFILE_TEST_DEBUG: '0',
}

/** What ran last, to be ended when this process is. */
let running = null
process.on('exit', () => {
  end(running)
  remove(options.folder ? join(folder, 'turns') : folder)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

process.exitCode = await main()

async function main() {
  const chosen = clauses.filter(({ clause }) => clause.includes(options.only))
  if (chosen.length === 0) return fail(`no clause has '${options.only}' in its name`)
  copyCrate()
  const misplaced = clauses.map(misplacement).filter(Boolean)
  if (misplaced.length > 0) return fail(`These clauses are not where they were:\n${misplaced.join('\n')}`)

  const started = Date.now()
  let bars = null
  if (!options['skip-baseline']) {
    const addon = build('as it is')
    if (addon.error) return fail(`The crate does not build:\n${addon.error}`)
    if (!options['skip-simulation']) {
      const { noticed, figures } = await simulate(addon.path)
      if (noticed) return fail(`The simulation fails with every clause on: ${noticed}`)
      bars = figures
      console.log(`simulation: ${options.turns} turns of seed ${options.seed} pass (${since(started)})`)
    }
    if (!options['skip-tests']) {
      const noticed = await runTests(addon.path, null)
      if (noticed) return fail(`The tests fail with every clause on: ${noticed}`)
      console.log(`tests: pass (${since(started)})`)
    }
  }

  const rows = []
  for (const [at, clause] of chosen.entries()) {
    const row = await withoutClause(clause, String(at), bars)
    rows.push(row)
    console.log(`${at + 1}/${chosen.length} ${line(row)} (${since(started)})`)
  }
  return conclude(rows)
}

/** Switches one clause off, and asks who notices. */
async function withoutClause(clause, name, bars) {
  const file = join(crate, clause.file)
  const whole = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    whole.replace(clause.find, () => clause.replace),
  )
  try {
    const addon = build(name)
    if (addon.error) return { clause, broken: `does not build: ${addon.error}` }
    const simulation = options['skip-simulation'] ? undefined : (await simulate(addon.path, bars)).noticed
    const tests = options['skip-tests'] ? undefined : await runTests(addon.path, clause)
    rmSync(addon.path)
    return { clause, simulation, tests }
  } finally {
    writeFileSync(file, whole)
  }
}

function conclude(rows) {
  const width = Math.max(...rows.map(({ clause }) => clause.clause.length))
  console.log(`\n${'clause'.padEnd(width)}  simulation                        tests`)
  for (const row of rows) console.log(line(row, width))
  const broken = rows.filter((row) => row.broken)
  const survived = rows.filter((row) => !row.broken && !row.simulation && !row.tests)
  const noticed = (by) => rows.filter((row) => row[by]).length
  console.log(
    `\n${rows.length} clauses: ${noticed('simulation')} noticed by the simulation, ${noticed('tests')} by a test, ` +
      `${survived.length} survived, ${broken.length} do not build`,
  )
  return survived.length + broken.length > 0 ? 1 : 0
}

function line({ clause, simulation, tests, broken }, width = 0) {
  const name = clause.clause.padEnd(width)
  if (broken) return `${name}  ${broken}`
  if (!simulation && !tests) return `${name}  SURVIVED`
  const said = (noticed) => (noticed === undefined ? 'not asked' : (noticed ?? '-'))
  return `${name}  ${said(simulation).padEnd(32)}  ${said(tests)}`
}

// ---- the copy

function copyCrate() {
  rmSync(crate, { recursive: true, force: true })
  for (const name of ['src', 'tests', 'build.rs', 'Cargo.toml', 'Cargo.lock'])
    cpSync(join(root, name), join(crate, name), { recursive: true, preserveTimestamps: true })
}

/** A clause that is off nowhere, or in two places, would prove nothing. */
function misplacement({ clause, file, find }) {
  const found = readFileSync(join(crate, file), 'utf8').split(find).length - 1
  return found === 1 ? null : `  ${file}: ${found} times: ${clause}\n    ${find}`
}

/** The addon of the copy as it stands; a file of its own, since no process loads one path twice. */
function build(name) {
  const args = ['build', '--lib', '--locked', '--message-format=json', '--quiet']
  const { status, stdout, stderr } = spawnSync('cargo', args, {
    cwd: crate,
    env: cargoEnvironment,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const messages = stdout.split('\n').flatMap((row) => (row.startsWith('{') ? [JSON.parse(row)] : []))
  if (status !== 0) {
    const error = messages.find((entry) => entry.message?.level === 'error')
    return { error: error?.message.rendered ?? stderr }
  }
  const library = messages
    .filter((entry) => entry.reason === 'compiler-artifact' && entry.target.kind.includes('cdylib'))
    .flatMap((entry) => entry.filenames)
    .find((path) => /\.(so|dylib|dll)$/.test(path))
  const path = join(folder, `addon-${name.replace(/\W/g, '-')}.node`)
  copyFileSync(library, path)
  return { path }
}

// ---- the simulation

/** Plays turns until one says that something is wrong, or all are played. */
async function simulate(addon, bars = null) {
  const args = ['--import', 'tsx', '__test__/simulation/simulate.ts', '--turns', options.turns, '--seed', options.seed]
  const figures = { ordinary: {}, harder: {} }
  const noise = { ordinary: 0, harder: 0 }
  let noticed = null
  let turn = { name: '', sort: 'ordinary' }
  let sort = null
  const read = (row) => {
    const header = /^turn (\d+) \((ordinary|harder)/.exec(row)
    if (header) turn = { name: header[1], sort: header[2] }
    const fault = /^ {2}! (.*)/.exec(row)?.[1]
    if (fault?.startsWith('noise: ')) noise[turn.sort] += 1
    else if (fault && !fault.startsWith('late shown: ')) noticed ??= `${fault.slice(0, 60)} (turn ${turn.name})`
    const title = /^(ordinary|harder|all): \d+ turns/.exec(row)
    if (title) sort = title[1]
    const moved = /^ {2}must show \d+, moved (\d+)/.exec(row)
    if (moved && sort in figures) figures[sort].moved = Number(moved[1])
    const missed = /^MISSED (.*)/.exec(row)
    if (missed) noticed ??= missed[1]
    // The bars of the simulation, met too early to wait for its last word.
    for (const [name, bar] of [
      ['ordinary', 0.005],
      ['harder', 0.015],
    ])
      if (bars && noise[name] >= bar * bars[name].moved)
        noticed ??= `${name}: noise over ${100 * bar} % (by turn ${turn.name})`
  }
  const { status, stderr } = await run(args, { [ADDON_PATH]: addon }, (row) => {
    read(row)
    return noticed === null
  })
  if (noticed === null && status !== 0) noticed = firstError(stderr)
  return { noticed, figures }
}

// ---- the tests

/** The first test that fails; the ones most likely to notice are asked first. */
async function runTests(addon, clause) {
  const [told, name] = (clause?.told ?? '').split(' > ')
  const cargo = told.startsWith('cargo ') ? told.slice('cargo '.length).split(' ') : null
  const likely = specsUnder(join(root, '__test__')).filter((path) => basename(path) === `${told}.spec.ts`)
  const noticed = cargo ? runCargo(cargo) : await runSpecs(addon, likely, name)
  if (noticed !== null || options.quick) return noticed
  const specs = ['scenarios', 'cases'].flatMap((place) => specsUnder(join(root, '__test__', place)))
  return (
    (await runSpecs(
      addon,
      specs.filter((path) => name || !likely.includes(path)),
    )) ?? (cargo?.join() === '--lib' ? null : runCargo(['--lib']))
  )
}

function specsUnder(place) {
  try {
    return readdirSync(place, { recursive: true })
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => join(place, name))
      .sort()
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

async function runSpecs(addon, files, name) {
  if (files.length === 0) return null
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  // Only for the processes that run tests: the bundler below vitest is an addon too, and heeds the same variable.
  const preload = join(folder, 'addon.cjs')
  writeFileSync(preload, `process.env.${ADDON_PATH} = ${JSON.stringify(addon)}\n`)
  const args = ['run', '--bail=1', '--reporter=json', `--outputFile=${report}`, `--execArgv=--require=${preload}`]
  if (name) args.push('-t', name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status, stderr } = await run([vitest, ...args, ...files], {}, () => true)
  if (status === 0) return null
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const file = testResults.find((result) => result.assertionResults.some((test) => test.status === 'failed'))
    const test = file.assertionResults.find((result) => result.status === 'failed')
    return `${relative(join(root, '__test__'), file.name)}: ${test.fullName}`
  } catch {
    return firstError(stderr)
  }
}

function runCargo(args) {
  const { status, stdout, stderr } = spawnSync('cargo', ['test', '--locked', '--quiet', ...args], {
    cwd: crate,
    env: cargoEnvironment,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status === 0) return null
  const failed = /^---- (\S+) stdout ----$/m.exec(stdout)
  return `cargo test: ${failed?.[1] ?? firstError(stderr)}`
}

// ---- processes

/** Runs a script until it ends, `onRow` says that it may, or an hour has passed. */
function run(args, variables, onRow) {
  const turns = join(folder, 'turns')
  mkdirSync(turns, { recursive: true })
  return new Promise((done) => {
    const env = { ...process.env, ...variables, TMPDIR: turns }
    // A group of its own: what it has started ends with it.
    running = spawn(process.execPath, args, { cwd: root, env, detached: process.platform !== 'win32' })
    const child = running
    const limit = setTimeout(() => end(child), 3_600_000)
    let [pending, stderr] = ['', '']
    child.stdout.on('data', (data) => {
      const rows = `${pending}${data}`.split('\n')
      pending = rows.pop()
      for (const row of rows) if (!onRow(row)) end(child)
    })
    child.stderr.on('data', (data) => {
      stderr = `${stderr}${data}`.slice(-100_000)
    })
    // What it has started may still run, after a failure.
    child.on('exit', () => end(child))
    child.on('close', (status, signal) => {
      clearTimeout(limit)
      running = null
      remove(turns)
      done({ status: status ?? signal, stderr })
    })
  })
}

function end(child) {
  if (child === null) return
  try {
    if (process.platform === 'win32') child.kill()
    else process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** What is left in a temporary folder hurts nobody. */
function remove(place) {
  try {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    console.error(`${place} is left: ${error.message}`)
  }
}

// ---- words

function firstError(text) {
  const rows = text.split('\n').filter((row) => row.trim() !== '')
  return (rows.find((row) => /error|panicked|could not|died/i.test(row)) ?? rows.at(-1) ?? 'ended at once').trim()
}

function since(started) {
  return `${Math.round((Date.now() - started) / 1000)} s`
}

function fail(text) {
  console.error(text)
  return 2
}
