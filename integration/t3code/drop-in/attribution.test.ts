// The scenarios through T3 Code's whole pipeline: reactor, engine, projections, queries.

import { describe, expect, it } from 'vite-plus/test'
import type { Addon } from '../TurnAttribution.ts'
import { scenarios } from './scenarios.ts'
import { t3Host } from './t3-host.ts'

const addon = async (): Promise<Addon> => import('turn-attribution')
const nothing = async (): Promise<never> => undefined as never
const timeout = 120_000

describe('T3 Code with the addon', () => {
  for (const [name, play] of Object.entries(scenarios)) it(name, () => play(t3Host, addon), timeout)
})

describe('T3 Code whose addon says nothing fails at each of these', () => {
  const silent = async (): Promise<Addon> => ({ ...(await addon()), attributeTurn: nothing, diffTurn: nothing })
  for (const [name, play] of Object.entries(scenarios))
    it(name, () => expect(play(t3Host, silent)).rejects.toMatchObject({ code: 'ERR_ASSERTION' }), timeout)
})
