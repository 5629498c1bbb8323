// HEAD goes somewhere else: the whole branch delta has moved, the agent wrote none of it.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

/** `feature` changes one file, adds one, and lacks one that came to `main` later. */
function twoBranches(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.switchNew('feature').edit('a.ts', 3, 'feature').create('f.ts', 'f\n').commit('feature')
  repo.checkout('main')
  repo.create('m.ts', 'm\n').commit('main')
  return repo
}

describe('a switch', () => {
  it('to another branch demotes all that differs', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => repo.checkout('feature'))
    turn.toShowNothing().toDemote(3).toMove('switch')
    expect(turn.result.branchTransition).toMatchObject({ fromBranch: 'main', toBranch: 'feature' })
  })

  it('to a new branch made from an old commit demotes what lies between', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => repo.switchNew('from-old', 'HEAD~1'))
    turn.toShowNothing().toDemote(1).toMove('switch')
  })

  it('to a new branch at the same commit is no move of content', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => {
      repo.switchNew('new')
      repo.edit('a.ts', 1, 'mine')
    })
    turn.toShow(['a.ts']).toDemote(0).toBeUnmoved().toMove('switch')
  })

  it('and an edit there: the edit is shown with its own lines', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => {
      repo.checkout('feature')
      repo.edit('a.ts', 15, 'mine').edit('f.ts', 1, 'mine')
    })
    turn
      .toShow([
        { path: 'a.ts', additions: 1, deletions: 1 },
        { path: 'f.ts', additions: 1, deletions: 1 },
      ])
      .toDemote(1)
  })

  it('and a commit there: the commit is shown although HEAD moved over it', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => {
      repo.checkout('feature')
      repo.edit('a.ts', 15, 'mine').create('mine.ts', 'mine\n').commit('mine')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'mine.ts']).toDemote(2)
  })

  it('a commit on the way, on a branch that is left again, leaves nothing in the turn', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => {
      repo.edit('b.ts', 1, 'mine').commit('mine')
      repo.checkout('feature').checkout('main').reset('hard', 'HEAD~1')
    })
    turn.toShowNothing().toDemote(0)
  })

  it('work committed on the old branch before the switch shows where it differs from the new one', async () => {
    const repo = twoBranches()
    const turn = await playTurn(repo, () => {
      repo.create('mine.ts', 'mine\n').commit('mine')
      repo.checkout('feature')
    })
    turn.toShowNothing().toDemote(3)
  })

  it('carries along an uncommitted edit: it is not in the turn', async () => {
    const repo = twoBranches()
    repo.edit('b.ts', 1, 'of the user')
    const turn = await playTurn(repo, () => repo.checkout('feature'))
    turn.toShowNothing().toDemote(3)
  })

  it('by force throws away an uncommitted edit: the loss is shown, the branch delta demoted', async () => {
    const repo = twoBranches()
    repo.edit('b.ts', 1, 'of the user').edit('a.ts', 10, 'of the user')
    const turn = await playTurn(repo, () => repo.checkout('-f', 'feature'))
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'b.ts']).toDemote(2)
  })

  it('with --merge carries an edit into a file that differs: demoted when clean', async () => {
    const repo = twoBranches()
    repo.edit('a.ts', 15, 'of the user')
    const turn = await playTurn(repo, () => repo.checkout('-m', 'feature'))
    turn.toShowNothing().toDemote(3)
  })

  it('to a detached commit and back onto a branch', async () => {
    const repo = twoBranches()
    const away = await playTurn(repo, () => repo.checkout('--detach', 'HEAD~1'))
    away.toShowNothing().toDemote(1).toMove('detach')
    const back = await playTurn(repo, () => repo.checkout('feature'))
    back.toShowNothing().toDemote(2).toMove('attach')
  })
})

describe('a look around', () => {
  /** `a.ts` had an older text in an older commit. */
  function withPast(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': 'old\n', 'b.ts': 'old b\n' })
    repo.write('a.ts', 'newer\n').write('b.ts', 'newer b\n').commit('newer')
    repo.write('c.ts', 'c\n').commit('newest')
    return repo
  }

  it('at an old commit, back, and a revert by hand: shown, committed or not', async () => {
    for (const commits of [true, false]) {
      const repo = withPast()
      const turn = await playTurn(repo, () => {
        repo.checkout('HEAD~2')
        repo.checkout('main')
        repo.write('a.ts', 'old\n')
        if (commits) repo.commit('back to the old way')
      })
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
    }
  })

  it('with bisect, and a restore by hand: shown', async () => {
    const repo = withPast()
    const turn = await playTurn(repo, () => {
      repo.bisect('start', 'HEAD', 'HEAD~2')
      repo.bisect('reset')
      repo.git('checkout', '-q', 'HEAD~2', '--', 'a.ts')
      repo.commit('back to the old way')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('and nothing else: nothing is left', async () => {
    const repo = withPast()
    const turn = await playTurn(repo, () => repo.checkout('HEAD~2').checkout('main'))
    turn.toShowNothing().toDemote(0)
  })

  it('during a bisect that is left open the old state is demoted, the operation named', async () => {
    const repo = withPast()
    const turn = await playTurn(repo, () => repo.bisect('start', 'HEAD', 'HEAD~2'))
    turn.toShowNothing().toMove('detach')
    expect(turn.result.operationInProgress).toBe('bisect')
  })
})
