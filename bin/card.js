'use strict'

// The card of a turn as lines of text. Pure: a result in, lines out.

const { printable, widthOf } = require('./text.js')

const WIDTH = 58
const INDENT = '  '

const NOT_ATTRIBUTED = {
  'head-not-recorded': 'the head was not recorded with a checkpoint',
  'head-missing': 'a recorded head is not in the repository, or is no commit',
  'history-missing': 'commits between the two heads are no longer in the repository',
  'history-cut': 'a shallow clone or a graft cuts the history between the two heads',
  'unborn-at-end': 'there was a head before the turn, and none at its end',
  'reflog-lost': 'the log of HEAD has lost entries that were there at the turn',
  'time-limit': 'the time given was over',
  limit: 'the history between the two heads is larger than the limit',
  unreadable: 'the history between the two heads cannot be read',
}

const NOTES = {
  'from-ref-moved': 'the ref of the first checkpoint names another snapshot by now; the recorded one was used',
  'to-ref-moved': 'the ref of the second checkpoint names another snapshot by now; the recorded one was used',
  'turn-start-not-believed': 'the recorded start of the turn cannot be right; the time of the first snapshot was used',
  'turn-not-attributed': 'a turn of the range could not be attributed; all that it changed is shown',
  'files-cut': 'not every file is listed; the counts are of all',
  'read-failed': 'something could not be read; counts and renames may be missing, and more may be shown',
}

exports.cardLines = (result, paint, { demoted = false } = {}) => [
  ...shownLines(result, paint),
  ...movedLines(result, paint, demoted),
  ...remarks(result).map((remark) => paint.yellow(printable(remark))),
]

// The muted row keeps one form, so that it reads the same in every card: from which branch to which, and how much.
exports.movedRow = ({ demoted, branchTransition: move }) => {
  const from = branchName(move.fromBranch, move.fromHead)
  const to = branchName(move.toBranch, move.toHead)
  if (demoted.fileCount === 0 && (from === to || move.kind === 'unknown')) return null
  const count = demoted.fileCount === 0 ? '' : ` — ${counted(demoted.fileCount, 'file')}    (hidden)`
  return printable(`⎇  Updated via git (${from} → ${to})${count}`)
}

function branchName(branch, head) {
  if (branch !== null) return branch
  return head === null ? 'no branch' : `detached at ${head.slice(0, 7)}`
}

function shownLines({ shown: files, shownFileCount }, paint) {
  if (files.length === 0) return ['No files changed by the agent']
  const totals = { additions: sum(files, 'additions'), deletions: sum(files, 'deletions') }
  const rows = [{ text: counted(shownFileCount, 'changed file'), counts: totals, style: paint.bold }]
  for (const [folder, members] of folders(files)) {
    if (folder !== '') rows.push({ text: `${INDENT}${printable(folder)}/` })
    const indent = folder === '' ? INDENT : INDENT + INDENT
    for (const file of members) rows.push({ text: indent + fileText(file, folder), counts: file })
  }
  if (files.length < shownFileCount) rows.push({ text: `${INDENT}… and ${shownFileCount - files.length} more` })
  return aligned(rows, paint)
}

// One group for each folder that holds shown files, the most changed lines first, in folders and within them.
function folders(files) {
  const groups = new Map()
  for (const file of files) {
    const folder = folderOf(file.path)
    groups.set(folder, [...(groups.get(folder) ?? []), file])
  }
  const sorted = [...groups].map(([folder, members]) => [folder, members.sort(by(weight, (file) => file.path))])
  return sorted.sort(
    by(
      ([, members]) => members.reduce((total, file) => total + weight(file), 0),
      ([folder]) => folder,
    ),
  )
}

const weight = (file) => (file.additions ?? 0) + (file.deletions ?? 0)
const by = (number, name) => (a, b) => number(b) - number(a) || (name(a) < name(b) ? -1 : 1)
const sum = (files, key) => files.reduce((total, file) => total + (file[key] ?? 0), 0)
const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

function fileText(file, folder) {
  const name = file.path.slice(folder === '' ? 0 : folder.length + 1)
  const marks = marksOf(file).map((mark) => ` (${mark})`)
  if (file.previousPath === null) return printable(name) + marks.join('')
  const same = folderOf(file.previousPath) === folder
  const previous = same && folder !== '' ? file.previousPath.slice(folder.length + 1) : file.previousPath
  return `${printable(previous)} → ${printable(name)}${marks.join('')}`
}

function marksOf(file) {
  const marks = []
  if (file.kind === 'added') marks.push('new')
  if (file.kind === 'deleted') marks.push('deleted')
  if (file.kind === 'typechange') marks.push('type changed')
  if (file.kind === 'submodule') marks.push('submodule')
  const modeChanged = file.oldMode !== null && file.newMode !== null && file.oldMode !== file.newMode
  if (modeChanged && (file.kind === 'modified' || file.kind === 'renamed'))
    marks.push(`mode ${file.oldMode} → ${file.newMode}`)
  if (file.mixed) marks.push('mixed')
  return marks
}

// Counts in two columns at the right edge, which gives way to long names.
function aligned(rows, paint) {
  const added = rows.map(({ counts }) => columns(counts)[0])
  const removed = rows.map(({ counts }) => columns(counts)[1])
  const addedWidth = Math.max(...added.map((text) => text.length))
  const removedWidth = Math.max(...removed.map((text) => text.length))
  const longest = Math.max(...rows.map(({ text, counts }) => (counts ? widthOf(text) : 0)))
  const edge = Math.max(WIDTH - addedWidth - removedWidth - 1, longest + 2)
  return rows.map(({ text, counts, style = (same) => same }, index) => {
    if (!counts) return paint.muted(text)
    const gap = ' '.repeat(edge - widthOf(text))
    const plus = added[index].padStart(addedWidth)
    const minus = removed[index].padStart(removedWidth)
    return `${style(text)}${gap}${paint.green(plus)} ${paint.red(minus)}`
  })
}

function columns(counts) {
  if (!counts) return ['', '']
  if (counts.binary) return ['', 'bin']
  if (counts.additions === null || counts.deletions === null) return ['', '?']
  return [`+${counts.additions}`, `-${counts.deletions}`]
}

function movedLines(result, paint, listed) {
  const row = exports.movedRow(result)
  if (row === null) return []
  const lines = [paint.muted(row)]
  if (!listed || result.demoted.files === null) return lines
  lines.push(paint.muted(`   ${printable(result.branchTransition.label)}`))
  for (const file of result.demoted.files) lines.push(paint.muted(`     ${printable(file.path)}  ${file.reason}`))
  return lines
}

function remarks({ attribution, operationInProgress }) {
  const lines = []
  if (attribution.status === 'not-attributed') {
    const why = NOT_ATTRIBUTED[attribution.reason] ?? attribution.reason
    const detail = attribution.detail === '' ? '' : ` (${attribution.detail})`
    lines.push(`Everything is shown, the agent's work or not: ${why}${detail}.`)
  }
  if (attribution.status === 'attributed' && attribution.evidence === 'weak')
    lines.push('The evidence is weak: the reflog does not tell the whole turn. What is not proven older is shown.')
  for (const note of attribution.notes) if (NOTES[note]) lines.push(`Note: ${NOTES[note]}.`)
  if (operationInProgress) lines.push(`A ${operationInProgress} was still open at the end of the turn.`)
  return lines
}
