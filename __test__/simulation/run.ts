// Plays many turns in a few processes.
import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { dealKinds } from './deal.js'
import { harderKinds, ordinaryKinds } from './operations/all.js'
import type { TurnPlan, TurnRecord } from './play-turn.js'

export interface RunOptions {
  turns: number
  seed: string
  /** Which turns are of the harder sort, in which two of five operations are of the harder kinds. */
  sort: 'both' | 'ordinary' | 'harder'
  /** The share of turns that is asked again later; it is slow. */
  askAgain: number
  withoutAddon?: boolean
  workers?: number
  only?: number
  /** How often every kind of operation has to occur: more turns are dealt for those that seldom apply. */
  leastOfKind?: number
  keep?: boolean
  onRecord?: (record: TurnRecord) => void
}

interface Message {
  record?: TurnRecord
  error?: string
  plan?: TurnPlan
}

export function isHarder(index: number, sort: RunOptions['sort']): boolean {
  return sort === 'harder' || (sort === 'both' && index % 2 === 1)
}

export async function simulate(options: RunOptions): Promise<TurnRecord[]> {
  const indexes =
    options.only === undefined ? Array.from({ length: options.turns }, (_, index) => index) : [options.only]
  const every = options.askAgain > 0 ? Math.max(1, Math.round(1 / options.askAgain)) : 0
  const dealt = dealKinds(options.seed, Math.max(...indexes) + 1, (index) => isHarder(index, options.sort))
  const plans = indexes.map(
    (index): TurnPlan => ({
      kinds: dealt[index] as string[],
      seed: options.seed,
      index,
      harder: isHarder(index, options.sort),
      askAgain: every > 0 && index % every === 0,
      keep: options.keep ?? false,
    }),
  )
  const records = await playAll(plans, options)
  for (let round = 0; round < 12; round += 1) {
    const more = plansForRareKinds(records, options)
    if (more.length === 0) break
    records.push(...(await playAll(more, options)))
  }
  return records.sort((one, other) => one.plan.index - other.plan.index)
}

/** Turns of four operations each, of the kinds that have not occurred often enough. */
function plansForRareKinds(records: readonly TurnRecord[], options: RunOptions): TurnPlan[] {
  const counts = new Map([...ordinaryKinds, ...harderKinds].map(({ kind }) => [kind, 0]))
  for (const kind of records.flatMap((record) => record.kinds)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const least = options.leastOfKind ?? 0
  const wanted: string[] = []
  // Turn by turn through the kinds, so that a turn holds different ones; one more of each, since not all apply.
  for (let nth = 0; nth < least + 1; nth += 1)
    for (const [kind, count] of counts) if (count < least && nth < least + 1 - count) wanted.push(kind)
  const plans: TurnPlan[] = []
  for (let at = 0; at < wanted.length; at += 4) {
    const kinds = wanted.slice(at, at + 4)
    const harder = kinds.some((kind) => harderKinds.some((operation) => operation.kind === kind))
    plans.push({
      kinds,
      seed: options.seed,
      index: records.length + plans.length,
      harder,
      askAgain: false,
      keep: false,
    })
  }
  return plans
}

async function playAll(plans: readonly TurnPlan[], options: RunOptions): Promise<TurnRecord[]> {
  const records: TurnRecord[] = []
  const workers = Array.from({ length: Math.min(options.workers ?? 2, plans.length) }, () => startWorker(options))
  let next = 0
  await Promise.all(
    workers.map(async (_, at) => {
      while (next < plans.length) {
        const plan = plans[next] as TurnPlan
        next += 1
        const record = await playIn(workers[at] as ChildProcess, plan).catch(async (error: unknown) => {
          if (!(error instanceof ProcessDied)) throw error
          // The run goes on without that process; that it died counts against the product.
          workers[at] = startWorker(options)
          const again = await playIn(workers[at], plan)
          again.broken.push(error.message)
          return again
        })
        records.push(record)
        options.onRecord?.(record)
      }
    }),
  ).finally(() => {
    for (const worker of workers) if (worker.connected) worker.disconnect()
  })
  return records
}

class ProcessDied extends Error {}

function startWorker(options: RunOptions): ChildProcess {
  const file = fileURLToPath(new URL('./worker.ts', import.meta.url))
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return fork(file, options.withoutAddon ? ['--without-addon'] : [], { execArgv: ['--import', loader] })
}

function playIn(worker: ChildProcess, plan: TurnPlan): Promise<TurnRecord> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      worker.off('message', onMessage)
      worker.off('exit', onExit)
    }
    const onMessage = ({ record, error }: Message): void => {
      stop()
      if (record) resolve(record)
      else reject(new Error(`turn ${plan.index} of seed ${plan.seed} could not be played: ${error}`))
    }
    const onExit = (code: number | null, signal: string | null): void => {
      stop()
      reject(new ProcessDied(`the process died in turn ${plan.index} of seed ${plan.seed}: ${code ?? signal}`))
    }
    worker.on('message', onMessage)
    worker.on('exit', onExit)
    worker.send(plan)
  })
}
