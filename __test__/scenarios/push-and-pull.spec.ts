// The agent pushes, the server or another clone does something with the work, and it comes back by pull.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runGit } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

function plain(): TurnRepository {
  return TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n', 'c.ts': lines(9) })
}

/** The agent commits on `topic` and pushes it. */
function pushTopic(repo: TurnRepository): void {
  repo.switchNew('topic').edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine')
  repo.push('-u', 'topic')
}

/** The colleague merges `topic` on the server, in the turn, and adds work of their own. */
function serverDoes(repo: TurnRepository, how: (git: (...args: string[]) => string) => void): void {
  const { teammate } = repo
  teammate.git(['fetch', '-q', 'origin'], true)
  teammate.git(['checkout', '-q', '-B', 'main', 'origin/main'], true)
  how((...args) => teammate.git(args, true))
  teammate.git(['push', '-q', 'origin', 'main'], true)
}

describe('the agent pushes a branch that the server merges, and pulls main', () => {
  it('with a merge commit: its files are shown, those of upstream demoted', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      pushTopic(repo)
      serverDoes(repo, (git) => git('merge', '-q', '--no-ff', '--no-edit', 'origin/topic'))
      repo.checkout('main').pull()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(1)
    turn.toCount('a.ts', 1, 1)
  })

  it('squashed: its files are shown', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      pushTopic(repo)
      serverDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.checkout('main').pull()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(1)
  })

  it('squashed under its own author name, as servers do: its files are shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      pushTopic(repo)
      serverDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)', '--author=Robin Owner <robin@example.org>')
      })
      repo.checkout('main').pull()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(0)
  })

  it('squashed together with an older commit of the branch: what is older is demoted', async () => {
    const repo = plain()
    repo.switchNew('topic').create('older.ts', 'older\n').commit('earlier')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic').edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine')
      repo.push('-u', 'topic')
      serverDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)', '--author=Robin Owner <robin@example.org>')
      })
      repo.checkout('main').pull()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(1)
  })

  it('squashed in the second of its last commit, and picked again here: a pick keeps its message', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    repo.switchNew('topic').create('older.ts', 'older\n').commit('earlier')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      const date = new Date().toISOString()
      repo.checkout('topic').edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine', { date })
      repo.push('-u', 'topic')
      serverDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)', '--author=Robin Owner <robin@example.org>', `--date=${date}`)
      })
      repo.checkout('main').pull()
      repo.create('later.ts', 'later\n').commit('later')
      repo.rebaseInteractive('HEAD~3', ([up, topic, later]) => [`drop ${up}`, `pick ${topic}`, `pick ${later}`])
      repo.checkout('HEAD~1')
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(1)
  })

  it('rebased: its files are shown, those of upstream demoted', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      pushTopic(repo)
      serverDoes(repo, (git) => git('cherry-pick', 'origin/topic'))
      repo.checkout('main').pull()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(1)
  })

  it('squashed, and the branch is deleted here: its files are shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      pushTopic(repo)
      serverDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.checkout('main').pull()
      repo.branch('-D', 'topic')
      repo.git('push', '-q', 'origin', '--delete', 'topic')
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(0)
  })

  it('a branch of before the turn, squashed by the server in the turn, is not shown as work of this turn', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 5, 'earlier').create('n.ts', 'n\n').commit('earlier')
    repo.push('-u', 'topic')
    const turn = await playTurn(repo, () => {
      serverDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.checkout('main').pull()
    })
    turn.toShowNothing().toDemote(0)
  })
})

describe('the colleague builds on what the agent pushed', () => {
  it('their commit on top is pulled: the agent keeps its files, theirs are demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine')
      repo.push('main')
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.pull()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(1)
  })

  it('their commit on top changes the very file of the agent: it stays shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.push('main')
      repo.teammate.push(
        { 'a.ts': lines(20).replace('line 5\n', 'mine\n').replace('line 15\n', 'late\n') },
        { late: true },
      )
      repo.pull()
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})

it('a push alone moves nothing', async () => {
  const repo = plain()
  repo.edit('b.ts', 1, 'earlier').commit('earlier')
  const turn = await playTurn(repo, () => repo.push('main'))
  turn.toShowNothing().toDemote(0).toBeUnmoved()
})

it('a push with force after an amend: the amended file is shown', async () => {
  const repo = plain()
  repo.edit('b.ts', 1, 'earlier').commit('earlier')
  repo.push('main')
  const turn = await playTurn(repo, () => {
    repo.edit('a.ts', 5, 'mine').amend()
    repo.push('--force', 'main')
  })
  turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
})

it('work pushed from another clone under the same name, and pulled here: shown', async () => {
  const repo = plain()
  const turn = await playTurn(repo, () => {
    const clone = join(repo.root, 'clone')
    runGit(repo.root, repo.env, ['clone', '-q', repo.origin, clone])
    const elsewhere = new TurnRepository(repo.root, {}, clone)
    elsewhere.clock.beginTurn()
    elsewhere.edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine, elsewhere')
    elsewhere.push('main')
    repo.pull()
  })
  expect(verdictOf(turn.result, 'a.ts')).toBe('shown')
  turn.toShow(['a.ts', 'n.ts']).toDemote(0)
})
