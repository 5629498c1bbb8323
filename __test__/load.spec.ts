// Loading: require and import, workers, what is missing said clearly, nothing run at install.

import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { pinned, underPinnedNames } from '../scripts/release/contents.mjs'
import { switchAndEdit } from './facade.turn.js'
import { temporaryFolder } from './support/turn-repository.js'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, Record<string, string>>

const NAMES = [
  'attributeTurn',
  'closeRepositories',
  'diffTurn',
  'explainPath',
  'filterUnifiedDiff',
  'isTurnAttributionError',
  'listCheckpoints',
  'parseUnifiedDiff',
  'readCheckpoint',
  'readCheckpointFacts',
  'readHead',
  'transitionLabel',
  'writeCheckpointFacts',
]

function node(code: string, ...flags: string[]) {
  return execFileSync(process.execPath, [...flags, '--eval', code], { cwd: root, encoding: 'utf8' }).trim()
}

describe('the package', () => {
  it('is required with all its functions', () => {
    expect(node(`console.log(Object.keys(require('turn-attribution')).sort().join())`)).toBe(NAMES.join())
  })

  it('is imported by name', () => {
    const code = `import { ${NAMES.join(', ')} } from 'turn-attribution'
      console.log([${NAMES.join(', ')}].every((each) => typeof each === 'function'))`
    expect(node(code, '--input-type=module')).toBe('true')
  })

  it('is required from its folder, and tools can read its package.json', () => {
    expect(node(`console.log(typeof require('.').readHead)`)).toBe('function')
    expect(node(`console.log(require('turn-attribution/package.json').name)`)).toBe('turn-attribution')
  })

  it('declares in index.d.ts exactly what it exports', () => {
    const types = readFileSync(join(root, 'index.d.ts'), 'utf8')
    const declared = [...types.matchAll(/^export declare function (\w+)/gm)].map((match) => match[1])
    expect([...new Set(declared)].sort()).toEqual(NAMES)
    expect(types).not.toMatch(/\bany\b(?=[\s;,)\]|>])(?<!\/\/.*|\*.*)/m)
    expect(types).not.toMatch(/const enum/)
  })

  it('runs nothing at install and depends on nothing', () => {
    expect(Object.keys(manifest.scripts ?? {}).filter((name) => /install|prepare|prepublish/.test(name))).toEqual([])
    expect(manifest.dependencies).toBeUndefined()
  })

  // With a narrower range `npm install` of this package takes a host's own React 18 away, and says nothing.
  it('asks a host for no version of what is its own', () => {
    expect(manifest.peerDependencies).toEqual({ '@pierre/diffs': '*', react: '*' })
    expect(manifest.peerDependenciesMeta).toEqual({ '@pierre/diffs': { optional: true }, react: { optional: true } })
  })

  it('holds the files that are pinned, and no other', () => {
    const packed = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
    ) as { files: { path: string }[] }[]
    expect(underPinnedNames(packed[0]?.files.map(({ path }) => path) ?? [])).toEqual(pinned)
  })

  it('has a package for each of the eight platforms, no narrower than itself', () => {
    const folders = readdirSync(join(root, 'npm'))
    expect(folders).toHaveLength(8)
    for (const folder of folders) {
      const platform = JSON.parse(readFileSync(join(root, 'npm', folder, 'package.json'), 'utf8')) as typeof manifest
      const { version, engines, repository, license } = manifest
      expect(platform).toMatchObject({ name: `turn-attribution-${folder}`, version, engines, repository, license })
    }
  })
})

