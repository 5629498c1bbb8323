// Budgets cut text, never the list: a huge file beside a small edit, thousands of small files, one endless line.
import { describe, expect, it } from 'vitest'
import { expectWholeSections } from '../scenarios/patch-of-turn.js'
import { type AttributeTurnRequest, addon, type DiffFile, type DiffOptions, type TurnDiff } from '../support/addon.js'
import { runGit } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'

async function turnOf(repo: TurnRepository, story: () => void): Promise<AttributeTurnRequest> {
  const from = await repo.startTurn()
  story()
  return { cwd: repo.cwd, from, to: await repo.endTurn() }
}

function section(diff: TurnDiff, path: string): string {
  const found = diff.files.find((file) => file.path === path)?.section
  return found ? diff.patch.slice(found.start, found.end) : ''
}

function file(diff: TurnDiff, path: string): DiffFile {
  return diff.files.find((each) => each.path === path) as DiffFile
}

/** What git makes of a patch: it refuses one that is not well-formed. */
function numstat(repo: TurnRepository, patch: Buffer): string[] {
  return runGit(repo.cwd, repo.env, ['apply', '--numstat', '-'], { input: patch }).split('\n')
}

async function inAll(request: AttributeTurnRequest, options: DiffOptions): Promise<TurnDiff> {
  const diff = await addon().diffTurn(request, options)
  expectWholeSections(diff)
  expect(diff.truncated).toBe(diff.files.some((each) => each.truncated))
  return diff
}

const small =
  'diff --git a/z.ts b/z.ts\nindex 0000000..1111111 100644\n--- a/z.ts\n+++ b/z.ts\n@@ -7,5 +7,5 @@ line 6\n line 7\n line 8\n-line 9\n+edited\n line 10\n'

describe('a generated file of 15 MB beside an edit of three lines', async () => {
  const repo = TurnRepository.create({ 'z.ts': lines(20), 'generated.js': 'old\n' })
  const count = 800_000
  const request = await turnOf(repo, () => {
    repo.write('generated.js', lines(count, 'var x ='))
    for (const line of [3, 4, 5]) repo.edit('z.ts', line, 'edited')
  })

  it('by default the large one is cut, and the edit stands in full', async () => {
    const diff = await inAll(request, {})
    expect(diff.files.map((each) => each.path)).toEqual(['generated.js', 'z.ts'])
    expect(file(diff, 'generated.js')).toMatchObject({ additions: count, deletions: 1, truncated: true })
    expect(file(diff, 'z.ts')).toMatchObject({ additions: 3, deletions: 3, truncated: false })
    const size = Buffer.byteLength(section(diff, 'generated.js'))
    expect(size).toBeLessThanOrEqual(1 << 20)
    expect(size).toBeGreaterThan((1 << 20) - 100)
    expect(section(diff, 'z.ts').split('\n').length).toBeGreaterThan(small.split('\n').length)
    expect(numstat(repo, diff.patchBytes)[1]).toBe('3\t3\tz.ts')
  })

  it('the budget in all cuts the large one as well', async () => {
    for (const maxBytes of [0, 1, 300, 1000, 5000, 100_000]) {
      const diff = await inAll(request, { maxBytes })
      expect(file(diff, 'generated.js')).toMatchObject({ additions: count, truncated: true })
      expect(file(diff, 'z.ts').truncated, String(maxBytes)).toBe(maxBytes < 1000)
      if (maxBytes >= 1000) {
        expect(diff.patchBytes.length).toBeLessThanOrEqual(maxBytes)
        expect(numstat(repo, diff.patchBytes).length).toBe(2)
      }
      for (const { path, section } of diff.files) expect(section, path).not.toBeNull()
    }
  })

  it('without a limit it is whole', async () => {
    const diff = await inAll(request, { maxFileBytes: 1e9, maxBytes: 1e9 })
    expect(diff.truncated).toBe(false)
    expect(numstat(repo, diff.patchBytes)).toEqual([`${count}\t1\tgenerated.js`, '3\t3\tz.ts'])
  })

  it('one file can be asked for alone', async () => {
    const diff = await inAll(request, { paths: ['z.ts'] })
    expect(diff.files.map((each) => each.path)).toEqual(['z.ts'])
    expect(diff.truncated).toBe(false)
    expect((await inAll(request, { paths: [] })).files).toEqual([])
    expect((await inAll(request, { paths: ['no such file'] })).files).toEqual([])
  })
})

