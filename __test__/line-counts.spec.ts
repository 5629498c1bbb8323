// Line counts equal `git diff --numstat` between the expected tree and the snapshot, whatever attributes and config
// say. `playTurn` compares every shown file with git; the figures below are what git 2.47 gives.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countsOfGit, playTurn } from './scenarios/play.js'
import { addon } from './support/addon.js'
import { lines, TurnRepository } from './support/turn-repository.js'

type Counts = [number | null, number | null]
type Content = string | Uint8Array

interface Kind {
  before: Record<string, Content>
  after: Record<string, Content | null>
  counts: Record<string, Counts>
  binary?: string[]
}

const bytes = (...values: number[]) => new Uint8Array(values)
const binaryText = 'a\0b\nc\0d\n'

const kinds: Record<string, Kind> = {
  'plain edits': {
    before: { a: lines(50) },
    after: { a: lines(50).replace('line 10\n', 'x\ny\n').replace('line 40\n', '') },
    counts: { a: [2, 2] },
  },
  'a file marked -diff': {
    before: { 'pnpm-lock.yaml': 'one\n', '.gitattributes': '*.yaml -diff\n' },
    after: { 'pnpm-lock.yaml': 'two\n' },
    counts: { 'pnpm-lock.yaml': [null, null] },
    binary: ['pnpm-lock.yaml'],
  },
  'a file marked binary': {
    before: { 'a.txt': 'one\n', '.gitattributes': 'a.txt binary\n' },
    after: { 'a.txt': 'two\n' },
    counts: { 'a.txt': [null, null] },
    binary: ['a.txt'],
  },
  'binary content marked diff': {
    before: { 'a.bin': binaryText, '.gitattributes': '*.bin diff\n' },
    after: { 'a.bin': `${binaryText}more\n` },
    counts: { 'a.bin': [1, 0] },
  },
  'text with a diff driver': {
    before: { 'a.x': 'one\n', '.gitattributes': '*.x diff=special\n' },
    after: { 'a.x': 'one\ntwo\n' },
    counts: { 'a.x': [1, 0] },
  },
  'an attribute that is taken back (!diff)': {
    before: {
      'a.x': 'one\n',
      'sub/b.x': 'one\n',
      '.gitattributes': '*.x -diff\n',
      'sub/.gitattributes': '*.x !diff\n',
    },
    after: { 'a.x': 'two\n', 'sub/b.x': 'two\n' },
    counts: { 'a.x': [null, null], 'sub/b.x': [1, 1] },
    binary: ['a.x'],
  },
  'attributes that the turn itself writes': {
    before: { 'a.x': 'one\n' },
    after: { 'a.x': 'two\n', '.gitattributes': '*.x -diff\n' },
    counts: { 'a.x': [null, null], '.gitattributes': [1, 0] },
    binary: ['a.x'],
  },
  'binary content': {
    before: { a: bytes(0, 1, 2) },
    after: { a: bytes(0, 3), b: bytes(0), c: bytes(1, 2, 10) },
    counts: { a: [null, null], b: [null, null], c: [1, 0] },
    binary: ['a', 'b'],
  },
  'text that becomes binary': {
    before: { a: 'text\n' },
    after: { a: bytes(0, 1) },
    counts: { a: [null, null] },
    binary: ['a'],
  },
  'a NUL after the first 8000 bytes': {
    before: { a: `${'x'.repeat(9000)}\n` },
    after: { a: `${'x'.repeat(9000)}\n\0\n` },
    counts: { a: [1, 0] },
  },
  'CRLF to LF': { before: { a: 'one\r\ntwo\r\n' }, after: { a: 'one\ntwo\n' }, counts: { a: [2, 2] } },
  'CRLF kept': { before: { a: 'one\r\ntwo\r\n' }, after: { a: 'one\r\ntwo\r\nthree\r\n' }, counts: { a: [1, 0] } },
  'carriage returns alone': { before: { a: 'one\rtwo\r' }, after: { a: 'one\rTWO\r' }, counts: { a: [1, 1] } },
  'no newline at the end': {
    before: { a: 'one\ntwo', b: 'one\ntwo\n', c: 'one\ntwo' },
    after: { a: 'one\ntwo\n', b: 'one\ntwo', c: 'one\ntwo\nthree' },
    counts: { a: [1, 1], b: [1, 1], c: [2, 1] },
  },
  'empty files': {
    before: { gone: 'text\n', emptied: 'one\ntwo\n', filled: '' },
    after: { gone: null, emptied: '', filled: 'one\n', fresh: '' },
    counts: { gone: [0, 1], emptied: [0, 2], filled: [1, 0], fresh: [0, 0] },
  },
  'white space alone': { before: { a: 'a\nb\n' }, after: { a: '  a\nb \n' }, counts: { a: [2, 2] } },
  'a block moved within the file': {
    before: { a: lines(40) },
    after: { a: `${lines(40).split('\n').slice(20, 40).join('\n')}\n${lines(20)}` },
    counts: {},
  },
  'repeated lines': {
    before: { a: '{\n}\n\n'.repeat(40) },
    after: { a: `${'{\n}\n\n'.repeat(17)}x\n${'{\n\n'.repeat(9)}${'}\n'.repeat(14)}` },
    counts: {},
  },
  'text that is no UTF-8': {
    before: { a: bytes(0xff, 10, 0xfe, 10) },
    after: { a: bytes(0xff, 10, 0xfd, 10) },
    counts: { a: [1, 1] },
  },
}

