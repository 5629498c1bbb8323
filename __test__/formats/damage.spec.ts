// What is missing or damaged: trouble with a file stays with the file, trouble with history shows everything with its
// reason, and only a snapshot or a repository that is gone rejects.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordTurn } from '../scenarios/play.js'
import { type AttributeTurnRequest, addon, type TurnAttribution } from '../support/addon.js'
import { TurnRepository } from '../support/turn-repository.js'
import { expectAnswer, past, plainAnswer, tell, told } from './story.js'

const everything = [
  'assets/logo.bin',
  'src/after.ts',
  'src/both.ts',
  'src/dirty.ts',
  'src/gone.ts',
  'src/new.ts',
  'src/pulled.ts',
  'src/up.ts',
  'src/ünï code.ts',
  'tools/run.sh',
  'untracked.txt',
  'docs/picked.md',
].sort()
const agents = ['assets/logo.bin', 'src/after.ts', 'src/both.ts', 'src/new.ts', 'src/ünï code.ts', 'untracked.txt']

async function toldTurn(): Promise<{ repo: TurnRepository; request: AttributeTurnRequest }> {
  const setting = past({ hash: 'sha1', refs: 'files' })
  return { repo: setting.home, request: await tell(setting) }
}

function loose(repo: TurnRepository, revision: string): string {
  const oid = repo.oid(revision)
  const file = join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2))
  chmodSync(file, 0o644)
  return file
}

type Damage = (file: string) => void
const damages: [string, Damage][] = [
  ['gone', (file) => rmSync(file)],
  ['truncated', (file) => writeFileSync(file, readFileSync(file).subarray(0, 12))],
  ['of no length', (file) => writeFileSync(file, '')],
  [
    'with flipped bytes',
    (file) =>
      writeFileSync(
        file,
        readFileSync(file).map((byte) => byte ^ 0x5a),
      ),
  ],
]

const asked = (request: AttributeTurnRequest) => addon().attributeTurn({ ...request, demoted: 'paths' })
const paths = (result: TurnAttribution) => result.shown.map((file) => file.path).sort()

// All four in `npm run formats`.
describe.each(process.env.SLOW_FORMATS === undefined ? damages.slice(0, 2) : damages)(
  'an object that is %s',
  (_, damage) => {
    it('content of a shown file: its counts are unknown, and why; the rest is as ever', async () => {
      const { repo, request } = await toldTurn()
      const right = await asked(request)
      damage(loose(repo, `${request.to.ref}:src/after.ts`))
      // What was read a moment ago is remembered.
      await addon().closeRepositories()
      const result = await asked(request)
      const reason = damage === damages[0]?.[1] ? 'content-missing' : 'content-unreadable'
      expect(result).toEqual({
        ...right,
        shown: right.shown.map((file) =>
          file.path === 'src/after.ts' ? { ...file, additions: null, deletions: null, uncounted: reason } : file,
        ),
        attribution: { ...right.attribution, notes: ['read-failed'] },
      })
      const patch = await addon().diffTurn(request)
      expect(patch.files.find((file) => file.path === 'src/after.ts')).toMatchObject({
        section: null,
        uncounted: reason,
      })
      expect(patch.patch).toContain('+mine')
    })

    it('content of a file that was merged: shown, whole', async () => {
      const { repo, request } = await toldTurn()
      damage(loose(repo, `${request.from.ref}:src/dirty.ts`))
      const result = await asked(request)
      expect(paths(result)).toEqual([...agents, 'src/dirty.ts'].sort())
      expect(result.shown.find((file) => file.path === 'src/dirty.ts')).toMatchObject({ mixed: true })
      expect(result.attribution.status).toBe('attributed')
    })

    it('content of a file that only moved: not read', async () => {
      const { repo, request } = await toldTurn()
      damage(loose(repo, 'HEAD:src/up.ts'))
      await expectAnswer(request)
      const lines = await addon().attributeTurn({ ...request, demoted: 'lines' })
      expect(lines.demoted.files?.find((file) => file.path === 'src/up.ts')).toMatchObject({
        additions: null,
        uncounted: expect.stringMatching(/^content-/),
      })
    })

    for (const revision of ['HEAD', 'HEAD~1', 'HEAD~2', 'HEAD~3', 'HEAD~1^{tree}', 'HEAD~2^{tree}', 'HEAD~3:src'])
      it(`${revision}: everything with the reason, or the right answer`, async () => {
        const { repo, request } = await toldTurn()
        damage(loose(repo, revision))
        const result = await asked(request)
        if (result.attribution.status === 'not-attributed') {
          expect(['history-missing', 'head-missing', 'unreadable']).toContain(result.attribution.reason)
          expect(result.demoted.fileCount).toBe(0)
          expect(paths(result)).toEqual(everything)
        } else expect(paths(result)).toEqual(expect.arrayContaining(agents))
      })

    for (const part of ['', '^{tree}', ':src'])
      it(`the snapshot's ${part || 'commit'}: rejected`, async () => {
        const { repo, request } = await toldTurn()
        damage(loose(repo, request.to.ref + part))
        await expect(asked(request)).rejects.toMatchObject({
          code: expect.stringMatching(/^(SNAPSHOT_MISSING|REPOSITORY_UNREADABLE)$/),
        })
      })
  },
)

