// A process of its own per worker: git runs in parallel, and a crash of the addon costs one turn.
import { addonIfBuilt } from '../support/addon.js'
import { playTurn, type TurnPlan } from './play-turn.js'

const addon = process.argv.includes('--without-addon') ? null : addonIfBuilt()

// When the run ends early there is nobody left to tell.
process.on('disconnect', () => process.exit())

process.on('message', (plan: TurnPlan) => {
  playTurn(plan, addon).then(
    (record) => process.send?.({ record }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error), plan }),
  )
})
