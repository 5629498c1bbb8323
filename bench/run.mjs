// npm run bench [-- --only "words of a row"] [--quick] [--folder <cache>] [--rounds <count>]
//
// How long an answer takes: by starting git, by the addon, and at the least. All are timed in turn in one run, so that
// what else the machine does falls on all of them alike, and the medians are compared. Before a row is timed the
// answers have to agree. Writes `bench/results/`.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { addonOf } from './addon.mjs'
import { boundary } from './boundary.mjs'
import { chart } from './chart.mjs'
import { firstCall } from './first-call.mjs'
import { floorWork, startFloor } from './floor.mjs'
import { askByProcesses } from './pipeline.mjs'
import { startPipeline } from './pipeline-process.mjs'
import { defaultFolder, repository } from './repositories.mjs'
import { rows } from './rows.mjs'
import { median, spread, timed } from './samples.mjs'
import { table } from './table.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const checkout = dirname(here)
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string', default: defaultFolder },
    rounds: { type: 'string' },
    results: { type: 'string', default: join(here, 'results') },
  },
})
/** What a row may take in all, in milliseconds, if that is enough for the fewest rounds. */
const ROW = options.quick ? 4_000 : 20_000
const [FEWEST, MOST] = options.quick ? [3, 9] : [7, 60]

const addon = addonOf(checkout)
const floor = startFloor(checkout)
process.exitCode = await main()

async function main() {
  const words = options.only.toLowerCase().split(' ')
  const wanted = rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
  const results = {
    machine: { cores: availableParallelism(), node: process.version, git: (await git('--version')).trim() },
    commit: (await git('-C', checkout, 'rev-parse', '--short', 'HEAD')).trim(),
    rows: [],
    boundary: [],
  }
  for (const row of wanted) {
    const { cwd, turns } = await repository(options.folder, row.in)
    const result = await measure(row, cwd, turns[row.turns])
    results.rows.push(result)
    console.log(table([result], { header: results.rows.length === 1 }))
    // After each row: a run takes long, and what was measured is not to be lost with it.
    write(results)
  }
  if (!options.only) results.boundary = await boundary(addon, checkout, options)
  for (const { name, value, wanted } of results.boundary) console.log(`${name}: ${value} (wanted: ${wanted})`)
  write(results)
  floor.end()
  await addon.closeRepositories()
  return results.rows.some((row) => row.disagreement) ? 1 : 0
}

/** With `--only` the other rows stay as an earlier run left them. */
function earlier() {
  try {
    if (options.only) return JSON.parse(readFileSync(join(options.results, 'results.json'), 'utf8'))
  } catch {
    // There was none.
  }
  return { rows: [], boundary: [] }
}

function write(measured) {
  const before = earlier()
  const find = (name) => [...measured.rows, ...before.rows].find((row) => row.name === name) ?? []
  const boundary = measured.boundary.length > 0 ? measured.boundary : before.boundary
  const results = { ...measured, rows: rows.flatMap(({ name }) => find(name)), boundary }
  mkdirSync(options.results, { recursive: true })
  writeFileSync(join(options.results, 'results.json'), `${JSON.stringify(results, null, 1)}\n`)
  writeFileSync(join(options.results, 'table.md'), `${page(results)}\n`)
  writeFileSync(join(options.results, 'chart.svg'), chart(results.rows))
}