describe('a pack', () => {
  const cases: [string, RegExp, Damage][] = [
    ['truncated pack', /\.pack$/, (file) => writeFileSync(file, readFileSync(file).subarray(0, 200))],
    ['pack of no length', /\.pack$/, (file) => writeFileSync(file, '')],
    ['truncated index', /\.idx$/, (file) => writeFileSync(file, readFileSync(file).subarray(0, 1100))],
    ['index of no length', /\.idx$/, (file) => writeFileSync(file, '')],
    ['index of another pack', /\.idx$/, (file) => writeFileSync(file, readFileSync(file).fill(0, 8, 1032))],
    ['pack that is gone', /\.pack$/, (file) => rmSync(file)],
  ]
  it.each(cases)('%s: a typed error, or everything with the reason; never less', async (_, name, damage) => {
    const { repo, request } = await toldTurn()
    repo.git('repack', '-q', '-a', '-d')
    repo.git('prune-packed')
    const folder = join(repo.cwd, '.git/objects/pack')
    for (const file of readdirSync(folder).filter((file) => name.test(file))) {
      chmodSync(join(folder, file), 0o644)
      damage(join(folder, file))
    }
    await expectRightOrTyped(asked(request))
  })

  it('with damage anywhere: the same', async () => {
    const { repo, request } = await toldTurn()
    repo.git('repack', '-q', '-a', '-d', '-f')
    const folder = join(repo.cwd, '.git/objects/pack')
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? '')
    chmodSync(file, 0o644)
    const whole = readFileSync(file)
    for (let at = 12; at < whole.length; at += Math.ceil(whole.length / 40)) {
      const damaged = Uint8Array.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      writeFileSync(file, damaged)
      // Contents may read as others: git, too, finds that out only when it is asked to check.
      await asked(request).then(
        (result) => expect(paths(result)).toEqual(expect.arrayContaining(agents)),
        (error: unknown) => expect(addon().isTurnAttributionError(error)).toBe(true),
      )
    }
  })
})

/** The promise: the right answer, everything with a reason, counts that are missing with a reason, or a typed error. */
async function expectRightOrTyped(answer: Promise<TurnAttribution>): Promise<void> {
  const settled = await answer.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
  if ('error' in settled) {
    expect(addon().isTurnAttributionError(settled.error), String(settled.error)).toBe(true)
    expect((settled.error as { code: string }).code).toMatch(
      /^(SNAPSHOT_MISSING|REPOSITORY_UNREADABLE|NOT_A_REPOSITORY)$/,
    )
    return
  }
  const { result } = settled
  if (result.attribution.status === 'not-attributed') expect(paths(result)).toEqual(everything)
  else if (result.shown.every((file) => file.uncounted === null)) expect(told(result)).toEqual(await plainAnswer())
  else expect(paths(result)).toEqual(expect.arrayContaining(agents))
}

