// The panel's patch, of one turn and of the thread.

import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import { TurnAttribution } from '../../TurnAttribution.ts'
import { type CheckpointError, CheckpointStore } from './CheckpointStore.ts'
import { checkpointRef, type TurnDiffInput, type TurnDiffResult } from './contracts.ts'
import { ReadModel } from './ReadModel.ts'

export class CheckpointDiffQuery extends Context.Service<
  CheckpointDiffQuery,
  {
    readonly getTurnDiff: (cwd: string, input: TurnDiffInput) => Effect.Effect<TurnDiffResult, CheckpointError>
    readonly getFullThreadDiff: (
      cwd: string,
      input: Omit<TurnDiffInput, 'fromTurnCount'>,
    ) => Effect.Effect<TurnDiffResult, CheckpointError>
  }
>()('host/CheckpointDiffQuery') {}

export const checkpointDiffQueryLayer = Layer.effect(
  CheckpointDiffQuery,
  Effect.gen(function* () {
    const attribution = yield* TurnAttribution
    const store = yield* CheckpointStore
    const model = yield* ReadModel

    const getTurnDiff = Effect.fnUntraced(function* (cwd: string, input: TurnDiffInput) {
      const { threadId, fromTurnCount, toTurnCount } = input
      const ignoreWhitespace = input.ignoreWhitespace ?? true
      const result = { threadId, fromTurnCount, toTurnCount }
      if (fromTurnCount === toTurnCount) return { ...result, diff: '' }

      const rows = yield* model.checkpoints(threadId)
      const turn = (count: number) => rows.find((row) => row.turnCount === count)
      // A checkpoint with the start of the turn that begins at it, which is stored with that turn.
      const checkpoint = (count: number) => {
        const start = turn(count + 1)?.git?.turnStartedAt
        const ref = checkpointRef(threadId, count)
        return typeof start === 'number' ? { ref, turnStartedAt: start } : { ref }
      }
      const turns = Array.from({ length: toTurnCount - fromTurnCount }, (_, index) => fromTurnCount + index + 1)

      // Third call site: the patch. Only where a card of the range came from the addon, so that both agree.
      if (turns.some((count) => turn(count)?.git !== undefined)) {
        const outcome = yield* attribution.patch({
          cwd,
          from: checkpoint(fromTurnCount),
          between: turns.slice(0, -1).map(checkpoint),
          to: checkpointRef(threadId, toTurnCount),
          ignoreWhitespace,
          includeGitChanges: input.includeGitChanges,
        })
        if (outcome._tag === 'Answer') return { ...result, diff: outcome.value.diff, git: outcome.value.git }
      }
      const from = checkpointRef(threadId, fromTurnCount)
      const to = checkpointRef(threadId, toTurnCount)
      return { ...result, diff: yield* store.diff({ cwd, from, to, ignoreWhitespace }) }
    })

    return CheckpointDiffQuery.of({
      getTurnDiff,
      getFullThreadDiff: (cwd, input) => getTurnDiff(cwd, { ...input, fromTurnCount: 0 }),
    })
  }),
)
