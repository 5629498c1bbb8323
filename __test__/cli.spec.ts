// The command line and the demo, as a person runs them.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Attribution } from '../index.js'
import { keepInMessage, repoWithFeature, switchAndEdit } from './facade.turn.js'
import { addon, type ShownFile, type TurnAttribution } from './support/addon.js'
import { shownFile } from './support/shown-file.js'
import { temporaryFolder } from './support/turn-repository.js'

const root = join(import.meta.dirname, '..')
const cli = join(root, 'bin/turn-attribution.js')

type Paint = (text: string) => string
interface Card {
  cardLines(
    result: TurnAttribution,
    paint: Record<string, Paint>,
    layout?: { demoted?: boolean; all?: boolean; columns?: number; rows?: number },
  ): string[]
}
interface Text {
  painter(color: boolean): Record<string, Paint>
  shortened(text: string, width: number): string
  widthOf(text: string): number
  wantsColor(stream: { isTTY?: boolean }, env: Record<string, string>): boolean
}
const load = createRequire(import.meta.url)
const { cardLines } = load('../bin/card.js') as Card
const { progressOn } = load('../bin/progress.js') as {
  progressOn(
    stream: { isTTY: boolean; columns: number; write(text: string): unknown },
    now: () => number,
  ): { say(text: string): void; end(): void }
}
const { painter, shortened, wantsColor, widthOf } = load('../bin/text.js') as Text

const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NO_COLOR|FORCE_COLOR)$/.test(name)),
)

function node(args: string[], env: Record<string, string> = {}, cwd = root) {
  const options = { cwd, env: { ...plainEnv, ...env }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { status, stdout, stderr }
}

function run(args: string[], env?: Record<string, string>, cwd?: string) {
  return node([cli, ...args], env, cwd)
}

/** The turn of `switchAndEdit`, its checkpoints kept as refs with the facts in their messages. */
async function kept() {
  const repo = repoWithFeature()
  const { from, to } = await switchAndEdit(repo)
  return {
    repo,
    request: { cwd: repo.cwd, from, to },
    from: await keepInMessage(repo, 'before', from),
    to: await keepInMessage(repo, 'after', to),
    cwd: ['--cwd', repo.cwd],
  }
}

const CARD = `1 changed file                                       +2 -1
  src/
    app.ts                                           +2 -1
⎇  Updated via git (main → feature) — 3 files    (hidden)
`

describe('card', () => {
  it('prints the card of two checkpoints, the facts read from their messages', async () => {
    const { from, to, cwd } = await kept()
    expect(run(['card', from, to, ...cwd])).toEqual({ status: 0, stdout: CARD, stderr: '' })
  })

  it('takes the current folder, wherever in the repository', async () => {
    const { repo, from, to } = await kept()
    expect(run(['card', from, to], {}, join(repo.cwd, 'src')).stdout).toBe(CARD)
  })

  it('takes the facts from flags, which win over the message', async () => {
    const { repo, request, cwd } = await kept()
    const { from, to } = request
    const flags = ['--from-head', String(from.headOid), '--to-head', String(to.headOid), '--from-branch', 'main']
    const more = ['--to-branch', 'feature', '--from-pin', String(from.pin), '--to-pin', String(to.pin)]
    const start = ['--started-at', new Date(from.turnStartedAt ?? 0).toISOString()]
    expect(run(['card', from.ref, to.ref, ...flags, ...more, ...start, ...cwd]).stdout).toBe(CARD)
    const detached = run(['card', from.ref, to.ref, ...flags, ...more, '--to-branch', 'HEAD', ...cwd]).stdout
    expect(detached).toContain(`(main → detached at ${repo.oid('feature').slice(0, 7)})`)
    const unborn = run(['card', from.ref, to.ref, ...flags, '--from-head', 'unborn', '--json', ...cwd])
    expect(JSON.parse(unborn.stdout)).toMatchObject({ branchTransition: { fromHead: null } })
  })

  it('shows everything and says why when no head was recorded', async () => {
    const { request, cwd } = await kept()
    const { status, stdout } = run(['card', request.from.ref, request.to.ref, ...cwd])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^4 changed files/)
    expect(stdout).toContain('Everything is shown')
    expect(stdout).toContain('the head was not recorded')
    expect(stdout).not.toContain('hidden')
  })

  it('gives a turn that only moved its row, and no empty card', async () => {
    const repo = repoWithFeature()
    const from = await keepInMessage(repo, 'before', await repo.startTurn())
    repo.checkout('feature')
    const to = await keepInMessage(repo, 'after', await repo.endTurn())
    expect(run(['card', from, to, '--cwd', repo.cwd]).stdout).toBe(
      'No files changed by the agent\n⎇  Updated via git (main → feature) — 3 files    (hidden)\n',
    )
  })

  it('lists the demoted files on request', async () => {
    const { from, to, cwd, request } = await kept()
    const { stdout } = run(['card', from, to, '--demoted', ...cwd])
    const { label } = (await addon().attributeTurn(request)).branchTransition
    expect(stdout).toBe(
      `${CARD}   ${label}\n${['a', 'b', 'c'].map((name) => `     feature/${name}.ts  moved-by-history\n`).join('')}`,
    )
  })

  it('prints the result as JSON', async () => {
    const { from, to, cwd } = await kept()
    const result = JSON.parse(run(['card', from, to, '--json', ...cwd]).stdout) as TurnAttribution
    expect(result.shown.map(({ path }) => path)).toEqual(['src/app.ts'])
    expect(result.demoted).toMatchObject({ fileCount: 3, files: null })
  })

  it('takes a range', async () => {
    const { repo, from, to: middle, request } = await kept()
    repo.write('src/more.ts', 'more\n')
    const to = await keepInMessage(repo, 'later', { ...request.to, ...(await repo.endTurn()) })
    const { stdout } = run(['card', from, to, '--between', middle, '--cwd', repo.cwd])
    expect(stdout).toMatch(/^2 changed files .*\+3 -1\n/)
    expect(stdout).toContain('— 3 files    (hidden)')
  })
})

