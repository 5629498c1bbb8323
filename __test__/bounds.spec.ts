// What a call may take: time, threads of libuv's pool, open files after it has ended.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { recordTurn } from './scenarios/play.js'
import { type AttributeTurnRequest, addon } from './support/addon.js'
import { runGit } from './support/git.js'
import { lines, TurnRepository, temporaryFolder } from './support/turn-repository.js'

const root = join(import.meta.dirname, '..')
const linux = process.platform === 'linux'

/** A pull and an edit, everything packed. */
async function packedTurn(): Promise<{ repo: TurnRepository; request: AttributeTurnRequest }> {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'dir/b.ts': lines(9) })
  repo.teammate.push({ 'dir/b.ts': lines(9, 'theirs') })
  const request = await recordTurn(repo, () => {
    repo.pull()
    repo.edit('a.ts', 3, 'mine')
  })
  repo.git('repack', '-adq')
  return { repo, request }
}

/** Files of a repository that this process holds open, or mapped: packs are closed once they are mapped. */
function openFiles(repo: TurnRepository): string[] {
  const links = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(join('/proc/self/fd', fd))]
    } catch {
      return []
    }
  })
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\n')
  const mapped = maps.map((line) => line.slice(line.indexOf('/')))
  return [...links, ...mapped].filter((path) => path.startsWith(repo.root))
}

/** Long enough for a change of the repository to show in the times of its files. */
const settle = () => sleep(120)

describe('timeoutMs', () => {
  it('is over before it is known what changed: TIMED_OUT', async () => {
    const { request } = await packedTurn()
    const calls = [
      addon().attributeTurn(request, { timeoutMs: 1e-6 }),
      addon().diffTurn(request, {}, { timeoutMs: 1e-6 }),
      addon().readHead(request.cwd, { timeoutMs: 1e-6 }),
      addon().parseUnifiedDiff('', { timeoutMs: 1e-6 }),
    ]
    // All at once: one that is awaited late has nobody to reject to.
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'TIMED_OUT' })))
  })

  it('is enough: nothing is different', async () => {
    const { request } = await packedTurn()
    const whole = await addon().attributeTurn(request)
    for (const timeoutMs of [60_000, Number.POSITIVE_INFINITY, Number.MAX_VALUE, undefined])
      expect(await addon().attributeTurn(request, { timeoutMs })).toEqual(whole)
  })

  it('is no time: INVALID_ARGUMENT', async () => {
    for (const timeoutMs of [0, -1, Number.NaN, '5', null, {}]) {
      const call = addon().readHead('.', { timeoutMs: timeoutMs as number })
      await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it('counts while a call waits for its turn', async () => {
    const { request } = await packedTurn()
    const before = Array.from({ length: 40 }, () => addon().diffTurn(request))
    const late = addon().attributeTurn(request, { timeoutMs: 0.05 })
    await expect(late).rejects.toMatchObject({ code: 'TIMED_OUT' })
    await Promise.all(before)
  })

  it('is kept while others take long', async () => {
    const repo = TurnRepository.create({ 'big.txt': 'x\n' })
    const text = (step: number) => Array.from({ length: 200_000 }, (_, at) => `${(at * step) % 200_003}\n`).join('')
    repo.write('big.txt', text(7919)).commit('big')
    const slow = await recordTurn(repo, () => repo.write('big.txt', text(104_729)))
    const { request } = await packedTurn()
    const controller = new AbortController()
    const { signal } = controller
    const busy = [1, 2].map(() =>
      addon()
        .attributeTurn(slow, { signal })
        .catch(() => null),
    )
    const began = performance.now()
    await expect(addon().attributeTurn(request, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMED_OUT' })
    expect(performance.now() - began).toBeLessThan(1000)
    controller.abort()
    await Promise.all(busy)
    expect((await addon().attributeTurn(request)).shown).toHaveLength(1)
  })

  it('ends a comparison of large texts in the middle of it: the file says so', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'one\n' })
    // Lines that git compares slowly: many, each twice, in another order.
    const line = (at: number) => `line ${(at * 7919) % 200_003}\n`
    repo.write('big.txt', Array.from({ length: 400_000 }, (_, at) => line(at)).join('')).commit('big')
    const request = await recordTurn(repo, () => {
      repo.write('big.txt', Array.from({ length: 400_000 }, (_, at) => line(400_000 - at * 3 + 400_000 * 3)).join(''))
      repo.edit('a.ts', 1, 'mine')
    })
    const began = performance.now()
    const whole = await addon().attributeTurn(request)
    const took = performance.now() - began
    expect(whole.shown.map((file) => file.uncounted)).toEqual([null, null])
    // What was compared a moment ago is remembered.
    await addon().closeRepositories()
    const cut = await addon().attributeTurn(request, { timeoutMs: took / 4 })
    expect(cut.shown.map((file) => file.path)).toEqual(['a.ts', 'big.txt'])
    expect(cut.shown[1]).toMatchObject({ additions: null, deletions: null, uncounted: 'time-limit' })
    expect(cut.attribution).toMatchObject({ status: 'unmoved', notes: ['read-failed'] })
  })
})

