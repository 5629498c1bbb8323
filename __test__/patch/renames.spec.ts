// Renames in the patch: of shown files among themselves only, of all files as git pairs them, and given up for size.
import { describe, expect, it } from 'vitest'
import { type AttributeTurnRequest, addon } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { firstDifference, gitDiff, ourDiff, withoutSimilarity } from './git-diff.js'

async function turnOf(repo: TurnRepository, story: () => void): Promise<AttributeTurnRequest> {
  const from = await repo.startTurn()
  story()
  return { cwd: repo.cwd, from, to: await repo.endTurn() }
}

/** A text of its own, a third of which all share: not similar enough to any other. */
function own(number: number): string {
  return lines(4) + lines(8, `of ${number} alone:`)
}

describe('as many deleted as added files', () => {
  it.each([
    [990, false],
    [1010, true],
  ])('%i of each', async (count, limited) => {
    const repo = TurnRepository.create()
    repo.before(() => {
      for (let n = 0; n < count; n += 1) repo.write(`old/${n}.ts`, own(n))
      repo.write('old/kept name.ts', own(-1)).write('old/exact.ts', own(-2))
      repo.commit('before')
    })
    const request = await turnOf(repo, () => {
      for (let n = 0; n < count; n += 1) repo.remove(`old/${n}.ts`).write(`new/${n}.txt`, `${own(n)}more\n`)
      repo.remove('old/kept name.ts').write('new/kept name.ts', `${own(-1)}more\n`)
      repo.remove('old/exact.ts').write('new/other.ts', own(-2))
    })
    const [from, to] = [request.from.ref, request.to.ref]
    const git = gitDiff(repo.cwd, repo.env, from, to, [])
    const ours = await ourDiff(repo.cwd, from, to, {})
    expect(firstDifference(withoutSimilarity(git), withoutSimilarity(ours.patchBytes))).toBeNull()
    expect(ours.renamesLimited).toBe(limited)
    const renamed = ours.files.filter((file) => file.kind === 'renamed')
    expect(renamed.length).toBe(limited ? 2 : count + 2)
    const card = await addon().attributeTurn(request)
    const shown = await addon().diffTurn(request)
    expect(shown.files).toMatchObject(card.shown)
  })
})

it('a file that a pull took away is no previous path of one that the agent wrote', async () => {
  const repo = TurnRepository.create({ 'old.ts': lines(30), 'other.ts': 'o\n' })
  repo.teammate.push({}, { remove: ['old.ts'] })
  const request = await turnOf(repo, () => {
    repo.pull()
    repo.write('new.ts', `${lines(30)}more\n`)
  })
  const shown = await addon().diffTurn(request)
  expect(shown.files).toMatchObject([{ path: 'new.ts', kind: 'added', additions: 31, deletions: 0 }])
  expect(shown.patch).not.toContain('old.ts')
  const all = await addon().diffTurn(request, { includeGitChanges: true })
  expect(all.files).toMatchObject([{ path: 'new.ts', previousPath: 'old.ts', kind: 'renamed', demoted: false }])
  expect(all.patchBytes).toEqual(gitDiff(repo.cwd, repo.env, request.from.ref, request.to.ref, []))
})

it('empty files are renames of one another to git, and not on the card', async () => {
  const repo = TurnRepository.create({ 'a.ts': '', 'b.ts': 'b\n' })
  const request = await turnOf(repo, () => repo.move('a.ts', 'c.ts'))
  const shown = await addon().diffTurn(request)
  expect(shown.files.map(({ path, kind }) => [path, kind])).toEqual([
    ['a.ts', 'deleted'],
    ['c.ts', 'added'],
  ])
  const all = await addon().diffTurn(request, { includeGitChanges: true })
  expect(all.files).toMatchObject([{ path: 'c.ts', previousPath: 'a.ts', kind: 'renamed' }])
  expect(all.patchBytes).toEqual(gitDiff(repo.cwd, repo.env, request.from.ref, request.to.ref, []))
})