function fill(repo: TurnRepository, contents: Record<string, Content | null>): void {
  for (const [path, content] of Object.entries(contents)) {
    if (content === null) repo.remove(path)
    else repo.write(path, content)
  }
}

describe('of the agent alone, and of the agent after a pull', () => {
  for (const [name, { before, after, counts, binary }] of Object.entries(kinds)) {
    it(name, async () => {
      for (const pulls of [false, true]) {
        const repo = TurnRepository.create({ 'other.ts': 'o\n' })
        fill(repo, before)
        repo.commit('before')
        repo.push('main')
        if (pulls) repo.teammate.push({ 'other.ts': 'theirs\n' })
        const turn = await playTurn(
          repo,
          () => {
            if (pulls) repo.pull()
            fill(repo, after)
          },
          { askLater: false },
        )
        turn.toShow(Object.keys(after)).toDemote(pulls ? 1 : 0)
        for (const [path, [additions, deletions]] of Object.entries(counts)) turn.toCount(path, additions, deletions)
        for (const file of turn.result.shown) expect(file.binary, file.path).toBe(binary?.includes(file.path) ?? false)
      }
    })
  }
})

// So many are compared by several threads, ahead of the answer.
describe('of many files at once', () => {
  const copies = Array.from({ length: 6 }, (_, number) => `copy-${number}`)
  const each = (side: 'before' | 'after') =>
    Object.fromEntries(
      copies.flatMap((copy) =>
        Object.entries(kinds).flatMap(([name, kind]) =>
          Object.entries(kind[side]).map(([path, content]) => [`${copy}/${name}/${path}`, withLine(content, copy)]),
        ),
      ),
    )
  const large = (line: string) => `${line}\n`.repeat(60_000)

  /** Otherwise all copies would be one blob. Attributes stay as they are. */
  function withLine(content: Content | null, line: string): Content | null {
    return typeof content === 'string' && content.endsWith('\n') && !/-diff|binary|diff=/.test(content)
      ? `${content}${line}\n`
      : content
  }

  function prepared(): TurnRepository {
    const repo = TurnRepository.create({ 'other.ts': 'o\n', 'large.txt': large('a line') })
    repo.symlink('other.ts', 'm-link').submodule('m-sub')
    fill(repo, each('before'))
    repo.commit('before')
    return repo
  }

  function change(repo: TurnRepository): void {
    fill(repo, each('after'))
    repo.write('large.txt', large('another')).symlink('large.txt', 'm-link').commitInside('m-sub', 'moved\n')
  }

  it('shown', async () => {
    const repo = prepared()
    const turn = await playTurn(repo, () => change(repo), { askLater: false })
    expect(turn.result.shownFileCount).toBeGreaterThan(150)
    turn.toCount('large.txt', 60_000, 60_000).toCount('m-sub', 1, 1).toCount('m-link', 1, 1)
  })

  it('moved', async () => {
    const repo = prepared()
    repo.switchNew('side')
    change(repo)
    repo.commit('after')
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.checkout('side'), { askLater: false })
    turn.toShowNothing()
    const { demoted } = await addon().attributeTurn({ ...turn.request, demoted: 'lines' })
    const git = repo.numstat(turn.request.from.ref, turn.request.to.ref)
    expect(demoted.files).toHaveLength(git.size)
    for (const { path, additions, deletions } of demoted.files ?? [])
      expect({ additions, deletions }, path).toEqual(git.get(path))
  })

  it('one of which is gone, and another is damaged: they alone are not counted', async () => {
    const repo = prepared()
    const turn = await playTurn(repo, () => change(repo), { askLater: false })
    const [gone, damaged] = ['copy-3/plain edits/a', 'copy-4/CRLF to LF/a'].map((path) =>
      repo.git('rev-parse', `${turn.request.to.ref}:${path}`).trim(),
    ) as [string, string]
    const fileOf = (oid: string) => join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2))
    rmSync(fileOf(gone))
    chmodSync(fileOf(damaged), 0o644)
    writeFileSync(fileOf(damaged), readFileSync(fileOf(damaged)).subarray(0, 20))
    await addon().closeRepositories()
    const { shown } = await addon().attributeTurn(turn.request)
    const wanted = turn.result.shown.map((file) =>
      [gone, damaged].some((oid) => [file.oldOid, file.newOid].includes(oid))
        ? { ...file, additions: null, deletions: null, uncounted: expect.any(String) }
        : file,
    )
    expect(shown).toEqual(wanted)
  })
})

