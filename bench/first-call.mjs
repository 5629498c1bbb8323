// Asks once in a process that has asked nothing before. Loading the package with its binary is told apart from the call:
// a host loads when it starts.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addonOf } from './addon.mjs'

const script = fileURLToPath(import.meta.url)
if (process.argv[1] === script) await askHere(JSON.parse(process.argv[2]))

/**
 * Milliseconds of the loading and of the call, and how far memory rose over what the loaded process had held, in MiB
 * (where /proc tells).
 */
export async function firstCall(question) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(question)])
  return JSON.parse(stdout)
}

async function askHere({ checkout, asks, cwd, refs, atOnce = 1 }) {
  const began = performance.now()
  const addon = addonOf(checkout)
  // The binary is loaded by the first function that needs it; this one does nothing else.
  await addon.closeRepositories()
  const loaded = performance.now()
  const held = mostHeld()
  const asked = performance.now()
  await Promise.all(Array.from({ length: atOnce }, () => addon.ask(asks, cwd, refs)))
  const answered = performance.now()
  console.log(JSON.stringify({ require: loaded - began, call: answered - asked, memory: mostHeld() - held }))
  process.exit(0)
}

/** The most memory that this process has held, in MiB. */
function mostHeld() {
  if (process.platform !== 'linux') return Number.NaN
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
}
