// Dates set by hand, clocks that differ, logs that are switched off or forgotten: the result says how sure it is.
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refsAreFiles } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn, withoutPins } from './play.js'

const past = '2023-01-01T00:00:00Z'
const future = '2036-01-01T00:00:00Z'

function behindUpstream(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.teammate.push({ 'b.ts': 'theirs\n', 'up.ts': 'up\n' })
  return repo
}

describe('a commit whose dates were set by hand', () => {
  for (const [name, date] of [
    ['into the past', past],
    ['into the future', future],
  ] as const) {
    it(`${name}: shown, the log is the evidence`, async () => {
      const repo = behindUpstream()
      const turn = await playTurn(repo, () => {
        repo.pull()
        repo.edit('a.ts', 5, 'mine').commit('mine', { date, committerDate: date })
      })
      turn.toShow(['a.ts']).toDemote(2)
      expect(turn.result.attribution).toMatchObject({ status: 'attributed', evidence: 'reflog' })
    })

    it(`${name}, and no pin was kept: shown, the evidence is dates at best`, async () => {
      const repo = behindUpstream()
      const turn = await playTurn(
        repo,
        () => {
          repo.pull()
          repo.edit('a.ts', 5, 'mine').commit('mine', { date, committerDate: date })
        },
        { change: withoutPins },
      )
      expect(turn.result.shown.map((file) => file.path)).toContain('a.ts')
      expect(turn.result.attribution).not.toMatchObject({ evidence: 'reflog' })
      expect(turn.result.attribution.notes).toContain('no-pin')
    })
  }
})

describe('no pin was kept', () => {
  it('a pull and an edit: the same answer, its evidence is dates', async () => {
    const repo = behindUpstream()
    const turn = await playTurn(
      repo,
      () => {
        repo.pull()
        repo.edit('a.ts', 5, 'mine').commit('mine')
      },
      { change: withoutPins },
    )
    turn.toShow(['a.ts']).toDemote(2)
    expect(turn.result.attribution).toMatchObject({ evidence: 'dates', notes: ['no-pin'] })
  })
})

describe.runIf(refsAreFiles)('the logs are switched off', () => {
  function unlogged(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'b.ts': 'theirs\n', 'up.ts': 'up\n' })
    repo.git('config', 'core.logAllRefUpdates', 'false')
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    return repo
  }

  it('a pull is demoted, a commit shown, the evidence weak', async () => {
    const repo = unlogged()
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('a.ts', 5, 'mine').commit('mine')
    })
    turn.toShow(['a.ts']).toDemote(2)
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
    expect(turn.result.attribution.notes).toContain('no-reflog')
  })

  it('a commit set back by hand is shown as long as no ref proves it old', async () => {
    const repo = unlogged()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine', { date: past, committerDate: past })
    })
    turn.toShow(['a.ts']).toDemote(0)
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })

  it('a switch between old branches is demoted', async () => {
    const repo = unlogged()
    repo.switchNew('feature').create('f.ts', 'f\n').commit('feature')
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.checkout('feature'))
    turn.toShowNothing().toDemote(1)
  })

  it('an amend of an older commit: the changed file is shown', async () => {
    const repo = unlogged()
    const turn = await playTurn(repo, () => repo.edit('a.ts', 5, 'mine').amend())
    expect(turn.result.shown.map((file) => file.path)).toContain('a.ts')
  })
})

describe('the log is damaged or forgotten before anyone asks', () => {
  it('expired: what the agent committed is shown, the loss is noted', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, () => {
      repo.pull()
      repo.edit('a.ts', 5, 'mine').commit('mine', { date: past, committerDate: past })
    })
    repo.forgetReflogs()
    const turn = await ask(repo, request)
    expect(turn.result.shown.map((file) => file.path)).toContain('a.ts')
    expect(turn.result.attribution).not.toMatchObject({ evidence: 'reflog' })
    expect(turn.result.attribution.notes).toContain('reflog-lost')
  })

  it.runIf(refsAreFiles)('a line that cannot be read makes it weak, and hides nothing', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, () => {
      repo.pull()
      appendFileSync(join(repo.cwd, '.git/logs/HEAD'), 'not a line of a log\n')
      repo.edit('a.ts', 5, 'mine').commit('mine', { date: past, committerDate: past })
    })
    const turn = await ask(repo, request)
    expect(turn.result.shown.map((file) => file.path)).toContain('a.ts')
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })
})

describe('clocks that differ', () => {
  it("a colleague's clock is days ahead: a pull of their commits is demoted", async () => {
    const repo = TurnRepository.create({ 'b.ts': 'b\n' })
    repo.teammate.follow('main')
    repo.teammate.push({ 'b.ts': 'theirs\n' })
    const ahead = { env: { GIT_AUTHOR_DATE: future, GIT_COMMITTER_DATE: future } }
    repo.teammate.git(['commit', '-q', '--amend', '--no-edit', `--date=${future}`], false, ahead)
    repo.teammate.git(['push', '-q', '--force', 'origin', 'HEAD:main'])
    const turn = await playTurn(repo, () => repo.pull())
    turn.toShowNothing().toDemote(1)
  })

  it('an older branch is dated in the future: a switch to it is at worst a file too many', async () => {
    const repo = TurnRepository.create({ 'b.ts': 'b\n' })
    repo.switchNew('feature').create('f.ts', 'f\n').commit('feature', { date: future, committerDate: future })
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('feature')
      repo.edit('b.ts', 1, 'mine')
    })
    turn.toShow(['b.ts']).toDemote(1)
  })
})
