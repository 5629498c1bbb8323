// The service alone: the switch, the budget, interruption, and what is said of it all.

import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import * as Layer from 'effect/Layer'
import * as Logger from 'effect/Logger'
import * as ManagedRuntime from 'effect/ManagedRuntime'
import * as References from 'effect/References'
import * as TestClock from 'effect/testing/TestClock'
import type { AttributeTurnRequest } from 'turn-attribution'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { switchAndEdit } from '../../../__test__/facade.turn.ts'
import { type Addon, layer, type Options, TurnAttribution } from '../TurnAttribution.ts'

const real = async (): Promise<Addon> => import('turn-attribution')
const never = (): Promise<never> => new Promise(() => {})

const rejecting = (reason: unknown) => async (): Promise<Addon> => ({
  ...(await real()),
  attributeTurn: () => Promise.reject(reason),
})

/** Every trap throws but those by which a promise is settled with it. */
const hostile = (): unknown => {
  const trap = () => {
    throw new Error('trap')
  }
  return new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap })
}

let request: AttributeTurnRequest
beforeAll(async () => {
  request = await switchAndEdit()
})

interface Line {
  readonly level: string
  readonly text: string
  readonly detail: Record<string, unknown>
}

const open: { dispose(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((runtime) => runtime.dispose()))
})

/** The service, and what it logs. */
async function service(options: Partial<Options> = {}) {
  const lines: Line[] = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    const [text, detail] = Array.isArray(message) ? message : [message]
    lines.push({ level: logLevel, text: String(text), detail: detail as Line['detail'] })
  })
  const runtime = ManagedRuntime.make(
    layer({ mode: 'on', load: real, ...options }).pipe(
      Layer.provideMerge(Logger.layer([logger])),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, 'Debug')),
    ),
  )
  open.push(runtime)
  const attribution = await runtime.runPromise(Effect.service(TurnAttribution))
  return { attribution, lines, run: runtime.runPromise, fork: runtime.runFork, close: () => runtime.dispose() }
}

/** An addon of which every call is recorded, over the real one or what is given. */
async function recording(change: Partial<Addon> = {}) {
  const requests: AttributeTurnRequest[] = []
  const signals: (AbortSignal | undefined)[] = []
  const addon = { ...(await real()), ...change }
  const load = async (): Promise<Addon> => ({
    ...addon,
    attributeTurn: (asked, options) => {
      requests.push(asked)
      signals.push(options?.signal)
      return addon.attributeTurn(asked, options)
    },
  })
  return { load, requests, signals }
}

