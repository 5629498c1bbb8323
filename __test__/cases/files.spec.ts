// Public reports of files counted, paired or named wrongly. Each bears the number of its case.
import { describe, expect, it } from 'vitest'
import { playTurn } from '../scenarios/play.js'
import { addon } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'

it('C09: an upstream deletion and a file of the agent like it are no rename', async () => {
  const repo = TurnRepository.create({ 'old.ts': lines(30), 'b.ts': 'b\n' })
  repo.teammate.push({}, { remove: ['old.ts'] })
  const turn = await playTurn(repo, () => {
    repo.pull()
    repo.create('new.ts', `${lines(30)}more\n`)
  })
  turn.toShow([{ path: 'new.ts', kind: 'added', previousPath: null, additions: 31, deletions: 0 }]).toDemote(1)
})

describe('C17: a setting that git refuses', () => {
  const settings: [string, string][] = [
    ['diff.algorithm', 'bogus'],
    ['diff.renames', 'bogus'],
    ['diff.context', '-5'],
    ['diff.renameLimit', 'many'],
    ['core.whitespace', 'bogus'],
  ]
  it('is ignored: the edit is shown, moved or not', async () => {
    for (const [name, value] of settings) {
      const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n' })
      repo.teammate.push({ 'b.ts': 'theirs\n' })
      const story = () => {
        repo.pull()
        repo.edit('a.ts', 3, 'mine')
      }
      const turn = await playTurn(repo, story, { askLater: false })
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(1)
      repo.git('config', name, value)
      expect(await addon().attributeTurn(turn.request), name).toEqual(turn.result)
    }
  })
})

describe('C22: a file becomes a link at the same path', () => {
  it('one entry, typechange, +1 -1', async () => {
    const repo = TurnRepository.create({ 'AGENTS.md': 'text\n' })
    const turn = await playTurn(repo, () => repo.symlink('core-files/AGENTS.md', 'AGENTS.md'))
    turn.toShow([
      { path: 'AGENTS.md', kind: 'typechange', additions: 1, deletions: 1, oldMode: '100644', newMode: '120000' },
    ])
  })

  it('and a link a file', async () => {
    const repo = TurnRepository.create({ 'a.md': 'text\n' })
    repo.symlink('a.md', 'AGENTS.md').commit('link')
    const turn = await playTurn(repo, () => repo.remove('AGENTS.md').write('AGENTS.md', 'one\ntwo\n'))
    turn.toShow([{ path: 'AGENTS.md', kind: 'typechange', additions: 2, deletions: 1, newMode: '100644' }])
  })

  it('pulled: one demoted', async () => {
    const repo = TurnRepository.create({ 'AGENTS.md': 'text\n' })
    repo.teammate.push({}, { symlink: { 'AGENTS.md': 'core-files/AGENTS.md' } })
    const turn = await playTurn(repo, () => repo.pull())
    turn.toShowNothing().toDemote(1)
  })

  it('a file becomes a folder of the same name: separate paths', async () => {
    const repo = TurnRepository.create({ thing: 'text\n', 'b.ts': 'b\n' })
    const turn = await playTurn(repo, () => repo.remove('thing').create('thing/inner', 'other\n').commit('folder'))
    turn.toShow([
      { path: 'thing', kind: 'deleted', additions: 0, deletions: 1 },
      { path: 'thing/inner', kind: 'added', additions: 1, deletions: 0 },
    ])
  })

  it('a file becomes a folder upstream: separate paths, both demoted', async () => {
    const repo = TurnRepository.create({ thing: 'text\n', 'b.ts': 'b\n' })
    repo.teammate.push({ 'folder/x': 'x\n' }, { rename: { thing: 'thing.moved' } })
    repo.teammate.push({ 'thing/inner': 'other\n' })
    const turn = await playTurn(repo, () => repo.pull())
    turn.toShowNothing().toDemote(4)
  })
})

