// A history made to be hard to print as patches: odd names, every kind of change, content that looks like headers.
import { spawnSync } from 'node:child_process'
import { Random } from '../simulation/random.js'
import { gitEnvironment } from '../support/git.js'
import { temporaryFolder } from '../support/turn-repository.js'

/** Bytes, one character each: names and contents need not be UTF-8. */
export type Bytes = string

export interface State {
  mode: '100644' | '100755' | '120000' | '160000'
  content: Bytes
}

const bytes = (text: string): Bytes => Buffer.from(text).toString('latin1')

// No folder is also a file: files have an `f` in their names.
const folders = ['', '', '', 'a/', 'b/', 'x b/', 'a b/b/', bytes('dir é/'), '\xfe/', 'dev/', 'tab\t/', '-- /']
const names = [
  'f',
  'f.ts',
  'f b',
  'f b/f b',
  'f.txt b',
  ' f',
  'f ',
  bytes('fé'),
  bytes('f😀'),
  'f\ttab',
  'f\nline',
  'f"quote"',
  'f\\back',
  'f\r',
  'f\xff\xfe',
  'f\x01\x7f',
  'f.orig',
  'f~',
  '+++ b/f',
  'f and b/f differ',
]

const contentLines = [
  ...['one', 'two', 'three', 'function f() {', '}', '', '', ' ', '\t', 'text\r', '\r', '\f', bytes('é'), '\xff\xfe'],
  ...['-- old comment', '++count;', '--count;', '- item', '-- ', '--', '++ b/x', '-- a/x', '-- /dev/null'],
  ...['--- a/x', '+++ b/x', '@@ -1 +1 @@', '@@ -1,2 +1,2 @@', 'diff --git a/x b/x', 'diff --cc x', 'Index: x'],
  ...['index 1111111..2222222 100644', 'new file mode 100644', 'rename from x', 'GIT binary patch', 'literal 3'],
  ...['Binary files a/x and b/x differ', '\\ No newline at end of file', 'From 0123 Mon Sep 17', '---', 'commit 0123'],
  `Subproject commit ${'0123456789'.repeat(4)}`,
]

/** A commit: its whole tree, and which commits of the list it comes after. */
export interface Step {
  files: ReadonlyMap<Bytes, State>
  parents: number[]
}

export class History {
  readonly cwd = temporaryFolder()
  readonly commits: string[]
  readonly merges: string[]
  private readonly env = gitEnvironment(this.cwd)

  constructor(steps: Step[]) {
    this.run(['init', '-q'])
    this.run(['fast-import', '--quiet'], Buffer.concat(steps.map(commit)))
    this.commits = this.revisions('--reverse')
    this.merges = this.revisions('--merges')
  }

