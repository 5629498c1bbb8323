// The addon as the host's server calls it. Nothing here fails: the host gets an answer or is told to go its own way.

import * as Cause from 'effect/Cause'
import * as Clock from 'effect/Clock'
import * as Context from 'effect/Context'
import * as Data from 'effect/Data'
import type * as Duration from 'effect/Duration'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as Semaphore from 'effect/Semaphore'
import type {
  AttributeTurnRequest,
  CallOptions,
  Checkpoint,
  HeadFacts,
  RecordedCheckpoint,
  RecordedFacts,
  TurnAttribution as Turn,
} from 'turn-attribution'
import { fromProjectedPath, type ProjectedFile, toProjectedFiles, toSummary } from './projection.ts'
import type { TurnGitSummary } from './TurnGitSummary.ts'

/** What is asked of `diffTurn` beside the turn. */
export interface PatchOptions {
  readonly ignoreWhitespace: boolean
  readonly includeGitChanges: boolean
  readonly unquotedPaths: boolean
  readonly paths?: string[]
}

/** What of `diffTurn`'s result is used here. */
export interface PatchResult extends Pick<Turn, 'demoted' | 'branchTransition' | 'attribution'> {
  readonly patch: string
  readonly truncated: boolean
}

/** What the adapter calls of the addon; `typeof import('turn-attribution')` is one. */
export interface Addon {
  readHead(cwd: string, options?: CallOptions): Promise<HeadFacts>
  writeCheckpointFacts(message: string, facts: RecordedFacts): Promise<string>
  readCheckpoint(cwd: string, ref: string, options?: CallOptions): Promise<RecordedCheckpoint>
  attributeTurn(request: AttributeTurnRequest, options?: CallOptions): Promise<Turn>
  /** Absent where the installed version makes no patches yet. */
  diffTurn?(request: AttributeTurnRequest, options: PatchOptions, callOptions?: CallOptions): Promise<PatchResult>
}

/**
 * The switch. `off`: the addon is not even loaded. `observe`: everything is worked out and logged beside the host's
 * own path, and nothing changes. `on`: the host takes the answers.
 */
export type AttributionMode = 'off' | 'observe' | 'on'

/**
 * Why the host is to use its own path.
 *
 * - `off`, `observe`: the switch says so.
 * - `heads-not-recorded`: checkpoints of before the host recorded heads; nothing could be told apart.
 * - `addon-missing`: it could not be loaded on this machine.
 * - `addon-outdated`: it has no patch yet.
 * - `time-budget`: it took too long.
 * - `failed`: anything else; the log says what.
 */
export type OwnPathReason =
  | 'off'
  | 'observe'
  | 'heads-not-recorded'
  | 'addon-missing'
  | 'addon-outdated'
  | 'time-budget'
  | 'failed'

/** An answer, or the advice to do what the host does without the addon. */
export type Outcome<A> =
  | { readonly _tag: 'Answer'; readonly value: A }
  | { readonly _tag: 'UseOwnPath'; readonly reason: OwnPathReason }

/**
 * A checkpoint as the host knows it: the ref it keeps, with whatever it recorded elsewhere. What is not given is read
 * from the message of the checkpoint's commit, where `checkpointMessage` puts it.
 */
export type CheckpointInput = string | Checkpoint

/** A turn, or a range of turns, to attribute. */
export interface TurnInput {
  readonly cwd: string
  readonly from: CheckpointInput
  readonly to: CheckpointInput
  /** The checkpoints between, in order. Those that no longer exist are left out. */
  readonly between?: ReadonlyArray<CheckpointInput>
  /**
   * When the provider began the turn that starts at `from`, by the server's clock: milliseconds since 1970 or an ISO
   * date. Leave it out where it is not known, and never pass the turn's end in its place: what a sub-agent committed in
   * another worktree would then count as older than the turn.
   */
  readonly turnStartedAt?: number | string | null | undefined
}

