// The figures of a run, and the bars they have to meet.
import { harderKinds, ordinaryKinds } from './operations/all.js'
import { type RuleName, ruleNames } from './other-rules.js'
import type { TurnRecord } from './play-turn.js'

interface RuleMeasures {
  hidden: number
  noise: number
  lateShown: number
}

export interface Measures {
  turns: number
  movedHeads: number
  must: number
  moved: number
  late: number
  either: number
  rules: Map<RuleName, RuleMeasures>
  product:
    | (RuleMeasures & {
        asked: number
        shown: number
        mixed: number
        missingLines: number
        foreignLines: number
        milliseconds: number
      })
    | null
  degraded: Map<string, number>
  evidence: Map<string, number>
  broken: number
}

export function measure(records: readonly TurnRecord[]): Measures {
  const sum = (of: (record: TurnRecord) => number): number => records.reduce((total, record) => total + of(record), 0)
  const count = (of: (record: TurnRecord) => string | null): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const record of records) {
      const key = of(record)
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  }
  const asked = records.filter((record) => record.product !== null)
  const product = (of: (answer: NonNullable<TurnRecord['product']>) => number): number =>
    asked.reduce((total, record) => total + (record.product ? of(record.product) : 0), 0)
  return {
    turns: records.length,
    movedHeads: sum((record) => (record.headMoved ? 1 : 0)),
    must: sum((record) => record.must),
    moved: sum((record) => record.moved),
    late: sum((record) => record.late),
    either: sum((record) => record.either),
    rules: new Map(
      ruleNames.map((name) => {
        const of = (key: 'hidden' | 'noise' | 'lateShown'): number =>
          sum((record) => record.rules.find(([rule]) => rule === name)?.[1][key].length ?? 0)
        return [name, { hidden: of('hidden'), noise: of('noise'), lateShown: of('lateShown') }]
      }),
    ),
    product:
      asked.length === 0
        ? null
        : {
            asked: asked.length,
            hidden: product((answer) => answer.hidden.length),
            noise: product((answer) => answer.noise.length),
            lateShown: product((answer) => answer.lateShown.length),
            shown: product((answer) => answer.shown),
            mixed: product((answer) => answer.mixed),
            missingLines: product((answer) => answer.missingLines.length),
            foreignLines: product((answer) => answer.foreignLines.length),
            milliseconds: product((answer) => answer.milliseconds),
          },
    degraded: count((record) => record.product?.degraded ?? null),
    evidence: count((record) => record.product?.evidence ?? null),
    broken: sum((record) => record.broken.length),
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
const percent = (part: number, whole: number): string => `${(100 * share(part, whole)).toFixed(1)} %`

/**
 * The bars that a set of turns misses, in words. Shares scatter in a small set: `deviations` says by how many standard
 * deviations they may lie above their bar. What may never happen may never happen, in any set.
 */
export function missedBars(measures: Measures, harder: boolean, deviations = 0): string[] {
  const above = (part: number, whole: number, bar: number): boolean =>
    whole > 0 && part >= bar * whole + deviations * Math.sqrt(bar * (1 - bar) * whole)
  const missed: string[] = []
  const name = harder ? 'harder' : 'ordinary'
  const { product } = measures
  if (product === null) return [`${name}: the addon was not asked`]
  const noise = harder ? 0.015 : 0.005
  if (product.hidden > 0) missed.push(`${name}: ${product.hidden} files of the agent hidden`)
  if (above(product.noise, measures.moved, noise))
    missed.push(`${name}: noise ${percent(product.noise, measures.moved)}, must be under ${100 * noise} %`)
  if (above(product.lateShown, measures.late, 0.05))
    missed.push(`${name}: late shown ${percent(product.lateShown, measures.late)}, must be under 5 %`)
  if (product.missingLines > 0)
    missed.push(`${name}: ${product.missingLines} lines of the agent missing from trusted files`)
  if (measures.broken > 0) missed.push(`${name}: ${measures.broken} broken promises`)
  return missed
}

/**
 * The bar of untrusted files is one for all turns together: nearly all of these files are conflicts that somebody
 * resolved by hand, of which harder turns have more.
 */
export function missedTrust(measures: Measures): string[] {
  const { product } = measures
  if (product === null || product.mixed <= 0.12 * product.shown) return []
  return [`mixed ${percent(product.mixed, product.shown)} of shown files, at most 12 %`]
}

/** Without teeth a run proves nothing: the other rules have to fail in it. */
export function missingTeeth(measures: Measures): string[] {
  const missing: string[] = []
  const first = measures.rules.get('author date')
  const third = measures.rules.get('commit date, re-merge')
  if (share(first?.hidden ?? 0, measures.must) <= 0.15)
    missing.push(`the first rule hides only ${percent(first?.hidden ?? 0, measures.must)}`)
  if (share(third?.noise ?? 0, measures.moved) <= 0.1)
    missing.push(`the third rule shows only ${percent(third?.noise ?? 0, measures.moved)} noise`)
  return missing
}

export function kindCounts(records: readonly TurnRecord[]): Map<string, number> {
  const counts = new Map([...ordinaryKinds, ...harderKinds].map((operation) => [operation.kind, 0]))
  for (const record of records) for (const kind of record.kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

export function report(title: string, measures: Measures): string {
  const rows = [
    `${title}: ${measures.turns} turns, ${measures.movedHeads} with a moved head`,
    `  must show ${measures.must}, moved ${measures.moved}, late ${measures.late}, either ${measures.either}`,
    `  ${'rule'.padEnd(32)}${'hidden'.padStart(16)}${'noise'.padStart(16)}${'late shown'.padStart(16)}`,
  ]
  const row = (name: string, rule: RuleMeasures): string => {
    const cell = (part: number, whole: number): string => `${part} (${percent(part, whole)})`.padStart(16)
    return `  ${name.padEnd(32)}${cell(rule.hidden, measures.must)}${cell(rule.noise, measures.moved)}${cell(rule.lateShown, measures.late)}`
  }
  for (const [name, rule] of measures.rules) rows.push(row(name, rule))
  const { product } = measures
  if (product === null) return [...rows, '  turn-attribution: not asked (no addon)'].join('\n')
  rows.push(row('turn-attribution', product))
  rows.push(`  separation: ${product.missingLines} lines of the agent missing, ${product.foreignLines} lines of others`)
  rows.push(`  mixed: ${product.mixed} of ${product.shown} shown files (${percent(product.mixed, product.shown)})`)
  rows.push(`  evidence: ${[...measures.evidence].map(([name, turns]) => `${name} ${turns}`).join(', ') || 'none'}`)
  rows.push(
    `  degraded turns: ${[...measures.degraded].map(([name, turns]) => `${name} ${turns}`).join(', ') || 'none'}`,
  )
  rows.push(`  broken promises: ${measures.broken}; ${(product.milliseconds / product.asked).toFixed(1)} ms a call`)
  return rows.join('\n')
}

/** What went wrong in one turn, with its story. */
export function complaint(record: TurnRecord): string | null {
  const { product } = record
  const faults = [
    ...record.broken,
    ...(product?.hidden ?? []).map((path) => `hidden: ${path}`),
    ...(product?.noise ?? []).map((path) => `noise: ${path}`),
    ...(product?.lateShown ?? []).map((path) => `late shown: ${path}`),
    ...(product?.missingLines ?? []).map((line) => `missing line: ${line}`),
  ]
  if (faults.length === 0) return null
  const degraded = product?.degraded ? `, degraded: ${product.degraded}` : ''
  return [
    `turn ${record.plan.index} (${record.plan.harder ? 'harder' : 'ordinary'}${degraded})`,
    ...faults.map((fault) => `  ! ${fault}`),
    ...(product?.explanations ?? []).map((row) => `  ? ${row}`),
    ...record.story.map((row) => `    ${row}`),
  ].join('\n')
}
