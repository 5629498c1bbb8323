// How objects and the index are stored: the answer is that of a plain repository.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask } from '../scenarios/play.js'
import { addon } from '../support/addon.js'
import { runGit } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { expectAnswer, expectSameAsPlain, type Made, past, type Setting, tell, told } from './story.js'

const objects = (repo: TurnRepository) => join(repo.cwd, '.git/objects')
const packs = (repo: TurnRepository) => readdirSync(join(objects(repo), 'pack'))

function clone(...flags: string[]): Setting {
  const { home } = past()
  const folder = join(home.root, 'clone')
  runGit(home.root, home.env, ['clone', '-q', ...flags, home.origin, folder])
  const repo = new TurnRepository(home.root, {}, folder)
  repo.git('config', 'user.email', 'robin@example.org')
  return { home, repo }
}

describe('hash and refs', () => {
  const kinds: Made[] = [
    { hash: 'sha1', refs: 'files' },
    { hash: 'sha1', refs: 'reftable' },
    { hash: 'sha256', refs: 'files' },
    { hash: 'sha256', refs: 'reftable' },
  ]
  for (const made of kinds) {
    const name = `${made.hash} with ${made.refs}`
    it(`${name}`, async () => {
      const setting = past(made)
      const turn = await expectSameAsPlain(setting)
      expect(turn.request.from.headOid).toHaveLength(made.hash === 'sha256' ? 64 : 40)
      expect(existsSync(join(setting.home.cwd, '.git/reftable'))).toBe(made.refs === 'reftable')
    })

    it(`${name}, in a linked worktree`, async () => {
      const { home } = past(made)
      home.git('switch', '-q', '-c', 'elsewhere')
      const folder = join(home.root, 'linked')
      home.git('worktree', 'add', '-q', folder, 'main')
      await expectSameAsPlain({ home, repo: new TurnRepository(home.root, {}, folder) })
    })

    it(`${name}, packed as tight as can be`, async () => {
      const { home } = past(made)
      const request = await tell({ home, repo: home })
      home.git('repack', '-q', '-a', '-d', '-f', '--depth=250', '--window=100', '--write-bitmap-index')
      home.git('pack-refs', '--all')
      home.git('multi-pack-index', 'write')
      home.git('commit-graph', 'write', '--reachable', '--changed-paths')
      await expectAnswer(request)
    })
  }
})

describe('objects', () => {
  it('all in one pack', async () => {
    const { home } = past()
    const request = await tell({ home, repo: home })
    home.git('repack', '-q', '-a', '-d')
    home.git('pack-refs', '--all')
    home.git('prune-packed')
    expect(packs(home).some((name) => name.endsWith('.pack'))).toBe(true)
    await ask(home, request, { askLater: false })
    await expectAnswer(request)
  })

  it('all loose', async () => {
    const { home, repo } = clone()
    const kept = join(home.root, 'packs')
    renameSync(join(objects(repo), 'pack'), kept)
    mkdirSync(join(objects(repo), 'pack'))
    for (const name of readdirSync(kept).filter((name) => name.endsWith('.pack')))
      runGit(repo.cwd, { ...repo.env, GIT_DIR: join(repo.cwd, '.git') }, ['unpack-objects', '-q'], {
        input: readFileSync(join(kept, name)),
      })
    await expectSameAsPlain({ home, repo })
  })

  it('a multi-pack index over several packs', async () => {
    const { home } = past()
    home.git('repack', '-q', '-d')
    const request = await tell({ home, repo: home })
    home.git('repack', '-q', '-d')
    home.git('multi-pack-index', 'write')
    expect(packs(home).filter((name) => name.endsWith('.pack')).length).toBeGreaterThan(1)
    await expectAnswer(request)
  })

  it('a split commit-graph of before the turn, and one of after it', async () => {
    const { home } = past()
    home.git('commit-graph', 'write', '--reachable', '--split')
    const request = await tell({ home, repo: home })
    await expectAnswer(request)
    home.git('commit-graph', 'write', '--reachable', '--split=no-merge', '--changed-paths')
    expect(existsSync(join(objects(home), 'info/commit-graphs'))).toBe(true)
    await expectAnswer(request)
  })

  it('a cruft pack and packs kept by a mark', async () => {
    const { home } = past()
    const request = await tell({ home, repo: home })
    home.git('repack', '-q', '-a', '-d')
    for (const name of packs(home).filter((name) => name.endsWith('.pack')))
      writeFileSync(join(objects(home), 'pack', name.replace(/pack$/, 'keep')), '')
    home.git('repack', '-q', '--cruft', '-d')
    await expectAnswer(request)
  })

  it('alternates: of a shared clone', async () => {
    await expectSameAsPlain(clone('--shared'))
  })

  it('alternates: a chain, absolute and relative', async () => {
    const { home, repo } = clone('--shared')
    const last = join(home.root, 'last')
    runGit(home.root, home.env, ['clone', '-q', '--shared', repo.cwd, last])
    writeFileSync(join(last, '.git/objects/info/alternates'), '../../../clone/.git/objects\n')
    const third = new TurnRepository(home.root, {}, last)
    third.git('remote', 'set-url', 'origin', home.origin)
    third.git('fetch', '-q')
    await expectSameAsPlain({ home, repo: third })
  })

  it('alternates that lead nowhere, or in a circle, change nothing', async () => {
    const { home } = past()
    const request = await tell({ home, repo: home })
    writeFileSync(join(objects(home), 'info/alternates'), `/nowhere/objects\n${objects(home)}\n# words\n\n`)
    await expectAnswer(request)
  })
})

