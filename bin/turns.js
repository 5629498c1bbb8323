'use strict'

// The turns that the checkpoints of a repository make. Pure: what `listCheckpoints` gives in, threads out.

/** Threads with their turns, the newest first. Every ref they name is one of a checkpoint that was given. */
exports.threadsOf = (checkpoints) => {
  const groups = new Map()
  for (const checkpoint of checkpoints) {
    const key = `${checkpoint.source} ${checkpoint.thread}`
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(checkpoint)
  }
  return [...groups.values()]
    .map(threadOf)
    .filter(({ turns }) => turns.length > 0)
    .sort((one, two) => newest(two) - newest(one))
}

// Listed checkpoints of a thread are in order: by number, a mark before its end.
function threadOf(checkpoints) {
  const [{ source, thread: id }] = checkpoints
  const turns = source === 'mark' ? turnsOfMarks(checkpoints) : turnsBetween(checkpoints)
  return {
    id,
    source,
    name: nameOf(source, id),
    turns: turns.reverse(),
    checkpoints: checkpoints.map(({ ref }) => ref),
  }
}

// A turn whose start is not kept any more is left out: the one before would be another turn's start.
function turnsBetween(checkpoints) {
  return checkpoints.flatMap((to, index) => {
    const from = checkpoints[index - 1]
    return from !== undefined && from.number === to.number - 1 ? [turn(to.number, from, to)] : []
  })
}

function turnsOfMarks(checkpoints) {
  return checkpoints.flatMap((from, index) => {
    const to = exports.endOfMark(checkpoints, index)
    return to === null ? [] : [turn(from.number, from, to)]
  })
}

/**
 * What the turn of a mark ends with: what `show` recorded after it, else the next mark; `null` while it is open, and for
 * what is no mark.
 */
exports.endOfMark = (checkpoints, index) => {
  const [mark, next] = [checkpoints[index], checkpoints[index + 1]]
  if (mark.kind !== 'mark' || next?.thread !== mark.thread) return null
  return next.kind === 'mark' || next.number === mark.number ? next : null
}

function turn(number, from, to) {
  return { number, from: from.ref, to: to.ref, endedAt: exports.timeOf(to.takenAt) }
}

/** A commit can hold any number as its time; what no date can be is not known. */
exports.timeOf = (milliseconds) =>
  milliseconds === null || Number.isNaN(new Date(milliseconds).getTime()) ? null : milliseconds

const newest = ({ turns }) => turns.reduce((latest, { endedAt }) => Math.max(latest, endedAt ?? 0), 0)

/** T3 Code writes its threads' ids as base64url; a hash says nothing whole either. */
function nameOf(source, id) {
  if (source === 't3code-v2') return id.slice(0, 12)
  if (source === 'mark') return id
  const decoded = Buffer.from(id, 'base64url')
  const text = decoded.toString('utf8')
  const isText = Buffer.from(text, 'utf8').equals(decoded) && !/\p{Cc}/u.test(text)
  return isText && text !== '' && decoded.toString('base64url') === id ? text : id
}
