// npm run bench:scaling [-- --only "words of a line"] [--quick] [--folder <cache>]
//
// How time and memory grow with each thing that a turn has more or less of, all else held as it is. Time is that of a
// warm handle, the sizes of a line asked in turn; memory is the most that a new process held for one answer beyond what
// it held when it was loaded. Writes `bench/results/scaling.md` and `scaling.svg`.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addonOf } from './addon.mjs'
import { firstCall } from './first-call.mjs'
import { defaultFolder, repository } from './repositories.mjs'
import { digits, exponent, median, timed } from './samples.mjs'
import { scalingChart } from './scaling-chart.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const checkout = dirname(here)
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string', default: defaultFolder },
    results: { type: 'string', default: join(here, 'results') },
  },
})

/** Each point: how much of it, in which repository, which turn. `wanted`: the exponent that would be right. */
const lines = [
  {
    name: 'files changed',
    asks: 'card',
    wanted: 1,
    points: [1, 10, 100, 1_000, 10_000, 100_000].map((size) => ({ size, in: '200k', turns: `unmoved-${size}` })),
  },
  {
    name: 'files in the repository, 10 changed',
    asks: 'card+patch',
    wanted: 0,
    points: [
      [1_000, 'files-1000'],
      [10_000, 'files-10000'],
      [100_000, 'files-100000'],
      [1_000_000, '1m'],
    ].map(([size, name]) => ({ size, in: name, turns: 'unmoved-10' })),
  },
  {
    name: 'commits of history, a pull of one',
    asks: 'card',
    wanted: 0,
    points: [1_000, 10_000, 100_000].map((size) => ({ size, in: `commits-${size}`, turns: 'pull' })),
  },
  {
    name: 'commits pulled, 3 turn commits',
    asks: 'card',
    wanted: 1,
    points: [
      [100, 'pull-100'],
      [10_000, 'pull'],
    ].map(([size, turns]) => ({ size, in: 'history', turns })),
  },
  {
    name: 'turn commits',
    asks: 'card',
    wanted: 1,
    points: [1, 3, 10, 30, 100].map((size) => ({ size, in: 'turn-commits', turns: `commits-${size}` })),
  },
  {
    name: 'turns of a range',
    asks: 'card',
    wanted: 1,
    points: [1, 3, 10, 30, 100].map((size) => ({ size, in: 'thread', turns: 'thread', checkpoints: size + 1 })),
  },
  {
    name: 'bytes of patch',
    asks: 'patch',
    wanted: 1,
    points: [1_000, 10_000, 100_000, 1_000_000, 10_000_000].map((size) => ({
      size,
      in: 'patches',
      turns: `patch-${size}`,
    })),
  },
  {
    name: 'calls at once',
    asks: 'card',
    wanted: 1,
    points: [1, 2, 4, 8, 16, 32, 64].map((size) => ({ size, in: '200k', turns: 'unmoved-10', atOnce: size })),
  },
]

const NOTE = `\`npm run bench:scaling\`. Time: milliseconds on a warm handle, median. Memory: MiB at the peak of a new process
beyond what it held when loaded. The exponent is that of a power law through all points, in brackets between the last
two: at small sizes a call costs what a call costs. 0 is flat, 1 is in proportion.`

const addon = addonOf(checkout)
await main()

async function main() {
  const measured = []
  for (const line of lines.filter(({ name }) => name.includes(options.only))) {
    measured.push(await measure(line))
    console.log(table(measured.slice(-1)))
  }
  await addon.closeRepositories()
  mkdirSync(options.results, { recursive: true })
  writeFileSync(join(options.results, 'scaling.md'), `# How answers grow\n\n${NOTE}\n\n${table(measured)}\n`)
  writeFileSync(join(options.results, 'scaling.json'), `${JSON.stringify(measured, null, 1)}\n`)
  writeFileSync(join(options.results, 'scaling.svg'), scalingChart(measured))
}

async function measure(line) {
  const points = []
  for (const point of line.points) {
    const { cwd, turns } = await repository(options.folder, point.in)
    const all = turns[point.turns][0].checkpoints
    points.push({ ...point, cwd, refs: all.slice(0, point.checkpoints ?? all.length), times: [] })
  }
  // The sizes in turn, so that a busy minute of the machine is in all of them.
  const until = performance.now() + (options.quick ? 3_000 : 20_000)
  for (let round = 0; round < 40 && (round < 3 || performance.now() < until); round += 1) {
    for (const { cwd, refs, atOnce = 1, times } of points) {
      await addon.ask(line.asks, cwd, refs)
      const ask = () => Promise.all(Array.from({ length: atOnce }, () => addon.ask(line.asks, cwd, refs)))
      times.push(await timed(ask))
    }
  }
  const told = []
  for (const { size, cwd, refs, atOnce, times } of points) {
    const question = { checkout, asks: line.asks, cwd, refs, atOnce }
    const first = []
    for (let time = 0; time < 3; time += 1) first.push(await firstCall(question))
    const memory = Math.max(0.1, median(first.map(({ memory }) => memory)))
    told.push({ size, time: median(times), memory })
  }
  const grows = (what, points) => exponent(points.map((point) => [point.size, point[what]]))
  return {
    name: line.name,
    wanted: line.wanted,
    points: told,
    time: grows('time', told),
    timeAtEnd: grows('time', told.slice(-2)),
    memory: grows('memory', told),
    memoryAtEnd: grows('memory', told.slice(-2)),
  }
}

function table(measured) {
  const rows = measured.flatMap((line) => {
    const points = (what) => line.points.map((point) => digits(point[what])).join(' · ')
    const grows = (what) => `${line[what].toFixed(2)} (${line[`${what}AtEnd`].toFixed(2)})`
    const sizes = line.points.map(({ size }) => size.toLocaleString('en')).join(' · ')
    return [
      `| ${line.name}: ${sizes} | ${points('time')} | ${grows('time')} | ${points('memory')} | ${grows('memory')} | ${line.wanted} |`,
    ]
  })
  return ['| more of | ms | exponent | MiB | exponent | at most |', '|---|---|--:|---|--:|--:|', ...rows].join('\n')
}