describe('without the native binary', () => {
  // The generated loader takes the addon from here, so a path to nothing is an install without the platform package.
  const env = { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: join(temporaryFolder(), 'none.node') }

  it('require does not throw; the first call rejects and names the package, the reason and the ways out', () => {
    const code = `const { readHead, isTurnAttributionError, transitionLabel } = require('.')
      console.log(JSON.stringify(transitionLabel({})))
      readHead('.').catch((error) => console.log(isTurnAttributionError(error), error.code, error.message))`
    const { stdout, status } = spawnSync(process.execPath, ['--eval', code], { cwd: root, env, encoding: 'utf8' })
    expect(status).toBe(0)
    const [label, message] = stdout.trim().split('\n')
    expect(label).toBe('""')
    expect(message).toMatch(/^true BINDING_MISSING native binding missing: turn-attribution-\w+-\w+/)
    expect(message).toContain('none.node')
    expect(message).toMatch(/\(1\) .*--omit=optional.*\(2\) .*\(3\) set NAPI_RS_NATIVE_LIBRARY_PATH/)
    expect(message).not.toMatch(/wasi|npm has a bug/)
  })

  it('a file that is no addon is named, with what the system says of it', () => {
    const file = join(temporaryFolder(), 'cut-short.node')
    writeFileSync(file, 'half a downl')
    const code = `require('.').closeRepositories().catch((error) => console.log(error.code, error.message))`
    const own = { ...env, NAPI_RS_NATIVE_LIBRARY_PATH: file }
    const { stdout } = spawnSync(process.execPath, ['--eval', code], { cwd: root, env: own, encoding: 'utf8' })
    expect(stdout).toMatch(/^BINDING_MISSING .*cut-short\.node/)
  })

  it.each([
    ['a module of Node', 'fs', /NAPI_RS_NATIVE_LIBRARY_PATH is fs; what was loaded is not the addon of this version/],
    ['a file of another kind', join(root, 'package.json'), /package\.json; what was loaded is not the addon/],
    [
      'a path that is not whole',
      './some.node',
      /is \.\/some\.node; Cannot find module.*to the full path of the \.node/,
    ],
    ['a folder of a user named so', '/home/wasim/none.node', /is \/home\/wasim\/none\.node; Cannot find module/],
  ])('%s in its place is said to be that', (_, named, reason) => {
    expect(firstCall({ NAPI_RS_NATIVE_LIBRARY_PATH: named })).toMatch(reason)
  })

  it('WebAssembly, asked for by the environment of another package, is named as the reason', () => {
    expect(firstCall({ NAPI_RS_FORCE_WASI: 'error' })).toMatch(
      /could not be loaded \(WASI binding not found and NAPI_RS/,
    )
    expect(firstCall({ NAPI_RS_WASI_FLAVOR: 'other' })).toMatch(/could not be loaded \(Unsupported WASI flavor "other"/)
  })

  it('addons forbidden to the process are the reason', () => {
    expect(firstCall({}, '--no-addons')).toMatch(/loading addons is disabled/)
  })

  function firstCall(extra: Record<string, string>, ...flags: string[]): string {
    const code = `require('.').readHead('.').catch((error) => console.log(error.code, error.message))`
    const { NAPI_RS_NATIVE_LIBRARY_PATH: _, ...own } = env
    const args = [...flags, '--eval', code]
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, env: { ...own, ...extra }, encoding: 'utf8' })
    expect(stdout).toMatch(/^BINDING_MISSING native binding missing: turn-attribution-\w+-\w+/)
    return stdout
  }

  it('the command line exits with 1 and says so', () => {
    const cli = join(root, 'bin/turn-attribution.js')
    const run = spawnSync(process.execPath, [cli, 'head'], { cwd: root, env, encoding: 'utf8' })
    expect(run.status).toBe(1)
    expect(run.stdout).toBe('')
    expect(run.stderr).toContain('native binding missing')
  })
})

describe('a binary elsewhere', () => {
  it.runIf(process.platform === 'linux')('is found where the system has another C library than this Node', () => {
    const project = temporaryFolder()
    const addon = readdirSync(root).find((name) => name.endsWith('.node')) ?? 'none'
    const own = join(
      project,
      'node_modules',
      addon.replace('.node', '').replace('turn-attribution.', 'turn-attribution-'),
    )
    mkdirSync(own, { recursive: true })
    copyFileSync(join(root, addon), join(own, addon))
    writeFileSync(join(own, 'package.json'), JSON.stringify({ main: addon }))
    for (const file of ['index.js', 'binding.js']) copyFileSync(join(root, file), join(project, file))
    const ldd = addon.includes('musl') ? 'GNU libc' : 'musl libc'
    const code = `const fs = require('node:fs')
      const { readFileSync } = fs
      fs.readFileSync = (path, ...rest) => (path === '/usr/bin/ldd' ? '${ldd}' : readFileSync(path, ...rest))
      require('./index.js').closeRepositories().then(() => console.log('loaded'), (error) => console.log(error.message))`
    expect(execFileSync(process.execPath, ['--eval', code], { cwd: project, encoding: 'utf8' }).trim()).toBe('loaded')
  })

  it('is loaded from where the environment says', () => {
    const addon = readdirSync(root).find((name) => name.endsWith('.node')) ?? 'none'
    const file = join(temporaryFolder(), 'elsewhere.node')
    copyFileSync(join(root, addon), file)
    const code = `require('.').closeRepositories().then(() => console.log(Object.keys(require.cache).at(-1)))`
    const env = { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: file }
    expect(execFileSync(process.execPath, ['--eval', code], { cwd: root, env, encoding: 'utf8' }).trim()).toBe(file)
  })
})

describe('worker threads', () => {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    const { attributeTurn } = require(workerData.root)
    parentPort.postMessage('started')
    const work = () => attributeTurn(workerData.request)
    const loop = () => work().then((result) => { parentPort.postMessage(result.shown.length); return workerData.loop && loop() })
    loop()`

  function start(workerData: object): Worker {
    return new Worker(code, { eval: true, workerData: { root, ...workerData } })
  }

  it('load and use the addon side by side', async () => {
    const request = await switchAndEdit()
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const worker = start({ request })
        const messages: unknown[] = []
        worker.on('message', (message) => messages.push(message))
        const exit = await new Promise<number>((resolve, reject) => worker.on('exit', resolve).on('error', reject))
        return [exit, ...messages]
      }),
    )
    for (const answer of answers) expect(answer).toEqual([0, 'started', 1])
  })

  it('may be terminated in the middle of a call', async () => {
    const request = await switchAndEdit()
    for (let round = 0; round < 6; round++) {
      const worker = start({ request, loop: true })
      await new Promise((resolve) => worker.once('message', resolve))
      await new Promise((resolve) => setTimeout(resolve, round * 3))
      expect(await worker.terminate()).toBe(1)
    }
  })
})
