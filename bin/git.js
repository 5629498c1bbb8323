'use strict'

// The real git, for the commands that take snapshots. Whatever the environment says of another repository or another
// index does not reach it, and of the settings only those count that decide what `git add` makes of a file.

const { spawn } = require('node:child_process')
const { CommandError } = require('./command-error.js')

/** Of git's own variables these alone are kept: where its programs and the person's settings are. */
const KEPT = new Set(['GIT_EXEC_PATH', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'])

const MOST_LINES = 8

const OWN = {
  // The index of a submodule is not refreshed, and nothing is fetched or asked for.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // The same for a git that does not know it: no way to fetch is allowed.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // No log of what git did, wherever the settings send it.
  GIT_TRACE2: '0',
  GIT_TRACE2_EVENT: '0',
  GIT_TRACE2_PERF: '0',
  GIT_AUTHOR_NAME: 'turn-attribution',
  GIT_AUTHOR_EMAIL: 'turn-attribution',
  GIT_COMMITTER_NAME: 'turn-attribution',
  GIT_COMMITTER_EMAIL: 'turn-attribution',
  // Messages as git writes them, while filters keep the person's character set.
  LANGUAGE: 'en',
}

const SETTINGS = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.logAllRefUpdates': 'false',
  // What looks unchanged has to be unchanged.
  'core.trustctime': 'true',
  'core.checkStat': 'default',
  'core.ignoreStat': 'false',
  'core.untrackedCache': 'false',
  // The copy of an index is whole, in one file. What a sparse checkout leaves out is told by the entries.
  'core.splitIndex': 'false',
  'core.sparseCheckout': 'false',
  'index.sparse': 'false',
  // Only warns, or refuses.
  'core.safecrlf': 'false',
  'advice.addEmbeddedRepo': 'false',
  'i18n.commitEncoding': 'UTF-8',
}

const flags = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`])

function environment(more) {
  const kept = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name) || KEPT.has(name))
  return { ...Object.fromEntries(kept), ...OWN, ...more }
}

const running = new Set()

/** Ends what was started: nobody waits for it any more. */
exports.stopGit = () => {
  for (const child of running) child.kill()
}

/** Runs git and tells what came of it. `onOutput` is given what it prints, piece by piece, which then is not kept. */
exports.tryGit = (cwd, args, { env = {}, input = '', onOutput } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn('git', [...flags, ...args], { cwd, env: environment(env) })
    const [stdout, stderr] = [[], []]
    running.add(child)
    child.stdout.on('data', onOutput ?? ((chunk) => stdout.push(chunk)))
    child.stderr.on('data', (chunk) => stderr.push(chunk))
    // One that ends early takes no input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('error', (error) => {
      const why = error.code === 'ENOENT' ? 'is git installed?' : error.message
      reject(new CommandError(`git cannot be run: ${why}`))
    })
    child.on('close', (status) => {
      running.delete(child)
      const text = (chunks) => Buffer.concat(chunks).toString('utf8')
      resolve({ status, stdout: text(stdout), stderr: text(stderr) })
    })
  })

/** What git said of a failure; of thousands of files alike the first tell enough. */
exports.saidOf = ({ status, stderr }) => {
  const lines = stderr.trim().split('\n')
  const more = lines.length > MOST_LINES ? `\n… and ${lines.length - MOST_LINES} lines more` : ''
  return (lines.slice(0, MOST_LINES).join('\n') || `status ${status}`) + more
}

/** Runs git and gives what it prints, without the last line feed. */
exports.git = async (cwd, args, options) => {
  const ran = await exports.tryGit(cwd, args, options)
  if (ran.status !== 0) throw new CommandError(`git ${args[0]} failed: ${exports.saidOf(ran)}`)
  return ran.stdout.replace(/\n$/, '')
}
