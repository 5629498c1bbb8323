'use strict'

// The marks of a repository as lines of text. Pure: marks in, lines out.

const { branchName, counted } = require('./presentation/words.js')
const { printable, widthOf } = require('./text.js')

exports.markLines = (marks, paint) => {
  if (marks.length === 0) return ['There are no marks']
  const rows = marks.map((mark) => [
    `${printable(mark.name)} ${mark.number}`,
    timeText(mark.takenAt),
    mark.headOid === undefined ? '' : printable(branchName(mark.branch, mark.headOid)),
    filesText(mark),
  ])
  const widths = rows[0].map((_, column) => rows.reduce((most, row) => Math.max(most, widthOf(row[column])), 0))
  return rows.map(([name, ...rest]) => {
    const cells = [paint.bold(name) + ' '.repeat(widths[0] - widthOf(name))]
    rest.forEach((cell, index) => {
      cells.push(cell + ' '.repeat(widths[index + 1] - widthOf(cell)))
    })
    return cells.join('  ').trimEnd()
  })
}

function filesText({ end, files }) {
  if (end === null) return 'open'
  return files === null ? 'cannot be told' : counted(files, 'file')
}

/** In the person's own time: `2026-12-01 09:05`. */
function timeText(takenAt) {
  if (takenAt === null) return 'unknown'
  const date = new Date(takenAt)
  const two = (number) => String(number).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
