// The host in small, put together: the scenarios' host, with a provider that runs a script in the turn.

import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as ManagedRuntime from 'effect/ManagedRuntime'
import * as References from 'effect/References'
import type { HostUnderTest } from '../../drop-in/scenarios.ts'
import { layer } from '../../TurnAttribution.ts'
import { CheckpointDiffQuery, checkpointDiffQueryLayer } from './CheckpointDiffQuery.ts'
import { CheckpointReactor, checkpointReactorLayer } from './CheckpointReactor.ts'
import { checkpointStoreLayer } from './CheckpointStore.ts'
import { checkpointRef } from './contracts.ts'
import { ReadModel, readModelLayer } from './ReadModel.ts'

const threadId = 'thread-1'

export const smallHost: HostUnderTest = {
  open: async ({ cwd, mode, load, timeBudgetMillis }) => {
    const attribution = layer({ mode: Effect.sync(mode), load, timeBudget: timeBudgetMillis })
    const host = Layer.mergeAll(checkpointReactorLayer, checkpointDiffQueryLayer).pipe(
      Layer.provideMerge(checkpointStoreLayer),
      Layer.provideMerge(readModelLayer),
      Layer.provideMerge(attribution),
      // What the broken addons of the scenarios make it say is tested elsewhere.
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, 'None')),
    )
    const runtime = ManagedRuntime.make(host)
    const reactor = await runtime.runPromise(Effect.service(CheckpointReactor))
    const query = await runtime.runPromise(Effect.service(CheckpointDiffQuery))
    const model = await runtime.runPromise(Effect.service(ReadModel))
    let turns = 0
    return {
      turn: async (agent) => {
        turns += 1
        const event = { threadId, turnId: `turn-${turns}` }
        const now = () => new Date().toISOString()
        await runtime.runPromise(reactor.handle(cwd, { ...event, type: 'turn.started', createdAt: now() }))
        agent()
        await runtime.runPromise(reactor.handle(cwd, { ...event, type: 'turn.completed', createdAt: now() }))
      },
      card: async (turn) => {
        const rows = await runtime.runPromise(model.checkpoints(threadId))
        const row = rows.find((row) => row.turnCount === turn)
        // A turn of git alone has no files, and a row all the same.
        return row && (row.files.length > 0 || (row.git?.fileCount ?? 0) > 0) ? row : null
      },
      turnDiff: (fromTurnCount, toTurnCount, options) =>
        runtime.runPromise(query.getTurnDiff(cwd, { threadId, fromTurnCount, toTurnCount, ...options })),
      threadDiff: (toTurnCount, options) =>
        runtime.runPromise(query.getFullThreadDiff(cwd, { threadId, toTurnCount, ...options })),
      revert: (turn) => runtime.runPromise(reactor.revert(cwd, threadId, turn)),
      checkpointRef: (turn) => checkpointRef(threadId, turn),
      close: () => runtime.dispose(),
    }
  },
}