describe('on', () => {
  it('answers with rows and summary, and says little of it', async () => {
    const { attribution, run, lines } = await service()
    const outcome = await run(attribution.attribute({ ...request, turnStartedAt: 1_000 }))
    expect(outcome).toMatchObject({
      _tag: 'Answer',
      value: {
        files: [{ path: 'src/app.ts', kind: 'modified', additions: 2, deletions: 1 }],
        git: { fileCount: 3, additions: 3, deletions: 0, fromBranch: 'main', toBranch: 'feature', reason: null },
      },
    })
    expect(lines).toMatchObject([{ level: 'Debug', detail: { call: 'attribute', demoted: 3, shown: 1 } }])
  })

  it('gives head, branch and pin', async () => {
    const { attribution, run } = await service()
    const outcome = await run(attribution.readHead(request.cwd))
    expect(outcome).toMatchObject({ _tag: 'Answer', value: { branch: 'feature', headOid: request.to.headOid } })
  })

  it('writes them into the message of a checkpoint, from which a ref alone brings them back', async () => {
    const { attribution, run } = await service()
    const message = await run(attribution.checkpointMessage(request.cwd, 'checkpoint'))
    const { readCheckpointFacts } = await import('turn-attribution')
    expect(await readCheckpointFacts(message)).toMatchObject({ branch: 'feature', headOid: request.to.headOid })
  })

  it.each([
    ['as milliseconds', 1_700_000_000_123, 1_700_000_000_123],
    ['as an ISO date', '2023-11-14T22:13:20.123Z', 1_700_000_000_123],
    ['of no use', 'yesterday', undefined],
    ['not known', null, undefined],
    ['in nanoseconds', 1.7e18, undefined],
    ['beyond any date', 8.64e15 + 2, undefined],
    ['the last one of all', 8.64e15, 8.64e15],
    ['before 1970', -1, undefined],
    ['with a fraction', 1_700_000_000_123.5, 1_700_000_000_123],
    ['of another type', {} as never, undefined],
  ])("passes the provider's start of the turn: %s", async (_, turnStartedAt, expected) => {
    const { load, requests } = await recording()
    const { attribution, run } = await service({ load })
    const { turnStartedAt: __, ...from } = request.from
    const outcome = await run(attribution.attribute({ ...request, from, turnStartedAt }))
    expect(requests[0]?.from.turnStartedAt).toBe(expected)
    expect(outcome).toMatchObject({ _tag: 'Answer', value: { git: { turnStartedAt: expected ?? null } } })
  })

  it("leaves out a checkpoint's own start that is no time", async () => {
    const { load, requests } = await recording()
    const { attribution, run } = await service({ load })
    const odd = { turnStartedAt: 1.7e18 }
    const outcome = await run(
      attribution.attribute({
        ...request,
        from: { ...request.from, ...odd },
        between: [{ ...request.to, ...odd }],
      }),
    )
    expect(requests[0]?.from).not.toHaveProperty('turnStartedAt')
    expect(requests[0]?.between?.[0]).not.toHaveProperty('turnStartedAt')
    expect(outcome).toMatchObject({ _tag: 'Answer', value: { git: { turnStartedAt: null } } })
  })

  it('does not let a key that is undefined stand for a fact', async () => {
    const { load, requests } = await recording({
      readCheckpoint: async (_, ref) => ({ ref, oid: ref, headOid: request.from.headOid ?? null, branch: 'main' }),
    })
    const { attribution, run } = await service({ load })
    const from = { ref: request.from.ref, headOid: undefined, branch: undefined } as unknown as { ref: string }
    await run(attribution.attribute({ ...request, from }))
    expect(requests[0]?.from).toMatchObject({ headOid: request.from.headOid, branch: 'main' })
  })

  it('leaves checkpoints without heads to the host, without a warning', async () => {
    const { load, requests } = await recording()
    const { attribution, run, lines } = await service({ load })
    const [from, to] = [request.from.ref, request.to.ref]
    const outcome = await run(attribution.attribute({ cwd: request.cwd, from, to }))
    expect(outcome).toEqual({ _tag: 'UseOwnPath', reason: 'heads-not-recorded' })
    expect(requests).toEqual([])
    expect(lines.map((line) => line.level)).toEqual(['Debug'])
  })

  it('attributes a range of which only some turns have heads', async () => {
    const { load, requests } = await recording()
    const { attribution, run } = await service({ load })
    const outcome = await run(
      attribution.attribute({ cwd: request.cwd, from: request.from.ref, between: [request.from], to: request.to }),
    )
    expect(outcome._tag).toBe('Answer')
    expect(requests[0]?.between).toHaveLength(1)
  })

  it('leaves out checkpoints inside a range that no longer exist', async () => {
    const { load, requests } = await recording()
    const { attribution, run } = await service({ load })
    const outcome = await run(attribution.attribute({ ...request, between: ['refs/t3/checkpoints/x/turn/1'] }))
    expect(outcome._tag).toBe('Answer')
    expect(requests[0]?.between).toBeUndefined()
  })
})

