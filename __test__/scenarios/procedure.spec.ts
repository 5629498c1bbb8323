// The decision procedure, line by line and note by note: each test fails when its line is switched off.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AttributeTurnRequest, addon } from '../support/addon.js'
import { refsAreFiles } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn, verdictOf, withoutPins } from './play.js'

const past = '2023-01-01T00:00:00Z'
const future = '2036-01-01T00:00:00Z'

function plain(): TurnRepository {
  return TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(9), 'c.ts': 'c\n' })
}

/** `origin/up` is one old commit ahead of `main`; no log of HEAD names it. */
function withUpstream(): TurnRepository {
  const repo = plain()
  repo.teammate.push({ 'up.ts': 'up\n', 'b.ts': lines(9, 'theirs') }, { branch: 'up' })
  return repo.fetch()
}

function withoutPin(side: 'from' | 'to'): (request: AttributeTurnRequest) => AttributeTurnRequest {
  return (request) => {
    const { pin: _, ...checkpoint } = request[side]
    return { ...request, [side]: checkpoint }
  }
}

describe('line 1: nothing moved', () => {
  it('an operation that is open at both ends is no move, one that began in the turn is', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').write('c.ts', 'side\n').commit('side')
    repo.checkout('main')
    repo.edit('a.ts', 3, 'main').commit('main')
    const began = await playTurn(repo, () => repo.merge('side'))
    began.toShow(['a.ts']).toDemote(1).toBeAttributed()
    const open = await playTurn(repo, () => repo.edit('b.ts', 3, 'mine'))
    open.toShow(['b.ts']).toBeUnmoved()
  })
})

