// What each runtime is asked to do with the package: `smoke.cjs <a file of the project> <request as JSON>`. It loads
// the package as the project does, asks about the turn, from two workers at once too, and ends a worker in mid-call.

const { createRequire } = require('node:module')
const threads = require('node:worker_threads')

const [from, json] = threads.isMainThread ? process.argv.slice(2) : threads.workerData
const api = createRequire(from)('turn-attribution')
const request = JSON.parse(json)

async function ask() {
  const turn = await api.attributeTurn(request)
  const { patch, patchBytes } = await api.diffTurn(request)
  const right =
    turn.shown.map(({ path }) => path).join() === 'written.txt' &&
    turn.demoted.fileCount === 1 &&
    patch.includes('+the agent') &&
    patchBytes.equals(Buffer.from(patch))
  if (!right) throw new Error(`a wrong answer: ${JSON.stringify(turn)}`)
}

function worker(loop) {
  return new threads.Worker(__filename, { workerData: [from, json, loop] })
}

function end(thread) {
  return new Promise((resolve, reject) => thread.once('exit', resolve).once('error', reject))
}

async function main() {
  await ask()
  const codes = await Promise.all([worker(false), worker(false)].map(end))
  if (codes.join() !== '0,0') throw new Error(`workers ended with ${codes}`)
  const busy = worker(true)
  await new Promise((resolve) => busy.once('message', resolve))
  await busy.terminate()
  await ask()
  console.log('right')
}

async function inWorker() {
  await ask()
  if (!threads.workerData[2]) return
  threads.parentPort.postMessage('at work')
  while (true) await ask()
}

;(threads.isMainThread ? main() : inWorker()).catch((error) => {
  console.error(error)
  process.exit(1)
})
