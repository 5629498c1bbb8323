// Merges and picks that git did not finish by itself, or whose word proves less than it seems; and what was pushed.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

const past = '2023-01-01T00:00:00Z'
const robot = { GIT_AUTHOR_EMAIL: 'robot@example.org', GIT_COMMITTER_EMAIL: 'robot@example.org' }

function plain(): TurnRepository {
  return TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n', 'c.ts': lines(9) })
}

/** The colleague does something in their clone on origin's main, in the turn, and pushes it. */
function colleagueDoes(repo: TurnRepository, how: (git: (...args: string[]) => string) => void): void {
  const { teammate } = repo
  teammate.git(['fetch', '-q', 'origin'], true)
  teammate.git(['checkout', '-q', '-B', 'main', 'origin/main'], true)
  how((...args) => teammate.git(args, true))
  teammate.git(['push', '-q', 'origin', 'main'], true)
}

describe('merges committed by a command of their own', () => {
  it('criss-cross, with a change of what either side had from the other: demoted', async () => {
    const repo = plain()
    repo.switchNew('left').edit('a.ts', 3, 'left').commit('left')
    repo.checkout('main').switchNew('right').edit('a.ts', 12, 'right').commit('right')
    repo.branch('right-before')
    expect(repo.merge('left', '--no-ff').status).toBe(0)
    repo.edit('a.ts', 20, 'right again').commit('right again')
    repo.checkout('left')
    expect(repo.merge('right-before', '--no-ff').status).toBe(0)
    repo.edit('a.ts', 3, 'left again').edit('a.ts', 12, 'left again').commit('left again')
    const turn = await playTurn(repo, () => {
      expect(repo.merge('right', '--no-commit').status).toBe(0)
      repo.commit('merged')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('an octopus whose last branch grew out of an earlier one: demoted', async () => {
    const repo = plain()
    repo.switchNew('one').edit('a.ts', 3, 'first').commit('first')
    repo.switchNew('two').create('t.ts', 't\n').commit('two')
    repo.checkout('one').edit('a.ts', 3, 'second').commit('second')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      expect(repo.merge(['one', 'two'], '--no-commit').status).toBe(0)
      repo.commit('all three')
    })
    turn.toShowNothing().toDemote(2)
  })
})

describe('merges that git finished', () => {
  it('-X theirs decides a conflict, after a commit of the agent: its file is shown', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'topic').commit('topic')
    repo.checkout('main').edit('a.ts', 3, 'main').create('m.ts', 'm\n').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      repo.edit('c.ts', 2, 'mine').commit('mine')
      expect(repo.merge('main', '-X', 'theirs').status).toBe(0)
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }]).toDemote(2)
  })
})

describe('picks', () => {
  it('rebase --apply writes no other word after a stop: the side that was taken by hand is shown', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'topic').create('t.ts', 't\n').commit('topic')
    const taken = repo.read('a.ts')
    repo.checkout('main').edit('a.ts', 3, 'main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      expect(repo.rebase('main', '--apply').status).not.toBe(0)
      repo.resolve('a.ts', taken)
      expect(repo.proceed('rebase').status).toBe(0)
    })
    expect(repo.git('log', '-g', '--format=%gs')).not.toContain('(continue)')
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('an amended copy that nothing names any more is picked: what the amend changed is shown', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').edit('c.ts', 2, 'side').commit('side')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub', 'side')
      sub.edit('a.ts', 5, 'sub').amend()
      expect(repo.cherryPick('sub').status).toBe(0)
      repo.worktreeRemove(sub).branch('-D', 'sub')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(2)
  })
})

describe('what was pushed', () => {
  it('a pick that a hook amended under its word, squashed on the server: what the hook changed is shown', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.switchNew('topic')
      expect(repo.cherryPick('side').status).toBe(0)
      repo.append('b.ts', 'formatted\n')
      const underItsWord = { GIT_REFLOG_ACTION: 'cherry-pick' }
      repo.gitWith({ env: underItsWord }, 'commit', '-q', '-a', '--amend', '--no-edit')
      repo.push('topic').checkout('main')
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['b.ts']).toDemote(1)
  })

  it('older work committed again, of which a server picks a part: what it was made of is demoted', async () => {
    const repo = plain()
    repo.switchNew('topic').create('t.ts', 't\n').commit('one')
    repo.edit('c.ts', 2, 'topic').commit('two')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic').reset('soft', 'main').commit('one and two')
      repo.create('n.ts', 'n\n').commit('mine')
      repo.push('topic')
      colleagueDoes(repo, (git) => {
        git('commit', '-q', '--allow-empty', '-m', 'theirs')
        git('cherry-pick', 'origin/topic~1')
      })
      repo.checkout('main')
      expect(repo.pull().status).toBe(0)
    })
    turn.toShowNothing().toDemote(2)
  })

  it('by a sub-agent under another name and an old date, squashed on the server and pulled: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.edit('a.ts', 5, 'sub').git('add', '-A')
      const env = { ...robot, GIT_AUTHOR_DATE: past, GIT_COMMITTER_DATE: past }
      sub.gitWith({ env }, 'commit', '-q', '-m', 'sub-agent')
      sub.push('sub')
      repo.worktreeRemove(sub).branch('-D', 'sub')
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/sub')
        git('commit', '-q', '-m', 'sub (#1)')
      })
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})
