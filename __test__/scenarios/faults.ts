// The promise under faults, asked of a played turn (`npm run faults`; the same is asked of fewer turns, at every read,
// by tests/faults). Whatever cannot be read: no file that is shown without faults is hidden, no path is left out, and
// an answer that differs says why. Refused is only what leaves nothing to show, and a panic is INTERNAL.
import { createRequire } from 'node:module'
import { expect } from 'vitest'
import {
  type AttributeTurnRequest,
  addon,
  type Checkpoint,
  type DiffFile,
  faultBuild,
  type ShownFile,
} from '../support/addon.js'

interface Plan {
  fault: (typeof FAULTS)[number] | 'slow' | 'panic'
  kind: string | null
  at: number
  lasting: boolean
}

interface Read {
  /** Kind and object. */
  what: string
  kind: string
  failed: boolean
}

type Answer = Pick<Awaited<ReturnType<ReturnType<typeof addon>['attributeTurn']>>, 'demoted' | 'attribution'> & {
  files: (ShownFile | DiffFile)[]
}

const FAULTS = ['missing', 'unreadable', 'repository', 'limit'] as const
const SPREAD = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233]

/** Asks about a turn under faults, where there is a build that has them. */
export async function expectPromiseUnderFaults(request: AttributeTurnRequest): Promise<void> {
  if (faultBuild === undefined) return
  const needed = await neededReads(request)
  const card = async (): Promise<Answer> => {
    const { shown, ...about } = await addon().attributeTurn(request)
    return { ...about, files: shown }
  }
  for (const ask of [card, () => addon().diffTurn(request) as Promise<Answer>]) {
    planFaults(null)
    const faultless = await ask()
    const reads = planFaults(null)
    // A turn of a thousand files takes seconds each time.
    const isLarge = faultless.files.length + faultless.demoted.fileCount > 500
    for (const plan of isLarge ? [...plansFor(reads)].slice(0, 5) : plansFor(reads))
      await expectPromise(ask, faultless, plan, needed)
  }
}

function* plansFor(reads: Read[]): Generator<Plan> {
  for (const at of SPREAD.filter((at) => at <= reads.length)) {
    for (const fault of FAULTS) yield { fault, kind: null, at, lasting: fault === 'missing' || fault === 'unreadable' }
    yield { fault: 'panic', kind: null, at, lasting: false }
  }
  yield { fault: 'slow', kind: null, at: 1, lasting: false }
  for (const kind of new Set(reads.map((read) => read.kind)))
    for (const fault of FAULTS) yield { fault, kind, at: 0, lasting: false }
}

async function expectPromise(
  ask: () => Promise<Answer>,
  faultless: Answer,
  plan: Plan,
  needed: Set<string>,
): Promise<void> {
  planFaults(plan)
  const outcome = await ask().catch((error: Error & { code?: string }) => error)
  const failed = planFaults(null).filter((read) => read.failed)
  const where = `${JSON.stringify(plan)} at ${failed[0]?.what}`
  if (outcome instanceof Error) {
    const codes = plan.fault === 'panic' ? ['INTERNAL'] : ['SNAPSHOT_MISSING', 'REPOSITORY_UNREADABLE', 'TOO_LARGE']
    expect(codes, `${where}: ${outcome.message}`).toContain(outcome.code)
    if (plan.fault !== 'panic')
      expect(
        failed.some(({ what }) => needed.has(what)),
        `${where} refuses`,
      ).toBe(true)
    return
  }
  expect(shownPaths(outcome), `shown under ${where}`).toEqual(expect.arrayContaining(shownPaths(faultless)))
  expect(allPaths(outcome), `covered under ${where}`).toEqual(allPaths(faultless))
  if (JSON.stringify(outcome) !== JSON.stringify(faultless))
    expect(saysWhy(outcome, faultless), `says why it differs under ${where}`).toBe(true)
}

function shownPaths({ files }: Answer): string[] {
  return files.flatMap((file) => (file.previousPath === null ? [file.path] : [file.path, file.previousPath]))
}

function allPaths(answer: Answer): string[] {
  const demoted = answer.demoted.files ?? []
  expect(demoted.length).toBe(answer.demoted.fileCount)
  return [...shownPaths(answer), ...demoted.map((file) => file.path)].sort()
}

function saysWhy({ attribution, files }: Answer, faultless: Answer): boolean {
  if (attribution.status === 'not-attributed') return true
  if (attribution.notes.some((note) => !faultless.attribution.notes.includes(note))) return true
  const wasMixed = new Set(faultless.files.filter((file) => file.mixed).map((file) => file.path))
  return files.some((file) => (file.additions === null && !file.binary) || (file.mixed && !wasMixed.has(file.path)))
}

/** What leaves nothing to show where it cannot be read: the snapshots, and the change on disk. */
async function neededReads(request: AttributeTurnRequest): Promise<Set<string>> {
  const headless = ({ headOid: _, ...checkpoint }: Checkpoint): Checkpoint => checkpoint
  const checkpoints = [request.from, ...(request.between ?? []), request.to].map(headless) as [Checkpoint, Checkpoint]
  const pairs = checkpoints.slice(1).map((to, index) => ({ from: checkpoints[index] as Checkpoint, to }))
  const needed = new Set<string>()
  for (const pair of [...pairs, { from: checkpoints[0], to: checkpoints.at(-1) as Checkpoint }]) {
    planFaults(null)
    const asked = addon().explainPath({ cwd: request.cwd, ...pair }, 'no/such/path')
    await expect(asked).rejects.toMatchObject({ code: 'PATH_NOT_IN_TURN' })
    for (const { what } of planFaults(null)) needed.add(what)
  }
  return needed
}

/** Sets the plan for the calls to come, and gives the reads of the last one. */
function planFaults(plan: Plan | null): Read[] {
  const { planReadsToFail } = createRequire(import.meta.url)(faultBuild ?? '') as {
    planReadsToFail(plan: string): string
  }
  const lines = planReadsToFail(JSON.stringify(plan)).split('\n').filter(Boolean)
  return lines.map((line) => {
    const [kind, object, state] = line.split(' ') as [string, string, string]
    return { kind, what: `${kind} ${object}`, failed: state === 'failed' }
  })
}
