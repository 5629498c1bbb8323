'use strict'

// The working tree as a tree object, as `git add -A` would record it. Nothing of the user's is written but objects.

const { existsSync, mkdtempSync, realpathSync, rmSync } = require('node:fs')
const { constants, homedir, tmpdir } = require('node:os')
const { basename, dirname, join, relative, sep } = require('node:path')
const { readHead } = require('../index.js')
const { CommandError } = require('./command-error.js')
const { git, saidOf, stopGit, tryGit } = require('./git.js')
const { copyIndex } = require('./index-copy.js')
const { hasSparseCheckout } = require('./sparse-checkout.js')

/** How often a snapshot is taken again because HEAD moved meanwhile. */
const MOST_TRIES = 5

/** Ctrl-C, a polite end, a terminal that is closed. */
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Where a folder's working tree, git directory and so on are. Git is always run in `cwd`: with `core.worktree` the tree may
 * be elsewhere, even in another repository, and from there this one is not found.
 */
exports.placeOf = async (cwd) => {
  // Says what is wrong with a repository, with a code.
  await readHead(cwd)
  const { status, stdout, stderr } = await tryGit(cwd, ['rev-parse', '--show-toplevel'])
  if (status !== 0) {
    const inTree = !/must be run in a work tree/.test(stderr)
    const why = inTree ? stderr.trim() : 'there is no working tree here: it is a bare repository, or its git directory'
    throw new CommandError(`${cwd}: ${why}`)
  }
  const top = stdout.replace(/\n$/, '')
  const [gitDir, format, isSparse] = await Promise.all([
    git(cwd, ['rev-parse', '--absolute-git-dir']),
    git(cwd, ['rev-parse', '--show-object-format']),
    hasSparseCheckout(cwd),
  ])
  return { cwd, top, gitDir, isSparse, worktree: worktreeOf(gitDir), oidBytes: format === 'sha256' ? 32 : 20 }
}

/** The name of a linked worktree; `null` for the main one. */
function worktreeOf(gitDir) {
  return existsSync(join(gitDir, 'commondir')) ? basename(gitDir) : null
}

/**
 * A snapshot, and the head at the same time: where HEAD moves meanwhile both are taken again. `unread` are lines that say
 * what git could not read.
 */
exports.takeSnapshot = async (place, progress) => {
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    const head = await readHead(place.cwd)
    const startedAt = Date.now()
    const taken = await treeOf(place, progress)
    if (isSame(head, await readHead(place.cwd))) return { ...taken, head, startedAt }
  }
  throw new CommandError('HEAD keeps moving; try again when git is done')
}

const isSame = (one, two) => ['headOid', 'branch', 'operation', 'pin'].every((key) => one[key] === two[key])

async function treeOf(place, progress) {
  const folder = temporaryFolderOutside(place.top)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const interrupted = (signal) => {
    stopGit()
    remove()
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of INTERRUPTIONS) process.once(signal, interrupted)
  try {
    const index = join(folder, 'index')
    const { count, unseen } = await copyIndex(place, index, (looked, all) => {
      if (looked % 1000 === 0) progress.say(`Taking a snapshot: ${looked} of ${all} files looked at`)
    })
    const unread = [...unseen, ...(await addAll(place, index, count, progress))]
    // A content that a partial clone has not fetched is not asked for.
    const tree = await git(place.cwd, ['write-tree', '--missing-ok'], { env: { GIT_INDEX_FILE: index } })
    return { tree, unread }
  } finally {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupted)
    remove()
    progress.end()
  }
}

/** A new one. An index inside the working tree would be part of the snapshot. */
function temporaryFolderOutside(top) {
  const candidates = [tmpdir(), '/tmp', homedir(), dirname(top)]
  const isOutside = (folder) => {
    if (!existsSync(folder)) return false
    const way = relative(realpathSync(top), realpathSync(folder))
    return way === '..' || way.startsWith(`..${sep}`) || way.includes(':')
  }
  for (const candidate of candidates.filter(isOutside)) {
    try {
      return mkdtempSync(join(candidate, 'turn-attribution-'))
    } catch {
      // Not writable; another one may be.
    }
  }
  throw new CommandError('there is no folder for temporary files outside of the working tree')
}

async function addAll({ cwd, top }, index, count, progress) {
  let changed = 0
  const began = Date.now()
  const seconds = () => Math.floor((Date.now() - began) / 1000)
  const say = () => progress.say(`Taking a snapshot: ${count} files, ${changed} changed so far, ${seconds()} s`)
  const ticking = setInterval(say, 200)
  const onOutput = (chunk) => {
    for (const byte of chunk) if (byte === 10) changed += 1
  }
  try {
    const options = { env: { GIT_INDEX_FILE: index }, onOutput }
    const args = [...caseSettings(top), 'add', '-A', '--verbose', '--ignore-errors']
    const { status, stderr } = await tryGit(cwd, args, options)
    return unreadOf(status, stderr)
  } finally {
    clearInterval(ticking)
  }
}

/** A repository that came from another system may be set to one that does not tell `a` from `A`: a file would be missed. */
function caseSettings(top) {
  const tellsCase = existsSync(join(top, '.git')) && !existsSync(join(top, '.GIT'))
  return tellsCase ? ['-c', 'core.ignoreCase=false'] : []
}

// Git cuts a message that is longer than a path can be.
const UNREAD = [
  /^error: open\("(?<path>.*)"\): (?<why>.*)$/,
  /^error: (?:'(?<path>.*)') (?<why>does not have a commit checked out)$/,
  /^warning: could not open directory '(?<path>.*)': (?<why>.*)$/,
  /^warning: could not open directory '(?<path>.*)$/,
]
const FOLLOWS = /^error: unable to index file '.*'$/

/**
 * What git could not read is said and no reason to fail: it would stop every snapshot. Anything else is one: a disk that
 * is full, a filter that fails.
 */
function unreadOf(status, stderr) {
  const lines = stderr.split('\n').filter((line) => line !== '')
  const unread = lines.flatMap((line) => {
    const groups = UNREAD.map((pattern) => pattern.exec(line)).find(Boolean)?.groups
    return groups ? [`${groups.path}: ${groups.why ?? 'the path is too long'}`] : []
  })
  const understood = (line) => FOLLOWS.test(line) || UNREAD.some((pattern) => pattern.test(line))
  const failed =
    status !== 0 && (status !== 1 || !lines.filter((line) => /^(error|fatal):/.test(line)).every(understood))
  if (failed || (status !== 0 && unread.length === 0))
    throw new CommandError(`git cannot take the whole working tree: ${saidOf({ status, stderr })}`)
  return unread
}
