// The promises of the JavaScript side: what crosses to Rust, and that nothing throws synchronously.

import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { keepInMessage, repoWithFeature, switchAndEdit } from './facade.turn.js'
import { type AttributeTurnRequest, addon, type Checkpoint, type TurnAttribution } from './support/addon.js'
import { TurnRepository } from './support/turn-repository.js'

const {
  attributeTurn,
  diffTurn,
  explainPath,
  listCheckpoints,
  readCheckpoint,
  readCheckpointFacts,
  readHead,
  writeCheckpointFacts,
} = addon()
const { filterUnifiedDiff, isTurnAttributionError, parseUnifiedDiff, transitionLabel } = addon()

describe('one happy path of each function', () => {
  it('readHead gives head, branch, operation and a pin of one printable line', async () => {
    const repo = repoWithFeature()
    const facts = await readHead(repo.cwd)
    expect(facts).toEqual({ headOid: repo.oid(), branch: 'main', operation: null, pin: expect.any(String) })
    expect(facts.pin).toMatch(/^[\x20-\x7e]+$/)
  })

  it('attributeTurn shows the edit and demotes what the switch moved', async () => {
    const result = await attributeTurn({ ...(await switchAndEdit()), demoted: 'paths' })
    expect(result.shown).toMatchObject([
      { path: 'src/app.ts', kind: 'modified', additions: 2, deletions: 1, mixed: false },
    ])
    expect(result.demoted.fileCount).toBe(3)
    expect(result.demoted.files?.map(({ path }) => path)).toEqual(['feature/a.ts', 'feature/b.ts', 'feature/c.ts'])
    expect(result.attribution).toMatchObject({ status: 'attributed', evidence: 'reflog' })
    expect(result.branchTransition).toMatchObject({ fromBranch: 'main', toBranch: 'feature' })
    expect(transitionLabel(result)).toBe(result.branchTransition.label)
  })

  it('attributeTurn keeps the demoted list to itself unless asked', async () => {
    const { demoted } = await attributeTurn(await switchAndEdit())
    expect(demoted).toEqual({ fileCount: 3, additions: null, deletions: null, files: null })
  })

  it('a turn that only moved tells so: nothing shown, the count and the transition are there', async () => {
    const repo = repoWithFeature()
    const from = await repo.startTurn()
    repo.checkout('feature')
    const result = await attributeTurn({ cwd: repo.cwd, from, to: await repo.endTurn() })
    expect(result).toMatchObject({ shown: [], demoted: { fileCount: 3 }, attribution: { status: 'attributed' } })
    expect(transitionLabel(result)).not.toBe('')
  })

  it('explainPath gives the rule, the states, and the base of the shown diff', async () => {
    const explanation = await explainPath(await switchAndEdit(), 'src/app.ts')
    expect(explanation).toMatchObject({ path: 'src/app.ts', verdict: 'shown', mixed: false })
    expect(explanation.rule).toMatch(/\w/)
    expect(explanation.states.start).toEqual(explanation.states.expected)
    expect(explanation.expectedContent).toBeInstanceOf(Uint8Array)
    expect(Buffer.from(explanation.expectedContent ?? []).toString()).toBe('one\ntwo\nthree\n')
  })

  it('facts survive the round trip through a commit message, absent and null apart', async () => {
    for (const facts of [
      {},
      { headOid: null, branch: 'main' },
      { headOid: 'a'.repeat(40), branch: null, pin: 'pin=1 x', turnStartedAt: 1_700_000_000_123 },
    ]) {
      const message = await writeCheckpointFacts('t3 checkpoint\n\nof a turn', facts)
      expect(message).toMatch(/^t3 checkpoint\n/)
      expect(await readCheckpointFacts(message)).toEqual(facts)
    }
    expect(await readCheckpointFacts('t3 checkpoint')).toEqual({})
  })

  it('parseUnifiedDiff and filterUnifiedDiff read a patch', async () => {
    const edit = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n'
    const mode = 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n'
    const { files, truncated } = await parseUnifiedDiff(edit + mode)
    expect(files).toMatchObject([
      { path: 'x', kind: 'modified', additions: 2, deletions: 1, binary: false, previousPath: null },
      { path: 'run.sh', kind: 'modified', additions: 0, deletions: 0, oldMode: '100644', newMode: '100755' },
    ])
    expect(truncated).toBe(false)
    expect(await filterUnifiedDiff(edit + mode, ['run.sh'])).toMatchObject({ patch: mode, files: [{ path: 'run.sh' }] })
  })

  it('readCheckpoint reads a ref and the facts beside it', async () => {
    const repo = repoWithFeature()
    const checkpoint = await repo.startTurn()
    const ref = await keepInMessage(repo, 'one', checkpoint)
    const { ref: _, ...facts } = checkpoint
    expect(await readCheckpoint(repo.cwd, ref)).toEqual({ ...facts, ref, oid: repo.oid(ref) })
  })

  it('attributeTurn reads the facts itself where a checkpoint only names its snapshot', async () => {
    const repo = repoWithFeature()
    const { cwd, from, to } = await switchAndEdit(repo)
    const named = {
      cwd,
      from: { ref: await keepInMessage(repo, 'from', from) },
      to: { ref: await keepInMessage(repo, 'to', to) },
    }
    const given = {
      cwd,
      from: await readCheckpoint(cwd, named.from.ref),
      to: await readCheckpoint(cwd, named.to.ref),
    }
    const said = await attributeTurn(given)
    expect(said.attribution).toMatchObject({ status: 'attributed', evidence: 'reflog' })
    expect(await attributeTurn(named)).toEqual(said)
    expect(await diffTurn(named)).toEqual(await diffTurn(given))
    expect(await explainPath(named, 'src/app.ts')).toEqual(await explainPath(given, 'src/app.ts'))
    // What is said of a checkpoint is all that counts of it.
    const { attribution } = await attributeTurn({ ...named, from: { ...named.from, branch: 'main' } })
    expect(attribution).toMatchObject({ status: 'not-attributed', reason: 'head-not-recorded' })
  })

  it('finds the repository from a folder inside it and keeps paths relative to its root', async () => {
    const request = await switchAndEdit()
    const inside = await attributeTurn({ ...request, cwd: `${request.cwd}/src` })
    expect(inside).toEqual(await attributeTurn(request))
  })
})

