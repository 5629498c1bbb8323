// The same questions to the addon, as a host asks them: it knows two refs, and the rest stands in the messages of the
// checkpoints. Card and patch are two calls, since they are asked at two times.

import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The addon of a checkout. */
export function addonOf(folder) {
  const addon = createRequire(join(folder, 'package.json'))(folder)

  /** `startedAt` says what the start's snapshot says anyway; given anew, no two requests are the same. */
  async function request(cwd, refs, startedAt) {
    const checkpoints = await Promise.all(refs.map((ref) => addon.readCheckpoint(cwd, ref)))
    const [from, to] = [checkpoints[0], checkpoints.at(-1)]
    if (startedAt !== undefined) from.turnStartedAt = startedAt
    return { cwd, from, to, ...(refs.length > 2 ? { between: checkpoints.slice(1, -1) } : {}) }
  }

  async function card(cwd, refs, { lines = false, startedAt } = {}) {
    return addon.attributeTurn({ ...(await request(cwd, refs, startedAt)), demoted: lines ? 'lines' : 'count' })
  }

  async function patch(cwd, refs, { startedAt } = {}) {
    return addon.diffTurn(await request(cwd, refs, startedAt))
  }

  /** What a row asks. */
  async function ask(asks, cwd, refs, startedAt) {
    if (asks === 'head') return { head: await addon.readHead(cwd) }
    if (asks === 'patch') return { patch: await patch(cwd, refs, { startedAt }) }
    const answer = { card: await card(cwd, refs, { lines: asks === 'lines', startedAt }) }
    if (asks === 'card+patch' || asks === 'range') answer.patch = await patch(cwd, refs, { startedAt })
    return answer
  }

  return { ...addon, card, patch, ask }
}
