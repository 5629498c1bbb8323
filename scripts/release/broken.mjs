// What goes wrong in the field, made on purpose from the packed packages: requiring never throws, and the first call
// says what is missing, why, and the ways out. Where the binary lies elsewhere it is found, or named by the environment.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { artifacts } from './build.mjs'
import { layOut, outcome, run, runInMusl } from './loads.mjs'
import { targets } from './targets.mjs'
import { node } from './tools.mjs'
import { aTurn } from './turn.mjs'

const NODE = '20.20.2'
const [gnu, arm64, musl] = ['linux-x64-gnu', 'linux-arm64-gnu', 'linux-x64-musl'].map((name) =>
  targets.find((target) => target.name === name),
)
const artifact = ({ file }) => join(artifacts, file)

const ASK = `const { readHead, isTurnAttributionError } = require('turn-attribution')
  readHead('.').then(() => console.log('loaded'), (error) =>
    console.log([isTurnAttributionError(error), error.code, error.message].join(' ')))`

const CASES = {
  'binary deleted': missing(({ binary }) => rmSync(binary), /Cannot find (module|package)/),
  'package deleted': missing(({ binary }) => rmSync(dirname(binary), { recursive: true }), /Cannot find module/),
  'binary of another processor': missing(
    ({ binary }) => copyFileSync(artifact(arm64), binary),
    /cannot open shared object|wrong ELF/,
  ),
  'musl binary named as one for glibc': missing(({ binary }) => copyFileSync(artifact(musl), binary), /libc\.so/),
  'glibc binary named as one for musl, in musl': ({ project, binary, turn }) => {
    const inMusl = join(project, 'node_modules', musl.package)
    renameSync(dirname(binary), inMusl)
    renameSync(join(inMusl, gnu.file), join(inMusl, musl.file))
    writeFileSync(join(inMusl, 'package.json'), JSON.stringify({ name: musl.package, main: musl.file }))
    return saysSo(runInMusl({ project, turn }, ASK), musl, /Error (loading shared library|relocating)/)
  },
  'binary cut short': missing(({ binary }) => writeFileSync(binary, 'half a downl'), /file too short|invalid ELF/),
  'platform package inside the root package': ({ project, binary, turn }) => {
    const inside = join(project, 'node_modules', 'turn-attribution', 'node_modules', gnu.package)
    mkdirSync(dirname(inside), { recursive: true })
    renameSync(dirname(binary), inside)
    return run([node.x64(NODE)], { project, turn })
  },
  'binary beside index.js': ({ project, binary, turn }) => {
    renameSync(binary, join(project, 'node_modules', 'turn-attribution', gnu.file))
    return run([node.x64(NODE)], { project, turn })
  },
  // Electron itself sends a path into the archive to the folder of what was unpacked; nothing else does.
  'desktop: unpacked beside the archive, not named': missing(
    ({ project, binary }) => unpack(project, binary),
    /Cannot find module/,
  ),
  'desktop: unpacked beside the archive, named by the environment': ({ project, binary, turn }) => {
    const env = { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: unpack(project, binary) }
    return run(['env', `NAPI_RS_NATIVE_LIBRARY_PATH=${env.NAPI_RS_NATIVE_LIBRARY_PATH}`, node.x64(NODE)], {
      project,
      turn,
    })
  },
}

/** For each case: `'right'`, or what went wrong. */
export function broken(packages) {
  const told = {}
  for (const [name, play] of Object.entries(CASES)) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turn-attribution-broken-')))
    try {
      const own = packages.filter((each) => ['turn-attribution', gnu.package].includes(each.name))
      const project = layOut(join(folder, 'app.asar'), own)
      const binary = join(project, 'node_modules', gnu.package, gnu.file)
      told[name] = outcome(() => play({ project, binary, turn: aTurn(join(folder, 'turn')) }))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return told
}

/** Moves the platform package to where bundlers of Electron put what they unpack; gives the path of the binary there. */
function unpack(project, binary) {
  const unpacked = join(`${project}.unpacked`, 'node_modules', gnu.package)
  mkdirSync(dirname(unpacked), { recursive: true })
  renameSync(dirname(binary), unpacked)
  return join(unpacked, gnu.file)
}

function missing(change, reason) {
  return ({ project, binary }) => {
    change({ project, binary })
    const told = execFileSync(node.x64(NODE), ['--eval', ASK], { cwd: project, encoding: 'utf8' }).trim()
    return saysSo(told, gnu, reason)
  }
}

function saysSo(told, target, reason) {
  const head = `true BINDING_MISSING native binding missing: ${target.package} could not be loaded (`
  const whole = told.startsWith(head) && reason.test(told) && /\(1\).*\(2\).*\(3\)/.test(told)
  return whole ? 'right' : told
}
