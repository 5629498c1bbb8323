// Events, stored as JSON and projected: every key has to pass two decoders and one copy by hand.

import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as Ref from 'effect/Ref'
import * as Schema from 'effect/Schema'
import { CheckpointSummary, TurnDiffCompleted } from './contracts.ts'

export class ReadModel extends Context.Service<
  ReadModel,
  {
    readonly dispatch: (event: TurnDiffCompleted) => Effect.Effect<void, Schema.SchemaError>
    readonly reverted: (threadId: string, turnCount: number) => Effect.Effect<void>
    readonly checkpoints: (threadId: string) => Effect.Effect<ReadonlyArray<CheckpointSummary>>
  }
>()('host/ReadModel') {}

const store = Schema.encodeEffect(Schema.fromJsonString(TurnDiffCompleted))
const load = Schema.decodeEffect(Schema.fromJsonString(TurnDiffCompleted))
const summarize = Schema.decodeUnknownEffect(CheckpointSummary)

export const readModelLayer = Layer.effect(
  ReadModel,
  Effect.gen(function* () {
    const threads = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<CheckpointSummary>>>(new Map())
    const update = (threadId: string, change: (rows: ReadonlyArray<CheckpointSummary>) => CheckpointSummary[]) =>
      Ref.update(threads, (all) => new Map(all).set(threadId, change(all.get(threadId) ?? [])))
    return ReadModel.of({
      dispatch: (event) =>
        Effect.gen(function* () {
          const payload = yield* store(event).pipe(Effect.flatMap(load))
          const row = yield* summarize({
            turnId: payload.turnId,
            turnCount: payload.turnCount,
            checkpointRef: payload.checkpointRef,
            files: payload.files,
            completedAt: payload.completedAt,
            ...(payload.git === undefined ? {} : { git: payload.git }),
          })
          yield* update(payload.threadId, (rows) => [...rows.filter((other) => other.turnId !== row.turnId), row])
        }),
      reverted: (threadId, turnCount) => update(threadId, (rows) => rows.filter((row) => row.turnCount <= turnCount)),
      checkpoints: (threadId) => Effect.map(Ref.get(threads), (all) => all.get(threadId) ?? []),
    })
  }),
)
