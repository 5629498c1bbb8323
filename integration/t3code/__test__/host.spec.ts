// The scenarios on the host in small: with the addon they hold, and without one that works they cannot.

import { describe, expect, it } from 'vitest'
import { type Scenario, scenarios } from '../drop-in/scenarios.ts'
import type { Addon } from '../TurnAttribution.ts'
import { smallHost } from './host/small-host.ts'

const addon = async (): Promise<Addon> => import('turn-attribution')

describe('a host with the addon', () => {
  for (const [name, play] of Object.entries(scenarios)) it(name, () => play(smallHost, addon))
})

describe('a host whose addon says nothing fails at each of these', () => {
  const nothing = async (): Promise<never> => undefined as never
  // It records as it should, so that what fails is what is shown.
  const silent = async (): Promise<Addon> => ({ ...(await addon()), attributeTurn: nothing, diffTurn: nothing })
  for (const [name, play] of Object.entries(scenarios)) it(name, () => fails(play, silent))
})

describe('a host whose addon says that nothing changed fails at each of these', () => {
  const empty = async (): Promise<Addon> => {
    const real = await addon()
    const attributeTurn: Addon['attributeTurn'] = async (request, options) => {
      const turn = await real.attributeTurn(request, options)
      return { ...turn, shown: [], demoted: { fileCount: 0, additions: 0, deletions: 0, files: [] } }
    }
    const diffTurn: Addon['diffTurn'] = async (request, _, options) => ({
      ...(await attributeTurn(request, options)),
      patch: '',
      truncated: false,
    })
    return { ...real, attributeTurn, diffTurn }
  }
  for (const [name, play] of Object.entries(scenarios)) it(name, () => fails(play, empty))
})

async function fails(play: Scenario, load: () => Promise<Addon>): Promise<void> {
  await expect(play(smallHost, load)).rejects.toMatchObject({ code: 'ERR_ASSERTION' })
}
