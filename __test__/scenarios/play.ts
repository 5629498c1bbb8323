// Tells a turn, asks about it, and checks what holds for every turn whatever its story:
//   - shown and demoted files together are git's own list of the tree delta
//   - the counts of every shown file are those of `git diff --numstat` from the state it is compared with
//   - the patch holds exactly the shown files, and turns what they are compared with into the snapshot (patch-of-turn.ts)
//   - asked twice, the answer is the same, and no file of the repository has changed
//   - asked again after three more turns, and once more after `reflog expire` and `gc`: the same answer, or one that
//     shows more and says why
//
//   const turn = await playTurn(repo, () => repo.pull())
//   turn.toShowNothing().toDemote(214)
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type AttributeTurnRequest, addon, type Checkpoint, type TurnAttribution } from '../support/addon.js'
import { expectTurn, type TurnExpectation } from '../support/expect-turn.js'
import { folderChanges, folderState } from '../support/folder-state.js'
import { runGit } from '../support/git.js'
import { gitNumstat, type LineCount, type Place } from '../support/tree-delta.js'
import type { TurnRepository } from '../support/turn-repository.js'
import { expectPromiseUnderFaults } from './faults.js'
import { expectPatchesOf, patchesOf } from './patch-of-turn.js'

export interface PlayedTurn extends TurnExpectation {
  readonly request: AttributeTurnRequest
  readonly result: TurnAttribution
}

export interface AskOptions {
  /** Without it the turn is asked about again, later. Off for repositories that a test has broken on purpose. */
  askLater?: boolean
  /** A change to the request before it is asked, such as taking the pins away. */
  change?: (request: AttributeTurnRequest) => AttributeTurnRequest
}

/** Plays a turn from start to end and asks about it. */
export async function playTurn(
  repo: TurnRepository,
  story: () => unknown,
  options: AskOptions = {},
): Promise<PlayedTurn> {
  return ask(repo, await recordTurn(repo, story), options)
}

/** Plays a turn from start to end; `ask` asks about it. */
export async function recordTurn(repo: TurnRepository, story: () => unknown): Promise<AttributeTurnRequest> {
  const from = await repo.startTurn()
  await story()
  return { cwd: repo.cwd, from, to: await repo.endTurn() }
}

/** Asks about a turn or a range. */
export async function ask(
  repo: TurnRepository,
  asked: AttributeTurnRequest,
  options: AskOptions = {},
): Promise<PlayedTurn> {
  const request: AttributeTurnRequest = { demoted: 'paths', ...(options.change?.(asked) ?? asked) }
  const folder = gitFolder(repo)
  const before = folderState(folder)
  const result = await addon().attributeTurn(request)
  expect(await addon().attributeTurn(request), 'asked twice').toEqual(result)
  const patches = await patchesOf(request)
  expect(folderChanges(before, folderState(folder)), 'files of the repository that changed').toEqual([])
  expectTurn(result).toCover(repo, request.from.ref, request.to.ref)
  await expectCountsOfGit(repo, request, result)
  expectPatchesOf(patches, await basePlace(repo, request, result), request, result)
  await expectPromiseUnderFaults(request)
  if (options.askLater !== false) laterOn(repo, { request, first: result })
  return Object.assign(expectTurn(result), { request, result })
}

/** A request without the pins: what a host stores that keeps only head and branch. */
export function withoutPins(request: AttributeTurnRequest): AttributeTurnRequest {
  const bare = ({ pin: _, ...checkpoint }: Checkpoint): Checkpoint => checkpoint
  const { between } = request
  return {
    ...request,
    from: bare(request.from),
    to: bare(request.to),
    ...(between === undefined ? {} : { between: between.map(bare) }),
  }
}

/** The verdict for one path: `shown`, `demoted`, or `absent` from the turn. */
export function verdictOf(result: TurnAttribution, path: string): 'shown' | 'demoted' | 'absent' {
  if (result.shown.some((file) => file.path === path || file.previousPath === path)) return 'shown'
  return result.demoted.files?.some((file) => file.path === path) ? 'demoted' : 'absent'
}

// ---- the counts

/** A place that sees the repository's objects and keeps new ones for itself. */
export interface Scratch {
  place: Place
  folder: string
}

function scratch(repo: TurnRepository): Scratch {
  const folder = mkdtempSync(join(repo.env.HOME, 'expected-'))
  const env = {
    ...repo.env,
    GIT_OBJECT_DIRECTORY: folder,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(gitFolder(repo), 'objects'),
    GIT_NO_REPLACE_OBJECTS: '1',
  }
  return { place: { cwd: repo.cwd, env }, folder }
}

/** A place in which every state that a shown file is compared with is an object, also where a merge made it. */
export async function basePlace(
  repo: TurnRepository,
  request: AttributeTurnRequest,
  result: TurnAttribution,
): Promise<Scratch> {
  const made = scratch(repo)
  const { cwd, env } = made.place
  const blobs = result.shown.filter((file) => file.oldOid !== null && file.oldMode !== '160000')
  const input = blobs.map((file) => `${file.oldOid}\n`).join('')
  const found = runGit(cwd, env, ['cat-file', '--batch-check'], { input }).split('\n')
  for (const [at, file] of blobs.entries()) {
    if (!found[at]?.endsWith(' missing')) continue
    const { expectedContent } = await addon().explainPath(request, file.path)
    const content = Buffer.from(expectedContent ?? [])
    const oid = runGit(cwd, env, ['hash-object', '-w', '--stdin', '--no-filters'], { input: content })
    expect(oid, `the state that ${file.path} is compared with`).toBe(file.oldOid)
  }
  return made
}

