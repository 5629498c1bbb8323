// Fuzzes each target for a while: `npm run fuzz [-- seconds [target …]]`, a minute each unless told. What is found
// stands in fuzz/artifacts. New inputs stay in fuzz/target: the corpora of the repository are small and chosen.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [seconds = '60', ...given] = process.argv.slice(2)
const all = readdirSync(join(root, 'fuzz/fuzz_targets')).map((name) => name.replace(/\.rs$/, ''))

// The instrumentation is an unstable flag of any compiler; the sanitizers need a nightly one, and this is safe Rust.
const env = { ...process.env, RUSTC_BOOTSTRAP: '1' }

if (spawnSync('cargo', ['fuzz', '--version']).status !== 0) cargo('install', '--locked', 'cargo-fuzz')
const failed = (given.length > 0 ? given : all).filter((target) => {
  const found = join(root, 'fuzz/target/corpus', target)
  mkdirSync(found, { recursive: true })
  const corpora = [found, join(root, 'fuzz/corpus', target)]
  const limits = [`-max_total_time=${seconds}`, '-max_len=4096', '-timeout=10', '-print_final_stats=1']
  return cargo('fuzz', 'run', '--sanitizer', 'none', target, ...corpora, '--', ...limits) !== 0
})
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)

function cargo(...words) {
  return spawnSync('cargo', words, { cwd: root, env, stdio: 'inherit' }).status
}