describe('of states that are no text', () => {
  it('mode only, symbolic link, change of type, submodule', async () => {
    const repo = TurnRepository.create({
      'run.sh': '#!/bin/sh\n',
      'file-to-link': 'one\ntwo\n',
      target: 't\n',
      other: 'o\n',
    })
    repo.symlink('target', 'link').symlink('target', 'link-to-file').symlink('target', 'link-gone')
    repo.submodule('sub')
    repo.commit('before')
    const turn = await playTurn(repo, () => {
      repo.chmod('run.sh', '+x').symlink('other', 'link').symlink('target', 'file-to-link')
      repo.remove('link-to-file').write('link-to-file', 'one\ntwo\n').remove('link-gone').symlink('x', 'link-new')
      repo.commitInside('sub', 'moved\n')
    })
    turn.toShow([
      { path: 'run.sh', additions: 0, deletions: 0 },
      { path: 'link', kind: 'modified', additions: 1, deletions: 1 },
      { path: 'link-new', kind: 'added', additions: 1, deletions: 0 },
      { path: 'link-gone', kind: 'deleted', additions: 0, deletions: 1 },
      { path: 'file-to-link', kind: 'typechange', additions: 1, deletions: 2 },
      { path: 'link-to-file', kind: 'typechange', additions: 2, deletions: 1 },
      { path: 'sub', kind: 'submodule', additions: 1, deletions: 1 },
    ])
  })

  it('a file that becomes a submodule, and back', async () => {
    const repo = TurnRepository.create({ sub: 'one\ntwo\n', 'a.ts': 'a\n' })
    const there = await playTurn(repo, () => {
      repo.git('rm', '-qf', 'sub')
      repo.submodule('sub')
    })
    expect(there.result.shown.find((file) => file.path === 'sub')).toMatchObject({
      kind: 'typechange',
      additions: 1,
      deletions: 2,
    })
  })
})

