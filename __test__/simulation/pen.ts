// Random edits to a content in one author's name.
import type { Author, Authorship } from './authorship.js'
import type { Content, FileState } from './content.js'
import type { Random } from './random.js'

const vocabulary =
  'amber birch cedar delta ember fjord grove harbor iris juniper kelp lotus maple north opal pine quartz river stone tide umber vale willow yarrow zephyr'.split(
    ' ',
  )

export type EditKind = 'replace' | 'insert' | 'delete-lines' | 'create' | 'delete' | 'rename' | 'chmod'

const usual: EditKind[] = [
  'replace',
  'replace',
  'replace',
  'insert',
  'insert',
  'delete-lines',
  'create',
  'delete',
  'rename',
  'chmod',
]

/** Files that everybody touches, so that conflicts are common. */
const busy = ['src/app.ts', 'src/panel.ts', 'lib/core.rs']

export class Pen {
  private files = 0

  constructor(
    private readonly random: Random,
    private readonly ledger: Authorship,
  ) {}

  line(author: Author): string {
    return this.ledger.newLine(
      author,
      Array.from({ length: this.random.between(3, 7) }, () => this.random.pick(vocabulary)).join(' '),
    )
  }

  lines(author: Author, count: number): string[] {
    return Array.from({ length: count }, () => this.line(author))
  }

  newPath(folder = this.random.pick(['src', 'src/util', 'lib', 'docs'])): string {
    this.files += 1
    return `${folder}/${this.random.pick(vocabulary)}${this.files}.ts`
  }

  /** One to three edits; returns what was done, in words. */
  edit(
    content: Content,
    author: Author,
    kinds: readonly EditKind[] = usual,
    count = this.random.between(1, 3),
  ): string[] {
    const done: string[] = []
    for (let tries = 0; done.length < count && tries < 12; tries += 1) {
      const what = this.once(content, author, this.random.pick(kinds))
      if (what !== null) done.push(what)
    }
    return done
  }

  private textFile(content: Content, least: number): string | null {
    const fit = [...content]
      .filter(([, state]) => state.mode !== '120000' && state.lines.length >= least)
      .map(([path]) => path)
    const hot = fit.filter((path) => busy.includes(path))
    if (hot.length > 0 && this.random.chance(0.14)) return this.random.pick(hot)
    return this.random.pickOrNull(fit)
  }

  private place(path: string, length: number): number {
    // A busy file has a spot where everybody writes.
    if (busy.includes(path) && this.random.chance(0.15)) return Math.min(this.random.between(4, 7), length - 1)
    return this.random.between(1, length - 1)
  }

  once(content: Content, author: Author, kind: EditKind): string | null {
    if (kind === 'create') {
      const path = this.newPath()
      content.set(path, {
        mode: this.random.chance(0.1) ? '100755' : '100644',
        lines: this.lines(author, this.random.between(3, 12)),
      })
      return `create ${path}`
    }
    const path = this.textFile(content, kind === 'replace' || kind === 'insert' ? 4 : 9)
    if (path === null) return null
    const state = content.get(path) as FileState
    const lines = [...state.lines]
    const at = this.place(path, lines.length)
    const span = Math.min(this.random.between(1, 3), lines.length - at)
    switch (kind) {
      case 'replace':
        lines.splice(at, span, ...this.lines(author, this.random.between(1, 3)))
        break
      case 'insert':
        lines.splice(at, 0, ...this.lines(author, this.random.between(1, 4)))
        break
      case 'delete-lines':
        lines.splice(at, span)
        break
      case 'delete':
        if (busy.includes(path)) return null
        content.delete(path)
        return `delete ${path}`
      case 'rename': {
        if (busy.includes(path) && this.random.chance(0.7)) return null
        const target = this.newPath()
        content.delete(path)
        content.set(target, state)
        return `rename ${path} to ${target}`
      }
      case 'chmod':
        content.set(path, { mode: state.mode === '100755' ? '100644' : '100755', lines })
        return `chmod ${path}`
    }
    content.set(path, { mode: state.mode, lines })
    return `${kind} in ${path} at ${at}`
  }
}
