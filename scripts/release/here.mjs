// Loads the packed packages on this system, in the Node that runs this: `node scripts/release/here.mjs`. For systems
// that the release check cannot play; `packed/` has to be there.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layOut, run } from './loads.mjs'
import { packed } from './pack.mjs'
import { manifest, targets } from './targets.mjs'
import { aTurn } from './turn.mjs'

const { platform, arch } = process
const tarball = (name) => join(packed, `${name}-${manifest.version}.tgz`)
const here = targets.filter((target) => target.platform === platform && target.arch === arch)
// Of both C libraries the loader has to choose the one that is here.
const packages = [manifest.name, ...here.map((target) => target.package)].map((name) => ({
  name,
  tarball: tarball(name),
}))
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turn-attribution-here-')))
try {
  const at = { project: layOut(join(folder, 'project'), packages), turn: aTurn(join(folder, 'turn')) }
  console.log(`${platform} ${arch}, Node ${process.version}: ${run([process.execPath], at)}`)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
