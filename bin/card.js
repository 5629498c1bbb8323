'use strict'

// The card of a turn as lines of text. Pure: a result in, lines out.

const { counted, marksOf, movedRow, NOTHING_SHOWN, remarks } = require('./presentation/words.js')
const { printable, shortened, widthOf } = require('./text.js')

const WIDTH = 58
const INDENT = '  '
/** A name has at least so much room. */
const NARROWEST = 16
/** Of a screen: the first line, the muted row, and the prompts around the card. */
const OTHER_LINES = 5
const FEWEST_LINES = 10

/**
 * `columns` and `rows` are those of a terminal; without them nothing is shortened or folded. `all` folds nothing either.
 */
exports.cardLines = (result, paint, { demoted = false, all = false, columns, rows } = {}) => [
  ...shownLines(result, paint, { columns, most: all ? undefined : rows && Math.max(rows - OTHER_LINES, FEWEST_LINES) }),
  ...movedLines(result, paint, demoted),
  ...remarks(result).map((remark) => paint.yellow(printable(remark))),
]

function shownLines({ shown: files, shownFileCount }, paint, { columns, most = Number.POSITIVE_INFINITY }) {
  if (files.length === 0) return [NOTHING_SHOWN]
  const rows = [{ text: counted(shownFileCount, 'changed file'), counts: totalOf(files), style: paint.bold }]
  const { groups, isFolded } = folded(files, most)
  for (const group of groups) for (const row of (group.fold ? foldedRows : openRows)(group)) rows.push(row)
  if (files.length < shownFileCount) rows.push({ text: `${INDENT}… and ${shownFileCount - files.length} more` })
  if (isFolded) rows.push({ text: `${INDENT}(--all lists every file)` })
  return aligned(rows, paint, columns)
}

function openRows({ folder, members }) {
  const header = folder === '' ? [] : [{ text: `${INDENT}${printable(folder)}/` }]
  const indent = folder === '' ? INDENT : INDENT + INDENT
  const rows = members.map((file) => ({ text: indent + nameText(file, folder), marks: marksText(file), counts: file }))
  return [...header, ...rows]
}

// A line for the folder; of a single file it can say which.
function foldedRows({ folder, label = `${printable(folder)}/`, members }) {
  const [file] = members
  if (members.length === 1) return [{ text: INDENT + nameText(file, ''), marks: marksText(file), counts: file }]
  const marks = `  (${counted(members.length, 'file')})`
  return [{ text: INDENT + label, marks, counts: totalOf(members) }]
}

// One group for each folder that holds shown files, the most changed lines first, in folders and within them. Where that
// is more than `most` lines the largest folders are folded, and where there are too many folders, into those above.
function folded(files, most) {
  let groups = groupsOf(files, (file) => folderOf(file.path))
  const linesOf = ({ folder, members }) => members.length + (folder === '' ? 0 : 1)
  let count = groups.reduce((total, group) => total + linesOf(group), 0)
  if (count <= most) return { groups, isFolded: false }
  for (const group of groups.toSorted(
    by(
      ({ members }) => members.length,
      ({ folder }) => folder,
    ),
  )) {
    // Files at the root have no folder to stand for them.
    if (group.folder === '') continue
    group.fold = true
    count -= linesOf(group) - 1
    if (count <= most) return { groups, isFolded: true }
  }
  let depth = largest(groups.map(({ folder }) => folder.split('/').length)) + 1
  do {
    depth -= 1
    const above = (file) => folderOf(file.path).split('/').slice(0, depth).join('/') || '.'
    groups = groupsOf(files, above)
    for (const group of groups) group.fold = true
  } while (groups.length > most && depth > 1)
  return { groups: groups.length > most ? withoutTail(groups, most) : groups, isFolded: true }
}

// Too many folders even so: the most changed ones, and the rest in one line.
function withoutTail(groups, most) {
  const rest = groups.slice(most - 1)
  const label = `… ${counted(rest.length, 'more folder')}`
  const members = rest.flatMap((group) => group.members)
  return [...groups.slice(0, most - 1), { label, members, fold: true }]
}

function groupsOf(files, folderOfFile) {
  const groups = new Map()
  for (const file of files) {
    const folder = folderOfFile(file)
    if (!groups.has(folder)) groups.set(folder, [])
    groups.get(folder).push(file)
  }
  const sorted = [...groups].map(([folder, members]) => ({
    folder,
    members: members.sort(by(weight, (file) => file.path)),
    weight: members.reduce((total, file) => total + weight(file), 0),
    fold: false,
  }))
  return sorted.sort(
    by(
      (group) => group.weight,
      ({ folder }) => folder,
    ),
  )
}

const weight = (file) => (file.additions ?? 0) + (file.deletions ?? 0)
const by = (number, name) => (a, b) => number(b) - number(a) || (name(a) < name(b) ? -1 : 1)
// As arguments of `Math.max` a hundred thousand are too many.
const largest = (numbers) => numbers.reduce((most, number) => Math.max(most, number), 0)
const totalOf = (files) => ({ additions: sum(files, 'additions'), deletions: sum(files, 'deletions') })
const sum = (files, key) => files.reduce((total, file) => total + (file[key] ?? 0), 0)
const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

function nameText(file, folder) {
  const name = file.path.slice(folder === '' ? 0 : folder.length + 1)
  if (file.previousPath === null) return printable(name)
  const same = folderOf(file.previousPath) === folder
  const previous = same && folder !== '' ? file.previousPath.slice(folder.length + 1) : file.previousPath
  return `${printable(previous)} → ${printable(name)}`
}

const marksText = (file) =>
  marksOf(file)
    .map((mark) => ` (${mark})`)
    .join('')

// Counts in two columns at the right edge, which gives way to long names as far as there is room. A row that has no room
// for its marks is longer than the others.
function aligned(rows, paint, columns = Number.POSITIVE_INFINITY) {
  const added = rows.map(({ counts }) => countTexts(counts)[0])
  const removed = rows.map(({ counts }) => countTexts(counts)[1])
  const addedWidth = largest(added.map((text) => text.length))
  const removedWidth = largest(removed.map((text) => text.length))
  const countsWidth = addedWidth + removedWidth + 1
  const room = Math.max(columns - countsWidth - 2, NARROWEST)
  const texts = rows.map(({ text, marks = '', counts }) =>
    counts
      ? shortened(text, Math.max(room - widthOf(marks), NARROWEST)) + marks
      : shortened(text, Math.max(columns, NARROWEST)),
  )
  const longest = largest(rows.map(({ counts }, index) => (counts ? Math.min(widthOf(texts[index]), room) : 0)))
  const edge = Math.max(Math.min(WIDTH, columns) - countsWidth, longest + 2)
  return rows.map(({ counts, style = (same) => same }, index) => {
    const text = texts[index]
    if (!counts) return paint.muted(text)
    const gap = ' '.repeat(Math.max(edge - widthOf(text), 2))
    const plus = added[index].padStart(addedWidth)
    const minus = removed[index].padStart(removedWidth)
    return `${style(text)}${gap}${paint.green(plus)} ${paint.red(minus)}`
  })
}

function countTexts(counts) {
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