describe.runIf(linux)('open files', () => {
  it('are held for two seconds at most after the last call', async () => {
    const { repo, request } = await packedTurn()
    await settle()
    await addon().attributeTurn(request)
    expect(openFiles(repo)).not.toEqual([])
    await sleep(1000)
    await addon().attributeTurn(request)
    await sleep(1000)
    expect(openFiles(repo)).not.toEqual([])
    await sleep(1000)
    expect(openFiles(repo)).toEqual([])
  })

  it('are closed at once by closeRepositories, also those of a call that is at work when it ends', async () => {
    const { repo, request } = await packedTurn()
    await settle()
    await addon().attributeTurn(request)
    expect(await addon().closeRepositories()).toBeUndefined()
    expect(openFiles(repo)).toEqual([])
    const calls = [addon().attributeTurn(request), addon().diffTurn(request)]
    await addon().closeRepositories()
    await Promise.all(calls)
    await addon().closeRepositories()
    expect(openFiles(repo)).toEqual([])
  })

  it('are few, however many repositories are asked about', async () => {
    const turns = await Promise.all(Array.from({ length: 12 }, packedTurn))
    await settle()
    for (const { request } of turns) await addon().attributeTurn(request)
    expect(turns.filter(({ repo }) => openFiles(repo).length > 0).length).toBeLessThanOrEqual(8)
    await addon().closeRepositories()
  })
})

describe('a repository that changes between two calls', () => {
  it('repacked, pruned, its old packs gone: the same answer', async () => {
    const { repo, request } = await packedTurn()
    const first = await addon().attributeTurn(request)
    for (const command of ['repack -adq', 'repack -adFq', 'prune --expire=now', 'multi-pack-index write']) {
      await settle()
      expect(await addon().attributeTurn(request), command).toEqual(first)
      repo.git(...command.split(' '))
      expect(await addon().attributeTurn(request), command).toEqual(first)
    }
  })

  it('removed: no repository any more; another in its place: that one', async () => {
    const { repo, request } = await packedTurn()
    await settle()
    await addon().attributeTurn(request)
    rmSync(join(repo.cwd, '.git'), { recursive: true })
    await expect(addon().attributeTurn(request)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
    runGit(repo.cwd, repo.env, ['init', '-q'])
    await expect(addon().attributeTurn(request)).rejects.toMatchObject({ code: 'SNAPSHOT_MISSING' })
    expect(await addon().readHead(repo.cwd)).toMatchObject({ headOid: null, branch: 'main' })
  })

  it('a repository made inside of it is the nearer one', async () => {
    const repo = TurnRepository.create({ 'deep/er/a.ts': 'a\n' })
    const inner = join(repo.cwd, 'deep/er')
    await settle()
    expect((await addon().readHead(inner)).headOid).not.toBeNull()
    runGit(join(repo.cwd, 'deep'), repo.env, ['init', '-q'])
    expect((await addon().readHead(inner)).headOid).toBeNull()
  })

  it('a link, a .git file or a bare repository that lead elsewhere by now: there', async () => {
    const [one, two] = [TurnRepository.create({ 'sub/a.ts': 'a\n' }), TurnRepository.create({ 'sub/b.ts': 'b\n' })]
    await settle()
    const place = join(temporaryFolder(), 'current')
    const head = async () => (await addon().readHead(place)).headOid
    symlinkSync(join(one.cwd, 'sub'), place)
    expect(await head()).toBe(one.oid('HEAD'))
    rmSync(place)
    symlinkSync(join(two.cwd, 'sub'), place)
    expect(await head()).toBe(two.oid('HEAD'))
    rmSync(place)
    mkdirSync(place)
    for (const repo of [one, two]) {
      writeFileSync(join(place, '.git'), `gitdir: ${join(repo.cwd, '.git')}\n`)
      expect(await head()).toBe(repo.oid('HEAD'))
    }
    rmSync(join(place, '.git'))
    await expect(head()).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
    rmSync(place, { recursive: true })
    await expect(head()).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
    const inner = join(one.cwd, 'sub')
    expect((await addon().readHead(inner)).headOid).toBe(one.oid('HEAD'))
    runGit(inner, one.env, ['init', '-q', '--bare', '.'])
    expect((await addon().readHead(inner)).headOid).toBeNull()
  })

  it('a head that moves is read anew', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    for (let at = 0; at < 3; at += 1) {
      await settle()
      await addon().readHead(repo.cwd)
      repo.write('a.ts', `${at}\n`).commit(`${at}`)
      expect((await addon().readHead(repo.cwd)).headOid).toBe(repo.oid('HEAD'))
    }
  })

  it('a shallow clone that is deepened is cut no more', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.edit('a.ts', 1, 'two').commit('two')
    repo.push('main')
    const folder = join(temporaryFolder(), 'checkout')
    runGit(repo.root, repo.env, ['clone', '-q', '--depth=1', `file://${repo.origin}`, folder])
    const clone = new TurnRepository(repo.root, {}, folder)
    const request = await recordTurn(clone, () =>
      clone.reset('hard', 'HEAD').git('checkout', '-q', '--orphan', 'other'),
    )
    await settle()
    await addon().attributeTurn(request)
    const head = clone.oid('main')
    clone.git('fetch', '-q', '--unshallow')
    const turn = { ...request, to: { ...request.to, headOid: head, branch: 'main' } }
    expect((await addon().attributeTurn(turn)).attribution.status).toBe('unmoved')
  })
})

