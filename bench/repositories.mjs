// The repositories that are measured, built with git alone and kept for the next run. What the addon reads of a turn is
// real: commits, snapshots outside of any branch with head, branch and pin in their message, and the logs that git
// writes. Only the working trees of the large ones are never checked out: nothing reads them.

import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

const { closeRepositories, readHead, writeCheckpointFacts } = createRequire(import.meta.url)('..')

/** Raised when what is built changes, so that older ones are not taken for it. */
const EDITION = 2
/** Before any turn: all that is committed then existed before. */
const LONG_AGO = 1700000000

export const defaultFolder = join(tmpdir(), 'turn-attribution-bench')

/** What can be built, by name. Each gives its turns: lists of checkpoints under the name of what happens in them. */
const builders = {
  ordinary: (cwd) => wide(cwd, 2_000),
  '200k': (cwd) => wide(cwd, 200_000),
  '200k-loose': loose,
  '1m': (cwd) => wide(cwd, 1_000_000),
  history: longHistory,
  rebase: manyPicks,
  thread: longThread,
  'this-project': thisProject,
  'files-1000': (cwd) => wide(cwd, 1_000),
  'files-10000': (cwd) => wide(cwd, 10_000),
  'files-100000': (cwd) => wide(cwd, 100_000),
  'commits-1000': (cwd) => onePull(cwd, 1_000),
  'commits-10000': (cwd) => onePull(cwd, 10_000),
  'commits-100000': (cwd) => onePull(cwd, 100_000),
  'turn-commits': manyCommits,
  patches: largePatches,
}

