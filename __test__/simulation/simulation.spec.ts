// Random turns with known authorship, at a fixed seed. `npm run simulate` plays any number of them.
import { beforeAll, describe, expect, test } from 'vitest'
import { complaint, kindCounts, measure, missedBars, missedTrust, missingTeeth, report } from './measures.js'
import type { TurnRecord } from './play-turn.js'
import { simulate } from './run.js'

const turns = 480
const seed = 'spec'

describe('simulated turns', () => {
  let records: TurnRecord[]
  const ordinary = (): TurnRecord[] => records.filter((record) => !record.plan.harder)
  const harder = (): TurnRecord[] => records.filter((record) => record.plan.harder)
  /** The stories of the turns that went wrong, for the message of a failure. */
  const stories = (of: TurnRecord[]): string => of.map(complaint).filter(Boolean).slice(0, 5).join('\n\n')

  beforeAll(async () => {
    records = await simulate({ turns, seed, sort: 'both', askAgain: 0.05, leastOfKind: 20 })
    console.log([report('ordinary', measure(ordinary())), report('harder', measure(harder()))].join('\n'))
  }, 2_400_000)

  test('ordinary turns meet every bar', () => {
    expect(missedBars(measure(ordinary()), false, 2), stories(ordinary())).toEqual([])
  })

  test('harder turns meet every bar', () => {
    expect(missedBars(measure(harder()), true, 2), stories(harder())).toEqual([])
  })

  test('at most 12 % of the shown files are not trusted', () => {
    expect(missedTrust(measure(records))).toEqual([])
  })

  test('the run has teeth: the other rules fail in it', () => {
    expect(missingTeeth(measure(records))).toEqual([])
  })

  test('every kind of operation occurs at least twenty times', () => {
    expect([...kindCounts(records)].filter(([, count]) => count < 20)).toEqual([])
  })

  test('most turns move the head', () => {
    expect(measure(records).movedHeads).toBeGreaterThan(turns / 2)
  })
})
