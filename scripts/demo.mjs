// The demo: a turn that pulls a teammate's push and edits three files, in a temporary repository made with real git.
// Printed are what plain `git diff` lists for the turn, and the card of the same two checkpoints.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { readHead, writeCheckpointFacts } = createRequire(import.meta.url)('..')
const cli = fileURLToPath(new URL('../bin/turn-attribution.js', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'turn-attribution-demo-'))
const [remote, teammate, checkout] = ['remote.git', 'teammate', 'checkout'].map((name) => join(home, name))

// No setting of this machine reaches the demo, nor is any changed.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
Object.assign(env, { HOME: home, XDG_CONFIG_HOME: home, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' })

const CHAT_VIEW = 'apps/web/src/components/ChatView.tsx'
const DIFF_PANEL = 'apps/web/src/components/DiffPanel.tsx'
const ROUTES = 'apps/server/src/routes.ts'
const upstream = (number) => `apps/desktop/src/module-${String(number).padStart(3, '0')}.ts`

try {
  theProjectOfYesterday()
  teammatePushes215Files()
  const from = await checkpoint('before')
  git(checkout, 'pull', '--quiet', '--ff-only')
  edit(CHAT_VIEW, { at: 30, remove: 20, add: 90 })
  edit(DIFF_PANEL, { at: 10, remove: 12, add: 40 })
  edit(ROUTES, { at: 5, remove: 6, add: 12 })
  const to = await checkpoint('after')

  console.log('Plain git diff of the turn:\n')
  process.stdout.write(git(checkout, 'diff', '--stat=58', '--stat-count=5', from, to))
  console.log('\nturn-attribution, of the same turn:\n')
  execFileSync(process.execPath, [cli, 'card', from, to, '--cwd', checkout], { env, stdio: 'inherit' })
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

function theProjectOfYesterday() {
  git(home, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
  git(home, 'init', '--quiet', '--initial-branch=main', teammate)
  git(teammate, 'remote', 'add', 'origin', remote)
  for (const path of [CHAT_VIEW, DIFF_PANEL, ROUTES]) write(teammate, path, lines(path, 200))
  for (let number = 1; number <= 120; number++) write(teammate, upstream(number), lines(`module ${number}`, 40))
  commitAndPush('A project', 48)
  git(home, 'clone', '--quiet', remote, checkout)
}

// 100 files changed, 100 added, 14 deleted; and one changed that the turn edits as well.
function teammatePushes215Files() {
  for (let number = 1; number <= 100; number++) write(teammate, upstream(number), lines(`changed ${number}`, 60))
  for (let number = 107; number <= 120; number++) rmSync(join(teammate, upstream(number)))
  for (let number = 121; number <= 220; number++) write(teammate, upstream(number), lines(`added ${number}`, 50))
  write(teammate, CHAT_VIEW, [...lines('teammate', 25), ...lines(CHAT_VIEW, 200)])
  commitAndPush('Rework the desktop modules', 1)
}

// What a host does at the boundary of a turn: a parentless commit of the whole working tree, head and branch beside it.
async function checkpoint(name) {
  const { headOid, branch, pin } = await readHead(checkout)
  const facts = { headOid, branch, pin, turnStartedAt: Date.now() }
  const message = await writeCheckpointFacts(`Checkpoint ${name} turn 1`, facts)
  const index = { GIT_INDEX_FILE: join(home, 'index') }
  git(checkout, 'read-tree', 'HEAD', index)
  git(checkout, 'add', '--all', '--', '.', index)
  const tree = git(checkout, 'write-tree', index).trim()
  const ref = `refs/checkpoints/turn-1/${name}`
  git(checkout, 'update-ref', ref, git(checkout, 'commit-tree', tree, '-m', message).trim())
  return ref
}

function edit(path, { at, remove, add }) {
  const content = readFileSync(join(checkout, path), 'utf8').trimEnd().split('\n')
  content.splice(at, remove, ...lines('agent', add))
  write(checkout, path, content)
}

function commitAndPush(message, hoursAgo) {
  const date = new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
  git(teammate, 'add', '--all')
  git(teammate, 'commit', '--quiet', '-m', message, { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date })
  git(teammate, 'push', '--quiet', 'origin', 'main')
}

function lines(text, count) {
  return Array.from({ length: count }, (_, index) => `// ${text}, line ${index + 1}`)
}

function write(repository, path, content) {
  const file = join(repository, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${content.join('\n')}\n`)
}

function git(cwd, ...args) {
  const extra = typeof args.at(-1) === 'object' ? args.pop() : {}
  const settings = ['user.name=Demo', 'user.email=demo@example.com', 'core.autocrlf=false', 'gc.auto=0']
  const given = [...settings.flatMap((setting) => ['-c', setting]), ...args]
  return execFileSync('git', given, {
    cwd,
    env: { ...env, ...extra },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
