// What the root package holds: pinned in contents.txt, so that nothing comes in or gets lost unseen.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './targets.mjs'

const HASHED = 'viewer/dist/page/assets/'

/** The files that are expected. */
export const pinned = readFileSync(join(root, 'scripts/release/contents.txt'), 'utf8').trim().split('\n')

/** Files of a package under the names that are pinned: the parts of the page carry a hash of their content. */
export function underPinnedNames(files) {
  return [...new Set(files.map((path) => (path.startsWith(HASHED) ? `${HASHED}*` : path)))].sort()
}
