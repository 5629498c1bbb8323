// The head does not move: everything on disk is the agent's, and no history is read.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refsAreFiles } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn } from './play.js'

describe('the agent works on files and commits nothing', () => {
  it('edits, creates, deletes, renames and chmods are shown, each as what it is', async () => {
    const repo = TurnRepository.create({
      'edited.ts': lines(10),
      'gone.ts': lines(4, 'gone'),
      'old-name.ts': lines(20, 'renamed'),
      'run.sh': '#!/bin/sh\n',
    })
    const turn = await playTurn(repo, () => {
      repo.edit('edited.ts', 3, 'mine').create('new.ts', 'a\nb\n').remove('gone.ts')
      repo.move('old-name.ts', 'new-name.ts').chmod('run.sh', '+x')
    })
    turn
      .toShow([
        { path: 'edited.ts', kind: 'modified', additions: 1, deletions: 1, reason: 'head-not-moved' },
        { path: 'new.ts', kind: 'added', additions: 2, deletions: 0, oldMode: null },
        { path: 'gone.ts', kind: 'deleted', additions: 0, deletions: 4, newMode: null },
        { path: 'new-name.ts', previousPath: 'old-name.ts', kind: 'renamed', additions: 0, deletions: 0 },
        { path: 'run.sh', kind: 'modified', additions: 0, deletions: 0, oldMode: '100644', newMode: '100755' },
      ])
      .toDemote(0)
      .toBeUnmoved()
      .toMove('none')
    expect(turn.result.shown.every((file) => !file.mixed)).toBe(true)
  })

  it('what its tools write is its work: a lockfile, generated code, a formatter, a patch applied', async () => {
    const repo = TurnRepository.create({
      'package-lock.json': lines(200, '"dep"'),
      'src/a.ts': lines(5),
      'b.ts': lines(5),
    })
    const patch = ['--- a/b.ts', '+++ b/b.ts', '@@ -1,2 +1,2 @@', '-line 1', '+patched', ' line 2', ''].join('\n')
    const turn = await playTurn(repo, () => {
      repo.edit('package-lock.json', (text) => text.replaceAll('"dep" 7', '"dep" v7'))
      repo.create('src/generated.ts', lines(300, 'generated'))
      repo.edit('src/a.ts', (text) => text.replaceAll('line', '  line'))
      repo.gitWith({ input: patch }, 'apply', '-')
    })
    turn.toShow(['package-lock.json', 'src/generated.ts', 'src/a.ts', 'b.ts']).toDemote(0).toBeUnmoved()
    turn.toCount('src/generated.ts', 300, 0).toCount('src/a.ts', 5, 5).toCount('b.ts', 1, 1)
  })

  it('the agent stashes its own work and pops it: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(5) })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 2, 'mine').create('n.ts', 'n\n')
      repo.stash('-u').stashPop()
    })
    turn.toShow(['a.ts', 'n.ts']).toDemote(0)
  })

  it('a build artifact that is not ignored is shown; an ignored one is not in the turn', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'tracked.log': 'kept\n' })
    const turn = await playTurn(repo, () => {
      repo.create('dist/out.js', 'built\n').create('debug.log', 'noise\n').create('.gitignore', '*.log\n')
    })
    turn.toShow(['dist/out.js', '.gitignore']).toDemote(0)
  })

  it('git restore undoes an earlier edit of the turn: nothing is left to show', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(5), 'b.ts': 'b\n' })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 2, 'mine').append('b.ts', 'more\n')
      repo.git('restore', 'a.ts')
    })
    turn.toShow(['b.ts']).toDemote(0)
  })

  it('git checkout of a path from another branch is a decision of the agent: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
    repo.switchNew('feature').write('a.ts', 'feature\n').commit('feature')
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.checkout('feature', '--', 'a.ts'))
    turn
      .toShow([{ path: 'a.ts', additions: 1, deletions: 1 }])
      .toDemote(0)
      .toBeUnmoved()
  })

  it("throwing away the user's uncommitted edits is shown: no history explains the loss", async () => {
    for (const loss of [
      ['reset', '-q', '--hard'],
      ['restore', '.'],
      ['checkout', '-q', '-f', 'main'],
      ['stash', '-q'],
    ]) {
      const repo = TurnRepository.create({ 'a.ts': lines(5), 'b.ts': 'b\n' })
      repo.edit('a.ts', 3, 'of the user')
      const turn = await playTurn(repo, () => repo.git(...loss))
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(0)
    }
  })

  it('a turn that does nothing shows nothing', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const turn = await playTurn(repo, () => undefined)
    turn.toShowNothing().toDemote(0).toBeUnmoved().toMove('none')
  })
})

describe('no history is read', () => {
  it.runIf(refsAreFiles)('the answer is the same when logs, refs and the very commit of HEAD are gone', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(5) })
    const request = await recordTurn(repo, () => repo.edit('a.ts', 2, 'mine').create('n.ts', 'n\n'))
    const whole = await ask(repo, request, { askLater: false })
    const head = repo.oid()
    const git = join(repo.cwd, '.git')
    rmSync(join(git, 'objects', head.slice(0, 2), head.slice(2)))
    rmSync(join(git, 'logs'), { recursive: true })
    rmSync(join(git, 'refs/heads/main'))
    const bare = await ask(repo, request, { askLater: false })
    expect(bare.result).toEqual(whole.result)
    bare.toShow(['a.ts', 'n.ts']).toBeUnmoved()
  })
})
