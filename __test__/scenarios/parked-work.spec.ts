// Work that lay somewhere else for a while: amended or resolved in a worktree that is gone, stashed, or parked on a
// branch in an earlier turn of the range.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Checkpoint } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, type PlayedTurn, playTurn } from './play.js'

const resolution = lines(20).replace('line 3', 'resolved')

/** `feature` holds a commit of before the turn; `main` went on. */
function featureBesideMain(
  change: (repo: TurnRepository) => unknown = (repo) => repo.create('m.ts', 'm\n'),
): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20) })
  repo.switchNew('feature').edit('a.ts', 3, 'earlier').commit('earlier')
  repo.checkout('main')
  change(repo)
  repo.commit('main')
  return repo
}

/** The same, with a change of main that stops the rebase of `feature`. */
const featureInConflict = (): TurnRepository => featureBesideMain((repo) => repo.edit('a.ts', 3, 'main'))

/** A worktree on a branch that there is already. */
function worktreeOn(repo: TurnRepository, branch: string): TurnRepository {
  const folder = join(repo.root, `worktree-on-${branch}`)
  repo.git('worktree', 'add', '-q', folder, branch)
  const worktree = new TurnRepository(repo.root, {}, folder)
  worktree.clock.beginTurn()
  return worktree
}

/** Work in a worktree of before the turn. */
function inTurn(worktree: TurnRepository): TurnRepository {
  worktree.clock.beginTurn()
  return worktree
}

describe('an older commit is amended in a worktree and picked here', () => {
  for (const [kept, cleansUp] of [
    ['that stays', false],
    ['that is gone', true],
  ] as const) {
    for (const [place, detached] of [
      ['on a branch', false],
      ['on no branch', true],
    ] as const) {
      it(`in a worktree ${kept}, ${place}: what the amend changed is shown`, async () => {
        const repo = featureBesideMain()
        const turn = await playTurn(repo, () => {
          const sub = repo.worktree('sub', 'feature')
          if (detached) sub.checkout('--detach').branch('-q', '-D', 'sub')
          sub.create('mine.ts', 'mine\n').edit('a.ts', 10, 'mine').amend()
          expect(repo.cherryPick(sub.oid()).status).toBe(0)
          if (cleansUp) repo.worktreeRemove(sub)
          if (cleansUp && !detached) repo.branch('-q', '-D', 'sub')
        })
        turn.toShow(['a.ts', 'mine.ts']).toDemote(0)
      })
    }
  }

  it('asked again when the worktree and its branch are gone: still shown', async () => {
    const repo = featureBesideMain()
    let sub = repo
    const turn = await playTurn(repo, () => {
      sub = repo.worktree('sub', 'feature')
      sub.create('mine.ts', 'mine\n').amend()
      expect(repo.cherryPick('sub').status).toBe(0)
    })
    turn.toShow(['mine.ts']).toDemote(1)
    repo.worktreeRemove(sub).branch('-q', '-D', 'sub')
    ;(await ask(repo, turn.request)).toShow(['mine.ts']).toDemote(1)
  })

  it('and reset away there, its logs expired: still shown', async () => {
    const repo = featureBesideMain()
    let sub = repo
    const turn = await playTurn(repo, () => {
      sub = repo.worktree('sub', 'feature')
      sub.create('mine.ts', 'mine\n').amend()
      expect(repo.cherryPick('sub').status).toBe(0)
      sub.reset('hard', 'feature')
    })
    turn.toShow(['mine.ts']).toDemote(1)
    repo.git('reflog', 'expire', '--expire=now', 'refs/heads/sub')
    sub.git('reflog', 'expire', '--expire=now', 'HEAD')
    ;(await ask(repo, turn.request)).toShow(['mine.ts']).toDemote(1)
  })
})

