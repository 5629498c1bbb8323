// npm run bench:compare -- <checkout> <other checkout> [--folder <cache>] [--timings] [--only "words"]
//
// Whether a change makes answers cheaper or dearer: two built checkouts are asked the same, the first taken as it was.
// Counted are instructions, which what else the machine does cannot change: Node runs under callgrind, and what the
// addon and the C library execute is counted, the engine left out. Two runs of different length give the cost of one
// more answer on a warm handle; what the shorter takes beyond that and beyond loading is the first answer's. Where valgrind is not installed, or with
// `--timings`, both are loaded into one process and timed in turn. Exit code 1 where anything became dearer by more
// than what is allowed.

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { addonOf } from './addon.mjs'
import { defaultFolder, repository } from './repositories.mjs'
import { digits, spread, timed } from './samples.mjs'

/** What is asked. Small things, since an instruction that is counted takes fifty times as long. */
const cases = [
  { name: 'readHead', in: 'ordinary', turns: 'unmoved-1', asks: 'head' },
  { name: 'head unmoved, 1 file', in: 'ordinary', turns: 'unmoved-1', asks: 'card+patch' },
  { name: 'head unmoved, 10 files', in: 'ordinary', turns: 'unmoved-10', asks: 'card+patch' },
  { name: 'pull of 3 files', in: 'ordinary', turns: 'pull-3', asks: 'card+patch' },
  { name: 'commit of this project', in: 'this-project', turns: 'edits', asks: 'card+patch' },
  { name: 'rebase of 50 commits', in: 'rebase', turns: 'rebase', asks: 'card' },
]
/** In percent. Counts differ by less from run to run; times do not, so that only a large change is certain. */
const ALLOWED = { instructions: 2, times: 10 }
const [FEW, MANY] = [2, 6]

const script = fileURLToPath(import.meta.url)
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: defaultFolder },
    only: { type: 'string', default: '' },
    timings: { type: 'boolean', default: false },
    ask: { type: 'string' },
  },
})

/** What loading costs, by checkout. */
const loading = new Map()

if (options.ask) await askHere(JSON.parse(options.ask))
else process.exitCode = await main()

async function main() {
  if (positionals.length !== 2) {
    console.error('Two built checkouts are compared: npm run bench:compare -- <checkout> <other checkout>')
    return 2
  }
  const checkouts = positionals.map((folder) => resolve(folder))
  const byCounting = !options.timings && spawnSync('valgrind', ['--version']).status === 0
  const allowed = byCounting ? ALLOWED.instructions : ALLOWED.times
  const unit = byCounting ? 'thousand instructions' : 'milliseconds'
  console.log(`| answer (${unit}) | ${checkouts.join(' | ')} | change |\n|---|--:|--:|--:|`)
  let dearer = 0
  for (const one of cases.filter(({ name }) => name.includes(options.only))) {
    const { cwd, turns } = await repository(options.folder, one.in)
    const refs = turns[one.turns][0].checkpoints
    const costs = byCounting
      ? await counted(checkouts, one.asks, cwd, refs)
      : await paired(checkouts, one.asks, cwd, refs)
    for (const [how, [before, after], change] of costs) {
      if (change > allowed) dearer += 1
      const mark = change > allowed ? ' **dearer**' : change < -allowed ? ' cheaper' : ''
      const sign = change > 0 ? '+' : ''
      console.log(
        `| ${one.name}, ${how} | ${digits(before)} | ${digits(after)} | ${sign}${change.toFixed(1)} %${mark} |`,
      )
    }
  }
  return dearer > 0 ? 1 : 0
}

/** Both at once: counts do not care. */
async function counted(checkouts, asks, cwd, refs) {
  const runs = await Promise.all(
    checkouts.map(async (checkout) => {
      if (!loading.has(checkout)) loading.set(checkout, await instructions({ checkout, asks, cwd, refs, times: 0 }))
      const few = await instructions({ checkout, asks, cwd, refs, times: FEW })
      const many = await instructions({ checkout, asks, cwd, refs, times: MANY })
      const warm = (many - few) / (MANY - FEW)
      return { warm: warm / 1000, first: (few - loading.get(checkout) - (FEW - 1) * warm) / 1000 }
    }),
  )
  return ['first', 'warm'].map((how) => {
    const [before, after] = runs.map((run) => run[how])
    return [how, [before, after], (after / before - 1) * 100]
  })
}

async function instructions(question) {
  const folder = mkdtempSync(join(tmpdir(), 'turn-attribution-compare-'))
  try {
    const file = join(folder, 'counts')
    const valgrind = ['--tool=callgrind', `--callgrind-out-file=${file}`, process.execPath]
    await promisify(execFile)('valgrind', [...valgrind, script, '--ask', JSON.stringify(question)], {
      maxBuffer: 1 << 26,
    })
    return ofAddon(readFileSync(file, 'latin1'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The instructions in the addon and in the C library, of callgrind's account of all objects. */
function ofAddon(account) {
  const names = new Map()
  const named = (text) => {
    const [, id, name] = /^\((\d+)\)(?: (.*))?$/.exec(text) ?? []
    if (name) names.set(id, name)
    return names.get(id) ?? ''
  }
  let sum = 0
  let counts = false
  let isCall = false
  for (const line of account.split('\n')) {
    if (line.startsWith('ob=')) counts = /\.node$|\/libc[.-]/.test(named(line.slice(3)))
    else if (line.startsWith('cob=')) named(line.slice(4))
    else if (line.startsWith('calls=')) isCall = true
    else if (/^[+\-*\d]/.test(line)) {
      // After `calls` stands what the callee took, which is counted where it stands itself.
      if (counts && !isCall) sum += Number(line.split(' ')[1] ?? 0)
      isCall = false
    }
  }
  return sum
}

async function askHere({ checkout, asks, cwd, refs, times }) {
  const addon = addonOf(checkout)
  await addon.closeRepositories()
  for (let time = 0; time < times; time += 1) await addon.ask(asks, cwd, refs)
  process.exit(0)
}

/** Each pair one after the other, in alternating order; the middle of the quotients. */
async function paired(checkouts, asks, cwd, refs) {
  const addons = checkouts.map(addonOf)
  const samples = [[], []]
  const quotients = []
  for (const addon of addons) await addon.ask(asks, cwd, refs)
  const until = performance.now() + 10_000
  for (let round = 0; round < 400 && (round < 20 || performance.now() < until); round += 1) {
    const pair = []
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) pair[at] = await timed(() => addons[at].ask(asks, cwd, refs))
    quotients.push(pair[1] / pair[0])
    for (const at of [0, 1]) samples[at].push(pair[at])
  }
  const { median, p10, p90 } = spread(quotients)
  const how = `warm (quotients ${p10.toFixed(2)} to ${p90.toFixed(2)})`
  return [[how, samples.map((times) => spread(times).median), (median - 1) * 100]]
}
