// Merges: the other side has moved, a resolution and what is slipped into the merge commit is the agent's.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

/** `main` went on since `topic` left it; both hold a commit of their own. HEAD is on `topic`. */
function stale(conflicting = false): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(30), 'g.ts': 'g\n' })
  repo.switchNew('topic').edit('a.ts', 3, 'topic').create('t.ts', 't\n').commit('topic')
  repo.checkout('main')
  repo
    .edit('a.ts', conflicting ? 3 : 25, 'main')
    .edit('b.ts', 5, 'main')
    .create('m.ts', 'm\n')
    .commit('main')
  return repo.checkout('topic')
}

const resolution = lines(30).replace('line 3\n', 'topic and main\n')

describe('main is merged into the branch', () => {
  it('clean: demoted', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => expect(repo.merge('main').status).toBe(0))
    turn.toShowNothing().toDemote(3).toMove('merge')
    expect(turn.result.branchTransition.label).toBe('Merged main')
  })

  it('clean, but committed by a command of its own: demoted', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.merge('main', '--no-commit')
      repo.commit('merged')
    })
    turn.toShowNothing().toDemote(3)
  })

  it('with a conflict that the agent resolves: that file is shown', async () => {
    const repo = stale(true)
    const turn = await playTurn(repo, () => {
      expect(repo.merge('main').status).not.toBe(0)
      repo.resolve('a.ts', resolution).commit('merged')
    })
    turn.toShow(['a.ts']).toDemote(2)
  })

  it('resolved by taking the other side as it is: still a resolution, shown', async () => {
    const repo = stale(true)
    const turn = await playTurn(repo, () => {
      repo.merge('main')
      repo.git('checkout', '-q', '--theirs', 'a.ts')
      repo.commit('merged')
    })
    turn.toShow(['a.ts']).toDemote(2)
  })

  it('with an edit slipped into the merge commit: that file is shown with its own lines', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.merge('main', '--no-commit')
      repo.append('g.ts', 'mine\n').edit('b.ts', 20, 'mine').commit('merged, and more')
    })
    turn
      .toShow([
        { path: 'b.ts', additions: 1, deletions: 1 },
        { path: 'g.ts', additions: 1, deletions: 0 },
      ])
      .toDemote(2)
  })

  it('with an edit amended onto the merge commit: the same', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.merge('main')
      repo.append('g.ts', 'mine\n').amend()
    })
    turn.toShow([{ path: 'g.ts', additions: 1, deletions: 0 }]).toDemote(3)
  })

  it('a file of the other side left out of the merge by hand is shown', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.merge('main', '--no-commit')
      repo.git('checkout', '-q', 'topic', '--', 'a.ts')
      repo.create('b.ts', lines(30).replace('line 8\n', 'mine\n')).commit('merged in part')
    })
    expect(verdictOf(turn.result, 'b.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'm.ts')).toBe('demoted')
  })

  it('after commits of the agent: its files are shown, the rest demoted', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 12, 'mine').create('n.ts', 'n\n').commit('mine')
      expect(repo.merge('main').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(2)
  })

  it('fast-forward: demoted', async () => {
    const repo = stale()
    repo.checkout('main').switchNew('behind', 'main~1')
    const turn = await playTurn(repo, () => repo.merge('main', '--ff-only'))
    turn.toShowNothing().toDemote(3).toMove('fast-forward')
  })

  it('merged, then reverted: nothing is left', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.merge('main')
      repo.revert('HEAD', '-m', '1')
    })
    turn.toShowNothing().toDemote(0)
  })
})

