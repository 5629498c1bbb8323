// Public reports about kinds of repositories. Each bears the number of its case.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask, playTurn, recordTurn } from '../scenarios/play.js'
import { addon } from '../support/addon.js'
import { gitEnvironment, runGit } from '../support/git.js'
import { takeSnapshot } from '../support/snapshot.js'
import { lines, TurnRepository, temporaryFolder } from '../support/turn-repository.js'

describe('C17: a repository that is broken', () => {
  it('a tree of the snapshot is gone: a typed error, never an empty answer', async () => {
    const repo = TurnRepository.create({ 'src/a.ts': lines(9) })
    const request = await recordTurn(repo, () => repo.edit('src/a.ts', 3, 'mine'))
    const tree = repo.oid(`${request.to.ref}:src`)
    rmSync(join(repo.cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)))
    const error: unknown = await addon()
      .attributeTurn(request)
      .then(
        () => 'no error',
        (reason: unknown) => reason,
      )
    expect(addon().isTurnAttributionError(error)).toBe(true)
    expect(['SNAPSHOT_MISSING', 'REPOSITORY_UNREADABLE']).toContain((error as { code: string }).code)
  })
})

describe('C27: formats', () => {
  const forms: [string, string[]][] = [
    ['sha256', ['--object-format=sha256']],
    ['reftable', ['--ref-format=reftable']],
    ['sha256 with reftable', ['--object-format=sha256', '--ref-format=reftable']],
  ]
  for (const [name, flags] of forms) {
    it(`${name}: answered, with the branch and the files of the turn`, async () => {
      const root = temporaryFolder()
      const env = gitEnvironment(root)
      runGit(root, env, ['init', '-q', ...flags, 'repo'])
      const cwd = join(root, 'repo')
      runGit(cwd, env, ['commit', '-q', '--allow-empty', '-m', 'first'])
      const start = { ref: takeSnapshot(cwd, env), ...(await addon().readHead(cwd)) }
      writeFileSync(join(cwd, 'a.ts'), 'mine\n')
      runGit(cwd, env, ['add', '-A'])
      runGit(cwd, env, ['commit', '-q', '-m', 'second'])
      const end = { ref: takeSnapshot(cwd, env), ...(await addon().readHead(cwd)) }
      expect(end).toMatchObject({ headOid: runGit(cwd, env, ['rev-parse', 'HEAD']), branch: 'main' })
      const facts = ({ ref, headOid, branch, pin }: typeof start) => ({ ref, headOid, branch, pin })
      const result = await addon().attributeTurn({ cwd, from: facts(start), to: facts(end) })
      expect(result.shown).toMatchObject([{ path: 'a.ts', additions: 1, deletions: 0 }])
      expect(result.attribution).toMatchObject({ status: 'attributed', evidence: 'reflog' })
    })
  }
})

describe('C28: a partial clone', () => {
  function partial(filter: string): { repo: TurnRepository; clone: TurnRepository } {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': lines(9), 'dir/c.ts': 'c\n' })
    runGit(repo.origin, repo.env, ['config', 'uploadpack.allowFilter', 'true'])
    runGit(repo.origin, repo.env, ['config', 'uploadpack.allowAnySHA1InWant', 'true'])
    const folder = join(temporaryFolder(), 'checkout')
    runGit(repo.root, repo.env, ['clone', '-q', `--filter=${filter}`, `file://${repo.origin}`, folder])
    return { repo, clone: new TurnRepository(repo.root, {}, folder) }
  }

  it('pulled files are demoted without reading their contents, an edit is shown, nothing is fetched', async () => {
    const { repo, clone } = partial('blob:none')
    repo.teammate.push({ 'b.ts': lines(9, 'theirs'), 'up.ts': 'up\n' })
    const request = await recordTurn(clone, () => {
      clone.git('fetch', '-q')
      clone.git('merge', '-q', '--ff-only', 'origin/main')
      clone.edit('a.ts', 3, 'mine')
    })
    clone.git('remote', 'set-url', 'origin', '/nowhere')
    const turn = await ask(clone, request, { askLater: false })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(2)
  })

  it('a content that is not here takes the counts of that file, not the answer', async () => {
    const { repo, clone } = partial('blob:none')
    repo.teammate.push({ 'b.ts': lines(9, 'theirs') })
    const request = await recordTurn(clone, () => {
      clone.git('fetch', '-q')
      clone.reset('soft', 'origin/main')
      clone.edit('a.ts', 3, 'mine').write('b.ts', lines(9, 'mine'))
    })
    clone.git('remote', 'set-url', 'origin', '/nowhere')
    const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
    expect(result.shown.map((file) => file.path)).toEqual(['a.ts', 'b.ts'])
    const [a, b] = result.shown
    expect(a).toMatchObject({ additions: 1, deletions: 1 })
    expect(b).toMatchObject({ additions: null, deletions: null, binary: false, uncounted: 'content-missing' })
  })

  it('even trees are missing: everything is shown with a reason, or rightly attributed', async () => {
    const { repo, clone } = partial('tree:0')
    repo.teammate.push({ 'b.ts': lines(9, 'theirs') })
    const request = await recordTurn(clone, () => {
      clone.git('fetch', '-q')
      clone.git('merge', '-q', '--ff-only', 'origin/main')
      clone.edit('a.ts', 3, 'mine')
    })
    clone.git('remote', 'set-url', 'origin', '/nowhere')
    const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
    expect(result.shown.map((file) => file.path)).toContain('a.ts')
  })
})

describe('C39: the workspace is a folder inside the repository', () => {
  it('paths are relative to the root, pulled files outside of the workspace are demoted', async () => {
    const repo = TurnRepository.create({ root: 'r\n', 'apps/server/s': lines(5) })
    repo.teammate.push({ root: 'theirs\n' })
    const cwd = join(repo.cwd, 'apps/server')
    repo.clock.beginTurn()
    const from = await repo.checkpoint(cwd)
    repo.pull()
    repo.edit('apps/server/s', 2, 'mine')
    const turn = await ask(repo, { cwd, from, to: await repo.checkpoint(cwd) })
    turn.toShow([{ path: 'apps/server/s', additions: 1, deletions: 1 }]).toDemote(1)
    expect(turn.result.demoted.files?.map((file) => file.path)).toEqual(['root'])
  })

  it('an edit outside of it is not in such a snapshot, and not in the turn', async () => {
    const repo = TurnRepository.create({ root: 'r\n', 'apps/server/s': lines(5) })
    const cwd = join(repo.cwd, 'apps/server')
    repo.clock.beginTurn()
    const from = await repo.checkpoint(cwd)
    repo.write('root', 'mine\n')
    const turn = await ask(repo, { cwd, from, to: await repo.checkpoint(cwd) })
    turn.toShowNothing().toDemote(0)
  })
})

it('C24: a later call is unharmed by one that fails', async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(9) })
  const turn = await playTurn(repo, () => repo.edit('a.ts', 3, 'mine').commit('mine'))
  const blob = repo.oid('HEAD:a.ts')
  await expect(addon().attributeTurn({ ...turn.request, from: { ref: blob } })).rejects.toMatchObject({
    code: 'SNAPSHOT_MISSING',
  })
  expect(await addon().attributeTurn(turn.request)).toEqual(turn.result)
})
