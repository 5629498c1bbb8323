// The turn ends, or begins, in the middle of something that git has not finished.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

/** `side` changes `f.ts` as `main` does not like it, and `z.ts` as it may. */
function conflicting(): TurnRepository {
  const repo = TurnRepository.create({ 'f.ts': lines(20), 'z.ts': 'z\n', 'g.ts': 'g\n' })
  repo.switchNew('side')
  repo.edit('f.ts', 3, 'side').write('z.ts', 'side\n').commit('side')
  repo.checkout('main')
  repo.edit('f.ts', 3, 'main').commit('main')
  return repo
}

const resolved = lines(20).replace('line 3\n', 'main and side\n')

describe('the turn ends in the middle of a merge', () => {
  it('the file with conflict markers is shown, the other side is demoted, the operation named', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => expect(repo.merge('side').status).not.toBe(0))
    turn.toShow([{ path: 'f.ts', mixed: true }]).toDemote(1)
    expect(turn.result.operationInProgress).toBe('merge')
  })

  it('an edit beside it is shown', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => {
      repo.merge('side')
      repo.edit('g.ts', 1, 'mine').append('z.ts', 'mine\n')
    })
    turn.toShow(['f.ts', 'g.ts', { path: 'z.ts', additions: 1, deletions: 0 }]).toDemote(0)
  })

  it('resolved and not committed: shown', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => {
      repo.merge('side')
      repo.resolve('f.ts', resolved)
    })
    turn.toShow(['f.ts']).toDemote(1)
  })

  it('clean and not committed: demoted', async () => {
    const repo = conflicting()
    repo.reset('hard', 'HEAD~1').edit('f.ts', 18, 'main').commit('main')
    const turn = await playTurn(repo, () => repo.merge('side', '--no-commit'))
    turn.toShowNothing().toDemote(2)
    expect(turn.result.operationInProgress).toBe('merge')
  })

  it('after commits of the agent on this branch: those are shown too', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => {
      repo.edit('g.ts', 1, 'mine').commit('mine')
      repo.merge('side')
    })
    turn.toShow(['f.ts', 'g.ts']).toDemote(1)
  })
})

describe('the next turn', () => {
  it('resolves and commits: the resolution is shown', async () => {
    const repo = conflicting()
    await playTurn(repo, () => repo.merge('side'))
    const turn = await playTurn(repo, () => repo.resolve('f.ts', resolved).commit('merged'))
    turn.toShow(['f.ts']).toDemote(0)
    expect(turn.result.operationInProgress).toBe(null)
  })

  it('aborts: what the other side had brought goes again, demoted', async () => {
    const repo = conflicting()
    await playTurn(repo, () => repo.merge('side'))
    const turn = await playTurn(repo, () => repo.abort('merge'))
    expect(verdictOf(turn.result, 'z.ts')).toBe('demoted')
  })

  it('leaves it open and edits: only the edit is shown', async () => {
    const repo = conflicting()
    await playTurn(repo, () => repo.merge('side'))
    const turn = await playTurn(repo, () => repo.edit('g.ts', 1, 'mine'))
    turn.toShow(['g.ts']).toDemote(0)
    expect(turn.result.operationInProgress).toBe('merge')
  })
})

describe('the turn ends in the middle of a rebase', () => {
  function onSide(): TurnRepository {
    const repo = conflicting()
    repo.create('u.ts', 'u\n').commit('main again')
    return repo.checkout('side')
  }

  it('what upstream brought is demoted, the file with markers shown, the branch is the one being rebased', async () => {
    const repo = onSide()
    const turn = await playTurn(repo, () => expect(repo.rebase('main').status).not.toBe(0))
    turn.toShow(['f.ts']).toDemote(1)
    expect(turn.result.operationInProgress).toBe('rebase')
    expect(turn.result.branchTransition).toMatchObject({ fromBranch: 'side', toBranch: 'side' })
  })

  it('the next turn aborts: all goes back, nothing of it the work of a hand', async () => {
    const repo = onSide()
    await playTurn(repo, () => repo.rebase('main'))
    const turn = await playTurn(repo, () => repo.abort('rebase'))
    expect(verdictOf(turn.result, 'u.ts')).toBe('demoted')
  })

  it('the next turn resolves and goes on: the resolution is shown', async () => {
    const repo = onSide()
    await playTurn(repo, () => repo.rebase('main'))
    const turn = await playTurn(repo, () => {
      repo.resolve('f.ts', resolved)
      expect(repo.proceed('rebase').status).toBe(0)
    })
    turn.toShow(['f.ts']).toDemote(0)
  })

  it('stopped at an edit, with a hand in it: shown', async () => {
    const repo = onSide()
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.rebaseInteractive('HEAD~2', ([one, two]) => [`edit ${one}`, `pick ${two}`])
      repo.edit('g.ts', 1, 'mine')
    })
    expect(verdictOf(turn.result, 'g.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'u.ts')).toBe('demoted')
    expect(turn.result.operationInProgress).toBe('rebase')
  })
})

describe('the turn ends in the middle of a pick, a revert, an am', () => {
  it('cherry-pick: the file with markers is shown, the clean one demoted', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => expect(repo.cherryPick('side').status).not.toBe(0))
    turn.toShow(['f.ts']).toDemote(1)
    expect(turn.result.operationInProgress).toBe('cherry-pick')
  })

  it('revert: all that it changed is shown, it is a decision of the agent', async () => {
    const repo = conflicting()
    repo.edit('f.ts', 4, 'another').edit('z.ts', 1, 'another').commit('another')
    repo.edit('f.ts', 4, 'yet another').commit('yet another')
    const turn = await playTurn(repo, () => expect(repo.revert('HEAD~1').status).not.toBe(0))
    turn.toShow(['f.ts', 'z.ts']).toDemote(0)
    expect(turn.result.operationInProgress).toBe('revert')
  })

  it('am: the operation is named, nothing is hidden', async () => {
    const repo = conflicting()
    const patch = repo.git('format-patch', '--stdout', '-1', 'side')
    const turn = await playTurn(repo, () => {
      expect(repo.tryGitWith({ input: `${patch}\n` }, 'am', '-q', '-3').status).not.toBe(0)
      repo.edit('g.ts', 1, 'mine')
    })
    expect(verdictOf(turn.result, 'g.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'f.ts')).toBe('shown')
    expect(turn.result.operationInProgress).toBe('am')
  })
})
