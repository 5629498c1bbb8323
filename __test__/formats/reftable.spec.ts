// Refs and logs in tables: `readHead` says what git says in every state that git can stop in, and a pin holds through
// whatever git does to the tables. That every ref and log reads alike is in tests/reftable.rs.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask } from '../scenarios/play.js'
import { addon } from '../support/addon.js'
import type { TurnRepository } from '../support/turn-repository.js'
import { expectAnswer, expectHeadOfGit, madeAs, past, tell } from './story.js'

const repository = () => past({ refs: 'reftable' }).home

/** `topic` and `main` change the same line of one file, and `topic` another one before. */
function forked(): TurnRepository {
  const repo = repository()
  repo.switchNew('topic')
  repo.write('clean.txt', 'clean\n').commit('clean')
  repo.edit('src/both.ts', 1, 'of topic').commit('of topic')
  repo.checkout('main')
  repo.edit('src/both.ts', 1, 'of main').commit('of main')
  return repo
}

const operationOf = async (repo: TurnRepository) => (await addon().readHead(repo.cwd)).operation

describe('readHead', () => {
  it('unborn, on a branch, detached, on a branch with a name of its own', async () => {
    const repo = repository()
    await expectHeadOfGit(repo)
    repo.checkout('--detach', 'HEAD~1')
    await expectHeadOfGit(repo)
    repo.orphan('größe/ß-🦊')
    await expectHeadOfGit(repo)
    repo.commit('born')
    await expectHeadOfGit(repo)
    repo.git('branch', '-m', 'größe/neu')
    await expectHeadOfGit(repo)
  })

  it('a branch that stands for another', async () => {
    const repo = repository()
    repo.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/alias')
    const facts = await addon().readHead(repo.cwd)
    expect(facts).toMatchObject({ headOid: repo.oid(), branch: 'main' })
    repo.git('symbolic-ref', 'refs/heads/main', 'refs/heads/alias')
    await expect(addon().readHead(repo.cwd)).resolves.toMatchObject({ headOid: null })
  })

  it('in the middle of a merge', async () => {
    const repo = forked()
    expect(repo.merge('topic').status).not.toBe(0)
    await expectHeadOfGit(repo)
    expect(await operationOf(repo)).toBe('merge')
  })

  for (const backend of ['--merge', '--apply']) {
    it(`in the middle of a rebase ${backend}`, async () => {
      const repo = forked()
      const head = repo.oid('topic')
      repo.checkout('topic')
      expect(repo.rebase('main', backend).status).not.toBe(0)
      const facts = await addon().readHead(repo.cwd)
      expect(facts).toMatchObject({ headOid: repo.oid(), branch: 'topic', operation: 'rebase' })
      expect(facts.headOid).not.toBe(head)
    })
  }

  it('in the middle of a cherry-pick, and of a sequence whose pick was committed by hand', async () => {
    const repo = forked()
    expect(repo.cherryPick('topic', 'topic~1').status).not.toBe(0)
    await expectHeadOfGit(repo)
    expect(await operationOf(repo)).toBe('cherry-pick')
    repo.write('src/both.ts', 'resolved\n').commit('by hand')
    await expectHeadOfGit(repo)
    expect(await operationOf(repo)).toBe('cherry-pick')
  })

  it('in the middle of a revert', async () => {
    const repo = forked()
    repo.edit('src/both.ts', 1, 'again').commit('again')
    expect(repo.revert('HEAD~1').status).not.toBe(0)
    await expectHeadOfGit(repo)
    expect(await operationOf(repo)).toBe('revert')
  })

  it('in the middle of a bisect', async () => {
    const repo = forked()
    repo.bisect('start', 'HEAD', 'HEAD~2')
    await expectHeadOfGit(repo)
    expect(await operationOf(repo)).toBe('bisect')
  })

  it('a damaged table, a list of tables that is gone: a typed error', async () => {
    for (const damage of [
      (folder: string) => {
        for (const name of readdirSync(folder).filter((name) => name.endsWith('.ref'))) {
          const content = readFileSync(join(folder, name))
          writeFileSync(join(folder, name), content.subarray(0, content.length / 2))
        }
      },
      (folder: string) => rmSync(join(folder, 'tables.list')),
      (folder: string) => writeFileSync(join(folder, 'tables.list'), 'no-such-table.ref\n'),
      (folder: string) => writeFileSync(join(folder, 'tables.list'), Uint8Array.from([0xff, 0xfe, 10])),
    ]) {
      const repo = repository()
      damage(join(repo.cwd, '.git/reftable'))
      await expect(addon().readHead(repo.cwd)).rejects.toMatchObject({ code: 'REPOSITORY_UNREADABLE' })
      repo.discard()
    }
  })
})

describe('a pin', () => {
  it('holds through compaction, and the same answer is given', async () => {
    const setting = past({ refs: 'reftable' })
    const { home } = setting
    const request = await tell(setting)
    await expectAnswer(request)
    for (let at = 0; at < 30; at += 1) home.git('update-ref', `refs/heads/later/${at}`, 'HEAD')
    home.write('src/after.ts', 'later\n').commit('later')
    home.git('pack-refs', '--all')
    expect(readdirSync(join(home.cwd, '.git/reftable')).filter((name) => name.endsWith('.ref'))).toHaveLength(1)
    await expectAnswer(request)
  })

  it('is known to be lost when the log expired', async () => {
    const setting = past({ refs: 'reftable' })
    const { home } = setting
    const request = await tell(setting)
    home.git('reflog', 'expire', '--expire=all', '--all')
    home.git('pack-refs', '--all')
    const turn = await ask(home, request, { askLater: false })
    expect(turn.result.shown.map((file) => file.path)).toEqual(expect.arrayContaining(['src/both.ts', 'src/new.ts']))
    expect(JSON.stringify(turn.result.attribution)).toMatch(/reflog-lost|no-reflog/)
  })
})

it('tables that are merged while calls are made: every answer is the right one', async () => {
  const setting = madeAs({ refs: 'reftable' }, () => past({ refs: 'reftable' }))
  const { home } = setting
  const request = await tell(setting)
  const calls: Promise<unknown>[] = []
  for (let at = 0; at < 12; at += 1) {
    for (let call = 0; call < 4; call += 1)
      calls.push(
        expectAnswer(request),
        addon()
          .readHead(home.cwd)
          .then((facts) => expect(facts).toMatchObject({ branch: 'topic/ünï', headOid: request.to.headOid })),
      )
    home.git('update-ref', '-m', 'x', '--create-reflog', `refs/heads/more/${at}`, 'HEAD')
    if (at % 3 === 2) home.git('pack-refs', '--all')
    await new Promise((done) => setImmediate(done))
  }
  await Promise.all(calls)
})