async function measure(row, cwd, turns) {
  const disagreement = (await Promise.all(turns.map((turn) => disagree(row, cwd, turn)))).find(Boolean) ?? null
  await floor.prepare(await floorWork(addon, row.asks, cwd, turns[0].checkpoints))

  // Turns alternate: nobody asks the same again and again.
  let asked = 0
  const next = () => {
    const at = asked % turns.length
    asked += 1
    return [row.asks, cwd, turns[at].checkpoints]
  }
  const ours = () => {
    const words = next()
    return timed(() => addon.ask(...words))
  }
  const question = ([asks, cwd, refs]) => ({ checkout, asks, cwd, refs })
  const another = () => addon.card(cwd, [turns[0].checkpoints[0], turns[0].checkpoints[0]])

  const samples = {
    pipeline: [],
    first: [],
    require: [],
    fresh: [],
    warm: [],
    again: [],
    inflate: [],
    remember: [],
    floorFresh: [],
  }
  const pipeline = startPipeline()
  let processes = 0
  let rounds = Number(options.rounds) || MOST
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    const { checkpoints } = turns[round % turns.length]
    const byProcesses = await pipeline.time(row.asks, cwd, checkpoints)
    samples.pipeline.push(byProcesses.time)
    processes = byProcesses.processes
    const first = await firstCall(question(next()))
    samples.first.push(first.call)
    samples.require.push(first.require)
    await addon.closeRepositories()
    samples.fresh.push(await ours())
    // Of a turn that was asked about on this handle the comparisons are remembered: each is asked about once, where there
    // are several.
    const times = samples.fresh.at(-1) > 200 ? 1 : Math.max(1, Math.min(4, turns.length - 1))
    for (let time = 0; time < times; time += 1) {
      if (turns.length === 1) await another()
      samples.warm.push(await ours())
    }
    // A person opens what was open before: the last turn once more, after another.
    await another()
    asked += turns.length - 1
    samples.again.push(await ours())
    samples.floorFresh.push((await floor.time('fresh')).milliseconds)
    for (let time = 0; time < times; time += 1) {
      for (const how of ['inflate', 'remember']) samples[how].push((await floor.time(how)).milliseconds)
    }
    if (round === 1 && !options.rounds) {
      const fitting = Math.round(ROW / (performance.now() - began))
      rounds = Math.min(MOST, Math.max(FEWEST, fitting))
    }
  }
  pipeline.end()
  const times = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, spread(values)]))
  const ratio = (how) => times.pipeline.median / times[how].median
  const ratios = { warm: ratio('warm'), again: ratio('again'), fresh: ratio('fresh'), first: ratio('first') }
  const [warm, first] = row.wanted ?? []
  const met = row.wanted ? { warm: ratios.warm >= warm, first: ratios.first >= first } : null
  const overFloor = {
    warm: times.warm.median / times.inflate.median,
    fresh: times.fresh.median / times.floorFresh.median,
  }
  return { ...row, rounds, processes, times, ratios, overFloor, met, disagreement }
}

/** In words, where the two answers show other files; `null` where they agree. */
async function disagree({ asks }, cwd, { checkpoints, hiddenByDates = [] }) {
  const [ours, theirs] = await Promise.all([addon.ask(asks, cwd, checkpoints), askByProcesses(asks, cwd, checkpoints)])
  if (asks === 'head') {
    const same = ours.head.headOid === theirs.head.headOid && ours.head.branch === theirs.head.branch
    return same ? null : 'another head'
  }
  const shown = ours.card.shown.map(({ path }) => path)
  const missing = theirs.card.shown.filter((path) => !shown.includes(path))
  const more = shown.filter((path) => !theirs.card.shown.includes(path) && !hiddenByDates.includes(path))
  const some = (paths) => (paths.length > 3 ? `${paths.length} files` : paths.join(', ') || 'none')
  if (missing.length > 0 || more.length > 0) return `shown by git alone: ${some(missing)}; by us alone: ${some(more)}`
  if (ours.card.demoted.fileCount !== theirs.card.moved - hiddenByDates.length) return 'another number of files moved'
  const isUnmoved = ours.card.attribution.status === 'unmoved'
  const text = isUnmoved && ours.patch && Buffer.from(ours.patch.patch).toString('latin1')
  if (text && text !== theirs.patch.patch) return 'another patch'
  return null
}

async function git(...args) {
  return (await promisify(execFile)('git', args)).stdout
}

function page({ machine, commit, rows, boundary }) {
  const load = median(rows.map((row) => row.times.require.median))
  return [
    '# What an answer costs',
    '',
    `\`npm run bench\` at ${commit}, ${machine.cores} cores, Node ${machine.node}, ${machine.git}. Milliseconds are medians;`,
    'read the ratios, which are of one run with all sides timed in turn. In brackets: over the pipeline of git processes',
    '(what is wanted). First call: in a new process, after the package was loaded' +
      ` (${load.toFixed(1)} ms). Fresh: after`,
    '`closeRepositories()`. Floor: each differing tree inflated once and each shown blob diffed once, on an open handle;',
    'remembered: the same where the handle still has the objects. Warm: on an open handle, a turn that is new to it where',
    'there are several to ask about. Again: a turn that it was asked about before. The pipeline runs in a small process of',
    'its own, where starting git is cheapest.',
    'Ours begins with the reading of both checkpoints, as the pipeline does.',
    '',
    table(rows, { header: true }),
    '',
    ...(boundary.length > 0 ? ['| boundary | measured | wanted |', '|---|---|---|'] : []),
    ...boundary.map(
      ({ name, value, wanted, met }) => `| ${name} | ${value}${met === null ? '' : met ? ' ✓' : ' ✗'} | ${wanted} |`,
    ),
  ].join('\n')
}