/** A turn whose patch is asked for. */
export interface PatchInput extends TurnInput {
  readonly ignoreWhitespace: boolean
  /** The whole change on disk, whatever moved it. */
  readonly includeGitChanges?: boolean | undefined
  /** Only these files, as the card names them. */
  readonly paths?: ReadonlyArray<string> | undefined
}

/** What the reactor dispatches of a turn. */
export interface AttributedTurn {
  readonly files: ReadonlyArray<ProjectedFile>
  readonly git: TurnGitSummary
}

/** What the queries answer with. */
export interface AttributedPatch {
  readonly diff: string
  /** Whether the text of a file was cut for its size. */
  readonly truncated: boolean
  readonly git: TurnGitSummary
}

/** How the service is set up. */
export interface Options {
  /**
   * The switch; an effect is asked at every call, so that a setting may change while the server runs. One that fails,
   * and a value that is none of the three, count as `off`.
   */
  readonly mode: AttributionMode | Effect.Effect<AttributionMode>
  /** For everything that one call does, waiting and loading included. Default: 10 seconds. */
  readonly timeBudget?: Duration.Input
  /**
   * How many calls run at once, aborted ones included until their work has ended. Default: 2, so that two of libuv's
   * four threads stay free for the host's files.
   */
  readonly concurrency?: number
  /** Whether to count the lines of what moved, too, which reads all those files. Default: true. */
  readonly countGitLines?: boolean
  /** Loads the addon, once. Default: `import('turn-attribution')`. */
  readonly load?: () => Promise<Addon>
}

/** Tells the agent's work from what moved through git; see docs/host-integration.md for its three call sites. */
export class TurnAttribution extends Context.Service<
  TurnAttribution,
  {
    /** Head, branch and pin, for a host that stores them itself. */
    readonly readHead: (cwd: string) => Effect.Effect<Outcome<HeadFacts>>
    /** The message for a checkpoint's commit, with what is to be recorded; on any trouble the message as it was. */
    readonly checkpointMessage: (cwd: string, message: string) => Effect.Effect<string>
    /** The card of a turn. */
    readonly attribute: (input: TurnInput) => Effect.Effect<Outcome<AttributedTurn>>
    /** The patch of a turn or range. */
    readonly patch: (input: PatchInput) => Effect.Effect<Outcome<AttributedPatch>>
  }
>()('turn-attribution/t3code/TurnAttribution') {}

class UseOwnPath extends Data.TaggedError('UseOwnPath')<{ readonly reason: OwnPathReason; readonly cause?: unknown }> {}