describe('an older commit is rebased by hand in a worktree that is gone', () => {
  it('with a resolution, and picked here: the resolution is shown', async () => {
    const repo = featureInConflict()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub', 'feature')
      expect(sub.rebase('main').status).not.toBe(0)
      expect(sub.resolve('a.ts', resolution).proceed('rebase').status).toBe(0)
      expect(repo.cherryPick('sub').status).toBe(0)
      repo.worktreeRemove(sub).branch('-q', '-D', 'sub')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  for (const [dates, flags] of [
    ['dates of now', []],
    ['the dates of long ago', ['--committer-date-is-author-date']],
  ] as const) {
    it(`with a resolution and ${dates}, and merged here: what was resolved and added is shown`, async () => {
      const repo = featureInConflict()
      const turn = await playTurn(repo, () => {
        const sub = worktreeOn(repo, 'feature')
        expect(sub.rebase('main', ...flags).status).not.toBe(0)
        sub.resolve('a.ts', resolution).resolve('mine.ts', 'mine\n')
        expect(sub.proceed('rebase').status).toBe(0)
        repo.worktreeRemove(sub)
        expect(repo.merge('feature').status).toBe(0)
      })
      turn.toShow(['a.ts', 'mine.ts']).toDemote(0)
    })
  }

  it('with an amend under the dates of long ago, and merged here: what the amend added is shown', async () => {
    const repo = featureBesideMain()
    const turn = await playTurn(repo, () => {
      const sub = worktreeOn(repo, 'feature')
      const amend = 'git commit -q --amend --no-edit --date="$date"'
      const steps = [
        'date=$(git log -1 --format=%ad --date=raw)',
        'echo mine > mine.ts',
        'git add -A',
        `GIT_COMMITTER_DATE="$date" ${amend}`,
      ]
      expect(sub.rebase('main', '--committer-date-is-author-date', '--exec', steps.join('; ')).status).toBe(0)
      repo.worktreeRemove(sub)
      expect(repo.merge('feature').status).toBe(0)
    })
    turn.toShow(['mine.ts']).toDemote(1)
  })
})

describe('a range over work that lay elsewhere between its turns', () => {
  /** Plays two turns, the second of which begins in a later second than the first wrote its work in. */
  async function twoTurns(
    repo: TurnRepository,
    first: () => unknown,
    second: () => unknown,
    change: (start: Checkpoint) => Checkpoint = (start) => start,
  ): Promise<PlayedTurn> {
    const from = change(await repo.startTurn())
    first()
    await nextSecond()
    const between = [await repo.endTurn()]
    await nextSecond()
    second()
    return ask(repo, { cwd: repo.cwd, from, between, to: await repo.endTurn() })
  }

  const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1050 - (Date.now() % 1000)))

  it('committed in a worktree in one turn, merged in the next: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    const sub = repo.worktree('sub')
    const turn = await twoTurns(
      repo,
      () => inTurn(sub).create('mine.ts', 'mine\n').commit('mine'),
      () => expect(repo.merge('sub').status).toBe(0),
    )
    turn.toShow(['mine.ts']).toDemote(0)
  })

  it('an older commit amended in a worktree in one turn, picked in the next: what the amend added is shown', async () => {
    const repo = featureBesideMain()
    const sub = repo.worktree('sub', 'feature')
    const turn = await twoTurns(
      repo,
      () => inTurn(sub).create('mine.ts', 'mine\n').amend(),
      () => expect(repo.cherryPick('sub').status).toBe(0),
    )
    turn.toShow(['mine.ts']).toDemote(1)
  })

  it('pushed from a worktree in one turn, merged by the server and pulled in the next: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    const sub = repo.worktree('sub')
    const turn = await twoTurns(
      repo,
      () => {
        inTurn(sub).create('mine.ts', 'mine\n').commit('mine')
        sub.push('sub')
      },
      () => {
        repo.teammate.follow('main')
        repo.teammate.git(['merge', '-q', '--no-ff', '-m', 'merge of sub', 'origin/sub'], true)
        repo.teammate.git(['push', '-q', 'origin', 'main'], true)
        expect(repo.pull().status).toBe(0)
      },
    )
    turn.toShow(['mine.ts']).toDemote(0)
  })

  const returns: [string, (repo: TurnRepository) => unknown][] = [
    ['picked', (repo) => expect(repo.cherryPick('-m', '1', 'stash@{0}').status).toBe(0)],
    ['merged', (repo) => expect(repo.merge('stash@{0}').status).toBe(0)],
    [
      'merged beside other work',
      (repo) => {
        repo.create('z.ts', 'z\n').commit('z')
        expect(repo.merge('stash@{0}').status).toBe(0)
      },
    ],
    [
      'applied and committed',
      (repo) => {
        repo.git('stash', 'apply', '-q')
        repo.commit('work')
      },
    ],
  ]
  for (const [name, comeBack] of returns) {
    it(`stashed in one turn, ${name} in the next: shown`, async () => {
      const repo = TurnRepository.create({ 'a.ts': lines(20) })
      const turn = await twoTurns(
        repo,
        () => repo.edit('a.ts', 4, 'mine').stash(),
        () => comeBack(repo),
      )
      turn.toShow(name.includes('beside') ? ['a.ts', 'z.ts'] : ['a.ts']).toDemote(0)
    })
  }

  it('stashed after a pull in one turn, picked in the next: shown, and what was pulled is demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    repo.teammate.push({ 'theirs.ts': 'theirs\n' })
    const turn = await twoTurns(
      repo,
      () => {
        repo.pull()
        repo.edit('a.ts', 3, 'mine').stash()
      },
      () => expect(repo.cherryPick('-m', '1', 'stash@{0}').status).toBe(0),
    )
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('committed on a branch in a turn whose start has no recorded head, merged in the next: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    const turn = await twoTurns(
      repo,
      () => {
        repo.switchNew('parked').create('mine.ts', 'mine\n').commit('mine')
        repo.checkout('main')
      },
      () => expect(repo.merge('parked').status).toBe(0),
      ({ headOid: _, ...start }) => start,
    )
    turn.toShow(['mine.ts']).toDemote(0)
  })
})

