// AbortSignal: honoured before and during the work, reusable across calls, and left as it was found.

import { getEventListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { switchAndEdit } from './facade.turn.js'
import { type AttributeTurnRequest, addon } from './support/addon.js'
import { TurnRepository, temporaryFolder } from './support/turn-repository.js'

const { attributeTurn, closeRepositories, explainPath, isTurnAttributionError, readHead } = addon()

const aborted = { name: 'AbortError', code: 'ABORTED' }

let request: AttributeTurnRequest
beforeAll(async () => {
  request = await switchAndEdit()
})

function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (reason: unknown) => reason,
  )
}

describe('an abort', () => {
  it('before the call rejects without any work: not even the folder is looked at', async () => {
    const error = await outcome(readHead(temporaryFolder(), { signal: AbortSignal.abort() }))
    expect(error).toMatchObject(aborted)
  })

  it('does not hide a wrong argument', async () => {
    const wrong = readHead(1n as unknown as string, { signal: AbortSignal.abort() })
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('carries the reason of the signal as its cause, whatever that is', async () => {
    for (const reason of [new Error('enough'), 'enough', 0, null]) {
      const error = await outcome(attributeTurn(request, { signal: AbortSignal.abort(reason) }))
      expect(isTurnAttributionError(error)).toBe(true)
      expect((error as Error).cause).toBe(reason)
    }
    const error = await outcome(attributeTurn(request, { signal: AbortSignal.abort() }))
    expect((error as Error).cause).toBeInstanceOf(DOMException)
  })

  it('during the work rejects at once, with the stack of the caller', async () => {
    const controller = new AbortController()
    const pending = outcome(attributeTurn(request, { signal: controller.signal }))
    controller.abort('changed my mind')
    const error = await pending
    expect(error).toMatchObject({ ...aborted, cause: 'changed my mind' })
    expect((error as Error).stack).toContain('abort.spec.ts')
  })

  it('during the work stops the native work too', async () => {
    const { large, duration } = await largeTurn()
    const controller = new AbortController()
    // One more than libuv's four threads: the last can only finish early if the others stopped.
    const pending = Array.from({ length: 5 }, () => outcome(attributeTurn(large, { signal: controller.signal })))
    await new Promise((resolve) => setTimeout(resolve, 5))
    const start = performance.now()
    controller.abort()
    for (const error of await Promise.all(pending)) expect(error).toMatchObject(aborted)
    await readHead(large.cwd)
    expect(performance.now() - start).toBeLessThan(Math.max(250, duration))
  })

  it('does not wait for the end of the native work, of which a host can be told', async () => {
    const { large } = await largeTurn()
    const controller = new AbortController()
    const { signal } = controller
    const told: Promise<unknown>[] = []
    let ended = false
    const onWork = (work: Promise<unknown>) => {
      const end = () => {
        ended = true
      }
      told.push(work.then(end, end))
    }
    const options = { signal, [Symbol.for('turn-attribution.onWork')]: onWork }
    const pending = outcome(attributeTurn(large, options))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(told).toHaveLength(1)
    controller.abort()
    expect(await pending).toMatchObject(aborted)
    expect(ended).toBe(false)
    await told[0]
    expect(ended).toBe(true)
  })

  it('is not needed for others to get a thread: many calls take half of the pool at most', async () => {
    const { large } = await largeTurn()
    let ended = 0
    const pending = Array.from({ length: 12 }, async () => {
      await attributeTurn(large)
      ended += 1
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await readFile(join(large.cwd, '.git/HEAD'))
    // Behind all of them it would come ninth at the earliest.
    expect(ended).toBeLessThan(6)
    await Promise.all(pending)
  })

  it('after the work changes nothing', async () => {
    const controller = new AbortController()
    const result = await attributeTurn(request, { signal: controller.signal })
    controller.abort()
    expect(result.shown).toHaveLength(1)
  })

  it('reaches explainPath and readHead', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const pending = [
      outcome(explainPath(request, 'src/app.ts', { signal })),
      outcome(readHead(request.cwd, { signal })),
    ]
    controller.abort()
    for (const error of await Promise.all(pending)) expect(error).toMatchObject(aborted)
  })
})

describe('a signal', () => {
  it('serves any number of calls, one after the other and side by side, and then cancels all', async () => {
    const controller = new AbortController()
    const { signal } = controller
    for (let count = 0; count < 3; count++) expect((await attributeTurn(request, { signal })).shown).toHaveLength(1)
    const pending = Array.from({ length: 8 }, () => outcome(attributeTurn(request, { signal })))
    controller.abort()
    for (const error of await Promise.all(pending)) expect(error).toMatchObject(aborted)
  })

  it('keeps its onabort, and no listener of ours', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const seen: string[] = []
    const onabort = () => seen.push('onabort')
    signal.onabort = onabort
    signal.addEventListener('abort', () => seen.push('listener'))
    const before = getEventListeners(signal, 'abort').length
    await attributeTurn(request, { signal })
    await outcome(readHead('', { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(before)
    expect(signal.onabort).toBe(onabort)
    const pending = outcome(attributeTurn(request, { signal }))
    controller.abort()
    expect(await pending).toMatchObject(aborted)
    expect(seen.sort()).toEqual(['listener', 'onabort'])
    expect(getEventListeners(signal, 'abort')).toHaveLength(before)
  })

  it('has one listener of ours, however many calls it serves', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    const { signal } = new AbortController()
    const pending = Array.from({ length: 25 }, () => attributeTurn(request, { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await Promise.all(pending)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await new Promise(setImmediate)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('that a call has left still aborts the others', async () => {
    const controller = new AbortController()
    const { signal } = controller
    // Far more than libuv's four threads can finish together.
    const pending = Array.from({ length: 40 }, () => outcome(attributeTurn(request, { signal })))
    expect(await Promise.race(pending)).toBe('no error')
    controller.abort()
    const outcomes = await Promise.all(pending)
    expect(outcomes).toContainEqual(expect.objectContaining({ code: 'ABORTED' }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('whose listeners cannot be removed, or whose reason cannot be read, spoils nothing', async () => {
    const target = new EventTarget()
    const added = vi.fn(target.addEventListener.bind(target))
    const signal = {
      aborted: false,
      addEventListener: added,
      removeEventListener() {
        throw new Error('no')
      },
      get reason() {
        throw new Error('no')
      },
    } as unknown as AbortSignal
    for (let count = 0; count < 3; count++) expect((await attributeTurn(request, { signal })).shown).toHaveLength(1)
    expect(added).toHaveBeenCalledTimes(1)
    const pending = [1, 2].map(() => outcome(attributeTurn(request, { signal })))
    target.dispatchEvent(new Event('abort'))
    for (const error of await Promise.all(pending)) expect(error).toMatchObject(aborted)
  })

  it('may be a timeout or a union of signals', async () => {
    const union = AbortSignal.any([AbortSignal.timeout(60_000), new AbortController().signal])
    expect((await attributeTurn(request, { signal: union })).shown).toHaveLength(1)
  })

  it('of another kind is INVALID_ARGUMENT', async () => {
    const throwing = {
      get aborted() {
        throw new Error('no')
      },
    }
    const controller = new AbortController()
    for (const signal of [null, 7, 'x', {}, [], controller, throwing, runInNewContext('({ aborted: false })')]) {
      const options = { signal } as unknown as { signal: AbortSignal }
      await expect(attributeTurn(request, options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it('may be left out', async () => {
    expect((await attributeTurn(request, {})).shown).toHaveLength(1)
    expect((await attributeTurn(request, undefined)).shown).toHaveLength(1)
    for (const options of [null, 7, 'x'])
      await expect(attributeTurn(request, options as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

/** A turn that takes most of a second, for the lines of 80 shuffled files are compared; and how long it takes. */
async function largeTurn(): Promise<{ large: AttributeTurnRequest; duration: number }> {
  const repo = TurnRepository.create()
  const writeAll = (seed: number) => {
    for (let number = 0; number < 80; number++) repo.write(`large/${number}.txt`, shuffledLines(seed + number))
    repo.commit('large')
  }
  writeAll(1)
  repo.switchNew('large')
  writeAll(1000)
  repo.checkout('main')
  const from = await repo.startTurn()
  repo.checkout('large')
  const large: AttributeTurnRequest = { cwd: repo.cwd, from, to: await repo.endTurn(), demoted: 'lines' }
  const start = performance.now()
  await attributeTurn(large)
  const duration = performance.now() - start
  // What this call worked out is kept with the open repository, and would leave the next little to do.
  await closeRepositories()
  return { large, duration }
}

/** 12,000 lines of which many occur in other orders in other files: the slowest to compare. */
function shuffledLines(seed: number): string {
  const lines: number[] = []
  for (let state = seed; lines.length < 12_000; lines.push(state % 12_000))
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
  return `${lines.join('\n')}\n`
}
