// A turn made with real git for the loads of the release check: one file was pulled, one was written by the agent.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The request that asks about the turn. */
export function aTurn(folder) {
  mkdirSync(folder, { recursive: true })
  const plain = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const author = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Somebody'],
    [`GIT_${role}_EMAIL`, 'somebody@example.com'],
  ])
  // git knows `/dev/null` on Windows too, and not the name that Windows has for it.
  const env = Object.fromEntries([
    ...plain,
    ...author,
    ['GIT_CONFIG_GLOBAL', '/dev/null'],
    ['GIT_CONFIG_NOSYSTEM', '1'],
  ])
  // The teammate's work is older than the turn.
  Object.assign(env, { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' })
  const git = (...args) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim()
  const write = (name, text) => writeFileSync(join(folder, name), text)
  const snapshot = () => {
    git('add', '--all')
    return {
      ref: git('commit-tree', '-m', 'snapshot', git('write-tree')),
      headOid: git('rev-parse', 'HEAD'),
      branch: 'main',
    }
  }
  git('init', '--quiet', '--initial-branch=main')
  write('moved.txt', 'before\n')
  write('written.txt', 'before\n')
  git('add', '--all')
  git('commit', '--quiet', '--message=first')
  git('switch', '--quiet', '--create=upstream')
  write('moved.txt', 'after\n')
  git('commit', '--quiet', '--all', '--message=upstream')
  git('switch', '--quiet', 'main')
  delete env.GIT_AUTHOR_DATE
  delete env.GIT_COMMITTER_DATE
  const from = { ...snapshot(), turnStartedAt: Date.now() }
  git('merge', '--quiet', '--ff-only', 'upstream')
  write('written.txt', 'before\nthe agent\n')
  return { cwd: folder, from, to: snapshot() }
}
