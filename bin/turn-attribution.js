#!/usr/bin/env node
'use strict'

const { parseArgs } = require('node:util')
const {
  attributeTurn,
  diffTurn,
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
const { dropMarks, endMark, listMarks, mark } = require('./marks.js')
const { markLines } = require('./mark-lines.js')
const { progressOn } = require('./progress.js')
const { painter, printable, printableJson, wantsColor } = require('./text.js')

const HELP = `turn-attribution: what the agent wrote in a turn, and what merely moved through git

Usage
  turn-attribution mark [name]                           remember the working tree as it is now
  turn-attribution show [name]                           the card of what was done since the newest mark
  turn-attribution list                                  the marks, the newest first
  turn-attribution drop <name> | --all                   forget marks
  turn-attribution view [--port N] [--no-open]           a local page of the turns of a repository; Ctrl-C ends it

  turn-attribution card <from> <to> [options]            the card of the turn between two checkpoints
  turn-attribution explain <path> <from> <to> [options]  what decided about one file
  turn-attribution head                                  head, branch and pin of now, as JSON
  turn-attribution --help | --version

A mark is a snapshot of the working tree, ignored files left out, as git add would record it (clean filters that are
configured run, as they do there). mark, show and drop write objects and refs below refs/turn-attribution/, and nothing
else; the other commands write nothing.

A checkpoint is the full oid or the full ref name of a snapshot commit. Head, branch, pin and start of the turn are
read from its message, where a host may keep them. These options win over the message:
  --from-head OID|unborn    --to-head OID|unborn      the head at the checkpoint
  --from-branch NAME|HEAD   --to-branch NAME|HEAD     the branch; HEAD: detached
  --from-pin PIN            --to-pin PIN              the pin that \`head\` printed
  --started-at TIME                                   start of the turn: milliseconds since 1970, or an ISO 8601 time

Options
  --cwd DIR      a folder of the repository (default: the current one)
  --json         the result as JSON: for cards the type TurnAttribution of index.d.ts
  --all          show, card: every file, folders not folded; drop: all marks
  --demoted      show, card: list the hidden files as well
  --patch        show: the patch of the shown files, as git prints it
  --view         show: open the page at this turn
  --between REF  card, explain: a checkpoint between the two, for a range of turns; repeat in order

Exit codes
  0  printed, also when the turn could not be attributed: then everything is shown, and why
  1  no result: no repository, snapshot missing, no such mark, path not in the turn, …; why stands on stderr
  2  wrong usage`

const text = { type: 'string' }
const flag = { type: 'boolean' }
const OPTIONS = {
  cwd: { type: 'string', default: '.' },
  json: flag,
  all: flag,
  demoted: flag,
  patch: flag,
  view: flag,
  between: { type: 'string', multiple: true, default: [] },
  'from-head': text,
  'to-head': text,
  'from-branch': text,
  'to-branch': text,
  'from-pin': text,
  'to-pin': text,
  'started-at': text,
  port: text,
  'no-open': flag,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
}

/** The most that a patch can be. */
const MOST_PATCH_BYTES = 256 * 1024 * 1024

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
      return flags.json ? [printableJson(result)] : cardLines(result, paint, layout(flags))
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
    case 'mark': {
      const { name, number, unread } = await mark(flags.cwd, atMostOne(operands), progressOn(process.stderr))
      warnOf(unread)
      return flags.json ? [printableJson({ name, number })] : [`Marked ${printable(name)} ${number}`]
    }
    case 'show':
      return show(atMostOne(operands), flags, paint)
    case 'list': {
      exactly(operands, [])
      const marks = await withFiles(flags.cwd, await listMarks(flags.cwd))
      return flags.json ? [printableJson(marks)] : markLines(marks, paint)
    }
    case 'drop': {
      const name = atMostOne(operands)
      if ((name === undefined) !== (flags.all === true)) throw new UsageError('expected <name> or --all')
      const refs = await dropMarks(flags.cwd, name)
      if (flags.json) return [printableJson(refs)]
      return refs.length === 0 ? ['There are no marks'] : refs.map((ref) => `Dropped ${printable(ref)}`)
    }
    case 'view':
      exactly(operands, [])
      return view(flags)
    case undefined:
      throw new UsageError('a command is missing')
    default:
      throw new UsageError(`unknown command '${command}'`)
  }
}

