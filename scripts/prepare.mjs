// Makes a clone ready to run: installs what package-lock.json asks for, builds the addon and the viewer, each only when
// it is missing or older than what it is made from.

import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const addon = new RegExp(`^turn-attribution\\.${process.platform}-${process.arch}\\b.*\\.node$`)

if (changed('package-lock.json') > changed('node_modules/.package-lock.json')) npm('ci')

const sources = ['Cargo.toml', 'Cargo.lock', 'build.rs', 'package.json', ...filesUnder('src')]
const built = ['index.d.ts', 'binding.js', readdirSync(root).find((name) => addon.test(name)) ?? 'no addon yet']
if (Math.max(...sources.map(changed)) > Math.min(...built.map(changed))) {
  requireCargo()
  npm('run', 'build')
}

const viewerSources = filesUnder('viewer').filter((path) => !path.startsWith(join('viewer', 'dist')))
const words = join('bin', 'presentation', 'words.js')
const viewerBuild = ['viewer/dist/index.d.ts', 'viewer/dist/styles.css', 'viewer/dist/page/index.html']
if (Math.max(...['package-lock.json', words, ...viewerSources].map(changed)) > Math.min(...viewerBuild.map(changed)))
  npm('run', 'build:viewer')

function changed(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name))
}

function npm(...args) {
  const cli = process.env.npm_execpath
  const [command, first] = cli ? [process.execPath, [cli]] : ['npm', []]
  // Standard output belongs to the command that needs the addon.
  const stdio = ['ignore', process.stderr, process.stderr]
  const shell = !cli && process.platform === 'win32'
  const { status } = spawnSync(command, [...first, ...args], { cwd: root, stdio, shell })
  if (status !== 0) process.exit(status ?? 1)
}

function requireCargo() {
  if (spawnSync('cargo', ['--version'], { cwd: root }).status === 0) return
  console.error('The addon is built from Rust: install Rust 1.88 or later (https://rustup.rs), then run this again.')
  process.exit(1)
}