describe("git's other ways to merge", () => {
  it('octopus, clean: demoted', async () => {
    const repo = stale()
    repo.checkout('main~1').switchNew('third').create('x.ts', 'x\n').commit('third')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => expect(repo.merge(['main', 'third']).status).toBe(0))
    turn.toShowNothing().toDemote(4)
  })

  it('octopus, with an edit slipped in: that file is shown', async () => {
    const repo = stale()
    repo.checkout('main~1').switchNew('third').create('x.ts', 'x\n').commit('third')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      repo.merge(['main', 'third'], '--no-commit')
      repo.append('x.ts', 'mine\n').commit('all three')
    })
    turn.toShow([{ path: 'x.ts', additions: 1, deletions: 0 }]).toDemote(3)
  })

  it('-s ours changes nothing on disk; an edit slipped in is shown', async () => {
    const repo = stale(true)
    const turn = await playTurn(repo, () => {
      repo.merge('main', '-s', 'ours', '--no-commit')
      repo.append('g.ts', 'mine\n').commit('ours')
    })
    expect(verdictOf(turn.result, 'g.ts')).toBe('shown')
    turn.toCount('g.ts', 1, 0)
  })

  it('-X theirs decides conflicts by itself: the clean part is demoted, an edit after it shown', async () => {
    const repo = stale(true)
    const turn = await playTurn(repo, () => {
      expect(repo.merge('main', '-X', 'theirs').status).toBe(0)
      repo.append('g.ts', 'mine\n').commit('mine')
    })
    expect(verdictOf(turn.result, 'g.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'b.ts')).toBe('demoted')
    expect(verdictOf(turn.result, 'm.ts')).toBe('demoted')
  })

  it('-X theirs with an edit in the file that it decided: shown', async () => {
    const repo = stale(true)
    const turn = await playTurn(repo, () => {
      repo.merge('main', '-X', 'theirs', '--no-commit')
      repo.edit('a.ts', 12, 'mine').commit('theirs, and mine')
    })
    expect(verdictOf(turn.result, 'a.ts')).toBe('shown')
    turn.toDemote(2)
  })

  it('a subtree merge puts the other side under a folder; the hand in it is shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    repo.orphan('library')
    repo.git('rm', '-rqf', '.')
    repo.create('lib.ts', lines(9)).create('lib2.ts', lines(9)).commit('library')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.merge('library', '-s', 'ours', '--no-commit', '--allow-unrelated-histories')
      repo.git('read-tree', '--prefix=vendor/', '-u', 'library')
      repo.edit('a.ts', 1, 'mine').edit('vendor/lib.ts', 3, 'mine').commit('subtree')
    })
    expect(verdictOf(turn.result, 'a.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'vendor/lib.ts')).toBe('shown')
  })

  it('a resolution that rerere replays is shown', async () => {
    const repo = stale(true)
    repo.git('config', 'rerere.enabled', 'true')
    repo.merge('main')
    repo.resolve('a.ts', resolution).commit('merged once')
    repo.reset('hard', 'HEAD~1')
    const turn = await playTurn(repo, () => {
      repo.merge('main')
      expect(repo.read('a.ts')).toBe(resolution)
      repo.commit('merged again')
    })
    turn.toShow(['a.ts']).toDemote(2)
  })

  it('the union driver of the attributes: an edit beside what it made is shown', async () => {
    const repo = TurnRepository.create({ 'log.md': 'start\n', 'g.ts': 'g\n', '.gitattributes': '*.md merge=union\n' })
    repo.switchNew('topic').write('log.md', 'start\ntopic\n').commit('topic')
    repo.checkout('main')
    repo.write('log.md', 'start\nmain\n').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      expect(repo.merge('main').status).toBe(0)
      repo.append('log.md', 'mine\n').append('g.ts', 'mine\n').commit('mine')
    })
    turn.toShow(['log.md', 'g.ts'])
  })

  it('--squash and a commit is a decision of the agent: shown', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => repo.mergeSquash('main'))
    turn.toShow(['a.ts', 'b.ts', 'm.ts']).toDemote(0)
  })

  it('unrelated histories: the other one is demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    repo.orphan('other')
    repo.git('rm', '-rqf', '.')
    repo.create('o.ts', 'o\n').commit('other')
    repo.checkout('main')
    const turn = await playTurn(repo, () => expect(repo.merge('other', '--allow-unrelated-histories').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })
})

describe('criss-cross histories', () => {
  /** Both branches have merged each other's first commit. */
  function crossed(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': lines(40), 'b.ts': lines(9) })
    repo.switchNew('left').edit('a.ts', 3, 'left').commit('left')
    repo.checkout('main').switchNew('right').edit('a.ts', 20, 'right').commit('right')
    const [left, right] = [repo.oid('left'), repo.oid('right')]
    repo.checkout('left').merge(right)
    repo.checkout('right').merge(left)
    repo.edit('a.ts', 30, 'right again').edit('b.ts', 2, 'right').commit('right again')
    repo.checkout('left')
    repo.edit('a.ts', 12, 'left again').commit('left again')
    return repo
  }

  it('merged clean: demoted', async () => {
    const repo = crossed()
    const turn = await playTurn(repo, () => expect(repo.merge('right').status).toBe(0))
    turn.toShowNothing().toDemote(2)
  })

  it('merged after a commit of the agent: its lines alone are shown', async () => {
    const repo = crossed()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 38, 'mine').commit('mine')
      expect(repo.merge('right').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
  })
})