describe('line 2: which entries of the log are the turn', () => {
  it('a pin counts more than the time of an entry: a user commit dated ahead is not of the turn', async () => {
    const repo = plain()
    repo.switchNew('feature').create('f.ts', 'f\n').commit('ahead', { date: future, committerDate: future })
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.checkout('feature'))
    turn.toShowNothing().toDemote(1)
    expect(turn.result.attribution).toMatchObject({ evidence: 'reflog' })
  })

  it('a pin counts more than the time of an entry: an agent commit set back is of the turn', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () =>
      repo.edit('a.ts', 3, 'mine').commit('x', { date: past, committerDate: past }),
    )
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('no pin at from: the turn begins after the head was reached before the start, not after it was reached again', async () => {
    const repo = plain()
    const turn = await playTurn(
      repo,
      () => {
        const mine = repo.edit('a.ts', 3, 'mine').commit('mine', { date: past })
        repo.reset('hard', 'HEAD~1')
        repo.edit('c.ts', 1, 'other').commit('other')
        repo.cherryPick(mine)
      },
      { change: withoutPin('from') },
    )
    turn.toShow(['a.ts', 'c.ts']).toDemote(0)
    expect(turn.result.attribution.notes).toContain('no-pin')
  })

  it('no pin at to: entries after the snapshot are not of the turn', async () => {
    const repo = withUpstream()
    const request = await recordTurn(repo, () => repo.merge('origin/up'))
    const later = { env: { GIT_AUTHOR_DATE: future, GIT_COMMITTER_DATE: future } }
    repo.edit('a.ts', 3, 'later').git('add', '-A')
    repo.gitWith(later, 'commit', '-q', '-m', 'later')
    repo.gitWith(later, 'reset', '-q', '--hard', 'HEAD~1')
    const turn = await ask(repo, withoutPin('to')(request))
    turn.toShowNothing().toDemote(2)
    expect(turn.result.branchTransition.actions.map((action) => action.action)).toEqual(['merge'])
  })

  it.runIf(refsAreFiles)('a log that lost its old entries still holds the pin: the same answer', async () => {
    const repo = withUpstream()
    repo.clock.beginTurn()
    repo.switchNew('topic')
    const request = await recordTurn(repo, () => {
      repo.merge('origin/up')
      repo.edit('a.ts', 3, 'mine').commit('mine')
    })
    const before = await ask(repo, request)
    repo.git('reflog', 'expire', '--expire=2025-01-01', '--expire-unreachable=2025-01-01', '--all')
    expect(readFileSync(join(repo.cwd, '.git/logs/HEAD'), 'utf8')).not.toContain('commit (initial)')
    expect((await ask(repo, request)).result).toEqual(before.result)
    before.toShow(['a.ts']).toDemote(2)
  })

  it('a log that lost the pin proves nothing: the loss is noted, and nothing of the agent is hidden', async () => {
    const repo = withUpstream()
    const request = await recordTurn(repo, () => {
      repo.merge('origin/up')
      repo.edit('a.ts', 3, 'mine').commit('mine', { date: past, committerDate: past })
    })
    repo.git('reflog', 'expire', '--expire=now', '--all')
    const turn = await ask(repo, request)
    expect(verdictOf(turn.result, 'a.ts')).toBe('shown')
    expect(turn.result.attribution).not.toMatchObject({ evidence: 'reflog' })
    expect(turn.result.attribution.notes).toContain('reflog-lost')
  })

  it('the log of another worktree counts by its times', async () => {
    const repo = plain()
    repo.git('config', 'user.email', 'somebody@else.example')
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.edit('a.ts', 3, 'sub').commit('sub', { date: past })
      repo.merge('sub')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('line 3: what a log says was made', () => {
  const movements: [string, (repo: TurnRepository) => unknown][] = [
    ['checkout', (repo) => repo.checkout('-B', 'other', 'origin/up')],
    ['checkout --detach', (repo) => repo.checkout('--detach', 'origin/up')],
    ['reset', (repo) => repo.reset('hard', 'origin/up')],
    ['merge --ff-only', (repo) => repo.merge('origin/up', '--ff-only')],
    ['pull by fast-forward', (repo) => repo.pull({ branch: 'up' })],
    ['pull --rebase by fast-forward', (repo) => repo.pull({ branch: 'up', mode: 'rebase' })],
    ['rebase by fast-forward', (repo) => repo.rebase('origin/up')],
    ['cherry-pick --ff', (repo) => repo.cherryPick('--ff', 'origin/up')],
    ['branch -f and checkout', (repo) => repo.branch('-f', 'other', 'origin/up').checkout('other')],
    [
      'reset and branch -M',
      (repo) => {
        repo.reset('hard', 'origin/up')
        repo.branch('-M', 'renamed')
      },
    ],
    ['rebase -i with labels and resets', (repo) => repo.rebase('origin/up', '-r', '--force-rebase')],
  ]
  for (const [name, move] of movements) {
    it(`${name} is a movement: what it moved to was not made here`, async () => {
      const repo = withUpstream()
      const turn = await playTurn(repo, () => move(repo))
      turn.toShowNothing().toDemote(2)
      expect(turn.result.attribution).toMatchObject({ evidence: 'reflog' })
    })
  }

  it('a rebase that is aborted half way is a movement back', async () => {
    const repo = withUpstream()
    repo.edit('b.ts', 3, 'local').commit('local')
    const turn = await playTurn(repo, () => {
      expect(repo.rebase('origin/up').status).not.toBe(0)
      repo.abort('rebase')
      repo.edit('c.ts', 1, 'mine').commit('mine')
    })
    turn.toShow(['c.ts']).toDemote(0)
  })

  for (const [name, word] of [
    ['an unknown word', ['-m', 'jj: snapshot']],
    ['no word at all', []],
  ] as const) {
    it(`${name} creates: a commit set back by hand is shown`, async () => {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        repo.edit('a.ts', 3, 'mine').git('add', '-A')
        const env = { GIT_AUTHOR_DATE: past, GIT_COMMITTER_DATE: past }
        const oid = repo.gitWith({ env }, 'commit-tree', repo.git('write-tree'), '-p', 'HEAD', '-m', 'x')
        repo.gitWith({ env }, 'update-ref', ...word, 'HEAD', oid)
      })
      turn.toShow(['a.ts']).toDemote(0)
      expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
    })
  }

  it('what a log named before the pin was not made in the turn, whatever the word', async () => {
    const repo = plain()
    repo.switchNew('feature').create('f.ts', 'f\n').commit('feature')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.git('update-ref', '-m', 'strange: tool', 'HEAD', 'feature')
      repo.reset('hard')
    })
    turn.toShowNothing().toDemote(1)
  })
})

