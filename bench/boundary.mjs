// What the host's own thread notices, and what an unmoved head costs beyond the change on disk.

import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './repositories.mjs'
import { digits, median, timed } from './samples.mjs'

export async function boundary(addon, checkout, { folder, quick }) {
  const times = quick ? 7 : 40
  return [
    ...(await handOver(addon, folder, times)),
    await unmovedHead(addon, folder, times),
    await load(checkout, quick ? 5 : 20),
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
  const bare = ({ ref }) => ({ ref })
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

/** Loading the package and its binary, in a new process. */
async function load(checkout, times) {
  const script = `
    const began = performance.now()
    const addon = require(${JSON.stringify(checkout)})
    addon.closeRepositories().then(() => console.log(performance.now() - began))`
  const samples = []
  for (let time = 0; time < times; time += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
    samples.push(Number(stdout))
  }
  const took = median(samples)
  return { name: '`require`, the binary loaded', value: `${digits(took)} ms`, wanted: 'under 5 ms', met: took < 5 }
}

function binarySize(checkout) {
  const name = readdirSync(checkout).find((name) => name.endsWith('.node'))
  const size = statSync(join(checkout, name)).size / 1e6
  return { name: 'the binary', value: `${size.toFixed(2)} MB`, wanted: 'under 2 MB', met: size < 2 }
}
