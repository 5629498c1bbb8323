// A branch without a commit: an unborn head is a fact, not a gap in what was recorded.
import { describe, expect, it } from 'vitest'
import { TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn } from './play.js'

describe('unborn at the start', () => {
  it('the agent makes the first commit: all of it is shown', async () => {
    const repo = TurnRepository.empty()
    const turn = await playTurn(repo, () => repo.create('a.ts', 'a\n').create('b.ts', 'b\n').commit('first'))
    turn.toShow(['a.ts', 'b.ts']).toDemote(0).toBeAttributed().toMove('birth')
    expect(turn.result.branchTransition).toMatchObject({ fromHead: null, fromBranch: 'main', toBranch: 'main' })
  })

  it('the first commit holds what was there before: nothing changed on disk', async () => {
    const repo = TurnRepository.empty()
    repo.create('a.ts', 'a\n')
    const turn = await playTurn(repo, () => repo.create('b.ts', 'b\n').commit('first'))
    turn.toShow(['b.ts']).toDemote(0)
  })

  it('existing history is pulled: demoted', async () => {
    const repo = TurnRepository.empty()
    repo.teammate.push({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
    const turn = await playTurn(repo, () => expect(repo.pull({ branch: 'main' }).status).toBe(0))
    turn.toShowNothing().toDemote(2).toMove('birth')
  })

  it('existing history is pulled and one of its files edited: the edit is shown', async () => {
    const repo = TurnRepository.empty()
    repo.teammate.push({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
    const turn = await playTurn(repo, () => {
      repo.pull({ branch: 'main' })
      repo.append('a.ts', 'mine\n')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 0 }]).toDemote(1)
  })

  it('and still unborn at the end: the files on disk are shown, no history is read', async () => {
    const repo = TurnRepository.empty()
    const turn = await playTurn(repo, () => repo.create('a.ts', 'a\n'))
    turn.toShow(['a.ts']).toDemote(0).toBeUnmoved().toMove('none')
  })

  it('not recorded is another thing: everything is shown, with the reason', async () => {
    const repo = TurnRepository.empty()
    repo.teammate.push({ 'a.ts': 'a\n' })
    const { from, ...request } = await recordTurn(repo, () => repo.pull({ branch: 'main' }))
    const { headOid: _, ...unrecorded } = from
    const turn = await ask(repo, { ...request, from: unrecorded })
    turn.toShow(['a.ts']).toDegrade('head-not-recorded')
  })
})

describe('unborn at the end', () => {
  it('everything is shown, with the reason', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
    const turn = await playTurn(repo, () => {
      repo.orphan('fresh')
      repo.git('rm', '-rqf', '.')
      repo.create('n.ts', 'n\n')
    })
    turn.toShow(['a.ts', 'b.ts', 'n.ts']).toDegrade('unborn-at-end')
  })

  it('and nothing changed on disk: nothing to show', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const turn = await playTurn(repo, () => repo.orphan('fresh'))
    turn.toShowNothing().toDegrade('unborn-at-end')
  })

  it('the next turn commits on the orphan branch: its work is shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
    repo.orphan('fresh')
    const turn = await playTurn(repo, () => repo.edit('a.ts', 1, 'mine').commit('a new beginning'))
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })
})
