// At a turn's start the baseline; at its end the snapshot, the card's rows, and word of them to the read model.

import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import type * as Schema from 'effect/Schema'
import { TurnAttribution } from '../../TurnAttribution.ts'
import { type CheckpointError, CheckpointStore } from './CheckpointStore.ts'
import { checkpointRef, type ProviderEvent } from './contracts.ts'
import { filesOfPatch } from './PatchFiles.ts'
import { ReadModel } from './ReadModel.ts'

export class CheckpointReactor extends Context.Service<
  CheckpointReactor,
  {
    readonly handle: (cwd: string, event: ProviderEvent) => Effect.Effect<void, CheckpointError | Schema.SchemaError>
    readonly revert: (cwd: string, threadId: string, turnCount: number) => Effect.Effect<void, CheckpointError>
  }
>()('host/CheckpointReactor') {}

export const checkpointReactorLayer = Layer.effect(
  CheckpointReactor,
  Effect.gen(function* () {
    const attribution = yield* TurnAttribution
    const store = yield* CheckpointStore
    const model = yield* ReadModel
    // The provider's own start of each running turn; no stored time can replace it (docs/host-integration.md).
    const startedAt = new Map<string, string>()

    const lastTurn = (threadId: string) =>
      Effect.map(model.checkpoints(threadId), (rows) => Math.max(0, ...rows.map((row) => row.turnCount)))

    const begin = Effect.fnUntraced(function* (cwd: string, event: ProviderEvent) {
      startedAt.set(event.turnId, event.createdAt)
      const ref = checkpointRef(event.threadId, yield* lastTurn(event.threadId))
      if (!(yield* store.has({ cwd, ref }))) yield* store.capture({ cwd, ref })
    })

    const complete = Effect.fnUntraced(function* (cwd: string, event: ProviderEvent) {
      const { threadId, turnId } = event
      const turnCount = (yield* lastTurn(threadId)) + 1
      const from = checkpointRef(threadId, turnCount - 1)
      const to = checkpointRef(threadId, turnCount)
      yield* store.capture({ cwd, ref: to })

      // Second call site: the card's rows.
      const turnStartedAt = startedAt.get(turnId)
      startedAt.delete(turnId)
      const outcome = yield* attribution.attribute({ cwd, from, to, turnStartedAt })
      const { files, git } =
        outcome._tag === 'Answer'
          ? outcome.value
          : {
              files: filesOfPatch(yield* store.diff({ cwd, from, to, ignoreWhitespace: false })),
              git: undefined,
            }

      yield* model.dispatch({
        threadId,
        turnId,
        turnCount,
        checkpointRef: to,
        files,
        completedAt: event.createdAt,
        ...(git === undefined ? {} : { git }),
      })
    })

    return CheckpointReactor.of({
      handle: (cwd, event) => (event.type === 'turn.started' ? begin(cwd, event) : complete(cwd, event)),
      revert: Effect.fnUntraced(function* (cwd, threadId, turnCount) {
        yield* store.restore({ cwd, ref: checkpointRef(threadId, turnCount) })
        for (const row of yield* model.checkpoints(threadId)) {
          if (row.turnCount > turnCount) yield* store.remove({ cwd, ref: row.checkpointRef })
        }
        yield* model.reverted(threadId, turnCount)
      }),
    })
  }),
)
