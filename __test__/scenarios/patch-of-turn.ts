// What holds of the patch of every turn: it is about exactly the files that the card shows, it turns what they are
// compared with into the snapshot, and with git's changes it is git's own diff of the snapshots.
import { join } from 'node:path'
import { expect } from 'vitest'
import { firstDifference, gitDiff, uncut, withoutSimilarity } from '../patch/git-diff.js'
import {
  type AttributeTurnRequest,
  addon,
  type DiffFile,
  type TurnAttribution,
  type TurnDiff,
} from '../support/addon.js'
import { runGit } from '../support/git.js'
import type { Scratch } from './play.js'

export interface Patches {
  shown: TurnDiff
  all: TurnDiff
}

export async function patchesOf(request: AttributeTurnRequest): Promise<Patches> {
  const options = { fullIndex: true, maxFileBytes: 1e9, maxBytes: 1e9 }
  return { shown: await addon().diffTurn(request, options), all: await addon().diffTurn(request, uncut) }
}

export function expectPatchesOf(
  { shown: diff, all }: Patches,
  scratch: Scratch,
  request: AttributeTurnRequest,
  result: TurnAttribution,
): void {
  const { shown, shownFileCount, ...about } = result
  expect(diff, 'the patch and the card').toMatchObject(about)
  expect(diff.files, 'the files of the patch').toMatchObject(shown)
  expect(diff.files.length).toBe(shown.length)
  expect(diff.fileCount).toBe(shownFileCount)
  expect(diff.files.filter((file) => file.demoted || file.truncated)).toEqual([])
  expectWholeSections(diff)
  if (shown.every((file) => !file.path.includes('\ufffd'))) expectRoundTrip(scratch, diff)

  const { place } = scratch
  const [from, to] = [request.from, request.to].map(({ oid, ref }) => oid ?? ref) as [string, string]
  const git = gitDiff(place.cwd, place.env, from, to, [
    '--diff-algorithm=myers',
    '--ignore-submodules=none',
    '-M',
    '-l1000',
  ])
  expect(firstDifference(withoutSimilarity(git), withoutSimilarity(all.patchBytes)), 'all changes').toBeNull()
  const known = new Set(shown.flatMap((file) => [file.path, file.previousPath]))
  for (const file of all.files.filter((file) => !file.demoted)) {
    expect(known.has(file.path) || known.has(file.previousPath), `${file.path} is shown`).toBe(true)
  }
}

/** The sections lie one behind the other, cover the patch, and stand at the same place in text and bytes. */
export function expectWholeSections(diff: TurnDiff): void {
  let [end, byteEnd] = [0, 0]
  for (const { path, section } of diff.files) {
    if (section === null) continue
    expect([section.start, section.byteStart], path).toEqual([end, byteEnd])
    const bytes = diff.patchBytes.subarray(section.byteStart, section.byteEnd)
    expect(diff.patch.slice(section.start, section.end), path).toBe(bytes.toString())
    ;[end, byteEnd] = [section.end, section.byteEnd]
  }
  expect([end, byteEnd]).toEqual([diff.patch.length, diff.patchBytes.length])
}

/** `git apply` of the patch onto the states compared with gives the states of the snapshot; binary files aside. */
function expectRoundTrip({ place, folder }: Scratch, diff: TurnDiff): void {
  const { cwd, env } = place
  const files = diff.files.filter((file) => !file.binary && file.section !== null)
  if (files.length === 0) return
  const index = { GIT_INDEX_FILE: join(folder, 'index-applied') }
  const oldRow = (file: DiffFile) => `${file.oldMode} ${file.oldOid}\t${file.previousPath ?? file.path}\0`
  const input = files.filter((file) => file.oldOid !== null).map(oldRow)
  runGit(cwd, env, ['update-index', '-z', '--index-info'], { env: index, input: input.join('') })
  const sections = files.map(({ section }) => diff.patchBytes.subarray(section?.byteStart, section?.byteEnd))
  const patch = Buffer.concat(sections)
  runGit(cwd, env, ['-c', 'core.autocrlf=false', 'apply', '--cached', '--whitespace=nowarn'], {
    env: index,
    input: patch,
  })
  const applied = runGit(cwd, env, ['ls-files', '-s', '-z'], { env: index }).split('\0').filter(Boolean)
  const wanted = files
    .filter((file) => file.newOid !== null)
    .map((file) => `${file.newMode} ${file.newOid} 0\t${file.path}`)
  expect(applied.sort(), 'what the patch makes of what it is compared with').toEqual(wanted.sort())
}