  run(args: string[], input: Buffer = Buffer.alloc(0)): Buffer {
    const run = spawnSync('git', args, { cwd: this.cwd, env: this.env, input, maxBuffer: 1 << 28 })
    if (run.error) throw run.error
    if (run.status !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr.toString()}`)
    return run.stdout
  }

  private revisions(...options: string[]): string[] {
    const oids = this.run(['rev-list', '--topo-order', ...options, 'refs/heads/main'])
    return oids.toString().split('\n').filter(Boolean)
  }
}

/** What a patch between two trees is made of: path to content, with a mode where it is no plain file. */
export function twoTrees(before: Record<Bytes, Bytes | State>, after: Record<Bytes, Bytes | State>): History {
  const files = (tree: Record<Bytes, Bytes | State>): Step['files'] =>
    new Map(
      Object.entries(tree).map(([path, state]) => [
        path,
        typeof state === 'string' ? { mode: '100644', content: state } : state,
      ]),
    )
  return new History([
    { files: files(before), parents: [] },
    { files: files(after), parents: [0] },
  ])
}

/** Commits by chance, a fifth of them merges. The same seed gives the same. */
export function randomSteps(seed: string, count: number): Step[] {
  const chance = new Chance(seed)
  const steps: Step[] = []
  for (let at = 0; at < count; at += 1) {
    const files = new Map(steps[at - 1]?.files)
    const merged = at > 4 && chance.random.chance(0.2) ? chance.random.between(1, at - 2) : null
    for (const [path, state] of merged === null ? [] : (steps[merged]?.files ?? [])) {
      if (chance.random.chance(0.5) && !clashes(files, path)) files.set(path, state)
    }
    for (let change = chance.random.between(1, at === 0 ? 12 : 6); change > 0; change -= 1) chance.change(files)
    steps.push({ files, parents: at === 0 ? [] : merged === null ? [at - 1] : [at - 1, merged] })
  }
  return steps
}

class Chance {
  readonly random: Random

  constructor(seed: string) {
    this.random = new Random(seed)
  }

  change(files: Map<Bytes, State>): void {
    const { random } = this
    const path = random.pickOrNull([...files.keys()])
    const fresh = random.pick(folders) + random.pick(names)
    const state = path === null ? undefined : files.get(path)
    const kind = random.next()
    const add = (added: State) => {
      if (!clashes(files, fresh)) files.set(fresh, added)
    }
    if (path === null || state === undefined || kind < 0.25) {
      add({ mode: this.mode(), content: this.content() })
    } else if (kind < 0.5) {
      files.set(path, { ...state, content: this.edited(state.content) })
    } else if (kind < 0.6) {
      files.delete(path)
    } else if (kind < 0.75) {
      files.delete(path)
      add(random.chance(0.5) ? state : { ...state, content: this.edited(state.content) })
    } else if (kind < 0.82) {
      add(state)
      files.set(path, { ...state, content: this.edited(state.content) })
    } else if (kind < 0.9) {
      files.set(path, { ...state, mode: state.mode === '100644' ? '100755' : '100644' })
    } else {
      files.set(path, { mode: this.mode(), content: this.content() })
    }
  }

  private mode(): State['mode'] {
    return this.random.pick(['100644', '100644', '100644', '100755', '120000', '160000'])
  }

  private content(): Bytes {
    const { random } = this
    if (random.chance(0.08)) return ''
    if (random.chance(0.12)) return `\0${random.next()}\0\xff\n`.repeat(random.between(1, 60))
    const text = Array.from({ length: random.between(1, 40) }, () => `${random.pick(contentLines)}\n`).join('')
    const ended = random.chance(0.25) ? text.slice(0, -1) : text
    return random.chance(0.1) ? ended.replaceAll('\n', '\r\n') : ended
  }

  private edited(content: Bytes): Bytes {
    const { random } = this
    const lines = content.split('\n')
    for (let edit = random.between(1, 4); edit > 0; edit -= 1) {
      const at = random.between(0, lines.length - 1)
      const line = random.pick([random.pick(contentLines), `  ${lines[at] ?? ''}`])
      lines.splice(at, random.between(0, 2), ...(random.chance(0.8) ? [line] : []))
    }
    return lines.join('\n')
  }
}

/** Whether a path cannot stand beside the others: a folder of its name, or a file of one of its folders' names. */
function clashes(files: Map<Bytes, State>, path: Bytes): boolean {
  return [...files.keys()].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
}

function commit({ files, parents }: Step, at: number): Buffer {
  const message = `commit ${at}\n\nindex of a diff --git\n--- a\n+++ b\n`
  const parts = [
    'commit refs/heads/main',
    `mark :${at + 1}`,
    `committer R <r@example.org> ${1700000000 + at * 60} +0000`,
  ]
  parts.push(`data ${message.length}`, message)
  parents.forEach((parent, order) => {
    parts.push(`${order === 0 ? 'from' : 'merge'} :${parent + 1}`)
  })
  parts.push('deleteall')
  for (const [path, { mode, content }] of files) {
    const name = `"${path.replace(/[^ !#-[\]-~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
    if (mode === '160000') parts.push(`M ${mode} ${submoduleOid(content)} ${name}`)
    else parts.push(`M ${mode} inline ${name}`, `data ${content.length}`, content)
  }
  return Buffer.from(`${parts.join('\n')}\n`, 'latin1')
}

function submoduleOid(content: Bytes): string {
  return (content.length + 1).toString(16).padStart(40, 'a')
}