describe('trouble', () => {
  const missing = Object.assign(new Error('no binary'), { code: 'BINDING_MISSING' })

  it.each([
    ['an addon that cannot be loaded', { load: () => Promise.reject(new Error('none')) }, 'addon-missing'],
    [
      'a load that throws',
      {
        load: (): never => {
          throw new Error('none')
        },
      },
      'addon-missing',
    ],
    [
      'a binary that is missing',
      { load: async () => ({ ...(await real()), attributeTurn: () => Promise.reject(missing) }) },
      'addon-missing',
    ],
    [
      'an error',
      { load: async () => ({ ...(await real()), attributeTurn: () => Promise.reject(new Error('no')) }) },
      'failed',
    ],
    [
      'a throw',
      {
        load: async () => ({
          ...(await real()),
          attributeTurn: (): never => {
            throw 'no'
          },
        }),
      },
      'failed',
    ],
    [
      'an answer of another shape',
      { load: async () => ({ ...(await real()), attributeTurn: async () => ({}) as never }) },
      'failed',
    ],
    [
      'no answer in time',
      { load: async () => ({ ...(await real()), attributeTurn: never }), timeBudget: 50 },
      'time-budget',
    ],
    ['a rejection with a value that throws at every look', { load: rejecting(hostile()) }, 'failed'],
    ['a rejection with null', { load: rejecting(null) }, 'failed'],
    ['a budget that is none', { timeBudget: 'soon' as never }, 'failed'],
    ['no load in time', { load: never, timeBudget: 50 }, 'time-budget'],
  ] as [string, Partial<Options>, string][])(
    '%s is logged and leaves the host its own path',
    async (_, options, reason) => {
      const { attribution, run, lines } = await service(options)
      expect(await run(attribution.attribute(request))).toEqual({ _tag: 'UseOwnPath', reason })
      expect(lines).toMatchObject([{ level: 'Warn', detail: { call: 'attribute', cwd: request.cwd, reason } }])
    },
  )

  it.each([null, undefined, 7, {}, { cwd: 7 }])('with an input like %j is no throw and no failure', async (input) => {
    const { attribution, run } = await service()
    const failed = { _tag: 'UseOwnPath', reason: 'failed' }
    expect(await run(attribution.attribute(input as never))).toEqual(failed)
    expect(await run(attribution.patch(input as never))).toEqual(failed)
    expect(await run(attribution.readHead(input as never))).toEqual(failed)
    expect(await run(attribution.checkpointMessage(input as never, 'checkpoint'))).toBe('checkpoint')
  })

  it('of the repository is named by its code', async () => {
    const { attribution, run, lines } = await service()
    const outcome = await run(attribution.attribute({ ...request, cwd: '/' }))
    expect(outcome).toEqual({ _tag: 'UseOwnPath', reason: 'failed' })
    expect(lines[0]?.detail).toMatchObject({ code: 'NOT_A_REPOSITORY' })
  })

  it('with the heads leaves the message as it was', async () => {
    const { attribution, run } = await service({
      load: async () => ({ ...(await real()), readHead: never }),
      timeBudget: 50,
    })
    expect(await run(attribution.checkpointMessage(request.cwd, 'checkpoint'))).toBe('checkpoint')
  })

  it('with an addon that has no patch yet', async () => {
    const load = async (): Promise<Addon> => {
      const { diffTurn: _, ...old } = await real()
      return old
    }
    const { attribution, run } = await service({ load })
    const outcome = await run(attribution.patch({ ...request, ignoreWhitespace: true }))
    expect(outcome).toEqual({ _tag: 'UseOwnPath', reason: 'addon-outdated' })
  })

  it('with loading comes once, and later calls do not try again', async () => {
    const load = vi.fn(() => Promise.reject(new Error('none')))
    const { attribution, run } = await service({ load })
    for (let count = 0; count < 3; count++) await run(attribution.attribute(request))
    expect(load).toHaveBeenCalledTimes(1)
  })
})

describe('the budget', () => {
  it('is ten seconds where nothing else is said', async () => {
    const load = async (): Promise<Addon> => ({ ...(await real()), attributeTurn: never })
    const outcomes: unknown[] = []
    await Effect.runPromise(
      Effect.gen(function* () {
        const attribution = yield* TurnAttribution
        yield* Effect.forkChild(Effect.map(attribution.attribute(request), (outcome) => outcomes.push(outcome)))
        yield* TestClock.adjust('9999 millis')
        expect(outcomes).toEqual([])
        yield* TestClock.adjust('1 millis')
        yield* Effect.promise(() => vi.waitFor(() => expect(outcomes).toHaveLength(1)))
      }).pipe(
        Effect.provide(Layer.merge(layer({ mode: 'on', load }), Logger.layer([]))),
        Effect.provide(TestClock.layer()),
      ),
    )
    expect(outcomes).toEqual([{ _tag: 'UseOwnPath', reason: 'time-budget' }])
  })

  it('covers the wait for a place, too', async () => {
    const load = async (): Promise<Addon> => ({ ...(await real()), attributeTurn: never })
    const { attribution, run } = await service({ load, timeBudget: 100, concurrency: 1 })
    const start = performance.now()
    const outcomes = await run(
      Effect.all([attribution.attribute(request), attribution.attribute(request)], { concurrency: 2 }),
    )
    expect(outcomes).toEqual([1, 2].map(() => ({ _tag: 'UseOwnPath', reason: 'time-budget' })))
    expect(performance.now() - start).toBeLessThan(1_000)
  })

  it('aborts the native work when it is spent', async () => {
    const { load, signals } = await recording({ attributeTurn: never })
    const { attribution, run } = await service({ load, timeBudget: 50 })
    await run(attribution.attribute(request))
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  })

  it('keeps the place of a call that it aborted until the native work has ended', async () => {
    let end = (): void => {}
    const gate = new Promise<void>((_, reject) => {
      end = () => reject(new Error('stopped'))
    })
    let calls = 0
    const load = async (): Promise<Addon> => ({
      ...(await real()),
      attributeTurn: (_, options) => {
        calls++
        const told = options as unknown as Record<symbol, (work: Promise<unknown>) => void>
        told[Symbol.for('turn-attribution.onWork')]?.(gate)
        return never()
      },
    })
    const { attribution, run } = await service({ load, timeBudget: 50, concurrency: 1 })
    const spent = { _tag: 'UseOwnPath', reason: 'time-budget' }
    expect(await run(attribution.attribute(request))).toEqual(spent)
    expect(await run(attribution.attribute(request))).toEqual(spent)
    expect(calls).toBe(1)
    end()
    await new Promise(setImmediate)
    expect(await run(attribution.attribute(request))).toEqual(spent)
    expect(calls).toBe(2)
  })

  it('gives every place back, whatever becomes of the calls', async () => {
    const { attribution, run, fork } = await service({ concurrency: 1 })
    for (let count = 0; count < 5; count++) {
      const fiber = fork(attribution.attribute(request))
      await new Promise((resolve) => setTimeout(resolve, count))
      await run(Fiber.interrupt(fiber))
      await run(attribution.attribute({ ...request, cwd: '/' }))
    }
    expect((await run(attribution.attribute(request)))._tag).toBe('Answer')
  })

  it('lets no more calls run at once than it was told', async () => {
    let [running, most] = [0, 0]
    const addon = await real()
    const load = async (): Promise<Addon> => ({
      ...addon,
      attributeTurn: async (asked, options) => {
        most = Math.max(most, ++running)
        return addon.attributeTurn(asked, options).finally(() => running--)
      },
    })
    const { attribution, run } = await service({ load })
    await run(
      Effect.all(
        Array.from({ length: 8 }, () => attribution.attribute(request)),
        { concurrency: 'unbounded' },
      ),
    )
    expect(most).toBe(2)
  })
})

