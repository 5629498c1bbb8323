// Bad input: each kind is a typed rejection or a documented degradation; the process lives and the next call works.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repoWithFeature, switchAndEdit } from './facade.turn.js'
import { type AttributeTurnRequest, addon, type Checkpoint } from './support/addon.js'
import { type TurnRepository, temporaryFolder } from './support/turn-repository.js'

const { attributeTurn, explainPath, isTurnAttributionError, readCheckpoint, readHead } = addon()
const ZERO = '0'.repeat(40)
const NO_OBJECT = 'deadbeef'.repeat(5)

type Change = (request: AttributeTurnRequest, repo: TurnRepository) => unknown

const fromIs =
  (checkpoint: Record<string, unknown>): Change =>
  (request) => ({
    ...request,
    from: { ...request.from, ...checkpoint },
  })
const toIs =
  (checkpoint: Record<string, unknown>): Change =>
  (request) => ({
    ...request,
    to: { ...request.to, ...checkpoint },
  })
const with_ =
  (extra: Record<string, unknown>): Change =>
  (request) => ({ ...request, ...extra })

const REJECTED: [string, string, Change][] = [
  ['cwd is a number', 'INVALID_ARGUMENT', with_({ cwd: 7 })],
  ['cwd is missing', 'INVALID_ARGUMENT', with_({ cwd: undefined })],
  ['cwd is empty', 'INVALID_ARGUMENT', with_({ cwd: '' })],
  ['cwd holds NUL', 'INVALID_ARGUMENT', with_({ cwd: '/tmp/\0x' })],
  ['cwd is null', 'INVALID_ARGUMENT', with_({ cwd: null })],
  ['from is missing', 'INVALID_ARGUMENT', with_({ from: undefined })],
  ['to is a string', 'INVALID_ARGUMENT', with_({ to: 'main' })],
  ['between is no array', 'INVALID_ARGUMENT', with_({ between: {} })],
  ['between holds null', 'INVALID_ARGUMENT', with_({ between: [null] })],
  ['between holds undefined', 'INVALID_ARGUMENT', with_({ between: [undefined] })],
  ['demoted is no known word', 'INVALID_ARGUMENT', with_({ demoted: 'all' })],
  ['demoted is a boolean', 'INVALID_ARGUMENT', with_({ demoted: true })],
  ['a ref is empty', 'INVALID_ARGUMENT', fromIs({ ref: '' })],
  ['a ref is missing', 'INVALID_ARGUMENT', fromIs({ ref: undefined })],
  ['a ref is a number', 'INVALID_ARGUMENT', toIs({ ref: 1 })],
  ['a ref holds NUL', 'INVALID_ARGUMENT', fromIs({ ref: 'refs/heads/ma\0in' })],
  [
    'a snapshot oid is abbreviated',
    'INVALID_ARGUMENT',
    (request) => fromIs({ ref: request.from.ref.slice(0, 12) })(request, null as never),
  ],
  ['a snapshot oid is all zero', 'INVALID_ARGUMENT', fromIs({ ref: ZERO })],
  ['the oid of a checkpoint is abbreviated', 'INVALID_ARGUMENT', fromIs({ ref: 'refs/heads/main', oid: 'abc1234' })],
  ['the oid of a checkpoint is all zero', 'INVALID_ARGUMENT', fromIs({ ref: 'refs/heads/main', oid: ZERO })],
  ['a head is a number', 'INVALID_ARGUMENT', fromIs({ headOid: 5 })],
  ['a head is empty', 'INVALID_ARGUMENT', fromIs({ headOid: '' })],
  ['a head is abbreviated', 'INVALID_ARGUMENT', fromIs({ headOid: 'abc1234' })],
  ['a head is all zero', 'INVALID_ARGUMENT', toIs({ headOid: ZERO })],
  ['a head is a ref name', 'INVALID_ARGUMENT', toIs({ headOid: 'refs/heads/main' })],
  ['a branch is a number', 'INVALID_ARGUMENT', fromIs({ branch: 5 })],
  ['a branch is empty', 'INVALID_ARGUMENT', fromIs({ branch: '' })],
  ['a pin is an object', 'INVALID_ARGUMENT', fromIs({ pin: {} })],
  ['a time is a string', 'INVALID_ARGUMENT', fromIs({ turnStartedAt: 'now' })],
  ['a time is a Date', 'INVALID_ARGUMENT', fromIs({ turnStartedAt: new Date() })],
  ['the ref does not exist', 'SNAPSHOT_MISSING', fromIs({ ref: 'refs/checkpoints/none' })],
  ['the snapshot does not exist', 'SNAPSHOT_MISSING', toIs({ ref: NO_OBJECT })],
  [
    'the snapshot is a blob',
    'SNAPSHOT_MISSING',
    (request, repo) => fromIs({ ref: repo.oid('HEAD:src/app.ts') })(request, repo),
  ],
  ['the folder is no repository', 'NOT_A_REPOSITORY', with_({ cwd: temporaryFolder() })],
  ['the folder does not exist', 'NOT_A_REPOSITORY', with_({ cwd: join(temporaryFolder(), 'none') })],
]

