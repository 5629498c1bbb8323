// Picks, patches and reverts: a clean replay of what existed has moved, a resolution is the agent's.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

/** `side` holds two commits of before the turn. */
function withSide(conflicting = false): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': 'b\n' })
  repo.switchNew('side')
  repo.edit('a.ts', 3, 'side').create('s.ts', 's\n').commit('side one')
  repo.edit('a.ts', 20, 'side').commit('side two')
  repo.checkout('main')
  repo.edit('a.ts', conflicting ? 3 : 10, 'main').commit('main')
  return repo
}

describe('a cherry-pick of a commit made before the turn', () => {
  it('clean: demoted', async () => {
    const repo = withSide()
    const turn = await playTurn(repo, () => expect(repo.cherryPick('side~1').status).toBe(0))
    turn.toShowNothing().toDemote(2)
    expect(turn.result.demoted.files?.map((file) => file.reason)).toEqual(['replayed', 'replayed'])
    expect(turn.result.branchTransition.label).toBe('Cherry-picked')
  })

  it('several at once, with -x, in another order: demoted', async () => {
    for (const args of [['main..side'], ['-x', 'side~1', 'side'], ['side', 'side~1']]) {
      const repo = withSide()
      const turn = await playTurn(repo, () => expect(repo.cherryPick(...args).status).toBe(0))
      turn.toShowNothing().toDemote(2)
    }
  })

  it('one that fast-forwards: demoted', async () => {
    const repo = withSide()
    repo.checkout('side').switchNew('behind', 'side~1')
    const turn = await playTurn(repo, () => expect(repo.cherryPick('--ff', 'side').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('amended or filtered here first: what the hand added is shown', async () => {
    const rewriters: ((repo: TurnRepository) => unknown)[] = [
      (repo) => repo.append('b.ts', 'mine\n').amend(),
      (repo) => repo.filterBranch('--tree-filter', 'echo mine >> b.ts', 'HEAD~1..HEAD'),
    ]
    for (const rewrite of rewriters) {
      const repo = withSide()
      const turn = await playTurn(repo, () => {
        repo.checkout('side')
        rewrite(repo)
        repo.checkout('main')
        expect(repo.cherryPick('-x', 'side').status).toBe(0)
      })
      turn.toShow([{ path: 'b.ts', additions: 1, deletions: 0 }]).toDemote(1)
    }
  })

  it('that stops, and the agent resolves: the resolved file is shown, the rest demoted', async () => {
    const repo = withSide(true)
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('side~1').status).not.toBe(0)
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'both\n'))
      expect(repo.proceed('cherry-pick').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
  })

  it('that stops, and the agent takes the picked side: shown', async () => {
    const repo = withSide(true)
    const turn = await playTurn(repo, () => {
      repo.cherryPick('side~1')
      repo.git('checkout', '-q', '--theirs', 'a.ts')
      repo.git('add', '-A')
      expect(repo.proceed('cherry-pick').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('taken with -n and committed by hand is a decision of the agent: shown', async () => {
    const repo = withSide()
    const turn = await playTurn(repo, () => {
      repo.cherryPick('-n', 'side~1')
      repo.commit('taken over')
    })
    turn.toShow(['a.ts', 's.ts']).toDemote(0)
  })

  it('amended afterwards: the amended lines are shown', async () => {
    const repo = withSide()
    const turn = await playTurn(repo, () => {
      repo.cherryPick('side~1')
      repo.edit('a.ts', 28, 'mine').amend()
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
  })

  it('of a merge, with -m 1: demoted', async () => {
    const repo = withSide()
    repo.switchNew('joined', 'main~1').merge('side', '--no-ff')
    repo.checkout('main')
    const turn = await playTurn(repo, () => expect(repo.cherryPick('-m', '1', 'joined').status).toBe(0))
    turn.toShowNothing().toDemote(2)
  })

  it('that becomes empty and is skipped leaves nothing', async () => {
    const repo = withSide()
    repo.cherryPick('side~1')
    const turn = await playTurn(repo, () => {
      repo.cherryPick('side~1')
      repo.git('cherry-pick', '--skip')
    })
    turn.toShowNothing().toDemote(0)
  })

  /** A commit of no branch any more, which stops on a file of `release` and on another one of `main`. */
  function lostBesideTwo(): { repo: TurnRepository; lost: string } {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': lines(9) })
    repo.switchNew('lost').edit('a.ts', 5, 'lost').edit('b.ts', 5, 'lost')
    const lost = repo.commit('lost')
    repo.switchNew('release', 'main').edit('a.ts', 5, 'release').commit('release')
    repo.checkout('main').edit('b.ts', 5, 'main').commit('main')
    repo.checkout('release').branch('-D', 'lost')
    return { repo, lost }
  }

  function pickAndResolve(repo: TurnRepository, oid: string, path: string): void {
    expect(repo.cherryPick(oid).status).not.toBe(0)
    repo.resolve(path, lines(9).replace('line 5\n', 'resolved\n')).proceed('cherry-pick')
  }

  it('of a deleted branch, to two others: where the first one stopped bears not on the second', async () => {
    const { repo, lost } = lostBesideTwo()
    const turn = await playTurn(repo, () => {
      pickAndResolve(repo, lost, 'a.ts')
      pickAndResolve(repo.checkout('main'), lost, 'b.ts')
    })
    turn.toShow(['b.ts']).toDemote(1)
  })

  it('of a deleted branch, first in a worktree that is gone: where it stopped there bears not on the one here', async () => {
    const { repo, lost } = lostBesideTwo()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub', 'release').checkout('--detach')
      repo.branch('-q', '-D', 'sub')
      pickAndResolve(sub, lost, 'a.ts')
      const there = sub.oid()
      repo.worktreeRemove(sub).checkout(there)
      pickAndResolve(repo.checkout('main'), lost, 'b.ts')
    })
    turn.toShow(['b.ts']).toDemote(1)
  })

  it('of what a worktree that is gone amended of a late commit: that one is demoted, what was added is shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.switchNew('release').create('r.ts', 'r\n').commit('release')
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'theirs.ts': 'theirs\n' }, { late: true })
      const sub = repo.fetch().worktree('sub', 'origin/main').checkout('--detach')
      repo.branch('-q', '-D', 'sub')
      const amended = sub.create('mine.ts', 'mine\n').amend()
      repo.worktreeRemove(sub)
      expect(repo.cherryPick(amended).status).toBe(0)
      expect(repo.checkout('main').merge(amended, '--ff-only').status).toBe(0)
    })
    turn.toShow(['mine.ts']).toDemote(2)
  })

  it('is none of a merge of the same second, made elsewhere: what the merge brought is not expected', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.switchNew('side').create('side.ts', 'side\n').commit('side')
    const turn = await playTurn(repo, () => {
      const env = { GIT_AUTHOR_DATE: `${Math.floor(Date.now() / 1000)} +0000` }
      repo.checkout('main').gitWith({ env }, 'merge', '-q', '--no-ff', '--no-edit', 'side')
      const sub = repo.worktree('sub', 'main~1').checkout('--detach')
      repo.branch('-q', '-D', 'sub')
      sub.create('mine.ts', 'mine\n').git('add', '-A')
      sub.gitWith({ env }, 'commit', '-q', '-m', 'mine')
      const there = sub.oid()
      repo.worktreeRemove(sub).checkout(there)
    })
    turn.toShow(['mine.ts']).toDemote(1)
  })
})

describe("a cherry-pick of the agent's own commit of the turn", () => {
  it('from another branch: shown', async () => {
    const repo = withSide()
    const turn = await playTurn(repo, () => {
      repo.checkout('side')
      const mine = repo.create('mine.ts', 'mine\n').edit('a.ts', 25, 'mine').commit('mine')
      repo.checkout('main')
      expect(repo.cherryPick(mine).status).toBe(0)
    })
    turn.toShow(['mine.ts', { path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })
})

describe('am', () => {
  it('of a patch whose commit existed here before: demoted', async () => {
    const repo = withSide()
    const patch = repo.git('format-patch', '--stdout', '-1', 'side~1')
    const turn = await playTurn(repo, () => repo.gitWith({ input: `${patch}\n` }, 'am', '-q', '-3'))
    turn.toShowNothing().toDemote(2)
  })

  it('of a patch that stops, resolved by hand: the resolved file is shown', async () => {
    const repo = withSide(true)
    const patch = repo.git('format-patch', '--stdout', '-1', 'side~1')
    const turn = await playTurn(repo, () => {
      expect(repo.tryGitWith({ input: `${patch}\n` }, 'am', '-q', '-3').status).not.toBe(0)
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'both\n')).resolve('s.ts', 's\n')
      expect(repo.proceed('am').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('of a patch that no commit here stands behind: shown', async () => {
    const repo = withSide()
    const mail = join(repo.root, 'patch.mail')
    writeFileSync(
      mail,
      [
        'From 0000000000000000000000000000000000000001 Mon Sep 17 00:00:00 2001',
        'From: Some One <someone@example.net>',
        'Date: Mon, 1 Jan 2024 00:00:00 +0000',
        'Subject: [PATCH] by mail',
        '',
        '---',
        'diff --git a/b.ts b/b.ts',
        '--- a/b.ts',
        '+++ b/b.ts',
        '@@ -1 +1,2 @@',
        ' b',
        '+mail',
        '-- ',
        '2.47',
        '',
      ].join('\n'),
    )
    const turn = await playTurn(repo, () => repo.git('am', '-q', mail))
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 0 }]).toDemote(0)
  })
})

describe('a revert', () => {
  it('of an older commit is a decision of the agent: shown', async () => {
    const repo = withSide()
    const turn = await playTurn(repo, () => expect(repo.revert('HEAD').status).toBe(0))
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('of what was pulled in the turn leaves nothing of it', async () => {
    const repo = withSide()
    repo.push('main')
    repo.teammate.push({ 'up.ts': 'up\n' })
    const up = repo.teammate.push({ 'b.ts': 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      expect(repo.revert(up).status).toBe(0)
    })
    turn.toShowNothing().toDemote(1)
  })

  it('of its own commit of the turn leaves nothing', async () => {
    const repo = withSide()
    const turn = await playTurn(repo, () => {
      repo.edit('b.ts', 1, 'mine').commit('mine')
      repo.revert('HEAD')
    })
    turn.toShowNothing().toDemote(0)
  })
})
