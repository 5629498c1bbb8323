// Packs the nine packages as they are published, from a copy: `node scripts/release/pack.mjs [--partial]`, into `packed/`.
//
// Written into the copies alone: the platform packages as optional dependencies of the root, which a clone could not
// install before they are published, and the licences and notices, which each package carries.

import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { artifacts } from './build.mjs'
import { started } from './started.mjs'
import { manifest, root, targets } from './targets.mjs'

const LEGAL = ['LICENSE-MIT', 'LICENSE-APACHE', 'THIRD-PARTY-NOTICES.md']

export const packed = join(root, 'packed')

/** The packages in the order to publish them: the root last, when all that it asks for is there. */
export function pack({ partial = false } = {}) {
  const missing = targets.filter(({ file }) => !existsSync(join(artifacts, file)))
  if (missing.length > 0 && !partial)
    throw new Error(`no artifact for ${missing.map(({ triple }) => triple).join(', ')}`)
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed, { recursive: true })
  // `npm pack` in the copy runs no script; the viewer is of the sources that stand here.
  execFileSync(process.execPath, [join(root, 'scripts/build-viewer.mjs')], { stdio: ['ignore', 2, 2] })
  const stage = mkdtempSync(join(tmpdir(), 'turn-attribution-pack-'))
  try {
    const built = targets.filter((target) => !missing.includes(target))
    return [...built.map((target) => packPlatform(target, join(stage, target.name))), packRoot(join(stage, 'root'))]
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function packPlatform({ name, file }, folder) {
  cpSync(join(root, 'npm', name), folder, { recursive: true })
  copyFileSync(join(artifacts, file), join(folder, file))
  for (const each of LEGAL) copyFileSync(join(root, each), join(folder, each))
  return finish(folder, (own) => {
    if (own.version !== manifest.version) throw new Error(`${own.name} is of version ${own.version}`)
    own.files.push(...LEGAL)
  })
}

function packRoot(folder) {
  for (const name of [...manifest.files, 'README.md', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  return finish(folder, (own) => {
    own.optionalDependencies = Object.fromEntries(targets.map((target) => [target.package, manifest.version]))
    delete own.scripts
    delete own.devDependencies
  })
}

function finish(folder, change) {
  const path = join(folder, 'package.json')
  const own = JSON.parse(readFileSync(path, 'utf8'))
  change(own)
  writeFileSync(path, `${JSON.stringify(own, null, 2)}\n`)
  const shell = process.platform === 'win32'
  const told = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', packed], {
    cwd: folder,
    encoding: 'utf8',
    shell,
  })
  const [{ filename, files }] = Object.values(JSON.parse(told))
  return {
    name: own.name,
    manifest: own,
    tarball: join(packed, filename),
    files: files.map((each) => each.path).sort(),
  }
}

if (started(import.meta))
  for (const { tarball, files } of pack({ partial: process.argv.includes('--partial') }))
    console.log(`${tarball}: ${files.join(' ')}`)