/** The service over the addon. */
export const layer = (options: Options): Layer.Layer<TurnAttribution> => Layer.effect(TurnAttribution, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const scope = yield* Effect.scope
  const places = yield* Semaphore.make(options.concurrency ?? 2)
  const timeBudget = options.timeBudget ?? '10 seconds'
  const mode = switchPosition(options.mode)
  const demoted = options.countGitLines === false ? 'paths' : 'lines'
  const addon = loadedOnce(options.load ?? importAddon)

  /** Work under the budget that cannot fail other than by the advice to go another way. */
  const guarded = <A>(call: string, cwd: string, work: (addon: Addon) => Effect.Effect<A, UseOwnPath>) =>
    Effect.suspend(() =>
      addon.pipe(
        Effect.flatMap(work),
        inPlace(places),
        Effect.timeoutOrElse({ duration: timeBudget, orElse: () => new UseOwnPath({ reason: 'time-budget' }) }),
      ),
    ).pipe(
      Effect.map((value): Outcome<A> => ({ _tag: 'Answer', value })),
      Effect.catchCause((cause) => {
        // A host that shuts down or moves on wants no other answer; the interruption has stopped the native work.
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        const error = Cause.squash(cause)
        const reason = readable(() => (error instanceof UseOwnPath ? error.reason : undefined)) ?? 'failed'
        const advice: Outcome<A> = { _tag: 'UseOwnPath', reason }
        return logAdvice(call, cwd, reason, error).pipe(Effect.as(advice))
      }),
    )

  /** `observe` must not delay the host: its work goes on beside it, until the service's scope closes. */
  const switched = <A>(run: (position: AttributionMode) => Effect.Effect<Outcome<A>>): Effect.Effect<Outcome<A>> =>
    Effect.flatMap(mode, (position) => {
      if (position === 'on') return run(position)
      const advice = Effect.succeed<Outcome<A>>({ _tag: 'UseOwnPath', reason: position })
      return position === 'observe' ? Effect.andThen(Effect.forkIn(run(position), scope), advice) : advice
    })

  const readHead = (cwd: string) =>
    guarded('readHead', cwd, (addon) => native((options) => addon.readHead(cwd, options)))

  return TurnAttribution.of({
    // Also while observing: what is not recorded at the time is lost for good.
    readHead: (cwd) =>
      Effect.flatMap(mode, (position) =>
        position === 'off' ? Effect.succeed({ _tag: 'UseOwnPath', reason: 'off' } as const) : readHead(cwd),
      ),
    checkpointMessage: (cwd, message) =>
      Effect.gen(function* () {
        if ((yield* mode) === 'off') return message
        const written = yield* guarded('checkpointMessage', cwd, (addon) =>
          Effect.gen(function* () {
            const { headOid, branch, pin } = yield* native((options) => addon.readHead(cwd, options))
            return yield* native(() => addon.writeCheckpointFacts(message, { headOid, branch, pin }))
          }),
        )
        return written._tag === 'Answer' && typeof written.value === 'string' ? written.value : message
      }),
    attribute: (input) =>
      switched((position) =>
        guarded('attribute', cwdOf(input), (addon) =>
          Effect.gen(function* () {
            const began = yield* Clock.currentTimeMillis
            const { request, turnStartedAt } = yield* toRequest(addon, input)
            const turn = yield* native((options) => addon.attributeTurn({ ...request, demoted }, options))
            const value = yield* attempt(() => ({
              files: toProjectedFiles(turn.shown),
              git: toSummary(turn, turnStartedAt),
            }))
            yield* logTurn('attribute', input.cwd, position, turn, (yield* Clock.currentTimeMillis) - began)
            return value
          }),
        ),
      ),
    patch: (input) =>
      switched((position) =>
        guarded('patch', cwdOf(input), (addon) =>
          Effect.gen(function* () {
            const began = yield* Clock.currentTimeMillis
            if (addon.diffTurn === undefined) return yield* new UseOwnPath({ reason: 'addon-outdated' })
            const { request, turnStartedAt } = yield* toRequest(addon, input)
            const wanted: PatchOptions = {
              ignoreWhitespace: input.ignoreWhitespace,
              includeGitChanges: input.includeGitChanges ?? false,
              // The renderer's parser decodes git's quoted names in its newer versions only.
              unquotedPaths: true,
              ...(input.paths === undefined ? {} : { paths: input.paths.map(fromProjectedPath) }),
            }
            const result = yield* native(
              (options) =>
                // The same summary as the card's.
                addon.diffTurn?.({ ...request, demoted }, wanted, options) ?? Promise.reject(new Error('no diffTurn')),
            )
            const value = yield* attempt(() => ({
              diff: asText(result.patch),
              truncated: result.truncated,
              git: toSummary(result, turnStartedAt),
            }))
            yield* logTurn('patch', input.cwd, position, result, (yield* Clock.currentTimeMillis) - began)
            return value
          }),
        ),
      ),
  })
})

