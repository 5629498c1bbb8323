// Repositories made to break a reader: an answer, a reason or a typed error, in bounded time and memory; and nothing
// that they hold reaches a terminal as it is.
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask } from '../scenarios/play.js'
import { type AttributeTurnRequest, addon, type TurnAttribution } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { expectAnswer, past, plainAnswer, tell, told } from './story.js'

/** What takes long on a busy machine; `npm run formats` asks for it. */
const slow = process.env.SLOW_FORMATS !== undefined

const asked = (request: AttributeTurnRequest): Promise<TurnAttribution> =>
  addon().attributeTurn({ ...request, demoted: 'paths' })

/** A tree object of these bytes, whatever git thinks of it. */
function rawTree(repo: TurnRepository, entries: [mode: string, name: Uint8Array | string, oid: string][]): string {
  const parts = entries.flatMap(([mode, name, oid]) => [
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(oid, 'hex'),
  ])
  const file = join(repo.root, 'raw-tree')
  writeFileSync(file, Buffer.concat(parts))
  return repo.git('hash-object', '-w', '-t', 'tree', '--literally', file)
}

const blob = (repo: TurnRepository, text: string) => repo.gitWith({ input: text }, 'hash-object', '-w', '--stdin')
const snapshotOf = (repo: TurnRepository, tree: string) => repo.git('commit-tree', tree, '-m', 'snapshot')

function trees(repo: TurnRepository, from: string, to: string): AttributeTurnRequest {
  const headOid = repo.oid()
  return {
    cwd: repo.cwd,
    from: { ref: snapshotOf(repo, from), headOid },
    to: { ref: snapshotOf(repo, to), headOid },
  }
}

/** A typed error, or a result that names a reason. */
async function expectBounded(request: AttributeTurnRequest): Promise<TurnAttribution | string> {
  const before = process.memoryUsage().rss
  const started = Date.now()
  const settled = await asked(request).catch((error: unknown) => {
    expect(addon().isTurnAttributionError(error), String(error)).toBe(true)
    return String((error as { code: string }).code)
  })
  expect(Date.now() - started, 'milliseconds').toBeLessThan(20_000)
  expect((process.memoryUsage().rss - before) / 2 ** 20, 'megabytes').toBeLessThan(1500)
  return settled
}

describe('names', () => {
  const odd = [
    'a\nb',
    'tab\t.ts',
    '"quoted".ts',
    'back\\slash.ts',
    '\x1b[31mred.ts',
    '\x07bell',
    'trailing ',
    ' leading',
    '-dash',
    ':(top)magic',
    '#hash',
    '\u202eevil.ts',
    'x'.repeat(255),
  ]

  it('that a file system takes: shown, and given back to every call', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const from = await repo.startTurn()
    for (const name of odd) repo.write(name, 'mine\n')
    const turn = await ask(repo, { cwd: repo.cwd, from, to: await repo.endTurn() }, { askLater: false })
    turn.toShow(odd)
    for (const name of odd) expect((await addon().explainPath(turn.request, name)).path).toBe(name)
    const patch = await addon().diffTurn(turn.request)
    const parsed = await addon().parseUnifiedDiff(patch.patchBytes)
    expect(parsed.files.map((file) => file.path).sort()).toEqual([...odd].sort())
  })

  it('that no file system takes, in crafted trees: every one is listed, none is followed', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const text = blob(repo, 'mine\n')
    const names = [
      '..',
      '.',
      '.git',
      '.GIT',
      'a/b',
      '../../etc/passwd',
      '/',
      'x'.repeat(4096),
      Uint8Array.from([0xff, 0xfe]),
    ]
    const inner = rawTree(repo, [['100644', 'config', text]])
    const tree = rawTree(repo, [
      ...names.map((name): [string, Uint8Array | string, string] => ['100644', name, text]),
      ['40000', '...', inner],
      ['40000', '.git ', inner],
      ['40000', '..', inner],
    ])
    const result = await expectBounded(trees(repo, repo.oid('HEAD^{tree}'), tree))
    if (typeof result === 'string') expect(result).toBe('REPOSITORY_UNREADABLE')
    else {
      const listed = result.shown.map((file) => file.path)
      for (const name of names) expect(listed).toContain(typeof name === 'string' ? name : '\ufffd\ufffd')
    }
  })

  it('that differ in case alone, and twice the same', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const [one, two] = [blob(repo, 'one\n'), blob(repo, 'two\n')]
    const tree = rawTree(repo, [
      ['100644', 'A.ts', one],
      ['100644', 'a.ts', two],
      ['100644', 'twice', one],
      ['100644', 'twice', two],
    ])
    const result = await asked(trees(repo, repo.oid('HEAD^{tree}'), tree))
    expect(result.shown.map((file) => file.path)).toEqual(['A.ts', 'a.ts', 'twice'])
  })

  it('nothing steers a terminal: names, branches, messages', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    repo.teammate.push({ '\x1b[2Jup.ts': 'up\n' }, { message: '\x1b]0;title\x07 words', branch: 'ev\u202eil' })
    repo.fetch()
    const from = await repo.startTurn()
    repo.git('merge', '-q', '--no-ff', '-m', 'merge \x1b[31m', 'origin/ev\u202eil')
    repo.git('switch', '-q', '-c', 'b\u009branch\u2066')
    repo.write('\x1b[31mred\r.ts', 'mine\n')
    const to = await repo.endTurn()
    const request = { cwd: repo.cwd, from, to }
    const result = await asked(request)
    const raw = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
    expect(addon().transitionLabel(result)).not.toMatch(raw)
    const flags = ['--from-head', from.headOid ?? '', '--to-head', to.headOid ?? '', '--from-branch', 'main']
    const branch = ['--to-branch', to.branch ?? '']
    for (const args of [
      ['card', from.ref, to.ref, '--demoted', ...flags, ...branch],
      ['card', from.ref, to.ref, '--json', ...flags, ...branch],
      ['explain', '\x1b[31mred\r.ts', from.ref, to.ref, ...flags],
      ['explain', '\x1b[no such', from.ref, to.ref],
      ['head'],
      ['card', 'refs/\x1b[31mx', to.ref],
      ['\x1b[31m'],
    ]) {
      const run = spawnSync(process.execPath, [resolve('bin/turn-attribution.js'), ...args, '--cwd', repo.cwd], {
        encoding: 'utf8',
        env: { ...repo.env, NO_COLOR: '1' },
      })
      for (const line of `${run.stdout}${run.stderr}`.split('\n')) expect(line, args.join(' ')).not.toMatch(raw)
    }
  })
})

