import type { Scene } from '../scene.js'

export interface Operation {
  kind: string
  /** How often it is dealt; more than once where it seldom applies. */
  cards?: number
  /** False: it does not apply here, and nothing was done. */
  run(scene: Scene): boolean
}
