'use strict'

// Marks: snapshots of the working tree by a person's explicit command, kept under `refs/turn-attribution/`. Together with
// `drop` the only part of this project that writes, and only objects and these refs.

const { listCheckpoints, readCheckpoint, writeCheckpointFacts } = require('../index.js')
const { CommandError } = require('./command-error.js')
const { git, saidOf, tryGit } = require('./git.js')
const { placeOf, takeSnapshot } = require('./snapshot.js')
const { endOfMark, timeOf } = require('./turns.js')

const FOLDER = 'refs/turn-attribution/'
/** What we write there, and nothing else, is dropped. */
const OURS = /^refs\/turn-attribution\/[^/]+\/(mark|end)\/\d+$/
/** How many marks may come in between before one gives up. */
const MOST_TRIES = 100
/** How often a lock may be in the way; one that a killed git left behind stays. */
const MOST_LOCKED = 20

/** Records now under the next number of a name. */
exports.mark = async (cwd, name, progress) => {
  const place = await placeOf(cwd)
  const chosen = await nameOf(place, name)
  const taken = await takeSnapshot(place, progress)
  const { startedAt } = taken
  let locked = 0
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    const number = ((await checkpointsOf(cwd, chosen)).at(-1)?.number ?? 0) + 1
    const ref = `${FOLDER}${chosen}/mark/${number}`
    const oid = await commit(place, subjectOf(place, 'mark', chosen, number), taken, startedAt)
    // Only where there is none yet: of two marks at once each gets a number.
    const { status, stderr } = await tryGit(cwd, ['update-ref', '--no-deref', ref, oid, '0'.repeat(oid.length)])
    if (status === 0) return { name: chosen, number, ref, oid, unread: taken.unread }
    const isTaken = (await checkpointsOf(cwd, chosen)).some((one) => one.number >= number)
    if (!isTaken) locked += 1
    if (!isTaken && (locked === MOST_LOCKED || !/lock/i.test(stderr)))
      throw new CommandError(`the mark cannot be written: ${stderr.trim()}`)
    await new Promise((resolve) => setTimeout(resolve, 5 * locked + 10 * Math.random()))
  }
  throw new CommandError('others keep marking; try again')
}

/** Records now as the end of the newest mark of a name, in place of an earlier one. */
exports.endMark = async (cwd, name, progress) => {
  const place = await placeOf(cwd)
  const chosen = await nameOf(place, name)
  const last = (await checkpointsOf(cwd, chosen)).findLast(({ kind }) => kind === 'mark')
  if (last === undefined) throw await noSuchMark(cwd, chosen)
  await verifyWorktree(place, last)
  const taken = await takeSnapshot(place, progress)
  const ref = `${FOLDER}${chosen}/end/${last.number}`
  const oid = await commit(place, subjectOf(place, 'end', chosen, last.number), taken)
  // The ref itself, also where it was made to stand for another one.
  await git(cwd, ['update-ref', '--no-deref', ref, oid])
  const turn = { cwd, from: { ref: last.oid }, to: { ref: oid } }
  return { name: chosen, number: last.number, turn, unread: taken.unread }
}

/** All marks, the newest first, each with its end where there is one. */
exports.listMarks = async (cwd) => {
  const listed = (await listCheckpoints(cwd)).filter(({ source }) => source === 'mark')
  const marks = await Promise.all(
    listed.flatMap((mark, index) => (mark.kind === 'mark' ? [told(cwd, mark, endOfMark(listed, index))] : [])),
  )
  return marks.sort((one, two) => (two.takenAt ?? 0) - (one.takenAt ?? 0) || two.number - one.number)
}

async function told(cwd, { thread: name, number, ref, oid, takenAt }, to) {
  // A snapshot that cannot be read is listed all the same: it can be dropped.
  const { branch, headOid } = await readCheckpoint(cwd, ref).catch(() => ({}))
  const end = to && { ref: to.ref, oid: to.oid, takenAt: timeOf(to.takenAt) }
  return { name, number, ref, oid, takenAt: timeOf(takenAt), branch, headOid, end }
}