it('C23: lines that look like headers are lines: counts come from the contents', async () => {
  const repo = TurnRepository.create({ 'q.sql': '-- old comment\n++count;\n', 'doc.md': 'doc\n', 'x.patch': 'p\n' })
  const turn = await playTurn(repo, () => {
    repo.write('q.sql', '-- new comment\n--count;\n')
    repo.append('doc.md', 'Binary files a/x and b/y differ\n')
    repo.write('x.patch', 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n')
  })
  turn.toShow([
    { path: 'q.sql', additions: 2, deletions: 2, binary: false },
    { path: 'doc.md', additions: 1, deletions: 0, binary: false },
    { path: 'x.patch', additions: 6, deletions: 1 },
  ])
})

describe('C38: submodules', () => {
  it('moved by the agent: one entry, both oids, +1 -1; dirty files inside are no change', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    repo.submodule('sub')
    repo.commit('submodule')
    const old = repo.oid('HEAD:sub')
    const turn = await playTurn(repo, () => repo.commitInside('sub', 'moved on\n'))
    turn.toShow([{ path: 'sub', kind: 'submodule', additions: 1, deletions: 1, oldOid: old }]).toDemote(0)
    expect(turn.result.shown[0]?.newOid).not.toBe(old)
    const quiet = await playTurn(repo, () => repo.write('sub/inner.txt', 'dirty\n'))
    quiet.toShowNothing().toDemote(0)
  })
})

describe('C41: the newline at the end of a file', () => {
  const changes: [string, string | null, string | null, number, number][] = [
    ['gains one', 'one\ntwo', 'one\ntwo\n', 1, 1],
    ['loses one', 'one\ntwo\n', 'one\ntwo', 1, 1],
    ['is there in a new file', null, 'one\ntwo\n', 2, 0],
    ['is missing in a new file', null, 'one\ntwo', 2, 0],
    ['is missing in a deleted file', 'one\ntwo', null, 0, 2],
    ['is a carriage return alone', 'one\rtwo\r', 'one\rTWO\r', 1, 1],
    ['goes from CRLF to LF', 'one\r\ntwo\r\n', 'one\ntwo\n', 2, 2],
  ]
  for (const [name, before, after, additions, deletions] of changes) {
    it(`${name}: +${additions} -${deletions}`, async () => {
      const repo = TurnRepository.create(before === null ? { base: 'b\n' } : { base: 'b\n', f: before })
      const turn = await playTurn(repo, () => (after === null ? repo.remove('f') : repo.write('f', after)))
      turn.toShow([{ path: 'f', additions, deletions }])
      expect(repo.numstat(turn.request.from.ref, turn.request.to.ref).get('f')).toEqual({ additions, deletions })
    })
  }
})

describe('C42: changes without lines, and names that mislead', () => {
  it('each is one entry with path, kind and modes', async () => {
    const repo = TurnRepository.create({
      'run.sh': '#!/bin/sh\n',
      a: lines(9, 'a'),
      'both.sh': lines(9, 'both'),
      'empty-gone': '',
      'a b/f b.txt': 'text\n',
      'pnpm-lock.yaml': 'one\n',
      '.gitattributes': 'pnpm-lock.yaml -diff\n',
    })
    repo.write('bin.dat', new Uint8Array([0, 1, 2])).commit('binary')
    const turn = await playTurn(repo, () => {
      repo.chmod('run.sh', '+x').move('a', 'b').move('both.sh', 'moved.sh').chmod('moved.sh', '+x')
      repo
        .remove('empty-gone')
        .create('empty-new', '')
        .write('bin.dat', new Uint8Array([0, 3]))
      repo.append('a b/f b.txt', 'more\n').append('pnpm-lock.yaml', 'two\n')
    })
    turn.toShow([
      { path: 'run.sh', kind: 'modified', additions: 0, deletions: 0, oldMode: '100644', newMode: '100755' },
      { path: 'b', previousPath: 'a', kind: 'renamed', additions: 0, deletions: 0 },
      { path: 'moved.sh', previousPath: 'both.sh', kind: 'renamed', oldMode: '100644', newMode: '100755' },
      { path: 'empty-gone', kind: 'deleted', previousPath: null, additions: 0, deletions: 0 },
      { path: 'empty-new', kind: 'added', previousPath: null, additions: 0, deletions: 0 },
      { path: 'bin.dat', kind: 'modified', binary: true, additions: null, deletions: null },
      { path: 'a b/f b.txt', kind: 'modified', additions: 1, deletions: 0 },
      { path: 'pnpm-lock.yaml', kind: 'modified', binary: true, additions: null, deletions: null },
    ])
  })

  it('hostile names arrive as they are', async () => {
    const names = [
      'tab\there',
      'quote"d',
      'new\nline',
      'ünïcode — ☃',
      ' leading',
      'trailing ',
      '-dash',
      'back\\slash',
      'b/a b/b',
    ]
    const repo = TurnRepository.create({ base: 'b\n' })
    const turn = await playTurn(repo, () => {
      for (const name of names) repo.create(name, `${name}\n`)
      repo.commit('names')
    })
    expect(turn.result.shown.map((file) => file.path).sort()).toEqual([...names].sort())
    turn.toDemote(0)
  })
})
