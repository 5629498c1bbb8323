// The history before the turn: several branches, renames, merges, unpushed work, and upstream commits that are on the
// remote but not fetched yet. Made by one `git fast-import`, because a run plays hundreds of turns.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { colleague, owner, type Person, runGit } from '../support/git.js'
import type { TurnRepository } from '../support/turn-repository.js'
import { type Content, sameState, textOf } from './content.js'
import type { EditKind, Pen } from './pen.js'
import type { Random } from './random.js'

interface Past {
  mark: number
  content: Content
}

class Stream {
  private text = ''
  private marks = 0
  private readonly marked: Content[] = []

  constructor(private readonly repo: TurnRepository) {}

  commit(ref: string, content: Content, parents: Past[], person: Person, message: string): Past {
    this.marks += 1
    const date = this.repo.clock.oldDate()
    const who = `${person.name} <${person.email}> ${date}`
    this.text += `commit ${ref}\nmark :${this.marks}\nauthor ${who}\ncommitter ${who}\ndata ${Buffer.byteLength(message)}\n${message}\n`
    const [first, ...others] = parents
    if (first) this.text += `from :${first.mark}\n`
    for (const other of others) this.text += `merge :${other.mark}\n`
    const before = first?.content ?? new Map()
    for (const path of before.keys()) if (!content.has(path)) this.text += `D ${path}\n`
    for (const [path, state] of content) {
      if (sameState(before.get(path), state)) continue
      const text = textOf(state)
      this.text += `M ${state.mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
    }
    this.text += '\n'
    const kept = new Map(content)
    this.marked[this.marks] = kept
    return { mark: this.marks, content: kept }
  }

  ref(name: string, at: Past): void {
    this.text += `reset ${name}\nfrom :${at.mark}\n\n`
  }

  finish(): string {
    return `${this.text}done\n`
  }
}

const modest: EditKind[] = ['replace', 'replace', 'replace', 'insert', 'insert', 'delete-lines', 'create', 'chmod']

/** Makes the remote and the checkout, everything with old dates. */
export function makePast(random: Random, pen: Pen, repo: TurnRepository): void {
  const stream = new Stream(repo)
  const line = (from: Past, count: number, ref: string, people: Person[], word: string, kinds?: EditKind[]): Past[] => {
    const made: Past[] = []
    for (let index = 0; index < count; index += 1) {
      const parent = made.at(-1) ?? from
      const content = new Map(parent.content)
      pen.edit(content, 'earlier', kinds)
      made.push(stream.commit(ref, content, [parent], random.pick(people), `${word} ${index + 1}`))
    }
    return made
  }
  const last = (made: Past[], otherwise: Past): Past => made.at(-1) ?? otherwise

  const first: Content = new Map()
  const paths = [
    'src/app.ts',
    'src/card.ts',
    'src/panel.ts',
    'src/util/list.ts',
    'src/util/text.ts',
    'lib/core.rs',
    'lib/net.rs',
    'docs/guide.md',
    'docs/api.md',
    'config/settings.json',
    'package-lock.json',
    'data/table.csv',
  ]
  for (const path of paths) first.set(path, { mode: '100644', lines: pen.lines('earlier', random.between(16, 36)) })
  first.set('run.sh', { mode: '100755', lines: pen.lines('earlier', 10) })
  first.set('current', { mode: '120000', lines: [pen.line('earlier')] })

  const root = stream.commit('refs/heads/main', first, [], colleague, 'first')
  const trunk = [root, ...line(root, random.between(3, 5), 'refs/heads/main', [owner, colleague], 'trunk')]
  if (random.chance(0.5)) {
    // A merge in history: the side only adds files, so that the two sides never meet.
    const side = new Map((trunk[1] as Past).content)
    pen.once(side, 'earlier', 'create')
    const added = stream.commit('refs/side', side, [trunk[1] as Past], colleague, 'side')
    const joined = new Map((trunk.at(-1) as Past).content)
    for (const [path, state] of side) if (!(trunk[1] as Past).content.has(path)) joined.set(path, state)
    trunk.push(stream.commit('refs/heads/main', joined, [trunk.at(-1) as Past, added], colleague, 'Merge side'))
  }
  const main = trunk.at(-1) as Past
  stream.ref('refs/heads/main', main)

  const fork = random.pick(trunk.slice(1))
  const feature = line(fork, random.between(2, 4), 'refs/heads/feature', [owner, owner, colleague], 'feature', modest)
  const featureTip = last(feature, fork)
  stream.ref('refs/heads/feature', featureTip)
  for (const name of ['topic-a', 'topic-b']) {
    const base = random.pick(trunk.slice(1))
    stream.ref(
      `refs/heads/${name}`,
      last(line(base, random.between(1, 3), `refs/heads/${name}`, [colleague], name, modest), base),
    )
  }
  const vendor: Content = new Map([
    ['kit.ts', { mode: '100644', lines: pen.lines('earlier', 6) }],
    ['kit.md', { mode: '100644', lines: pen.lines('earlier', 5) }],
  ])
  stream.commit('refs/heads/vendor', vendor, [], colleague, 'vendor')

  // On the remote, not fetched yet.
  stream.ref('refs/next/main', last(line(main, random.between(2, 5), 'refs/next/main', [colleague], 'upstream'), main))
  stream.ref(
    'refs/next/feature',
    last(
      line(featureTip, random.between(0, 2), 'refs/next/feature', [colleague], 'upstream feature', modest),
      featureTip,
    ),
  )

  // Here only, from earlier turns.
  const localMain = last(line(main, random.pick([0, 0, 1, 2]), 'refs/local/main', [owner], 'local', modest), main)
  stream.ref('refs/local/main', localMain)
  const localFeature = last(
    line(featureTip, random.pick([0, 1, 2]), 'refs/local/feature', [owner], 'local feature', modest),
    featureTip,
  )
  stream.ref('refs/local/feature', localFeature)
  const spikeBase = random.pick([localMain, main, fork])
  stream.ref(
    'refs/local/spike',
    last(line(spikeBase, random.between(1, 2), 'refs/local/spike', [owner], 'spike', modest), spikeBase),
  )
  const stackOne = last(line(fork, 1, 'refs/local/stack-one', [owner], 'stack one', modest), fork)
  stream.ref('refs/local/stack-one', stackOne)
  stream.ref(
    'refs/local/stack-two',
    last(line(stackOne, 1, 'refs/local/stack-two', [owner], 'stack two', modest), stackOne),
  )

  const dated = { env: repo.clock.environment() }
  runGit(repo.root, repo.env, ['init', '-q', '--bare', repo.origin])
  runGit(repo.origin, repo.env, ['fast-import', '--quiet', '--force', '--done'], { input: stream.finish() })
  runGit(repo.root, repo.env, ['clone', '-q', '--no-checkout', repo.origin, repo.cwd], dated)
  repo.git('fetch', '-q', '--update-head-ok', 'origin', '+refs/local/*:refs/heads/*')
  const moves = ['main', 'feature'].map(
    (name) => `update refs/heads/${name} ${runGit(repo.origin, repo.env, ['rev-parse', `refs/next/${name}`])}`,
  )
  const extra = runGit(repo.origin, repo.env, [
    'for-each-ref',
    '--format=%(refname)',
    'refs/local',
    'refs/next',
    'refs/side',
  ])
    .split('\n')
    .filter(Boolean)
  runGit(repo.origin, repo.env, ['update-ref', '--stdin'], {
    input: `${[...moves, ...extra.map((ref) => `delete ${ref}`)].join('\n')}\n`,
  })
  appendFileSync(
    join(repo.cwd, '.git/config'),
    `[branch "feature"]\n\tremote = origin\n\tmerge = refs/heads/feature\n[user]\n\tname = ${owner.name}\n\temail = ${owner.email}\n`,
  )
  repo.git('reset', '-q', '--hard')
}
