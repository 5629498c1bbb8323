// Commits and amends: what the agent commits stays its work, whatever name and date the commit bears.
import { describe, expect, it } from 'vitest'
import { colleague } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

function withEarlierCommit(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.edit('a.ts', 3, 'earlier').create('e.ts', lines(5, 'e')).commit('earlier')
  return repo
}

describe('the agent commits', () => {
  it('once: shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine'))
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, reason: 'authored' }, 'n.ts']).toDemote(0)
    turn.toMove('fast-forward')
  })

  it('several times, and pushes: shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('one')
      repo.edit('a.ts', 15, 'mine').commit('two')
      repo.create('n.ts', 'n\n').commit('three')
      repo.push('main')
    })
    turn.toShow([{ path: 'a.ts', additions: 2, deletions: 2 }, 'n.ts']).toDemote(0)
  })

  it("under another's name: shown", async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.edit('a.ts', 5, 'mine').commit('mine', { author: colleague }))
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('with an old author date, an old committer date, or both: shown', async () => {
    for (const dates of [
      { date: '2023-05-01T00:00:00Z' },
      { committerDate: '2023-05-01T00:00:00Z' },
      { date: '2023-05-01T00:00:00Z', committerDate: '2023-05-01T00:00:00Z' },
    ]) {
      const repo = withEarlierCommit()
      const turn = await playTurn(repo, () => repo.edit('a.ts', 5, 'mine').commit('mine', dates))
      turn.toShow(['a.ts']).toDemote(0)
    }
  })

  it('with the author and date of an older commit (-C): shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => {
      repo.edit('b.ts', 1, 'mine')
      repo.git('commit', '-q', '-a', '-C', 'HEAD')
    })
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('a part, and leaves the rest in the working tree: both are shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => {
      repo
        .edit('a.ts', 5, 'mine')
        .edit('b.ts', 1, 'mine')
        .commit('a part', { paths: ['a.ts'] })
    })
    turn.toShow(['a.ts', 'b.ts']).toDemote(0)
  })

  it("the user's uncommitted edits unchanged: nothing changed on disk", async () => {
    const repo = withEarlierCommit()
    repo.edit('a.ts', 5, 'of the user').create('u.ts', 'u\n')
    const turn = await playTurn(repo, () => repo.commit('what was there'))
    turn.toShowNothing().toDemote(0)
  })

  it("the user's uncommitted edits with its own: its own lines are shown", async () => {
    const repo = withEarlierCommit()
    repo.edit('a.ts', 5, 'of the user')
    const turn = await playTurn(repo, () => repo.edit('a.ts', 15, 'mine').commit('all of it'))
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('and reverts its commit: nothing is left', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.revert('HEAD')
    })
    turn.toShowNothing().toDemote(0)
  })
})

describe('the agent amends a commit made before the turn', () => {
  it('with an edit: exactly the changed file is shown, with the changed lines', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.edit('a.ts', 10, 'mine').amend())
    turn
      .toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }])
      .toDemote(0)
      .toMove('rewrite')
  })

  it('in words only: nothing is shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.amend('in other words'))
    turn.toShowNothing().toDemote(0).toBeAttributed()
  })

  it('with another author and date: nothing is shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.git('commit', '-q', '--amend', '--reset-author', '--no-edit'))
    turn.toShowNothing().toDemote(0)
  })

  it('twice: both edits are shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 10, 'mine').amend()
      repo.edit('e.ts', 2, 'mine').amend('in other words')
    })
    turn.toShow(['a.ts', { path: 'e.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('taking a file out of it: the deletion is shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.remove('e.ts').amend())
    turn.toShow([{ path: 'e.ts', kind: 'deleted', deletions: 5 }]).toDemote(0)
  })

  it('taking its change of a file out of it: shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.write('a.ts', lines(20)).amend())
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('back to an earlier version of the same commit: shown', async () => {
    const repo = withEarlierCommit()
    repo.edit('e.ts', 2, 'a second thought').amend()
    const turn = await playTurn(repo, () => repo.edit('e.ts', 2, 'e 2').amend())
    turn.toShow([{ path: 'e.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('in its white space alone: shown', async () => {
    const repo = withEarlierCommit()
    const turn = await playTurn(repo, () => repo.edit('a.ts', 3, '  earlier').amend())
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('after pulling it: the amended file is shown, the rest of the pull demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'a.ts': lines(20, 'theirs'), 'b.ts': 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('a.ts', 10, 'mine').amend()
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
  })

  it('a merge of before the turn', async () => {
    const repo = withEarlierCommit()
    repo.switchNew('side', 'HEAD~1').create('s.ts', 's\n').commit('side')
    repo.checkout('main').merge('side', '--no-ff')
    const turn = await playTurn(repo, () => repo.edit('s.ts', 1, 'mine').amend())
    turn.toShow([{ path: 's.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })
})

it('the agent amends its own commit of the turn: all of its work is shown', async () => {
  const repo = withEarlierCommit()
  const turn = await playTurn(repo, () => {
    repo.edit('a.ts', 10, 'mine').commit('mine')
    repo.create('n.ts', 'n\n').amend()
    repo.amend('better words')
  })
  turn.toShow(['a.ts', 'n.ts']).toDemote(0)
  expect(turn.result.shown.every((file) => !file.mixed)).toBe(true)
})
