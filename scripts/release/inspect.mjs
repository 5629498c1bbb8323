// Holds artifacts of Linux against what they promise: `node scripts/release/inspect.mjs` looks at all in `artifacts/`.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { artifacts, GLIBC } from './build.mjs'
import { readElf } from './elf.mjs'
import { started } from './started.mjs'
import { linux } from './targets.mjs'

const LIBRARIES = {
  gnu: /^(lib(c|m|dl|pthread|rt|gcc_s)\.so\.\d|ld-linux-(x86-64|aarch64)\.so\.\d)$/,
  musl: /^libc\.so$/,
}
const LARGEST = 4 * 1024 * 1024

/** What was found, and under `wrong` what breaks a promise. */
export function inspect({ file, arch, abi }, folder = artifacts) {
  const found = readElf(join(folder, file))
  const foreign = found.needed.filter((library) => !LIBRARIES[abi].test(library))
  const newer = found.glibc?.localeCompare(GLIBC, 'en', { numeric: true }) > 0
  const wrong = [
    found.arch !== arch && `is for ${found.arch}`,
    foreign.length > 0 && `needs ${foreign.join(', ')}`,
    newer && `needs glibc ${found.glibc}`,
    abi === 'musl' && found.glibc && 'needs glibc',
    found.size > LARGEST && `is larger than ${LARGEST} bytes`,
  ].filter(Boolean)
  return { ...found, wrong }
}

if (started(import.meta)) {
  const built = linux.filter(({ file }) => existsSync(join(artifacts, file)))
  for (const target of built) {
    const { size, glibc, needed, wrong } = inspect(target)
    console.log(
      [target.file, `${(size / 2 ** 20).toFixed(2)} MiB`, glibc ?? 'no glibc', needed.join(' '), ...wrong].join('  '),
    )
    if (wrong.length > 0) process.exitCode = 1
  }
  if (built.length === 0) {
    console.error('no artifact of Linux in artifacts/')
    process.exitCode = 1
  }
}
