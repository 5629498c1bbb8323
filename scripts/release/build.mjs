// Builds one target into `artifacts/`: `node scripts/release/build.mjs <triple>`. For Linux with zig, as it brings each C
// library with it: no container, no cross compiler of the system's. Needed are cargo-zigbuild and zig; CONTRIBUTING.md
// tells the versions. Elsewhere with the compiler of the system.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { started } from './started.mjs'
import { root, targets } from './targets.mjs'

/** Node itself asks for this one. */
export const GLIBC = '2.28'

export const artifacts = join(root, 'artifacts')

const BUILT = { linux: 'libturn_attribution.so', darwin: 'libturn_attribution.dylib', win32: 'turn_attribution.dll' }

export function build({ triple, platform, abi, file }, env = process.env) {
  const zig = platform === 'linux'
  const target = abi === 'gnu' ? `${triple}.${GLIBC}` : triple
  const cargo = [
    'cargo',
    zig ? 'zigbuild' : 'build',
    '--release',
    '--lib',
    '--locked',
    '--target',
    zig ? target : triple,
  ]
  const { status } = spawnSync(cargo[0], cargo.slice(1), {
    cwd: root,
    env: { ...env, ...settings(triple) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`${cargo.join(' ')} ended with ${status}`)
  mkdirSync(artifacts, { recursive: true })
  copyFileSync(join(root, 'target', triple, 'release', BUILT[platform]), join(artifacts, file))
}

function settings(triple) {
  if (triple.endsWith('linux-musl'))
    // A library that Node loads shares Node's libc.
    return { RUSTFLAGS: '-C target-feature=-crt-static', ...wideVectors(triple) }
  if (triple.endsWith('linux-gnu')) return wideVectors(triple)
  if (triple.endsWith('windows-msvc')) return { RUSTFLAGS: '-C target-feature=+crt-static' }
  return { MACOSX_DEPLOYMENT_TARGET: '11.0' }
}

// libdeflate has functions for AVX-512, chosen at run time; zig's baseline forbids the compiler to make them.
function wideVectors(triple) {
  return triple.startsWith('x86_64') ? { [`CFLAGS_${triple.replaceAll('-', '_')}`]: '-mevex512' } : {}
}

if (started(import.meta)) {
  const chosen = targets.find(({ triple }) => triple === process.argv[2])
  if (!chosen) {
    console.error(`usage: node scripts/release/build.mjs <${targets.map(({ triple }) => triple).join(' | ')}>`)
    process.exit(2)
  }
  build(chosen)
}