describe('an interruption', () => {
  it('aborts the native work and is no reason for another path', async () => {
    const { load, signals } = await recording({ attributeTurn: never })
    const { attribution, run, fork, lines } = await service({ load })
    const fiber = fork(attribution.attribute(request))
    await vi.waitFor(() => expect(signals).toHaveLength(1))
    await run(Fiber.interrupt(fiber))
    expect(signals[0]?.aborted).toBe(true)
    expect(lines).toEqual([])
    const exit = await run(Fiber.await(fiber))
    expect(exit._tag).toBe('Failure')
  })

  it('while loading leaves the next call unharmed', async () => {
    let finish = (): void => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { attribution, run, fork } = await service({ load: () => gate.then(real) })
    const fiber = fork(attribution.attribute(request))
    await run(Fiber.interrupt(fiber))
    finish()
    expect((await run(attribution.attribute(request)))._tag).toBe('Answer')
  })

  it('of the real addon rejects its call', async () => {
    const addon = await real()
    const outcomes: unknown[] = []
    const attributeTurn: Addon['attributeTurn'] = (asked, options) => {
      const call = addon.attributeTurn(asked, options)
      call.then(
        () => outcomes.push('finished'),
        (error: { code: string }) => outcomes.push(error.code),
      )
      return call
    }
    const { load, signals } = await recording({ attributeTurn })
    const { attribution, run, fork } = await service({ load })
    const fiber = fork(attribution.attribute(request))
    await vi.waitFor(() => expect(signals).toHaveLength(1), { interval: 1 })
    await run(Fiber.interrupt(fiber))
    await vi.waitFor(() => expect(outcomes).toHaveLength(1))
    // A turn this small may be done before the interruption is there.
    expect(['ABORTED', 'finished']).toContain(outcomes[0])
  })
})