describe('trees', () => {
  function deep(repo: TurnRepository, depth: number, leaf: string): string {
    // One fast-import is one process; mktree would be thousands.
    const path = `${'d/'.repeat(depth)}f`
    const text = `commit refs/heads/deep-${depth}-${leaf}\ncommitter R <r@x> 1700000000 +0000\ndata 0\nM 100644 inline ${path}\ndata ${leaf.length}\n${leaf}\n`
    repo.gitWith({ input: text }, 'fast-import', '--quiet')
    return repo.git('rev-parse', `refs/heads/deep-${depth}-${leaf}^{tree}`)
  }

  it('nested 5,000 deep: refused, not followed to the end of the stack', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const [one, two] = [deep(repo, 5000, 'one'), deep(repo, 5000, 'two')]
    expect(await expectBounded(trees(repo, one, two))).toBe('TOO_LARGE')
    expect((await asked(trees(repo, one, one))).shown).toEqual([])
    const shallow = await asked(trees(repo, deep(repo, 900, 'one'), deep(repo, 900, 'two')))
    expect(shallow.shown).toMatchObject([{ kind: 'modified', additions: 1 }])
  })

  it('that hold ten thousand million paths: a limit, in bounded time and memory', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    const bomb = (text: string) => {
      let [mode, oid] = ['100644', blob(repo, text)]
      for (let level = 0; level < 10; level += 1) {
        const rows = Array.from(
          { length: 10 },
          (_, at) => `${mode} ${mode === '100644' ? 'blob' : 'tree'} ${oid}\t${at}\n`,
        )
        oid = repo.gitWith({ input: rows.join('') }, 'mktree')
        mode = '040000'
      }
      return oid
    }
    const [one, two] = [bomb('one\n'), bomb('two\n')]
    const empty = repo.gitWith({ input: '' }, 'mktree')
    const pairs = [
      [empty, one],
      [one, two],
      [one, empty],
    ] as const
    for (const [from, to] of slow ? pairs : pairs.slice(0, 1))
      expect(await expectBounded(trees(repo, from, to))).toBe('TOO_LARGE')
    expect((await asked(trees(repo, one, one))).shown).toEqual([])
  })

  it.runIf(slow)('a history that holds them: everything is shown with the reason', async () => {
    const setting = past()
    const { home } = setting
    const request = await tell(setting)
    let [mode, oid] = ['100644', blob(home, 'x\n')]
    for (let level = 0; level < 10; level += 1) {
      const rows = Array.from(
        { length: 10 },
        (_, at) => `${mode} ${mode === '100644' ? 'blob' : 'tree'} ${oid}\t${at}\n`,
      )
      oid = home.gitWith({ input: rows.join('') }, 'mktree')
      mode = '040000'
    }
    const headOid = home.git('commit-tree', oid, '-p', request.to.headOid ?? '', '-m', 'bomb')
    const result = await expectBounded({ ...request, to: { ...request.to, headOid } })
    expect(result).toMatchObject({ attribution: { status: 'not-attributed', reason: 'limit' } })
    expect((result as TurnAttribution).shown).toHaveLength(12)
  })
})

