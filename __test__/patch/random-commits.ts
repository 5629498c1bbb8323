// Commits made at random, of all that is hard to print: odd names, modes, links, submodules, line ends, binary
// contents, attributes, renames. One `git fast-import` writes them all.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../simulation/random.js'
import { type GitEnvironment, gitEnvironment, runGit } from '../support/git.js'
import { temporaryFolder } from '../support/turn-repository.js'

export interface Commits {
  cwd: string
  env: GitEnvironment
  /** Oldest first; each pair of neighbours is a case. */
  oids: string[]
}

interface File {
  mode: '100644' | '100755' | '120000' | '160000'
  data: Buffer
}

const FOLDERS = ['', '', 'sub/', 'a b/', 'd\u00e9p/', 'deep/er/']
const STEMS = [
  'plain', 'with space', 'tab\there', 'quote"d', 'back\\slash', 'd\u00e9j\u00e0', 'line\nfeed', '-dash', ' b', 'x b',
  'del\x7f', '\u{1f600}', 'bell\x07', '"', 'caf\u00e9 au lait', '.dot', 'trailing ',
] // biome-ignore format: a list
const EXTENSIONS = ['', '.txt', '.c', '.py', '.bin', '.rb', '.java', '.x', '.md', '.html', '.pl']
const LINES = [
  '', '', '{', '}', '  return;', '\treturn;', 'a', 'b', 'c', 'd', '  ', '\t', 'int main(void)', 'def f(x):',
  '  def g(y):', 'class A {', '  public void run() {', 'sub x {', '# Heading', '<h1>T</h1>', '$var = 1;', '_under',
  'void \u00e9(int x)', 'x'.repeat(100), `f${'y'.repeat(77)} \u00e9\u00e9`, `g${'z'.repeat(78)}\u00e9`, `h ${'w '.repeat(45)}`,
  '\fform', 'v\vt', 'x\f', '\f', '\v', 'end\r', '-- sql', '++i', '@@ -1 +1 @@', 'diff --git a/x b/x',
] // biome-ignore format: a list
const DRIVERS = ['cpp', 'python', 'java', 'ruby', 'html', 'perl', 'nonsense', 'tex', 'php']