describe('the switch', () => {
  it('at off does not even load the addon', async () => {
    const load = vi.fn(real)
    const { attribution, run, lines } = await service({ mode: 'off', load })
    const off = { _tag: 'UseOwnPath', reason: 'off' }
    expect(await run(attribution.readHead(request.cwd))).toEqual(off)
    expect(await run(attribution.checkpointMessage(request.cwd, 'checkpoint'))).toBe('checkpoint')
    expect(await run(attribution.attribute(request))).toEqual(off)
    expect(await run(attribution.patch({ ...request, ignoreWhitespace: true }))).toEqual(off)
    expect(load).not.toHaveBeenCalled()
    expect(lines).toEqual([])
  })

  it('at observe changes nothing, records the heads, and logs counts, reasons and duration', async () => {
    const { attribution, run, lines } = await service({ mode: 'observe' })
    expect(await run(attribution.checkpointMessage(request.cwd, 'checkpoint'))).not.toBe('checkpoint')
    expect(await run(attribution.attribute(request))).toEqual({ _tag: 'UseOwnPath', reason: 'observe' })
    await vi.waitFor(() => expect(lines).toHaveLength(1))
    expect(lines).toMatchObject([
      {
        level: 'Info',
        detail: {
          call: 'attribute',
          mode: 'observe',
          durationMs: expect.any(Number),
          shown: 1,
          shownReasons: { authored: 1 },
          demoted: 3,
          demotedReasons: { 'moved-by-history': 3 },
          label: 'Switched main → feature',
          status: 'attributed',
        },
      },
    ])
  })

  it('at observe does not keep the host waiting, and stops with the service', async () => {
    const { load, signals } = await recording({ attributeTurn: never })
    const { attribution, run, close } = await service({ mode: 'observe', load })
    expect(await run(attribution.attribute(request))).toEqual({ _tag: 'UseOwnPath', reason: 'observe' })
    await vi.waitFor(() => expect(signals).toHaveLength(1))
    await close()
    expect(signals[0]?.aborted).toBe(true)
  })

  it.each([
    ['dies', Effect.die(new Error('no settings'))],
    ['fails', Effect.fail('no settings')],
    ['gives what is none', Effect.succeed('ON')],
    ['is none', 'ON'],
    ['is null', null],
  ])('that %s counts as off, and says so', async (_, mode) => {
    const load = vi.fn(real)
    const { attribution, run, lines } = await service({ mode: mode as never, load })
    const off = { _tag: 'UseOwnPath', reason: 'off' }
    expect(await run(attribution.readHead(request.cwd))).toEqual(off)
    expect(await run(attribution.checkpointMessage(request.cwd, 'checkpoint'))).toBe('checkpoint')
    expect(await run(attribution.attribute(request))).toEqual(off)
    expect(await run(attribution.patch({ ...request, ignoreWhitespace: true }))).toEqual(off)
    expect(load).not.toHaveBeenCalled()
    expect(lines.map((line) => line.level)).toEqual(['Warn', 'Warn', 'Warn', 'Warn'])
  })

  it('is asked at every call', async () => {
    let mode: 'off' | 'on' = 'off'
    const { attribution, run } = await service({ mode: Effect.sync(() => mode) })
    expect((await run(attribution.attribute(request)))._tag).toBe('UseOwnPath')
    mode = 'on'
    expect((await run(attribution.attribute(request)))._tag).toBe('Answer')
  })
})

describe('the patch', () => {
  const patched = async () => {
    const asked: unknown[] = []
    const addon = await real()
    const load = async (): Promise<Addon> => ({
      ...addon,
      diffTurn: async (request, options, call) => {
        asked.push(options)
        return { ...(await addon.attributeTurn(request, call)), patch: 'the patch', truncated: true }
      },
    })
    return { asked, ...(await service({ load })) }
  }

  it.each([true, false])('comes with the same summary as the card (lines counted: %s)', async (countGitLines) => {
    const { attribution, run } = await service({ countGitLines })
    const card = await run(attribution.attribute(request))
    const patch = await run(attribution.patch({ ...request, ignoreWhitespace: false }))
    const git = card._tag === 'Answer' ? card.value.git : undefined
    expect(git).toMatchObject({ fileCount: 3, additions: countGitLines ? 3 : null })
    expect(patch).toMatchObject({ _tag: 'Answer', value: { git } })
  })

  it('is asked for as the panel wants it', async () => {
    const { attribution, run, asked } = await patched()
    const outcome = await run(attribution.patch({ ...request, ignoreWhitespace: true, paths: ['" lead.ts"', 'b.ts'] }))
    expect(outcome).toMatchObject({
      _tag: 'Answer',
      value: { diff: 'the patch', truncated: true, git: { fileCount: 3 } },
    })
    const paths = [' lead.ts', 'b.ts']
    expect(asked).toEqual([{ ignoreWhitespace: true, includeGitChanges: false, unquotedPaths: true, paths }])
  })

  it('reveals what git moved only in the call that asks for it', async () => {
    const { attribution, run, asked } = await patched()
    await run(attribution.patch({ ...request, ignoreWhitespace: false, includeGitChanges: true }))
    await run(attribution.patch({ ...request, ignoreWhitespace: false }))
    expect(asked).toMatchObject([{ includeGitChanges: true }, { includeGitChanges: false }])
  })
})
