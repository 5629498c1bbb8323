// Installs the packed packages into an empty project, by name from a registry, with each package manager; then asks the
// package from there, and runs the README's example.

import { execFile, execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { smoke } from './loads.mjs'
import { registry } from './registry.mjs'
import { manifest, root } from './targets.mjs'
import { bun, node, npm } from './tools.mjs'
import { aTurn } from './turn.mjs'

const execute = promisify(execFile)
const NODE = '24.22.3'
const wanted = `${manifest.name}@${manifest.version}`

const MANAGERS = {
  'npm 11.19.1': {
    install: () => [process.execPath, cli('npm', '11.19.1', 'bin/npm-cli.js'), 'install', wanted],
  },
  // Older than the components want, which is no matter to a host that has no use for them.
  'npm 11.19.1, beside React 18': {
    has: [{ name: 'react', version: '18.3.1', main: 'index.js' }],
    install: () => [process.execPath, cli('npm', '11.19.1', 'bin/npm-cli.js'), 'install', wanted],
  },
  'pnpm 10.34.8': {
    install: () => [process.execPath, cli('pnpm', '10.34.8', 'bin/pnpm.cjs'), 'add', wanted],
  },
  'yarn 4.18.1 (PnP)': {
    install: () => [process.execPath, cli('@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js'), 'add', wanted],
    node: () => [node.x64(NODE), cli('@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js'), 'node'],
  },
  'yarn 1.22.22': {
    install: () => [process.execPath, cli('yarn', '1.22.22', 'bin/yarn.js'), 'add', '--exact', wanted],
    // It fetches first and looks at `os` and `cpu` then; of `libc` it knows nothing.
    fetches: /./,
  },
  'bun 1.4.5': {
    install: () => [bun('1.4.5'), 'add', wanted],
    node: () => [bun('1.4.5')],
  },
}

function cli(name, version, path) {
  return join(npm(name, version), path)
}

/** For each package manager: `'right'`, or what went wrong. */
export async function installs(packages) {
  const told = {}
  for (const [name, manager] of Object.entries(MANAGERS)) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turn-attribution-install-')))
    const from = await registry([...packages, ...(manager.has ?? []).map((own) => standIn(own, folder))])
    try {
      told[name] = await install(manager, folder, from)
    } catch (error) {
      told[name] = `${error.message}\n${error.stdout ?? ''}`.trim()
    } finally {
      from.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return told
}

async function install(manager, folder, { origin, fetched }) {
  const project = join(folder, 'project')
  mkdirSync(project)
  const write = (name, text) => writeFileSync(join(project, name), text)
  const has = (manager.has ?? []).map(({ name, version }) => [name, version])
  write('package.json', JSON.stringify({ private: true, type: 'module', dependencies: Object.fromEntries(has) }))
  write('.npmrc', `registry=${origin}/\n`)
  write('.yarnrc', `registry "${origin}/"\n`)
  write('.yarnrc.yml', `npmRegistryServer: "${origin}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nenableGlobalCache: false\n`)
  write('bunfig.toml', `[install]\nregistry = "${origin}/"\n`)
  write('yarn.lock', '')
  // Nothing of the user's, and no cache of an earlier run.
  const env = {
    PATH: `${dirname(node.x64(NODE))}:${process.env.PATH}`,
    HOME: folder,
    XDG_DATA_HOME: folder,
    npm_config_registry: `${origin}/`,
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
    BUN_INSTALL_CACHE_DIR: join(folder, 'bun'),
  }
  const start = async ([first, ...rest]) =>
    (await execute(first, rest, { cwd: project, env, timeout: 300_000 })).stdout.trim()
  await start(manager.install())
  const expected = [manifest.name, ...has.map(([name]) => name)]
  const extra = fetched.filter((name) => !expected.includes(name) && !(manager.fetches ?? /-linux-x64-gnu$/).test(name))
  if (extra.length > 0) throw new Error(`fetched ${extra}`)
  for (const [name, version] of has) {
    const path = join(project, 'node_modules', name, 'package.json')
    if (!existsSync(path) || JSON.parse(readFileSync(path, 'utf8')).version !== version)
      throw new Error(`${name} ${version}, the project's own, is gone`)
  }

  const runtime = (manager.node ?? (() => [node.x64(NODE)]))()
  const turn = aTurn(join(folder, 'turn'))
  write('example.ts', example(turn))
  const shown = await start([...runtime, join(project, 'example.ts')])
  if (!/written\.txt/.test(shown) || /moved\.txt/.test(shown) || !/\] 1 \w/.test(shown))
    throw new Error(`the example printed ${shown}`)
  const command = join(project, 'node_modules', '.bin', 'turn-attribution')
  // Yarn's PnP has no such folder.
  if (existsSync(command)) await commands((...args) => start([command, ...args, '--cwd', turn.cwd]), turn)
  await withoutReact((code) => start([...runtime, '--eval', code]), has)
  return start([...runtime, smoke, join(project, 'package.json'), JSON.stringify(turn)])
}

/** What a person types, from the installed package; the page itself is asked in `view-server.spec.ts`. */
async function commands(command, { cwd, from, to }) {
  const expect = async (args, right) => {
    const shown = await command(...args)
    if (!right.test(shown)) throw new Error(`${args.join(' ')} printed ${shown}`)
  }
  await expect(['head'], /"headOid"/)
  await expect(['card', from.ref, to.ref, '--from-head', from.headOid, '--to-head', to.headOid], /written\.txt/)
  await expect(['mark', 'release'], /release/)
  appendFileSync(join(cwd, 'written.txt'), 'and more\n')
  await expect(['show', 'release', '--patch'], /^\+and more$/m)
  await expect(['list', '--json'], /"name": ?"release"/)
}

/** The components want React and say so; nothing else of the package does. */
async function withoutReact(evaluate, has) {
  const code = `import('turn-attribution/viewer').then(() => console.log('loaded'), (error) => console.log(error.message))`
  const told = await evaluate(code)
  if (has.length === 0 && !/react/.test(told)) throw new Error(`the viewer without React: ${told}`)
}

/** A package of that name and version, and of nothing else. */
function standIn(own, folder) {
  const at = join(folder, own.name)
  mkdirSync(at)
  writeFileSync(join(at, 'package.json'), JSON.stringify(own))
  writeFileSync(join(at, own.main), '')
  execFileSync('npm', ['pack', '--ignore-scripts'], { cwd: at, stdio: 'ignore' })
  return { name: own.name, manifest: own, tarball: join(at, `${own.name}-${own.version}.tgz`) }
}

/** The example as the README prints it, and what it leaves to the host: the same turn, once more. */
function example({ cwd, from }) {
  const [, code] = /```ts\n(import [\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))
  const host = `
    import { execFileSync } from 'node:child_process'
    import { writeFileSync } from 'node:fs'
    const cwd = ${JSON.stringify(cwd)}
    const author = { GIT_AUTHOR_NAME: 'host', GIT_AUTHOR_EMAIL: 'host@example.com' }
    const env = { ...process.env, ...author, GIT_COMMITTER_NAME: 'host', GIT_COMMITTER_EMAIL: 'host@example.com' }
    const git = (...args: string[]): string => execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trim()
    git('reset', '--quiet', '--hard', '${from.headOid}')
    async function takeSnapshot(_: string): Promise<string> {
      git('add', '--all')
      return git('commit-tree', '-m', 'snapshot', git('write-tree'))
    }
    async function runTheAgent(): Promise<void> {
      git('merge', '--quiet', '--ff-only', 'upstream')
      writeFileSync(cwd + '/written.txt', 'before\\nthe agent\\n')
    }
  `
  return `${host}\n${code}`
}