describe('work of a few minutes before the turn only moves', () => {
  /** As `featureBesideMain`, all of it written in the last ten minutes. */
  function recent(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(30) })
    let at = Math.floor(Date.now() / 1000) - 500
    repo.clock.oldDate = () => {
      at += 3
      return `${at} +0000`
    }
    repo.switchNew('feature').edit('a.ts', 3, 'one').commit('one')
    repo.edit('a.ts', 10, 'two').create('two.ts', 'two\n').commit('two')
    repo.edit('b.ts', 3, 'three').commit('three')
    repo.checkout('main').edit('b.ts', 20, 'main').create('m.ts', 'm\n').commit('main')
    return repo
  }

  const three = ([one, two, last]: string[]) => [`pick ${one}`, `squash ${two}`, `pick ${last}`]
  const moves: [string, number, (repo: TurnRepository) => unknown][] = [
    ['a switch', 4, (repo) => repo.checkout('feature')],
    ['a switch and a rebase', 3, (repo) => repo.checkout('feature').rebase('main')],
    ['a merge', 3, (repo) => repo.merge('feature')],
    ['a cherry-pick of all', 3, (repo) => repo.cherryPick('main..feature')],
    ['an amend of the message', 4, (repo) => repo.checkout('feature').amend('in other words')],
    ['a rebase that squashes', 3, (repo) => repo.checkout('feature').rebaseInteractive('main', three, 'squashed')],
    [
      'a soft reset over it and a new commit',
      4,
      (repo) => repo.reset('hard', 'feature').reset('soft', 'main~1').commit('all'),
    ],
    [
      'a checkout after its branch was deleted',
      4,
      (repo) => {
        const tip = repo.oid('feature')
        repo.branch('-q', '-D', 'feature').checkout('--detach', tip)
      },
    ],
    [
      'a pull of what a colleague has just pushed',
      1,
      (repo) => {
        repo.teammate.push({ 'theirs.ts': 'theirs\n' })
        expect(repo.pull({ mode: 'rebase' }).status).toBe(0)
      },
    ],
  ]
  for (const [name, files, move] of moves) {
    it(`by ${name}`, async () => {
      const repo = recent()
      const turn = await playTurn(repo, () => move(repo))
      turn.toShowNothing().toDemote(files)
    })
  }
})
