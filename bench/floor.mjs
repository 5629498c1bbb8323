// The process of `bench/floor.rs`, which is asked line by line.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Builds the program and starts it. */
export function startFloor(checkout) {
  const build = ['build', '--release', '--quiet', '--example', 'floor']
  const stdio = ['ignore', 'inherit', 'inherit']
  if (spawnSync('cargo', build, { cwd: checkout, stdio }).status !== 0) throw new Error('the floor does not build')
  const target = process.env.CARGO_TARGET_DIR ?? join(checkout, 'target')
  const child = spawn(join(target, 'release/examples/floor'), { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const say = (line) => child.stdin.write(`${line}\n`)
  return {
    /** From here on this work: the trees of turns, and the blobs of files of which lines are compared. */
    prepare({ cwd, turns, pairs }) {
      say(`open ${join(cwd, '.git')}`)
      for (const trees of turns) say(`turn ${trees.join(' ')}`)
      for (const pair of pairs) say(`pair ${pair.map((oid) => oid ?? '-').join(' ')}`)
    },
    /** Milliseconds: `inflate`, `remember` or `fresh`. */
    async time(how) {
      say(how)
      const { value } = await answers.next()
      const [nanoseconds, changed, moved] = value.split(' ').map(Number)
      return { milliseconds: nanoseconds / 1e6, changed, moved }
    },
    end: () => child.stdin.end(),
  }
}

/** What the floor has to read of a turn or range, found by git and by an answer of the addon. */
export async function floorWork(addon, asks, cwd, refs) {
  const facts = await Promise.all(refs.map((ref) => addon.readCheckpoint(cwd, ref)))
  const commits = facts.flatMap(({ oid, headOid }) => [oid, headOid])
  const trees = treesOf(cwd, commits)
  const turn = (one, two) => {
    const heads = facts[one].headOid === facts[two].headOid ? [] : [trees[2 * one + 1], trees[2 * two + 1]]
    return [trees[2 * one], trees[2 * two], ...heads]
  }
  const turns = refs.slice(1).map((_, at) => turn(at, at + 1))
  if (refs.length > 2) turns.push([trees[0], trees.at(-2)])
  let pairs = []
  if (asks === 'lines') pairs = changedBlobs(cwd, refs)
  else {
    const { shown } = await addon.card(cwd, refs)
    pairs = shown.map(({ oldOid, newOid }) => [oldOid, newOid])
  }
  return { cwd, turns, pairs }
}

function treesOf(cwd, commits) {
  const args = ['log', '--no-walk=unsorted', '--stdin', '--format=%H %T']
  const output = execFileSync('git', args, { cwd, input: commits.join('\n'), encoding: 'utf8' })
  const trees = new Map(
    output
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  )
  return commits.map((commit) => trees.get(commit))
}

function changedBlobs(cwd, refs) {
  const args = ['diff-tree', '-r', '--no-renames', refs[0], refs.at(-1)]
  const output = execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 30 })
  const existing = (oid) => (/^0+$/.test(oid) ? null : oid)
  return output
    .trim()
    .split('\n')
    .map((line) => line.split(' ').slice(2, 4).map(existing))
}