/** The position of the switch; whatever is none counts as `off`, and is said. */
const switchPosition = (mode: Options['mode']): Effect.Effect<AttributionMode> =>
  Effect.suspend(() => (Effect.isEffect(mode) ? mode : Effect.succeed(mode))).pipe(
    Effect.flatMap((position: AttributionMode) =>
      position === 'on' || position === 'observe' || position === 'off'
        ? Effect.succeed(position)
        : Effect.die(new TypeError(`no such mode: ${messageOf(position)}`)),
    ),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.logWarning('turn attribution off for want of a mode', { detail: messageOf(Cause.squash(cause)) }).pipe(
            Effect.as('off' as const),
          ),
    ),
  )

/** For the log, also of an input that is none. */
const cwdOf = (input: TurnInput): string => readable(() => input.cwd) ?? ''

const importAddon = async (): Promise<Addon> => import('turn-attribution')

/**
 * A failed load is kept as well: an addon that this machine lacks is not looked for at every turn. The promise is kept
 * and not the effect's exit, or a first caller that is interrupted would interrupt all later ones.
 */
const loadedOnce = (load: () => Promise<Addon>) => {
  let loading: Promise<Addon> | undefined
  return Effect.tryPromise({
    try: () => {
      loading ??= Promise.resolve().then(load)
      return loading
    },
    catch: (cause) => new UseOwnPath({ reason: 'addon-missing', cause }),
  })
}

/** A call of the addon; an interruption aborts it. */
const native = <A>(call: (options: CallOptions) => Promise<A>): Effect.Effect<A, UseOwnPath> =>
  Effect.flatMap(Working, (working) =>
    Effect.tryPromise({
      try: (signal) => {
        const options: CallOptions & { [onWork]: (work: Promise<unknown>) => void } = {
          signal,
          [onWork]: (work) => {
            const ended: Promise<unknown> = work.then(
              () => working.delete(ended),
              () => working.delete(ended),
            )
            working.add(ended)
          },
        }
        return call(options)
      },
      catch: (cause) =>
        new UseOwnPath({ reason: codeOf(cause) === 'BINDING_MISSING' ? 'addon-missing' : 'failed', cause }),
    }),
  )

/** Under this option the addon gives the promise of the native work itself: an abort rejects before that has ended. */
const onWork = Symbol.for('turn-attribution.onWork')

/** The native work of a call that has not ended. */
const Working = Context.Reference<Set<Promise<unknown>>>('turn-attribution/t3code/Working', {
  defaultValue: () => new Set(),
})

/** Like `withPermits(1)`, but work that was aborted keeps its place, as it keeps its thread, until it has ended. */
const inPlace =
  (places: Semaphore.Semaphore) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const working = new Set<Promise<unknown>>()
      const leave = Effect.suspend((): Effect.Effect<unknown> => {
        if (working.size === 0) return places.release(1)
        void Promise.all(working).then(() => Effect.runFork(places.release(1)))
        return Effect.void
      })
      return Effect.uninterruptibleMask((restore) =>
        Effect.andThen(
          restore(places.take(1)),
          Effect.ensuring(restore(Effect.provideService(work, Working, working)), leave),
        ),
      )
    })

/** For what reads an answer: one of an unexpected shape is trouble like any other. */
const attempt = <A>(read: () => A): Effect.Effect<A, UseOwnPath> =>
  Effect.try({ try: read, catch: (cause) => new UseOwnPath({ reason: 'failed', cause }) })

const toRequest = Effect.fnUntraced(function* (addon: Addon, input: TurnInput) {
  const given = toMillis(input.turnStartedAt)
  const from = yield* recorded(addon, input.cwd, input.from)
  if (given !== null) from.turnStartedAt = given
  // Told and stored are the same.
  const turnStartedAt = from.turnStartedAt ?? null
  const to = yield* recorded(addon, input.cwd, input.to)
  const between: Checkpoint[] = []
  for (const checkpoint of input.between ?? []) {
    const found = yield* recorded(addon, input.cwd, checkpoint).pipe(
      // A turn inside whose ref was pruned becomes part of the next one.
      Effect.catchIf(
        (error) => codeOf(error.cause) === 'SNAPSHOT_MISSING',
        () => Effect.succeed(null),
      ),
    )
    if (found !== null) between.push(found)
  }
  const known = [from, ...between, to].map((checkpoint) => checkpoint.headOid !== undefined)
  // Without two heads in a row nothing can be told apart, and the host's own path is exactly what it was.
  if (!known.some((here, index) => here && known[index + 1])) {
    return yield* new UseOwnPath({ reason: 'heads-not-recorded' })
  }
  const request: AttributeTurnRequest = { cwd: input.cwd, from, to, ...(between.length > 0 ? { between } : {}) }
  return { request, turnStartedAt }
})

