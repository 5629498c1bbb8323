// What a pull brings is not agent work; what the agent wrote beside it, or on top of it, is.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

function files(count: number, text = 'upstream\n'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`up/file-${index + 1}.ts`, text]))
}

describe('a clean checkout pulls', () => {
  it('214 files: 214 demoted, nothing shown', async () => {
    const repo = TurnRepository.create()
    repo.teammate.push(files(214))
    const turn = await playTurn(repo, () => repo.pull())
    turn.toShowNothing().toDemote(214).toBeAttributed().toMove('fast-forward')
    expect(turn.result.attribution).toEqual({ status: 'attributed', evidence: 'reflog', notes: [] })
    expect(turn.result.demoted.files?.every((file) => file.reason === 'moved-by-history')).toBe(true)
  })

  it('214 files, and three other files are edited: three shown, 214 demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': lines(9), 'c.ts': lines(9) })
    repo.teammate.push(files(214))
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('a.ts', 1, 'mine').edit('b.ts', 2, 'mine').append('c.ts', 'mine\n')
    })
    turn.toShow(['a.ts', 'b.ts', 'c.ts']).toDemote(214).toCount('a.ts', 1, 1).toCount('c.ts', 1, 0)
  })

  it('edits, deletions, renames, modes and links that come from upstream are all demoted', async () => {
    const repo = TurnRepository.create({
      'edit.ts': lines(9),
      'gone.ts': 'gone\n',
      'old.ts': lines(20, 'renamed'),
      'run.sh': '#!/bin/sh\n',
      'link.ts': 'a file\n',
    })
    repo.teammate.push(
      { 'edit.ts': lines(9, 'theirs') },
      {
        remove: ['gone.ts'],
        rename: { 'old.ts': 'new.ts' },
        chmod: { 'run.sh': 0o755 },
        symlink: { 'link.ts': 'edit.ts' },
      },
    )
    const turn = await playTurn(repo, () => repo.pull())
    turn.toShowNothing().toDemote(6)
  })

  it('an edit made before the pull, in another file, is shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.teammate.push({ 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 4, 'mine')
      repo.pull()
    })
    turn.toShow(['a.ts']).toDemote(1)
  })
})

describe('a file is pulled and edited by hand in one turn', () => {
  it('it is shown with the lines of the agent alone', async () => {
    const repo = TurnRepository.create({ 'shared.ts': lines(30), 'other.ts': 'o\n' })
    repo.teammate.push({ 'shared.ts': `theirs\n${lines(30)}theirs too\n`, 'other.ts': 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('shared.ts', 15, 'mine')
    })
    turn
      .toShow([{ path: 'shared.ts', additions: 1, deletions: 1, mixed: false, reason: 'edited-after-move' }])
      .toDemote(1)
  })

  it('the same when the agent commits its edit', async () => {
    const repo = TurnRepository.create({ 'shared.ts': lines(30) })
    repo.teammate.push({ 'shared.ts': `theirs\n${lines(30)}` })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('shared.ts', 15, 'mine').commit('mine')
    })
    turn.toShow([{ path: 'shared.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(0)
  })

  it('the agent edits the very lines that were pulled: its lines are shown against the pulled ones', async () => {
    const repo = TurnRepository.create({ 'shared.ts': lines(10) })
    repo.teammate.push({ 'shared.ts': lines(10).replace('line 5', 'theirs') })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('shared.ts', 5, 'mine')
    })
    turn.toShow([{ path: 'shared.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('the agent puts back by hand what was pulled: nothing is left of it in the turn', async () => {
    const repo = TurnRepository.create({ 'shared.ts': lines(10), 'b.ts': 'b\n' })
    repo.teammate.push({ 'shared.ts': lines(10, 'theirs'), 'b.ts': 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.write('shared.ts', lines(10))
    })
    turn.toShowNothing().toDemote(1)
  })

  it('the agent deletes a file that was pulled anew over an old one: the deletion is shown', async () => {
    const repo = TurnRepository.create({ 'shared.ts': lines(10), 'b.ts': 'b\n' })
    repo.teammate.push({ 'shared.ts': lines(11), 'b.ts': 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.remove('shared.ts')
    })
    turn.toShow([{ path: 'shared.ts', kind: 'deleted', deletions: 11 }]).toDemote(1)
  })

  it('the agent brings back a file that upstream deleted, as it was: nothing is left in the turn', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(10), 'b.ts': 'b\n' })
    repo.teammate.push({ 'b.ts': 'theirs\n' }, { remove: ['a.ts'] })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.write('a.ts', lines(10))
    })
    turn.toShowNothing().toDemote(1)
  })

  it('the agent changes only the mode of a pulled file: shown, no line counted', async () => {
    const repo = TurnRepository.create({ 'run.sh': 'one\n' })
    repo.teammate.push({ 'run.sh': 'two\nthree\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.chmod('run.sh', '+x')
    })
    turn.toShow([{ path: 'run.sh', additions: 0, deletions: 0, oldMode: '100644', newMode: '100755' }]).toDemote(0)
  })
})

