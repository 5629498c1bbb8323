// Rebases whose line is replayed as a whole: its steps, each for itself, would stop without the agent's hand.
import { describe, expect, it } from 'vitest'
import { editorThatWrites } from '../support/sequence-plan.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, type PlayedTurn, playTurn, recordTurn } from './play.js'

/** A line of the agent's own under the rebased ones: what `main` wrote there is taken back by hand. */
const takenBack = "exec sed -i.old '3s/.*/line 3/' a.ts && rm a.ts.old && git commit -q -a -m mine"
const picks = (commits: string[]): string[] => commits.map((oid) => `pick ${oid}`)

/**
 * `topic` writes over a line of `a.ts` and puts it back; `main` has written over it too. Where the agent takes back
 * what `main` wrote there, git picks one commit after the other without a stop. Without the agent's hand each of the
 * two would stop; the line as a whole does not touch what `main` wrote. HEAD is on `topic`.
 */
function thereAndBack(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(30), 'm.ts': lines(9) })
  repo.switchNew('topic').create('first.ts', 'first\n').commit('first')
  repo.edit('a.ts', 3, 'there').create('there.ts', 'there\n').commit('there')
  repo.edit('a.ts', 3, 'line 3').create('back.ts', 'back\n').commit('back')
  repo.create('last.ts', 'last\n').create('least.ts', 'least\n').commit('last')
  repo.checkout('main').edit('a.ts', 3, 'main').edit('a.ts', 25, 'main').edit('m.ts', 2, 'main').commit('main')
  return repo.checkout('topic')
}

/** Rebases `topic` by a plan, over the line that the agent takes back. */
function rebased(
  repo: TurnRepository,
  plan: (commits: string[]) => string[] = picks,
  asked: string[] = ['main'],
): void {
  const commits = repo.git('rev-list', '--reverse', '--no-merges', 'main..topic').split('\n')
  const editor = editorThatWrites(repo.env.HOME, [takenBack, ...plan(commits)].join('\n'))
  const run = repo.tryGitWith({ env: { GIT_SEQUENCE_EDITOR: editor, GIT_EDITOR: 'true' } }, 'rebase', '-i', ...asked)
  expect(run.status, run.stderr).toBe(0)
  expect(repo.read('a.ts')).toContain('\nline 3\n')
}

/** Of `a.ts` the one line that the agent took back, apart from what `main` brings; nothing else. */
function expectOneLine(turn: PlayedTurn, demoted: number): void {
  turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(demoted)
}

describe('a rebase that is clean as a whole, over a line that the agent took back', () => {
  it('of all commits', async () => {
    const repo = thereAndBack()
    expectOneLine(await playTurn(repo, () => rebased(repo)), 1)
  })

  it('the first commit left out: it has moved away, and bears on nothing', async () => {
    const repo = thereAndBack()
    const turn = await playTurn(repo, () => rebased(repo, ([, ...others]) => picks(others)))
    expectOneLine(turn, 2)
  })

  it('with a merge in the line: merges are left out of every rebase', async () => {
    const repo = thereAndBack()
    repo.switchNew('side', 'main~1').create('side.ts', 'side\n').commit('side')
    repo.checkout('topic').merge('side', '--no-ff')
    repo.create('after.ts', 'after\n').commit('after')
    const turn = await playTurn(repo, () => rebased(repo, picks, ['--no-rebase-merges', 'main']))
    expectOneLine(turn, 1)
  })

  it('with a squash that git made alone: what it squashed was not left out', async () => {
    const repo = thereAndBack()
    const squash = (commits: string[]): string[] => [...picks(commits.slice(0, -1)), `squash ${commits.at(-1)}`]
    const turn = await playTurn(repo, () => rebased(repo, squash))
    expectOneLine(turn, 1)
  })

  it('of another branch than the one HEAD is on', async () => {
    const repo = thereAndBack().checkout('main')
    const story = (): void => rebased(repo, picks, ['main', 'topic'])
    const turn = await playTurn(repo, story)
    expectOneLine(turn, 5)
  })

  it('of a detached HEAD, which ends without a last word', async () => {
    const repo = thereAndBack().checkout('--detach')
    expectOneLine(await playTurn(repo, () => rebased(repo)), 1)
  })

  it('of a detached HEAD, and then onto another line', async () => {
    const repo = thereAndBack()
    repo.checkout('main').switchNew('other').create('other.ts', 'other\n').commit('other')
    repo.checkout('--detach', 'topic')
    const turn = await playTurn(repo, () => {
      rebased(repo)
      expect(repo.rebase('other').status).toBe(0)
    })
    expectOneLine(turn, 2)
  })

  it('that an earlier turn left open', async () => {
    const repo = thereAndBack()
    repo.clock.beginTurn()
    await recordTurn(repo, () => {
      const run = repo.rebaseInteractive('main', (commits) => ['break', takenBack, ...picks(commits)])
      expect(run.status, run.stderr).toBe(0)
    })
    const request = await recordTurn(repo, () => expect(repo.proceed('rebase').status).toBe(0))
    expectOneLine(await ask(repo, request), 5)
  })
})
