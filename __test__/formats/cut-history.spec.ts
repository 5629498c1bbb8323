// Clones that hold a part of history or of its objects: nothing is fetched, and what is missing is never guessed.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addon } from '../support/addon.js'
import { runGit } from '../support/git.js'
import { takeSnapshot } from '../support/snapshot.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { expectAnswer, expectSameAsPlain, past, plainAnswer, type Setting, tell, told } from './story.js'

function clone(setting: Setting, ...flags: string[]): Setting {
  const { home } = setting
  runGit(home.origin, home.env, ['config', 'uploadpack.allowFilter', 'true'])
  runGit(home.origin, home.env, ['config', 'uploadpack.allowAnySHA1InWant', 'true'])
  const folder = join(home.root, 'clone')
  runGit(home.root, home.env, ['clone', '-q', ...flags, `file://${home.origin}`, folder])
  const repo = new TurnRepository(home.root, {}, folder)
  repo.git('config', 'user.email', 'robin@example.org')
  return { home, repo }
}

/** From here on a fetch would fail, and be seen: it would run a command of ours. */
function cutOff(repo: TurnRepository): () => void {
  const seen = join(repo.root, 'fetched')
  repo.git('config', 'protocol.ext.allow', 'always')
  repo.git('config', 'remote.origin.url', `ext::sh -c "touch% ${seen}"`)
  const files = () => readdirSync(join(repo.cwd, '.git/objects'), { recursive: true }).sort()
  const before = files()
  return () => {
    expect(existsSync(seen), 'something was fetched').toBe(false)
    expect(files(), 'objects').toEqual(before)
  }
}

describe('a shallow clone', () => {
  it('whose boundary is the parent of the head of the start', async () => {
    await expectSameAsPlain(clone(past(), '--depth=2', '--no-single-branch'))
  })

  it('with reftable and SHA-256', async () => {
    const setting = past({ hash: 'sha256', refs: 'files' })
    await expectSameAsPlain(clone(setting, '--depth=2', '--no-single-branch', '--ref-format=reftable'))
  })

  it('the boundary is no root: a revert beyond it shows everything with the reason, or is right', async () => {
    const home = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': lines(9) })
    home.edit('b.ts', 2, 'second').commit('second')
    home.push('main')
    const { repo } = clone({ home, repo: home }, '--depth=1')
    const from = await repo.startTurn()
    repo.git('commit', '-q', '--amend', '-m', 'other words')
    repo.write('mine.ts', 'mine\n')
    const to = await repo.endTurn()
    const result = await addon().attributeTurn({ cwd: repo.cwd, from, to, demoted: 'paths' })
    expect(result.shown.map((file) => file.path)).toEqual(['mine.ts'])
  })
})

describe('a partial clone', () => {
  for (const filter of ['blob:none', 'blob:limit=1', 'tree:0']) {
    it(`${filter}: the same answer as long as what is shown is here`, async () => {
      const setting = clone(past(), `--filter=${filter}`)
      const request = await tell(setting)
      const nothingFetched = cutOff(setting.repo)
      await expectAnswer(request)
      await addon().diffTurn(request)
      nothingFetched()
    })
  }

  it('a blob that is absent stays with its file, which says why', async () => {
    const home = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': lines(9) })
    const { repo } = clone({ home, repo: home }, '--filter=blob:none')
    home.teammate.push({ 'b.ts': lines(9, 'theirs') })
    const from = await repo.startTurn()
    repo.git('fetch', '-q')
    repo.reset('soft', 'origin/main')
    repo.edit('a.ts', 3, 'mine').write('b.ts', lines(9, 'mine'))
    const request = { cwd: repo.cwd, from, to: await repo.endTurn() }
    const nothingFetched = cutOff(repo)
    const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
    expect(result.shown.map((file) => file.path)).toEqual(['a.ts', 'b.ts'])
    const [a, b] = result.shown
    expect(a).toMatchObject({ additions: 1, deletions: 1, uncounted: null })
    expect(b).toMatchObject({ additions: null, deletions: null, binary: false, uncounted: 'content-missing' })
    const patch = await addon().diffTurn(request)
    expect(patch.patch).toContain('+mine')
    nothingFetched()
  })

  it('trees that are absent, where history needs them: everything is shown with the reason', async () => {
    const setting = clone(past(), '--filter=tree:0', '--no-checkout')
    const { repo } = setting
    repo.git('checkout', '-q', 'main')
    const request = await tell(setting)
    // As if the trees of the way between had never been asked for.
    const tree = repo.oid('origin/main^{tree}')
    const nothingFetched = cutOff(repo)
    rmSync(join(repo.cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)), { force: true })
    const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
    if (result.attribution.status === 'not-attributed') {
      expect(result.attribution.reason).toBe('history-missing')
      expect(result.demoted.fileCount).toBe(0)
    } else expect(told(result)).toEqual(await plainAnswer())
    nothingFetched()
  })

  it('made by an older git, which says so with an extension', async () => {
    const setting = clone(past(), '--filter=blob:none')
    setting.repo.git('config', 'core.repositoryFormatVersion', '1')
    setting.repo.git('config', 'extensions.partialClone', 'origin')
    await expectAnswer(await tell(setting))
  })
})

it('a promised snapshot tree that is not here rejects: no host could show anything', async () => {
  const home = TurnRepository.create({ 'src/a.ts': lines(9) })
  const { repo } = clone({ home, repo: home }, '--filter=blob:none')
  const from = takeSnapshot(repo.cwd, repo.env)
  repo.write('src/a.ts', 'mine\n')
  const to = takeSnapshot(repo.cwd, repo.env)
  const tree = repo.oid(`${to}:src`)
  rmSync(join(repo.cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)))
  const nothingFetched = cutOff(repo)
  await expect(addon().attributeTurn({ cwd: repo.cwd, from: { ref: from }, to: { ref: to } })).rejects.toMatchObject({
    code: expect.stringMatching(/^(SNAPSHOT_MISSING|REPOSITORY_UNREADABLE)$/),
  })
  nothingFetched()
})