/** The folder of a repository and its turns; it is built where it is not there yet. */
export async function repository(folder, name) {
  const home = join(folder, `edition-${EDITION}`)
  const cwd = join(home, name)
  const list = join(home, `${name}.json`)
  if (!existsSync(list)) {
    rmSync(cwd, { recursive: true, force: true })
    mkdirSync(cwd, { recursive: true })
    const began = performance.now()
    process.stderr.write(`building ${name} … `)
    const turns = await builders[name](cwd, folder)
    await closeRepositories()
    writeFileSync(`${list}.new`, JSON.stringify(turns))
    renameSync(`${list}.new`, list)
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s\n`)
  }
  return { name, cwd, turns: JSON.parse(readFileSync(list, 'utf8')) }
}

// Twenty files to a folder, twenty folders to the one above.

function path(number) {
  const folder = Math.floor(number / 20)
  const module = Math.floor(folder / 20)
  const [one, two, three] = [Math.floor(module / 20), module % 20, folder % 20]
  return `packages/p${one}/src/m${two}/c${three}/file-${number % 20}.ts`
}

/** Every hundredth file is of the length of source files, which edits are made to. The rest is short: it is not read. */
const isLong = (number) => number % 100 === 0

function line(number, at) {
  return `export const value${at} = compute(${(number * 7919 + at * 104729) % 999983}, '${number.toString(36)}-${at}')\n`
}

function lines(number, word = '') {
  const count = isLong(number) ? 300 : 4
  return Array.from({ length: count }, (_, at) => line(number, at)).join('') + (word && `// ${word}\n`)
}

/** A text with three places changed, as an edit leaves it. */
function edited(number, word) {
  const all = lines(number).split('\n')
  const places = isLong(number) ? [20, 140, 141, 270] : [2]
  for (const place of places) all[place] = `export const ${word}${place} = changed(${number})`
  if (isLong(number)) all.splice(200, 0, `// ${word}`, `export const added${number} = '${word}'`)
  return all.join('\n')
}

/**
 * A repository of so many files, with turns in which the head does not move and some in which it does. What arrives lies
 * one after the other on one branch, as pulls of one day.
 */
async function wide(cwd, files) {
  create(cwd)
  const spread = (count, offset = 0) =>
    Array.from({ length: count }, (_, at) => Math.floor((at * files) / count) + offset)
  const commits = [{ name: 'base', changes: each(range(files), (number) => [path(number), lines(number)]) }]
  const arrives = (name, changes) => commits.push({ name, from: commits.at(-1).name, changes })
  const isLarge = files >= 200_000
  for (let at = 1; at <= 4; at += 1) {
    const three = spread(3, at * 61 + 1)
    arrives(
      `pull-3-${at}`,
      each(three, (number) => [path(number), lines(number, `upstream ${at}`)]),
    )
  }
  if (isLarge) {
    for (let at = 1; at <= 2; at += 1) {
      const thousand = spread(1000, at * 3 + 1)
      arrives(
        `pull-1000-${at}`,
        each(thousand, (number) => [path(number), lines(number, `more upstream ${at}`)]),
      )
    }
    for (let at = 1; at <= 2; at += 1) arrives(`pull-830-${at}`, manyLines(spread(830, at * 5 + 2), at))
  }
  const tip = commits.at(-1).name
  if (isLarge) {
    // Five files of each folder in the smaller one, two of every other folder in the larger.
    const [step, each20] = files > 200_000 ? [2, 2] : [1, 5]
    const many = Array.from({ length: 50_000 }, (_, at) => Math.floor(at / each20) * 20 * step + (at % each20) * 3 + 1)
    const changes = each(many, (number) => [path(number), lines(number, 'on the feature')])
    commits.push({ name: 'feature', from: tip, changes })
  }
  const counts = [1, 10, 100, 1000, 10_000, 100_000].filter((count) => count <= files / 2)
  for (const count of counts) {
    const variants = count <= 10 ? 4 : count === 1000 ? 2 : 1
    for (let variant = 1; variant <= variants; variant += 1) {
      const some =
        count <= 10 ? spread(count).map((number) => longNear(number + variant * 200) % files) : spread(count, variant)
      const change = (number) => [path(number), edited(number, `mine${variant}x`)]
      commits.push({ name: `unmoved-${count}-${variant}`, from: tip, changes: each(some, change) })
    }
  }
  const oids = await importCommits(cwd, commits)
  const tree = (name) => git(cwd, 'rev-parse', `${oids.get(name)}^{tree}`)
  const turns = {}
  const turn = (name, ...checkpoints) => {
    turns[name] ??= []
    turns[name].push({ checkpoints })
  }

  if (isLarge) branch(cwd, 'feature', oids.get('feature'))
  move(cwd, oids.get('base'), 'clone: from https://example.org/wide.git')
  await later()
  let number = 0
  const checkpoint = (name) => {
    number += 1
    return takeCheckpoint(cwd, 'wide', number, tree(name))
  }
  let before = await checkpoint('base')
  for (const { name } of commits) {
    const [, pull] = /^(pull-\d+)-\d+$/.exec(name) ?? []
    if (!pull) continue
    fetched(cwd, oids.get(name))
    move(cwd, oids.get(name), 'pull: Fast-forward')
    const after = await checkpoint(name)
    turn(pull, before, after)
    before = after
  }
  for (const { name } of commits) {
    const [, unmoved] = /^(unmoved-\d+)-\d+$/.exec(name) ?? []
    if (unmoved) turn(unmoved, before, await checkpoint(name))
  }
  if (isLarge) {
    const main = await checkpoint(tip)
    switchTo(cwd, 'main', 'feature')
    const feature = await checkpoint('feature')
    switchTo(cwd, 'feature', 'main')
    turn('checkout-50000', main, feature)
    turn('checkout-50000', feature, await checkpoint(tip))
  }
  pack(cwd)
  return turns
}

/** The closest number of a file that edits are made to. */
const longNear = (number) => Math.round(number / 100) * 100

/** 134,000 lines in 830 files, half of them new. */
function manyLines(numbers, variant) {
  const added = (at) => 161 + (at < 370 ? 1 : 0)
  return each(numbers, (number, at) => {
    const more = Array.from({ length: added(at) }, (_, place) => line(number + variant * 1_000_003, place + 1000)).join(
      '',
    )
    return at % 2 === 0
      ? [path(number).replace('file-', `generated-${variant}-`), more]
      : [path(number), lines(number) + more]
  })
}

/** The same objects, each in a file of its own. */
async function loose(cwd, folder) {
  const packed = await repository(folder, '200k')
  rmSync(cwd, { recursive: true, force: true })
  cpSync(packed.cwd, cwd, { recursive: true })
  const packs = join(cwd, '.git/objects/pack')
  const aside = join(cwd, '.git/packs')
  renameSync(packs, aside)
  mkdirSync(packs)
  for (const name of readdirSync(aside).filter((name) => name.endsWith('.pack'))) {
    execFileSync('sh', ['-c', 'git unpack-objects -q < "$1"', 'sh', join(aside, name)], { cwd, env })
  }
  rmSync(aside, { recursive: true, force: true })
  return packed.turns
}

/**
 * 100,000 commits in one line, of which 10,000 are pulled; then the agent merges a branch, picks a commit and amends it,
 * and picks another.
 */
async function longHistory(cwd) {
  create(cwd)
  const files = 2_000
  const commits = [{ name: 'c0', changes: each(range(files), (number) => [path(number), lines(number)]) }]
  for (let at = 1; at <= 100_000; at += 1) {
    // The last three folders of each module are left to the branches and to the agent.
    const number = [at, at * 7].map((seed) => (Math.floor((seed * 2654435761) % 100) * 20 + (seed % 17)) % files)
    const changes = number.map((number) => [path(number), lines(number, `in commit ${at}`)])
    commits.push({ name: `c${at}`, from: `c${at - 1}`, changes })
    if (at === 89_990) {
      for (const [name, from, ...numbers] of [
        ['topic-1', `c${at}`, 17, 37],
        ['topic-2', 'topic-1', 57],
        ['pick-1', `c${at}`, 77],
        ['pick-2', `c${at}`, 97],
      ]) {
        commits.push({ name, from, changes: numbers.map((number) => [path(number), lines(number, `of ${name}`)]) })
      }
    }
  }
  const oids = await importCommits(cwd, commits)
  branch(cwd, 'topic', oids.get('topic-2'))
  branch(cwd, 'pick-1', oids.get('pick-1'))
  branch(cwd, 'pick-2', oids.get('pick-2'))
  const turns = {}
  for (const [name, start] of Object.entries({ pull: 90_000, 'pull-100': 99_900 })) {
    move(cwd, oids.get(`c${start}`), `reset: moving to ${oids.get(`c${start}`)}`)
    git(cwd, 'reset', '-q', '--hard')
    // The turn before, if any, was in another second.
    await later()
    const before = await takeCheckpoint(cwd, name, 0)
    fetched(cwd, oids.get('c100000'))
    pull(cwd, 'origin/main')
    git(cwd, 'merge', '-q', '--no-edit', '--no-ff', 'topic')
    git(cwd, 'cherry-pick', 'pick-1')
    writeFileSync(join(cwd, path(117)), lines(117, 'amended by hand'))
    git(cwd, 'commit', '-q', '-a', '--amend', '--no-edit')
    git(cwd, 'cherry-pick', 'pick-2')
    appendFileSync(join(cwd, path(100)), '// mine\n')
    // By its author's date the amended commit is older than the turn, and so the rule by dates hides what was amended.
    turns[name] = [{ checkpoints: [before, await takeCheckpoint(cwd, name, 1)], hiddenByDates: [path(117)] }]
  }
  pack(cwd)
  return turns
}

/** A rebase of 50 local commits onto 1,000 that were fetched, and an edit. */
async function manyPicks(cwd) {
  create(cwd)
  const files = 2_000
  const commits = [{ name: 'base', changes: each(range(files), (number) => [path(number), lines(number)]) }]
  for (let at = 1; at <= 1_000; at += 1) {
    const numbers = [(at * 2) % 800, (at * 2 + 1) % 800].filter((number) => number % 20 < 17)
    const changes = numbers.map((number) => [path(number), lines(number, `in upstream ${at}`)])
    commits.push({ name: `up${at}`, from: at === 1 ? 'base' : `up${at - 1}`, changes })
  }
  for (let at = 1; at <= 50; at += 1) {
    const number = at * 20 + 17
    const changes = [[path(number), lines(number, `local ${at}`)]]
    commits.push({ name: `local${at}`, from: at === 1 ? 'base' : `local${at - 1}`, changes })
  }
  const oids = await importCommits(cwd, commits)
  move(cwd, oids.get('local50'), 'clone: from https://example.org/rebase.git')
  git(cwd, 'reset', '-q', '--hard')
  const before = await takeCheckpoint(cwd, 'rebase', 0)
  await later()
  fetched(cwd, oids.get('up1000'))
  git(cwd, 'rebase', '-q', 'origin/main')
  for (const number of [100, 700, 1500]) appendFileSync(join(cwd, path(number)), '// mine\n')
  const turns = { rebase: [{ checkpoints: [before, await takeCheckpoint(cwd, 'rebase', 1)] }] }
  pack(cwd)
  return turns
}

/** 100 turns: most edit a few files, some commit, some pull what others did meanwhile. */
async function longThread(cwd) {
  create(cwd)
  const files = 2_000
  const commits = [{ name: 'base', changes: each(range(files), (number) => [path(number), lines(number)]) }]
  for (let at = 1; at <= 150; at += 1) {
    const numbers = [at * 13, at * 29].map((seed) => (seed % 100) * 20 + (seed % 7) + 1)
    const changes = numbers.map((number) => [path(number), lines(number, `in upstream ${at}`)])
    commits.push({ name: `up${at}`, from: at === 1 ? 'base' : `up${at - 1}`, changes })
  }
  const oids = await importCommits(cwd, commits)
  move(cwd, oids.get('base'), 'clone: from https://example.org/thread.git')
  git(cwd, 'reset', '-q', '--hard')
  const checkpoints = [await takeCheckpoint(cwd, 'thread', 0)]
  for (let turn = 1; turn <= 100; turn += 1) {
    // What the turn commits has to be dated in it.
    await later()
    if (turn % 7 === 0) {
      fetched(cwd, oids.get(`up${turn + 50}`))
      git(cwd, 'merge', '-q', '--no-edit', 'origin/main')
    } else {
      for (const seed of [turn * 3, turn * 5, turn * 11].slice(0, 1 + (turn % 3))) {
        const number = (seed % 20) * 100
        writeFileSync(join(cwd, path(number)), edited(number, `turn${turn}x`))
      }
      if (turn % 5 === 0) {
        git(cwd, 'add', '-A')
        git(cwd, 'commit', '-qm', `work of turn ${turn}`)
      }
    }
    checkpoints.push(await takeCheckpoint(cwd, 'thread', turn))
  }
  pack(cwd)
  return { thread: [{ checkpoints }] }
}

/** A pull of one commit on top of so many. */
async function onePull(cwd, count) {
  create(cwd)
  const commits = [{ name: 'c0', changes: each(range(2_000), (number) => [path(number), lines(number)]) }]
  for (let at = 1; at <= count + 1; at += 1) {
    const number = (at * 7919) % 2_000
    const changes = [[path(number), lines(number, `in commit ${at}`)]]
    commits.push({ name: `c${at}`, from: `c${at - 1}`, changes })
  }
  const oids = await importCommits(cwd, commits)
  const tree = (name) => git(cwd, 'rev-parse', `${oids.get(name)}^{tree}`)
  move(cwd, oids.get(`c${count}`), 'clone: from https://example.org/long.git')
  await later()
  const before = await takeCheckpoint(cwd, 'pull', 0, tree(`c${count}`))
  fetched(cwd, oids.get(`c${count + 1}`))
  move(cwd, oids.get(`c${count + 1}`), 'pull: Fast-forward')
  const after = await takeCheckpoint(cwd, 'pull', 1, tree(`c${count + 1}`))
  pack(cwd)
  return { pull: [{ checkpoints: [before, after] }] }
}

/** Turns in which the agent commits again and again, two files at a time, after a pull. */
async function manyCommits(cwd) {
  create(cwd)
  const commits = [{ name: 'base', changes: each(range(2_000), (number) => [path(number), lines(number)]) }]
  const counts = [1, 3, 10, 30, 100]
  for (const [at, count] of counts.entries()) {
    const changes = [[path(at * 20 + 1), lines(at * 20 + 1, `upstream of ${count}`)]]
    commits.push({ name: `up-${at}`, from: at === 0 ? 'base' : `up-${at - 1}`, changes })
  }
  const oids = await importCommits(cwd, commits)
  move(cwd, oids.get('base'), 'clone: from https://example.org/commits.git')
  git(cwd, 'reset', '-q', '--hard')
  const turns = {}
  for (const [turn, count] of counts.entries()) {
    await later()
    const before = await takeCheckpoint(cwd, `commits-${count}`, 0)
    await later()
    fetched(cwd, oids.get(`up-${turn}`))
    git(cwd, 'merge', '-q', '--no-edit', 'origin/main')
    for (let at = 0; at < count; at += 1) {
      for (const number of [(at % 100) * 20 + 7, (at % 100) * 20 + 9]) {
        appendFileSync(join(cwd, path(number)), `// ${count} ${at}\n`)
      }
      git(cwd, 'commit', '-qam', `work ${at}`)
    }
    turns[`commits-${count}`] = [{ checkpoints: [before, await takeCheckpoint(cwd, `commits-${count}`, 1)] }]
  }
  pack(cwd)
  return turns
}

/** Turns whose patch is of so many bytes: new files of up to 10 kB, half of the bytes, and lines changed in others. */
async function largePatches(cwd) {
  create(cwd)
  const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
  const commits = [{ name: 'base', changes: each(range(2_000), (number) => [path(number), lines(number * 100)]) }]
  for (const size of sizes) {
    const changes = []
    let bytes = 0
    for (let at = 0; bytes < size; at += 1) {
      const wanted = Math.min(10_000, size - bytes)
      const isNew = at % 2 === 0 || at >= 2_000
      const place = isNew ? `new/d${at % 50}/file-${at}.ts` : path(at)
      const all = isNew ? [] : lines(at * 100).split('\n')
      let length = 0
      // Every third line is replaced, in a file that was there; the context around counts as well.
      for (let line = 0; length < wanted; line += 1) {
        const text = `export const number${line} = changed(${at}, ${size}, '${(line * 2654435761) % 65521}')`
        if (!isNew && line * 3 >= all.length) break
        if (isNew) all.push(text)
        else all[line * 3] = text
        length += isNew ? text.length + 2 : text.length + 170
      }
      bytes += length
      changes.push([place, `${all.join('\n')}\n`])
    }
    commits.push({ name: `patch-${size}`, from: 'base', changes })
  }
  const oids = await importCommits(cwd, commits)
  const tree = (name) => git(cwd, 'rev-parse', `${oids.get(name)}^{tree}`)
  move(cwd, oids.get('base'), 'clone: from https://example.org/patches.git')
  await later()
  const turns = {}
  for (const [at, size] of sizes.entries()) {
    const before = await takeCheckpoint(cwd, 'patches', 2 * at, tree('base'))
    const after = await takeCheckpoint(cwd, 'patches', 2 * at + 1, tree(`patch-${size}`))
    turns[`patch-${size}`] = [{ checkpoints: [before, after] }]
  }
  pack(cwd)
  return turns
}

/** The project that this is: what its own last commits changed, as edits of one turn and as a pull. */
async function thisProject(cwd) {
  const project = dirname(dirname(fileURLToPath(import.meta.url)))
  rmSync(cwd, { recursive: true, force: true })
  execFileSync('git', ['clone', '-q', '--no-local', project, cwd], { env })
  settings(cwd)
  const head = git(cwd, 'rev-parse', 'HEAD')
  const turns = { edits: [], pull: [] }
  const recent = git(cwd, 'rev-list', '--first-parent', '--no-merges', '-n', '30', 'HEAD').split('\n')
  const ordinary = recent.filter((commit) => {
    const count = git(cwd, 'diff-tree', '-r', '--name-only', '--no-commit-id', commit).split('\n').length
    return count >= 2 && count <= 20
  })
  for (const commit of ordinary.slice(0, 4)) {
    move(cwd, git(cwd, 'rev-parse', `${commit}^`), `reset: moving to ${commit}^`)
    const tree = (of) => git(cwd, 'rev-parse', `${of}^{tree}`)
    const before = await takeCheckpoint(cwd, `edits-${commit}`, 0, tree(`${commit}^`))
    turns.edits.push({ checkpoints: [before, await takeCheckpoint(cwd, `edits-${commit}`, 1, tree(commit))] })
  }
  const start = git(cwd, 'rev-parse', 'HEAD~20')
  git(cwd, 'reset', '-q', '--hard', start)
  const before = await takeCheckpoint(cwd, 'pull', 0)
  await later()
  pull(cwd, head)
  turns.pull.push({ checkpoints: [before, await takeCheckpoint(cwd, 'pull', 1)] })
  pack(cwd)
  return turns
}

// What all of them are made with.

const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 }).trim()
}

