// npm run soak [-- --calls 10000] [--flight 50] [--repositories 6]
//
// Asks again and again about turns of repositories that are repacked, pruned and gain commits meanwhile, many calls at a
// time, some of them aborted. Prints what a host would notice: answers that differ from a single call's, errors, memory,
// open files, threads, and how long the event loop was kept waiting. Exit code 1 where a bar is missed.

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { attributeTurn, closeRepositories, diffTurn, readHead } = createRequire(import.meta.url)('..')
const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    flight: { type: 'string', default: '50' },
    repositories: { type: 'string', default: '6' },
  },
})
const [calls, flight, repositories] = [options.calls, options.flight, options.repositories].map(Number)
/** The event loop waits for no more than this at the 99th percentile, in milliseconds. */
const LONGEST_DELAY = 20
/** Memory grows by no more than this from the first quarter to the last, in MiB. */
const MOST_GROWTH = 24

const folder = mkdtempSync(join(tmpdir(), 'turn-attribution-soak-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
}
writeFileSync(env.GIT_CONFIG_GLOBAL, '[user]\n\tname = Robin\n\temail = robin@example.org\n[gc]\n\tauto = 0\n')
const git = (cwd, ...args) => execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trim()

process.exitCode = await main()

async function main() {
  const turns = []
  for (let at = 0; at < repositories; at += 1) turns.push(await turn(at))
  for (const { requests } of turns) for (const one of requests) one.right = JSON.stringify(await ask(one))

  let done = 0
  let aborted = 0
  const wrong = []
  const changes = turns.map(changeAgain)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const memory = []
  delay.enable()
  const began = performance.now()
  const one = async (at) => {
    const { requests, cwd } = turns[at % turns.length]
    const request = requests[at % requests.length]
    const controller = new AbortController()
    if (at % 10 === 3) setTimeout(() => controller.abort(), at % 7)
    try {
      if (at % 20 === 5) await readHead(cwd)
      else if (at % 200 === 7) await closeRepositories()
      else if (JSON.stringify(await ask(request, controller.signal)) !== request.right) wrong.push('another answer')
    } catch (error) {
      if (error.code === 'ABORTED') aborted += 1
      else wrong.push(`${error.code}: ${error.message}`)
    }
    done += 1
    if (done % Math.ceil(calls / 40) === 0) memory.push(process.memoryUsage().rss / 2 ** 20)
  }
  let next = 0
  const lane = async () => {
    while (next < calls) await one(next++)
  }
  await Promise.all(Array.from({ length: flight }, lane))
  const seconds = (performance.now() - began) / 1000
  delay.disable()
  const changed = await Promise.all(changes.map((end) => end()))

  await sleep(2100)
  const files = openFiles()
  const quarter = Math.floor(memory.length / 4)
  const growth = median(memory.slice(-quarter)) - median(memory.slice(quarter, 2 * quarter))
  const late = delay.percentile(99) / 1e6
  const rows = [
    ['calls', `${done} in ${seconds.toFixed(0)} s, ${flight} at a time, ${aborted} aborted`],
    ['changes meanwhile', changed.reduce((sum, count) => sum + count, 0)],
    [
      'wrong answers and errors',
      `${wrong.length}${wrong.length > 0 ? `: ${[...new Set(wrong)].slice(0, 5).join('; ')}` : ''}`,
    ],
    [
      'memory (RSS, MiB)',
      memory
        .filter((_, at) => at % 5 === 0)
        .map((size) => size.toFixed(0))
        .join(' '),
    ],
    ['growth over the last half (MiB)', growth.toFixed(1)],
    ['event loop kept waiting, p99 (ms)', late.toFixed(1)],
    ['open files of repositories, 2 s after', files.length],
    ['threads after', threads()],
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(38)} ${value}`)
  const missed = [
    wrong.length > 0 && 'answers',
    growth > MOST_GROWTH && 'memory',
    late > LONGEST_DELAY && 'event loop',
    files.length > 0 && 'open files',
  ].filter(Boolean)
  if (missed.length > 0) console.log(`MISSED: ${missed.join(', ')}`)
  return missed.length > 0 ? 1 : 0
}

function ask({ request, patch }, signal) {
  return patch ? diffTurn(request, {}, { signal }) : attributeTurn(request, { signal })
}

/** A repository with a few turns: edits alone, a pull, a rebase. */
async function turn(number) {
  const cwd = join(folder, `repo-${number}`)
  git(folder, 'init', '-q', '-b', 'main', cwd)
  const lines = (count, word) => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('')
  const write = (name, text) => writeFileSync(join(cwd, name), text)
  for (let at = 0; at < 200; at += 1) write(`file-${at}.txt`, lines(40, `${number} ${at}`))
  const commit = (message) => {
    git(cwd, 'add', '-A')
    git(cwd, 'commit', '-qm', message)
  }
  const snapshot = async () => {
    git(cwd, 'add', '-A')
    const tree = git(cwd, 'write-tree')
    const ref = git(cwd, 'commit-tree', '-m', 'snapshot', tree)
    git(cwd, 'update-ref', `refs/snapshots/${ref}`, ref)
    return { ref, ...(await readHead(cwd)) }
  }
  commit('first')
  git(cwd, 'checkout', '-qb', 'upstream')
  for (let at = 0; at < 60; at += 1) write(`file-${at}.txt`, lines(45, `up ${at}`))
  commit('upstream')
  git(cwd, 'checkout', '-q', 'main')
  const checkpoints = [await snapshot()]
  write('file-100.txt', lines(41, 'mine'))
  checkpoints.push(await snapshot())
  commit('mine')
  git(cwd, 'rebase', '-q', 'upstream')
  write('file-101.txt', lines(42, 'mine too'))
  checkpoints.push(await snapshot())
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-qm', 'mine too')
  git(cwd, 'merge', '-q', '--no-ff', '-m', 'merge', 'upstream')
  checkpoints.push(await snapshot())
  const requests = []
  for (let at = 1; at < checkpoints.length; at += 1) {
    const request = { cwd, from: checkpoints[at - 1], to: checkpoints[at], demoted: 'lines' }
    requests.push({ request, patch: false }, { request, patch: true })
  }
  const [from, ...rest] = checkpoints
  requests.push({ request: { cwd, from, between: rest.slice(0, -1), to: rest.at(-1) }, patch: false })
  return { cwd, requests }
}

/**
 * Repacks, prunes, and makes more commits, until its standard input is closed. In a process of its own: starting git
 * keeps the event loop that does it waiting.
 */
function changeAgain({ cwd }) {
  const script = `
    changed=0
    while true; do
      read -t 0.015 _
      [ $? -gt 128 ] || break
      case $((changed % 8)) in
        0) git repack -adq;;
        1) git commit-tree -m more HEAD^{tree} -p HEAD;;
        2) git repack -q;;
        3) git pack-refs --all;;
        4) git multi-pack-index write;;
        5) git repack -adFq;;
        6) git prune-packed -q;;
        7) git commit-graph write --reachable;;
      esac >/dev/null 2>&1
      changed=$((changed + 1))
    done
    echo $changed`
  const child = execFile('bash', ['-c', script], { cwd, env })
  let told = ''
  child.stdout.on('data', (text) => {
    told += text
  })
  const ended = new Promise((resolve) => child.on('close', () => resolve(Number(told))))
  return () => {
    child.stdin.end()
    return ended
  }
}

function openFiles() {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false
    }
  })
}

function threads() {
  if (process.platform !== 'linux') return 'not counted here'
  return /^Threads:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
