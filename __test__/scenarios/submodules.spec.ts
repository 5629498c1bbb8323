// A submodule is one line in the tree of the superproject; its oid is never looked up there.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

function withSubmodule(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(9) })
  repo.submodule('sub')
  repo.commit('add a submodule')
  repo.push('main')
  return repo
}

/** The colleague moves the pointer of `sub` to `oid`, which exists nowhere here. */
function pushPointer(repo: TurnRepository, oid: string): void {
  const { teammate } = repo
  teammate.follow('main')
  teammate.git(['update-index', '--cacheinfo', `160000,${oid},sub`])
  teammate.git(['commit', '-q', '-m', 'bump'])
  teammate.git(['push', '-q', 'origin', 'main'])
}

describe('a submodule', () => {
  it('whose pointer the agent moves: shown as one line each way', async () => {
    const repo = withSubmodule()
    repo.git('config', 'diff.ignoreSubmodules', 'all')
    const before = repo.oid('HEAD:sub')
    let after = ''
    const turn = await playTurn(repo, () => {
      after = repo.commitInside('sub', 'inner, changed\n')
    })
    turn
      .toShow([{ path: 'sub', kind: 'submodule', additions: 1, deletions: 1, oldOid: before, newOid: after }])
      .toDemote(0)
  })

  it('whose pointer the agent moves and commits: shown', async () => {
    const repo = withSubmodule()
    const turn = await playTurn(repo, () => {
      repo.commitInside('sub', 'inner, changed\n')
      repo.commit('bump')
    })
    turn.toShow([{ path: 'sub', kind: 'submodule', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('whose pointer a pull moves, the submodule updated: demoted, though the commit is unknown here', async () => {
    const repo = withSubmodule()
    const inside = repo.before(() => repo.commitInside('sub', 'inner, changed\n'))
    repo.git('submodule', 'update', '-q')
    pushPointer(repo, inside)
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.git('submodule', 'update', '-q')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('whose pointer a pull moves and the agent moves on: shown from the pulled one', async () => {
    const repo = withSubmodule()
    const inside = repo.before(() => repo.commitInside('sub', 'inner, changed\n'))
    repo.git('submodule', 'update', '-q')
    pushPointer(repo, inside)
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.git('submodule', 'update', '-q')
      repo.commitInside('sub', 'inner, mine\n')
    })
    turn.toShow([{ path: 'sub', kind: 'submodule', oldOid: inside, additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('with dirty files inside is not in the turn', async () => {
    const repo = withSubmodule()
    const turn = await playTurn(repo, () => repo.write('sub/inner.txt', 'dirty\n'))
    turn.toShowNothing().toDemote(0)
  })

  it('added by the agent: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    const turn = await playTurn(repo, () => repo.submodule('sub'))
    turn.toShow(['.gitmodules', { path: 'sub', kind: 'submodule', additions: 1, deletions: 0 }]).toDemote(0)
  })

  it('removed by the agent: shown', async () => {
    const repo = withSubmodule()
    const turn = await playTurn(repo, () => repo.git('rm', '-qf', 'sub'))
    turn.toShow(['.gitmodules', { path: 'sub', kind: 'submodule', additions: 0, deletions: 1 }]).toDemote(0)
  })

  it('turned into a plain folder by the agent: the pointer goes, the files come', async () => {
    const repo = withSubmodule()
    const turn = await playTurn(repo, () => {
      repo.git('rm', '-qf', 'sub')
      repo.commit('no submodule')
      repo.create('sub/inner.txt', 'inner\n')
    })
    turn.toShow(['.gitmodules', { path: 'sub', kind: 'submodule' }, { path: 'sub/inner.txt', kind: 'added' }])
  })

  it('removed upstream: demoted', async () => {
    const repo = withSubmodule()
    const { teammate } = repo
    teammate.follow('main')
    teammate.git(['rm', '-q', 'sub', '.gitmodules'])
    teammate.git(['commit', '-q', '-m', 'without'])
    teammate.git(['push', '-q', 'origin', 'main'])
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.git('clean', '-qffd')
    })
    turn.toShowNothing().toDemote(2)
  })

  it('merged with a branch that moved it, while the agent moved it otherwise: shown', async () => {
    const repo = withSubmodule()
    const inside = repo.before(() => repo.commitInside('sub', 'inner, changed\n'))
    repo.git('submodule', 'update', '-q')
    pushPointer(repo, inside)
    const turn = await playTurn(repo, () => {
      const mine = repo.commitInside('sub', 'inner, mine\n')
      repo.commit('mine')
      repo.pull({ mode: 'merge' })
      repo.git('update-index', '--cacheinfo', `160000,${mine},sub`)
      repo.tryGit('commit', '-q', '-m', 'merged')
    })
    expect(turn.result.shown.map((file) => file.path)).toEqual(['sub'])
  })
})
