// Patches read back: what git prints says the same to us as to `git apply --numstat`, and bytes of any kind harm nothing.

import { describe, expect, it } from 'vitest'
import { Random } from './simulation/random.js'
import { addon, type FilteredDiff, type ParsedDiff, type ParsedFile } from './support/addon.js'
import { type Bytes, History, randomSteps, type State, twoTrees } from './unified-diff/history.js'

const { filterUnifiedDiff, parseUnifiedDiff } = addon()
const history = new History(randomSteps('unified diff', 70))

type Counts = Record<Bytes, [number | null, number | null]>

const bytesOf = (file: ParsedFile): Bytes => (file.pathBytes ?? Buffer.from(file.path)).toString('latin1')
const previousOf = ({ previousPath, previousPathBytes }: ParsedFile): Bytes | null =>
  previousPath === null ? null : (previousPathBytes ?? Buffer.from(previousPath)).toString('latin1')

function countsOf({ files }: ParsedDiff | FilteredDiff): Counts {
  return Object.fromEntries(files.map((file) => [bytesOf(file), [file.additions, file.deletions]]))
}

/** As `git apply` counts the sections, those of one path together. */
function countsByApply(patch: Buffer, strip = 1): Counts {
  if (!/^diff --git /m.test(patch.toString('latin1'))) return {}
  return sums(history.run(['apply', '--numstat', '-z', `-p${strip}`, '--unidiff-zero', '-'], patch))
}

function sums(numstat: Buffer): Counts {
  const counts: Counts = {}
  const tokens = numstat.toString('latin1').split('\0').slice(0, -1).values()
  for (const token of tokens) {
    const [added, deleted, ...rest] = token.split('\t')
    // Of a moved file both names follow.
    const path = rest.join('\t') || [tokens.next().value, tokens.next().value as string][1]
    const [before, after] = counts[path as string] ?? [0, 0]
    const isText = added !== '-' && before !== null && after !== null
    counts[path as string] = isText ? [before + Number(added), after + Number(deleted)] : [null, null]
  }
  return counts
}

interface Raw {
  modes: [string, string]
  status: string
  previous: Bytes | null
}

function rawOf(output: Buffer): Map<Bytes, Raw> {
  const tokens = output.toString('latin1').split('\0')
  const entries = new Map<Bytes, Raw>()
  for (let at = 0; tokens[at]?.startsWith(':'); at += 2) {
    const [oldMode = '', newMode = '', , , status = ''] = (tokens[at] as string).slice(1).split(' ')
    const first = tokens[at + 1] as string
    const isMoved = /^[RC]/.test(status)
    if (isMoved) at += 1
    const path = tokens[at + 1] as string
    entries.set(path, { modes: [oldMode, newMode], status: status.charAt(0), previous: isMoved ? first : null })
  }
  return entries
}

function kindOf({ status, modes }: Raw): string {
  if (status === 'R') return 'renamed'
  if (status === 'C') return 'copied'
  if (status === 'T') return 'typechange'
  if (modes.includes('160000')) return 'submodule'
  return { A: 'added', D: 'deleted', M: 'modified' }[status] ?? status
}

/** What holds of any patch: sections stand where they say, in both countings, and filtering keeps them as they are. */
async function check(patch: Buffer, isDamaged = false): Promise<ParsedDiff> {
  const diff = await parseUnifiedDiff(patch)
  const text = patch.toString()
  const sections = sorted(diff)
  for (const { start, end, byteStart, byteEnd } of sections) {
    expect(text.slice(start, end)).toBe(patch.subarray(byteStart, byteEnd).toString())
  }
  const half = diff.files.filter((_, at) => at % 2 === 0)
  const kept = await filterUnifiedDiff(
    patch,
    half.map(({ path }) => path),
  )
  const wanted = new Set(half.map(({ path }) => path))
  const expected = diff.files.filter(({ path, previousPath }) => wanted.has(path) || wanted.has(previousPath ?? ''))
  const pieces = sorted({ files: expected }).map(({ byteStart, byteEnd }) => patch.subarray(byteStart, byteEnd))
  expect(kept.patchBytes.equals(Buffer.concat(pieces))).toBe(true)
  expect(kept.patch).toBe(kept.patchBytes.toString())
  expect(withoutPlaces(kept.files)).toEqual(withoutPlaces(expected))
  // Of a damaged patch, sections of two kinds may come to stand where they look like one.
  if (!isDamaged) expect((await parseUnifiedDiff(kept.patchBytes)).files).toEqual(kept.files)
  if (Buffer.from(text).equals(patch)) expect(await parseUnifiedDiff(text)).toEqual(diff)
  return diff
}