describe('refs', () => {
  it('of no length, to nothing, full of noise: the snapshots stand by their ids', async () => {
    const { repo, request } = await toldTurn()
    writeFileSync(join(repo.cwd, '.git/refs/heads/empty'), '')
    writeFileSync(join(repo.cwd, '.git/refs/heads/noise'), Uint8Array.from([0, 255, 10, 1]))
    writeFileSync(join(repo.cwd, '.git/refs/heads/nothing'), `${'1'.repeat(40)}\n`)
    writeFileSync(join(repo.cwd, '.git/refs/heads/loop'), 'ref: refs/heads/loop\n')
    mkdirSync(join(repo.cwd, '.git/refs/heads/folder.lock'))
    await expectAnswer(request)
    for (const name of ['empty', 'noise', 'nothing', 'loop'])
      await expect(asked({ ...request, to: { ref: `refs/heads/${name}` } })).rejects.toMatchObject({
        code: expect.stringMatching(/^(SNAPSHOT_MISSING|REPOSITORY_UNREADABLE)$/),
      })
  })

  it('HEAD of no length, to nothing, in a circle: a typed error or a head that is not there', async () => {
    const { repo, request } = await toldTurn()
    const head = join(repo.cwd, '.git/HEAD')
    for (const text of ['', 'ref: refs/heads/../../x\n', 'noise\n', 'ref: HEAD\n', 'ref: \n', `${'1'.repeat(40)}\n`]) {
      writeFileSync(head, text)
      const facts = await addon()
        .readHead(repo.cwd)
        .catch((error: unknown) => error)
      if (facts instanceof Error)
        expect(facts).toMatchObject({ code: expect.stringMatching(/^(REPOSITORY_UNREADABLE|NOT_A_REPOSITORY)$/) })
      // Of a past turn, the live HEAD is not read; git itself takes some of these for no repository.
      await expectRightOrTyped(asked(request))
    }
  })

  it('packed-refs that is damaged: a typed error, or the right answer', async () => {
    const { repo, request } = await toldTurn()
    repo.git('pack-refs', '--all')
    const file = join(repo.cwd, '.git/packed-refs')
    const whole = readFileSync(file)
    for (const content of [whole.subarray(0, whole.length / 2), whole.map((byte) => byte ^ 1), new Uint8Array(100)]) {
      writeFileSync(file, content)
      await expectRightOrTyped(asked(request))
    }
  })
})

describe('a snapshot', () => {
  it('that is a tree, or a tag of the commit: taken for what it holds', async () => {
    const { repo, request } = await toldTurn()
    const tree = repo.oid(`${request.to.ref}^{tree}`)
    repo.git('tag', '-a', '-m', 'words', 'snapshot', request.from.ref)
    const tagged = { ...request.from, ref: repo.oid('refs/tags/snapshot') }
    const result = await asked({ ...request, from: tagged, to: { ...request.to, ref: tree } })
    expect(paths(result)).toEqual(agents)
  })

  it('that is a blob, or a tag of one: missing', async () => {
    const { repo, request } = await toldTurn()
    const blob = repo.oid('HEAD:src/up.ts')
    repo.git('tag', '-a', '-m', 'words', 'blob', blob)
    for (const ref of [blob, repo.oid('refs/tags/blob'), 'refs/tags/blob'])
      await expect(asked({ ...request, to: { ...request.to, ref } })).rejects.toMatchObject({
        code: 'SNAPSHOT_MISSING',
      })
  })
})

it('a large content that is cut short: not counted, and no thread is lost', async () => {
  const { repo } = await toldTurn()
  repo.write('large.txt', 'one line of a large file\n'.repeat(800_000))
  const request = await recordTurn(repo, () => repo.append('large.txt', 'mine\n'))
  const file = loose(repo, `${request.to.ref}:large.txt`)
  writeFileSync(file, readFileSync(file).subarray(0, 9000))
  for (let at = 0; at < 5; at += 1) {
    const result = await addon().attributeTurn(request, { timeoutMs: 20_000 })
    expect(result.shown).toMatchObject([{ path: 'large.txt', additions: null, uncounted: 'content-unreadable' }])
  }
})

it('commits of people that make no sense: read as git reads them', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a\n' })
  const tree = repo.oid('HEAD^{tree}')
  const commit = (author: string, parent = '') =>
    repo
      .gitWith(
        { input: `tree ${tree}\n${parent}author ${author}\ncommitter ${author}\n\nwords\n` },
        ...['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'],
      )
      .trim()
  const people = ['A a@b> 12 +0000', 'A <a@b 12 +0000', 'A <a@b> 9223372036854775808 +0000', 'A <a@b>', '']
  for (const person of people) {
    const head = repo.oid('HEAD')
    const next = commit(person, `parent ${head}\n`)
    const from = { ref: repo.oid('HEAD^{tree}'), headOid: head, branch: 'main' }
    const result = await addon().attributeTurn({
      cwd: repo.cwd,
      from,
      to: { ref: next, headOid: next, branch: 'main' },
    })
    // No log tells of it; that is all that is wrong.
    expect(result.attribution, person).toMatchObject({ reason: 'reflog-lost' })
  }
})