describe('refs and logs', () => {
  for (const refs of ['files', 'reftable'] as const)
    it(`${slow ? 100_000 : 20_000} refs in ${refs}`, async () => {
      const setting = past({ refs })
      const { home } = setting
      const head = home.oid()
      const rows = Array.from({ length: slow ? 100_000 : 20_000 }, (_, at) => `create refs/tags/many/${at} ${head}\n`)
      home.gitWith({ input: rows.join('') }, 'update-ref', '--stdin')
      home.git('pack-refs', '--all')
      const request = await tell(setting)
      const started = Date.now()
      await expectAnswer(request)
      expect(Date.now() - started, 'milliseconds').toBeLessThan(20_000)
    })

  it(`a log of ${slow ? 256 : 32} MB`, async () => {
    const setting = past()
    const { home } = setting
    const log = join(home.cwd, '.git/logs/HEAD')
    const last = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? ''
    const [, oid] = last.split(' ')
    const line = `${oid} ${oid} Robin <robin@example.org> 1704100000 +0000\tcheckout: moving from main to main\n`
    const chunk = line.repeat(8000)
    for (let bytes = 0; bytes < (slow ? 256 : 32) << 20; bytes += chunk.length) appendFileSync(log, chunk)
    const request = await tell(setting)
    const result = await expectBounded(request)
    if (typeof result === 'string') throw new Error(result)
    if (result.attribution.status === 'attributed') expect(told(result)).toEqual(await plainAnswer())
    else expect(result.attribution).toMatchObject({ reason: 'limit' })
    const facts = await addon().readHead(home.cwd)
    expect(facts).toMatchObject({ branch: 'topic/ünï', headOid: request.to.headOid })
  })

  it('a log of holes, as large as no log is', async () => {
    const setting = past()
    const request = await tell(setting)
    const log = join(setting.home.cwd, '.git/logs/refs/heads/main')
    truncateSync(log, 8 * 2 ** 30)
    const result = await expectBounded(request)
    if (typeof result !== 'string' && result.attribution.status === 'not-attributed')
      expect(result.attribution.reason).toMatch(/^(limit|unreadable)$/)
  })
})

describe('contents', () => {
  it('that explode: not counted, or counted in bounded time; the other files stand', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'zeros.bin': 'z\n' })
    const from = await repo.startTurn()
    const size = slow ? 2 ** 31 : 200 * 2 ** 20
    writeFileSync(repo.path('zeros.bin'), '')
    truncateSync(repo.path('zeros.bin'), size)
    repo.edit('a.ts', 2, 'mine')
    const to = await repo.endTurn()
    const result = await expectBounded({ cwd: repo.cwd, from, to })
    if (typeof result === 'string') throw new Error(result)
    expect(result.shown.find((file) => file.path === 'a.ts')).toMatchObject({ additions: 1, deletions: 1 })
    const zeros = result.shown.find((file) => file.path === 'zeros.bin')
    expect(zeros?.binary || zeros?.uncounted === 'content-too-large').toBe(true)
  })

  it('attributes and settings with absurd values', async () => {
    const setting = past()
    const { home } = setting
    const request = await tell(setting)
    const config = join(home.cwd, '.git/config')
    const whole = readFileSync(config, 'utf8')
    for (const text of [
      '[core]\n\tbigFileThreshold = 99999999999999999999999999g\n\tcompression = -99\n\tabbrev = 99999\n',
      '[core]\n\tabbrev\n[user]\n\temail\n[diff]\n\trenames\n\tcontext = -1\n[extensions]\n\tnoop\n',
      `[include]\n\tpath = ${config}\n`,
      '[include]\n\tpath = /nowhere/at/all\n\tpath = ~nobody-here/x\n\tpath = .\n',
      '[include]\n\tpath\n',
      `[alias]\n${'\tx = y\n'.repeat(200_000)}`,
      `[a "${'s'.repeat(1 << 20)}"]\n\tkey = ${'v'.repeat(1 << 20)}\n`,
      '[core\n',
      '\0\0\0\n',
    ]) {
      writeFileSync(config, whole + text)
      const result = await expectBounded(request)
      if (typeof result === 'string') expect(result, text.slice(0, 60)).toBe('REPOSITORY_UNREADABLE')
      else expect(told(result), text.slice(0, 60)).toEqual(await plainAnswer())
    }
    writeFileSync(config, whole)
    await expectAnswer(request)
  })

  it('attributes of 10 MB, and patterns that would backtrack for ever', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    const from = await repo.startTurn()
    repo.edit('a.ts', 2, 'mine')
    repo.write(`${'a'.repeat(60)}.ts`, 'mine\n')
    const many = `${'*a'.repeat(40)}b diff\n${'**/'.repeat(40)}x binary\n[z-a] binary\n[ binary\n\\ binary\n`
    repo.write('.gitattributes', many + 'some/path/*.ext -diff\n'.repeat((slow ? 10 : 2) * 50_000))
    const result = await expectBounded({ cwd: repo.cwd, from, to: await repo.endTurn() })
    if (typeof result === 'string') throw new Error(result)
    expect(result.shown.find((file) => file.path === 'a.ts')).toMatchObject({ additions: 1, deletions: 1 })
  })
})
