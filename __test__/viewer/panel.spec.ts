// The diff panel: what it shows, the toggle, and that nothing of one turn is ever seen in another.

import { beforeAll, describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { closeAfterwards, serverOf, WatchedPage } from './browser-page.js'
import { RecordedThread } from './recorded-thread.js'

closeAfterwards()

const TOGGLE = { name: 'Show git changes' }

const turns: Record<string, number> = {}
let url: string
// One page for all: nothing of a turn must be there in the next anyway.
let shared: Promise<WatchedPage> | undefined
const open = async (story: string) => {
  shared ??= WatchedPage.open(url)
  return (await shared).goTo(`#thread=t3code%3Athread-one&turn=${turns[story]}`)
}
const library = TurnRepository.create({ 'lib.ts': 'lib\n' })

// One thread, a story a turn. Turn 1 pulls two files and edits one; turn 2 pulls another and edits another; turn 3 edits
// alone.
beforeAll(async () => {
  const repo = TurnRepository.create({ 'a.ts': lines(5), 'b.ts': lines(5), 'both.ts': lines(30) })
  const thread = await RecordedThread.begin(repo)
  repo.teammate.push({ 'up/one.ts': 'pulled one\n', 'up/two.ts': 'pulled two\n' })
  turns.first = await thread.turn(() => {
    repo.pull()
    repo.edit('a.ts', 1, 'first turn')
  })
  repo.teammate.push({ 'up/three.ts': 'pulled three\n' })
  turns.second = await thread.turn(() => {
    repo.pull()
    repo.edit('b.ts', 1, 'second turn')
  })
  turns.third = await thread.turn(() => repo.edit('b.ts', 2, 'third turn'))
  repo.teammate.push({ 'both.ts': lines(30).replace('line 2\n', 'pulled line\n') })
  turns.both = await thread.turn(() => {
    repo.pull()
    repo.edit('both.ts', 25, 'agent line')
  })
  turns.whitespace = await thread.turn(() => repo.edit('a.ts', 2, '  line 2').edit('b.ts', 3, 'third'))
  turns.thirty = await thread.turn(() => {
    for (let file = 0; file < 30; file++) repo.write(`src/${file}.ts`, lines(40, `${file}`))
  })
  turns.submodule = await thread.turn(() => {
    repo.git('submodule', 'add', '-q', library.cwd, 'lib')
  })
  url = (await serverOf(repo.cwd)).url
})

describe('toggle', () => {
  it('offers the whole change and goes back, and the address keeps it', async () => {
    const view = await open('first')
    const { page } = view
    const toggle = page.getByRole('button', TOGGLE)
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1'])
    expect(await view.diffText()).not.toContain('pulled one')
    expect(await toggle.getAttribute('aria-pressed')).toBe('false')

    await toggle.click()
    await page.locator('.ta-file-head', { hasText: 'two.ts' }).waitFor()
    expect(await toggle.getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.ta-banner p').textContent()).toBe('2 files updated via git are shown as well')
    expect(await view.fileHeads()).toEqual([
      'up/one.ts | via git | new | +1 −0',
      'up/two.ts | via git | new | +1 −0',
      'a.ts | +1 −1',
    ])
    await view.diffShows('pulled one')

    await page.reload()
    await page.locator('.ta-file-head', { hasText: 'two.ts' }).waitFor()
    await toggle.click()
    await page.locator('.ta-file-head', { hasText: 'two.ts' }).waitFor({ state: 'detached' })
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1'])
    await page.goBack()
    await page.locator('.ta-file-head', { hasText: 'two.ts' }).waitFor()
    view.expectQuiet()
  })

  it('belongs to its turn', async () => {
    const view = await open('first')
    const { page } = view
    await page.getByRole('button', TOGGLE).click()
    await page.locator('.ta-file-head', { hasText: 'two.ts' }).waitFor()
    await page.getByRole('link', { name: /^Turn 2/ }).click()
    await page.locator('.ta-file-head', { hasText: 'b.ts' }).waitFor()
    expect(await page.getByRole('button', TOGGLE).getAttribute('aria-pressed')).toBe('false')
    expect(await view.fileHeads()).toEqual(['b.ts | +1 −1'])
    await page.getByRole('link', { name: /^Turn 3/ }).click()
    await page.locator('.page-turn-head', { hasText: 'Turn 3' }).waitFor()
    await view.diffLoaded()
    expect(await page.locator('.ta-banner').count()).toBe(0)
    view.expectQuiet()
  })

  it('never lets a late answer of another turn be seen, and aborts it', async () => {
    const view = await open('third')
    const { page } = view
    await view.fileHeads()
    const failed: string[] = []
    page.on('requestfailed', (request) => failed.push(new URL(request.url()).pathname.replace(/^.*\/api/, 'api')))
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let answered = () => {}
    const late = new Promise<void>((resolve) => {
      answered = resolve
    })
    await page.route('**/api/patch', async (route) => {
      const isHeld = route.request().postData()?.includes('"includeGitChanges":true')
      if (isHeld) await held
      await route.continue().catch(() => {})
      if (isHeld) answered()
    })
    await page.getByRole('link', { name: /^Turn 1/ }).click()
    await page.getByRole('button', TOGGLE).click()
    await page.getByRole('link', { name: /^Turn 2/ }).click()
    await page.locator('.ta-file-head', { hasText: 'b.ts' }).waitFor()
    release()
    await late
    expect(await view.fileHeads()).toEqual(['b.ts | +1 −1'])
    expect(failed).toContain('api/patch')
    await page.unroute('**/api/patch')
  })

  it('opens from the muted row', async () => {
    const view = await open('first')
    await view.page.locator('button.ta-moved').click()
    await view.page.locator('.ta-file-head', { hasText: 'two.ts' }).waitFor()
    expect(await view.page.getByRole('button', TOGGLE).getAttribute('aria-pressed')).toBe('true')
  })
})

describe('diff', () => {
  it('holds the agent\u2019s lines alone of a file that was pulled as well, and all of them with git\u2019s', async () => {
    const view = await open('both')
    expect(await view.fileHeads()).toEqual(['both.ts | +1 −1'])
    const text = await view.diffText()
    expect(text).toContain('agent line')
    expect(text).not.toContain('pulled line')
    expect(await view.page.locator('.ta-banner p').textContent()).toBe('Lines of 1 file updated via git are hidden')
    await view.page.getByRole('button', TOGGLE).click()
    await expect.poll(() => view.fileHeads()).toEqual(['both.ts | in part via git | +2 −2'])
    await view.diffShows('pulled line')
    view.expectQuiet()
  })

  it('leaves out what differs in white space alone when asked to', async () => {
    const view = await open('whitespace')
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1', 'b.ts | +1 −1'])
    const ignore = view.page.getByRole('button', { name: 'Ignore whitespace' })
    await ignore.click()
    await view.page.locator('.ta-file-note', { hasText: 'only whitespace differs' }).waitFor()
    expect(await ignore.getAttribute('aria-pressed')).toBe('true')
    expect(await view.fileHeads()).toEqual(['a.ts | only whitespace differs | +0 −0', 'b.ts | +1 −1'])
    await ignore.click()
    await view.page.locator('.ta-file-note').waitFor({ state: 'detached' })
    view.expectQuiet()
  })

  it('takes a press while it scrolls', async () => {
    const view = await open('thirty')
    const { page } = view
    await view.fileHeads()
    await page.locator('.ta-patch').evaluate((patch) => {
      let pressed = false
      patch.addEventListener('scroll', () => patch.setAttribute('data-scrolls', ''))
      patch.addEventListener('click', () => {
        pressed = true
      })
      // The header of the first file stays at the top.
      const scroll = () => {
        patch.scrollTop = patch.scrollTop === 20 ? 21 : 20
        if (!pressed) requestAnimationFrame(scroll)
      }
      scroll()
    })
    await page.locator('.ta-patch[data-scrolls]').waitFor()
    const toggle = page.locator('.ta-file-head', { hasText: 'src/0.ts' }).getByRole('button')
    const { x, y } = (await toggle.boundingBox()) ?? { x: 0, y: 0 }
    await page.mouse.click(x + 8, y + 8)
    await expect.poll(() => toggle.getAttribute('aria-expanded')).toBe('false')
    view.expectQuiet()
  })

  it('brings the file into view that is chosen in the card, and folds files', async () => {
    const view = await open('thirty')
    await view.fileHeads()
    await view.page.getByRole('treeitem', { name: /^25\.ts/ }).click()
    const head = view.page.locator('.ta-file-head', { hasText: 'src/25.ts' })
    await head.waitFor()
    const patch = await view.page.locator('.ta-patch').boundingBox()
    await expect.poll(async () => ((await head.boundingBox())?.y ?? 0) - (patch?.y ?? 0)).toBeLessThan(8)
    expect(await view.page.getByRole('treeitem', { name: /^25\.ts/ }).getAttribute('aria-selected')).toBe('true')

    await head.getByRole('button').click()
    expect(await head.getByRole('button').getAttribute('aria-expanded')).toBe('false')
    await view.page.locator('.ta-file-head', { hasText: 'src/26.ts' }).waitFor()
    view.expectQuiet()
  })

  it('shows a submodule\u2019s pointer', async () => {
    const view = await open('submodule')
    expect(await view.fileHeads()).toEqual(['.gitmodules | new | +3 −0', 'lib | submodule | +1 −0'])
    expect(await view.diffText()).toContain(`Subproject commit ${library.oid()}`)
  })
})

describe('whole thread', () => {
  it('takes everything from the first checkpoint to the turn, attributed per turn', async () => {
    const view = await open('third')
    await view.page.getByRole('button', { name: 'Whole thread' }).click()
    await view.page.locator('.page-turn-head', { hasText: 'Whole thread, to turn 3' }).waitFor()
    expect((await view.cardLines()).slice(0, 3)).toEqual(['2 changed files+3 −3', 'a.ts+1 −1', 'b.ts+2 −2'])
    expect((await view.cardLines())[3]).toMatch(/ — 3 files$/)
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1', 'b.ts | +2 −2'])
    expect(view.page.url()).toContain('range=thread')
    view.expectQuiet()
  })
})

describe('refresh', () => {
  it('asks anew for the turn that is shown, whose end may have moved', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(5), 'b.ts': lines(5) })
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => repo.edit('a.ts', 1, 'first'))
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1'])
    await thread.turn(() => repo.edit('b.ts', 1, 'second'))
    repo.git('update-ref', thread.ref(1), thread.ref(2))
    repo.git('update-ref', '-d', thread.ref(2))
    await view.page.getByRole('button', { name: 'Refresh' }).click()
    await view.page.locator('.ta-card-head', { hasText: '2 changed files' }).waitFor()
    await expect.poll(() => view.fileHeads()).toEqual(['a.ts | +1 −1', 'b.ts | +1 −1'])
    view.expectQuiet()
  })
})
