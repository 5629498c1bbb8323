// What a host would do without the addon: the public rule, by starting git. A file of the turn only moved when history
// brought exactly the same change and no commit that was written in the turn touches it; all else is shown.
//
// It is made as good as the rule lets it be: one process for both messages, plumbing where there is a choice, nothing
// read of a head that did not move, and side by side what does not wait for another. A range log by date alone
// (`--since`) would be cheaper; it drops what stands behind a commit with an older date, so it is not the range.

import { execFile } from 'node:child_process'

/** Bytes of paths on one command line: Linux takes 2 MiB, the environment included. */
const LONGEST_PATHS = 1 << 20
const NO_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** What git is asked with, and how often. */
class Git {
  processes = 0

  constructor(cwd) {
    this.cwd = cwd
  }

  /** The output, a byte to a character: paths are compared as git gives them. */
  run(args, input) {
    this.processes += 1
    return new Promise((resolve, reject) => {
      const options = { cwd: this.cwd, encoding: 'latin1', maxBuffer: Number.POSITIVE_INFINITY }
      const child = execFile('git', args, options, (error, output) => (error ? reject(error) : resolve(output)))
      if (input !== undefined) child.stdin.end(input)
    })
  }
}

/** What a row asks. */
export async function askByProcesses(asks, cwd, refs) {
  if (asks === 'head') {
    const head = await headByProcesses(cwd)
    return { head, processes: head.processes }
  }
  if (asks === 'range') {
    const range = await rangeByProcesses(cwd, refs)
    return { card: range, patch: range, processes: range.processes }
  }
  const card = await cardByProcesses(cwd, refs, { lines: asks === 'lines' })
  if (asks !== 'card+patch') return { card, processes: card.processes }
  const patch = await patchByProcesses(cwd, refs)
  return { card, patch, processes: card.processes + patch.processes }
}

/** Head and branch, by the two processes that they take. */
export async function headByProcesses(cwd) {
  const git = new Git(cwd)
  const [oid, branch] = await Promise.all([
    git.run(['rev-parse', '--verify', '-q', 'HEAD']),
    git.run(['symbolic-ref', '--short', '-q', 'HEAD']),
  ])
  return { headOid: oid.trim(), branch: branch.trim(), processes: git.processes }
}

/** The card of a turn: files with counts. `lines` asks for the counts of what moved, too. */
export async function cardByProcesses(cwd, [from, to], { lines = false } = {}) {
  const git = new Git(cwd)
  const { before, after, shown, moved } = await judged(git, from, to)
  const files =
    lines || shown === ALL || shown.size > 0 ? await counted(git, before, after, lines ? undefined : shown) : []
  const paths = shown === ALL ? files.map((file) => file.path).sort() : named(shown)
  return { shown: paths, moved, files, processes: git.processes }
}

/** The patch of a turn. */
export async function patchByProcesses(cwd, [from, to]) {
  const git = new Git(cwd)
  const { before, after, shown } = await judged(git, from, to)
  return { patch: await printed(git, before, after, shown), processes: git.processes }
}

/**
 * Card and patch of a range: each turn is judged by itself, so many at a time that both cores are busy, and of the net
 * change those paths are shown that any turn shows.
 */
export async function rangeByProcesses(cwd, checkpoints, atATime = 6) {
  const git = new Git(cwd)
  const authored = new Set()
  let next = 1
  const lane = async () => {
    while (next < checkpoints.length) {
      const turn = next++
      const { shown } = await judged(git, checkpoints[turn - 1], checkpoints[turn], { list: true })
      for (const path of shown) authored.add(path)
    }
  }
  await Promise.all(Array.from({ length: atATime }, lane))
  const [before, after] = [checkpoints[0], checkpoints.at(-1)]
  const net = delta(await git.run(treeDelta(before, after)))
  const shown = new Set([...net.keys()].filter((path) => authored.has(path)))
  const [files, patch] = await Promise.all([counted(git, before, after, shown), printed(git, before, after, shown)])
  return { shown: named(shown), moved: net.size - shown.size, files, patch, processes: git.processes }
}

/** `ALL` where the head did not move: then nobody needs the list before it is printed. */
const ALL = new Set()

