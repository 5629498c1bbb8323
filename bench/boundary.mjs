// What the host's own thread notices, and what an unmoved head costs beyond the change on disk.

import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './repositories.mjs'
import { digits, median, timed } from './samples.mjs'

export async function boundary(addon, checkout, { folder, quick }) {
  const times = quick ? 7 : 40
  return [
    ...(await handOver(addon, folder, times)),
    await unmovedHead(addon, folder, times),
    ...(await anyCall(addon, checkout, times)),
    ...(await load(checkout, quick ? 5 : 20)),
    binarySize(checkout),
  ]
}

/** How long the event loop stands still while a call of 1,000 shown files is made and its answer handed over. */
async function handOver(addon, folder, times) {
  const { cwd, turns } = await repository(folder, '200k')
  const measured = []
  for (const [name, ask] of [
    ['card', (refs) => addon.card(cwd, refs)],
    ['patch', (refs) => addon.patch(cwd, refs)],
  ]) {
    const stills = []
    for (let time = 0; time < times; time += 1) {
      const { checkpoints } = turns['unmoved-1000'][time % turns['unmoved-1000'].length]
      stills.push(await longestStill(() => ask(checkpoints)))
    }
    const still = median(stills)
    measured.push({
      name: `event loop stands still for the ${name} of 1,000 files`,
      value: `${digits(still)} ms`,
      wanted: 'under 5 ms',
      met: still < 5,
    })
  }
  return measured
}

async function longestStill(work) {
  let longest = 0
  let last = performance.now()
  let ended = false
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!ended) setImmediate(look)
  }
  setImmediate(look)
  await new Promise((resolve) => setImmediate(resolve))
  longest = 0
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  ended = true
  return longest
}

/** Against the same question with no head recorded, which asks for nothing but the change on disk. */
async function unmovedHead(addon, folder, times) {
  const { cwd, turns } = await repository(folder, '200k')
  const [refs] = turns['unmoved-1000'].map(({ checkpoints }) => checkpoints)
  const [from, to] = await Promise.all(refs.map((ref) => addon.readCheckpoint(cwd, ref)))
  const ask = (...checkpoints) => timed(() => addon.attributeTurn({ cwd, from: checkpoints[0], to: checkpoints[1] }))
  // A checkpoint of which more is said than its ref is not looked up in its message.
  const bare = ({ ref }) => ({ ref, turnStartedAt: 0 })
  const extra = []
  for (let time = 0; time < times * 2; time += 1) {
    // Whatever is second finds more in the caches, so that each is it half of the time.
    const order = time % 2 === 0
    const first = order ? await ask(from, to) : await ask(bare(from), bare(to))
    const second = order ? await ask(bare(from), bare(to)) : await ask(from, to)
    extra.push(order ? first / second : second / first)
  }
  const share = (median(extra) - 1) * 100
  return {
    name: 'unmoved head over bare tree delta, 1,000 files',
    value: `${share.toFixed(1)} %`,
    wanted: 'at most 5 %',
    met: share <= 5,
  }
}

/**
 * What no call can do without: the way to another thread and back. Of the package, which hands over an empty patch to be
 * read; and of Node's own `fs.promises.stat`. Again and again, and once in a new process.
 */
async function anyCall(addon, checkout, times) {
  const nothing = () => addon.parseUnifiedDiff('')
  const warm = { ours: [], own: [] }
  for (let time = 0; time < times * 20; time += 1) {
    warm.ours.push(await timed(nothing))
    warm.own.push(await timed(() => stat(checkout)))
  }
  const first = { ours: [], own: [] }
  for (let time = 0; time < times; time += 1) {
    first.ours.push(await inNewProcess(checkout, "addon.parseUnifiedDiff('')"))
    first.own.push(await inNewProcess(checkout, "require('node:fs').promises.stat('.')"))
  }
  const row = (name, samples) => ({ name, value: `${digits(median(samples))} ms`, wanted: '–', met: null })
  return [
    row('a call that does nothing, warm', warm.ours),
    row('`fs.promises.stat`, warm', warm.own),
    row('a call that does nothing, first of a process', first.ours),
    row('`fs.promises.stat`, first of a process', first.own),
  ]
}

/** Milliseconds that the first call takes, once the binary is loaded. */
async function inNewProcess(checkout, call) {
  return say(`
    const addon = require(${JSON.stringify(checkout)})
    addon.closeRepositories().then(async () => {
      const began = performance.now()
      await ${call}
      console.log(performance.now() - began)
    })`)
}

/** Loading the package, and then its binary, in a new process. */
async function load(checkout, times) {
  const timings = { package: [], binary: [] }
  const path = JSON.stringify(checkout)
  for (let time = 0; time < times; time += 1) {
    timings.package.push(
      await say(`const began = performance.now(); require(${path}); console.log(performance.now() - began)`),
    )
    timings.binary.push(
      await say(`
        const { closeRepositories } = require(${path})
        const began = performance.now()
        closeRepositories().then(() => console.log(performance.now() - began))`),
    )
  }
  const [took, binary] = [median(timings.package), median(timings.binary)]
  return [
    { name: '`require`', value: `${digits(took)} ms`, wanted: 'under 5 ms', met: took < 5 },
    { name: 'the binary, loaded by the first call', value: `${digits(binary)} ms`, wanted: '–', met: null },
  ]
}

/** The number that a script prints. */
async function say(script) {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
  return Number(stdout)
}

function binarySize(checkout) {
  const name = readdirSync(checkout).find((name) => name.endsWith('.node'))
  const size = statSync(join(checkout, name)).size / 1e6
  return { name: 'the binary', value: `${size.toFixed(2)} MB`, wanted: 'under 2 MB', met: size < 2 }
}
