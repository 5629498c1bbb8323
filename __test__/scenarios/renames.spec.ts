// Renames: by the agent, by upstream, by both. Pairs are formed among shown files only.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

const base = { 'a.ts': lines(30), 'b.ts': 'b\n' }

describe('the agent renames', () => {
  it('a file: one entry, with the old name', async () => {
    const repo = TurnRepository.create(base)
    const turn = await playTurn(repo, () =>
      repo.move('a.ts', 'src/new.ts').edit('src/new.ts', 3, 'mine').commit('move'),
    )
    turn.toShow([{ path: 'src/new.ts', previousPath: 'a.ts', kind: 'renamed', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('a file that upstream edits, then merges: its rename is shown, with no line of upstream', async () => {
    const repo = TurnRepository.create(base)
    repo.teammate.push({ 'a.ts': lines(30).replace('line 20\n', 'theirs\n') })
    const turn = await playTurn(repo, () => {
      repo.move('a.ts', 'new.ts').commit('move')
      expect(repo.pull({ mode: 'merge' }).status).toBe(0)
    })
    expect(verdictOf(turn.result, 'new.ts')).toBe('shown')
    turn.toDemote(0)
  })

  it('and makes it executable', async () => {
    const repo = TurnRepository.create(base)
    const turn = await playTurn(repo, () => repo.move('a.ts', 'new.ts').chmod('new.ts', '+x'))
    turn.toShow([{ path: 'new.ts', previousPath: 'a.ts', kind: 'renamed', oldMode: '100644', newMode: '100755' }])
    turn.toCount('new.ts', 0, 0)
  })

  it('a file that it also rewrites: an added and a deleted file', async () => {
    const repo = TurnRepository.create(base)
    const turn = await playTurn(repo, () => repo.remove('a.ts').create('new.ts', lines(30, 'other')))
    turn.toShow([
      { path: 'a.ts', kind: 'deleted' },
      { path: 'new.ts', kind: 'added', previousPath: null },
    ])
  })
})

describe('upstream renames', () => {
  it('a file that the agent has edited in the turn: the new path is shown with its lines', async () => {
    for (const mode of ['merge', 'rebase'] as const) {
      const repo = TurnRepository.create(base)
      repo.teammate.push({}, { rename: { 'a.ts': 'moved/a.ts' } })
      const turn = await playTurn(repo, () => {
        repo.edit('a.ts', 5, 'mine').commit('mine')
        expect(repo.pull({ mode }).status).toBe(0)
      })
      turn.toShow([{ path: 'moved/a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(1)
    }
  })

  it('and edits the file that the agent has edited: the agent line alone', async () => {
    const repo = TurnRepository.create(base)
    repo.teammate.push({}, { rename: { 'a.ts': 'moved/a.ts' } })
    repo.teammate.push({ 'moved/a.ts': lines(30).replace('line 25\n', 'theirs\n') })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      expect(repo.pull({ mode: 'merge' }).status).toBe(0)
    })
    expect(verdictOf(turn.result, 'moved/a.ts')).toBe('shown')
    const shown = turn.result.shown.find((file) => file.path === 'moved/a.ts')
    if (shown?.mixed === false) expect(shown).toMatchObject({ additions: 1, deletions: 1 })
  })

  it('a file and the agent edits it afterwards: its lines alone', async () => {
    const repo = TurnRepository.create(base)
    repo.teammate.push({}, { rename: { 'a.ts': 'moved/a.ts' } })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('moved/a.ts', 5, 'mine')
    })
    turn.toShow([{ path: 'moved/a.ts', kind: 'modified', additions: 1, deletions: 1 }]).toDemote(1)
  })

  it('a file that the user had edited before the turn: carried over by the stash, demoted', async () => {
    const repo = TurnRepository.create(base)
    repo.teammate.push({}, { rename: { 'a.ts': 'moved/a.ts' } })
    repo.edit('a.ts', 5, 'of the user')
    const turn = await playTurn(repo, () => {
      repo.stash()
      repo.pull()
      expect(repo.stashPop().status).toBe(0)
    })
    turn.toShowNothing().toDemote(2)
  })

  it('a whole folder, while the agent adds a file to the old one: its file is shown, wherever it ends', async () => {
    for (const setting of ['true', 'false', 'conflict']) {
      const repo = TurnRepository.create({ 'lib/a.ts': lines(30), 'lib/b.ts': lines(30, 'b'), 'c.ts': 'c\n' })
      repo.git('config', 'merge.directoryRenames', setting)
      repo.teammate.push({}, { rename: { 'lib/a.ts': 'src/a.ts', 'lib/b.ts': 'src/b.ts' } })
      const turn = await playTurn(repo, () => {
        repo.create('lib/mine.ts', lines(9, 'mine')).commit('mine')
        if (repo.pull({ mode: 'merge' }).status !== 0) repo.commit('merged')
      })
      const path = setting === 'false' ? 'lib/mine.ts' : 'src/mine.ts'
      turn.toShow([{ path, additions: 9, deletions: 0 }]).toDemote(4)
    }
  })

  it('a file to two names, one edited by each side', async () => {
    const repo = TurnRepository.create(base)
    repo.teammate.push({ 'copy.ts': lines(30) }, { rename: { 'a.ts': 'moved.ts' } })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 5, 'mine').commit('mine')
      const pulled = repo.pull({ mode: 'merge' })
      if (pulled.status !== 0) repo.git('rm', '-q', '--cached', '--ignore-unmatch', 'a.ts')
      repo.commit('merged', { allowEmpty: true })
    })
    const text = lines(30).replace('line 5\n', 'mine\n')
    for (const path of ['moved.ts', 'copy.ts', 'a.ts']) {
      try {
        if (repo.read(path) === text) expect(verdictOf(turn.result, path)).toBe('shown')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  })
})

describe('a pair is formed among shown files only', () => {
  it('an upstream deletion is never paired with a file that the agent wrote', async () => {
    const repo = TurnRepository.create({ 'old.ts': lines(30), 'b.ts': 'b\n' })
    repo.teammate.push({}, { remove: ['old.ts'] })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.create('new.ts', `${lines(30)}mine\n`)
    })
    turn.toShow([{ path: 'new.ts', kind: 'added', previousPath: null, additions: 31, deletions: 0 }]).toDemote(1)
    expect(turn.result.demoted.files?.map((file) => file.path)).toEqual(['old.ts'])
  })

  it('a file that upstream added is never paired with one that the agent deleted', async () => {
    const repo = TurnRepository.create({ 'old.ts': lines(30), 'b.ts': 'b\n' })
    repo.teammate.push({ 'new.ts': `${lines(30)}theirs\n` })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.remove('old.ts')
    })
    turn.toShow([{ path: 'old.ts', kind: 'deleted', deletions: 30 }]).toDemote(1)
  })
})