function create(cwd) {
  git(cwd, 'init', '-q', '-b', 'main')
  settings(cwd)
}

function settings(cwd) {
  const text =
    '[user]\n\tname = Robin\n\temail = robin@example.org\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n'
  appendFileSync(join(cwd, '.git/config'), text)
}

/** Moves the branch of HEAD, with the entries that git writes into both logs. */
function move(cwd, oid, word) {
  git(cwd, 'update-ref', '-m', word, 'HEAD', oid)
}

function branch(cwd, name, oid) {
  git(cwd, 'update-ref', '-m', 'branch: Created from origin/main', `refs/heads/${name}`, oid)
}

function fetched(cwd, oid) {
  git(cwd, 'update-ref', '--create-reflog', '-m', 'pull: fast-forward', 'refs/remotes/origin/main', oid)
}

/** A pull that has nothing of its own to merge. */
function pull(cwd, name) {
  execFileSync('git', ['merge', '-q', '--ff-only', name], { cwd, env: { ...env, GIT_REFLOG_ACTION: 'pull' } })
}

function switchTo(cwd, from, to) {
  git(cwd, 'symbolic-ref', '-m', `checkout: moving from ${from} to ${to}`, 'HEAD', `refs/heads/${to}`)
}

/** A snapshot as a host takes it, of a tree or of what lies in the folder. */
async function takeCheckpoint(cwd, thread, turn, tree = treeOfFolder(cwd)) {
  const ref = `refs/t3/checkpoints/${thread}/turn/${turn}`
  const { headOid, branch, pin } = await readHead(cwd)
  const message = await writeCheckpointFacts(`t3 checkpoint ref=${ref}`, { headOid, branch, pin })
  git(cwd, 'update-ref', ref, git(cwd, 'commit-tree', '-m', message, tree))
  return ref
}