/** Removes the refs of a name, or all of them, and gives their names. */
exports.dropMarks = async (cwd, name) => {
  const place = await placeOfRefs(cwd)
  if (name !== undefined) await verifyName(place, name)
  const folder = name === undefined ? FOLDER : `${FOLDER}${name}/`
  const listed = await git(place, ['for-each-ref', '--format=%(objectname) %(refname)', folder])
  const refs = listed.split('\n').flatMap((line) => {
    const space = line.indexOf(' ')
    const ref = line.slice(space + 1)
    return OURS.test(ref) ? [{ oid: line.slice(0, space), ref }] : []
  })
  if (refs.length === 0 && name !== undefined) throw await noSuchMark(place, name)
  const input = refs.map(({ ref, oid }) => `delete ${ref}\0${oid}\0`).join('')
  if (refs.length > 0) await git(place, ['update-ref', '--no-deref', '-z', '--stdin'], { input })
  return refs.map(({ ref }) => ref)
}

/** Refs can be dropped in a bare repository as well. */
async function placeOfRefs(cwd) {
  await listCheckpoints(cwd)
  return cwd
}

/** A linked worktree has marks of its own: without a name none is compared with another tree. */
async function nameOf(place, name) {
  if (name === undefined) return place.worktree === null ? 'default' : `worktree-${place.worktree}`
  await verifyName(place.cwd, name)
  return name
}

async function verifyName(cwd, name) {
  const { status } = await tryGit(cwd, ['check-ref-format', `${FOLDER}${name}/mark/1`])
  if (status !== 0 || name.includes('/') || name.includes('\0'))
    throw new CommandError(`'${name}' cannot be the name of a mark: it has to be one part of a ref name`)
}

async function checkpointsOf(cwd, name) {
  const listed = await listCheckpoints(cwd)
  return listed.filter(({ source, thread }) => source === 'mark' && thread === name)
}

async function noSuchMark(cwd, name) {
  const names = new Set((await listCheckpoints(cwd)).flatMap((one) => (one.source === 'mark' ? [one.thread] : [])))
  const others = names.size === 0 ? 'there are none yet: turn-attribution mark' : `there are: ${[...names].join(', ')}`
  return new CommandError(`there is no mark '${name}'; ${others}`)
}

const inWorktree = ({ worktree }) => (worktree === null ? '' : ` in worktree ${worktree}`)
const subjectOf = (place, kind, name, number) => `turn-attribution ${kind} ${name} ${number}${inWorktree(place)}`

/** Two worktrees are two trees: what differs between them nobody did. */
async function verifyWorktree(place, { oid, thread, number }) {
  // As it is: `git show` is led by settings, to another encoding or to checking a signature.
  const read = await tryGit(place.cwd, ['cat-file', 'commit', oid])
  if (read.status !== 0) throw new CommandError(`the snapshot of mark '${thread}' cannot be read: ${saidOf(read)}`)
  const content = read.stdout
  const [subject] = content.slice(content.indexOf('\n\n') + 2).split('\n', 1)
  const start = `turn-attribution mark ${thread} ${number}`
  if (!subject.startsWith(start) || subject.slice(start.length) === inWorktree(place)) return
  const where = subject.slice(start.length).trim() || 'in the main working tree'
  throw new CommandError(`mark '${thread}' was set ${where}: show it there, or set a mark here`)
}

async function commit(place, subject, { tree, head: { headOid, branch, pin } }, turnStartedAt) {
  const start = turnStartedAt === undefined ? {} : { turnStartedAt }
  const message = await writeCheckpointFacts(subject, { headOid, branch, pin, ...start })
  return git(place.cwd, ['commit-tree', '--no-gpg-sign', tree, '-F', '-'], { input: message })
}
