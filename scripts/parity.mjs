// Compares `diffTurn` with `git diff` over first-parent pairs of any repository: npm run parity -- <repo> [--pairs N]
// [--modes plain,ignore-space,…] [--from N]. Prints the share of pairs that are equal byte for byte, and every difference by kind.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { diffTurn } = createRequire(import.meta.url)('..')

const MODES = {
  plain: [[], {}],
  'ignore-space': [['-w'], { ignoreWhitespace: true }],
  'no-context': [['-U0'], { contextLines: 0 }],
  'ten-lines': [['-U10'], { contextLines: 10 }],
  'full-index': [['--full-index'], { fullIndex: true }],
}
const LARGE = 4_000_000_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    modes: { type: 'string', default: Object.keys(MODES).join(',') },
    examples: { type: 'string', default: '3' },
  },
})
if (positionals.length !== 1) {
  console.error(
    'usage: npm run parity -- <repository> [--pairs N] [--from N] [--modes plain,ignore-space,no-context,ten-lines,full-index] [--examples N]',
  )
  process.exit(2)
}
const cwd = resolve(positionals[0])
const env = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ATTR_NOSYSTEM: '1',
  LC_ALL: 'C',
}

function git(...args) {
  const run = spawnSync('git', ['--no-pager', ...args], { cwd, env, maxBuffer: 1 << 30 })
  if (run.error || run.status !== 0) throw run.error ?? new Error(`git ${args.join(' ')}: ${run.stderr}`)
  return run.stdout
}

const lines = git('rev-list', '--first-parent', '--parents', 'HEAD').toString().trim().split('\n')
const all = lines.map((line) => line.split(' ')).filter((oids) => oids.length > 1)
const wanted = Math.min(Number(values.pairs), all.length)
const start = Number(values.from)
const pairs = Array.from({ length: wanted }, (_, n) => all[Math.floor((n * all.length) / wanted)]).slice(start)

let unequal = 0
for (const mode of values.modes.split(',')) unequal += await compare(mode, ...MODES[mode])
process.exitCode = unequal > 0 ? 1 : 0

async function compare(mode, flags, options) {
  const sums = { pairs: 0, equal: 0, sections: 0, equalSections: 0, renames: 0, counts: 0 }
  const kinds = new Map()
  const note = (kind, example) => {
    const known = kinds.get(kind) ?? { count: 0, examples: [] }
    known.count += 1
    if (known.examples.length < Number(values.examples)) known.examples.push(example)
    kinds.set(kind, known)
  }
  const times = { git: 0, ours: 0 }
  for (const [to, from] of pairs) {
    const settings = ['-c', 'core.quotePath=true', '-c', 'color.ui=false', `--attr-source=${to}`]
    const plain = ['--no-color', '--no-ext-diff', '--no-textconv', ...flags]
    let began = performance.now()
    const expected = git(...settings, 'diff', '--patch', ...plain, from, to)
    times.git += performance.now() - began
    began = performance.now()
    const request = { cwd, from: { ref: from }, to: { ref: to } }
    const all = { includeGitChanges: true, maxFileBytes: LARGE, maxBytes: LARGE }
    const diff = await diffTurn(request, { ...all, ...options })
    times.ours += performance.now() - began
    sums.pairs += 1
    const counts = git(
      ...settings,
      'diff',
      '--numstat',
      '-z',
      ...plain.filter((flag) => !flag.startsWith('-U')),
      from,
      to,
    ).toString('latin1')
    const ours = numstat(diff.files)
    const known = new Set(ours)
    for (const row of rows(counts)) {
      sums.counts += 1
      if (!known.has(row)) note('line counts or names', `${from}..${to} ${row}`)
    }
    if (expected.equals(diff.patchBytes)) {
      sums.equal += 1
      const count = sections(expected).size
      sums.sections += count
      sums.equalSections += count
      sums.renames += diff.files.filter((file) => file.kind === 'renamed').length
      continue
    }
    const [theirs, mine] = [sections(expected), sections(diff.patchBytes)]
    for (const [name, text] of theirs) {
      sums.sections += 1
      if (mine.get(name) === text) sums.equalSections += 1
      else note(kindOf(text, mine.get(name)), `${from}..${to} ${name}\n${firstDifference(text, mine.get(name))}`)
    }
    for (const name of mine.keys()) if (!theirs.has(name)) note('section of ours alone', `${from}..${to} ${name}`)
  }
  const share = (part, whole) => `${part} of ${whole} (${whole === 0 ? 100 : ((100 * part) / whole).toFixed(3)} %)`
  console.log(
    `${mode}: pairs equal ${share(sums.equal, sums.pairs)}, sections equal ${share(sums.equalSections, sums.sections)}`,
  )
  console.log(
    `  ${sums.renames} renames; ${sums.counts} count rows; git ${Math.round(times.git)} ms, diffTurn ${Math.round(times.ours)} ms`,
  )
  for (const [kind, { count, examples }] of kinds) {
    console.log(`  ${count} × ${kind}`)
    for (const example of examples) console.log(`      ${example.replaceAll('\n', '\n        ')}`)
  }
  return sums.pairs - sums.equal + (kinds.get('line counts or names')?.count ?? 0)
}

/** Header line → text of the section; a second section of the same name is a change of type. */
function sections(patch) {
  const found = new Map()
  for (const text of patch.toString('latin1').split(/^(?=diff --git )/m)) {
    if (text === '') continue
    let name = text.slice(0, text.indexOf('\n'))
    while (found.has(name)) name += ' (again)'
    found.set(name, text)
  }
  return found
}

function kindOf(git, ours) {
  if (ours === undefined) return git.includes('\nrename from ') ? 'rename of git alone' : 'section of git alone'
  const strip = (text, pattern) => text.replace(pattern, '')
  const similarity = /^similarity index .*$/m
  if (strip(git, similarity) === strip(ours, similarity)) return 'similarity index'
  if (strip(git, /^index .*$/m) === strip(ours, /^index .*$/m)) return 'index line'
  const functions = /^(@@ -\S+ \+\S+ @@).*$/gm
  if (git.replace(functions, '$1') === ours.replace(functions, '$1')) return 'function text'
  const header = (text) => text.split(/^@@ /m, 1)[0]
  return header(git) === header(ours) ? 'hunks' : 'header'
}

function firstDifference(git, ours = '') {
  const [one, two] = [git.split('\n'), ours.split('\n')]
  const at = one.findIndex((line, index) => line !== two[index])
  return `git:  ${one[at] ?? '(end)'}\nours: ${two[at] ?? '(end)'}`
}

function rows(numstat) {
  const fields = numstat.split('\0')
  const found = []
  for (let at = 0; at + 1 < fields.length; at += 1) {
    const [added, deleted, path] = fields[at].split('\t')
    if (path !== '') found.push(`${added} ${deleted} ${fields[at].split('\t').slice(2).join('\t')}`)
    else {
      found.push(`${added} ${deleted} ${fields[at + 1]} => ${fields[at + 2]}`)
      at += 2
    }
  }
  return found
}

function numstat(files) {
  const name = (path, bytes) => (bytes ?? Buffer.from(path)).toString('latin1')
  return files.map((file) => {
    const path = name(file.path, file.pathBytes)
    const from = file.previousPath === null ? '' : `${name(file.previousPath, file.previousPathBytes)} => `
    return `${file.additions ?? '-'} ${file.deletions ?? '-'} ${from}${path}`
  })
}