describe('the checkout was dirty before the turn', () => {
  async function dirty(story: (repo: TurnRepository) => unknown, theirs = lines(20).replace('line 18', 'theirs')) {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.teammate.push({ 'a.ts': theirs, 'b.ts': 'theirs\n' })
    repo.edit('a.ts', 2, 'of the user')
    return playTurn(repo, () => story(repo))
  }

  it('pull with autostash: what git makes of both is demoted', async () => {
    const turn = await dirty((repo) => expect(repo.pull({ mode: 'rebase', autostash: true }).status).toBe(0))
    turn.toShowNothing().toDemote(2)
    expect(turn.result.demoted.files?.find((file) => file.path === 'a.ts')?.reason).toBe('merged-with-uncommitted')
  })

  it('stash, pull, pop: the same', async () => {
    const turn = await dirty((repo) => {
      repo.stash()
      repo.pull()
      expect(repo.stashPop().status).toBe(0)
    })
    turn.toShowNothing().toDemote(2)
  })

  it('and the agent adds a line: that line is shown', async () => {
    const turn = await dirty((repo) => {
      repo.pull({ mode: 'rebase', autostash: true })
      repo.edit('a.ts', 10, 'mine')
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(1)
  })

  it('the pop conflicts, and the agent resolves: the file is shown whole, mixed', async () => {
    const turn = await dirty(
      (repo) => {
        repo.stash()
        repo.pull()
        expect(repo.stashPop().status).not.toBe(0)
        repo.resolve('a.ts', lines(20).replace('line 2\n', 'resolved\n'))
      },
      lines(20).replace('line 2\n', 'theirs\n'),
    )
    turn.toShow([{ path: 'a.ts', mixed: true, reason: 'conflict' }]).toDemote(1)
  })

  it('the stash is never popped: the loss of the user is shown', async () => {
    const turn = await dirty((repo) => {
      repo.stash()
      repo.pull()
    })
    turn.toShow(['a.ts']).toDemote(1)
  })

  it('the pull goes around an edit in another file: that edit is not in the turn', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
    repo.teammate.push({ 'b.ts': 'theirs\n' })
    repo.edit('a.ts', 2, 'of the user').create('untracked.ts', 'of the user\n')
    const turn = await playTurn(repo, () => repo.pull())
    turn.toShowNothing().toDemote(1)
  })

  it('reset --hard to upstream throws the edit away: shown, upstream demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
    repo.teammate.push({ 'b.ts': 'theirs\n' })
    repo.edit('a.ts', 2, 'of the user')
    const turn = await playTurn(repo, () => repo.fetch().reset('hard', 'origin/main'))
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
  })
})

describe('local commits and upstream part', () => {
  function diverged(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
    repo.edit('a.ts', 3, 'earlier work').commit('earlier work')
    repo.teammate.push({ 'a.ts': lines(20).replace('line 18', 'theirs'), 'up.ts': 'up\n' })
    return repo
  }

  it('pull merges an earlier commit of mine with upstream: demoted', async () => {
    const repo = diverged()
    const turn = await playTurn(repo, () => expect(repo.pull({ mode: 'merge' }).status).toBe(0))
    turn.toShowNothing().toDemote(2).toMove('merge')
  })

  it('pull rebases it: demoted', async () => {
    const repo = diverged()
    const turn = await playTurn(repo, () => expect(repo.pull({ mode: 'rebase' }).status).toBe(0))
    turn.toShowNothing().toDemote(2).toMove('rewrite')
  })

  it('the agent commits first, then pulls either way: its lines alone are shown', async () => {
    for (const mode of ['merge', 'rebase'] as const) {
      const repo = diverged()
      const turn = await playTurn(repo, () => {
        repo.edit('a.ts', 10, 'mine').create('n.ts', 'n\n').commit('mine')
        expect(repo.pull({ mode }).status).toBe(0)
      })
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }, 'n.ts']).toDemote(1)
    }
  })

  it('the pull stops on a conflict, the agent resolves: the file is shown, the rest demoted', async () => {
    for (const mode of ['merge', 'rebase'] as const) {
      const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
      repo.edit('a.ts', 3, 'earlier work').commit('earlier work')
      repo.teammate.push({ 'a.ts': lines(20).replace('line 3\n', 'theirs\n'), 'up.ts': 'up\n' })
      const turn = await playTurn(repo, () => {
        expect(repo.pull({ mode }).status).not.toBe(0)
        repo.resolve('a.ts', lines(20).replace('line 3\n', 'earlier work and theirs\n'))
        expect(repo.proceed(mode).status).toBe(0)
      })
      turn.toShow(['a.ts']).toDemote(1)
    }
  })
})
