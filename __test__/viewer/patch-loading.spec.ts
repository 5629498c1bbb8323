import { describe, expect, it } from 'vitest'
import type { DiffFile, ShownFile, TurnAttribution } from '../../index.js'
import { PatchLoading } from '../../viewer/panel/patch-loading.js'
import type { PatchQuery, TurnPatch } from '../../viewer/panel/patch-query.js'
import { shownFile } from '../support/shown-file.js'

function turnOf(shown: ShownFile[]): TurnAttribution {
  return {
    shown,
    shownFileCount: shown.length,
    demoted: { fileCount: 1, additions: null, deletions: null, files: null },
    branchTransition: {
      fromBranch: 'main',
      toBranch: 'main',
      fromHead: null,
      toHead: null,
      kind: 'none',
      actions: [],
      label: '',
    },
    attribution: { status: 'attributed', evidence: 'reflog', notes: [] },
    operationInProgress: null,
  }
}

/** Answers with `<path>` as the text of each file. */
function answer(files: ShownFile[], more: Partial<DiffFile> = {}): TurnPatch {
  let patch = ''
  const diffFiles = files.map((file): DiffFile => {
    const start = patch.length
    patch += `<${file.path}>`
    const section = { start, end: patch.length, byteStart: start, byteEnd: patch.length }
    return { ...file, demoted: false, section, truncated: false, pathBytes: null, previousPathBytes: null, ...more }
  })
  return { patch, files: diffFiles, fileCount: files.length, truncated: more.truncated ?? false }
}

const many = (count: number) => Array.from({ length: count }, (_, n) => shownFile(`f${String(n).padStart(4, '0')}`))
const plain = { includeGitChanges: false, ignoreWhitespace: false }
const texts = (loading: PatchLoading) => loading.getState().files?.map(({ text }) => text)

