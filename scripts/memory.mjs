// npm run memory [-- --files 50000] [--megabytes 500]
//
// How much memory a call takes at its peak, beyond the loaded process: for a turn of many files, and for one large
// content, as binary and as text. Each is measured in a process of its own.

import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '50000' },
    megabytes: { type: 'string', default: '500' },
    asked: { type: 'string' },
  },
})

if (options.asked) await ask(JSON.parse(options.asked))
else process.exitCode = await main()

async function main() {
  if (process.platform !== 'linux') {
    console.error('The peak of a process is read from /proc, which is not here.')
    return 1
  }
  const folder = mkdtempSync(join(tmpdir(), 'turn-attribution-memory-'))
  try {
    const files = Number(options.files)
    const megabytes = Number(options.megabytes)
    console.log(`${'turn'.padEnd(44)} ${'peak'.padStart(10)}  time`)
    for (const [name, changed] of [
      ['1 file', 1],
      [`${files / 10} files`, files / 10],
      [`${files} files`, files],
    ])
      row(name, await manyFiles(folder, files, changed))
    row(`one binary content of ${megabytes} MB`, largeContent(folder, megabytes, 'binary'))
    row(`one text of ${megabytes} MB, a line changed`, largeContent(folder, megabytes, 'text'))
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Asks in a process of its own, and prints what it took. */
function row(name, request) {
  const child = spawnSync(process.execPath, [resolve(process.argv[1]), '--asked', JSON.stringify(request)], {
    encoding: 'utf8',
  })
  if (child.status !== 0) throw new Error(child.stderr)
  const { peak, seconds, files, counted } = JSON.parse(child.stdout)
  const told = `${files} shown, ${counted} counted`
  console.log(`${name.padEnd(44)} ${`${peak} MiB`.padStart(10)}  ${seconds} s  (${told})`)
}

async function ask(request) {
  const { createRequire } = await import('node:module')
  const { attributeTurn, readHead } = createRequire(import.meta.url)('..')
  await readHead(request.cwd)
  const before = peakOfProcess()
  const began = performance.now()
  const { shown } = await attributeTurn(request)
  const seconds = ((performance.now() - began) / 1000).toFixed(2)
  const counted = shown.filter((file) => file.additions !== null || file.binary).length
  console.log(JSON.stringify({ peak: peakOfProcess() - before, seconds, files: shown.length, counted }))
}

/** The most memory that this process has held, in MiB. */
function peakOfProcess() {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024)
}

function git(cwd, args, input) {
  return execFileSync('git', args, { cwd, input, encoding: 'utf8', maxBuffer: 1 << 30 }).trim()
}

function repository(folder, name) {
  const cwd = join(folder, name)
  git(folder, ['init', '-q', cwd])
  return cwd
}

function turn(cwd, from, to) {
  return { cwd, from: { ref: from, headOid: null }, to: { ref: to, headOid: null } }
}

async function manyFiles(folder, files, changed) {
  const cwd = repository(folder, `files-${changed}`)
  const text = (at, word) => `${word} ${at}\n`.repeat(10)
  const file = (at, word) => {
    const content = text(at, word)
    return `M 100644 inline d${at % 100}/d${at % 7}/f${at}\ndata ${content.length}\n${content}\n`
  }
  const commit = (name, body) => `commit refs/heads/${name}\ncommitter R <r@x> 1700000000 +0000\ndata 1\nx\n${body}`
  const all = Array.from({ length: files }, (_, at) => file(at, 'old')).join('')
  const some = Array.from({ length: changed }, (_, at) => file(at, 'new')).join('')
  git(cwd, ['fast-import', '--quiet'], `${commit('from', all)}\n${commit('to', `from refs/heads/from\n${some}`)}\n`)
  return turn(cwd, git(cwd, ['rev-parse', 'from']), git(cwd, ['rev-parse', 'to']))
}

function largeContent(folder, megabytes, kind) {
  const cwd = repository(folder, kind)
  const snapshot = (word) => {
    const path = join(cwd, 'content')
    const target = openSync(path, 'w')
    for (let at = 0; at < megabytes; at += 1) {
      const line = (number) => `${(number * 2654435761) % 4294967296} of the ${at}th megabyte ${'.'.repeat(60)}\n`
      const chunk =
        kind === 'binary'
          ? Buffer.alloc(1 << 20, at % 251)
          : Buffer.from(Array.from({ length: (1 << 20) / 93 }, (_, number) => line(number)).join(''))
      writeSync(target, chunk)
    }
    writeSync(target, word)
    closeSync(target)
    const blob = git(cwd, ['hash-object', '-w', 'content'])
    writeFileSync(path, '')
    return git(cwd, ['mktree'], `100644 blob ${blob}\tcontent\n`)
  }
  return turn(cwd, snapshot('one\n'), snapshot('two\n'))
}
