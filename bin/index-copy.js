'use strict'

// A copy of the user's index to take a snapshot with. What git knows of unchanged files in it saves reading them again,
// and is believed only where a change could not have gone unseen. Git's own check is not enough: it compares whole
// seconds, and a copied file is younger than the index it was copied from, so that nothing in it looks racy any more.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const { join } = require('node:path')
const { CommandError } = require('./command-error.js')
const { git } = require('./git.js')
const { leftOutOf } = require('./sparse-checkout.js')

const ASSUME_UNCHANGED = 0x8000
const EXTENDED = 0x4000
const SKIP_WORKTREE = 0x4000
const STAGE = 0x3000
const SUBMODULE = 0o160000

/** File systems of which it is known that every change of a content gives a file a new ctime, which nobody can set. */
const HONEST_CTIME = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
])

/** The coarsest clock of files; what changed so shortly before the index was written proves nothing. */
const CLOCK_TICK = 2_000_000_000n

/**
 * Puts a copy of the index at `target`, unless there is none, and gives the number of its entries, and lines that say of
 * what the state is not known. `onEntry` is told how many were looked at, of how many.
 */
exports.copyIndex = async ({ cwd, top, gitDir, isSparse, oidBytes }, target, onEntry) => {
  const path = join(gitDir, 'index')
  const original = readIndex(path)
  if (original === null) return { count: 0, unseen: [] }
  fs.writeFileSync(target, original.content)
  // One file, in the plain format, whatever the user has chosen.
  await git(cwd, ['update-index', '--index-version', '2'], { env: { GIT_INDEX_FILE: target } })
  const belief = new Belief(original.stat, path)
  const prefix = Buffer.from(`${top}/`)
  const look = (name) => statOf(Buffer.concat([prefix, name]))
  const index = fs.readFileSync(target)
  const { end, count, submodules, absent } = doubted(index, { oidBytes, belief, look, onEntry })
  const unknown = await clearUnlessLeftOut(index, isSparse, cwd, absent)
  fs.writeFileSync(target, sealed(index.subarray(0, end), oidBytes))
  const hollow = submodules.filter((name) => isHollow(Buffer.concat([prefix, name])))
  const unseen = hollow.map((name) => `${name}/: has files, but is a submodule that is not checked out`)
  return { count, unseen: [...unknown, ...unseen] }
}

/**
 * Of what is not on disk a sparse checkout explains what it leaves out, which stays as it is recorded. All else was
 * deleted: the bit may have been set by hand.
 */
async function clearUnlessLeftOut(index, isSparse, cwd, absent) {
  const { leftOut, why } = isSparse && absent.length > 0 ? await leftOutOf(cwd, absent) : { leftOut: [], why: null }
  const kept = new Set(leftOut)
  for (const entry of absent) if (!kept.has(entry)) clearSkipWorktree(index, entry.flagsAt)
  if (why === null) return []
  const count = absent.length === 1 ? '1 file' : `${absent.length} files`
  return [
    `${count} that the sparse checkout may leave out, taken for deleted; git, which can tell from 2.41 on: ${why}`,
  ]
}

/** Git takes what is in such a folder for nothing of its own. */
function isHollow(folder) {
  try {
    const names = fs.readdirSync(folder)
    return names.length > 0 && !names.includes('.git')
  } catch {
    return false
  }
}

function readIndex(path) {
  let file
  try {
    file = fs.openSync(path)
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw new CommandError(`the index cannot be read: ${error.message}`)
  }
  try {
    // Git replaces it as a whole: both are of the same one.
    return { stat: fs.fstatSync(file, { bigint: true }), content: fs.readFileSync(file) }
  } finally {
    fs.closeSync(file)
  }
}

function statOf(path) {
  try {
    return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether what the index has of a file's state proves that its content is what it was. */
class Belief {
  constructor(index, path) {
    // Of the index itself, which may be a link to another file system.
    this.isPossible = process.platform === 'linux' && HONEST_CTIME.has(fs.statfsSync(path).type)
    // Times of another file system may be of another clock.
    this.device = index.dev
    // Both: `touch` can set only the one.
    this.isOlder = (time) => time < index.mtimeNs - CLOCK_TICK && time < index.ctimeNs - CLOCK_TICK
  }

  holds(entry, found) {
    return (
      this.isPossible &&
      found.dev === this.device &&
      this.isOlder(found.ctimeNs) &&
      this.isOlder(found.mtimeNs) &&
      entry.isOf(found)
    )
  }
}

/** The times and numbers that an entry has of its file. */
class Entry {
  constructor(index, at) {
    this.number = (offset) => index.readUInt32BE(at + offset)
  }

  isOf(found) {
    return (
      this.time(0) === found.ctimeNs &&
      this.time(8) === found.mtimeNs &&
      this.number(20) === low(found.ino) &&
      this.number(28) === low(found.uid) &&
      this.number(32) === low(found.gid) &&
      // Of 0 bytes are also those of which git itself was in doubt.
      BigInt(this.number(36)) === found.size &&
      found.size > 0n
    )
  }

  time(offset) {
    return BigInt(this.number(offset)) * 1_000_000_000n + BigInt(this.number(offset + 4))
  }
}

const low = (number) => Number(BigInt.asUintN(32, number))

const clearSkipWorktree = (index, flagsAt) =>
  index.writeUInt16BE(index.readUInt16BE(flagsAt + 2) & ~SKIP_WORKTREE, flagsAt + 2)

/**
 * Takes out of an index what is not believed, and gives where its entries end, and of which of them there is no file
 * behind `skip-worktree`. `look` gives what is on disk under a name.
 */
function doubted(index, { oidBytes, belief, look, onEntry }) {
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  if (index.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3))
    throw new CommandError('git wrote an index of a format that is not known')
  const [submodules, absent] = [[], []]
  let at = 12
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + 40 + oidBytes
    const flags = index.readUInt16BE(flagsAt)
    const nameAt = flagsAt + (flags & EXTENDED ? 4 : 2)
    const name = index.subarray(nameAt, index.indexOf(0, nameAt))
    const found = look(name)
    const isSubmodule = index.readUInt32BE(at + 24) === SUBMODULE
    if (isSubmodule && found?.isDirectory()) submodules.push(name)
    // An edit behind these bits would not be seen.
    index.writeUInt16BE(flags & ~ASSUME_UNCHANGED, flagsAt)
    if (flags & EXTENDED && found !== undefined) clearSkipWorktree(index, flagsAt)
    else if (flags & EXTENDED && index.readUInt16BE(flagsAt + 2) & SKIP_WORKTREE)
      absent.push({ name, isSubmodule, flagsAt })
    if (found === undefined || flags & STAGE || !belief.holds(new Entry(index, at), found)) {
      index.fill(0, at, at + 24)
      index.fill(0, at + 28, at + 40)
    }
    // Padded with at least one zero.
    at += (nameAt - at + name.length + 8) & ~7
    onEntry(entry + 1, count)
  }
  return { end: at, count, submodules, absent }
}

/** Without extensions: those only repeat, or tell of other programs. */
function sealed(entries, oidBytes) {
  const algorithm = oidBytes === 32 ? 'sha256' : 'sha1'
  return Buffer.concat([entries, createHash(algorithm).update(entries).digest()])
}

Object.assign(exports, { Belief, Entry })
