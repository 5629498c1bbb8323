// T3 Code as the scenarios' host. Compiled in its tree alone; what it does not need of a service is a stand-in.

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import * as NodeServices from '@effect/platform-node/NodeServices'
import {
  CommandId,
  DEFAULT_PROVIDER_INTERACTION_MODE,
  EventId,
  ProjectId,
  ProviderDriverKind,
  ProviderInstanceId,
  type ProviderRuntimeEvent,
  ThreadId,
  TurnId,
} from '@t3tools/contracts'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Layer from 'effect/Layer'
import * as ManagedRuntime from 'effect/ManagedRuntime'
import * as PubSub from 'effect/PubSub'
import * as Scope from 'effect/Scope'
import * as Stream from 'effect/Stream'
import * as CheckpointDiffQuery from '../../checkpointing/CheckpointDiffQuery.ts'
import * as CheckpointStore from '../../checkpointing/CheckpointStore.ts'
import { checkpointRefForThreadTurn } from '../../checkpointing/Utils.ts'
import { ServerConfig } from '../../config.ts'
import { CheckpointReactorLive } from '../../orchestration/Layers/CheckpointReactor.ts'
import { OrchestrationEngineLive } from '../../orchestration/Layers/OrchestrationEngine.ts'
import { OrchestrationProjectionPipelineLive } from '../../orchestration/Layers/ProjectionPipeline.ts'
import { OrchestrationProjectionSnapshotQueryLive } from '../../orchestration/Layers/ProjectionSnapshotQuery.ts'
import { RuntimeReceiptBusLive } from '../../orchestration/Layers/RuntimeReceiptBus.ts'
import { CheckpointReactor } from '../../orchestration/Services/CheckpointReactor.ts'
import { OrchestrationEngineService } from '../../orchestration/Services/OrchestrationEngine.ts'
import { ProjectionSnapshotQuery } from '../../orchestration/Services/ProjectionSnapshotQuery.ts'
import { OrchestrationCommandReceiptRepositoryLive } from '../../persistence/Layers/OrchestrationCommandReceipts.ts'
import { OrchestrationEventStoreLive } from '../../persistence/Layers/OrchestrationEventStore.ts'
import { SqlitePersistenceMemory } from '../../persistence/Layers/Sqlite.ts'
import * as RepositoryIdentityResolver from '../../project/RepositoryIdentityResolver.ts'
import { ProviderService } from '../../provider/Services/ProviderService.ts'
import * as VcsDriverRegistry from '../../vcs/VcsDriverRegistry.ts'
import * as VcsProcess from '../../vcs/VcsProcess.ts'
import { VcsStatusBroadcaster } from '../../vcs/VcsStatusBroadcaster.ts'
import * as WorkspaceEntries from '../../workspace/WorkspaceEntries.ts'
import * as WorkspacePaths from '../../workspace/WorkspacePaths.ts'
import { layer as attributionLayer } from '../TurnAttribution.ts'
import type { HostUnderTest } from './scenarios.ts'

const threadId = ThreadId.make('thread-1')
const projectId = ProjectId.make('project-1')
const provider = ProviderDriverKind.make('codex')
const command = () => CommandId.make(`scenario:${randomUUID()}`)
const now = () => new Date().toISOString()

/** Every method that a test does not name does nothing. */
const standIn = (methods: object): never =>
  new Proxy(methods, { get: (target, key) => Reflect.get(target, key) ?? (() => Effect.void) }) as never

