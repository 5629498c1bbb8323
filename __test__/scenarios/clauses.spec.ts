// One story for each clause of the procedure that no other story needs: without the clause, the answer is another.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addon, type TurnAttribution } from '../support/addon.js'
import { expectTurn } from '../support/expect-turn.js'
import { refsAreFiles, runGit } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn, verdictOf, withoutPins } from './play.js'

const past = '2023-01-01T00:00:00Z'
const future = '2036-01-01T00:00:00Z'
const dated = (date: string): Record<string, string> => ({ GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date })

function plain(): TurnRepository {
  return TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n', 'c.ts': lines(9) })
}

/** A commit that no log tells of, with these files on top of `parent`. */
function unlogged(
  repo: TurnRepository,
  parent: string | null,
  files: Record<string, string>,
  env: Record<string, string> = {},
): string {
  const index = { GIT_INDEX_FILE: join(repo.root, 'index-of-its-own') }
  if (parent === null) repo.gitWith({ env: index }, 'read-tree', '--empty')
  else repo.gitWith({ env: index }, 'read-tree', parent)
  for (const [path, input] of Object.entries(files)) {
    const blob = repo.gitWith({ input }, 'hash-object', '-w', '--stdin')
    repo.gitWith({ env: index }, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`)
  }
  const tree = repo.gitWith({ env: index }, 'write-tree')
  const parents = parent === null ? [] : ['-p', parent]
  return repo.gitWith({ env }, 'commit-tree', tree, ...parents, '-m', 'made by plumbing')
}

/** HEAD is moved by a command that writes a word nobody knows: from there on the log tells nothing. */
function moveByHand(repo: TurnRepository, oid: string): void {
  repo.git('update-ref', '-m', 'by hand', 'HEAD', oid)
  repo.reset('hard')
}

/** The colleague does something in their clone on origin's main, in the turn, and pushes it. */
function colleagueDoes(repo: TurnRepository, how: (git: (...args: string[]) => string, folder: string) => void): void {
  const { teammate } = repo
  teammate.git(['fetch', '-q', 'origin'], true)
  teammate.git(['checkout', '-q', '-B', 'main', 'origin/main'], true)
  how((...args) => teammate.git(args, true), teammate.cwd)
  teammate.git(['push', '-q', 'origin', 'main'], true)
}

const reasonOf = (result: TurnAttribution, path: string): string | undefined =>
  result.shown.find((file) => file.path === path)?.reason ??
  result.demoted.files?.find((file) => file.path === path)?.reason

describe('where the turn lies in the log of HEAD', () => {
  const atPast = { GIT_COMMITTER_DATE: past }
  const atFuture = { GIT_COMMITTER_DATE: future }

  /** Work by a clock set back, given up and taken up again. */
  function toAndFro(repo: TurnRepository, env: Record<string, string>): void {
    const start = repo.oid()
    const mine = repo.edit('a.ts', 5, 'mine').commit('mine', { date: past, committerDate: past })
    repo.gitWith({ env }, 'reset', '-q', '--hard', start)
    repo.reset('hard', mine)
  }

  /** The colleague's commit of the turn, fetched and gone to; a later turn writes the same by hand and comes back. */
  async function laterByHand(env: Record<string, string>) {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      repo.checkout('--detach')
      repo.teammate.push({ 'b.ts': 'late\n' }, { late: true })
      repo.fetch().checkout('--detach', 'origin/main')
    })
    repo.gitWith({ env }, 'checkout', '-q', '--detach', 'main')
    repo.edit('b.ts', 1, 'late')
    repo.gitWith({ env }, 'commit', '-q', '-a', '-m', 'the same by hand')
    repo.gitWith({ env }, 'checkout', '-q', '--detach', 'origin/main')
    return { repo, request }
  }

  it('begins at the pin, though a clock set back says that HEAD was there once more: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => toAndFro(repo, atPast))
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('ends at the pin, though a clock set back says that HEAD was there once more: no hand in it', async () => {
    const { repo, request } = await laterByHand(atPast)
    const turn = await ask(repo, request)
    turn.toShowNothing().toDemote(1)
  })

  it('begins, without a pin, before HEAD came back to where it began: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => toAndFro(repo, {}), { change: withoutPins })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('begins, without a pin and a time that helps, at the first entry that fits, not at the last: shown', async () => {
    const repo = plain()
    const request = withoutPins(await recordTurn(repo, () => toAndFro(repo, {})))
    const start = Number(repo.git('log', '-1', '--format=%ct', request.from.headOid ?? '')) * 1000
    const turn = await ask(repo, { ...request, from: { ...request.from, turnStartedAt: start } })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('is lost, without a pin, where HEAD came back to where it began only later', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine', { date: past, committerDate: past })
    })
    repo.forgetReflogs()
    const mine = repo.oid()
    for (const oid of [request.from.headOid ?? '', mine]) repo.gitWith({ env: atFuture }, 'reset', '-q', '--hard', oid)
    const turn = await ask(repo, withoutPins(request))
    turn.toShow(['a.ts']).toDegrade('reflog-lost')
  })

  it('ends, without a pin, before HEAD came back after it: no hand in it', async () => {
    const { repo, request } = await laterByHand(atFuture)
    const turn = await ask(repo, withoutPins(request))
    turn.toShowNothing().toDemote(1)
  })

  it('ends, without a pin, where HEAD came back within it, not before: the hand in it counts', async () => {
    const repo = plain()
    const turn = await playTurn(
      repo,
      () => {
        repo.checkout('--detach')
        repo.teammate.push({ 'b.ts': 'late\n' }, { late: true })
        repo.fetch().checkout('--detach', 'origin/main').checkout('--detach', 'main')
        repo.edit('b.ts', 1, 'late').commit('the same by hand')
        repo.checkout('--detach', 'origin/main')
      },
      { change: withoutPins },
    )
    turn.toShow([{ path: 'b.ts', reason: 'late-commit' }]).toDemote(0)
  })
})

describe('the logs of other refs are placed by their times and by the log of HEAD', () => {
  it('what is fetched after the turn proves nothing about it', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.git('fetch', '-q', repo.teammate.cwd, 'main')
      repo.git('merge', '-q', '--ff-only', 'FETCH_HEAD')
    })
    repo.gitWith({ env: { GIT_COMMITTER_DATE: future } }, 'fetch', '-q', 'origin')
    const turn = await ask(repo, request)
    turn.toShow(['late.ts']).toDemote(0)
  })

  it('a branch stood where its log says, whatever clock the commit on top of it was given', async () => {
    const repo = plain()
    const old = unlogged(repo, 'HEAD', { 'old.ts': 'old\n' }, dated('2024-02-01T00:00:00Z'))
    repo.gitWith({ env: dated('2024-02-01T00:00:00Z') }, 'branch', 'feature', old)
    const turn = await playTurn(repo, () => {
      repo.checkout('feature')
      repo.create('mine.ts', 'mine\n').commit('mine', { date: past, committerDate: past })
      moveByHand(repo, unlogged(repo, 'HEAD', { 'more.ts': 'more\n' }))
    })
    turn.toShow(['mine.ts', 'more.ts']).toDemote(1)
  })

  it('an amend in a worktree that is gone, by a clock that is ahead, is in the log of its branch', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'topic').create('t.ts', 't\n').commit('topic')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      const place = join(repo.root, 'sub')
      repo.git('worktree', 'add', '-q', place, 'topic')
      writeFileSync(join(place, 'c.ts'), lines(9).replace('line 4\n', 'sub\n'))
      const amend = ['commit', '-q', '-a', '--amend', '--no-edit', `--date=${future}`]
      repo.gitWith({ env: dated(future) }, '-C', place, ...amend)
      repo.git('worktree', 'remove', '--force', place)
      repo.checkout('topic')
      repo.create('n.ts', 'n\n').commit('mine', { date: future, committerDate: future })
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(2)
  })

  it('what a branch held before a commit of before the turn is of before the turn, whatever its clock', async () => {
    const repo = plain()
    const one = unlogged(repo, 'HEAD', { 'one.ts': 'one\n' }, dated('2024-02-01T00:00:00Z'))
    const two = unlogged(repo, one, { 'two.ts': 'two\n' }, dated('2024-02-02T00:00:00Z'))
    for (const oid of [one, two])
      repo.gitWith({ env: dated(future) }, 'update-ref', '-m', 'commit: elsewhere', 'refs/heads/feature', oid)
    repo.checkout('feature')
    repo.create('three.ts', 'three\n').commit('three')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('feature').checkout('main')
      expect(repo.cherryPick(one).status).toBe(0)
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a commit of a later turn is of a later turn, whatever date it is given', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      repo.teammate.push({ 'b.ts': 'late\n' }, { late: true })
      repo.create('n.ts', 'n\n').commit('mine')
      expect(repo.pull({ mode: 'merge' }).status).toBe(0)
    })
    const start = `${Math.ceil((request.from.turnStartedAt ?? 0) / 1000)} +0000`
    repo.switchNew('other', request.from.headOid ?? '')
    repo.edit('b.ts', 1, 'late').commit('the same by hand', { date: start, committerDate: start })
    const turn = await ask(repo, request)
    turn.toShow(['n.ts']).toDemote(1)
  })

  it('a rebase by a clock set back: what the log of HEAD says was made in it is made', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'one').commit('one')
    repo.edit('b.ts', 1, 'two').commit('two')
    const turn = await playTurn(repo, () => {
      const env = { GIT_COMMITTER_DATE: past }
      const editor = { ...env, GIT_SEQUENCE_EDITOR: "sed -i '1s/^pick/edit/'" }
      expect(repo.tryGitWith({ env: editor }, 'rebase', '-i', '--force-rebase', 'main').status).toBe(0)
      repo.edit('c.ts', 4, 'mine')
      repo.gitWith({ env }, 'commit', '-q', '-a', '--amend', '--no-edit')
      expect(repo.tryGitWith({ env }, 'rebase', '--continue').status).toBe(0)
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('a branch put back by plumbing onto a commit that its log named before makes nothing', async () => {
    const repo = plain()
    const one = unlogged(repo, 'HEAD', { 'one.ts': 'one\n' })
    const two = unlogged(repo, one, { 'two.ts': 'two\n' })
    for (const oid of [one, two]) repo.git('update-ref', 'refs/heads/side', oid)
    const turn = await playTurn(repo, () => {
      repo.git('update-ref', 'refs/heads/side', one)
      expect(repo.merge('side', '--no-ff').status).toBe(0)
    })
    turn.toShowNothing().toDemote(1)
  })

  it('work in another worktree that HEAD never comes to is no part of the turn', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.create('n.ts', 'n\n').commit('sub-agent')
      repo.pull()
    })
    turn.toShowNothing().toDemote(1)
    expect(reasonOf(turn.result, 'up.ts')).toBe('moved-by-history')
  })

  it('what another worktree committed before the turn, never seen here, is merged: demoted', async () => {
    const repo = plain()
    repo.worktree('sub').create('old.ts', 'old\n').commit('sub-agent')
    const turn = await playTurn(repo, () => expect(repo.merge('sub').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('a worktree put on an old branch makes nothing of it', async () => {
    const repo = plain()
    repo.branch('old', unlogged(repo, 'HEAD', { 'old.ts': 'old\n' }))
    const turn = await playTurn(repo, () => {
      repo.git('worktree', 'add', '-q', join(repo.root, 'sub'), 'old')
      expect(repo.merge('old').status).toBe(0)
    })
    turn.toShowNothing().toDemote(1)
  })
})

describe('the log tells nothing: what is known to be older', () => {
  it('a commit of others that was fetched and gone to by plumbing', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      repo.fetch()
      moveByHand(repo, repo.oid('origin/main'))
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a commit that HEAD stood on before the turn, named by nothing else', async () => {
    const repo = plain()
    repo.checkout('--detach').create('d.ts', 'd\n').commit('detached')
    const detached = repo.oid()
    repo.checkout('main')
    const turn = await playTurn(repo, () => moveByHand(repo, unlogged(repo, detached, { 'mine.ts': 'mine\n' })))
    turn.toShow(['mine.ts']).toDemote(1)
  })

  it('what was fetched in the turn', async () => {
    const repo = plain()
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      repo.fetch()
      moveByHand(repo, unlogged(repo, 'origin/main', { 'mine.ts': 'mine\n' }))
    })
    turn.toShow(['mine.ts']).toDemote(1)
  })

  it('a branch with an old date', async () => {
    const repo = plain()
    repo.branch('feature', unlogged(repo, 'HEAD', { 'f.ts': 'f\n' }))
    const turn = await playTurn(repo, () => moveByHand(repo, unlogged(repo, 'feature', { 'mine.ts': 'mine\n' })))
    turn.toShow(['mine.ts']).toDemote(1)
  })

  it('not a branch without a log, on a commit that is dated in the turn', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const robot = { GIT_AUTHOR_EMAIL: 'robot@example.org', GIT_COMMITTER_EMAIL: 'robot@example.org' }
      const one = unlogged(repo, 'HEAD', { 'one.ts': 'one\n' }, robot)
      repo.git('-c', 'core.logAllRefUpdates=false', 'branch', 'quiet', one)
      moveByHand(repo, unlogged(repo, one, { 'two.ts': 'two\n' }))
    })
    turn.toShow(['one.ts', 'two.ts']).toDemote(0)
  })

  it('where a branch stood that was moved away in the turn', async () => {
    const repo = plain()
    const old = unlogged(repo, 'HEAD', { 'f.ts': 'f\n' })
    repo.branch('feature', old)
    const turn = await playTurn(repo, () => {
      repo.branch('-f', 'feature', 'main')
      moveByHand(repo, unlogged(repo, old, { 'mine.ts': 'mine\n' }))
    })
    turn.toShow(['mine.ts']).toDemote(1)
  })

  it('not a branch whose log was written in the turn by a clock set back', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.checkout('--detach')
      const one = unlogged(repo, 'HEAD', { 'one.ts': 'one\n' }, dated(past))
      const two = unlogged(repo, one, { 'two.ts': 'two\n' }, dated(past))
      moveByHand(repo, two)
      repo.gitWith({ env: dated(past) }, 'branch', 'fresh', two)
    })
    turn.toShow(['one.ts', 'two.ts']).toDemote(0)
  })

  it('not what is kept under another name than a branch, a remote or a tag', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const one = unlogged(repo, 'HEAD', { 'one.ts': 'one\n' }, dated(past))
      repo.git('update-ref', 'refs/keep/one', one)
      moveByHand(repo, unlogged(repo, one, { 'two.ts': 'two\n' }))
    })
    turn.toShow(['one.ts', 'two.ts']).toDemote(0)
  })

  it('not a branch without a log that holds what the turn made', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const one = unlogged(repo, 'HEAD', { 'one.ts': 'one\n' }, dated(past))
      const two = unlogged(repo, one, { 'two.ts': 'two\n' }, dated(past))
      moveByHand(repo, two)
      repo.git('-c', 'core.logAllRefUpdates=false', 'branch', 'quiet', two)
    })
    turn.toShow(['one.ts', 'two.ts']).toDemote(0)
  })

  it.runIf(refsAreFiles)('without logs, a tag proves nothing: it may have been put there later', async () => {
    const repo = plain()
    repo.git('config', 'core.logAllRefUpdates', 'false')
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    const turn = await playTurn(repo, () => {
      repo.create('n.ts', 'n\n').commit('mine', { date: past, committerDate: past })
      repo.tag('v1')
    })
    turn.toShow(['n.ts']).toDemote(0)
  })

  it('not what a sub-agent pushed, squashed on the server and gone to by hand', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.edit('a.ts', 5, 'sub').git('add', '-A')
      const robot = { GIT_AUTHOR_EMAIL: 'robot@example.org', GIT_COMMITTER_EMAIL: 'robot@example.org' }
      sub.gitWith({ env: robot }, 'commit', '-q', '-m', 'sub-agent')
      sub.push('sub')
      repo.worktreeRemove(sub).branch('-D', 'sub')
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/sub')
        git('commit', '-q', '-m', 'sub (#1)')
      })
      repo.fetch()
      moveByHand(repo, repo.oid('origin/main'))
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('not what was pushed from here', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.create('n.ts', 'n\n').git('add', '-A')
      const robot = { GIT_AUTHOR_EMAIL: 'robot@example.org', GIT_COMMITTER_EMAIL: 'robot@example.org' }
      sub.gitWith({ env: robot }, 'commit', '-q', '-m', 'sub-agent')
      sub.push('sub')
      repo.merge('sub')
      repo.worktreeRemove(sub).branch('-D', 'sub')
    })
    turn.toShow(['n.ts']).toDemote(0)
  })

  it('what was pruned proves nothing, and breaks nothing', async () => {
    const repo = plain()
    repo.create('gone.ts', 'gone\n').commit('thrown away')
    const gone = repo.oid()
    repo.reset('hard', 'HEAD~1')
    repo.teammate.push({ 'up.ts': 'up\n' })
    const request = await recordTurn(repo, () => {
      repo.pull()
      moveByHand(repo, unlogged(repo, 'HEAD', { 'mine.ts': 'mine\n' }))
    })
    rmSync(join(repo.cwd, '.git/objects', gone.slice(0, 2), gone.slice(2)))
    const turn = await ask(repo, request, { askLater: false })
    turn.toBeAttributed().toShow(['mine.ts']).toDemote(1)
  })

  it.runIf(refsAreFiles)(
    'a branch whose file was written past git: the log does not lead to the new head',
    async () => {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        const mine = unlogged(repo, 'HEAD', { 'mine.ts': 'mine\n' }, dated(past))
        writeFileSync(join(repo.cwd, '.git/refs/heads/main'), `${mine}\n`)
        repo.git('read-tree', '-u', '--reset', 'HEAD')
      })
      turn.toShow(['mine.ts']).toDemote(0)
    },
  )
})

describe('a log that is lost', () => {
  it('a reset to an older commit is still demoted: the head at the start proves it', async () => {
    const repo = plain()
    repo.create('n.ts', 'n\n').commit('later')
    const request = await recordTurn(repo, () => repo.reset('hard', 'HEAD~1'))
    repo.forgetReflogs()
    const turn = await ask(repo, request)
    turn.toShowNothing().toDemote(1)
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })

  it('a reset to an older commit, and work later on: what the log still tells may be of the turn', async () => {
    const repo = plain()
    repo.create('n.ts', 'n\n').commit('later')
    const request = await recordTurn(repo, () => repo.reset('hard', 'HEAD~1'))
    repo.forgetReflogs()
    repo.edit('a.ts', 5, 'another turn').commit('another turn')
    const turn = await ask(repo, request, { askLater: false })
    turn.toShow(['n.ts']).toDegrade('reflog-lost')
  })

  it('a commit dated back by hand, and a branch on it: the branch proves nothing', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      repo.create('n.ts', 'n\n').commit('mine', { date: past, committerDate: past })
      repo.branch('copy')
    })
    repo.forgetReflogs()
    const turn = await ask(repo, request)
    turn.toShow(['n.ts']).toDegrade('reflog-lost')
  })

  it('a pick from a branch: nothing proves any more that it is one, all is shown, and why', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const request = await recordTurn(repo, () => expect(repo.cherryPick('side').status).toBe(0))
    repo.forgetReflogs()
    const turn = await ask(repo, request)
    turn.toShow(['s.ts']).toDegrade('reflog-lost')
  })
})

it.runIf(refsAreFiles)(
  'without logs, a line that no branch names, rebased: it is known from the head at the start',
  async () => {
    const repo = plain()
    repo.git('config', 'core.logAllRefUpdates', 'false')
    rmSync(join(repo.cwd, '.git/logs'), { recursive: true })
    repo.teammate.push({ 'a.ts': lines(20).replace('line 15\n', 'theirs\n') })
    repo.fetch().checkout('--detach')
    repo.edit('a.ts', 3, 'earlier').commit('earlier')
    const turn = await playTurn(repo, () => expect(repo.rebase('origin/main').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  },
)

describe('which late commits are the work of the turn', () => {
  const robot = 'robot@example.org'

  /** A colleague's commit of the turn under an author of that address, pulled by a command under the other address. */
  async function pulls(committer: string, author: string) {
    const repo = plain()
    return playTurn(repo, () => {
      colleagueDoes(repo, (git, folder) => {
        writeFileSync(join(folder, 'late.ts'), 'late\n')
        git('add', '-A')
        git('commit', '-q', '-m', 'late', `--author=Somebody <${author}>`)
      })
      repo.gitWith({ env: { GIT_COMMITTER_EMAIL: committer } }, 'pull', '-q', '--ff-only')
    })
  }

  it('those under the identity that moves HEAD, whatever the settings say', async () => {
    const turn = await pulls(robot, robot)
    turn.toShow(['late.ts']).toDemote(0)
  })

  it('those under the identity of the settings, whoever moves HEAD', async () => {
    const turn = await pulls(robot, 'robin@example.org')
    turn.toShow(['late.ts']).toDemote(0)
  })

  it('not those without an address, though HEAD be moved without one', async () => {
    const turn = await pulls('', '')
    turn.toShowNothing().toDemote(1)
  })

  it('not those of somebody under whose name a rewriter that runs here writes', async () => {
    const repo = plain()
    const { teammate } = repo
    teammate.push({ 'up.ts': 'up\n' })
    repo.pull()
    const turn = await playTurn(repo, () => {
      repo.gitWith({ env: { GIT_COMMITTER_EMAIL: 'tess@example.org' } }, 'update-ref', 'HEAD', repo.oid('HEAD~1'))
      repo.git('reset', '-q', '--hard')
      teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.pull()
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a squash on the server that HEAD was on, and that is amended here: its files are shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.push('main:refs/heads/topic')
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.fetch().reset('hard', 'origin/main')
      repo.amend('in other words')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('a squash on the server that HEAD was on, and that is committed again here: its files are shown', async () => {
    const repo = plain()
    const start = repo.oid()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.push('main:refs/heads/topic')
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.fetch().reset('hard', 'origin/main').reset('soft', start).commit('as one of mine')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('a squash on the server by a clock that is far behind: the files of the agent are shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('topic').edit('a.ts', 5, 'mine').commit('mine')
      repo.push('topic')
      const { teammate } = repo
      teammate.follow('main')
      teammate.git(['merge', '-q', '--squash', 'origin/topic'])
      teammate.git(['commit', '-q', '-m', 'topic (#1)'])
      teammate.git(['push', '-q', 'origin', 'main'])
      repo.checkout('main').pull()
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('what the agent stashed is no commit: the same lines, pulled, are demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('b.ts', 1, 'late').stash()
      repo.teammate.push({ 'b.ts': 'late\n' }, { late: true })
      repo.pull()
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a commit of the second in which the turn begins, left by a detached HEAD, is known from the log', async () => {
    const repo = plain()
    repo.clock.beginTurn()
    const old = repo.checkout('--detach').create('d.ts', 'd\n').commit('just before')
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.checkout(old))
    turn.toShowNothing().toDemote(1)
  })

  it('work of a sub-agent, its worktree and branch gone, in a merge that is left open: shown', async () => {
    const repo = plain()
    const turn = await playTurn(
      repo,
      () => {
        const sub = repo.worktree('sub')
        sub.create('n.ts', 'n\n').commit('sub-agent')
        repo.create('m.ts', 'm\n').commit('mine')
        expect(repo.merge('sub', '--no-commit', '--no-ff').status).toBe(0)
        repo.worktreeRemove(sub).branch('-D', 'sub')
      },
      { askLater: false },
    )
    turn.toShow(['m.ts', 'n.ts']).toDemote(0)
  })

  it('a branch of minutes before the turn that HEAD was never on is older: demoted', async () => {
    const repo = plain()
    const date = `${Math.floor(Date.now() / 1000) - 300} +0000`
    repo.branch('feature', unlogged(repo, 'HEAD', { 'f.ts': 'f\n' }, dated(date)))
    const turn = await playTurn(repo, () => repo.checkout('feature'))
    turn.toShowNothing().toDemote(1)
  })

  it('the same, where no log tells of the branch', async () => {
    const repo = plain()
    const date = `${Math.floor(Date.now() / 1000) - 300} +0000`
    const old = unlogged(repo, 'HEAD', { 'f.ts': 'f\n' }, dated(date))
    repo.git('-c', 'core.logAllRefUpdates=false', 'branch', 'feature', old)
    const turn = await playTurn(repo, () => repo.checkout('feature'))
    turn.toShowNothing().toDemote(1)
  })

  it('work of a sub-agent by a clock that is slow, its worktree and branch gone, merged here: shown', async () => {
    const repo = plain()
    const date = `${Math.floor(Date.now() / 1000) - 300} +0000`
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.create('n.ts', 'n\n').commit('sub-agent', { date, committerDate: date })
      repo.merge('sub')
      repo.worktreeRemove(sub).branch('-D', 'sub')
    })
    turn.toShow(['n.ts']).toDemote(0)
  })

  it('a commit in the second in which the turn begins, that no log tells of: shown', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.create('n.ts', 'n\n').commit('sub-agent')
      repo.merge('sub')
      repo.worktreeRemove(sub).branch('-D', 'sub')
    })
    const second = Number(repo.git('log', '-1', '--format=%ct'))
    const from = { ...request.from, turnStartedAt: second * 1000 + 900 }
    const turn = await ask(repo, { ...request, from })
    turn.toShow(['n.ts']).toDemote(0)
  })

  it("the agent's own commit, set back by minutes, on top of another of its own: both are shown", async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.create('one.ts', 'one\n').commit('one')
      const date = `${Math.floor(Date.now() / 1000) - 300} +0000`
      repo.create('two.ts', 'two\n').commit('two', { date, committerDate: date })
    })
    turn.toShow([
      { path: 'one.ts', mixed: false },
      { path: 'two.ts', mixed: false },
    ])
  })

  it("a server's copy of a commit that the agent made under another name is the agent's: its lines alone", async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo
        .switchNew('topic')
        .edit('a.ts', 5, 'mine')
        .commit('mine', { author: { name: 'Robot', email: robot } })
      repo.push('-u', 'topic')
      colleagueDoes(repo, (git, folder) => {
        writeFileSync(join(folder, 'b.ts'), 'theirs\n')
        git('commit', '-q', '-a', '-m', 'theirs')
        git('cherry-pick', 'origin/topic')
      })
      repo.checkout('main').pull()
    })
    turn.toShow([{ path: 'a.ts', mixed: false }]).toDemote(1)
  })

  it("a colleague's commit that was picked here, and then comes itself, is no copy of the pick: demoted", async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true, branch: 'theirs' })
      repo.create('n.ts', 'n\n').commit('mine')
      repo.fetch()
      expect(repo.cherryPick('origin/theirs').status).toBe(0)
      expect(repo.merge('origin/theirs').status).toBe(0)
    })
    turn.toShow(['n.ts']).toDemote(1)
  })

  it('a late pick of what was picked here too: of the two it cannot be told which is the copy', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main').push('side')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('side').status).toBe(0)
      colleagueDoes(repo, (git) => git('cherry-pick', 'origin/side'))
      repo.fetch().reset('hard', 'origin/main')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a late commit that the agent amends is what it was before: what the amend changed is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true })
      repo.pull()
      repo.edit('a.ts', 5, 'mine').amend()
    })
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('a late merge by the colleague that stops on the work of the agent: shown whole, mixed', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('topic').edit('a.ts', 5, 'mine').commit('mine')
      repo.push('-u', 'topic')
      colleagueDoes(repo, (git, folder) => {
        const both = (text: string): string => lines(20).replace('line 5\n', text)
        writeFileSync(join(folder, 'a.ts'), both('theirs\n'))
        git('commit', '-q', '-a', '-m', 'theirs')
        repo.teammate.tryGit(['merge', '-q', '--no-edit', 'origin/topic'], true)
        writeFileSync(join(folder, 'a.ts'), both('theirs\nmine\n'))
        git('commit', '-q', '-a', '-m', 'merged')
      })
      repo.checkout('main').pull()
    })
    turn.toShow([{ path: 'a.ts', mixed: true }]).toDemote(0)
  })
})

describe('late commits over the hand of the agent', () => {
  it('an old commit that brings the very lines is no late one', async () => {
    const repo = plain()
    repo.teammate.push({ 'a.ts': lines(20).replace('line 5\n', 'mine\n') })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.teammate.push({ 'b.ts': 'late\n' }, { late: true })
      repo.fetch().reset('hard', 'origin/main')
    })
    turn.toShowNothing().toDemote(2)
  })

  it('a late commit on other lines of a file that the agent gave up: demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.teammate.push({ 'a.ts': lines(20).replace('line 15\n', 'late\n') }, { late: true })
      repo.fetch().reset('hard', 'origin/main')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('the work of a sub-agent that was never merged here, squashed on the server and pulled: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.edit('a.ts', 5, 'sub').commit('sub-agent')
      sub.push('sub')
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/sub')
        git('commit', '-q', '-m', 'sub (#1)')
      })
      repo.pull()
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('merges of trees', () => {
  /** `topic` renames r.ts with a change, main edits it; c.ts conflicts where `stops`. */
  function renaming(stops: boolean): TurnRepository {
    const repo = TurnRepository.create({ 'r.ts': lines(30), 'c.ts': lines(9) })
    repo.switchNew('topic').move('r.ts', 's.ts').edit('s.ts', 20, 'topic')
    repo.edit('c.ts', 2, 'topic').commit('topic')
    repo.checkout('main').edit('r.ts', 5, 'main').create('m.ts', 'm\n')
    if (stops) repo.edit('c.ts', 2, 'main')
    repo.commit('main')
    return repo
  }

  it('upstream renames a file that the user has edited: demoted', async () => {
    const repo = TurnRepository.create({ 'r.ts': lines(30) })
    repo.teammate.push({}, { rename: { 'r.ts': 's.ts' } })
    repo.edit('r.ts', 3, 'of the user')
    const turn = await playTurn(repo, () => expect(repo.pull({ autostash: true }).status).toBe(0))
    turn.toShowNothing().toDemote(2)
  })

  it('the user has renamed a file that upstream edits: demoted', async () => {
    const repo = TurnRepository.create({ 'r.ts': lines(30) })
    repo.teammate.push({ 'r.ts': lines(30).replace('line 3\n', 'theirs\n') })
    repo.git('mv', 'r.ts', 's.ts')
    const turn = await playTurn(repo, () => expect(repo.pull({ autostash: true }).status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('the same, where upstream changes more than the user', async () => {
    const repo = TurnRepository.create({ 'r.ts': lines(30) })
    repo.teammate.push({ 'r.ts': lines(30).replace('line 3\n', 'theirs\n'), 'x.ts': 'x\n', 'y.ts': 'y\n' })
    repo.git('mv', 'r.ts', 's.ts')
    const turn = await playTurn(repo, () => expect(repo.pull({ autostash: true }).status).toBe(0))
    turn.toShowNothing().toDemote(3)
  })

  it('a mode on the one side, lines on the other', async () => {
    const repo = plain()
    repo.switchNew('topic').chmod('a.ts', '+x').commit('executable')
    repo.checkout('main').edit('a.ts', 5, 'main').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => expect(repo.merge('main').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('the user has made a file executable whose lines upstream changes: demoted', async () => {
    const repo = plain()
    repo.teammate.push({ 'a.ts': lines(20).replace('line 5\n', 'theirs\n') })
    repo.chmod('a.ts', '+x')
    const turn = await playTurn(repo, () => expect(repo.pull({ autostash: true }).status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('a merge that stopped elsewhere, with a hand in a renamed file: whole, mixed', async () => {
    const repo = renaming(true)
    const turn = await playTurn(repo, () => {
      expect(repo.merge('topic').status).toBe(1)
      repo.resolve('c.ts', lines(9)).edit('s.ts', 25, 'mine').commit('merged')
    })
    turn.toShow([
      { path: 'c.ts', mixed: true },
      { path: 's.ts', mixed: true },
    ])
  })

  it('a merge that stopped elsewhere, the renamed file as it came: demoted', async () => {
    const repo = renaming(true)
    const turn = await playTurn(repo, () => {
      expect(repo.merge('topic').status).toBe(1)
      repo.resolve('c.ts', lines(9).replace('line 2\n', 'both\n')).commit('merged')
    })
    turn.toShow(['c.ts']).toDemote(2)
  })

  it('a rebase that does not say whether it stopped, with a hand in a renamed file: its lines alone', async () => {
    const repo = renaming(true)
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      expect(repo.rebase('main', '--apply').status).not.toBe(0)
      repo.resolve('c.ts', lines(9)).edit('s.ts', 25, 'mine').git('add', '-A')
      expect(repo.proceed('rebase').status).toBe(0)
    })
    expect(turn.result.shown.find((file) => file.path === 's.ts')).toMatchObject({ mixed: false, additions: 1 })
  })

  it('a file that was resolved by hand on a branch is not trusted where that branch is merged', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'topic').commit('topic')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    repo.switchNew('third', 'main~1').create('x.ts', 'x\n').create('y.ts', 'y\n').create('z.ts', 'z\n').commit('third')
    repo.edit('b.ts', 1, 'third').edit('c.ts', 2, 'third').commit('third again')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      expect(repo.merge('main').status).toBe(1)
      repo.resolve('a.ts', lines(20).replace('line 3\n', 'both\n')).commit('merged')
      repo.checkout('third')
      expect(repo.merge('topic').status).toBe(0)
    })
    expect(turn.result.shown).toMatchObject([{ path: 'a.ts', mixed: true, reason: 'conflict' }])
  })

  it('a link is not merged, were its target of many lines', async () => {
    const target = (first: string, last: string): string => `${[first, 2, 3, 4, 5, 6, 7, 8, last].join('\n')}\n`
    const repo = plain()
    repo.symlink(target('1', '9'), 'link').commit('link')
    repo.switchNew('topic').symlink(target('topic', '9'), 'link').commit('topic')
    repo.checkout('main').symlink(target('1', 'main'), 'link').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      expect(repo.merge('main').status).toBe(1)
      repo.symlink(target('topic', 'main'), 'link').commit('merged')
    })
    turn.toShow(['link']).toDemote(0)
  })

  it('with -X theirs, which decides by itself: demoted', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'topic').commit('topic')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => expect(repo.merge('main', '-X', 'theirs').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

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
    const turn = await playTurn(repo, () => expect(repo.merge('right').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('an octopus whose last branch grew out of an earlier one', async () => {
    const repo = plain()
    repo.switchNew('one').edit('a.ts', 3, 'first').commit('first')
    repo.switchNew('two').create('t.ts', 't\n').commit('two')
    repo.checkout('one').edit('a.ts', 3, 'second').commit('second')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => expect(repo.merge(['one', 'two']).status).toBe(0))
    turn.toShowNothing().toDemote(2)
  })
})

describe('rebases', () => {
  function onTopic(): TurnRepository {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'one').create('one.ts', 'one\n').commit('one')
    repo.edit('c.ts', 2, 'two').create('two.ts', 'two\n').commit('two')
    repo.create('three.ts', 'three\n').commit('three')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    return repo.checkout('topic')
  }
  const squash = ([one, two, three]: string[]): string[] => [`pick ${one}`, `squash ${two}`, `pick ${three}`]

  it('of a branch that was gone to in the turn, one commit squashed into another: all of it is demoted', async () => {
    const repo = onTopic().checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      expect(repo.rebaseInteractive('main', squash, 'one and two').status).toBe(0)
    })
    turn.toShowNothing().toDemote(5)
  })

  it('the same, the first commit left out: that one does not matter', async () => {
    const repo = onTopic()
    repo.create('four.ts', 'four\n').commit('four')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      const plan = ([, two, three, four]: string[]): string[] => [`pick ${two}`, `squash ${three}`, `pick ${four}`]
      expect(repo.rebaseInteractive('main', plan, 'two and three').status).toBe(0)
    })
    turn.toShowNothing().toDemote(4)
  })

  it('the same, with a merge in the line: merges are always left out', async () => {
    const repo = onTopic()
    repo.checkout('main~1').switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('topic').merge('side', '--no-ff')
    repo.create('four.ts', 'four\n').commit('four')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      const plan = (commits: string[]): string[] =>
        commits.map((oid) => `${repo.git('log', '-1', '--format=%s', oid) === 'two' ? 'squash' : 'pick'} ${oid}`)
      const run = repo.rebaseInteractive('main', plan, 'one and two', '--no-rebase-merges')
      expect(run.status, run.stderr).toBe(0)
    })
    turn.toShowNothing().toDemote(7)
  })

  it('one commit squashed, another dropped: which is which cannot be told, nothing is taken apart', async () => {
    const repo = onTopic()
    const turn = await playTurn(repo, () => {
      const drop = ([one, two]: string[]): string[] => [`pick ${one}`, `squash ${two}`]
      expect(repo.rebaseInteractive('main', drop, 'one and two').status).toBe(0)
    })
    expect(verdictOf(turn.result, 'm.ts')).toBe('demoted')
    for (const file of turn.result.shown) expect(file).toMatchObject({ mixed: true })
  })

  it('each step clean, though the line as a whole would stop: demoted', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'next').create('one.ts', 'one\n').commit('one')
    repo.edit('a.ts', 3, 'after next').commit('two')
    repo.checkout('main').edit('a.ts', 3, 'next').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      expect(repo.rebase('main').status).toBe(0)
    })
    turn.toShowNothing().toDemote(2)
  })

  it('of another branch than the one HEAD is on, with a squash: demoted', async () => {
    const repo = onTopic().checkout('main')
    const turn = await playTurn(
      repo,
      () => {
        const editor = "sed -i '2s/^pick/squash/'"
        const run = repo.tryGitWith({ env: { GIT_SEQUENCE_EDITOR: editor } }, 'rebase', '-i', 'main', 'topic')
        expect(run.status, run.stderr).toBe(0)
      },
      { askLater: false },
    )
    turn.toShowNothing().toDemote(5)
  })

  it('left open by an earlier turn, then a squash: demoted', async () => {
    const repo = onTopic()
    await recordTurn(repo, () => {
      const plan = ([one, two, three]: string[]): string[] => [`edit ${one}`, `squash ${two}`, `pick ${three}`]
      expect(repo.rebaseInteractive('main', plan).status).toBe(0)
    })
    const turn = await playTurn(repo, () => expect(repo.proceed('rebase').status).toBe(0))
    turn.toShowNothing().toDemote(3)
  })

  it('of a detached HEAD, with a squash: demoted', async () => {
    const repo = onTopic().checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('--detach', 'topic')
      expect(repo.rebaseInteractive('main', squash, 'one and two').status).toBe(0)
    })
    turn.toShowNothing().toDemote(5)
  })

  it('of a detached HEAD, twice, the first time with a squash: demoted', async () => {
    const repo = onTopic()
    repo.checkout('main').switchNew('other').create('o.ts', 'o\n').commit('other')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('--detach', 'topic')
      expect(repo.rebaseInteractive('main', squash, 'one and two').status).toBe(0)
      expect(repo.rebase('other').status).toBe(0)
    })
    turn.toShowNothing().toDemote(6)
  })
})

it('an amend under another name and date, on a branch that was gone to in the turn: demoted', async () => {
  const repo = plain()
  repo.switchNew('topic').create('t.ts', 't\n').commit('topic')
  repo.checkout('main')
  const turn = await playTurn(repo, () => {
    repo.checkout('topic')
    repo.git('commit', '-q', '--amend', '--no-edit', '--reset-author')
  })
  turn.toShowNothing().toDemote(1)
})

describe('rewriters', () => {
  it('that reword a merge which was resolved before the turn: the resolution is demoted', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'topic').commit('topic')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    repo.checkout('topic')
    expect(repo.merge('main').status).toBe(1)
    repo.resolve('a.ts', lines(20).replace('line 3\n', 'both\n')).commit('merged')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('topic')
      repo.filterBranch('--msg-filter', 'cat && echo filtered', 'HEAD~1..HEAD')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('plumbing that leaves the last commit out is no rewrite of it: what is left out has moved away', async () => {
    const repo = plain()
    repo.create('last.ts', 'last\n').commit('last')
    const turn = await playTurn(repo, () => moveByHand(repo, unlogged(repo, 'HEAD~1', { 'mine.ts': 'mine\n' })))
    turn.toShow(['mine.ts']).toDemote(1)
  })

  it('a root by plumbing, the first thing that the log tells of: only the edit is shown', async () => {
    const repo = plain()
    repo.git('reflog', 'expire', '--expire=all', '--all')
    const turn = await playTurn(repo, () => {
      const files = { 'a.ts': lines(20).replace('line 5\n', 'mine\n'), 'b.ts': 'b\n', 'c.ts': lines(9) }
      moveByHand(repo, unlogged(repo, null, files))
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })
})

it('an unborn head with a file of the user beside it, history pulled, the file edited: its lines alone', async () => {
  const repo = TurnRepository.empty()
  const { teammate } = repo
  teammate.push({ 'up.ts': 'up\n' })
  repo.create('u.ts', lines(5))
  const turn = await playTurn(repo, () => {
    repo.git('pull', '-q', 'origin', 'main')
    repo.edit('u.ts', 3, 'mine')
  })
  turn.toShow([{ path: 'u.ts', additions: 1, deletions: 1 }]).toDemote(1)
})

it('a revert right after a reset is a revert, though it looks like what stood there before', async () => {
  const repo = plain()
  repo.edit('a.ts', 5, 'there').commit('there')
  repo.edit('a.ts', 5, 'line 5').edit('b.ts', 1, 'beside it').commit('and back by hand')
  const turn = await playTurn(repo, () => {
    repo.reset('hard', 'HEAD~1')
    expect(repo.revert('HEAD').status).toBe(0)
  })
  turn.toShowNothing().toDemote(1)
})

describe('picks', () => {
  const mail = (repo: TurnRepository): string => {
    const file = join(repo.root, 'patch.mail')
    const text = [
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
    ]
    writeFileSync(file, text.join('\n'))
    return file
  }

  it('applied without a commit, then committed as the original was (-C): a replay, demoted', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('-n', 'side').status).toBe(0)
      repo.git('commit', '-q', '-C', 'side')
    })
    turn.toShowNothing().toDemote(1)
  })

  it("of a colleague's commit that was written in the turn: demoted", async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true, branch: 'theirs' })
      repo.create('n.ts', 'n\n').commit('mine')
      repo.fetch()
      expect(repo.cherryPick('origin/theirs').status).toBe(0)
    })
    turn.toShow(['n.ts']).toDemote(1)
  })

  it('with -X theirs, which decides by itself: demoted', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 3, 'side').commit('side')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    const turn = await playTurn(repo, () => expect(repo.cherryPick('-X', 'theirs', 'side').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('that is clean only on what the agent wrote before: what it rests on cannot be told apart', async () => {
    const repo = plain()
    repo.switchNew('side').edit('a.ts', 5, 'next').commit('next')
    repo.edit('a.ts', 5, 'after next').create('s.ts', 's\n').commit('after next')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'next').commit('by hand')
      expect(repo.cherryPick('side').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', mixed: true, reason: 'conflict' }]).toDemote(1)
  })

  it('of what only a tag names: demoted', async () => {
    const repo = plain()
    repo.tag('v1', unlogged(repo, 'HEAD', { 's.ts': 's\n' }))
    repo.create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => expect(repo.cherryPick('v1').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('of what only the log names any more: demoted', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('side').status).toBe(0)
      repo.branch('-D', 'side')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('that stops, of one of two commits of the same second: the one that the commit is closest to', async () => {
    const repo = plain()
    const date = '2024-02-01T00:00:00Z'
    repo.switchNew('side').edit('a.ts', 3, 'one').edit('b.ts', 1, 'one').commit('same', { date, committerDate: date })
    repo.create('two.ts', 'two\n').commit('same', { date, committerDate: date })
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('side~1').status).toBe(1)
      repo.resolve('a.ts', repo.read('a.ts').replace(/<<<<[\s\S]*>>>>.*\n/, 'both\n'))
      expect(repo.proceed('cherry-pick').status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(1)
  })

  it.each([
    ['side', 'side~1'],
    ['side~1', 'side'],
  ])('of one of two commits of the same second: the one that it is (%s, then %s)', async (one, two) => {
    const repo = plain()
    const date = '2024-02-01T00:00:00Z'
    repo.switchNew('side').create('one.ts', 'one\n').commit('same', { date, committerDate: date })
    repo.create('two.ts', 'two\n').commit('same', { date, committerDate: date })
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick(one).status).toBe(0)
      expect(repo.cherryPick(two).status).toBe(0)
    })
    turn.toShowNothing().toDemote(2)
  })

  it('of one message with its original, however close another of the same second is', async () => {
    const repo = plain()
    const date = '2024-02-01T00:00:00Z'
    repo.switchNew('side').edit('a.ts', 3, 'one').commit('one', { date, committerDate: date })
    repo.edit('b.ts', 1, 'two').commit('two', { date, committerDate: date })
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('side~1').status).toBe(1)
      repo.git('checkout', '-q', '--ours', 'a.ts')
      repo.edit('b.ts', 1, 'two').git('add', '-A')
      expect(repo.proceed('cherry-pick').status).toBe(0)
    })
    turn.toShow(['b.ts']).toDemote(0)
  })

  it('committed as the original was (-C), with a hand in all of it: the original is still told from the hand', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('-n', 'side').status).toBe(0)
      repo.append('s.ts', 'mine\n').edit('a.ts', 5, 'mine').edit('b.ts', 1, 'mine')
      repo.git('commit', '-q', '-a', '-C', 'side')
    })
    turn.toShow(['a.ts', 'b.ts', { path: 's.ts', additions: 1, deletions: 0 }])
  })

  it('with a hook that amends under the word of the pick: what the hook wrote is shown', async () => {
    const repo = plain()
    repo.switchNew('side').create('s.ts', 's\n').commit('side')
    repo.checkout('main')
    const hook = join(repo.cwd, '.git/hooks/post-commit')
    const turn = await playTurn(repo, () => {
      const script = ['#!/bin/sh', 'rm "$0"', 'echo mine >> c.ts', 'git commit -q -a --amend --no-edit', '']
      repo.write('.git/hooks/post-commit', script.join('\n')).chmod('.git/hooks/post-commit', '+x')
      expect(repo.cherryPick('side').status).toBe(0)
      expect(existsSync(hook), 'the hook has run').toBe(false)
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 0 }]).toDemote(1)
  })

  for (const [when, env] of [
    ['in a later turn', {}],
    ['in a later turn, by a clock set back', { GIT_COMMITTER_DATE: '2024-06-01T00:00:00Z' }],
  ] as const) {
    it(`a patch by mail, picked elsewhere ${when}: the copy is no original of it`, async () => {
      const repo = plain()
      const request = await recordTurn(repo, () => repo.git('am', '-q', mail(repo)))
      repo.checkout('--detach', 'main~1').create('o.ts', 'o\n').commit('other')
      repo.gitWith({ env }, 'cherry-pick', 'main')
      repo.tag('copy')
      const turn = await ask(repo, request)
      turn.toShow(['b.ts']).toDemote(0)
    })
  }

  it('a patch by mail, picked elsewhere in the turn, squashed on the server: its file is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('topic')
      repo.git('am', '-q', mail(repo))
      repo.push('topic')
      repo.switchNew('other', 'main').create('n.ts', 'n\n').commit('beside it')
      expect(repo.cherryPick('topic').status).toBe(0)
      colleagueDoes(repo, (git) => {
        git('merge', '-q', '--squash', 'origin/topic')
        git('commit', '-q', '-m', 'topic (#1)')
      })
      repo.checkout('main').fetch().reset('hard', 'origin/main')
    })
    turn.toShow(['b.ts']).toDemote(0)
  })
})

describe('commits after a reset', () => {
  it('a look at a newer state, and a part of it written by hand: shown', async () => {
    const repo = plain()
    repo.switchNew('feature').edit('a.ts', 5, 'feature').create('f.ts', 'f\n').commit('feature')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('feature').checkout('main')
      repo.edit('a.ts', 5, 'feature').commit('the same by hand')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('a reset to another line, and a part of the first written by hand: shown', async () => {
    const repo = plain()
    repo.switchNew('feature').edit('a.ts', 5, 'feature').create('f.ts', 'f\n').commit('feature')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      const main = repo.oid()
      repo.reset('hard', 'feature').reset('hard', main)
      repo.edit('a.ts', 5, 'feature').commit('the same by hand')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('a reset to an older commit, and another file: what the reset took away is demoted', async () => {
    const repo = plain()
    repo.create('last.ts', 'last\n').commit('last')
    const turn = await playTurn(repo, () => {
      repo.reset('hard', 'HEAD~1')
      repo.create('n.ts', 'n\n').commit('mine')
    })
    turn.toShow(['n.ts']).toDemote(1)
  })

  it('a soft reset and an amend of what was pulled: demoted', async () => {
    const repo = plain()
    repo.teammate.push({ 'f.ts': 'f\n' })
    repo.teammate.push({ 'g.ts': 'g\n', 'b.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.reset('soft', 'HEAD~1').amend()
    })
    turn.toShowNothing().toDemote(3)
  })

  it('two resets: what was committed again is what stood there last, the rest has moved away', async () => {
    const repo = plain()
    repo.create('one.ts', 'one\n').commit('one')
    repo.create('two.ts', 'two\n').commit('two')
    const turn = await playTurn(repo, () => {
      repo.reset('hard', 'HEAD~1').reset('soft', 'HEAD~1')
      repo.commit('one again')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a part committed again and given up, the other part then written by hand: shown', async () => {
    const repo = plain()
    repo.teammate.push({ 'f.ts': 'f\n', 'g.ts': 'g\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.reset('soft', 'HEAD~1').commit('one of two', { paths: ['g.ts'] })
      repo.reset('hard', 'HEAD~1')
      repo.create('f.ts', 'f\n').commit('the other, by hand')
    })
    turn.toShow(['f.ts']).toDemote(0)
  })
})

describe('a merge that stops on what the agent wrote, resolved as it would be without it', () => {
  function stopped(): TurnRepository {
    const repo = plain()
    repo.switchNew('topic').create('t.ts', 't\n').commit('topic')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    return repo.checkout('topic')
  }
  const resolveWithTheirs = (repo: TurnRepository): void => {
    repo.edit('a.ts', 3, 'mine').commit('mine')
    expect(repo.merge('main').status).toBe(1)
    repo.git('checkout', '-q', '--theirs', 'a.ts')
    repo.commit('merged')
  }

  it('is a resolution all the same: shown', async () => {
    const repo = stopped()
    const turn = await playTurn(repo, () => resolveWithTheirs(repo))
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('and amended in words: shown', async () => {
    const repo = stopped()
    const turn = await playTurn(repo, () => {
      resolveWithTheirs(repo)
      repo.amend('in other words')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('in the middle of a rebase whose end is clean: shown', async () => {
    const repo = plain()
    repo.switchNew('topic').edit('a.ts', 3, 'there').create('t.ts', 't\n').commit('there')
    repo.edit('a.ts', 3, 'line 3').create('u.ts', 'u\n').commit('and back')
    repo.checkout('main').edit('a.ts', 3, 'main').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      const main = lines(20).replace('line 3\n', 'main\n')
      expect(repo.rebase('main').status).toBe(1)
      repo.resolve('a.ts', main)
      const next = repo.proceed('rebase')
      if (next.status !== 0) {
        repo.resolve('a.ts', main)
        expect(repo.proceed('rebase').status).toBe(0)
      }
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})

describe('history that cannot be read', () => {
  it('two lines of a shallow clone that have nothing in common there: all is shown, and why', async () => {
    const source = plain()
    source.switchNew('side').create('s.ts', 's\n').commit('side')
    source.push('side').checkout('main').create('m.ts', 'm\n').commit('main')
    source.push('main')
    const place = join(source.root, 'shallow')
    runGit(source.root, source.env, [
      'clone',
      '-q',
      '--depth=1',
      '--no-single-branch',
      `file://${source.origin}`,
      place,
    ])
    const repo = new TurnRepository(source.root, {}, place)
    const turn = await playTurn(
      repo,
      () => {
        repo.edit('a.ts', 5, 'mine').commit('mine')
        expect(repo.merge('origin/side', '--allow-unrelated-histories', '-X', 'ours').status).toBe(0)
      },
      { askLater: false },
    )
    turn.toDegrade('history-cut')
  })

  it('more commits in one turn than anyone makes: all is shown, and why', async () => {
    const repo = plain()
    const request = await recordTurn(repo, () => {
      const now = Math.floor(Date.now() / 1000)
      const commits = Array.from({ length: 20_001 }, (_, at) => [
        'commit refs/heads/many',
        `committer Robin Owner <robin@example.org> ${now} +0000`,
        'data 1',
        'x',
        ...(at === 0 ? ['from refs/heads/main^0'] : []),
        'M 100644 inline n.ts',
        `data ${String(at).length}`,
        String(at),
        '',
      ])
      repo.gitWith({ input: `${commits.flat().join('\n')}\n` }, 'fast-import', '--quiet')
      repo.git('merge', '-q', '--ff-only', 'many')
    })
    const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
    expectTurn(result).toShow(['n.ts']).toDegrade('limit')
  })
})

it('two turns that compose: the evidence of the range is the weaker', async () => {
  const repo = plain()
  const first = await recordTurn(repo, () => repo.create('one.ts', 'one\n').commit('one'))
  const second = await recordTurn(repo, () => moveByHand(repo, unlogged(repo, 'HEAD', { 'two.ts': 'two\n' })))
  const turn = await ask(repo, { cwd: repo.cwd, from: first.from, between: [first.to], to: second.to })
  turn.toShow(['one.ts', 'two.ts']).toDemote(0)
  expect(turn.result.attribution).toMatchObject({ status: 'attributed', evidence: 'weak' })
})
