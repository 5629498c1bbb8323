// What the projector takes: rows and a summary that come through the host's decoders as they were.

import * as Schema from 'effect/Schema'
import { describe, expect, it } from 'vitest'
import { shownFile } from '../../../__test__/support/shown-file.ts'
import { fromProjectedPath, toProjectedFiles, toProjectedPath, toSummary } from '../projection.ts'
import { TurnGitSummary } from '../TurnGitSummary.ts'
import { CheckpointFile, CheckpointSummary, TurnDiffCompleted } from './host/contracts.ts'

type Shown = Parameters<typeof toProjectedFiles>[0][number]
type Turn = Parameters<typeof toSummary>[0]

const shown = (path: string, change: Partial<Shown> = {}): Shown => shownFile(path, { deletions: 2, ...change })

const turn: Turn = {
  demoted: { fileCount: 214, additions: 11_025, deletions: 4_560, files: null },
  branchTransition: {
    fromBranch: 'main',
    toBranch: null,
    fromHead: null,
    toHead: 'a'.repeat(40),
    kind: 'detach',
    actions: [],
    label: 'Switched main → aaaaaaa',
  },
  attribution: { status: 'attributed', evidence: 'reflog', notes: [] },
}

const oddPaths = [
  ' lead.ts',
  'trail.ts ',
  ' ',
  '\t',
  'new line\n',
  '\u00a0no-break',
  '\ufeffmark',
  '"quoted"',
  '"',
  '""',
  '" ',
  'back\\slash ',
  ' \\n is no line feed',
  'tab\tinside ',
]
const plainPaths = ['src/app.ts', 'a b.ts', 'ü.ts', 'tab\tinside', 'with "quotes" inside', 'back\\slash', 'ends"', '-']

describe('a path', () => {
  it.each(plainPaths)('%j stays as it is', (path) => {
    expect(toProjectedPath(path)).toBe(path)
  })

  it.each([...oddPaths, ...plainPaths])("%j comes through the host's decoder and back", (path) => {
    const [row] = toProjectedFiles([shown(path)])
    const decoded = Schema.decodeUnknownSync(CheckpointFile)(JSON.parse(JSON.stringify(row)))
    expect(decoded).toEqual(row)
    expect(fromProjectedPath(decoded.path)).toBe(path)
  })

  it('no two paths become one', () => {
    const paths = [...oddPaths, ...plainPaths, ...oddPaths.map(toProjectedPath)]
    expect(new Set(paths.map(toProjectedPath)).size).toBe(new Set(paths).size)
  })
})

describe('the rows', () => {
  it('count nothing where there is no count', () => {
    const rows = toProjectedFiles([shown('a.png', { additions: null, deletions: null, binary: true })])
    expect(rows).toEqual([{ path: 'a.png', kind: 'modified', additions: 0, deletions: 0 }])
  })

  it('stand in the order of the host, which is that of the locale', () => {
    const paths = ['B.ts', 'a.ts', '_.ts', 'Ä.ts', 'a/b.ts', 'z.ts']
    const rows = toProjectedFiles(paths.map((path) => shown(path)))
    expect(rows.map((row) => row.path)).toEqual([...paths].sort((left, right) => left.localeCompare(right)))
    expect(rows[0]?.path).not.toBe('B.ts')
  })

  it('are one for each path, also where two names look the same', () => {
    const rows = toProjectedFiles([shown('a\ufffd.ts'), shown('a\ufffd.ts', { additions: null })])
    expect(rows).toEqual([{ path: 'a\ufffd.ts', kind: 'modified', additions: 1, deletions: 4 }])
  })
})

describe('counts that are none', () => {
  const counts = [Number.NaN, -1, -0.5, 2.7, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '3', undefined, {}]

  it.each(counts)('like %j do not keep a turn from being stored', (lines) => {
    const odd = { additions: lines as number, deletions: lines as number }
    for (const row of toProjectedFiles([shown('a.ts', odd), shown('a.ts', odd)])) {
      expect(Schema.decodeUnknownSync(CheckpointFile)(JSON.parse(JSON.stringify(row)))).toEqual(row)
    }
    const git = toSummary({ ...turn, demoted: { fileCount: lines as number, ...odd, files: null } }, null)
    expect(Schema.decodeUnknownSync(TurnGitSummary)(JSON.parse(JSON.stringify(git)))).toEqual(git)
  })

  it('are clamped', () => {
    const [row] = toProjectedFiles([shown('a.ts', { additions: 2.7, deletions: -1 })])
    expect(row).toMatchObject({ additions: 2, deletions: 0 })
  })
})

describe('the summary', () => {
  const summaries: TurnGitSummary[] = [
    toSummary(turn, 1_700_000_000_123),
    toSummary({ ...turn, demoted: { fileCount: 0, additions: null, deletions: null, files: null } }, null),
    toSummary(
      { ...turn, attribution: { status: 'not-attributed', reason: 'history-cut', detail: 'shallow', notes: [] } },
      0,
    ),
    // git allows names that JavaScript trims.
    { ...toSummary(turn, 1), fromBranch: '\u00a0odd\u00a0', label: '' },
  ]

  it.each(summaries)('%j loses nothing on its way into the read model', (git) => {
    expect(Schema.decodeUnknownSync(TurnGitSummary)(JSON.parse(JSON.stringify(git)))).toEqual(git)
    const event = {
      threadId: 'thread-1',
      turnId: 'turn-1',
      turnCount: 1,
      checkpointRef: 'refs/t3/checkpoints/x/turn/1',
      files: [],
      completedAt: new Date(0).toISOString(),
      git,
    }
    const json = Schema.encodeSync(Schema.fromJsonString(TurnDiffCompleted))(event)
    const payload = Schema.decodeSync(Schema.fromJsonString(TurnDiffCompleted))(json)
    expect(payload).toEqual(event)
    const { threadId: _, ...row } = payload
    expect(Schema.decodeUnknownSync(CheckpointSummary)(row)).toEqual(row)
  })

  it('has no key that its schema would drop', () => {
    for (const summary of summaries) {
      expect(Object.keys(summary).sort()).toEqual(Object.keys(TurnGitSummary.fields).sort())
    }
  })

  it('says why nothing could be told apart', () => {
    expect(summaries[0]?.reason).toBeNull()
    expect(summaries[2]?.reason).toBe('history-cut')
  })

  it('may be absent: what was stored before stays readable', () => {
    const row = { turnId: 't', turnCount: 1, checkpointRef: 'r', files: [], completedAt: '' }
    expect(Schema.decodeUnknownSync(CheckpointSummary)(row)).toEqual(row)
  })
})