async function show(wanted, flags, paint) {
  const ways = ['json', 'patch', 'view'].filter((way) => flags[way])
  if (ways.length > 1) throw new UsageError(`--${ways[0]} or --${ways[1]}, not both`)
  const { name, number, turn, unread } = await endMark(flags.cwd, wanted, progressOn(process.stderr))
  warnOf(unread)
  if (flags.view) return view(flags, `#${new URLSearchParams({ thread: `mark:${name}`, turn: String(number) })}`)
  if (flags.patch) return patch(turn)
  const result = await attributeTurn({ ...turn, demoted: flags.demoted ? 'lines' : 'count' })
  return flags.json ? [printableJson(result)] : cardLines(result, paint, layout(flags))
}

/** The bytes as they are, for whatever reads them; a terminal is not to be steered by what a file holds. */
async function patch(turn) {
  const { patchBytes, truncated } = await diffTurn(turn, { maxFileBytes: MOST_PATCH_BYTES, maxBytes: MOST_PATCH_BYTES })
  if (truncated) process.stderr.write('turn-attribution: the patch is too large and was cut\n')
  if (process.stdout.isTTY) return patchBytes.length === 0 ? [] : patchLines(patchBytes.toString('utf8'))
  await new Promise((written) => process.stdout.write(patchBytes, written))
  return []
}

const patchLines = (text) =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))

function warnOf(unread) {
  for (const line of unread)
    process.stderr.write(`turn-attribution: not in the snapshot as it is now: ${printable(line)}\n`)
}

/** With how many files each mark's turn shows; `null` while it is open, and where it cannot be told. */
function withFiles(cwd, marks) {
  return Promise.all(
    marks.map(async (each) => {
      if (each.end === null) return { ...each, files: null }
      const turn = { cwd, from: { ref: each.oid }, to: { ref: each.end.oid }, maxFiles: 1 }
      const result = await attributeTurn(turn).catch(() => null)
      return { ...each, files: result?.shownFileCount ?? null }
    }),
  )
}

/** Serves the page until the person ends it. */
async function view({ cwd, port, 'no-open': unopened }, place = '') {
  const wanted = portOf(port)
  await readHead(cwd)
  const { serve } = require('./view.js')
  const { url, ticketUrl, close } = await serve({ cwd, port: wanted })
  const ended = new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
  })
  process.stdout.write(`${url}${place}\n`)
  if (process.stdout.isTTY) {
    process.stderr.write('Ctrl-C ends it.\n')
    if (!unopened) openBrowser(`${ticketUrl()}${place}`)
  }
  await ended
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

function atMostOne(operands) {
  if (operands.length <= 1) return operands[0]
  throw new UsageError('expected one name')
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

/** A terminal has a width and is read from its end; what reads a pipe takes everything. Some say 0 for unknown. */
function layout({ demoted, all }) {
  const { isTTY, columns, rows } = process.stdout
  return { demoted, all, columns: (isTTY && columns) || undefined, rows: (isTTY && rows) || undefined }
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
    const lines = error.message.split('\n').map((line) => `turn-attribution: ${printable(line)}\n`)
    process.stderr.write(lines.join(''))
    return 1
  }
  process.stderr.write(`turn-attribution: ${printable(wordsOf(error))}\n`)
  return 1
}

function wordsOf(error) {
  if (isTurnAttributionError(error)) return `${error.message} [${error.code}]`
  // What the system refuses is no defect of the program.
  return String((error?.syscall && error.message) ?? error?.stack ?? error)
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') return
  process.exitCode = fail(new CommandError(`the output cannot be written: ${error.message}`))
})
// Nobody reads what went wrong; the exit code tells.
process.stderr.on('error', () => {})

main(process.argv.slice(2)).then(
  (lines) => {
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
  },
  (error) => {
    process.exitCode = fail(error)
  },
)