it('logs that are damaged: everything that is the agents is shown', async () => {
  const { repo, request } = await toldTurn()
  const log = join(repo.cwd, '.git/logs/HEAD')
  const whole = readFileSync(log)
  for (const content of [
    '',
    '\n\n\n',
    whole.subarray(0, whole.length - 30),
    whole.map((byte) => byte ^ 1),
    'x'.repeat(1 << 20),
  ]) {
    writeFileSync(log, content)
    const result = await asked(request)
    expect(paths(result)).toEqual(expect.arrayContaining(['src/both.ts', 'src/new.ts', 'src/after.ts']))
  }
  rmSync(log)
  mkdirSync(log)
  expect(paths(await asked(request))).toEqual(expect.arrayContaining(['src/both.ts', 'src/new.ts', 'src/after.ts']))
})

describe.runIf(process.getuid?.() === 0)('permission denied (asked as another user)', () => {
  /** Asks in a process of the user nobody. */
  function askedAsNobody(request: AttributeTurnRequest): { code?: string; result?: TurnAttribution } {
    const script = `
      process.setgid(65534); process.setuid(65534)
      const { attributeTurn } = require(${JSON.stringify(resolve('index.js'))})
      attributeTurn(${JSON.stringify({ ...request, demoted: 'paths' })})
        .then((result) => ({ result }), (error) => ({ code: error.code ?? String(error) }))
        .then((answer) => console.log(JSON.stringify(answer)))`
    const run = spawnSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
      env: { HOME: '/nonexistent', PATH: process.env.PATH },
    })
    return JSON.parse(run.stdout || JSON.stringify({ code: run.stderr }))
  }

  const owned = (repo: TurnRepository) => {
    chmodSync(repo.root, 0o755)
    spawnSync('chown', ['-R', '65534:65534', repo.cwd])
    repo.git('config', '--file', join(repo.env.HOME, 'gitconfig'), 'safe.directory', '*')
  }

  it('the .git folder, its objects, a log: typed, or everything with the reason', async () => {
    const { repo, request } = await toldTurn()
    owned(repo)
    expect(askedAsNobody(request).result).toBeDefined()
    for (const [path, expected] of [
      ['.git', /^(REPOSITORY_UNREADABLE|NOT_A_REPOSITORY)$/],
      ['.git/objects', /^(REPOSITORY_UNREADABLE|SNAPSHOT_MISSING|NOT_A_REPOSITORY)$/],
      ['.git/config', /^REPOSITORY_UNREADABLE$/],
    ] as const) {
      chmodSync(join(repo.cwd, path), 0)
      expect(askedAsNobody(request), path).toMatchObject({ code: expect.stringMatching(expected) })
      chmodSync(join(repo.cwd, path), 0o755)
    }
    for (const path of ['.git/logs', '.git/logs/HEAD', '.git/refs', '.git/HEAD']) {
      chmodSync(join(repo.cwd, path), 0)
      const { result, code } = askedAsNobody(request)
      if (result) expect(paths(result), path).toEqual(expect.arrayContaining(agents))
      else expect(code, path).toMatch(/^(REPOSITORY_UNREADABLE|NOT_A_REPOSITORY)$/)
      chmodSync(join(repo.cwd, path), 0o755)
    }
  })
})

