// Publishes what stands in `packed/`, the root last: `node scripts/release/publish.mjs [--dry-run]`. What the registry has
// already is passed over, so that a run that broke off can be run again.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { changes } from './changelog.mjs'
import { packed } from './pack.mjs'
import { manifest, targets } from './targets.mjs'

const dry = process.argv.includes('--dry-run')
const { version } = manifest
const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined
// On a tag a dry run says so too: before the rest is built and somebody is asked to approve it.
if ((!dry || tag !== undefined) && tag !== `v${version}`) fail(`the tag is ${tag}, the version ${version}`)
if (changes(version) === '') fail(`CHANGELOG.md has no section ${version}`)

const names = [...targets.map((target) => target.package), manifest.name]
const tarball = (name) => join(packed, `${name}-${version}.tgz`)
const missing = names.filter((name) => !existsSync(tarball(name)))
if (missing.length > 0) fail(`not packed: ${missing.join(', ')}`)

// `latest` is what an install without a version gets: no version with a suffix.
const label = version.includes('-') ? 'next' : 'latest'
// By force, as until the next version is set the registry has this one, which even a dry run would not go over.
const how = dry ? ['--dry-run', '--force'] : ['--provenance']

for (const name of names) {
  if (!dry && npm('view', `${name}@${version}`, 'version').stdout.trim() === version) {
    console.log(`${name} ${version} is there`)
    continue
  }
  const { status, stdout, stderr } = npm('publish', tarball(name), '--access', 'public', '--tag', label, ...how)
  console.log(`${stdout}${stderr}`.trim())
  if (status !== 0) fail(`${name} was not published`)
}

function npm(...args) {
  return spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