describe('the request on its way to Rust', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const throwing = {
    get from() {
      throw new Error('no')
    },
  }
  const unreadable: [string, unknown][] = [
    ['nothing', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a BigInt', { cwd: 1n }],
    ['a cycle', cyclic],
    ['a getter that throws', throwing],
    ['a revoked proxy', revokedProxy()],
    ['null', null],
    ['a string', 'text'],
    ['an array', []],
    ['a number', 7],
  ]
  for (const [name, request] of unreadable) {
    it(`rejects ${name} as INVALID_ARGUMENT`, async () => {
      await expect(attributeTurn(request as AttributeTurnRequest)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    })
  }

  it('a key that is undefined is absent: not recorded', async () => {
    const request = await switchAndEdit()
    const from: unknown = { ...request.from, headOid: undefined }
    const { attribution } = await attributeTurn({ ...request, from: from as Checkpoint })
    expect(attribution).toMatchObject({ status: 'not-attributed', reason: 'head-not-recorded' })
  })

  it('null is a fact and arrives: unborn at the start', async () => {
    const request = await switchAndEdit()
    const { attribution } = await attributeTurn({ ...request, from: { ...request.from, headOid: null } })
    expect(attribution).not.toMatchObject({ reason: 'head-not-recorded' })
  })

  it('a head that JSON would turn into null is an error, never "unborn"', async () => {
    const request = await switchAndEdit()
    for (const headOid of [Number.NaN, Number.POSITIVE_INFINITY, new Date(Number.NaN), () => null, Symbol('x')]) {
      const from: unknown = { ...request.from, headOid }
      const outcome = attributeTurn({ ...request, from: from as Checkpoint })
      await expect(outcome).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })
})

describe('calls', () => {
  it('never throw synchronously, whatever the arguments', async () => {
    const junk = [undefined, null, 7, 'x', [], {}, 1n, Symbol('x'), revokedProxy(), () => 1]
    const functions = [
      attributeTurn,
      diffTurn,
      explainPath,
      listCheckpoints,
      readCheckpoint,
      readCheckpointFacts,
      readHead,
      writeCheckpointFacts,
      filterUnifiedDiff,
      parseUnifiedDiff,
    ]
    for (const each of functions as ((...args: unknown[]) => Promise<unknown>)[]) {
      for (const first of junk) {
        for (const second of junk) {
          const outcome = each(first, second, second)
          expect(outcome).toBeInstanceOf(Promise)
          const error = await outcome.then(
            () => undefined,
            (reason: unknown) => reason,
          )
          if (error !== undefined) expect(isTurnAttributionError(error), String(error)).toBe(true)
          if (error !== undefined) expect(error).not.toMatchObject({ code: 'INTERNAL' })
        }
      }
    }
  })

  it('reject with the stack of the caller', async () => {
    async function theCaller() {
      await readHead('')
    }
    const error = await theCaller().then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ name: 'TurnAttributionError', code: 'INVALID_ARGUMENT' })
    expect(error?.stack).toMatch(/^TurnAttributionError: .+\n\s+at .*theCaller/)
    expect(error?.stack).toContain('facade.spec.ts')
  })

  it('leave the event loop free and answer side by side', async () => {
    const request = await switchAndEdit()
    const results = await Promise.all(Array.from({ length: 16 }, () => attributeTurn(request)))
    for (const result of results) expect(result).toEqual(results[0])
  })

  it('read an unborn repository', async () => {
    expect(await readHead(TurnRepository.empty().cwd)).toMatchObject({ headOid: null, branch: 'main' })
  })
})