describe('explain and head', () => {
  it('explain prints verdict, rule, states and commits', async () => {
    const { from, to, cwd } = await kept()
    const { status, stdout } = run(['explain', 'src/app.ts', from, to, ...cwd])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^src\/app\.ts: shown \([a-z-]+\)\n {2}rule {5}\S/)
    expect(stdout).toMatch(/expected without the agent {2}100644 [0-9a-f]{12}\n/)
    expect(run(['explain', 'feature/a.ts', from, to, ...cwd]).stdout).toMatch(
      /^feature\/a\.ts: demoted \(moved-by-history\)/,
    )
  })

  it('explain --json gives the content of the expected state as text', async () => {
    const { from, to, cwd } = await kept()
    const explanation = JSON.parse(run(['explain', 'src/app.ts', from, to, '--json', ...cwd]).stdout)
    expect(explanation).toMatchObject({ verdict: 'shown', expectedContent: 'one\ntwo\nthree\n' })
  })

  it('head prints what a host records', async () => {
    const repo = repoWithFeature()
    const { stdout } = run(['head', '--cwd', repo.cwd])
    expect(JSON.parse(stdout)).toEqual(await addon().readHead(repo.cwd))
  })
})

describe('exit codes', () => {
  it('0: help and version', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('Exit codes'), stderr: '' })
    expect(run(['--version']).stdout).toBe('0.1.0\n')
  })

  it('1: no result, the code on stderr, nothing on stdout', async () => {
    const { from, to, cwd } = await kept()
    const missing = { status: 1, stdout: '', stderr: expect.stringContaining('[SNAPSHOT_MISSING]') }
    expect(run(['card', from, 'refs/none', ...cwd])).toEqual(missing)
    const notInTurn = { status: 1, stdout: '', stderr: expect.stringContaining('[PATH_NOT_IN_TURN]') }
    expect(run(['explain', 'none.ts', from, to, ...cwd])).toEqual(notInTurn)
    const noRepository = { status: 1, stdout: '', stderr: expect.stringContaining('[NOT_A_REPOSITORY]') }
    expect(run(['head', '--cwd', temporaryFolder()])).toEqual(noRepository)
  })

  it('2: wrong usage', () => {
    const wrong = [
      [],
      ['none'],
      ['card'],
      ['card', 'a'],
      ['card', 'a', 'b', 'c'],
      ['explain', 'a', 'b'],
      ['head', 'a'],
      ['card', 'a', 'b', '--none'],
      ['card', 'a', 'b', '--cwd'],
      ['card', 'a', 'b', '--started-at', 'soon'],
    ]
    for (const args of wrong) {
      const { status, stdout, stderr } = run(args, {}, temporaryFolder())
      expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: '' })
      expect(stderr).toContain('--help')
    }
  })

  it('a reader that has seen enough is no failure', async () => {
    const { from, to, cwd } = await kept()
    const line = `"${process.execPath}" "${cli}" card ${from} ${to} --cwd "${cwd[1]}" | true; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { env: plainEnv, encoding: 'utf8' })
    expect([stdout, stderr]).toEqual(['0\n', ''])
    const wrong = spawnSync(
      'bash',
      ['-c', `{ "${process.execPath}" "${cli}" none; echo $? >&3; } 3>&1 2> >(exec true)`],
      {
        env: plainEnv,
        encoding: 'utf8',
      },
    )
    expect(wrong.stdout).toBe('2\n')
  })

  it.runIf(process.platform === 'linux')('what cannot be written is said in a line', () => {
    const line = `"${process.execPath}" "${cli}" --help > /dev/full`
    const { status, stderr } = spawnSync('bash', ['-c', line], { env: plainEnv, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^turn-attribution: the output cannot be written: ENOSPC.*\n$/)
  })
})

describe('the terminal', () => {
  it('gets colour only when it is one, unless told otherwise', () => {
    expect(wantsColor({ isTTY: true }, {})).toBe(true)
    expect(wantsColor({}, {})).toBe(false)
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false)
    expect(wantsColor({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
    expect(wantsColor({}, { FORCE_COLOR: '1' })).toBe(true)
    expect(wantsColor({ isTTY: true }, { FORCE_COLOR: '0' })).toBe(false)
  })

  it.runIf(process.platform === 'linux')('may not know its size', async () => {
    const { from, to, cwd } = await kept()
    const command = `'${process.execPath}' '${cli}' card ${from} ${to} --cwd '${cwd[1]}'`
    const env = { ...plainEnv, NO_COLOR: '1' }
    const { stdout } = spawnSync('script', ['-qc', `stty cols 0 rows 0; ${command}`, '/dev/null'], {
      env,
      encoding: 'utf8',
    })
    expect(stdout.replaceAll('\r', '')).toBe(CARD)
  })

  it('is told of long work in one line, which does not wrap and is wiped out', () => {
    const written: string[] = []
    let now = 0
    const stream = { isTTY: true, columns: 10, write: (text: string) => written.push(text) }
    const progress = progressOn(stream, () => now)
    progress.say('too early')
    now = 1001
    progress.say('longer than the terminal')
    progress.say('too soon after')
    now = 1200
    progress.say('short')
    progress.end()
    expect(written).toEqual(['\rlonger th', '\rshort    ', '\r     ', '\r'])
    const pipe = progressOn({ ...stream, isTTY: false }, () => (now += 2000))
    pipe.say('nothing')
    pipe.end()
    expect(written.length).toBe(4)
  })

  it('sees the same text in colour', async () => {
    const { from, to, cwd } = await kept()
    const { stdout } = run(['card', from, to, ...cwd], { FORCE_COLOR: '1' })
    expect(stdout).toContain('\x1b[32m+2\x1b[39m')
    // biome-ignore lint/complexity/useRegexLiterals: a literal may not hold the escape character
    expect(stdout.replace(new RegExp('\x1b\\[\\d+m', 'g'), '')).toBe(CARD)
  })

  it('never gets a control character from a name', async () => {
    const repo = repoWithFeature()
    const from = await keepInMessage(repo, 'before', await repo.startTurn())
    const name = 'red\x1b[31m\nline\u202e\u0085.ts'
    repo.write(name, 'x\n')
    const to = await keepInMessage(repo, 'after', await repo.endTurn())
    const turn = [from, to, '--cwd', repo.cwd]
    const outputs = [
      ['card', ...turn],
      ['card', ...turn, '--json'],
      ['explain', name, ...turn],
    ].map((args) => run(args))
    for (const { stdout, status } of outputs) {
      expect(status).toBe(0)
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    }
    expect(outputs[0]?.stdout).toContain('red\\x1b[31m\\x0aline\\u{202e}\\x85.ts (new)')
    expect(JSON.parse(outputs[1]?.stdout ?? '')).toMatchObject({ shown: [{ path: name }] })
    expect(run(['card', from, 'refs/\x1b[31m', '--cwd', repo.cwd]).stderr).not.toContain('\x1b')
  })
})

describe('rows of the card', () => {
  const plain = painter(false)
  const result = (shown: ShownFile[], rest: Partial<TurnAttribution> = {}): TurnAttribution => ({
    shown,
    shownFileCount: shown.length,
    demoted: { fileCount: 0, additions: null, deletions: null, files: null },
    branchTransition: {
      fromBranch: 'main',
      toBranch: 'main',
      fromHead: 'a'.repeat(40),
      toHead: 'a'.repeat(40),
      kind: 'none',
      actions: [],
      label: '',
    },
    attribution: { status: 'unmoved', notes: [] },
    operationInProgress: null,
    ...rest,
  })

  it('group files by folder, the most changed first, and line the counts up', () => {
    const shown = [
      shownFile('README.md', { kind: 'added', additions: 3 }),
      shownFile('lib/deep/er/x.ts', { additions: 120, deletions: 7 }),
      shownFile('lib/y.ts', { additions: 5, mixed: true }),
      shownFile('lib/z.ts', { additions: 50 }),
    ]
    expect(cardLines(result(shown), plain).join('\n')).toMatchInlineSnapshot(`
      "4 changed files                                    +178 -7
        lib/deep/er/
          x.ts                                           +120 -7
        lib/
          z.ts                                            +50 -0
          y.ts (mixed)                                     +5 -0
        README.md (new)                                    +3 -0"
    `)
  })

  it('name renames, modes, binaries, deletions, type changes and submodules', () => {
    const shown = [
      shownFile('src/new.ts', { kind: 'renamed', previousPath: 'src/old.ts' }),
      shownFile('src/far.ts', { kind: 'renamed', previousPath: 'lib/far.ts', additions: 0 }),
      shownFile('src/run.sh', { newMode: '100755', additions: 0 }),
      shownFile('src/logo.png', { binary: true, additions: null, deletions: null }),
      shownFile('src/gone.ts', { kind: 'deleted', newMode: null, additions: 0, deletions: 9 }),
      shownFile('src/link', { kind: 'typechange', newMode: '120000' }),
      shownFile('src/sub', { kind: 'submodule', oldMode: '160000', newMode: '160000' }),
      shownFile('src/lost', { additions: null, deletions: null }),
    ]
    expect(cardLines(result(shown), plain).join('\n')).toMatchInlineSnapshot(`
      "8 changed files                                     +3  -9
        src/
          gone.ts (deleted)                               +0  -9
          link (type changed)                             +1  -0
          old.ts → new.ts                                 +1  -0
          sub (submodule)                                 +1  -0
          lib/far.ts → far.ts                             +0  -0
          logo.png                                           bin
          lost                                                 ?
          run.sh (mode 100644 → 100755)                   +0  -0"
    `)
  })

  it('make room for long and for wide names', () => {
    const shown = [shownFile(`src/${'long'.repeat(20)}.ts`), shownFile('src/日本語.ts')]
    const [, , first, second] = cardLines(result(shown), plain)
    expect(first).toBe(`    ${'long'.repeat(20)}.ts  +1 -0`)
    expect(second).toBe(`    日本語.ts${' '.repeat(76)}+1 -0`)
  })

  const many = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => shownFile(`${folder}/f${index}.ts`))

  it('fold the largest folders where they would be more than a screen', () => {
    const shown = [
      ...many('apps/web/src', 30),
      shownFile('README.md'),
      shownFile('lib/one.ts', { additions: 5 }),
      ...many('docs', 2),
    ]
    const screen = { columns: 80, rows: 24 }
    expect(cardLines(result(shown), plain, screen).join('\n')).toMatchInlineSnapshot(`
      "34 changed files                                    +38 -0
        apps/web/src/  (30 files)                         +30 -0
        lib/
          one.ts                                           +5 -0
        docs/
          f0.ts                                            +1 -0
          f1.ts                                            +1 -0
        README.md                                          +1 -0
        (--all lists every file)"
    `)
    expect(cardLines(result(shown), plain, { ...screen, all: true })).toEqual(cardLines(result(shown), plain))
    expect(cardLines(result(shown), plain, { ...screen, rows: 60 })).toEqual(cardLines(result(shown), plain))
    expect(cardLines(result(shown), plain).length).toBe(1 + 31 + 2 + 3 + 1)
  })

  it('name the one file of a folder that is folded, and fold folders into those above', () => {
    const one = Array.from({ length: 14 }, (_, index) => shownFile(`p${index}/src/x.ts`, { kind: 'added' }))
    const lines = cardLines(result(one), plain, { columns: 80, rows: 20 })
    expect(lines.slice(1, 3).map((line) => line.trimEnd())).toEqual([
      `  p0/src/x.ts (new)${' '.repeat(34)}+1 -0`,
      `  p1/src/x.ts (new)${' '.repeat(34)}+1 -0`,
    ])
    const deep = Array.from({ length: 300 }, (_, index) => many(`packages/p${index}/src`, 10)).flat()
    expect(cardLines(result([...deep, shownFile('README.md')]), plain, { columns: 50, rows: 24 })).toEqual([
      '3001 changed files                        +3001 -0',
      '  packages/  (3000 files)                 +3000 -0',
      '  README.md                                  +1 -0',
      '  (--all lists every file)',
    ])
    const wide = Array.from({ length: 40 }, (_, index) => many(`top${index}/src`, index + 1)).flat()
    const cut = cardLines(result(wide), plain, { columns: 60, rows: 15 })
    expect(cut.length).toBe(1 + 10 + 1)
    expect([cut[1], cut[9], cut[10]]).toEqual([
      `  top39/  (40 files)${' '.repeat(32)}+40 -0`,
      `  top31/  (32 files)${' '.repeat(32)}+32 -0`,
      `  … 31 more folders  (496 files)${' '.repeat(19)}+496 -0`,
    ])
    const root = Array.from({ length: 100 }, (_, index) => shownFile(`f${index}.ts`))
    expect(cardLines(result(root), plain, { columns: 50, rows: 24 })[1]).toMatch(
      /^ {2}\.\/ {2}\(100 files\) +\+100 -0$/,
    )
  })

  it('stay within the width of a terminal, names shortened in the middle', () => {
    const shown = [
      shownFile(`src/${'long'.repeat(20)}.component.ts`),
      shownFile(`src/${'語'.repeat(40)}.ts`),
      shownFile('lib/new.ts', {
        kind: 'renamed',
        previousPath: 'very/long/folder/name/that/goes/on/old.ts',
        mixed: true,
      }),
      shownFile(`${'deep/'.repeat(20)}x.ts`, { additions: 12345 }),
    ]
    for (const columns of [40, 50, 80, 200]) {
      const lines = cardLines(result(shown), plain, { columns, rows: 24 })
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([])
      for (const end of ['.component.ts', '語.ts', '→ new.ts (mixed)', '    x.ts'])
        expect([columns, end, lines.some((line) => line.includes(`${end} `))]).toEqual([columns, end, true])
    }
    expect(shortened('abcdefghij', 10)).toBe('abcdefghij')
    expect(shortened('abcdefghij', 7)).toBe('ab…ghij')
    expect(shortened('e\u0301'.repeat(9), 4)).toBe(`e\u0301…${'e\u0301'.repeat(2)}`)
  })

  it('leave a name its room where the marks take it all', () => {
    const shown = [shownFile('lib/name.ts', { newMode: '100755', mixed: true }), shownFile('lib/other.ts')]
    expect(cardLines(result(shown), plain, { columns: 24, rows: 24 })).toEqual([
      '2 changed files    +2 -0',
      '  lib/',
      '    name.ts (mode 100644 → 100755) (mixed)  +1 -0',
      '    other.ts       +1 -0',
    ])
  })

  it('are of any number, of files in one folder or of folders', () => {
    const folders = result(Array.from({ length: 150_000 }, (_, index) => shownFile(`d${index}/f.ts`)))
    expect(cardLines(folders, plain).length).toBe(300_001)
    const began = Date.now()
    expect(cardLines(folders, plain, { columns: 80, rows: 24 }).length).toBe(21)
    // Not in the square of their number.
    expect(Date.now() - began).toBeLessThan(10_000)
    expect(cardLines(result(many('src', 150_000)), plain).length).toBe(150_002)
  }, 60_000)

  it('know the columns that letters take', () => {
    const widths = [
      ['abc', 3],
      ['é', 1],
      ['語', 2],
      ['𠮷', 2],
      ['￥', 2],
      ['\u1112\u1161\u11ab', 2],
      ['🙂', 2],
      ['🇩🇪', 2],
      ['a\ufeff\u2060', 1],
    ] as const
    expect(widths.map(([text]) => [text, widthOf(text)])).toEqual(widths)
  })

  it('say in plain words what kept a turn from being attributed, and what was left open', () => {
    const attribution: Attribution = { status: 'not-attributed', reason: 'history-cut', detail: 'at abc', notes: [] }
    const lines = cardLines(result([shownFile('a')], { attribution, operationInProgress: 'rebase' }), plain)
    expect(lines.slice(2)).toEqual([
      "Everything is shown, the agent's work or not: a shallow clone or a graft cuts the history between the two heads (at abc).",
      'A rebase was still open at the end of the turn.',
    ])
    expect(cardLines(result([]), plain)).toEqual(['No files changed by the agent'])
  })

  it('say a reason once, where the detail is the reason', () => {
    const detail = 'a checkpoint has no recorded head'
    const attribution: Attribution = { status: 'not-attributed', reason: 'head-not-recorded', detail, notes: [] }
    expect(cardLines(result([shownFile('a')], { attribution }), plain).slice(2)).toEqual([
      "Everything is shown, the agent's work or not: the head was not recorded with a checkpoint.",
    ])
  })
})

describe('the demo', () => {
  const BLOCK = `3 changed files                                   +142 -38
  apps/web/src/components/
    ChatView.tsx                                   +90 -20
    DiffPanel.tsx                                  +40 -12
  apps/server/src/
    routes.ts                                      +12  -6
⎇  Updated via git (main → main) — 214 files    (hidden)
`

  it('prints what plain git diff lists, and the card; and cleans up', () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('turn-attribution-demo-'))
    const before = left()
    const { status, stdout, stderr } = node([join(root, 'scripts/demo.mjs')])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('217 files changed')
    expect(stdout.endsWith(`\n${BLOCK}`)).toBe(true)
    expect(left()).toEqual(before)
    const firstScreen = readFileSync(join(root, 'README.md'), 'utf8').split('\n').slice(0, 40).join('\n')
    expect(firstScreen).toContain(BLOCK)
    expect(firstScreen).toContain(/ 217 files changed.*/.exec(stdout)?.[0])
  })
})
