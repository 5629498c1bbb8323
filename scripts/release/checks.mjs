// What is held against the packed root package itself: its files, its manifest, its types as strict callers read them.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinned, underPinnedNames } from './contents.mjs'
import { layOut } from './loads.mjs'
import { manifest, root, targets } from './targets.mjs'
import { npm } from './tools.mjs'

/** For each check: `'right'`, or what it told. */
export function checks(packages) {
  const own = packages.find(({ name }) => name === manifest.name)
  return {
    'files of the root package': files(own),
    'files of the platform packages':
      packages
        .filter((each) => each !== own)
        .map(platformFiles)
        .find((told) => told !== 'right') ?? 'right',
    'nothing runs at install, nothing is needed at run time': plain(own.manifest),
    'platform packages asked for, at one version': asked(own.manifest),
    'publint 0.3.25': told(process.execPath, join(npm('publint', '0.3.25'), 'src', 'cli.js'), own.tarball, '--strict'),
    'attw 0.18.5': attw(own, '--exclude-entrypoints', 'viewer', 'viewer/styles.css'),
    // Components of React: for bundlers and for ES modules, which CommonJS reaches by `import()`.
    'attw 0.18.5, viewer': attw(own, '--entrypoints', 'viewer', '--profile', 'esm-only'),
    'types, as strict as they can be asked for': types(own),
  }
}

function files({ files }) {
  const held = underPinnedNames(files)
  const extra = held.filter((path) => !pinned.includes(path))
  const lost = pinned.filter((path) => !held.includes(path))
  return [...extra.map((path) => `+${path}`), ...lost.map((path) => `-${path}`)].join(' ') || 'right'
}

function platformFiles({ name, files }) {
  const { file } = targets.find((target) => target.package === name)
  const pinned = ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'THIRD-PARTY-NOTICES.md', 'package.json', file].sort()
  return files.join() === pinned.join() ? 'right' : `${name}: ${files}`
}

function plain({ scripts, dependencies, devDependencies }) {
  const left = { scripts, dependencies, devDependencies }
  return JSON.stringify(left) === '{}' ? 'right' : JSON.stringify(left)
}

function asked({ optionalDependencies }) {
  const wrong = targets.filter((target) => {
    const { version, engines, repository, os, cpu, libc } = JSON.parse(
      readFileSync(join(root, 'npm', target.name, 'package.json'), 'utf8'),
    )
    const same =
      optionalDependencies[target.package] === version &&
      version === manifest.version &&
      engines.node === manifest.engines.node &&
      repository.url === manifest.repository.url
    const narrow = os.join() === target.platform && cpu.join() === target.arch
    const library = { gnu: 'glibc', musl: 'musl' }[target.abi]
    return !same || !narrow || (target.platform === 'linux' && libc.join() !== library)
  })
  return wrong.map((target) => target.package).join(' ') || 'right'
}

function types(own) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turn-attribution-types-')))
  try {
    layOut(folder, [own])
    const call = `const { shown } = await attributeTurn({ cwd: '.', from: { ref: 'a' }, to: { ref: 'b' } })
      const first: ShownFile | undefined = shown[0]
      // @ts-expect-error there may be no first file
      shown[0].path
      console.log(first, transitionLabel)`
    const names = '{ attributeTurn, transitionLabel, type ShownFile }'
    writeFileSync(join(folder, 'module.mts'), `import ${names} from 'turn-attribution'\n${call}\n`)
    writeFileSync(
      join(folder, 'common.cts'),
      `import turns = require('turn-attribution')\nconst head: Promise<turns.HeadFacts> = turns.readHead('.')\nexport = head\n`,
    )
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--verbatimModuleSyntax', '--noUncheckedIndexedAccess']
    const node = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')]
    const flags = [...strict, ...node, '--ignoreConfig', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022']
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const run = (module, ...names) =>
      told(process.execPath, tsc, ...flags, '--module', module, ...names.map((name) => join(folder, name)))
    const outcomes = [run('nodenext', 'module.mts', 'common.cts'), run('preserve', 'module.mts')]
    return outcomes.find((each) => each !== 'right') ?? 'right'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function attw({ tarball }, ...flags) {
  return told(process.execPath, join(npm('@arethetypeswrong/cli', '0.18.5'), 'dist', 'index.js'), tarball, ...flags)
}

function told(...command) {
  const [first, ...rest] = command
  const { status, stdout, stderr } = spawnSync(first, rest, { encoding: 'utf8' })
  return status === 0 ? 'right' : `${stdout}${stderr}`.trim()
}
