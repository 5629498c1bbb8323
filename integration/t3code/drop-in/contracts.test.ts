// T3 Code's schemas drop the keys they do not know: each of these fails until the schema named in it has the new one.

import * as Contracts from '@t3tools/contracts'
import * as Schema from 'effect/Schema'
import { describe, expect, it } from 'vite-plus/test'
import { toProjectedFiles } from '../projection.ts'
import type { TurnGitSummary } from '../TurnGitSummary.ts'

const git: TurnGitSummary = {
  fileCount: 40,
  additions: 120,
  deletions: 0,
  fromBranch: 'main',
  toBranch: null,
  fromHead: null,
  toHead: 'a'.repeat(40),
  label: 'Switched main → feature',
  reason: null,
  turnStartedAt: 1_700_000_000_123,
}

const file = { previousPath: null, binary: false, oldMode: null, newMode: null, oldOid: null, newOid: null }
const shown = { ...file, kind: 'added', mixed: false, reason: 'authored', deletions: null } as const
const files = toProjectedFiles([
  { ...shown, path: 'src/app.ts', additions: 2 },
  { ...shown, path: ' blanks around it ', additions: null },
  { ...shown, path: ' ', additions: 1 },
])

const row = {
  turnId: 'turn-1',
  checkpointTurnCount: 1,
  checkpointRef: 'refs/t3/checkpoints/dGhyZWFkLTE/turn/1',
  status: 'ready',
  files,
  assistantMessageId: null,
  completedAt: '2026-01-01T00:00:00.000Z',
  git,
}
const range = { threadId: 'thread-1', fromTurnCount: 0, toTurnCount: 1 }

const through = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown): unknown =>
  JSON.parse(JSON.stringify(Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(value))))

describe('nothing is dropped or trimmed by', () => {
  it('OrchestrationCheckpointSummary', () => {
    expect(through(Contracts.OrchestrationCheckpointSummary, row)).toEqual(row)
  })

  it('ThreadTurnDiffCompletedPayload', () => {
    const payload = { threadId: 'thread-1', ...row }
    expect(through(Contracts.ThreadTurnDiffCompletedPayload, payload)).toEqual(payload)
  })

  it('OrchestrationGetTurnDiffInput and OrchestrationGetFullThreadDiffInput', () => {
    const input = { ...range, ignoreWhitespace: true, includeGitChanges: true }
    expect(through(Contracts.OrchestrationGetTurnDiffInput, input)).toEqual(input)
    const { fromTurnCount: _, ...thread } = input
    expect(through(Contracts.OrchestrationGetFullThreadDiffInput, thread)).toEqual(thread)
  })

  it('OrchestrationGetTurnDiffResult and OrchestrationGetFullThreadDiffResult', () => {
    const result = { ...range, diff: '', git }
    expect(through(Contracts.OrchestrationGetTurnDiffResult, result)).toEqual(result)
    expect(through(Contracts.OrchestrationGetFullThreadDiffResult, result)).toEqual(result)
  })
})
