// The eight targets: what is built, for whom, and in which folder of `npm/` its package stands.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const SYSTEMS = { 'unknown-linux': 'linux', 'apple-darwin': 'darwin', 'pc-windows': 'win32' }
const PROCESSORS = { x86_64: 'x64', aarch64: 'arm64' }

export const targets = manifest.napi.targets.map(target)

export const linux = targets.filter(({ platform }) => platform === 'linux')

function target(triple) {
  const [, processor, system, abi] = /^(\w+?)-(unknown-linux|apple-darwin|pc-windows)-?(\w*)$/.exec(triple)
  const platform = SYSTEMS[system]
  const arch = PROCESSORS[processor]
  const name = [platform, arch, abi].filter(Boolean).join('-')
  return {
    triple,
    platform,
    arch,
    abi,
    name,
    package: `${manifest.name}-${name}`,
    file: `${manifest.name}.${name}.node`,
  }
}
