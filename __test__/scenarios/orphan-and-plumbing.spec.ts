// Commits that no ordinary command made: orphan branches, rewriters, plumbing, refs moved behind git's back.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refsAreFiles } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

function plain(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.switchNew('feature').edit('a.ts', 3, 'feature').create('f.ts', 'f\n').commit('feature')
  repo.checkout('main')
  repo.create('m.ts', 'm\n').commit('main')
  return repo
}

describe('an orphan branch', () => {
  it('with the same files and one edit: the edit is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.orphan('fresh').edit('a.ts', 5, 'mine').commit('a new beginning')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('emptied and filled anew: all of it is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.orphan('fresh')
      repo.git('rm', '-rqf', '.')
      repo.create('new.ts', 'new\n').commit('a new beginning')
    })
    turn.toShow(['a.ts', 'b.ts', 'm.ts', 'new.ts']).toDemote(0)
  })

  it('and back again: nothing is left', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.orphan('fresh')
      repo.git('rm', '-rqf', '.')
      repo.create('new.ts', 'new\n').commit('a new beginning')
      repo.checkout('main')
    })
    turn.toShowNothing().toDemote(0)
  })
})

describe('filter-branch', () => {
  it('that changes files: the changed file is shown, with the changed lines', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => repo.filterBranch('--tree-filter', 'echo mine >> b.ts', 'HEAD'))
    turn.toShow([{ path: 'b.ts' }]).toDemote(0)
  })

  it('that takes a file out of history: the deletion is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => repo.filterBranch('--index-filter', 'git rm -q --cached b.ts', 'HEAD'))
    expect(verdictOf(turn.result, 'b.ts')).toBe('shown')
  })

  it('that only rewords: nothing is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => repo.filterBranch('--msg-filter', 'sed s/main/MAIN/', 'HEAD'))
    turn.toShowNothing().toDemote(0)
  })

  it('with dates set back by an env filter: the changed file is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () =>
      repo.filterBranch(
        '--env-filter',
        'export GIT_COMMITTER_DATE="2023-01-01T00:00:00Z" GIT_AUTHOR_DATE="2023-01-01T00:00:00Z"',
        '--tree-filter',
        'echo mine >> b.ts',
        'HEAD',
      ),
    )
    expect(verdictOf(turn.result, 'b.ts')).toBe('shown')
  })
})

describe('plumbing', () => {
  it('commit-tree and update-ref: shown, the evidence is weak', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').git('add', '-A')
      repo.plumbingCommit(repo.git('write-tree'))
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
    expect(turn.result.attribution).toMatchObject({ evidence: 'weak' })
  })

  it('the same with dates set back by hand: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').git('add', '-A')
      const tree = repo.git('write-tree')
      const date = '2023-01-01T00:00:00Z'
      const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      repo.gitWith({ env }, 'update-ref', 'HEAD', repo.gitWith({ env }, 'commit-tree', tree, '-p', 'HEAD', '-m', 'x'))
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('fast-import: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const now = Math.floor(Date.now() / 1000)
      const input = [
        'commit refs/heads/main',
        `committer Robin Owner <robin@example.org> ${now} +0000`,
        'data 4',
        'mine',
        'from refs/heads/main^0',
        'M 100644 inline n.ts',
        'data 2',
        'n',
        '',
        '',
      ].join('\n')
      repo.gitWith({ input }, 'fast-import', '--quiet')
      repo.reset('hard')
    })
    turn.toShow(['n.ts']).toDemote(0)
  })

  it('update-ref onto an older branch, then reset: demoted, it was named before', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.git('update-ref', 'HEAD', 'feature')
      repo.reset('hard')
    })
    turn.toShowNothing().toDemote(3)
  })

  it.runIf(refsAreFiles)(
    'update-ref onto a commit on the way to a branch of the remote, cloned before: demoted',
    async () => {
      for (const goesOn of [false, true]) {
        const repo = plain()
        repo.teammate.push({ 'one.ts': 'one\n' }, { branch: 'up' })
        repo.teammate.push({ 'two.ts': 'two\n' }, { branch: 'up' })
        repo.fetch()
        rmSync(join(repo.cwd, '.git/logs/refs/remotes'), { recursive: true })
        const turn = await playTurn(repo, () => {
          repo.git('update-ref', '-m', 'by hand', 'HEAD', 'origin/up~1')
          repo.reset('hard')
          if (goesOn) expect(repo.merge('origin/up', '--no-ff').status).toBe(0)
        })
        turn.toShowNothing().toDemote(goesOn ? 3 : 2)
      }
    },
  )

  it('an older branch, merged and deleted where the log tells too little: what it brought is shown whole', async () => {
    const repo = plain()
    // HEAD never came to this branch, so that its own log alone tells of it.
    repo.edit('a.ts', 12, 'older').create('older.ts', 'older\n').git('add', '-A')
    const env = { GIT_AUTHOR_DATE: '2024-06-01T00:00:00Z', GIT_COMMITTER_DATE: '2024-06-01T00:00:00Z' }
    const older = repo.gitWith({ env }, 'commit-tree', repo.git('write-tree'), '-p', 'HEAD', '-m', 'older')
    repo.git('branch', 'older', older)
    repo.reset('hard')
    const turn = await playTurn(repo, () => {
      repo.create('mine.ts', 'mine\n').git('add', '-A')
      repo.plumbingCommit(repo.git('write-tree'))
      expect(repo.merge('older', '--no-ff').status).toBe(0)
      repo.branch('-D', 'older')
      repo.edit('a.ts', 12, 'mine')
    })
    turn
      .toShow([
        { path: 'a.ts', additions: 1, deletions: 1, mixed: true, reason: 'unproven-commit' },
        { path: 'mine.ts', mixed: false },
        { path: 'older.ts', mixed: true, reason: 'unproven-commit' },
      ])
      .toDemote(0)
  })

  it('a backdated commit by plumbing that was pushed is not at the remote before: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.create('mine.ts', 'mine\n').git('add', '-A')
      const env = { GIT_AUTHOR_DATE: '2023-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2023-01-01T00:00:00Z' }
      const oid = repo.gitWith({ env }, 'commit-tree', repo.git('write-tree'), '-p', 'HEAD', '-m', 'x')
      repo.git('update-ref', 'HEAD', oid)
      repo.git('push', '-q', 'origin', 'HEAD:refs/heads/new')
    })
    turn.toShow(['mine.ts']).toDemote(0)
  })

  it('symbolic-ref onto another branch, then reset: demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.git('symbolic-ref', 'HEAD', 'refs/heads/feature')
      repo.reset('hard')
    })
    turn.toShowNothing().toDemote(3)
  })

  it('replace refs are ignored: what they cover up is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const mine = repo.edit('a.ts', 5, 'mine').commit('mine')
      repo.git('replace', mine, 'feature')
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('a commit message that reads like a movement is none', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').git('add', '-A')
      const oid = repo.git('commit-tree', repo.git('write-tree'), '-p', 'HEAD', '-m', 'x')
      repo.git('update-ref', '-m', 'commit: reset: moving to HEAD', 'HEAD', oid)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })
})