describe('line 4: what is known when the log is not whole', () => {
  it('a ref that did not move and is old proves its commits old', async () => {
    const repo = withUpstream()
    repo.tag('v1', 'origin/up')
    repo.git('update-ref', '-d', 'refs/remotes/origin/up')
    const turn = await playTurn(repo, () => {
      repo.switchNew('x')
      repo.git(
        'update-ref',
        '-m',
        'strange: tool',
        'HEAD',
        repo.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x'),
      )
      repo.merge('v1')
    })
    turn.toShowNothing().toDemote(2)
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })

  it('what was fetched in the turn came from elsewhere', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      repo.switchNew('x')
      repo.git(
        'update-ref',
        '-m',
        'strange: tool',
        'HEAD',
        repo.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x'),
      )
      repo.fetch().merge('origin/main')
    })
    turn.toShowNothing().toDemote(1)
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })

  it('values that HEAD had before the pin are known, their branch gone or not', async () => {
    const repo = plain()
    repo.switchNew('feature').create('f.ts', 'f\n')
    const feature = repo.commit('feature')
    repo.checkout('main').branch('-D', 'feature')
    const turn = await playTurn(repo, () => {
      repo.git('symbolic-ref', 'HEAD', 'refs/heads/elsewhere')
      repo.git('update-ref', '-m', 'strange: tool', 'HEAD', feature)
      repo.reset('hard')
    })
    turn.toShowNothing().toDemote(1)
  })
})

describe('line 5: a told turn is an unbroken chain', () => {
  it.runIf(refsAreFiles)('a line that is missing in the middle makes it weak: what it hid is shown', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      repo.edit('a.ts', 3, 'mine').commit('mine', { date: past, committerDate: past })
      repo.edit('c.ts', 1, 'mine').commit('mine too')
    })
    for (const name of ['HEAD', 'refs/heads/main']) {
      const log = join(repo.cwd, '.git/logs', name)
      const kept = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => !line.endsWith('\tcommit: mine'))
      writeFileSync(log, kept.join('\n'))
    }
    const turn = await ask(repo, request)
    turn.toShow(['a.ts', 'c.ts'])
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })
})

describe('line 6: the turn commits', () => {
  it('a commit that no log names is met because HEAD was moved onto it: what is picked from it is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      // One author date for both, as when they are made within a second.
      const date = `${Math.floor(Date.now() / 1000)} +0000`
      const sub = repo.worktree('sub')
      const work = sub.edit('a.ts', 3, 'sub').commit('sub', { date })
      repo.checkout('--detach', work).checkout('main')
      repo.edit('c.ts', 1, 'mine').commit('mine', { date })
      repo.worktreeRemove(sub).branch('-D', 'sub')
      expect(repo.cherryPick(work).status).toBe(0)
    })
    turn.toShow(['a.ts', 'c.ts']).toDemote(0)
  })

  it('the start is floored to the second: a commit made in that second is of the turn', async () => {
    const repo = plain()
    let seconds = 0
    const turn = await playTurn(
      repo,
      () => {
        const sub = repo.worktree('sub')
        const work = sub.edit('a.ts', 3, 'sub').commit('sub')
        seconds = Number(repo.git('show', '-s', '--format=%ct', work))
        repo.merge('sub')
        repo.worktreeRemove(sub).branch('-D', 'sub')
      },
      {
        change: (request) => ({ ...request, from: { ...request.from, turnStartedAt: seconds * 1000 + 999 } }),
      },
    )
    turn.toShow(['a.ts']).toDemote(0)
    expect(turn.result.attribution.notes).not.toContain('turn-start-not-believed')
  })

  it("a late commit is the agent's own where its author is the user.email of the repository", async () => {
    const repo = plain()
    repo.git('config', 'user.email', 'Tess@Example.org')
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.pull()
    })
    turn.toShow(['late.ts']).toDemote(0)
  })

  it("a late commit is the agent's own where its author moved HEAD here in the turn", async () => {
    const repo = plain()
    repo.git('config', 'user.email', 'somebody@else.example')
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.gitWith({ env: { GIT_COMMITTER_EMAIL: 'tess@example.org' } }, 'pull', '-q', '--ff-only')
    })
    turn.toShow(['late.ts']).toDemote(0)
  })
})

