// Resets: to older and upstream commits, soft and mixed with a commit after them, to and fro.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

/** Two commits of before the turn: `a.ts` and `b.ts` changed, then `c.ts` added. */
function withTwoCommits(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': lines(9), 'keep.ts': 'k\n' })
  repo.edit('a.ts', 2, 'earlier').edit('b.ts', 2, 'earlier').commit('earlier')
  repo.create('c.ts', 'c\n').commit('later')
  return repo
}

/** Upstream changed `a.ts` and `b.ts`. */
function behindUpstream(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': lines(9), 'keep.ts': 'k\n' })
  repo.teammate.push({ 'a.ts': lines(9, 'theirs'), 'b.ts': lines(9, 'theirs') })
  return repo
}

describe('reset --hard', () => {
  it('to an older commit: the way back is demoted', async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => repo.reset('hard', 'HEAD~2'))
    turn.toShowNothing().toDemote(3).toMove('rewind')
  })

  it('to upstream: the way there is demoted', async () => {
    const repo = behindUpstream()
    const turn = await playTurn(repo, () => repo.fetch().reset('hard', 'origin/main'))
    turn.toShowNothing().toDemote(2).toMove('fast-forward')
  })

  it('away from a commit of the turn: nothing is left', async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.reset('hard', 'HEAD~1')
    })
    turn.toShowNothing().toDemote(0)
  })

  it('away from it and back to it: its work is shown', async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => {
      const mine = repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.reset('hard', 'HEAD~2').reset('hard', mine)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('reset --keep moves like any other', async () => {
    const repo = withTwoCommits()
    repo.edit('keep.ts', 1, 'of the user')
    const turn = await playTurn(repo, () => repo.reset('keep', 'HEAD~1'))
    turn.toShowNothing().toDemote(1)
  })
})

describe('reset --soft and commit again', () => {
  it('of commits made before, all of them: nothing changed on disk', async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => {
      repo.reset('soft', 'HEAD~2').commit('squashed')
    })
    turn.toShowNothing().toDemote(0).toBeAttributed()
  })

  it('of what was pulled in the turn: demoted', async () => {
    const repo = behindUpstream()
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.reset('soft', 'HEAD~1').commit('as one of mine')
    })
    turn.toShowNothing().toDemote(2)
  })

  it('of what was pulled, in two commits: demoted', async () => {
    const repo = behindUpstream()
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.reset('mixed', 'HEAD~1')
      repo.commit('first half', { paths: ['a.ts'] })
      repo.commit('second half', { paths: ['b.ts'] })
    })
    turn.toShowNothing().toDemote(2)
  })

  it("leaving out a file's change: that file is shown", async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => {
      repo.reset('soft', 'HEAD~2')
      repo.git('restore', '--staged', '--worktree', 'b.ts')
      repo.commit('squashed, without b', { all: false })
    })
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('leaving out a file that was pulled: the other is demoted', async () => {
    const repo = behindUpstream()
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.reset('soft', 'HEAD~1')
      repo.git('restore', '--staged', '--worktree', 'b.ts')
      repo.commit('without b', { all: false })
    })
    turn.toShowNothing().toDemote(1)
  })

  it('with an edit slipped in: the edit is shown with its own lines', async () => {
    const repo = behindUpstream()
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.reset('soft', 'HEAD~1')
      repo.edit('a.ts', 4, 'mine').commit('with more')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
  })

  it('a reset of the branch to an old state is redone by hand in a new commit: shown', async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => {
      repo.reset('hard', 'HEAD~2')
      repo.edit('b.ts', 7, 'mine').commit('another way')
    })
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1 }]).toDemote(2)
  })

  it('of the commits of the turn itself: they are the work of the agent, squashed or not', async () => {
    const repo = withTwoCommits()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.edit('b.ts', 5, 'mine').commit('mine too')
      repo.reset('soft', 'HEAD~2').commit('both')
    })
    turn.toShow(['a.ts', 'b.ts']).toDemote(0)
  })
})

it('resets and rebases to and fro end, and show what the agent wrote', async () => {
  const repo = behindUpstream()
  repo.switchNew('topic').create('t.ts', 't\n').commit('topic')
  const turn = await playTurn(repo, () => {
    repo.fetch()
    repo.create('mine.ts', 'mine\n').commit('mine')
    const first = repo.oid()
    expect(repo.rebase('origin/main').status).toBe(0)
    const second = repo.oid()
    repo.reset('hard', first)
    expect(repo.rebaseOnto('main', 'main~0', '-f').status).toBe(0)
    repo.reset('hard', second)
    expect(repo.rebase('main').status).toBe(0)
    repo.reset('soft', 'HEAD~1').commit('again')
    repo.reset('hard', first).reset('hard', second)
  })
  turn.toShow(['mine.ts']).toDemote(2)
})

it('a rebase and one back to the very commit end where the hand is left out: what the agent wrote is shown', async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(9) })
  repo.switchNew('topic')
  repo.checkout('main').create('m.ts', 'm\n').commit('main')
  repo.checkout('topic')
  const turn = await playTurn(repo, () => {
    const mine = repo.edit('a.ts', 2, 'mine').commit('mine')
    const exact = '--committer-date-is-author-date'
    expect(repo.rebase('main', exact).status).toBe(0)
    expect(repo.rebaseOnto('main~1', 'main', exact).status).toBe(0)
    expect(repo.oid()).toBe(mine)
  })
  turn.toShow(['a.ts']).toDemote(0)
})
