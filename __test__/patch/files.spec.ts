// The files of a patch: what each is compared with, what it says of itself, and what happens when something is missing.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AttributeTurnRequest, addon, type DiffFile, type TurnDiff } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { gitDiff } from './git-diff.js'

async function turnOf(repo: TurnRepository, story: () => void): Promise<AttributeTurnRequest> {
  const from = await repo.startTurn()
  story()
  return { cwd: repo.cwd, from, to: await repo.endTurn() }
}

function textOf(diff: TurnDiff, file: DiffFile | undefined): string {
  return file?.section ? diff.patch.slice(file.section.start, file.section.end) : ''
}

describe('a file that was pulled and edited', async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(40), 'up.ts': 'up\n' })
  repo.teammate.push({ 'a.ts': lines(40).replace('line 5\n', 'theirs\n'), 'up.ts': 'theirs\n' })
  const request = await turnOf(repo, () => {
    repo.pull()
    repo.edit('a.ts', 30, 'mine')
  })

  it("has the agent's hunk alone", async () => {
    const diff = await addon().diffTurn(request)
    expect(diff.files.map((file) => file.path)).toEqual(['a.ts'])
    expect(diff.files[0]).toMatchObject({ additions: 1, deletions: 1, mixed: false, demoted: false })
    expect(diff.patch).toContain('-line 30\n+mine\n')
    expect(diff.patch).not.toContain('theirs')
    expect(diff.demoted.fileCount).toBe(1)
    expect(diff.branchTransition.label).toBe('Pulled origin/main')
  })

  it('is whole with the changes of git, and the others say that they only moved', async () => {
    const diff = await addon().diffTurn(request, { includeGitChanges: true })
    expect(diff.files).toMatchObject([
      { path: 'a.ts', additions: 2, deletions: 2, demoted: false, mixed: true, reason: 'edited-after-move' },
      { path: 'up.ts', additions: 1, deletions: 1, demoted: true, mixed: false, reason: 'moved-by-history' },
    ])
    expect(diff.patchBytes).toEqual(gitDiff(repo.cwd, repo.env, request.from.ref, request.to.ref, []))
  })
})

it('a mixed file is compared with the start snapshot, and says so', async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(20) })
  repo.edit('a.ts', 5, 'local').commit('local')
  repo.teammate.push({ 'a.ts': lines(20).replace('line 5\n', 'theirs\n') })
  const request = await turnOf(repo, () => {
    expect(repo.pull({ mode: 'merge' }).status).not.toBe(0)
    repo.resolve('a.ts', lines(20).replace('line 5\n', 'both\n')).proceed('merge')
  })
  const diff = await addon().diffTurn(request)
  expect(diff.files).toMatchObject([{ path: 'a.ts', mixed: true, additions: 1, deletions: 1 }])
  expect(diff.patch).toContain('-local\n+both\n')
})

it('only white space: listed with no lines and no text', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a b\n', 'b.ts': 'a b\nc\n' })
  const request = await turnOf(repo, () => repo.write('a.ts', '  ab\n').write('b.ts', ' ab\nd\n'))
  const diff = await addon().diffTurn(request, { ignoreWhitespace: true })
  expect(diff.files).toMatchObject([
    { path: 'a.ts', additions: 0, deletions: 0, section: null, truncated: false },
    { path: 'b.ts', additions: 1, deletions: 1 },
  ])
  const strict = await addon().diffTurn(request)
  expect(strict.files).toMatchObject([
    { additions: 1, deletions: 1 },
    { additions: 2, deletions: 2 },
  ])
})

it('a change of type is one file, with both parts in its section', async () => {
  const repo = TurnRepository.create({ 'AGENTS.md': 'text\n', target: 't\n' })
  const request = await turnOf(repo, () => repo.symlink('target', 'AGENTS.md'))
  const diff = await addon().diffTurn(request)
  expect(diff.files).toMatchObject([{ path: 'AGENTS.md', kind: 'typechange', additions: 1, deletions: 1 }])
  expect(textOf(diff, diff.files[0]).match(/^diff --git a\/AGENTS.md b\/AGENTS.md$/gm)?.length).toBe(2)
  expect(diff.patchBytes).toEqual(gitDiff(repo.cwd, repo.env, request.from.ref, request.to.ref, []))
})

it('a content that is missing: the file is there without text and counts, and the rest stands', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
  const request = await turnOf(repo, () => repo.append('a.ts', 'gone\n').append('b.ts', 'there\n'))
  const oid = repo.git('rev-parse', `${request.to.ref}:a.ts`)
  rmSync(join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2)))
  const diff = await addon().diffTurn(request)
  expect(diff.files).toMatchObject([
    { path: 'a.ts', additions: null, deletions: null, binary: false, section: null, newOid: oid },
    { path: 'b.ts', additions: 1, deletions: 0 },
  ])
  expect(textOf(diff, diff.files[1])).toContain('+there\n')
})