function sorted({ files }: Pick<ParsedDiff, 'files'>): ParsedFile['section'] {
  const sections = files.flatMap(({ section }) => section).sort((one, two) => one.byteStart - two.byteStart)
  sections.reduce((end, { byteStart, byteEnd }) => {
    expect(byteStart).toBeGreaterThanOrEqual(end)
    expect(byteEnd).toBeGreaterThan(byteStart)
    return byteEnd
  }, 0)
  return sections
}

const withoutPlaces = (files: ParsedFile[]) =>
  files.map(({ section, ...file }) => ({ ...file, sections: section.length }))

/** Nothing but sections: what `git diff` alone prints. */
function expectTiled(diff: ParsedDiff, patch: Buffer): void {
  const sections = sorted(diff)
  expect(sections.reduce((length, { byteStart, byteEnd }) => length + byteEnd - byteStart, 0)).toBe(patch.length)
}

const underlined = ['-w', '--ignore-blank-lines', '-D', '-a']
const options: string[][] = [
  ...[[], ['-w'], ['-U0'], ['-U10'], ['-M'], ['-C', '--find-copies-harder'], ['-B', '-M'], ['--binary'], ['-R']],
  ...[['--full-index', '--binary', '-M'], ['-W'], ['--patience'], ['-D'], ['-a'], ['--inter-hunk-context=3']],
  ...[
    ['--no-prefix'],
    ['--src-prefix=old/', '--dst-prefix=newer/'],
    ['--src-prefix=i/', '--dst-prefix=w/', '-R', '-M'],
  ],
  ...[
    ['-c', 'diff.mnemonicPrefix=true'],
    ['-c', 'core.quotePath=false', '-C'],
    ['-c', 'diff.noprefix=true', '-M'],
  ],
  ...[
    ['-c', 'diff.suppressBlankEmpty=true'],
    ['--ignore-blank-lines', '-U1'],
    ['--stat', '--summary', '-p', '-M'],
  ],
]