async function judged(git, from, to, { list = false } = {}) {
  const [start, end] = await recorded(git, from, to)
  const [before, after] = [start.tree, end.tree]
  if (start.head === undefined || end.head === undefined || start.head === end.head) {
    const shown = list ? new Set(delta(await git.run(treeDelta(before, after))).keys()) : ALL
    return { before, after, shown, moved: 0 }
  }
  const [onDisk, inHistory, log] = await Promise.all([
    git.run(treeDelta(before, after)),
    git.run(treeDelta(start.head ?? NO_TREE, end.head ?? NO_TREE)),
    git.run(['log', '--format=%H %at', ...(start.head ? [`${start.head}..${end.head}`] : [end.head])]),
  ])
  const made = log
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, seconds]) => Number(seconds) >= start.startedAt)
    .map(([oid]) => oid)
  const byHand = made.length > 0 ? await touched(git, made) : new Set()
  const [changes, history] = [delta(onDisk), delta(inHistory)]
  const shown = new Set()
  for (const [path, change] of changes) if (history.get(path) !== change || byHand.has(path)) shown.add(path)
  return { before, after, shown, moved: changes.size - shown.size }
}

/** What the messages of both checkpoints say. */
async function recorded(git, from, to) {
  const text = await git.run(['log', '--no-walk=unsorted', '--format=%T%n%ct%n%B%x00', from, to])
  return text
    .split('\0')
    .slice(0, 2)
    .map((text) => {
      const [tree, seconds, ...message] = text.trimStart().split('\n')
      const fact = (key) => message.findLast((line) => line.startsWith(`${key}=`))?.slice(key.length + 1)
      const head = fact('turn-head')
      const startedAt = fact('turn-started-at')
      return {
        tree,
        head: head === '(unborn)' ? null : head,
        startedAt: startedAt === undefined ? Number(seconds) : Math.floor(Number(startedAt) / 1000),
      }
    })
}

function treeDelta(before, after) {
  return ['diff-tree', '-r', '-z', '--no-renames', before, after]
}

/** Path → modes and ids, of `:<modes and ids> <status>\0<path>\0`. */
function delta(output) {
  const parts = output.split('\0')
  const changes = new Map()
  for (let at = 0; at + 1 < parts.length; at += 2) changes.set(parts[at + 1], parts[at])
  return changes
}

/** The paths that commits change; of a merge those in which it differs from all parents. */
async function touched(git, commits) {
  const args = ['diff-tree', '--stdin', '-r', '-z', '-c', '--root', '--no-commit-id', '--no-renames', '--name-only']
  const output = await git.run(args, `${commits.join('\n')}\n`)
  return new Set(output.split('\0'))
}

/** The counts of files, renames paired. */
async function counted(git, before, after, shown) {
  const args = ['diff-tree', '-r', '-z', '-M', '--raw', '--numstat', before, after]
  const outputs = await inBatches(shown, (paths) => git.run([...literal(paths), ...args, ...paths]))
  return outputs.flatMap(rows)
}

/** Of the raw part the names and kinds, of the other the counts, in the same order. */
function rows(output) {
  const parts = output.split('\0')
  const files = []
  let at = 0
  while (parts[at]?.startsWith(':')) {
    const kind = parts[at].at(parts[at].lastIndexOf(' ') + 1)
    const paths = kind === 'R' ? 2 : 1
    files.push({ kind, path: parts[at + paths], previousPath: paths === 2 ? parts[at + 1] : null })
    at += 1 + paths
  }
  for (const file of files) {
    const [additions, deletions] = parts[at].split('\t')
    file.additions = additions === '-' ? null : Number(additions)
    file.deletions = deletions === '-' ? null : Number(deletions)
    at += file.previousPath === null ? 1 : 3
  }
  return files
}

async function printed(git, before, after, shown) {
  const args = ['diff', '--patch', '--no-color', '--no-ext-diff', '--no-textconv', '-M', before, after]
  const patches = await inBatches(shown, (paths) => git.run([...literal(paths), ...args, ...paths]))
  return patches.join('')
}

// `git diff` reads no list of paths from its input, so that they stand on the command line. Those of one batch are
// enough for nearly every turn.

function literal(paths) {
  return paths.length > 0 ? ['--literal-pathspecs'] : []
}

async function inBatches(shown, ask) {
  if (shown === ALL || shown === undefined) return [await ask([])]
  const batches = []
  let size = LONGEST_PATHS
  for (const path of shown) {
    if (size + path.length + 1 > LONGEST_PATHS) {
      batches.push(['--'])
      size = 0
    }
    batches.at(-1).push(Buffer.from(path, 'latin1').toString())
    size += path.length + 9
  }
  return Promise.all(batches.map(ask))
}

/** Names as text, sorted. */
function named(shown) {
  return [...shown].map((path) => Buffer.from(path, 'latin1').toString()).sort()
}
