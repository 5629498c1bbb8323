#!/usr/bin/env node
'use strict'

const { parseArgs } = require('node:util')
const {
  attributeTurn,
  explainPath,
  isTurnAttributionError,
  readCheckpoint,
  readHead,
  transitionLabel,
} = require('../index.js')
const { version } = require('../package.json')
const { openBrowser } = require('./browser.js')
const { cardLines } = require('./card.js')
const { CommandError } = require('./command-error.js')
const { explainLines } = require('./explain.js')
const { painter, printable, printableJson, wantsColor } = require('./text.js')

const HELP = `turn-attribution: what the agent wrote in a turn, and what merely moved through git

Usage
  turn-attribution card <from> <to> [options]            the card of the turn between two checkpoints
  turn-attribution explain <path> <from> <to> [options]  what decided about one file
  turn-attribution head [--cwd DIR]                      head, branch and pin of now, as JSON
  turn-attribution view [--port N] [--no-open]           a local page of the turns of a repository; Ctrl-C ends it
  turn-attribution --help | --version

A checkpoint is the full oid or the full ref name of a snapshot commit. Head, branch, pin and start of the turn are
read from its message, where a host may keep them. These options win over the message:
  --from-head OID|unborn    --to-head OID|unborn      the head at the checkpoint
  --from-branch NAME|HEAD   --to-branch NAME|HEAD     the branch; HEAD: detached
  --from-pin PIN            --to-pin PIN              the pin that \`head\` printed
  --started-at TIME                                   start of the turn: milliseconds since 1970, or an ISO 8601 time

Options
  --cwd DIR      a folder of the repository (default: the current one)
  --between REF  a checkpoint between the two, for a range of turns; repeat in order
  --demoted      list the hidden files as well
  --json         the result as JSON

Exit codes
  0  printed, also when the turn could not be attributed: then everything is shown, and why
  1  no result: no repository, snapshot missing, path not in the turn, …; the code stands on stderr
  2  wrong usage`

const text = { type: 'string' }
const OPTIONS = {
  cwd: { type: 'string', default: '.' },
  json: { type: 'boolean' },
  demoted: { type: 'boolean' },
  between: { type: 'string', multiple: true, default: [] },
  'from-head': text,
  'to-head': text,
  'from-branch': text,
  'to-branch': text,
  'from-pin': text,
  'to-pin': text,
  'started-at': text,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  port: text,
  'no-open': { type: 'boolean' },
}

class UsageError extends Error {}

async function main(args) {
  const { values: flags, positionals } = parse(args)
  if (flags.help) return [HELP]
  if (flags.version) return [version]
  const paint = painter(wantsColor(process.stdout, process.env))
  const [command, ...operands] = positionals
  switch (command) {
    case 'card': {
      const [from, to] = exactly(operands, ['<from>', '<to>'])
      const result = await attributeTurn({
        ...(await turn(from, to, flags)),
        demoted: flags.demoted ? 'lines' : 'count',
      })
      return flags.json ? [printableJson(result)] : cardLines(result, paint, flags)
    }
    case 'explain': {
      const [path, from, to] = exactly(operands, ['<path>', '<from>', '<to>'])
      const request = await turn(from, to, flags)
      const explanation = await explainPath(request, path)
      if (flags.json) return [printableJson(withTextContent(explanation))]
      return explainLines(explanation, transitionLabel(await attributeTurn(request)), paint)
    }
    case 'head':
      exactly(operands, [])
      return [printableJson(await readHead(flags.cwd))]
    case 'view':
      exactly(operands, [])
      return view(flags)
    case undefined:
      throw new UsageError('a command is missing')
    default:
      throw new UsageError(`unknown command '${command}'`)
  }
}

/** Serves the page until the person ends it. */
async function view({ cwd, port, 'no-open': unopened }, place = '') {
  const wanted = portOf(port)
  await readHead(cwd)
  const { serve } = require('./view.js')
  const { url, close } = await serve({ cwd, port: wanted })
  process.stdout.write(`${url}${place}\n`)
  if (process.stdout.isTTY) {
    process.stderr.write('Ctrl-C ends it.\n')
    if (!unopened) openBrowser(`${url}${place}`)
  }
  await new Promise((ended) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, ended)
  })
  await close()
  // Work that was under way has been told to stop; nobody waits for it.
  process.exit(0)
}

function portOf(text = '0') {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new UsageError(`--port: '${text}' is no port`)
}

function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error.message)
  }
}

function exactly(operands, names) {
  if (operands.length === names.length) return operands
  throw new UsageError(names.length === 0 ? 'no operands expected' : `expected ${names.join(' ')}`)
}

async function turn(from, to, flags) {
  const start = flags['started-at'] === undefined ? {} : { turnStartedAt: timeOf(flags['started-at']) }
  const [first, last, ...between] = await Promise.all(
    [from, to, ...flags.between].map((ref) => readCheckpoint(flags.cwd, ref)),
  )
  return {
    cwd: flags.cwd,
    from: { ...first, ...factsFromFlags(flags, 'from'), ...start },
    to: { ...last, ...factsFromFlags(flags, 'to') },
    between,
  }
}

function factsFromFlags(flags, side) {
  const facts = {}
  const { [`${side}-head`]: head, [`${side}-branch`]: branch, [`${side}-pin`]: pin } = flags
  if (head !== undefined) facts.headOid = head === 'unborn' ? null : head
  if (branch !== undefined) facts.branch = branch === 'HEAD' ? null : branch
  if (pin !== undefined) facts.pin = pin
  return facts
}

function timeOf(text) {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError(`--started-at: '${text}' is no time`)
  return time
}

function withTextContent(explanation) {
  const { expectedContent } = explanation
  return { ...explanation, expectedContent: expectedContent && Buffer.from(expectedContent).toString('utf8') }
}

function fail(error) {
  if (error instanceof UsageError) {
    process.stderr.write(`turn-attribution: ${printable(error.message)}\nSee turn-attribution --help\n`)
    return 2
  }
  if (error instanceof CommandError) {
    process.stderr.write(`turn-attribution: ${printable(error.message)}\n`)
    return 1
  }
  const words = isTurnAttributionError(error) ? `${error.message} [${error.code}]` : String(error?.stack ?? error)
  process.stderr.write(`turn-attribution: ${printable(words)}\n`)
  return 1
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
})

main(process.argv.slice(2)).then(
  (lines) => process.stdout.write(`${lines.join('\n')}\n`),
  (error) => {
    process.exitCode = fail(error)
  },
)
