'use strict'

// The card of a turn as lines of text. Pure: a result in, lines out.

const { counted, marksOf, movedRow, NOTHING_SHOWN, remarks } = require('./presentation/words.js')
const { printable, widthOf } = require('./text.js')

const WIDTH = 58
const INDENT = '  '

exports.cardLines = (result, paint, { demoted = false } = {}) => [
  ...shownLines(result, paint),
  ...movedLines(result, paint, demoted),
  ...remarks(result).map((remark) => paint.yellow(printable(remark))),
]

function shownLines({ shown: files, shownFileCount }, paint) {
  if (files.length === 0) return [NOTHING_SHOWN]
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

function fileText(file, folder) {
  const name = file.path.slice(folder === '' ? 0 : folder.length + 1)
  const marks = marksOf(file).map((mark) => ` (${mark})`)
  if (file.previousPath === null) return printable(name) + marks.join('')
  const same = folderOf(file.previousPath) === folder
  const previous = same && folder !== '' ? file.previousPath.slice(folder.length + 1) : file.previousPath
  return `${printable(previous)} → ${printable(name)}${marks.join('')}`
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
  const row = movedRow(result)
  if (row === null) return []
  const count = row.files === null ? '' : ` — ${row.files}    (hidden)`
  const lines = [paint.muted(printable(`⎇  ${row.words}${count}`))]
  if (!listed || result.demoted.files === null) return lines
  lines.push(paint.muted(`   ${printable(row.label)}`))
  for (const file of result.demoted.files) lines.push(paint.muted(`     ${printable(file.path)}  ${file.reason}`))
  return lines
}