describe('a repository that changes between calls and during calls', () => {
  it('deleted: typed; and back again: the right answer', async () => {
    const { repo, request } = await toldTurn()
    await expectAnswer(request)
    const away = join(repo.root, 'away')
    renameSync(join(repo.cwd, '.git'), away)
    await expect(asked(request)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
    renameSync(away, join(repo.cwd, '.git'))
    await expectAnswer(request)
    rmSync(repo.cwd, { recursive: true })
    await expect(asked(request)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
  })

  // The past of these stories is old enough for gc to drop its log entries, and with them the place of the pin.
  const keepLogs = (repo: TurnRepository) => {
    repo.git('config', 'gc.reflogExpire', 'never')
    repo.git('config', 'gc.reflogExpireUnreachable', 'never')
  }

  it('repacked, pruned and collected between calls: the right answer', async () => {
    const { repo, request } = await toldTurn()
    keepLogs(repo)
    for (const command of [
      ['repack', '-q', '-a', '-d'],
      ['gc', '-q', '--prune=now'],
      ['repack', '-q', '-a', '-d', '-f', '-F'],
      ['pack-refs', '--all', '--prune'],
      ['multi-pack-index', 'write'],
      ['repack', '-q', '-a', '-d', '--write-midx'],
      ['repack', '-q', '-d', '--cruft'],
    ]) {
      repo.git(...command)
      await expectAnswer(request)
    }
  })

  it('repacked without pause during calls: every answer is the right one', async () => {
    const { repo, request } = await toldTurn()
    keepLogs(repo)
    const stop = join(repo.root, 'stop')
    const loop = `while [ ! -e '${stop}' ]; do git repack -q -a -d -f; git pack-refs --all; git gc -q --prune=now; done`
    const child = spawn('sh', ['-c', loop], { cwd: repo.cwd, env: repo.env, stdio: 'ignore' })
    const ended = new Promise((done) => child.on('exit', done))
    try {
      const until = Date.now() + Number(process.env.REPACK_SECONDS ?? 2) * 1000
      const trouble = new Map<string, number>()
      let right = 0
      while (Date.now() < until) {
        for (const settled of await Promise.allSettled([asked(request), asked(request), asked(request)])) {
          if (settled.status === 'rejected') {
            expect(addon().isTurnAttributionError(settled.reason), String(settled.reason)).toBe(true)
            const text = String(settled.reason)
            trouble.set(text, (trouble.get(text) ?? 0) + 1)
          } else if (settled.value.attribution.status === 'not-attributed') {
            expect(paths(settled.value)).toEqual(everything)
            const text = JSON.stringify(settled.value.attribution)
            trouble.set(text, (trouble.get(text) ?? 0) + 1)
          } else {
            expect(told(settled.value)).toEqual(await plainAnswer())
            right += 1
          }
        }
      }
      expect(Object.fromEntries(trouble), `beside ${right} right answers`).toEqual({})
      expect(right).toBeGreaterThan(0)
    } finally {
      writeFileSync(stop, '')
      await ended
    }
    expect(existsSync(stop)).toBe(true)
    await expectAnswer(request)
  })
})

/** What a call says of a repository; a call that waits for a pipe is a test that times out. */
async function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    (answer) => (answer as TurnAttribution).attribution?.status ?? 'answered',
    (error: { code: string }) => error.code,
  )
}

describe.runIf(process.platform !== 'win32')('a pipe in place of a file of git', () => {
  // What the call for the card says, and what the one for the head does.
  const places: [string, string, string][] = [
    ['HEAD', 'NOT_A_REPOSITORY', 'NOT_A_REPOSITORY'],
    ['config', 'REPOSITORY_UNREADABLE', 'REPOSITORY_UNREADABLE'],
    ['config.worktree', 'REPOSITORY_UNREADABLE', 'REPOSITORY_UNREADABLE'],
    ['packed-refs', 'not-attributed', 'answered'],
    ['shallow', 'REPOSITORY_UNREADABLE', 'REPOSITORY_UNREADABLE'],
    ['info/grafts', 'REPOSITORY_UNREADABLE', 'REPOSITORY_UNREADABLE'],
    ['objects/info/alternates', 'REPOSITORY_UNREADABLE', 'REPOSITORY_UNREADABLE'],
    ['objects/pack/pack-1.idx', 'REPOSITORY_UNREADABLE', 'REPOSITORY_UNREADABLE'],
    ['the branch', 'not-attributed', 'REPOSITORY_UNREADABLE'],
    ['refs/heads/another', 'not-attributed', 'answered'],
    ['MERGE_HEAD', 'attributed', 'REPOSITORY_UNREADABLE'],
    ['logs/HEAD', 'not-attributed', 'answered'],
  ]
  it.each(places)('%s is not waited for', async (name, card, head) => {
    const { repo, request } = await toldTurn()
    const place = join(repo.cwd, '.git', name === 'the branch' ? repo.git('symbolic-ref', 'HEAD') : name)
    rmSync(place, { force: true })
    const made = spawnSync('mkfifo', [place])
    expect(made.status).toBe(0)
    // Once anew, and once over a handle that was open before.
    for (let round = 0; round < 2; round += 1) {
      expect([name, await outcome(asked(request)), await outcome(addon().readHead(repo.cwd))]).toEqual([
        name,
        card,
        head,
      ])
    }
  })
})
