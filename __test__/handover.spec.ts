// From the card to the patch of the same turn: what the card found out serves the patch that is asked for right after.
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { recordTurn } from './scenarios/play.js'
import { type AttributeTurnRequest, addon } from './support/addon.js'
import { lines, TurnRepository } from './support/turn-repository.js'

/** Long enough for a handle to be kept: a repository that was just written to is opened anew. */
const settle = () => sleep(120)

/** A file is pulled and edited: what its lines are compared with is in no repository. */
async function pulledAndEdited(): Promise<{ repo: TurnRepository; request: AttributeTurnRequest }> {
  const repo = TurnRepository.create({ 'shared.ts': lines(20), 'theirs.ts': 'old\n' })
  repo.teammate.push({ 'shared.ts': lines(20).replace('line 1\n', 'pulled\n'), 'theirs.ts': 'new\n' })
  const request = await recordTurn(repo, () => {
    repo.pull()
    repo.edit('shared.ts', 20, 'mine')
  })
  await settle()
  return { repo, request }
}

/** The patch as a handle that remembers nothing has it. */
async function patchAnew(request: AttributeTurnRequest) {
  await addon().closeRepositories()
  return addon().diffTurn(request)
}

describe('from the card to the patch', () => {
  it('the patch after the card is the patch without it, results of merges in it', async () => {
    const { request } = await pulledAndEdited()
    const alone = await patchAnew(request)
    expect(alone.patch).toContain('+mine')
    expect(alone.patch).not.toContain('+pulled')
    expect(alone.demoted.fileCount).toBe(1)
    await addon().closeRepositories()
    for (let time = 0; time < 3; time++) {
      await addon().attributeTurn(request)
      expect(await addon().diffTurn(request)).toEqual(alone)
    }
  })

  it('what options ask for is not handed over', async () => {
    const { request } = await pulledAndEdited()
    await addon().attributeTurn(request)
    const everything = await addon().diffTurn(request, { includeGitChanges: true })
    expect(everything.patch).toContain('+pulled')
    expect((await addon().diffTurn(request, { paths: [] })).patch).toBe('')
    const named = await addon().diffTurn({ ...request, demoted: 'paths' })
    expect(named.demoted.files?.map((file) => file.path)).toEqual(['theirs.ts'])
  })

  it('another turn, or another thing known of it, is judged for itself', async () => {
    const { request } = await pulledAndEdited()
    await addon().attributeTurn(request)
    const { headOid: _, ...unknown } = request.from
    const shown = await addon().diffTurn({ ...request, from: unknown })
    expect(shown.attribution).toMatchObject({ status: 'not-attributed', reason: 'head-not-recorded' })
    expect(shown.demoted.fileCount).toBe(0)
    const still = await addon().diffTurn({ ...request, to: request.from })
    expect(still.files).toEqual([])
  })

  it('a ref that was moved since the card leads to its new snapshot', async () => {
    const { repo, request } = await pulledAndEdited()
    const { oid: _, ...to } = request.to
    const ref = 'refs/checkpoints/end'
    repo.git('update-ref', ref, request.to.oid ?? request.to.ref)
    const named = { ...request, to: { ...to, ref } }
    expect((await addon().diffTurn(named)).files).toHaveLength(1)
    await addon().attributeTurn(named)
    repo.git('update-ref', ref, request.from.oid ?? request.from.ref)
    expect((await addon().diffTurn(named)).patch).toBe('')
  })

  it('the panel names what the card named, though the log is gone meanwhile; the next card looks for itself', async () => {
    const { repo, request } = await pulledAndEdited()
    await addon().attributeTurn(request)
    const card = await addon().attributeTurn(request)
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    const patch = await addon().diffTurn(request)
    expect(patch.files.map((file) => file.path)).toEqual(card.shown.map((file) => file.path))
    expect(patch.attribution).toEqual(card.attribution)
    expect((await addon().attributeTurn(request)).attribution.notes).toContain('no-reflog')
  })

  it('it serves a second and a half', async () => {
    const { repo, request } = await pulledAndEdited()
    await addon().attributeTurn(request)
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    // The handle stays open meanwhile.
    for (let time = 0; time < 4; time++) {
      await sleep(450)
      await addon().readHead(request.cwd)
    }
    expect((await addon().diffTurn(request)).attribution.notes).toContain('no-reflog')
  })

  it('after a card that could not tell what moved, the patch hides nothing for the card before it', async () => {
    const { repo, request } = await pulledAndEdited()
    await addon().attributeTurn(request)
    expect((await addon().attributeTurn(request)).demoted.fileCount).toBe(1)
    // The pin stands behind the end of the log.
    truncateSync(join(repo.cwd, '.git/logs/HEAD'))
    const card = await addon().attributeTurn(request)
    expect(card.attribution).toMatchObject({ status: 'not-attributed', reason: 'reflog-lost' })
    expect(card.shown.map((file) => file.path)).toEqual(['shared.ts', 'theirs.ts'])
    const patch = await addon().diffTurn(request)
    expect(patch.files.map((file) => file.path)).toEqual(['shared.ts', 'theirs.ts'])
    expect(patch.patch).toContain('+new')
    expect(patch.attribution).toEqual(card.attribution)
  })

  it('of two open handles none hands over what is older than the last card', async () => {
    const { repo, request } = await pulledAndEdited()
    // Calls that overlap open several.
    const together = () => Promise.all([1, 2, 3].map(() => addon().attributeTurn(request)))
    await together()
    await together()
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    const card = await addon().attributeTurn(request)
    expect(card.attribution.notes).toContain('no-reflog')
    // As many at once as there are handles: each takes another.
    const patches = await Promise.all([1, 2, 3].map(() => addon().diffTurn(request)))
    for (const patch of patches) expect(patch.attribution).toEqual(card.attribution)
  })

  it('a card of another folder of the repository counts as the last one too', async () => {
    const { repo, request } = await pulledAndEdited()
    mkdirSync(join(repo.cwd, 'inside'))
    const inside = { ...request, cwd: join(repo.cwd, 'inside') }
    await addon().attributeTurn(inside)
    await addon().attributeTurn(inside)
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    const card = await addon().attributeTurn(request)
    expect((await addon().diffTurn(inside)).attribution).toEqual(card.attribution)
  })

  it('an answer in which something could not be read is not handed over', async () => {
    const { repo, request } = await pulledAndEdited()
    const object = (oid: string) => join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2))
    const head = object(request.to.headOid ?? '')
    renameSync(head, `${head}.away`)
    await addon().closeRepositories()
    expect((await addon().attributeTurn(request)).attribution.status).toBe('not-attributed')
    renameSync(`${head}.away`, head)
    expect((await addon().diffTurn(request)).attribution.status).toBe('attributed')
  })
})

describe('what a kept handle stands for', () => {
  it('a folder that has become a file is in no repository', async () => {
    const { repo, request } = await pulledAndEdited()
    const cwd = join(repo.cwd, 'inside')
    mkdirSync(cwd)
    await addon().attributeTurn({ ...request, cwd })
    rmSync(cwd, { recursive: true })
    writeFileSync(cwd, 'a file now\n')
    await expect(addon().diffTurn({ ...request, cwd })).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
  })
})