export const t3Host: HostUnderTest = {
  open: async ({ cwd, mode, load, timeBudgetMillis }) => {
    const events = Effect.runSync(PubSub.unbounded<ProviderRuntimeEvent>())
    const session = { provider, status: 'ready', runtimeMode: 'full-access', threadId, cwd }
    const providerService = standIn({
      listSessions: () => Effect.succeed([{ ...session, createdAt: now(), updatedAt: now() }]),
      streamEvents: Stream.fromPubSub(events),
    })

    const snapshotQuery = OrchestrationProjectionSnapshotQueryLive.pipe(
      Layer.provide(RepositoryIdentityResolver.layer),
      Layer.provide(SqlitePersistenceMemory),
    )
    const engineLayer = OrchestrationEngineLive.pipe(
      Layer.provide(OrchestrationProjectionSnapshotQueryLive),
      Layer.provide(OrchestrationProjectionPipelineLive),
      Layer.provide(OrchestrationEventStoreLive),
      Layer.provide(OrchestrationCommandReceiptRepositoryLive),
      Layer.provide(RepositoryIdentityResolver.layer),
      Layer.provide(SqlitePersistenceMemory),
    )
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(CheckpointReactorLive, CheckpointDiffQuery.layer).pipe(
        Layer.provideMerge(engineLayer),
        Layer.provideMerge(snapshotQuery),
        Layer.provideMerge(RuntimeReceiptBusLive),
        Layer.provideMerge(Layer.succeed(ProviderService, providerService)),
        Layer.provideMerge(Layer.succeed(VcsStatusBroadcaster, standIn({}))),
        Layer.provideMerge(CheckpointStore.layer.pipe(Layer.provide(VcsDriverRegistry.layer))),
        Layer.provideMerge(
          WorkspaceEntries.layer.pipe(Layer.provide(WorkspacePaths.layer), Layer.provideMerge(VcsDriverRegistry.layer)),
        ),
        Layer.provideMerge(WorkspacePaths.layer),
        Layer.provideMerge(attributionLayer({ mode: Effect.sync(mode), load, timeBudget: timeBudgetMillis })),
        Layer.provideMerge(VcsProcess.layer),
        Layer.provideMerge(ServerConfig.layerTest(process.cwd(), { prefix: 'turn-attribution-' })),
        Layer.provideMerge(NodeServices.layer),
      ),
    )
    const engine = await runtime.runPromise(Effect.service(OrchestrationEngineService))
    const model = await runtime.runPromise(Effect.service(ProjectionSnapshotQuery))
    const query = await runtime.runPromise(Effect.service(CheckpointDiffQuery.CheckpointDiffQuery))
    const reactor = await runtime.runPromise(Effect.service(CheckpointReactor))
    const scope = await Effect.runPromise(Scope.make('sequential'))
    await runtime.runPromise(reactor.start().pipe(Scope.provide(scope)))

    const modelSelection = { instanceId: ProviderInstanceId.make('codex'), model: 'gpt-5-codex' }
    await runtime.runPromise(
      engine.dispatch({
        type: 'project.create',
        commandId: command(),
        projectId,
        title: 'Project',
        workspaceRoot: cwd,
        defaultModelSelection: modelSelection,
        createdAt: now(),
      }),
    )
    await runtime.runPromise(
      engine.dispatch({
        type: 'thread.create',
        commandId: command(),
        threadId,
        projectId,
        title: 'Thread',
        modelSelection,
        interactionMode: DEFAULT_PROVIDER_INTERACTION_MODE,
        runtimeMode: 'approval-required',
        branch: null,
        worktreePath: cwd,
        createdAt: now(),
      }),
    )
    await runtime.runPromise(
      engine.dispatch({
        type: 'thread.session.set',
        commandId: command(),
        threadId,
        session: {
          threadId,
          status: 'ready',
          providerName: 'codex',
          runtimeMode: 'approval-required',
          activeTurnId: null,
          lastError: null,
          updatedAt: now(),
        },
        createdAt: now(),
      }),
    )

    const emit = (event: object): void => {
      const base = { eventId: EventId.make(randomUUID()), provider, threadId, createdAt: now() }
      Effect.runSync(PubSub.publish(events, { ...base, ...event } as unknown as ProviderRuntimeEvent))
    }
    const checkpoints = async () => {
      const snapshot = await runtime.runPromise(model.getSnapshot())
      return snapshot.threads.find((thread) => thread.id === threadId)?.checkpoints ?? []
    }
    const checkpointRef = (turn: number): string => checkpointRefForThreadTurn(threadId, turn)
    const hasRef = (ref: string): boolean =>
      execFileSync('git', ['for-each-ref', '--format=%(refname)', ref], { cwd, encoding: 'utf8' }).trim() === ref

    let turns = 0
    return {
      turn: async (agent) => {
        turns += 1
        const turnId = TurnId.make(`turn-${turns}`)
        const last = Math.max(0, ...(await checkpoints()).map((row) => row.checkpointTurnCount))
        emit({ type: 'turn.started', turnId, payload: {} })
        await until(() => hasRef(checkpointRef(last)))
        agent()
        emit({ type: 'turn.completed', turnId, payload: { state: 'completed' } })
        await until(async () => (await checkpoints()).some((row) => row.turnId === turnId && row.status === 'ready'))
        await runtime.runPromise(reactor.drain)
      },
      card: async (turn) => {
        const row = (await checkpoints()).find((row) => row.checkpointTurnCount === turn)
        return row && (row.files.length > 0 || (row.git?.fileCount ?? 0) > 0) ? row : null
      },
      turnDiff: (fromTurnCount, toTurnCount, options) =>
        runtime.runPromise(query.getTurnDiff({ threadId, fromTurnCount, toTurnCount, ...options })),
      threadDiff: (toTurnCount, options) =>
        runtime.runPromise(query.getFullThreadDiff({ threadId, toTurnCount, ...options })),
      revert: async (turnCount) => {
        const request = { type: 'thread.checkpoint.revert', commandId: command(), threadId, turnCount } as const
        await runtime.runPromise(engine.dispatch({ ...request, createdAt: now() }))
        await until(async () => (await checkpoints()).every((row) => row.checkpointTurnCount <= turnCount))
        await runtime.runPromise(reactor.drain)
      },
      checkpointRef,
      close: async () => {
        await Effect.runPromise(Scope.close(scope, Exit.void))
        await runtime.dispose()
      },
    }
  },
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await holds()); ) {
    if (Date.now() > end) throw new Error('the host did not get there')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