function treeOfFolder(cwd) {
  const index = join(cwd, '.git/snapshot-index')
  const options = { cwd, env: { ...env, GIT_INDEX_FILE: index }, encoding: 'utf8' }
  if (!existsSync(index)) execFileSync('git', ['read-tree', 'HEAD'], options)
  execFileSync('git', ['add', '-A'], options)
  return execFileSync('git', ['write-tree'], options).trim()
}

/** The next second: dates have no finer ones. */
function later() {
  return new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)))
}

/** As `git gc` leaves it. */
function pack(cwd) {
  rmSync(join(cwd, '.git/snapshot-index'), { force: true })
  git(cwd, 'repack', '-adq')
  git(cwd, 'prune-packed', '-q')
  git(cwd, 'pack-refs', '--all')
  git(cwd, 'commit-graph', 'write', '--reachable')
}

function* range(count) {
  for (let at = 0; at < count; at += 1) yield at
}

function* each(numbers, change) {
  let at = 0
  for (const number of numbers) yield change(number, at++)
}

/** Makes commits in one go; gives their ids by name. */
async function importCommits(cwd, commits) {
  const marks = new Map(commits.map(({ name }, at) => [name, at + 1]))
  const file = join(cwd, '.git/bench-marks')
  const child = spawn('git', ['fast-import', '--quiet', '--force', `--export-marks=${file}`], {
    cwd,
    env,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve, reject) => {
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`git fast-import ended with ${code}`))))
  })
  await pipeline(Readable.from(inLargePieces(importStream(commits, marks))), child.stdin)
  await ended
  const oids = readFileSync(file, 'utf8').trim().split('\n')
  const byMark = new Map(oids.map((line) => line.split(' ')))
  rmSync(file)
  git(cwd, 'update-ref', '-d', 'refs/bench/import')
  return new Map([...marks].map(([name, mark]) => [name, byMark.get(`:${mark}`)]))
}

function* importStream(commits, marks) {
  for (const [at, { name, from, changes }] of commits.entries()) {
    const who = `Kim <kim@example.org> ${LONG_AGO + at * 60} +0000`
    yield `commit refs/bench/import\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\ndata ${name.length}\n${name}\n`
    if (from) yield `from :${marks.get(from)}\n`
    else yield 'deleteall\n'
    for (const [path, text] of changes) {
      yield text === null ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
    }
    yield '\n'
  }
}

function* inLargePieces(texts) {
  let piece = ''
  for (const text of texts) {
    piece += text
    if (piece.length > 1 << 20) {
      yield piece
      piece = ''
    }
  }
  yield piece
}