describe("whatever the user's own settings say", () => {
  const settings: [string, string][] = [
    ['diff.algorithm', 'histogram'],
    ['diff.algorithm', 'patience'],
    ['diff.algorithm', 'bogus'],
    ['diff.ignoreSubmodules', 'all'],
    ['diff.external', 'false'],
    ['diff.noprefix', 'true'],
    ['diff.mnemonicPrefix', 'true'],
    ['diff.renames', 'copies'],
    ['diff.renames', 'false'],
    ['diff.indentHeuristic', 'false'],
    ['diff.context', '0'],
    ['diff.orderFile', '/nowhere'],
    ['diff.special.textconv', 'false'],
    ['diff.special.binary', 'true'],
    ['diff.special.command', 'false'],
    ['diff.suppressBlankEmpty', 'true'],
    ['core.autocrlf', 'true'],
    ['core.quotePath', 'false'],
    ['core.bigFileThreshold', '1'],
    ['core.fsmonitor', 'false-command'],
    ['filter.evil.clean', 'touch evil'],
    ['filter.evil.process', 'touch evil'],
  ]

  it('the answer does not change', async () => {
    const repo = TurnRepository.create({
      'a.ts': '{\n}\n\n'.repeat(30),
      'b.x': 'one\n',
      'c.crlf': 'one\r\ntwo\r\n',
      'up.ts': 'up\n',
      '.gitattributes': '*.x diff=special\n*.crlf filter=evil\n',
    })
    repo.teammate.push({ 'up.ts': 'theirs\n' })
    const turn = await playTurn(
      repo,
      () => {
        repo.pull()
        repo.write('a.ts', `${'{\n}\n\n'.repeat(11)}x\n${'{\n\n'.repeat(9)}`).append('b.x', 'two\n')
        repo.write('c.crlf', 'one\ntwo\n').commit('mine')
      },
      { askLater: false },
    )
    turn.toShow(['a.ts', 'b.x', 'c.crlf']).toDemote(1)
    for (const [name, value] of settings) {
      repo.git('config', name, value)
      expect(await addon().attributeTurn(turn.request), `${name}=${value}`).toEqual(turn.result)
      repo.git('config', '--unset-all', name)
    }
  })

  it('attributes outside of the snapshot say nothing: info/attributes, and those of the working tree later', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'up.ts': 'up\n' })
    const turn = await playTurn(repo, () => repo.append('a.ts', 'mine\n'), { askLater: false })
    mkdirSync(join(repo.cwd, '.git/info'), { recursive: true })
    writeFileSync(join(repo.cwd, '.git/info/attributes'), '* -diff\n')
    repo.write('.gitattributes', '* -diff\n')
    expect(await addon().attributeTurn(turn.request)).toEqual(turn.result)
    turn.toCount('a.ts', 1, 0)
  })
})

it('counted from the expected tree, not from the start: a pulled, rebased and merged file each', async () => {
  for (const mode of ['ff-only', 'merge', 'rebase'] as const) {
    const repo = TurnRepository.create({ 'a.ts': lines(60), 'b.ts': 'b\n' })
    if (mode !== 'ff-only') repo.write('b.ts', 'earlier\n').commit('earlier')
    repo.teammate.push({ 'a.ts': lines(60).replace('line 5\n', 'theirs\ntheirs\n').replace('line 50\n', '') })
    const turn = await playTurn(repo, () => {
      if (mode !== 'ff-only') repo.edit('a.ts', 30, 'mine\nmine too').commit('mine')
      expect(repo.pull({ mode }).status).toBe(0)
      if (mode === 'ff-only') repo.edit('a.ts', 31, 'mine\nmine too')
    })
    turn.toShow([{ path: 'a.ts', additions: 2, deletions: 1, mixed: false }]).toDemote(0)
    expect((await countsOfGit(repo, turn.request, turn.result)).get('a.ts')).toEqual({ additions: 2, deletions: 1 })
  }
})
