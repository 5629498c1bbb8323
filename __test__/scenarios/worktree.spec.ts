// Sub-agents in worktrees of their own, and turns that are played in a linked worktree.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

function plain(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.edit('b.ts', 1, 'earlier').commit('earlier')
  return repo
}

describe('a sub-agent commits in another worktree, and its branch is merged here', () => {
  const endings: [string, (repo: TurnRepository, sub: TurnRepository) => unknown][] = [
    ['the worktree stays', () => undefined],
    ['the worktree is removed', (repo, sub) => repo.worktreeRemove(sub)],
    ['the worktree is removed and the branch deleted', (repo, sub) => repo.worktreeRemove(sub).branch('-D', 'sub')],
  ]
  for (const [name, ending] of endings) {
    it(`by fast-forward; ${name}: shown`, async () => {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        const sub = repo.worktree('sub')
        sub.edit('a.ts', 5, 'sub').create('n.ts', 'n\n').commit('sub-agent')
        expect(repo.merge('sub').status).toBe(0)
        ending(repo, sub)
      })
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(0)
    })

    it(`by a merge commit; ${name}: shown`, async () => {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        const sub = repo.worktree('sub')
        sub.edit('a.ts', 5, 'sub').create('n.ts', 'n\n').commit('sub-agent')
        repo.create('here.ts', 'here\n').commit('meanwhile')
        expect(repo.merge('sub').status).toBe(0)
        ending(repo, sub)
      })
      turn.toShow(['a.ts', 'n.ts', 'here.ts']).toDemote(0)
    })
  }

  it('by cherry-pick: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      const work = sub.edit('a.ts', 5, 'sub').commit('sub-agent')
      repo.cherryPick(work)
      repo.worktreeRemove(sub)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('with old dates by hand, the worktree still there: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      const date = '2023-05-01T00:00:00Z'
      sub.edit('a.ts', 5, 'sub').commit('sub-agent', { date, committerDate: date })
      expect(repo.merge('sub').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('after it rebased a branch of before the turn: that branch is demoted, its own work shown', async () => {
    const repo = plain()
    repo.switchNew('topic', 'HEAD~1').create('t.ts', 't\n').commit('topic')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub', 'topic')
      expect(sub.rebase('main').status).toBe(0)
      sub.create('n.ts', 'n\n').commit('sub-agent')
      expect(repo.merge('sub').status).toBe(0)
    })
    turn.toShow(['n.ts']).toDemote(1)
  })

  it('two sub-agents, both merged: all of their work is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const [one, two] = [repo.worktree('one'), repo.worktree('two')]
      one.edit('a.ts', 3, 'one').commit('one')
      two.edit('a.ts', 15, 'two').commit('two')
      repo.merge('one')
      expect(repo.merge('two').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 2, deletions: 2 }]).toDemote(0)
  })

  it('a worktree of old commits, merged: demoted', async () => {
    const repo = plain()
    repo.switchNew('old', 'HEAD~1').create('o.ts', 'o\n').commit('old')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.worktree('sub', 'old')
      expect(repo.merge('sub').status).toBe(0)
    })
    turn.toShowNothing().toDemote(1)
  })
})

describe('a turn in a linked worktree', () => {
  it('a pull is demoted, an edit and a commit are shown', async () => {
    const repo = plain()
    repo.push('main')
    repo.teammate.push({ 'up.ts': 'up\n', 'b.ts': 'theirs\n' })
    const linked = repo.worktree('linked')
    const turn = await playTurn(linked, () => {
      expect(linked.pull({ branch: 'main' }).status).toBe(0)
      linked.edit('a.ts', 5, 'mine').commit('mine')
      linked.create('n.ts', 'n\n')
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(2)
    expect(turn.result.attribution).toMatchObject({ evidence: 'reflog' })
    expect(turn.result.branchTransition).toMatchObject({ fromBranch: 'linked', toBranch: 'linked' })
  })

  it('work that the main checkout commits meanwhile is shown when it is merged here', async () => {
    const repo = plain()
    const linked = repo.worktree('linked')
    const turn = await playTurn(linked, () => {
      repo.clock.beginTurn()
      repo.edit('a.ts', 5, 'main agent').commit('in the main checkout')
      expect(linked.merge('main').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})