const recorded = (addon: Addon, cwd: string, input: CheckpointInput): Effect.Effect<Checkpoint, UseOwnPath> => {
  // A key that is there and undefined is not given, and must not hide what the message says.
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  const given = typeof input === 'string' ? { ref: input } : timed(Object.fromEntries(entries) as unknown as Checkpoint)
  if (given.headOid !== undefined) return Effect.succeed(given)
  return Effect.map(
    native((options) => addon.readCheckpoint(cwd, given.ref, options)),
    (found): Checkpoint => ({ ...timed(found), ...given }),
  )
}

/** A start that is no time is left out. */
const timed = ({ turnStartedAt, ...checkpoint }: Checkpoint): Checkpoint => {
  const millis = toMillis(turnStartedAt)
  return millis === null ? checkpoint : { ...checkpoint, turnStartedAt: millis }
}

/** A time that a date can have; anything else is none. */
const toMillis = (time: number | string | null | undefined): number | null => {
  const millis = typeof time === 'string' ? Date.parse(time) : time
  return typeof millis === 'number' && millis >= 0 && millis <= 8.64e15 ? Math.floor(millis) : null
}

const asText = (patch: unknown): string => {
  if (typeof patch !== 'string') throw new TypeError('the addon gave no patch')
  return patch
}

// What was thrown may be anything, also what throws again when it is looked at.

const codeOf = (error: unknown): string | undefined => {
  const code = readable(() => (error as { readonly code?: unknown } | null | undefined)?.code)
  return typeof code === 'string' ? code : undefined
}

const messageOf = (error: unknown): string =>
  readable(() => String(error instanceof Error ? error.message : error)) ?? 'a value that cannot be printed'

const readable = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const logAdvice = (call: string, cwd: string, reason: OwnPathReason, error: unknown) => {
  const cause = readable(() => (error instanceof UseOwnPath ? error.cause : error))
  const detail = { call, cwd, reason, code: codeOf(cause), detail: cause === undefined ? undefined : messageOf(cause) }
  // Old checkpoints are no trouble, and there may be many.
  return reason === 'heads-not-recorded'
    ? Effect.logDebug('turn attribution left to the host', detail)
    : Effect.logWarning('turn attribution left to the host', detail)
}

const logTurn = (
  call: string,
  cwd: string,
  mode: AttributionMode,
  turn: Pick<Turn, 'demoted' | 'branchTransition' | 'attribution'> & Partial<Pick<Turn, 'shown'>>,
  durationMs: number,
) => {
  const { attribution } = turn
  const detail = {
    call,
    cwd,
    mode,
    durationMs,
    shown: turn.shown?.length,
    shownReasons: tally(turn.shown ?? []),
    demoted: turn.demoted.fileCount,
    demotedReasons: tally(turn.demoted.files ?? []),
    label: turn.branchTransition.label,
    status: attribution.status,
    reason: attribution.status === 'not-attributed' ? attribution.reason : undefined,
    evidence: attribution.status === 'attributed' ? attribution.evidence : undefined,
  }
  return mode === 'observe' ? Effect.logInfo('turn attributed', detail) : Effect.logDebug('turn attributed', detail)
}

const tally = (files: ReadonlyArray<{ readonly reason: string }>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { reason } of files) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