describe('line 7: merges of trees', () => {
  it('follow renames: a pick into a file that was renamed is demoted', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').commit('side')
    repo.checkout('main').move('a.ts', 'moved.ts').commit('rename')
    const turn = await playTurn(repo, () => expect(repo.cherryPick('side').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('merge modes beside contents', async () => {
    const repo = plain()
    repo.switchNew('side').chmod('a.ts', '+x').commit('mode')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    const merged = await playTurn(repo, () => expect(repo.merge('side').status).toBe(0))
    merged.toShowNothing().toDemote(1)
  })

  it('a mode that the agent sets in a merge is shown, without a line', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 20, 'side').commit('side')
    repo.checkout('main').edit('b.ts', 3, 'main').commit('main')
    const turn = await playTurn(repo, () => {
      repo.merge('side', '--no-commit')
      repo.chmod('a.ts', '+x').commit('merged')
    })
    turn.toShow([{ path: 'a.ts', additions: 0, deletions: 0, newMode: '100755' }]).toDemote(0)
  })

  it('a path on which one conflicts is not trusted: shown whole, compared with the start', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').edit('a.ts', 20, 'side').commit('side')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    const turn = await playTurn(repo, () => {
      repo.merge('side')
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'both\n').replace('line 20\n', 'side\n')).commit('merged')
    })
    turn.toShow([{ path: 'a.ts', mixed: true, additions: 2, deletions: 2 }]).toDemote(0)
  })

  it('an inexact rename, in a merge that stopped, may have been paired by hand: shown', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').write('c.ts', 'side\n').commit('side')
    repo.checkout('main')
    repo.move('a.ts', 'moved.ts').edit('moved.ts', 20, 'main').write('c.ts', 'main\n').commit('main')
    repo.checkout('side')
    const turn = await playTurn(repo, () => {
      expect(repo.merge('main').status).not.toBe(0)
      repo.resolve('c.ts', 'both\n').resolve('moved.ts', lines(30).replace('line 20\n', 'main\n')).commit('merged')
    })
    expect(verdictOf(turn.result, 'moved.ts')).toBe('shown')
    expect(verdictOf(turn.result, 'c.ts')).toBe('shown')
  })
})

describe('line 8: a commit that is not of the turn is taken as it is', () => {
  it('a merge of before the turn with an edit slipped in is a movement like any other', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').commit('side')
    repo.checkout('main').switchNew('joined').edit('b.ts', 3, 'joined').commit('joined')
    repo.merge('side', '--no-commit')
    repo.edit('c.ts', 1, 'slipped in').commit('merged')
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.merge('joined', '--ff-only'))
    turn.toShowNothing().toDemote(3)
  })
})