/** A name as the bytes of a latin-1 string. */
function latin(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

export function randomCommits(seed: string, count: number): Commits {
  const root = temporaryFolder()
  const cwd = join(root, 'repo')
  const env = gitEnvironment(join(root, 'home'))
  mkdirSync(env.HOME)
  runGit(root, env, ['init', '-q', cwd])
  const maker = new Maker(new Random(seed))
  const parts: Buffer[] = []
  for (let number = 0; number < count; number += 1) {
    maker.step(number)
    parts.push(maker.commit(number))
  }
  const run = spawnSync('git', ['fast-import', '--quiet'], {
    cwd,
    env,
    input: Buffer.concat(parts),
    maxBuffer: 1 << 26,
  })
  if (run.status !== 0) throw new Error(`fast-import: ${run.stderr}`)
  return { cwd, env, oids: runGit(cwd, env, ['rev-list', '--reverse', 'refs/heads/fuzz']).split('\n') }
}

class Maker {
  private readonly files = new Map<string, File>()

  constructor(private readonly random: Random) {}

  step(number: number): void {
    const changes = number === 0 ? 25 : this.random.between(1, 9)
    for (let change = 0; change < changes; change += 1) {
      if (number === 0 || this.files.size < 12) this.add()
      else this.change()
    }
  }

  commit(number: number): Buffer {
    const head = `commit refs/heads/fuzz\ncommitter A <a@b> ${1_600_000_000 + number} +0000\ndata 1\nx\ndeleteall\n`
    const parts: Buffer[] = [Buffer.from(head)]
    for (const [path, { mode, data }] of this.files) {
      if (mode === '160000') parts.push(Buffer.from(`M 160000 ${data.toString('hex')} ${quoted(path)}\n`))
      else parts.push(Buffer.from(`M ${mode} inline ${quoted(path)}\ndata ${data.length}\n`), data, Buffer.from('\n'))
    }
    return Buffer.concat(parts)
  }

  private add(): void {
    this.put(this.path(), this.file())
  }

  private change(): void {
    const path = this.random.pick([...this.files.keys()])
    const file = this.files.get(path)
    if (file === undefined) return
    const text = file.mode === '100644' || file.mode === '100755'
    const roll = this.random.between(0, 99)
    if (roll < 10) this.add()
    else if (roll < 17) this.files.delete(path)
    else if (roll < 22) this.move(path, file.data)
    else if (roll < 32 && text) this.move(path, this.edited(file.data))
    else if (roll < 36) this.put(this.path(), { mode: file.mode, data: text ? this.edited(file.data) : file.data })
    else if (roll < 42 && text) file.mode = file.mode === '100644' ? '100755' : '100644'
    else if (roll < 48) this.files.set(path, this.file())
    else if (roll < 52 && text) file.data = this.content()
    else if (roll < 60 && text) file.data = this.spaced(file.data)
    else if (roll < 64 && text) file.data = this.otherEnd(file.data)
    else if (roll < 68) this.attributes()
    else if (text) file.data = this.edited(file.data)
    else
      file.data =
        file.mode === '160000' ? this.oid() : Buffer.from(this.random.pick(['target', 'a/b', 'caf\u00e9', 'x\ny']))
  }

  private move(from: string, data: Buffer): void {
    const file = this.files.get(from)
    if (file === undefined) return
    this.files.delete(from)
    const kept = from.slice(from.lastIndexOf('/') + 1)
    const to = this.random.chance(0.4) ? latin(this.random.pick(FOLDERS)) + kept : this.path()
    this.put(to, { mode: file.mode, data })
  }

  private attributes(): void {
    const rule = () => {
      const states = ['-diff', 'diff', '!diff', 'binary', ...DRIVERS.map((driver) => `diff=${driver}`)]
      const pattern = this.random.pick([
        '*.txt',
        '*.c',
        '*.py',
        '*.bin',
        '*.x',
        '*.java',
        '*',
        'plain*',
        '*.rb',
        '*.md',
      ])
      return `${pattern} ${this.random.pick(states)}\n`
    }
    const text = Array.from({ length: this.random.between(0, 4) }, rule).join('')
    const folder = this.random.pick(['', '', 'sub/'])
    this.put(`${folder}.gitattributes`, { mode: '100644', data: Buffer.from(text) })
  }

  private put(path: string, file: File): void {
    for (const other of this.files.keys()) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) this.files.delete(other)
    }
    this.files.set(path, file)
  }

  private path(): string {
    const stem = this.random.chance(0.06) ? 'raw\xff\xfe' : latin(this.random.pick(STEMS))
    const number = this.random.chance(0.5) ? String(this.random.between(1, 5)) : ''
    return latin(this.random.pick(FOLDERS)) + stem + number + this.random.pick(EXTENSIONS)
  }

  private file(): File {
    const roll = this.random.between(0, 99)
    if (roll < 6)
      return { mode: '120000', data: Buffer.from(this.random.pick(['target', 'other', '../up', 'd\u00e9'])) }
    if (roll < 11) return { mode: '160000', data: this.oid() }
    return { mode: roll < 20 ? '100755' : '100644', data: this.content() }
  }

  private content(): Buffer {
    const roll = this.random.between(0, 99)
    if (roll < 7) return Buffer.alloc(0)
    if (roll < 12) return Buffer.from([0, 1, 2, this.random.between(0, 255), 10, 0])
    if (roll < 14) return Buffer.concat([Buffer.from('long line '.repeat(900)), Buffer.from('\n\0after\n')])
    if (roll < 18) return Buffer.from(this.lines(20).replaceAll('\n', '\r\n'))
    if (roll < 22) return Buffer.from([0xe9, 0x20, 0xff, 10, 0x66, 0xe9, 0x20, 0x67, 10, 10, 97, 10, 98, 10, 0xfe, 10])
    const text = Buffer.from(this.lines(this.random.pick([1, 3, 12, 40, 150])))
    return this.random.chance(0.2) ? this.otherEnd(text) : text
  }

  private lines(count: number): string {
    const own = (n: number) =>
      this.random.chance(0.4) ? `line ${n} ${this.random.between(0, 30)}` : this.random.pick(LINES)
    return Array.from({ length: count }, (_, n) => `${own(n)}\n`).join('')
  }

  private edited(data: Buffer): Buffer {
    const all = data.toString('latin1').split('\n')
    for (let edit = this.random.between(1, 3); edit > 0; edit -= 1) {
      const at = this.random.between(0, all.length - 1)
      const some = latin(this.lines(this.random.between(1, 3)).slice(0, -1)).split('\n')
      const roll = this.random.between(0, 9)
      if (roll < 3) all.splice(at, 0, ...some)
      else if (roll < 5) all.splice(at, this.random.between(1, 4))
      else if (roll < 8) all.splice(at, 1, ...some)
      else if (roll < 9) all.splice(at, 0, ...all.slice(at, at + this.random.between(1, 5)))
      else all.splice(this.random.between(0, all.length - 1), 0, ...all.splice(at, this.random.between(1, 5)))
    }
    return Buffer.from(all.join('\n'), 'latin1')
  }

  private spaced(data: Buffer): Buffer {
    const change = (line: string) =>
      this.random.chance(0.3)
        ? this.random.pick([`  ${line}`, `${line} `, line.replace(/ /g, '\t'), `${line}\f`, `${line}\r`])
        : line
    return Buffer.from(data.toString('latin1').split('\n').map(change).join('\n'), 'latin1')
  }

  private otherEnd(data: Buffer): Buffer {
    return data.at(-1) === 10 ? data.subarray(0, -1) : Buffer.concat([data, Buffer.from('\n')])
  }

  private oid(): Buffer {
    return Buffer.from(Array.from({ length: 20 }, () => this.random.between(1, 255)))
  }
}

/** A path as `git fast-import` reads it. */
function quoted(path: string): string {
  const escaped = [...path].map((letter) =>
    /[A-Za-z0-9._/-]/.test(letter) ? letter : `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return `"${escaped.join('')}"`
}
