import { commits } from './commits.js'
import { hand } from './hand.js'
import { harder } from './harder.js'
import { merges } from './merges.js'
import { moves } from './moves.js'
import type { Operation } from './operation.js'
import { remote } from './remote.js'
import { replays } from './replays.js'

export { endings } from './harder.js'
export const ordinaryKinds: readonly Operation[] = [...hand, ...commits, ...moves, ...replays, ...merges, ...remote]
export const harderKinds: readonly Operation[] = harder