describe('transitionLabel', () => {
  it('is empty for anything that is no result, and never throws', () => {
    const label = transitionLabel as (value: unknown) => string
    for (const value of [null, undefined, 1, 'x', {}, { branchTransition: null }, revokedProxy(), throwingProxy()]) {
      expect(label(value)).toBe('')
    }
    expect(label({ branchTransition: { label: 7 } })).toBe('')
  })

  it('is the label of the result', () => {
    const result = { branchTransition: { label: 'Pulled origin/main' } } as TurnAttribution
    expect(transitionLabel(result)).toBe('Pulled origin/main')
  })
})

describe('isTurnAttributionError', () => {
  it('knows the errors of this library', async () => {
    const error: unknown = await readHead('').catch((reason: unknown) => reason)
    expect(isTurnAttributionError(error)).toBe(true)
    if (isTurnAttributionError(error)) expect(error.code).toBe('INVALID_ARGUMENT')
  })

  it('is false, and does not throw, for everything else', () => {
    const nodeAbort = Object.assign(new Error('aborted'), { name: 'AbortError', code: 'ABORT_ERR' })
    const lookalike = { name: 'TurnAttributionError', message: 'x', code: 'INTERNAL' }
    const hostile = Object.defineProperty(new Error('x'), 'code', {
      get() {
        throw new Error('no')
      },
    })
    const others = [null, undefined, 0, '', 1n, Symbol('x'), () => 1, {}, [], new Error('x'), nodeAbort, lookalike]
    const strange = [hostile, throwingProxy(), revokedProxy(), new Proxy(new Error('x'), {})]
    const foreign = runInNewContext(
      '[new Error("x"), Object.assign(new Error("x"), { code: "INTERNAL" })]',
    ) as unknown[]
    for (const value of [...others, ...strange, ...foreign]) expect(isTurnAttributionError(value)).toBe(false)
  })

  it('knows such an error from another realm by name and code', () => {
    const script = 'Object.assign(new Error("x"), { name: "TurnAttributionError", code: "NOT_OWNED" })'
    expect(isTurnAttributionError(runInNewContext(script))).toBe(true)
  })
})

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function throwingProxy(): object {
  const no = () => {
    throw new Error('no')
  }
  return new Proxy({}, { get: no, has: no, getPrototypeOf: no, ownKeys: no, getOwnPropertyDescriptor: no })
}