describe('line 9: a rebased line is replayed once, as a whole', () => {
  /** `topic`: three commits that build on each other in one file. */
  function stacked(): TurnRepository {
    const repo = plain()
    repo.switchNew('topic')
    repo.edit('a.ts', 10, 'one').commit('one')
    repo.edit('a.ts', 11, 'two').commit('two')
    repo.edit('a.ts', 12, 'three').create('t.ts', 't\n').commit('three')
    repo.checkout('main').edit('a.ts', 25, 'main').commit('main')
    return repo.checkout('topic')
  }

  it('squash, fixup, reorder: no step of git on the way is the work of a hand', async () => {
    for (const plan of [
      ([one, two, three]: string[]) => [`pick ${one}`, `squash ${two}`, `squash ${three}`],
      ([one, two, three]: string[]) => [`pick ${one}`, `fixup ${two}`, `pick ${three}`],
      ([one, two, three]: string[]) => [`pick ${one}`, `fixup -C ${two}`, `fixup ${three}`],
    ]) {
      const repo = stacked()
      const turn = await playTurn(repo, () => expect(repo.rebaseInteractive('main', plan, 'message').status).toBe(0))
      turn.toShowNothing().toDemote(1)
    }
  })

  it('edit and exec: only what the hand added is shown', async () => {
    const repo = stacked()
    const turn = await playTurn(repo, () => {
      repo.rebaseInteractive('main', ([one, two, three]) => [
        `pick ${one}`,
        'exec echo generated > gen.ts && git add gen.ts && git commit -q --amend --no-edit',
        `edit ${two}`,
        `pick ${three}`,
      ])
      repo.edit('a.ts', 2, 'mine').amend()
      expect(repo.proceed('rebase').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'gen.ts']).toDemote(0)
  })

  it('a commit that upstream already holds is left out by git: demoted', async () => {
    const repo = stacked()
    repo.checkout('main').cherryPick('topic~2')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => expect(repo.rebase('main').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('a later commit that is dropped takes its file with it: demoted, and what is kept stays', async () => {
    const repo = stacked()
    const turn = await playTurn(repo, () =>
      repo.rebaseInteractive('main', ([one, two, three]) => [`pick ${one}`, `pick ${two}`, `drop ${three}`]),
    )
    turn.toShowNothing().toDemote(2)
  })

  it('a conflict in the middle, resolved by hand, is shown although the whole line merges clean', async () => {
    const repo = plain()
    repo.switchNew('topic')
    repo.edit('a.ts', 3, 'for a while').commit('one')
    repo.edit('a.ts', 3, 'line 3').edit('a.ts', 20, 'topic').commit('two')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      expect(repo.rebase('main').status).not.toBe(0)
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'resolved\n'))
      if (repo.proceed('rebase').status !== 0) {
        repo.resolve('a.ts', lines(30).replace('line 3\n', 'resolved\n').replace('line 20\n', 'topic\n'))
        expect(repo.proceed('rebase').status).toBe(0)
      }
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('resolved in the middle to what the whole line gives as well: shown, though the last step is clean', async () => {
    const repo = plain()
    repo.switchNew('topic')
    repo.edit('a.ts', 3, 'for a while').commit('one')
    repo.edit('a.ts', 3, 'line 3').edit('a.ts', 20, 'topic').commit('two')
    repo.create('t.ts', 't\n').commit('three')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      expect(repo.rebase('main').status).not.toBe(0)
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'resolved\n')).proceed('rebase')
      const both = lines(30).replace('line 3\n', 'main\n').replace('line 20\n', 'topic\n')
      expect(repo.resolve('a.ts', both).proceed('rebase').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('line 10: an amend is one by its word', () => {
  it('a commit that only bears the author and date of an older one is none: shown', async () => {
    const repo = plain()
    repo.edit('a.ts', 3, 'earlier').commit('earlier')
    const turn = await playTurn(repo, () => {
      repo.reset('soft', 'HEAD~1').write('a.ts', lines(30)).create('n.ts', 'n\n').git('add', '-A')
      repo.git('commit', '-q', '-C', 'ORIG_HEAD')
    })
    turn.toShow(['n.ts', 'a.ts']).toDemote(0)
  })

  it('a rewriter without a word counts where author and date are kept: only what it changed is shown', async () => {
    const repo = plain()
    repo.edit('a.ts', 3, 'earlier').create('e.ts', 'e\n').commit('earlier')
    const turn = await playTurn(repo, () => repo.filterBranch('--tree-filter', 'echo more >> e.ts', 'main~1..main'))
    turn.toShow([{ path: 'e.ts', additions: 1, deletions: 0 }]).toDemote(0)
  })

  it('a rewriter that changes the author is a plain commit: nothing of the hand is hidden', async () => {
    const repo = plain()
    repo.create('e.ts', 'e\n').commit('earlier')
    const turn = await playTurn(repo, () => {
      repo.edit('c.ts', 1, 'mine').git('add', '-A')
      repo.git(
        'update-ref',
        '-m',
        'strange: tool',
        'HEAD',
        repo.git('commit-tree', repo.git('write-tree'), '-p', 'HEAD~1', '-m', 'x'),
      )
    })
    expect(verdictOf(turn.result, 'c.ts')).toBe('shown')
  })
})

describe('line 11: merges are made again from their parents', () => {
  it('an octopus of three with a commit of the agent on one side', async () => {
    const repo = plain()
    for (const [name, line] of [
      ['one', 3],
      ['two', 12],
    ] as const) {
      repo.checkout('main').switchNew(name).edit('a.ts', line, name).commit(name)
    }
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('two').edit('a.ts', 25, 'mine').commit('mine')
      repo.checkout('main')
      expect(repo.merge(['one', 'two']).status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(0)
  })

  it('of several merge bases, merged first: a criss-cross made in the turn is demoted', async () => {
    const repo = plain()
    repo.switchNew('left').edit('a.ts', 3, 'left').commit('left')
    repo.checkout('main').switchNew('right').edit('a.ts', 20, 'right').edit('b.ts', 2, 'right').commit('right')
    const turn = await playTurn(repo, () => {
      const [left, right] = [repo.oid('left'), repo.oid('right')]
      repo.checkout('left').merge(right)
      repo.checkout('right').merge(left)
      repo.create('r.ts', 'mine\n').commit('mine')
      repo.checkout('left')
      expect(repo.merge('right').status).toBe(0)
    })
    turn.toShow(['r.ts']).toDemote(1)
  })
})

describe('line 12: a revert is a decision', () => {
  it('by git, by git with -n, after a conflict: shown', async () => {
    const stories: ((repo: TurnRepository) => unknown)[] = [
      (repo) => repo.revert('HEAD'),
      (repo) => {
        repo.git('revert', '-n', 'HEAD')
        repo.commit('by hand')
      },
    ]
    for (const story of stories) {
      const repo = plain()
      repo.edit('a.ts', 3, 'earlier').commit('earlier')
      const turn = await playTurn(repo, () => story(repo))
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
    }
  })

  it('of a revert: shown', async () => {
    const repo = plain()
    repo.edit('a.ts', 3, 'earlier').commit('earlier')
    repo.revert('HEAD')
    const turn = await playTurn(repo, () => repo.revert('HEAD'))
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('line 13: a pick replays its original', () => {
  it('two commits of one second are not taken for each other', async () => {
    const repo = plain()
    const date = '2024-06-01T00:00:00Z'
    repo.switchNew('side')
    repo.edit('a.ts', 3, 'side').commit('one', { date, committerDate: date })
    repo.edit('b.ts', 3, 'side').create('s.ts', 's\n').commit('two', { date, committerDate: date })
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    for (const picks of [['side~1'], ['side'], ['side~1', 'side'], ['side', 'side~1']]) {
      const turn = await playTurn(repo, () => expect(repo.cherryPick(...picks).status).toBe(0))
      turn.toShowNothing().toDemote(picks.length === 2 ? 3 : picks[0] === 'side' ? 2 : 1)
      repo.reset('hard', turn.request.from.headOid ?? 'HEAD')
    }
  })

  it('a commit that is reachable counts before one that only a log knows: an older version by hand is shown', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'first thought').commit('side')
    repo.edit('a.ts', 3, 'second thought').amend()
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const amended = await playTurn(repo, () => {
      repo.cherryPick('side')
      repo.edit('a.ts', 3, 'first thought').amend()
    })
    amended.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('the same, committed with the author and date of the picked one (-C)', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'first thought').commit('side')
    repo.edit('a.ts', 3, 'second thought').amend()
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.cherryPick('-n', 'side')
      repo.edit('a.ts', 3, 'first thought').git('commit', '-q', '-a', '-C', 'side')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('an original that was made in the turn is work of the turn', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('x').edit('a.ts', 3, 'mine')
      const mine = repo.commit('mine', { date: past })
      repo.checkout('main').edit('c.ts', 1, 'mine').commit('other')
      repo.branch('-D', 'x')
      expect(repo.cherryPick(mine).status).toBe(0)
    })
    turn.toShow(['a.ts', 'c.ts']).toDemote(0)
  })

  it('an old author date without an original is no pick: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => repo.edit('a.ts', 3, 'mine').commit('mine', { date: past }))
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('line 14: a soft reset and a commit', () => {
  it('of what stood there is a move; what the commit leaves out was left out by hand', async () => {
    const repo = withUpstream()
    const moved = await playTurn(repo, () => {
      repo.merge('origin/up')
      repo.reset('soft', 'HEAD~1').commit('again')
    })
    moved.toShowNothing().toDemote(2)
    const less = await playTurn(repo, () => {
      repo.reset('soft', 'HEAD~1').remove('up.ts').commit('again, without it')
    })
    less.toShow([{ path: 'up.ts', kind: 'deleted' }]).toDemote(0)
  })

  it('holds only where the commit has something of what stood there', async () => {
    const repo = withUpstream()
    repo.merge('origin/up')
    const turn = await playTurn(repo, () => {
      repo.reset('hard', 'HEAD~1').create('n.ts', 'n\n').commit('mine')
    })
    turn.toShow(['n.ts']).toDemote(2)
  })
})

describe('line 15: a root commit', () => {
  it('is compared with the commit that HEAD stood on', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => repo.orphan('fresh').edit('a.ts', 3, 'mine').remove('b.ts').commit('root'))
    turn
      .toShow([
        { path: 'a.ts', additions: 1, deletions: 1 },
        { path: 'b.ts', kind: 'deleted' },
      ])
      .toDemote(0)
  })

  it('with the state of another branch: the difference is work of a hand', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').commit('side')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.orphan('fresh')
      repo.git('checkout', '-q', 'side', '--', '.')
      repo.commit('root')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('lines 17 to 20: the verdict', () => {
  it('18: a merge that stops on the work of the agent, resolved to the other side: shown', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').edit('b.ts', 3, 'side').commit('side')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 3, 'mine').commit('mine')
      expect(repo.merge('side').status).not.toBe(0)
      repo.git('checkout', '-q', '--theirs', 'a.ts')
      repo.commit('merged')
    })
    turn.toShow([{ path: 'a.ts', reason: 'redo-conflict' }]).toDemote(1)
  })

  it('18: a pick that stops on the work of the agent, resolved to the picked side: shown', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').edit('b.ts', 3, 'side').commit('side')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 3, 'mine').commit('mine')
      expect(repo.cherryPick('side').status).not.toBe(0)
      repo.git('checkout', '-q', '--theirs', 'a.ts')
      repo.git('add', '-A')
      expect(repo.proceed('cherry-pick').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('19: a late commit over the own hand is shown whole; over anything else it is demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 3, 'mine').commit('mine')
      repo.push('main')
      repo.teammate.push({ 'a.ts': lines(30).replace('line 3\n', 'theirs\n'), 'b.ts': 'theirs\n' }, { late: true })
      repo.pull()
    })
    turn.toShow([{ path: 'a.ts', mixed: true }]).toDemote(1)
  })

  it('20: what differs in part is shown in part', async () => {
    const repo = withUpstream()
    const turn = await playTurn(repo, () => {
      repo.merge('origin/up')
      repo.edit('b.ts', 9, 'mine')
    })
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1, reason: 'edited-after-move', mixed: false }]).toDemote(1)
  })
})

describe('line 21: what cannot be read', () => {
  it('an object that is missing shows everything, with the reason', async () => {
    const repo = withUpstream()
    repo.edit('c.ts', 1, 'local').commit('local')
    const request = await recordTurn(repo, () => {
      repo.merge('origin/up')
      repo.edit('a.ts', 3, 'mine').commit('mine')
    })
    const lost = repo.oid('origin/up')
    rmSync(join(repo.cwd, '.git/objects', lost.slice(0, 2), lost.slice(2)))
    const turn = await ask(repo, request, { askLater: false })
    turn.toShow(['a.ts', 'b.ts', 'up.ts']).toDegrade('history-missing')
  })

  it('a grafted boundary where a parent is needed hides nothing', async () => {
    const repo = withUpstream()
    repo.edit('c.ts', 1, 'local').commit('local')
    const request = await recordTurn(repo, () => {
      repo.merge('origin/up')
      repo.edit('a.ts', 3, 'mine').commit('mine')
    })
    writeFileSync(join(repo.cwd, '.git/shallow'), `${repo.oid('HEAD~1')}\n`)
    const turn = await ask(repo, request, { askLater: false })
    expect(verdictOf(turn.result, 'a.ts')).toBe('shown')
    turn.toDegrade('history-cut')
  })
})

describe('the notes', () => {
  it('no hash of a patch: the same text at another place is other work', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'x\ny\nz\n'.repeat(12), 'c.ts': 'c\n' })
    const at = (text: string, line: number) =>
      [...text.split('\n').slice(0, line), 'new', ...text.split('\n').slice(line)].join('\n')
    repo
      .switchNew('side')
      .edit('a.ts', (text) => at(text, 9))
      .commit('side')
    repo.checkout('main').write('c.ts', 'main\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', (text) => at(text, 24)).git('commit', '-q', '-a', '-C', 'side')
    })
    expect(verdictOf(turn.result, 'a.ts')).toBe('shown')
  })

  it('a state that HEAD once stood on is no excuse', async () => {
    const repo = plain()
    repo.edit('a.ts', 3, 'newer').commit('newer')
    repo.edit('b.ts', 3, 'newest').commit('newest')
    const turn = await playTurn(repo, () => {
      repo.bisect('start', 'HEAD', 'HEAD~2')
      repo.bisect('reset')
      repo.checkout('HEAD~2').checkout('main')
      repo.write('a.ts', lines(30)).commit('back')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('a word does not prove that git worked alone: am, rebase --apply and pick log a resolution like a clean replay', async () => {
    for (const replay of ['am', 'rebase'] as const) {
      const repo = plain()
      repo.switchNew('side').edit('a.ts', 3, 'side').write('c.ts', 'side\n').commit('side')
      const patch = repo.git('format-patch', '--stdout', '-1')
      repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
      if (replay === 'rebase') repo.checkout('side')
      const turn = await playTurn(repo, () => {
        if (replay === 'am') repo.tryGitWith({ input: `${patch}\n` }, 'am', '-q', '-3')
        else repo.rebase('main', '--apply')
        repo.resolve('a.ts', lines(30).replace('line 3\n', 'both\n')).resolve('c.ts', 'side\n')
        expect(repo.proceed(replay).status).toBe(0)
      })
      turn.toShow(['a.ts']).toDemote(replay === 'am' ? 1 : 0)
    }
  })

  it('the state to compare with never holds conflict markers', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').commit('side')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    const turn = await playTurn(repo, () => {
      repo.merge('side')
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'both\n')).commit('merged')
    })
    const { expectedContent } = await addon().explainPath(turn.request, 'a.ts')
    expect(Buffer.from(expectedContent ?? []).toString()).not.toMatch(/^[<=>]{7}/m)
  })

  it('replaced objects are taken as they are', async () => {
    const repo = withUpstream()
    const turn = await playTurn(repo, () => {
      repo.merge('origin/up')
      const mine = repo.edit('a.ts', 3, 'mine').commit('mine')
      repo.git('replace', repo.oid('HEAD~1'), repo.oid('HEAD~2'))
      repo.git('replace', repo.oid('HEAD:a.ts'), repo.oid('HEAD:b.ts'))
      repo.git('replace', mine, repo.oid('HEAD~1'))
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(2)
  })

  it('nothing live is read: index, working tree, HEAD and state files may change before anyone asks', async () => {
    const repo = withUpstream()
    repo.switchNew('side').edit('a.ts', 3, 'side').commit('side')
    repo.checkout('main')
    const request = await recordTurn(repo, () => {
      repo.merge('origin/up')
      repo.edit('a.ts', 3, 'mine').commit('mine')
      repo.merge('side')
    })
    const open = await ask(repo, request)
    expect(open.result.operationInProgress).toBe('merge')
    repo.abort('merge')
    repo.checkout('side').write('a.ts', 'all new\n').write('other.ts', 'o\n').git('add', '-A')
    repo.git('config', 'merge.renames', 'false')
    rmSync(join(repo.cwd, '.git/index'))
    expect((await ask(repo, request)).result).toEqual(open.result)
  })

  it('without pins, all of this still hides nothing', async () => {
    const repo = withUpstream()
    repo.edit('a.ts', 3, 'earlier').commit('earlier')
    const turn = await playTurn(
      repo,
      () => {
        repo.rebase('origin/up')
        repo.edit('a.ts', 20, 'mine').amend()
        repo.create('n.ts', 'n\n').commit('mine')
      },
      { change: withoutPins },
    )
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(2)
  })
})