describe('threads', () => {
  const asking = (times: number) => `
    const { workerData, parentPort } = require('node:worker_threads')
    const { attributeTurn } = require(workerData.root)
    const calls = Array.from({ length: ${times} }, () => attributeTurn(workerData.request))
    parentPort.postMessage('asked')
    Promise.all(calls).then((all) => parentPort.postMessage(all.map((one) => JSON.stringify(one))))`

  function worker(request: AttributeTurnRequest, times: number): Worker {
    return new Worker(asking(times), { eval: true, workerData: { root, request } })
  }

  it('of JavaScript ask side by side, and each gets its answers', async () => {
    const { request } = await packedTurn()
    const right = JSON.stringify(await addon().attributeTurn(request))
    const answers = [1, 2, 3].map(
      () =>
        new Promise<string[]>((resolve, reject) => {
          worker(request, 30)
            .on('message', (message: 'asked' | string[]) => message !== 'asked' && resolve(message))
            .on('error', reject)
        }),
    )
    const own = await Promise.all(Array.from({ length: 30 }, () => addon().attributeTurn(request)))
    const all = [...(await Promise.all(answers)).flat(), ...own.map((one) => JSON.stringify(one))]
    expect(new Set(all)).toEqual(new Set([right]))
    expect(all).toHaveLength(120)
  })

  it('of JavaScript that end in the middle of their calls leave no place taken', async () => {
    const { request } = await packedTurn()
    const ending = async (at: number) => {
      const one = worker(request, 20)
      await new Promise((resolve) => one.once('message', resolve))
      await sleep(at % 7)
      await one.terminate()
    }
    for (let at = 0; at < 40; at += 4) await Promise.all([at, at + 1, at + 2, at + 3].map(ending))
    expect((await addon().attributeTurn(request, { timeoutMs: 20_000 })).shown).toHaveLength(1)
  })

  it('of the pool that are not taken serve files while calls are at work', async () => {
    const { repo, request } = await packedTurn()
    writeFileSync(join(repo.root, 'file'), 'here\n')
    const calls = Array.from({ length: 60 }, () => addon().diffTurn(request))
    let done = false
    const all = Promise.all(calls).then(() => {
      done = true
    })
    const { readFile } = await import('node:fs/promises')
    expect(await readFile(join(repo.root, 'file'), 'utf8')).toBe('here\n')
    expect(done).toBe(false)
    await all
  })
})
