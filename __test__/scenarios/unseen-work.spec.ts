// Work of the agent that HEAD never came to, that came back under other dates, or that a log misnames.
import { describe, expect, it } from 'vitest'
import type { Checkpoint } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn } from './play.js'

const longAgo = '2020-01-01T00:00:00Z'

function plain(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.edit('b.ts', 1, 'earlier').commit('earlier')
  repo.push('main')
  return repo
}

/** The server, or a colleague, works on what was pushed; its clock may be far behind. */
function elsewhere(repo: TurnRepository, how: (git: (...args: string[]) => string) => void): void {
  const { teammate } = repo
  teammate.git(['fetch', '-q', 'origin'], true)
  teammate.git(['checkout', '-q', '-B', 'main', 'origin/main'], true)
  how((...args) => teammate.git(args, true))
  teammate.git(['push', '-q', 'origin', 'main'], true)
}

describe('a sub-agent rewrites its work in its worktree before it is merged here', () => {
  const rewrites: [string, (sub: TurnRepository) => unknown][] = [
    ['by an amend', (sub) => sub.create('more.ts', 'more\n').amend()],
    ['by an amend of the message', (sub) => sub.amend('in other words')],
    ['by a soft reset and a new commit', (sub) => sub.reset('soft', 'HEAD~1').commit('again')],
  ]
  for (const [name, rewrite] of rewrites) {
    it(`${name}: all of it is shown`, async () => {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        const sub = repo.worktree('sub')
        sub.edit('a.ts', 5, 'sub').create('n.ts', 'n\n').commit('sub-agent')
        rewrite(sub)
        expect(repo.merge('sub').status).toBe(0)
      })
      expect(turn.result.shown.map((file) => file.path)).toEqual(expect.arrayContaining(['a.ts', 'n.ts']))
    })
  }

  it('by a rebase onto what was done here: its work is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.edit('a.ts', 5, 'sub').commit('sub-agent')
      repo.create('here.ts', 'here\n').commit('meanwhile')
      expect(sub.rebase('main').status).toBe(0)
      expect(repo.merge('sub').status).toBe(0)
    })
    turn.toShow(['a.ts', 'here.ts']).toDemote(0)
  })
})

describe('what was pushed comes back under a date of long ago', () => {
  const back = ['-c', `user.name=Server`, '-c', 'user.email=server@example.org']
  it('with a commit on top: the agent keeps its file, the other is demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.push('main')
      elsewhere(repo, (git) => {
        git(...back, 'commit', '-q', '--allow-empty', '-m', 'theirs', `--date=${longAgo}`)
        git('filter-branch', '-f', '--env-filter', `export GIT_COMMITTER_DATE=${longAgo}`, 'HEAD~1..HEAD')
      })
      repo.pull()
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('squashed, and renamed: the new path is shown with the line of the agent', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('topic').edit('a.ts', 5, 'mine').commit('mine')
      repo.push('-u', 'topic')
      elsewhere(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('mv', 'a.ts', 'moved.ts')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.checkout('main').pull()
    })
    expect(turn.result.shown.some((file) => file.path === 'moved.ts')).toBe(true)
  })
})

describe('a range over work that was parked on a branch', () => {
  it('committed there in one turn, merged in the next: shown', async () => {
    const repo = plain()
    const from: Checkpoint = await repo.startTurn()
    repo.switchNew('feature').edit('a.ts', 5, 'mine').create('n.ts', 'n\n').commit('mine')
    repo.checkout('main')
    const between: Checkpoint[] = [await repo.endTurn()]
    expect(repo.merge('feature').status).toBe(0)
    const turn = await ask(repo, { cwd: repo.cwd, from, between, to: await repo.endTurn() })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(0)
  })
})

describe('a word that is not what it says', () => {
  it('an amend under the word of a cherry-pick, as a hook writes it: what it changed is shown', async () => {
    const repo = plain()
    repo.switchNew('side').create('side.ts', 'side\n').commit('side')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.cherryPick('side')
      repo.create('formatted.ts', 'formatted\n').git('add', '-A')
      repo.gitWith({ env: { GIT_REFLOG_ACTION: 'cherry-pick' } }, 'commit', '-q', '--amend', '--no-edit')
    })
    turn.toShow(['formatted.ts']).toDemote(1)
  })

  it('am of a patch whose subject is Fast-forward: its files are shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('Fast-forward')
      const patch = repo.git('format-patch', '-1', '--stdout')
      repo.reset('hard', 'HEAD~1')
      repo.gitWith({ input: `${patch}\n` }, 'am', '-q', '--committer-date-is-author-date')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})