it('5000 small files are all there', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a\n' })
  const names = Array.from({ length: 5000 }, (_, number) => `src/${number % 70}/file ${number}.ts`)
  const request = await turnOf(repo, () => {
    for (const name of names) repo.write(name, `${name}\n${lines(10)}`)
  })
  const diff = await inAll(request, {})
  expect(diff.files.length).toBe(5000)
  expect(diff.truncated).toBe(false)
  expect(numstat(repo, diff.patchBytes).length).toBe(5000)
  const cut = await inAll(request, { maxBytes: 500_000 })
  expect(cut.files.map(({ path, additions }) => [path, additions])).toEqual(
    diff.files.map(({ path, additions }) => [path, additions]),
  )
  expect(cut.files.every((each) => each.truncated && each.section !== null)).toBe(true)
})

it('a line that is longer than the budget leaves the header', async () => {
  const repo = TurnRepository.create({ 'a.ts': 'a\n', 'z.ts': 'z\n' })
  const request = await turnOf(repo, () => repo.write('a.ts', 'x'.repeat(5_000_000)).append('z.ts', 'more\n'))
  const diff = await inAll(request, {})
  expect(section(diff, 'a.ts')).toMatch(
    /^diff --git a\/a\.ts b\/a\.ts\nindex \w+\.\.\w+ 100644\n@@ -1 \+0,0 @@\n-a\n$|^diff --git a\/a\.ts b\/a\.ts\nindex \w+\.\.\w+ 100644\n--- a\/a\.ts\n\+\+\+ b\/a\.ts\n@@ -1 \+0,0 @@\n-a\n$/,
  )
  expect(file(diff, 'a.ts')).toMatchObject({ additions: 1, deletions: 1, truncated: true })
  expect(section(diff, 'z.ts')).toMatch(/\+more\n$/)
})

it('hunks are cut between lines, at every budget, and what is left is well-formed', async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(200), 'gone.ts': lines(30), link: lines(5) })
  const request = await turnOf(repo, () => {
    for (const line of [5, 6, 50, 51, 52, 120, 199, 200]) repo.edit('a.ts', line, `edited ${line}\nand more`)
    repo.write('new.ts', lines(30).slice(0, -1)).remove('gone.ts').symlink('a.ts', 'link')
  })
  const whole = await inAll(request, {})
  for (let maxFileBytes = 0; maxFileBytes < 1500; maxFileBytes += 7) {
    const diff = await inAll(request, { maxFileBytes })
    expect(diff.files.map(({ section, truncated, ...rest }) => rest)).toEqual(
      whole.files.map(({ section, truncated, ...rest }) => rest),
    )
    const withHunks = diff.files.filter((each) => section(diff, each.path).includes('\n@@ '))
    for (const { path, section: place, truncated } of withHunks) {
      const bytes = diff.patchBytes.subarray(place?.byteStart, place?.byteEnd)
      expect(bytes.length, path).toBeLessThanOrEqual(Math.max(maxFileBytes, section(whole, path).indexOf('\n---') + 1))
      expect(numstat(repo, bytes).length, `${path} at ${maxFileBytes}: ${bytes}`).toBeGreaterThan(0)
      expect(truncated).toBe(section(diff, path) !== section(whole, path))
    }
  }
})

it('what has no hunks is whole at every budget, and not said to be cut', async () => {
  const repo = TurnRepository.create({
    'run.sh': lines(9),
    'old.ts': lines(40),
    'b.dat': 'a\0b',
    'gone.ts': '',
    z: 'z\n',
  })
  const request = await turnOf(repo, () => {
    repo.chmod('run.sh', '+x').move('old.ts', 'new.ts').write('b.dat', 'c\0d').remove('gone.ts').write('empty.ts', '')
    repo.append('z', 'more\n')
  })
  const whole = await inAll(request, {})
  expect(whole.files.length).toBe(6)
  for (const options of [{ maxBytes: 1 }, { maxFileBytes: 1 }, { maxBytes: 0, maxFileBytes: 0 }]) {
    const diff = await inAll(request, options)
    for (const { path, truncated } of diff.files) {
      expect(truncated, path).toBe(path === 'z')
      if (path !== 'z') expect(section(diff, path)).toBe(section(whole, path))
    }
    const without = await inAll(request, {
      ...options,
      paths: whole.files.map(({ path }) => path).filter((path) => path !== 'z'),
    })
    expect(without.truncated).toBe(false)
  }
})

it('a budget that is no number of bytes is an error', async () => {
  const repo = TurnRepository.create()
  const request = await turnOf(repo, () => {})
  for (const options of [
    { maxBytes: -1 },
    { maxFileBytes: 1.5 },
    { contextLines: -3 },
    { paths: 'a.ts' },
    { maxBytes: '1' },
  ]) {
    await expect(addon().diffTurn(request, options as DiffOptions)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
})
