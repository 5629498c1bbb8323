// The contract as a TypeScript caller sees it. `npm run check:types` is what fails here; at run time little happens.

import { describe, expect, expectTypeOf, it } from 'vitest'
import type {
  AttributeTurnRequest,
  Attribution,
  CallOptions,
  Checkpoint,
  Demoted,
  DiffFile,
  DiffOptions,
  ErrorCode,
  FilteredDiff,
  HeadFacts,
  ParsedDiff,
  ParsedFile,
  PathExplanation,
  RecordedFacts,
  ShownFile,
  TurnAttribution,
  TurnAttributionError,
  TurnDiff,
} from '../index.js'
import * as api from '../index.js'

describe('types', () => {
  it('a union is closed: a switch over it is exhaustive', () => {
    function words(attribution: Attribution): string {
      switch (attribution.status) {
        case 'unmoved':
          return 'the head did not move'
        case 'attributed':
          return attribution.evidence
        case 'not-attributed':
          return `${attribution.reason}: ${attribution.detail}`
      }
    }
    expect(words({ status: 'attributed', evidence: 'reflog', notes: [] })).toBe('reflog')

    function kind(file: ShownFile): number {
      switch (file.kind) {
        case 'added':
        case 'modified':
        case 'deleted':
        case 'renamed':
        case 'typechange':
        case 'submodule':
          return 1
      }
    }
    expect(kind({ kind: 'added' } as ShownFile)).toBe(1)
  })

  it('absence is null in results, and a missing key in requests', () => {
    expectTypeOf<HeadFacts['headOid']>().toEqualTypeOf<string | null>()
    expectTypeOf<HeadFacts['branch']>().toEqualTypeOf<string | null>()
    expectTypeOf<ShownFile['additions']>().toEqualTypeOf<number | null>()
    expectTypeOf<ShownFile['previousPath']>().toEqualTypeOf<string | null>()
    expectTypeOf<Demoted['files']>().not.toEqualTypeOf<undefined>()
    expectTypeOf<PathExplanation['expectedContent']>().toEqualTypeOf<Uint8Array | null>()
    expectTypeOf<Checkpoint['headOid']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<AttributeTurnRequest['demoted']>().toEqualTypeOf<'count' | 'paths' | 'lines' | undefined>()
    // @ts-expect-error with exactOptionalPropertyTypes an optional key is absent, not undefined
    const facts: RecordedFacts = { pin: undefined }
    expect(facts).toBeDefined()
  })

  it('no field is any', () => {
    type Fields<T> = { [K in keyof T]-?: 0 extends 1 & T[K] ? K : never }[keyof T]
    expectTypeOf<Fields<TurnAttribution>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<ShownFile>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<HeadFacts>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<TurnDiff>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<DiffFile>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<DiffOptions>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<Checkpoint>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<ParsedFile>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<FilteredDiff>>().toEqualTypeOf<never>()
    expectTypeOf<Fields<PathExplanation>>().toEqualTypeOf<never>()
  })

  it('functions take and give what the contract says', () => {
    expectTypeOf(api.readHead).returns.resolves.toEqualTypeOf<HeadFacts>()
    expectTypeOf(api.listCheckpoints).returns.resolves.items.toExtend<Checkpoint>()
    expectTypeOf(api.readCheckpoint).returns.resolves.toExtend<Checkpoint>()
    expectTypeOf(api.attributeTurn).parameter(0).toEqualTypeOf<AttributeTurnRequest>()
    expectTypeOf(api.attributeTurn).returns.resolves.toEqualTypeOf<TurnAttribution>()
    expectTypeOf(api.diffTurn).parameter(1).toEqualTypeOf<DiffOptions | undefined>()
    expectTypeOf(api.diffTurn).returns.resolves.toEqualTypeOf<TurnDiff>()
    expectTypeOf<TurnDiff['patchBytes']>().toEqualTypeOf<Buffer>()
    expectTypeOf<DiffFile['pathBytes']>().toEqualTypeOf<Buffer | null>()
    // A file of a patch says all that one of the card says.
    expectTypeOf<Omit<DiffFile, 'reason'>>().toExtend<Omit<ShownFile, 'reason'>>()
    expectTypeOf(api.explainPath).returns.resolves.toEqualTypeOf<PathExplanation>()
    expectTypeOf(api.transitionLabel).returns.toEqualTypeOf<string>()
    expectTypeOf(api.writeCheckpointFacts).returns.resolves.toEqualTypeOf<string>()
    expectTypeOf(api.readCheckpointFacts).returns.resolves.toEqualTypeOf<RecordedFacts>()
    expectTypeOf(api.parseUnifiedDiff).parameter(0).toEqualTypeOf<string | Uint8Array>()
    expectTypeOf(api.parseUnifiedDiff).returns.resolves.toEqualTypeOf<ParsedDiff>()
    expectTypeOf(api.filterUnifiedDiff).returns.resolves.toEqualTypeOf<FilteredDiff>()
    expectTypeOf<FilteredDiff['patch']>().toEqualTypeOf<string>()
    expectTypeOf<ParsedFile['kind']>().toEqualTypeOf<ShownFile['kind'] | 'copied'>()
    expectTypeOf(api.isTurnAttributionError).guards.toEqualTypeOf<TurnAttributionError>()
  })

  it('an element that may not be there is undefined, and a signal that may not be there is accepted', () => {
    expectTypeOf<TurnAttribution['shown'][number]>().toEqualTypeOf<ShownFile>()
    const first = (turn: TurnAttribution) => turn.shown[0]
    expectTypeOf(first).returns.toEqualTypeOf<ShownFile | undefined>()
    const options = (signal: AbortSignal | undefined): CallOptions => ({ signal })
    expect(options(undefined)).toEqual({ signal: undefined })
    // @ts-expect-error what belongs to `attributed` alone is not there before the status is known
    const evidence = (attribution: Attribution) => attribution.evidence
    expect(evidence).toBeDefined()
  })

  it('every code is one of the union, and nothing else is', () => {
    const words: Record<ErrorCode, true> = {
      INVALID_ARGUMENT: true,
      NOT_A_REPOSITORY: true,
      NOT_OWNED: true,
      UNSUPPORTED_REPOSITORY: true,
      REPOSITORY_UNREADABLE: true,
      SNAPSHOT_MISSING: true,
      PATH_NOT_IN_TURN: true,
      TOO_LARGE: true,
      ABORTED: true,
      TIMED_OUT: true,
      BINDING_MISSING: true,
      INTERNAL: true,
    }
    expect(Object.keys(words)).toHaveLength(12)
    expectTypeOf<TurnAttributionError['code']>().toEqualTypeOf<ErrorCode>()
    const told = (value: unknown) => (api.isTurnAttributionError(value) ? value.code : value)
    expect(told('else')).toBe('else')
  })

  it('what was read from a message spreads into a checkpoint', () => {
    const spread = (ref: string, facts: RecordedFacts): Checkpoint => ({ ref, ...facts })
    expect(spread('x', { headOid: null })).toEqual({ ref: 'x', headOid: null })
  })
})
