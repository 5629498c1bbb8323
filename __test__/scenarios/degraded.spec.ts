// What cannot be attributed is shown, all of it, with the reason; never an empty answer.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AttributeTurnRequest } from '../support/addon.js'
import { runGit } from '../support/git.js'
import { lines, TurnRepository, temporaryFolder } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn } from './play.js'

function behindUpstream(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.edit('a.ts', 18, 'earlier').commit('earlier')
  repo.teammate.push({ 'b.ts': 'theirs\n', 'up.ts': 'up\n' })
  return repo
}

function dropObject(repo: TurnRepository, oid: string): void {
  rmSync(join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2)))
}

const pullAndEdit = (repo: TurnRepository) => () => {
  repo.pull({ mode: 'merge' })
  repo.edit('a.ts', 5, 'mine').commit('mine')
}
const everything = ['a.ts', 'b.ts', 'up.ts']

describe('a head', () => {
  for (const side of ['from', 'to'] as const) {
    it(`that was not recorded at ${side}`, async () => {
      const repo = behindUpstream()
      const turn = await playTurn(repo, pullAndEdit(repo), {
        change: (request) => {
          const { headOid: _, ...checkpoint } = request[side]
          return { ...request, [side]: checkpoint }
        },
      })
      turn.toShow(everything).toDegrade('head-not-recorded')
      expect(turn.result.shown.every((file) => file.mixed && file.reason === 'not-attributed')).toBe(true)
    })
  }

  it('that was pruned', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, pullAndEdit(repo))
    repo.reset('hard', 'HEAD~1')
    repo.git('reflog', 'expire', '--expire=now', '--all')
    repo.git('gc', '-q', '--prune=now')
    const turn = await ask(repo, request)
    turn.toShow(everything).toDegrade('head-missing')
  })
})

describe('a snapshot that was pruned', () => {
  it('rejects: no host could show anything', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, pullAndEdit(repo))
    repo.git('update-ref', '-d', 'refs/t3/checkpoints/test/turn/1')
    repo.git('gc', '-q', '--prune=now')
    await expect(ask(repo, request)).rejects.toMatchObject({ code: 'SNAPSHOT_MISSING' })
  })
})

describe('history', () => {
  it('of which a commit is missing where it is needed', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, pullAndEdit(repo))
    dropObject(repo, repo.oid('HEAD~1'))
    const turn = await ask(repo, request, { askLater: false })
    turn.toShow(everything).toDegrade('history-missing')
  })

  it('of which a tree is missing where it is needed', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, pullAndEdit(repo))
    dropObject(repo, repo.oid('HEAD~1^{tree}'))
    const turn = await ask(repo, request, { askLater: false })
    expect(turn.result.shown.map((file) => file.path)).toContain('a.ts')
    if (turn.result.attribution.status === 'not-attributed') turn.toDegrade('history-missing')
  })

  it('that is cut off where a merge base is needed', async () => {
    const repo = behindUpstream()
    repo.push('main:refs/heads/mine')
    const clone = join(temporaryFolder(), 'checkout')
    runGit(repo.root, repo.env, [
      'clone',
      '-q',
      '--depth=1',
      '--no-single-branch',
      '-b',
      'mine',
      `file://${repo.origin}`,
      clone,
    ])
    const shallow = new TurnRepository(repo.root, {}, clone)
    const turn = await playTurn(
      shallow,
      () => {
        shallow.edit('a.ts', 5, 'mine').commit('mine')
        expect(shallow.merge('origin/main', '--allow-unrelated-histories', '-X', 'ours').status).toBe(0)
      },
      { askLater: false },
    )
    expect(turn.result.shown.map((file) => file.path)).toContain('a.ts')
    turn.toDegrade('history-cut')
  })

  it('that is shallow but not needed beyond: attributed', async () => {
    const repo = behindUpstream()
    const clone = join(temporaryFolder(), 'checkout')
    runGit(repo.root, repo.env, ['clone', '-q', '--depth=1', `file://${repo.origin}`, clone])
    const shallow = new TurnRepository(repo.root, {}, clone)
    repo.teammate.push({ 'b.ts': 'theirs again\n' })
    const turn = await playTurn(
      shallow,
      () => {
        shallow.pull()
        shallow.edit('a.ts', 5, 'mine').commit('mine')
      },
      { askLater: false },
    )
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('that is larger than what is looked at', async () => {
    const repo = behindUpstream()
    const request = await recordTurn(repo, () => {
      const now = Math.floor(Date.now() / 1000)
      const commit = `commit refs/heads/main\ncommitter R <r@x> ${now} +0000\ndata 0\n`
      const first = `${commit}from refs/heads/main^0\nM 100644 inline n.ts\ndata 2\nn\n\n`
      repo.gitWith({ input: first + `${commit}\n`.repeat(20_001) }, 'fast-import', '--quiet')
      repo.reset('hard')
    })
    const turn = await ask(repo, request, { askLater: false })
    turn.toShow(['n.ts']).toDegrade('limit')
  })
})

it('the detail of a degraded answer is a sentence, and a later call is unharmed', async () => {
  const repo = behindUpstream()
  const request = await recordTurn(repo, pullAndEdit(repo))
  const broken: AttributeTurnRequest = { ...request, to: { ...request.to, headOid: 'deadbeef'.repeat(5) } }
  const degraded = await ask(repo, broken)
  degraded.toShow(everything).toDegrade('head-missing')
  expect(degraded.result.attribution).toMatchObject({ detail: expect.stringMatching(/\w+ \w+/) })
  const whole = await ask(repo, request)
  whole.toShow(['a.ts']).toDemote(2)
})
