// Runs real git, hermetically: nothing of the machine's or the person's own settings reaches a test.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export interface GitRun {
  status: number
  stdout: string
  stderr: string
}

export interface GitOptions {
  env?: Record<string, string | undefined>
  input?: string | Buffer
}

/** The environment of a git child process. */
export interface GitEnvironment extends Record<string, string> {
  HOME: string
}

export interface Person {
  name: string
  email: string
}

/** Who commits in the checkout under test: the agent works under the repository owner's name. */
export const owner: Person = { name: 'Robin Owner', email: 'robin@example.org' }
/** Who pushes to the shared remote. */
export const colleague: Person = { name: 'Tess Teammate', email: 'tess@example.org' }

// Settings go through the environment, so that the repositories themselves stay as git makes them.
const settings: ReadonlyArray<readonly [string, string]> = [
  ['commit.gpgsign', 'false'],
  ['tag.gpgsign', 'false'],
  ['core.autocrlf', 'false'],
  ['init.defaultBranch', 'main'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.file.allow', 'always'],
  ['advice.detachedHead', 'false'],
  ['advice.mergeConflict', 'false'],
  ['advice.addEmbeddedRepo', 'false'],
  ['advice.skippedCherryPicks', 'false'],
  ['advice.diverging', 'false'],
  ['rebase.backend', 'merge'],
  ['pull.rebase', 'false'],
]

/** The whole environment of a git child process; `home` is an empty folder. */
export function gitEnvironment(home: string, person: Person = owner): GitEnvironment {
  const env: GitEnvironment = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    // Not /dev/null: `git config --global` would put a file in its place.
    GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_AUTHOR_NAME: person.name,
    GIT_AUTHOR_EMAIL: person.email,
    GIT_COMMITTER_NAME: person.name,
    GIT_COMMITTER_EMAIL: person.email,
    GIT_ADVICE: '0',
    FILTER_BRANCH_SQUELCH_WARNING: '1',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_COUNT: String(settings.length),
  }
  // What the repositories of a whole run are made as: `npm run formats` tells every story in every format.
  for (const name of ['GIT_DEFAULT_HASH', 'GIT_DEFAULT_REF_FORMAT'])
    if (process.env[name]) env[name] = process.env[name]
  settings.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  })
  return env
}

/** Whether refs and logs are files, so that a test may take them in its own hands. */
export const refsAreFiles = process.env.GIT_DEFAULT_REF_FORMAT !== 'reftable'

/** Runs git and returns what happened; a failure is an answer, not an exception. */
export function tryGit(cwd: string, env: GitEnvironment, args: string[], options: GitOptions = {}): GitRun {
  const merged: Record<string, string> = { ...env }
  for (const [key, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) delete merged[key]
    else merged[key] = value
  }
  const run = spawnSync('git', args, {
    cwd,
    env: merged,
    input: options.input ?? '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (run.error) throw run.error
  return { status: run.status ?? -1, stdout: run.stdout, stderr: run.stderr }
}

/** Runs git, expects success, returns its output without the last line feed. */
export function runGit(cwd: string, env: GitEnvironment, args: string[], options: GitOptions = {}): string {
  const run = tryGit(cwd, env, args, options)
  if (run.status !== 0) {
    throw new Error(`git ${args.join(' ')} failed with ${run.status}\n${run.stdout}${run.stderr}`)
  }
  return run.stdout.replace(/\n$/, '')
}
