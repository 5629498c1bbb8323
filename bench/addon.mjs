// The same questions to the addon, as a host asks them: it knows two refs, and the rest stands in the messages of the
// checkpoints. Card and patch are two calls, since they are asked at two times.

import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The addon of a checkout. */
export function addonOf(folder) {
  const addon = createRequire(join(folder, 'package.json'))(folder)

  const request = (cwd, refs) => {
    const [from, ...between] = refs.map((ref) => ({ ref }))
    const to = between.pop()
    return { cwd, from, to, ...(between.length > 0 ? { between } : {}) }
  }

  async function card(cwd, refs, { lines = false } = {}) {
    return addon.attributeTurn({ ...request(cwd, refs), demoted: lines ? 'lines' : 'count' })
  }

  async function patch(cwd, refs) {
    return addon.diffTurn(request(cwd, refs))
  }

  /** What a row asks. */
  async function ask(asks, cwd, refs) {
    if (asks === 'head') return { head: await addon.readHead(cwd) }
    if (asks === 'patch') return { patch: await patch(cwd, refs) }
    const answer = { card: await card(cwd, refs, { lines: asks === 'lines' }) }
    if (asks === 'card+patch' || asks === 'range') answer.patch = await patch(cwd, refs)
    return answer
  }

  return { ...addon, card, patch, ask }
}