describe('the index', () => {
  for (const [name, ...settings] of [
    ['version 4', 'index.version=4'],
    ['split', 'core.splitIndex=true'],
    ['with an untracked cache', 'core.untrackedCache=true'],
    ['that skips its hash', 'index.skipHash=true'],
  ] as const) {
    it(name, async () => {
      const { home } = past()
      for (const setting of settings) home.git('config', ...setting.split('='))
      home.git('update-index', '--refresh')
      if (name === 'version 4') home.git('update-index', '--index-version=4')
      if (name === 'split') home.git('update-index', '--split-index')
      await expectSameAsPlain({ home, repo: home })
    })
  }

  it('that is damaged, or gone: nothing live is read for a past turn', async () => {
    const { home } = past()
    const request = await tell({ home, repo: home })
    writeFileSync(join(home.cwd, '.git/index'), 'DIRC damaged')
    await expectAnswer(request)
    rmSync(join(home.cwd, '.git/index'))
    await expectAnswer(request)
  })

  for (const sparseIndex of [false, true]) {
    it(`a sparse checkout${sparseIndex ? ' with a sparse index' : ''}`, async () => {
      const { home } = past()
      home.write('far/away/a.txt', 'a\n').write('far/away/b.txt', 'b\n').write('far/.gitattributes', '*.txt binary\n')
      home.commit('far away')
      home.push('main')
      home.git('sparse-checkout', 'set', '--cone', sparseIndex ? '--sparse-index' : '--no-sparse-index')
      home.git('sparse-checkout', 'add', 'src', 'docs', 'tools', 'assets')
      expect(existsSync(home.path('far'))).toBe(false)
      // A snapshot of such a checkout holds what is there and what the index leaves out.
      const setting = { home, repo: home }
      await expectSameAsPlain(setting)
    })
  }
})

describe('what replaces history', () => {
  it('refs/replace does not count, as for git with GIT_NO_REPLACE_OBJECTS', async () => {
    const setting = past()
    const { home } = setting
    const request = await tell(setting)
    const replaced = ['origin/main', 'main', 'main~1'].map((revision) => home.oid(revision))
    const tree = home.oid('main~1^{tree}')
    for (const [at, oid] of replaced.entries())
      home.git('replace', oid, home.git('commit-tree', tree, '-m', `no such history ${at}`))
    await expectAnswer(request)
    home.git('pack-refs', '--all')
    await expectAnswer(request)
  })

  it('grafts: the parents that git sees', async () => {
    const setting = past()
    const { home } = setting
    writeFileSync(join(home.cwd, '.git/info/grafts'), `${home.oid('main')}\n`)
    await expectSameAsPlain(setting)
  })

  it('a graft in the way of what is needed: everything is shown, as cut', async () => {
    const setting = past()
    const { home } = setting
    const request = await tell(setting)
    writeFileSync(join(home.cwd, '.git/info/grafts'), `${home.oid('origin/side')}\n`)
    const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
    const { attribution } = result
    if (attribution.status === 'not-attributed') expect(attribution.reason).toBe('history-cut')
    else expect(told(result)).toMatchObject({ attribution: { status: 'attributed' } })
    const paths = result.shown.map((file) => file.path)
    expect(paths).toEqual(expect.arrayContaining(['src/both.ts', 'src/new.ts', 'src/after.ts']))
  })
})

it('pointers of a large file storage are the text they are; its filters are never run', async () => {
  const pointer = (text: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${text.repeat(64)}\nsize 12345\n`
  const repo = TurnRepository.create({ 'a.bin': pointer('a'), 'b.bin': pointer('b'), 'c.ts': lines(3) })
  repo.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n').commit('tracked')
  repo.push('main')
  repo.teammate.push({ 'b.bin': pointer('c') })
  const ran = join(repo.root, 'ran')
  for (const key of ['filter.lfs.clean', 'filter.lfs.smudge', 'filter.lfs.process', 'diff.lfs.textconv'])
    repo.git('config', key, `touch '${ran}' && cat`)
  repo.git('config', 'filter.lfs.process', '')
  const from = await repo.startTurn()
  repo.pull()
  repo.write('a.bin', pointer('d'))
  const to = await repo.endTurn()
  rmSync(ran, { force: true })
  const turn = await ask(repo, { cwd: repo.cwd, from, to }, { askLater: false })
  turn.toShow([{ path: 'a.bin', additions: 1, deletions: 1, binary: false }]).toDemote(1)
  const patch = await addon().diffTurn(turn.request)
  expect(patch.patch).toContain('+oid sha256:dddd')
  expect(existsSync(ran)).toBe(false)
})