/** Each shown file's counts, as git gives them for the state it is compared with and the state in the snapshot. */
export async function countsOfGit(
  repo: TurnRepository,
  request: AttributeTurnRequest,
  result: TurnAttribution,
): Promise<Map<string, LineCount>> {
  const { place, folder } = await basePlace(repo, request, result)
  const { cwd, env } = place
  const rows = { old: '', new: '' }
  for (const file of result.shown) {
    if (file.oldOid !== null) rows.old += `${file.oldMode} ${file.oldOid}\t${file.path}\0`
    if (file.newOid !== null) rows.new += `${file.newMode} ${file.newOid}\t${file.path}\0`
  }
  const treeOf = (side: 'old' | 'new'): string => {
    const index = { GIT_INDEX_FILE: join(folder, `index-${side}`) }
    runGit(cwd, env, ['update-index', '-z', '--index-info'], { env: index, input: rows[side] })
    return runGit(cwd, env, ['write-tree', '--missing-ok'], { env: index })
  }
  const attributed = { ...env, GIT_ATTR_SOURCE: `${request.to.ref}^{tree}` }
  return gitNumstat({ cwd, env: attributed }, treeOf('old'), treeOf('new'), [
    '--diff-algorithm=myers',
    '--ignore-submodules=none',
    '--no-ext-diff',
    '--no-textconv',
  ])
}

async function expectCountsOfGit(
  repo: TurnRepository,
  request: AttributeTurnRequest,
  result: TurnAttribution,
): Promise<void> {
  const strange = /[\ufffd"\n]/
  if (result.shown.length === 0 || result.shown.some((file) => strange.test(file.path))) return
  const counts = await countsOfGit(repo, request, result)
  for (const { path, additions, deletions } of result.shown) {
    const same = { additions: 0, deletions: 0 }
    expect({ path, additions, deletions }, 'counts of git').toEqual({ path, ...(counts.get(path) ?? same) })
  }
}

// ---- later

interface Asked {
  request: AttributeTurnRequest
  first: TurnAttribution
}

const pending = new Map<string, { repo: TurnRepository; asked: Asked[] }>()

function laterOn(repo: TurnRepository, asked: Asked): void {
  const known = pending.get(repo.root)
  if (known !== undefined) {
    known.asked.push(asked)
    return
  }
  const entry = { repo, asked: [asked] }
  pending.set(repo.root, entry)
  onTestFinished(async () => {
    pending.delete(repo.root)
    await threeMoreTurns(repo)
    for (const each of entry.asked) await expectSameOrMore(each, 'after three more turns')
    forget(repo)
    for (const each of entry.asked) await expectSameOrMore(each, 'after reflog expire and gc')
    repo.discard()
  })
}

/** Work as it goes on, from whatever state the repository is in. */
async function threeMoreTurns(repo: TurnRepository): Promise<void> {
  repo.clock.beginTurn()
  const step = (...args: string[]) => repo.tryGit(...args)
  repo.write('later/one.txt', 'later\n')
  step('add', '-A')
  step('commit', '-q', '-m', 'later work')
  step('checkout', '-q', '-b', 'later/branch')
  repo.write('later/two.txt', 'later\n')
  step('add', '-A')
  step('commit', '-q', '-m', 'more of it')
  step('commit', '-q', '--amend', '-m', 'more of it, in other words')
  step('checkout', '-q', '-')
  step('reset', '-q', '--hard', 'HEAD~1')
  step('merge', '-q', '--no-edit', 'later/branch')
  await repo.checkpoint()
}

function forget(repo: TurnRepository): void {
  repo.tryGit('reflog', 'expire', '--expire=now', '--all')
  repo.tryGit('gc', '-q')
}

async function expectSameOrMore({ request, first }: Asked, when: string): Promise<void> {
  const later = await addon().attributeTurn(request)
  expectNothingHidden(first, later, when)
}

/** The later answer is the same, or shows more and says why. */
export function expectNothingHidden(first: TurnAttribution, later: TurnAttribution, when: string): void {
  const { attribution } = later
  if (attribution.status === 'unmoved') {
    // Without the log the switch of a branch is still known, the command that made it is not.
    const { shown, demoted } = first
    expect(later, when).toMatchObject({ shown, demoted, attribution: first.attribution })
  } else if (attribution.status === 'attributed' && attribution.evidence === 'reflog') {
    expect(later, when).toEqual(first)
  }
  const paths = (result: TurnAttribution) =>
    result.shown.flatMap((file) => (file.previousPath === null ? [file.path] : [file.path, file.previousPath]))
  expect(paths(later), `shown ${when}`).toEqual(expect.arrayContaining(paths(first)))
  const { fromHead, toHead, fromBranch, toBranch } = first.branchTransition
  expect(later.branchTransition, when).toMatchObject({ fromHead, toHead, fromBranch, toBranch })
  const answer = ({ shown, demoted }: TurnAttribution) => JSON.stringify([shown, demoted])
  if (answer(first) !== answer(later)) {
    const doubtful = attribution.status === 'not-attributed' || attribution.notes.length > 0
    expect(doubtful, `${when} there is another answer, and no reason: ${JSON.stringify(attribution)}`).toBe(true)
  }
}

const gitFolders = new Map<string, string>()

/** The git directory that all worktrees share. */
function gitFolder(repo: TurnRepository): string {
  const known = gitFolders.get(repo.cwd)
  if (known !== undefined) return known
  const folder = runGit(repo.cwd, repo.env, ['rev-parse', '--path-format=absolute', '--git-common-dir'])
  gitFolders.set(repo.cwd, folder)
  return folder
}
