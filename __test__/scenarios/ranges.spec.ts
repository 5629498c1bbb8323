// Several turns at once: what the agent authored in any of them is shown, what only moved is demoted.
import { describe, expect, it } from 'vitest'
import type { AttributeTurnRequest, Checkpoint } from '../support/addon.js'
import { colleague } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, verdictOf } from './play.js'

/** Plays turns one after the other and gives the range over all of them. */
async function range(repo: TurnRepository, ...stories: (() => unknown)[]): Promise<AttributeTurnRequest> {
  const checkpoints: Checkpoint[] = [await repo.startTurn()]
  for (const story of stories) {
    await story()
    checkpoints.push(await repo.endTurn())
  }
  const [from, ...rest] = checkpoints
  const to = rest.pop()
  if (from === undefined || to === undefined) throw new Error('a range has a start and an end')
  return { cwd: repo.cwd, from, between: rest, to }
}

describe('a range of turns', () => {
  it('with a pull in the middle shows the work of the turns around it', async () => {
    const repo = TurnRepository.create({ 'up1.ts': 'one\n' })
    repo.teammate.push({ 'up1.ts': 'theirs\n', 'up2.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.create('a1.ts', 'a1\n').commit('a1'),
      () => repo.pull({ mode: 'merge' }),
      () => repo.create('a3.ts', 'a3\n'),
    )
    const turn = await ask(repo, request)
    turn.toShow([{ path: 'a1.ts', reason: 'authored-in-range', mixed: false }, 'a3.ts']).toDemote(2)
    expect(turn.result.attribution).toMatchObject({ status: 'attributed', evidence: 'reflog' })
  })

  it('a file pulled in one turn and edited in the next: the lines of the agent alone', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'a.ts': `theirs\n${lines(20)}`, 'b.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.pull(),
      () => repo.edit('a.ts', 15, 'mine'),
    )
    ;(await ask(repo, request)).toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(1)
  })

  it('a file edited in one turn and pulled in the next: the lines of the agent alone', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'a.ts': `theirs\n${lines(20)}`, 'b.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 15, 'mine').commit('mine'),
      () => repo.pull({ mode: 'merge' }),
    )
    ;(await ask(repo, request)).toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(1)
  })

  it('an edit that a later turn undoes or checks away is absent', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 5, 'mine').edit('b.ts', 1, 'mine'),
      () => repo.git('checkout', '-q', '--', 'a.ts'),
    )
    ;(await ask(repo, request)).toShow(['b.ts']).toDemote(0)
  })

  it('a commit of one turn that the next one rebases onto upstream', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'a.ts': `theirs\n${lines(20)}`, 'b.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 15, 'mine').create('n.ts', 'n\n').commit('mine'),
      () => repo.pull({ mode: 'rebase' }),
    )
    ;(await ask(repo, request)).toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(1)
  })

  it('history renames a file that an earlier turn wrote: the new path is shown', async () => {
    const repo = TurnRepository.create({ 'b.ts': 'b\n' })
    const request = await range(
      repo,
      () => {
        repo.create('mine.ts', lines(20, 'mine')).commit('mine')
        repo.push('main')
      },
      () => {
        repo.before(() => repo.teammate.push({}, { rename: { 'mine.ts': 'moved/mine.ts' } }))
        repo.pull()
      },
    )
    ;(await ask(repo, request)).toShow([{ path: 'moved/mine.ts', additions: 20 }]).toDemote(0)
  })

  it('history renames a file that an earlier turn edited: the new path is shown with the lines of the agent', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    const request = await range(
      repo,
      () => {
        repo.edit('a.ts', 5, 'mine').commit('mine')
        repo.push('main')
      },
      () => {
        repo.before(() => repo.teammate.push({ 'b.ts': 'theirs\n' }, { rename: { 'a.ts': 'moved/a.ts' } }))
        repo.pull()
      },
    )
    const turn = await ask(repo, request)
    expect(turn.result.shown.find((file) => file.path === 'moved/a.ts')).toMatchObject({
      additions: 1,
      deletions: 1,
      mixed: false,
      reason: 'renamed-by-history',
    })
    expect(verdictOf(turn.result, 'b.ts')).toBe('demoted')
  })

  it('history deletes a file that an earlier turn wrote: nothing is left of it', async () => {
    const repo = TurnRepository.create({ 'b.ts': 'b\n' })
    const request = await range(
      repo,
      () => {
        repo.create('mine.ts', lines(20, 'mine')).create('other.ts', 'o\n').commit('mine')
        repo.push('main')
      },
      () => {
        repo.teammate.push({}, { remove: ['mine.ts'] })
        repo.pull()
      },
    )
    ;(await ask(repo, request)).toShow(['other.ts']).toDemote(0)
  })

  it('a turn that cannot be attributed counts all its paths as authored', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
    repo.teammate.push({ 'b.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.pull(),
      () => repo.edit('a.ts', 2, 'mine'),
      () => {
        repo.teammate.push({ 'up.ts': 'up\n' })
        repo.pull()
      },
    )
    const middle = request.between?.[0]
    if (middle === undefined) throw new Error('no checkpoint between')
    const { headOid: _, ...unrecorded } = middle
    const turn = await ask(repo, { ...request, between: [unrecorded, ...(request.between?.slice(1) ?? [])] })
    turn.toShow(['a.ts', { path: 'b.ts', reason: 'turn-not-attributed', mixed: true }]).toDemote(1)
    expect(turn.result.attribution.notes).toContain('turn-not-attributed')
  })

  it('work of the agent that a later reset threw away is absent, what the reset brought is demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
    repo.teammate.push({ 'b.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 2, 'mine').commit('mine'),
      () => repo.fetch().reset('hard', 'origin/main'),
    )
    ;(await ask(repo, request)).toShowNothing().toDemote(1)
  })

  it('the agent rewrites in one turn what another turn pulled over: shown, never hidden', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.teammate.push({ 'a.ts': lines(9).replace('line 2\n', 'theirs\n') })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 2, 'mine').commit('mine'),
      () => {
        repo.pull({ mode: 'merge' })
        repo.resolve('a.ts', lines(9).replace('line 2\n', 'both\n')).commit('merged')
      },
    )
    ;(await ask(repo, request)).toShow(['a.ts']).toDemote(0)
  })

  it('a line of the agent that came back rewritten, and one more of the agent: both are shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n', 'c.ts': 'c\n' })
    const request = await range(
      repo,
      () => {
        repo.edit('a.ts', 5, 'mine').commit('mine')
        repo.push('main')
      },
      () => {
        // Larger than what the agent did: where the two cannot be put together, this side is kept.
        const theirs = { 'a.ts': lines(20).replace('line 5\n', 'theirs\n'), 'b.ts': 'theirs\n', 'c.ts': 'theirs\n' }
        repo.before(() => repo.teammate.push(theirs))
        repo.pull()
      },
      () => repo.edit('a.ts', 15, 'mine'),
    )
    ;(await ask(repo, request))
      .toShow([{ path: 'a.ts', additions: 2, deletions: 2, mixed: true, reason: 'does-not-compose' }])
      .toDemote(2)
  })

  it('what the agent undid of a pull, before the next one changed the same file: shown whole', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    const first = lines(20).replace('line 5\n', 'first\n')
    const request = await range(
      repo,
      () => {
        repo.before(() => repo.teammate.push({ 'a.ts': first }))
        repo.pull()
        // Nothing is left of it in this turn.
        repo.edit('a.ts', 5, 'line 5').commit('not that one')
      },
      () => {
        repo.before(() => repo.teammate.push({ 'a.ts': first.replace('line 15\n', 'second\n'), 'b.ts': 'theirs\n' }))
        repo.pull({ mode: 'merge' })
      },
    )
    ;(await ask(repo, request))
      .toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: true, reason: 'does-not-compose' }])
      .toDemote(1)
  })

  it('an edit that is given up, and a pull of the same file: shown whole, since the agent had a hand in it', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'a.ts': lines(20).replace('line 15\n', 'theirs\n'), 'b.ts': 'theirs\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 5, 'mine'),
      () => {
        repo.git('restore', 'a.ts')
        repo.pull()
      },
    )
    ;(await ask(repo, request))
      .toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: true, reason: 'does-not-compose' }])
      .toDemote(1)
  })

  it('commits squashed by a soft reset in one turn, left for another branch in the next: demoted', async () => {
    const repo = TurnRepository.create({ 'b.ts': 'b\n' })
    repo.switchNew('feature').create('x.ts', 'x\n').commit('x')
    repo.create('y.ts', 'y\n').commit('y')
    const request = await range(
      repo,
      // Under another author than the snapshots', which could pass for what it was picked from, of one second with it.
      () => repo.reset('soft', 'main').commit('x and y', { author: colleague }),
      () => repo.checkout('main'),
    )
    ;(await ask(repo, request)).toShowNothing().toDemote(2)
  })

  it('two switches that end where they began leave nothing', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.switchNew('feature').create('f.ts', 'f\n').commit('feature')
    repo.checkout('main')
    const request = await range(
      repo,
      () => repo.checkout('feature'),
      () => repo.checkout('main'),
    )
    ;(await ask(repo, request)).toShowNothing().toDemote(0)
  })

  it('turns that do not move are as any', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 2, 'mine'),
      () => repo.edit('b.ts', 1, 'mine').edit('a.ts', 4, 'mine'),
    )
    ;(await ask(repo, request))
      .toShow([{ path: 'a.ts', additions: 2, deletions: 2 }, 'b.ts'])
      .toDemote(0)
      .toBeUnmoved()
  })

  it('an amend in the next turn of a commit of the turn before', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
    const request = await range(
      repo,
      () => repo.edit('a.ts', 2, 'mine').commit('mine'),
      () => repo.edit('b.ts', 1, 'mine').amend(),
    )
    ;(await ask(repo, request)).toShow(['a.ts', 'b.ts']).toDemote(0)
  })

  it('the same range without what lies between is asked as one turn, and hides nothing of the agent', async () => {
    const repo = TurnRepository.create({ 'up1.ts': 'one\n' })
    repo.teammate.push({ 'up1.ts': 'theirs\n', 'up2.ts': 'theirs\n' })
    const { between: _, ...request } = await range(
      repo,
      () => repo.create('a1.ts', 'a1\n').commit('a1'),
      () => repo.pull({ mode: 'merge' }),
      () => repo.create('a3.ts', 'a3\n'),
    )
    ;(await ask(repo, request)).toShow(['a1.ts', 'a3.ts']).toDemote(2)
  })
})

it('the host goes back to an earlier checkpoint and prunes the later ones: the next turn is as any', async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
  repo.teammate.push({ 'b.ts': 'theirs\n' })
  const start = await repo.startTurn()
  repo.edit('a.ts', 2, 'thrown away')
  await repo.endTurn()
  repo.git('restore', '--source', start.ref, '--worktree', '.')
  repo.git('update-ref', '-d', 'refs/t3/checkpoints/test/turn/2')
  const from = await repo.startTurn()
  repo.pull()
  repo.edit('a.ts', 7, 'mine')
  ;(await ask(repo, { cwd: repo.cwd, from, to: await repo.endTurn() }))
    .toShow([{ path: 'a.ts', additions: 1, deletions: 1 }])
    .toDemote(1)
})