it('one half of a change of type that is missing takes the other with it', async () => {
  for (const side of ['from', 'to'] as const) {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'b.ts': 'b\n' })
    const request = await turnOf(repo, () => repo.remove('a.ts').symlink('b.ts', 'a.ts').append('b.ts', 'there\n'))
    const oid = repo.git('rev-parse', `${request[side].ref}:a.ts`)
    rmSync(join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2)))
    const diff = await addon().diffTurn(request)
    expect(diff.files).toMatchObject([
      { path: 'a.ts', kind: 'typechange', additions: null, deletions: null, section: null, truncated: false },
      { path: 'b.ts', additions: 1, deletions: 0 },
    ])
    expect(diff.patch).not.toContain('a.ts')
  }
})

it('names and contents that are no UTF-8 keep their bytes', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a\n' })
  const name = Buffer.from([0x72, 0xff, 0x2e, 0x74])
  const request = await turnOf(repo, () => repo.append('a.ts', 'b\n'))
  // The file system may refuse such a name: the snapshot gets it from git itself.
  const stream = Buffer.concat([
    Buffer.from('commit refs/heads/raw\ncommitter a <a> 1600000000 +0000\ndata 1\nx\n'),
    Buffer.from('M 644 inline "r\\377.t"\ndata 2\n'),
    Buffer.from([0xe9, 10]),
    Buffer.from('M 644 inline plain\ndata 2\nx\n'),
  ])
  repo.gitWith({ input: stream }, 'fast-import', '--quiet')
  const to = repo.oid('refs/heads/raw')
  const diff = await addon().diffTurn({ ...request, to: { ref: to } }, { unquotedPaths: true })
  const file = diff.files.find((each) => each.pathBytes !== null) as DiffFile
  expect(file).toMatchObject({ path: 'r\ufffd.t', kind: 'added', additions: 1, previousPathBytes: null })
  expect(file.pathBytes).toEqual(name)
  expect(diff.files.find((each) => each.path === 'plain')?.pathBytes).toBeNull()
  const { byteStart, byteEnd } = file.section ?? { byteStart: 0, byteEnd: 0 }
  const bytes = diff.patchBytes.subarray(byteStart, byteEnd)
  expect(bytes.includes(Buffer.concat([Buffer.from('+++ b/'), name, Buffer.from('\n')]))).toBe(true)
  expect(bytes.includes(Buffer.from([0x2b, 0xe9, 10]))).toBe(true)
  expect(textOf(diff, file)).toBe(bytes.toString())
  expect((await addon().diffTurn({ ...request, to: { ref: to } })).patch).toContain('+++ "b/r\\377.t"\n')
  expect((await addon().diffTurn({ ...request, to: { ref: to } }, { paths: ['r\ufffd.t'] })).files.length).toBe(1)
})

it('names stand without quotes when asked for', async () => {
  const repo = TurnRepository.create({ 'é "q" \\ b.txt': 'one\n', 'a b.txt': lines(9) })
  const request = await turnOf(repo, () => repo.append('é "q" \\ b.txt', 'two\n').move('a b.txt', 'ü.txt'))
  const quoted = await addon().diffTurn(request)
  expect(quoted.patch).toContain('diff --git "a/\\303\\251 \\"q\\" \\\\ b.txt" "b/\\303\\251 \\"q\\" \\\\ b.txt"\n')
  const { patch } = await addon().diffTurn(request, { unquotedPaths: true })
  expect(patch).toContain('diff --git a/é "q" \\ b.txt b/é "q" \\ b.txt\n')
  expect(patch).toContain('rename from a b.txt\nrename to ü.txt\n')
  expect(patch).not.toMatch(/^\+\+\+ "/m)
})

it('the bytes are a Buffer that outlives the call', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a\n' })
  const request = await turnOf(repo, () => repo.append('a.ts', 'b\n'))
  const { patchBytes, patch } = await addon().diffTurn(request)
  expect(Buffer.isBuffer(patchBytes)).toBe(true)
  expect(patchBytes.toString()).toBe(patch)
})

it('nothing in the turn is an empty patch', async () => {
  const repo = TurnRepository.create()
  const request = await turnOf(repo, () => {})
  expect(await addon().diffTurn(request)).toMatchObject({
    patch: '',
    files: [],
    truncated: false,
    renamesLimited: false,
  })
})

describe('what goes wrong is a rejection', () => {
  it('a snapshot that is missing', async () => {
    const repo = TurnRepository.create()
    const request = { cwd: repo.cwd, from: { ref: '1'.repeat(40) }, to: { ref: repo.oid() } }
    await expect(addon().diffTurn(request)).rejects.toMatchObject({ code: 'SNAPSHOT_MISSING' })
  })

  it('an abort, before and in the middle', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const request = await turnOf(repo, () => {
      for (let n = 0; n < 3000; n += 1) repo.write(`${n}.ts`, `${n}\n`)
    })
    const signal = AbortSignal.abort()
    await expect(addon().diffTurn(request, {}, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
    const controller = new AbortController()
    const running = addon().diffTurn(request, undefined, { signal: controller.signal })
    controller.abort()
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('options that are none', async () => {
    const repo = TurnRepository.create()
    const request = { cwd: repo.cwd, from: { ref: repo.oid() }, to: { ref: repo.oid() } }
    for (const options of [null, 7, 'x', { contextLines: '3' }, { includeGitChanges: 1 }]) {
      const asked = addon().diffTurn(request, options as never)
      await expect(asked, JSON.stringify(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })
})