describe('rejected', () => {
  for (const [name, code, change] of REJECTED) {
    it(`${name}: ${code}`, async () => {
      const repo = repoWithFeature()
      const request = await switchAndEdit(repo)
      const error: unknown = await attributeTurn(change(request, repo) as AttributeTurnRequest).then(
        () => 'no error',
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({ code, name: 'TurnAttributionError' })
      expect(isTurnAttributionError(error)).toBe(true)
      expect((error as Error).message).toMatch(/\w+ \w+/)
      expect((await attributeTurn(request)).shown).toHaveLength(1)
    })
  }

  it('readHead: wrong types, empty, NUL, no repository', async () => {
    const read = readHead as (cwd: unknown) => Promise<unknown>
    for (const cwd of [undefined, null, 7, {}, [], '', 'a\0b'])
      await expect(read(cwd)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(read(temporaryFolder())).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
  })

  it('readCheckpoint: a ref that is empty, missing, or no commit', async () => {
    const repo = repoWithFeature()
    await expect(readCheckpoint(repo.cwd, '')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(readCheckpoint(repo.cwd, 'refs/none')).rejects.toMatchObject({ code: 'SNAPSHOT_MISSING' })
    await expect(readCheckpoint(repo.cwd, repo.oid('HEAD:src/app.ts'))).rejects.toMatchObject({
      code: 'SNAPSHOT_MISSING',
    })
  })

  it('explainPath: a path that did not change, is empty, holds NUL, is no string', async () => {
    const request = await switchAndEdit()
    const explain = (path: unknown) => explainPath(request, path as string)
    await expect(explain('readme.md')).rejects.toMatchObject({ code: 'PATH_NOT_IN_TURN' })
    for (const path of ['', 'a\0b', 7, null, undefined])
      await expect(explain(path)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('a repository in a format of tomorrow: UNSUPPORTED_REPOSITORY, and the message names it', async () => {
    const repo = repoWithFeature()
    repo.git('config', 'core.repositoryFormatVersion', '1')
    repo.git('config', 'extensions.tomorrow', 'true')
    await expect(readHead(repo.cwd)).rejects.toMatchObject({
      code: 'UNSUPPORTED_REPOSITORY',
      message: expect.stringContaining('tomorrow'),
    })
  })

  it('a repository with a config that cannot be read: REPOSITORY_UNREADABLE', async () => {
    const repo = repoWithFeature()
    repo.write('.git/config', '[core\n')
    await expect(readHead(repo.cwd)).rejects.toMatchObject({ code: 'REPOSITORY_UNREADABLE' })
  })
})

describe('degraded: everything is shown, with the reason', () => {
  const everything = ['feature/a.ts', 'feature/b.ts', 'feature/c.ts', 'src/app.ts']

  async function attribute(change: Change) {
    const repo = repoWithFeature()
    const request = await switchAndEdit(repo)
    return attributeTurn(change(request, repo) as AttributeTurnRequest)
  }

  for (const [name, change] of [
    ['a head that does not exist', fromIs({ headOid: NO_OBJECT })],
    ['a head that is a blob', (request, repo) => fromIs({ headOid: repo.oid('HEAD:src/app.ts') })(request, repo)],
    ['an end head that does not exist', toIs({ headOid: NO_OBJECT })],
  ] as [string, Change][]) {
    it(name, async () => {
      const result = await attribute(change)
      expect(result.attribution).toMatchObject({ status: 'not-attributed', reason: 'head-missing' })
      expect(result.shown.map(({ path }) => path)).toEqual(everything)
      expect(result.demoted.fileCount).toBe(0)
    })
  }

  it('a head that was not recorded', async () => {
    const result = await attribute(toIs({ headOid: undefined }))
    expect(result.attribution).toMatchObject({ status: 'not-attributed', reason: 'head-not-recorded' })
    expect(result.shown.map(({ path }) => path)).toEqual(everything)
  })

  it('a head that is an annotated tag is never taken for a fact that hides', async () => {
    const result = await attribute((request, repo) => {
      repo.git('tag', '-a', '-m', 'x', 'v1', 'main')
      return fromIs({ headOid: repo.oid('v1') })(request, repo)
    })
    expect(result.shown.map(({ path }) => path)).toContain('src/app.ts')
  })
})

describe('a checkpoint whose ref and oid disagree', () => {
  async function moved(side: 'from' | 'to') {
    const repo = repoWithFeature()
    const request = await switchAndEdit(repo)
    const { ref: oid, ...facts } = request[side]
    repo.git('update-ref', 'refs/checkpoints/x', repo.oid('main'))
    const checkpoint: Checkpoint = { ref: 'refs/checkpoints/x', oid, ...facts }
    return { expected: await attributeTurn(request), result: await attributeTurn({ ...request, [side]: checkpoint }) }
  }

  for (const side of ['from', 'to'] as const) {
    it(`${side}: the oid wins, and a note says that the ref has moved`, async () => {
      const { expected, result } = await moved(side)
      expect(result.shown).toEqual(expected.shown)
      expect(result.demoted).toEqual(expected.demoted)
      expect(result.attribution.notes).toContain(`${side}-ref-moved`)
      expect(expected.attribution.notes).not.toContain(`${side}-ref-moved`)
    })
  }
})

describe('a start of the turn that cannot be right is not believed', () => {
  const times: [string, number][] = [
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['negative', -1],
    ['after the end of the turn', Date.now() + 86_400_000],
  ]
  for (const [name, turnStartedAt] of times) {
    it(`${name}: the time of the snapshot serves, and a note says so`, async () => {
      const request = await switchAndEdit()
      const result = await attributeTurn({ ...request, from: { ...request.from, turnStartedAt } })
      expect(result.attribution.notes).toContain('turn-start-not-believed')
      expect(result.shown.map(({ path }) => path)).toEqual(['src/app.ts'])
      expect(result.demoted.fileCount).toBe(3)
    })
  }
})

it('a folder inside the repository that git does not track is still the repository', async () => {
  const repo = repoWithFeature()
  mkdirSync(join(repo.cwd, 'empty'))
  expect(await readHead(join(repo.cwd, 'empty'))).toMatchObject({ headOid: repo.oid() })
})
