'use strict'

// The words that people read about a turn, for the terminal and for the page. Pure, and without anything of Node, so that
// a page can bundle it. Names come out as the repository has them: whoever shows them makes them harmless.

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

// Of these the detail only says the same again.
const TOLD_WHOLE = new Set(['head-not-recorded', 'unborn-at-end', 'reflog-lost', 'time-limit'])

const NOTES = {
  'from-ref-moved': 'the ref of the first checkpoint names another snapshot by now; the recorded one was used',
  'to-ref-moved': 'the ref of the second checkpoint names another snapshot by now; the recorded one was used',
  'turn-start-not-believed': 'the recorded start of the turn cannot be right; the time of the first snapshot was used',
  'turn-not-attributed': 'a turn of the range could not be attributed; all that it changed is shown',
  'files-cut': 'not every file is listed; the counts are of all',
  'read-failed': 'something could not be read; counts and renames may be missing, and more may be shown',
}

exports.NOTHING_SHOWN = 'No files changed by the agent'

exports.counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

// The muted row keeps one form, so that it reads the same in every card: from which branch to which, and how much.
exports.movedRow = ({ demoted, branchTransition: move }) => {
  const from = exports.branchName(move.fromBranch, move.fromHead)
  const to = exports.branchName(move.toBranch, move.toHead)
  const { fileCount } = demoted
  if (fileCount === 0 && (from === to || move.kind === 'unknown')) return null
  const files = fileCount === 0 ? null : exports.counted(fileCount, 'file')
  return { words: `Updated via git (${from} → ${to})`, label: move.label, fileCount, files }
}

exports.branchName = (branch, head) => {
  if (branch != null) return branch
  return head === null ? 'no branch' : `detached at ${head.slice(0, 7)}`
}

exports.marksOf = (file) => {
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

exports.remarks = ({ attribution, operationInProgress }) => {
  const lines = []
  if (attribution.status === 'not-attributed') {
    const { reason, detail: more } = attribution
    const why = NOT_ATTRIBUTED[reason] ?? reason
    const detail = more === '' || TOLD_WHOLE.has(reason) ? '' : ` (${more})`
    lines.push(`Everything is shown, the agent's work or not: ${why}${detail}.`)
  }
  if (attribution.status === 'attributed' && attribution.evidence === 'weak')
    lines.push('The evidence is weak: the reflog does not tell the whole turn. What is not proven older is shown.')
  for (const note of attribution.notes) if (NOTES[note]) lines.push(`Note: ${NOTES[note]}.`)
  if (operationInProgress) lines.push(`A ${operationInProgress} was still open at the end of the turn.`)
  return lines
}

const UNCOUNTED = {
  'content-missing': 'lines not counted: a content is not in the repository',
  'content-unreadable': 'lines not counted: a content is damaged',
  'content-too-large': 'lines not counted: too large',
  'time-limit': 'lines not counted: the time was over',
}

exports.uncountedWords = (reason) => UNCOUNTED[reason] ?? `lines not counted: ${reason}`