describe('what git prints', () => {
  const random = new Random('pairs')
  for (const option of options) {
    it(`git diff ${option.join(' ')}`, async () => {
      const config = option[0] === '-c' ? option.slice(0, 2) : []
      const flags = option.slice(config.length)
      const strip = /no-?prefix/.test(option.join()) ? 0 : 1
      for (let round = 0; round < 4; round += 1) {
        const pair = [random.pick(history.commits), random.pick(history.commits)] as const
        const git = (...more: string[]) => history.run([...config, 'diff', ...flags, ...more, ...pair])
        const patch = git()
        const diff = await check(patch)
        expect(diff.truncated).toBe(false)
        expect(countsOf(diff)).toEqual(countsByApply(patch, strip))
        if (!flags.includes('-p')) expectTiled(diff, patch)
        const raw = rawOf(git('--no-patch', '--raw', '-z'))
        const isWhole = !underlined.some((flag) => flags.includes(flag))
        if (isWhole) expect(diff.files.map(bytesOf)).toEqual([...raw.keys()])
        const numstat = sums(git('--no-patch', '--numstat', '-z'))
        for (const file of diff.files) {
          const entry = raw.get(bytesOf(file)) as Raw
          const { modes, previous, status } = entry
          // A change of type is a deletion and an addition in a patch, and a change of lines to numstat. Of a change
          // of name or mode alone a patch does not say that the file is binary.
          const counts = [file.additions, file.deletions]
          const expected = numstat[bytesOf(file)] as (number | null)[]
          if (isWhole && status !== 'T' && !(expected[0] === null && counts.join() === '0,0')) {
            expect(counts).toEqual(expected)
          }
          expect([file.path, file.kind, previousOf(file)]).toEqual([file.path, kindOf(entry), previous])
          const told = [file.oldMode, file.newMode].map((mode, at) => mode ?? (previous ? modes[at] : '000000'))
          if (!flags.includes('-w')) expect(told).toEqual(modes)
        }
      }
    })
  }

  it('git log and git show, with messages around', async () => {
    for (const flags of [
      ['-p'],
      ['-p', '-m', '-M'],
      ['-p', '--first-parent', '--format=%h%n%s'],
      ['-p', '--format='],
    ]) {
      const patch = history.run(['log', ...flags, '-25'])
      const diff = await check(patch)
      expect(diff.truncated).toBe(false)
      expect(countsOf(diff)).toEqual(countsByApply(patch))
    }
  })

  it('git format-patch, also as attachments', async () => {
    for (const flags of [
      [],
      ['--no-signature', '-U0'],
      ['--attach'],
      ['--inline', '--no-binary'],
      ['--cover-letter'],
    ]) {
      const patch = history.run(['format-patch', '--stdout', ...flags, 'HEAD~12'])
      const diff = await check(patch)
      expect(diff.truncated).toBe(false)
      expect(countsOf(diff)).toEqual(countsByApply(patch))
    }
  })

  it('merges, combined and redone', async () => {
    let count = 0
    for (const merge of history.merges) {
      for (const flags of [['--cc'], ['-c'], ['-c', '--combined-all-paths', '-M'], ['--cc', '-U0', '--full-index']]) {
        const patch = history.run(['show', '--format=', ...flags, merge])
        const diff = await check(patch)
        expect(diff.truncated).toBe(false)
        expectTiled(diff, patch)
        const names = (patch.toString('latin1').match(/^diff --(cc|combined) .*$/gm) ?? []).length
        expect(diff.files).toHaveLength(names)
        count += names
      }
      const redone = history.run(['show', '--format=', '--remerge-diff', merge])
      const diff = await check(redone)
      expect(diff.truncated).toBe(false)
      expectTiled(diff, redone)
    }
    expect(count).toBeGreaterThan(20)
  })

  it('the same with CRLF line ends', async () => {
    for (const commit of history.commits.slice(1, 30)) {
      const patch = history.run(['show', '-M', '--first-parent', '-m', '--binary', commit])
      const crlf = Buffer.from(patch.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
      const diff = await check(crlf)
      expect(diff.truncated).toBe(false)
      expect(withoutPlaces(diff.files)).toEqual(withoutPlaces((await parseUnifiedDiff(patch)).files))
    }
  })
})

describe('each kind', () => {
  const link = (content: Bytes): State => ({ mode: '120000', content })
  const script: State = { mode: '100755', content: 'run\n' }
  const sub = (content: Bytes): State => ({ mode: '160000', content })
  const patch = history.run(['show', 'HEAD']).toString('latin1')
  const patchLines = patch.split('\n').length - (patch.endsWith('\n') ? 1 : 0)
  type Tree = Record<Bytes, Bytes | State>
  const kinds: [string, Tree, Tree, string[]][] = [
    ['a file becomes a link', { A: 'x\n' }, { A: link('core/A') }, ['typechange A 1/1 100644>120000 2']],
    ['a link becomes a file', { A: link('core/A') }, { A: 'x\n' }, ['typechange A 1/1 120000>100644 2']],
    [
      'a file becomes a folder',
      { A: 'x\n' },
      { 'A/b': 'y\n' },
      ['deleted A 0/1 100644>- 1', 'added A/b 1/0 ->100644 1'],
    ],
    ['a submodule moves', { s: sub('a') }, { s: sub('bb') }, ['submodule s 1/1 160000>160000 1']],
    ['a submodule comes', {}, { s: sub('a') }, ['submodule s 1/0 ->160000 1']],
    ['a submodule goes', { s: sub('a') }, {}, ['submodule s 0/1 160000>- 1']],
    [
      'a submodule becomes a folder',
      { s: sub('a') },
      { 's/x': 'x\n' },
      ['submodule s 0/1 160000>- 1', 'added s/x 1/0 ->100644 1'],
    ],
    ['a submodule becomes a file', { s: sub('a') }, { s: 'x\n' }, ['typechange s 1/1 160000>100644 2']],
    [
      'content that looks like headers',
      { 'q.sql': '-- old comment\n++count;\n', 'doc.md': 'text\n', 'p.patch': '' },
      { 'q.sql': '-- new comment\n--count;\n', 'doc.md': 'text\nBinary files a/x and b/x differ\n', 'p.patch': patch },
      [
        'modified doc.md 1/0 100644>100644 1',
        `modified p.patch ${patchLines}/0 100644>100644 1`,
        'modified q.sql 2/2 100644>100644 1',
      ],
    ],
    ['a newline at the end', { a: 'one\ntwo' }, { a: 'one\ntwo\n' }, ['modified a 1/1 100644>100644 1']],
    ['new without one', {}, { a: 'one\ntwo' }, ['added a 2/0 ->100644 1']],
    ['new with one', {}, { a: 'one\ntwo\n' }, ['added a 2/0 ->100644 1']],
    ['deleted without one', { a: 'one\ntwo' }, {}, ['deleted a 0/2 100644>- 1']],
    ['carriage returns alone', { a: 'one\rtwo\r' }, { a: 'one\rTWO\r' }, ['modified a 1/1 100644>100644 1']],
    ['CRLF to LF', { a: 'one\r\ntwo\r\n' }, { a: 'one\ntwo\n' }, ['modified a 2/2 100644>100644 1']],
    ['a mode alone', { 'run.sh': 'run\n' }, { 'run.sh': script }, ['modified run.sh 0/0 100644>100755 1']],
    ['a name alone', { a: 'one\ntwo\n' }, { b: 'one\ntwo\n' }, ['renamed b < a 0/0 ->- 1']],
    ['name and mode', { a: 'run\n' }, { b: script }, ['renamed b < a 0/0 100644>100755 1']],
    [
      'empty files',
      { gone: '' },
      { fresh: '', ' b/fresh b': '' },
      ['renamed  b/fresh b < gone 0/0 ->- 1', 'added fresh 0/0 ->100644 1'],
    ],
    ['binary files', { 'b.dat': '\0a' }, { 'b.dat': '\0b' }, ['modified b.dat -/- 100644>100644 1']],
    ['b/ in a name', { 'a b/f b.txt': 'x\n' }, { 'a b/f b.txt': 'y\n' }, ['modified a b/f b.txt 1/1 100644>100644 1']],
  ]
  for (const [name, before, after, expected] of kinds) {
    it(name, async () => {
      const repo = twoTrees(before, after)
      for (const flags of [
        ['-M'],
        ['-M', '--binary'],
        ['-M', '--no-prefix'],
        ['-M', '-U0'],
        ['-M', '--src-prefix=p q/'],
      ]) {
        const diff = await check(repo.run(['diff', ...flags, 'HEAD~1', 'HEAD']))
        expect(diff.files.map(told)).toEqual(expected)
        expect(diff.truncated).toBe(false)
      }
    })
  }

  function told(file: ParsedFile): string {
    const from = file.previousPath === null ? '' : ` < ${file.previousPath}`
    const counts = `${file.additions ?? '-'}/${file.deletions ?? '-'}`
    const modes = `${file.oldMode ?? '-'}>${file.newMode ?? '-'}`
    return `${file.kind} ${file.path}${from} ${counts} ${modes} ${file.section.length}`
  }
})

describe('bytes of any kind', () => {
  const random = new Random('bytes')
  const printed = history.commits
    .slice(-20)
    .flatMap((commit) =>
      [['--cc'], ['-m', '-M', '--binary'], ['--format=email', '-C']].map((flags) => ({ flags, commit })),
    )
    .map(({ flags, commit }) => history.run(['show', ...flags, commit]))
    .filter(({ length }) => length < 20_000)

  it('are read to their end, whatever was done to a patch', async () => {
    for (let round = 0; round < 1500; round += 1) {
      await check(damaged(random.pick(printed)), true)
    }
  })

  it('are read to their end, patch or not', async () => {
    for (let round = 0; round < 300; round += 1) {
      await check(Buffer.from(Array.from({ length: random.between(0, 300) }, () => random.between(0, 255))))
    }
  })

  it('a cut patch names no file that it does not have', async () => {
    for (const patch of printed.slice(0, 30)) {
      const whole = countsOf(await parseUnifiedDiff(patch))
      for (let round = 0; round < 20; round += 1) {
        const cut = await check(patch.subarray(0, random.between(0, patch.length)))
        for (const [path, [added, deleted]] of Object.entries(countsOf(cut))) {
          expect(whole).toHaveProperty([path])
          const [allAdded, allDeleted] = whole[path] as [number | null, number | null]
          if (allAdded !== null) expect(added).toBeLessThanOrEqual(allAdded)
          if (allDeleted !== null) expect(deleted).toBeLessThanOrEqual(allDeleted)
        }
      }
    }
  })

  it('a patch that is cut between two lines of a hunk says so, and keeps what stands before', async () => {
    const patch = twoTrees({ a: 'x\n', b: '1\n2\n3\n' }, { a: 'y\n', b: '1\n2\n3\n4\n5\n' }).run([
      'diff',
      'HEAD~1',
      'HEAD',
    ])
    const cut = await parseUnifiedDiff(patch.subarray(0, patch.length - 3))
    expect(cut.truncated).toBe(true)
    expect(countsOf(cut)).toEqual({ a: [1, 1], b: [1, 0] })
  })

  it('megabytes take no longer than that', async () => {
    const units = ['-', ' ', '\n', '--- a\n', '@@ -1 +1 @@\n', 'diff --git a/x b/x\n', 'diff --git " "\n', '"a/\\303']
    for (const unit of [...units, `diff --git ${'a b/'.repeat(200)}\n`, `diff --cc x\n${'@'.repeat(300)} -1\n`]) {
      const started = Date.now()
      await parseUnifiedDiff(unit.repeat(4_000_000 / unit.length))
      expect(Date.now() - started).toBeLessThan(5_000)
    }
  })

  function spliced(lines: string[], at: number, count: number, ...others: string[]): string {
    return [...lines.slice(0, at), ...others, ...lines.slice(at + count)].join('\n')
  }

  function damaged(patch: Buffer): Buffer {
    let text = patch.toString('latin1')
    for (let damage = random.between(1, 4); damage > 0; damage -= 1) {
      const lines = text.split('\n')
      const at = random.between(0, text.length)
      const line = random.between(0, lines.length - 1)
      const other = random.pick(random.pick(printed).toString('latin1').split('\n'))
      const odd = random.pick([
        '\0',
        '\n',
        '\r\n',
        '"',
        '@@',
        '\\',
        '\xff',
        '\xf0\x9f',
        ' ',
        '--- ',
        '18446744073709551616',
      ])
      text = random.pick([
        () => text.slice(0, at),
        () => text.slice(0, at) + odd + text.slice(at + random.between(0, 2)),
        () => spliced(lines, line, random.between(0, 3)),
        () => spliced(lines, line, 0, other),
        () => spliced(lines, line, 1, other),
        () => text.slice(at) + text.slice(0, at),
      ])()
    }
    return Buffer.from(text, 'latin1')
  }
})

describe('the calls', () => {
  const patch = 'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+é😀\n+\ud800\n'

  it('a string keeps even half a character; places count in units and in bytes', async () => {
    const text = `é\ud83d\n${patch}`
    const { patch: kept, patchBytes, files } = await filterUnifiedDiff(text, ['x'])
    expect(kept).toBe(patch)
    expect(patchBytes).toEqual(Buffer.from(patch))
    const end = { end: patch.length, byteEnd: patchBytes.length }
    expect(files.map(({ section }) => section)).toEqual([[{ start: 0, byteStart: 0, ...end }]])
    const [section] = (await parseUnifiedDiff(text)).files[0]?.section ?? []
    expect(section).toEqual({ start: 3, byteStart: 6, end: text.length, byteEnd: Buffer.from(text).length })
  })

  it('bytes are taken when the call is made', async () => {
    const bytes = Buffer.from(patch)
    const call = parseUnifiedDiff(bytes)
    bytes.fill(0)
    expect((await call).files).toHaveLength(1)
    const view = new Uint8Array(Buffer.from(`@@ -1 +1 @@\n${patch}`)).subarray(12)
    expect((await parseUnifiedDiff(view)).truncated).toBe(false)
  })

  it('names that are not UTF-8 have their bytes beside them, and are wanted by what is shown', async () => {
    const text = Buffer.from('diff --git "a/\\377" "b/\\377"\nold mode 100644\nnew mode 100755\n')
    const { files, patchBytes } = await filterUnifiedDiff(text, ['\ufffd'])
    expect(files).toMatchObject([{ path: '\ufffd', pathBytes: Buffer.from([0xff]), previousPathBytes: null }])
    expect(patchBytes).toEqual(text)
    expect((await filterUnifiedDiff(text, ['\udfff'])).files).toHaveLength(1)
  })

  it('what is no text is INVALID_ARGUMENT, and so are paths that are none', async () => {
    const code = { code: 'INVALID_ARGUMENT' }
    const others = [
      undefined,
      null,
      7,
      {},
      [],
      new ArrayBuffer(2),
      new Uint16Array(2),
      new DataView(new ArrayBuffer(2)),
    ]
    for (const text of others as string[]) {
      await expect(parseUnifiedDiff(text)).rejects.toMatchObject(code)
      await expect(filterUnifiedDiff(text, [])).rejects.toMatchObject(code)
    }
    for (const paths of [undefined, null, 'x', {}, [7], [null], [undefined]] as string[][]) {
      await expect(filterUnifiedDiff('', paths)).rejects.toMatchObject(code)
    }
  })

  it('an abort rejects', async () => {
    const signal = AbortSignal.abort('enough')
    await expect(parseUnifiedDiff(patch, { signal })).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
    const controller = new AbortController()
    const call = filterUnifiedDiff(patch, ['x'], { signal: controller.signal })
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
  })
})