describe('loading of a patch', () => {
  it('asks once for a small turn', async () => {
    const shown = many(3)
    const asked: PatchQuery[] = []
    const loading = new PatchLoading(
      async (query) => {
        asked.push(query)
        return answer(shown)
      },
      turnOf(shown),
      { ...plain, ignoreWhitespace: true },
    )
    expect(loading.getState()).toMatchObject({ files: null, status: 'loading' })
    await loading.run()
    expect(texts(loading)).toEqual(['<f0000>', '<f0001>', '<f0002>'])
    expect(loading.getState()).toMatchObject({ status: 'done', loadedCount: 3, fileCount: 3 })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ includeGitChanges: false, ignoreWhitespace: true })
    expect(asked[0]?.paths).toBeUndefined()
  })

  it('asks again for what the budget of the whole has cut, and believes the cut of a file alone', async () => {
    const shown = many(2)
    const loading = new PatchLoading(async () => answer(shown, { truncated: true }), turnOf(shown), plain)
    await loading.run()
    expect(loading.getState().files?.map(({ cut, text }) => [cut, text])).toEqual([
      [true, '<f0000>'],
      [true, '<f0001>'],
    ])
    const whole = loading.loadWhole('f0001')
    expect(loading.getState().files?.[1]?.whole).toBe('loading')
    await whole
    expect(loading.getState().files?.map((file) => file.whole)).toEqual(['not-asked', 'tried'])
  })

  it('knows the files of a large turn from the card, and loads them in batches from where it is looked', async () => {
    const shown = many(200)
    const asked: string[][] = []
    const progress: number[] = []
    const loading = new PatchLoading(
      async ({ paths = [] }) => {
        asked.push(paths)
        return answer(shown.filter(({ path }) => paths.includes(path)))
      },
      turnOf(shown),
      plain,
    )
    expect(loading.getState().files).toHaveLength(200)
    loading.preferFrom(() => 190)
    loading.subscribe(() => progress.push(loading.getState().loadedCount))
    await loading.run()
    expect(asked.map((paths) => [paths[0], paths.length])).toEqual([
      ['f0190', 64],
      ['f0054', 64],
      ['f0118', 64],
      ['f0182', 8],
    ])
    expect(texts(loading)).toEqual(shown.map(({ path }) => `<${path}>`))
    expect([...new Set(progress)]).toEqual([0, 64, 128, 192, 200])
  })

  it('makes batches of few large files', async () => {
    const shown = many(100).map((file) => ({ ...file, additions: 15_000 }))
    const sizes: number[] = []
    const loading = new PatchLoading(
      async ({ paths = [] }) => {
        sizes.push(paths.length)
        return answer(shown.filter(({ path }) => paths.includes(path)))
      },
      turnOf(shown),
      plain,
    )
    await loading.run()
    expect(new Set(sizes)).toEqual(new Set([1]))
  })

  it('stops asking after much text, until it is asked to go on', async () => {
    const shown = many(130)
    const long = 'x'.repeat(1024 * 1024)
    const loading = new PatchLoading(
      async ({ paths = [] }) => {
        const files = answer(shown.filter(({ path }) => paths.includes(path)))
        const section = { start: 0, end: long.length, byteStart: 0, byteEnd: long.length }
        return { ...files, patch: long, files: files.files.map((file) => ({ ...file, section })) }
      },
      turnOf(shown),
      plain,
    )
    await loading.run()
    expect(loading.getState()).toMatchObject({ status: 'paused', loadedCount: 64 })
    loading.resume()
    await expect.poll(() => loading.getState().loadedCount).toBe(128)
    loading.resume()
    await expect.poll(() => loading.getState().status).toBe('done')
  })

  it('takes no answer after it was closed, and aborts what it asked', async () => {
    let release = (_: TurnPatch) => {}
    let signal: AbortSignal | undefined
    const loading = new PatchLoading(
      (_query, given) => {
        signal = given
        return new Promise((resolve) => {
          release = resolve
        })
      },
      turnOf(many(1)),
      plain,
    )
    const run = loading.run()
    loading.close()
    expect(signal?.aborted).toBe(true)
    release(answer(many(1)))
    await run
    expect(loading.getState()).toMatchObject({ files: null, status: 'loading' })
  })

  it('says what failed, keeps what came, and goes on from there', async () => {
    const shown = many(100)
    let failing = true
    const loading = new PatchLoading(
      async ({ paths = [] }) => {
        if (failing && paths[0] !== 'f0000') throw new Error('gone')
        return answer(shown.filter(({ path }) => paths.includes(path)))
      },
      turnOf(shown),
      plain,
    )
    await loading.run()
    expect(loading.getState()).toMatchObject({ status: 'failed', loadedCount: 64, error: new Error('gone') })
    failing = false
    loading.resume()
    await expect.poll(() => loading.getState().status).toBe('done')
    expect(loading.getState().loadedCount).toBe(100)
  })

  it('ends where an answer leaves a file out, and tells names apart that are the same in text', async () => {
    const twins = [shownFile('same'), shownFile('same'), shownFile('other')]
    const answered = answer(twins.slice(0, 2))
    const loading = new PatchLoading(
      async ({ paths }) => (paths === undefined ? { ...answer(twins), files: answered.files } : answered),
      turnOf(twins),
      plain,
    )
    await loading.run()
    expect(texts(loading)).toEqual(['<same>', '<same>'])

    const large = [...many(64), ...twins]
    const cut = new PatchLoading(async () => answered, turnOf(large), plain)
    await cut.run()
    expect(cut.getState().status).toBe('done')
    expect(texts(cut)?.slice(-3)).toEqual(['', '<same>', '<same>'])
  })

  it('says at a file that the rest of it could not be loaded, whatever becomes of the others', async () => {
    const shown = many(100)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const loading = new PatchLoading(
      async ({ paths = [] }) => {
        if (paths.length === 1) throw new Error('gone')
        if (paths[0] !== 'f0000') await held
        return answer(
          shown.filter(({ path }) => paths.includes(path)),
          { truncated: true },
        )
      },
      turnOf(shown),
      plain,
    )
    const run = loading.run()
    await expect.poll(() => loading.getState().loadedCount).toBe(64)
    await loading.loadWhole('f0001')
    release()
    await run
    expect(loading.getState()).toMatchObject({ status: 'done', error: null, loadedCount: 100 })
    expect(
      loading
        .getState()
        .files?.slice(0, 2)
        .map(({ whole }) => whole),
    ).toEqual(['not-asked', 'failed'])
  })

  it('says of a file why it has no text', async () => {
    const shown = many(2)
    const empty = (query: PatchQuery) => {
      const answered = answer(query.paths === undefined ? shown : shown.slice(0, 1))
      return { ...answered, files: answered.files.map((file) => ({ ...file, section: null })) }
    }
    const why = async (
      ignoreWhitespace: boolean,
      files: ShownFile[],
      load = async (query: PatchQuery) => empty(query),
    ) => {
      const loading = new PatchLoading(load, turnOf(files), { ...plain, ignoreWhitespace })
      await loading.run()
      return loading
        .getState()
        .files?.slice(0, 2)
        .map(({ without }) => without)
    }
    expect(await why(true, shown)).toEqual(['whitespace', 'whitespace'])
    expect(await why(false, shown)).toEqual([null, null])
    // Asked for by name, as the card had them: the turn is another by now.
    expect(await why(true, many(100))).toEqual(['whitespace', 'gone'])
  })

  it('says mixed of what could not be told apart, not of what was asked for', async () => {
    const shown = [shownFile('edited'), shownFile('mixed', { mixed: true })]
    const loading = new PatchLoading(async () => answer(shown, { mixed: true }), turnOf(shown), {
      ...plain,
      includeGitChanges: true,
    })
    await loading.run()
    expect(loading.getState().files?.map(({ file, withGit }) => [file.mixed, withGit])).toEqual([
      [false, true],
      [true, false],
    ])
  })
})
