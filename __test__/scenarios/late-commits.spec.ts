// Commits of others that are dated in the turn: demoted where a fetch proves that they came from elsewhere.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

function plain(): TurnRepository {
  return TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
}

describe("a teammate's commit, written after the turn began", () => {
  it('pulled: demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n', 'b.ts': 'late\n' }, { late: true })
      repo.pull()
    })
    turn.toShowNothing().toDemote(2)
  })

  it('pulled by merge or rebase beside a commit of the agent: demoted, the agent shown', async () => {
    for (const mode of ['merge', 'rebase'] as const) {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        repo.create('n.ts', 'n\n').commit('mine')
        repo.teammate.push({ 'late.ts': 'late\n', 'b.ts': 'late\n' }, { late: true })
        expect(repo.pull({ mode }).status).toBe(0)
      })
      turn.toShow(['n.ts']).toDemote(2)
    }
  })

  it('pulled, and the agent edits another line of the file: the agent is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'a.ts': lines(20).replace('line 15\n', 'late\n') }, { late: true })
      repo.pull()
      repo.edit('a.ts', 5, 'mine')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('merged into a commit of the agent on the same file: the lines of the agent are shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.teammate.push({ 'a.ts': lines(20).replace('line 15\n', 'late\n') }, { late: true })
      expect(repo.pull({ mode: 'merge' }).status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(0)
  })

  it("that holds what the agent did by hand before it was thrown away: the agent's file is shown", async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('b.ts', 1, 'mine').commit('mine')
      repo.push('main:refs/heads/topic')
      repo.teammate.push({ 'b.ts': 'mine\n', 'late.ts': 'late\n' }, { late: true, message: 'squashed on the server' })
      repo.fetch().reset('hard', 'origin/main')
    })
    expect(verdictOf(turn.result, 'b.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'late.ts')).toBe('demoted')
  })

  it('that holds a binary file of the agent, with another change: the file is shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), logo: '\0old' })
    const turn = await playTurn(repo, () => {
      repo.write('logo', '\0mine').commit('mine')
      repo.push('main:refs/heads/topic')
      repo.teammate.push({ logo: '\0mine', 'late.ts': 'late\n' }, { late: true, message: 'squashed on the server' })
      repo.fetch().reset('hard', 'origin/main')
    })
    expect(verdictOf(turn.result, 'logo')).toBe('shown')
    expect(verdictOf(turn.result, 'late.ts')).toBe('demoted')
  })

  it('fetched from a bare path without a remote: no proof of its arrival, shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.git('fetch', '-q', repo.teammate.cwd, 'main')
      repo.git('merge', '-q', '--ff-only', 'FETCH_HEAD')
    })
    turn.toShow(['late.ts']).toDemote(0)
  })

  it('under the name of the agent, pulled from a remote: it may be its own, shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const { teammate } = repo
      teammate.follow('main')
      teammate.push({ 'late.ts': 'late\n' }, { late: true })
      const robin = ['-c', 'user.name=Robin Owner', '-c', 'user.email=robin@example.org']
      teammate.git([...robin, 'commit', '-q', '--amend', '--no-edit', '--author=Robin Owner <ROBIN@example.org>'], true)
      teammate.git(['push', '-q', '--force', 'origin', 'HEAD:main'], true)
      repo.pull()
    })
    turn.toShow(['late.ts']).toDemote(0)
  })

  it('dated an hour ahead by a wrong clock: demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const ahead = `${Math.floor(Date.now() / 1000) + 3600} +0000`
      repo.teammate.follow('main')
      repo.teammate.push({ 'late.ts': 'late\n' })
      const dates = { env: { GIT_AUTHOR_DATE: ahead, GIT_COMMITTER_DATE: ahead } }
      repo.teammate.git(['commit', '-q', '--amend', '--no-edit', `--date=${ahead}`], false, dates)
      repo.teammate.git(['push', '-q', '--force', 'origin', 'HEAD:main'])
      repo.pull()
    })
    turn.toShowNothing().toDemote(1)
  })
})

it("the user's commit in the very second in which the turn begins is known from the log: demoted", async () => {
  const repo = plain()
  repo.clock.beginTurn()
  repo.switchNew('feature').create('f.ts', 'f\n').commit('just before')
  repo.checkout('main')
  const turn = await playTurn(repo, () => repo.checkout('feature'))
  turn.toShowNothing().toDemote(1)
})
