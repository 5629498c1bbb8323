// A repository of a scenario: real git, nothing of the machine's own settings.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What a scenario does to its repository. */
export interface ScenarioRepository {
  readonly cwd: string
  readonly git: (...args: string[]) => string
  readonly write: (path: string, text: string) => void
  readonly remove: () => void
}

let template: string | undefined

/** `main` is checked out, with one file; `feature` holds 40 files more and `docs` 5, all of long ago. */
export function createRepository(): ScenarioRepository {
  const root = mkdtempSync(join(tmpdir(), 'attribution-host-'))
  const repository = repositoryIn(root)
  if (template === undefined) {
    template = mkdtempSync(join(tmpdir(), 'attribution-host-'))
    const made = template
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    fill(repositoryIn(template))
  }
  // Made once and copied: there are many scenarios.
  cpSync(template, root, { recursive: true })
  return repository
}

function repositoryIn(root: string): ScenarioRepository & { old: (...args: string[]) => string } {
  const cwd = join(root, 'checkout')
  const run = (args: string[], dates: Record<string, string>): string =>
    execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C', ...dates },
    }).trim()
  return {
    cwd,
    git: (...args) => run(args, {}),
    old: (...args) => run(args, { GIT_AUTHOR_DATE: longAgo, GIT_COMMITTER_DATE: longAgo }),
    write: (path, text) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    },
    remove: () => rmSync(root, { recursive: true }),
  }
}

const longAgo = '2024-01-01T00:00:00Z'

function fill({ cwd, old, write }: ReturnType<typeof repositoryIn>): void {
  mkdirSync(cwd)
  old('init', '-q', '-b', 'main')
  old('config', 'user.name', 'Robin Owner')
  old('config', 'user.email', 'robin@example.org')
  write('src/app.ts', 'one\ntwo\nthree\n')
  old('add', '-A')
  old('commit', '-q', '-m', 'first')
  for (const [branch, count] of [
    ['feature', 40],
    ['docs', 5],
  ] as const) {
    old('checkout', '-q', '-b', branch, 'main')
    for (let number = 1; number <= count; number++) {
      write(`${branch}/file-${String(number).padStart(2, '0')}.ts`, `a ${number}\nb ${number}\nc ${number}\n`)
    }
    old('add', '-A')
    old('commit', '-q', '-m', branch)
  }
  old('checkout', '-q', 'main')
}
