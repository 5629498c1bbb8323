// The page without a mouse, without sight of it, in the dark, on a narrow screen; and what it says when it cannot.

import { renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { closeAfterwards, serverOf, WatchedPage } from './browser-page.js'
import { demoThread } from './demo-thread.js'
import { RecordedThread } from './recorded-thread.js'

closeAfterwards()

interface AxeResults {
  violations: { id: string; impact: string | null; help: string; nodes: { html: string }[] }[]
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What is serious for people who use other means than eyes and a mouse. */
async function findings(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE })
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], selectors: false })",
  )) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => [id, help, ...nodes.slice(0, 3).map(({ html }) => html)].join('\n'))
}

let demo: Promise<string> | undefined
function demoUrl(): Promise<string> {
  demo ??= demoThread().then(async ({ repo }) => (await serverOf(repo.cwd)).url)
  return demo
}

const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document
    return (
      element?.getAttribute('aria-label') ??
      element?.querySelector('.ta-row-name')?.textContent ??
      element?.textContent ??
      ''
    )
  })

describe('accessibility', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no serious finding in ${colorScheme}`, async () => {
      const view = await WatchedPage.open(await demoUrl(), '', { colorScheme, bypassCSP: true })
      await view.fileHeads()
      // Colours of the code come a moment after its lines.
      await view.page.locator('diffs-container [data-line] span').first().waitFor()
      if (colorScheme === 'dark') await view.page.getByRole('button', { name: 'Wrap lines' }).click()
      expect(await findings(view.page)).toEqual([])
    })
  }

  it('is used with the keyboard alone, in a sensible order', async () => {
    const view = await WatchedPage.open(await demoUrl())
    const { page } = view
    await view.fileHeads()
    const stops: string[] = []
    for (let stop = 0; stop < 14; stop++) {
      await page.keyboard.press('Tab')
      stops.push((await focused(page)).replace(/\d\d:\d\d.*$/, '').trim())
    }
    expect(stops).toEqual([
      'Skip to the turn',
      'Refresh',
      'Turn 2',
      'Turn 1',
      'Whole thread',
      'Collapse all',
      'apps',
      '⎇Pulled origin/main — 214 files',
      'Ignore whitespace',
      'Wrap lines',
      'Side by side',
      'Show git changes',
      'Diff of the files',
      'apps/server/src/routes.ts',
    ])

    await page.reload()
    await view.fileHeads()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('turn')

    const tree = page.getByRole('tree')
    const row = (name: RegExp) => page.getByRole('treeitem', { name })
    for (let stop = 0; stop < 3; stop++) await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('apps')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    expect(await row(/^server\/src/).getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('web/src/components')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await focused(page)).toBe('routes.ts')
    await page.keyboard.press('End')
    expect(await focused(page)).toBe('DiffPanel.tsx')
    await page.keyboard.press('Enter')
    expect(await row(/^DiffPanel/).getAttribute('aria-selected')).toBe('true')
    await page.locator('.ta-file-head', { hasText: 'DiffPanel.tsx' }).waitFor()
    await page.keyboard.press('Home')
    expect(await focused(page)).toBe('apps')
    expect(await tree.locator('[tabindex="0"]').count()).toBe(1)

    for (let stop = 0; stop < 5; stop++) await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.locator('.ta-panel-count', { hasText: '218 files' }).waitFor()
    expect(await focused(page)).toBe('Show git changes')
    view.expectQuiet()
  })

  it('has one column and no sideways scrolling at 600 and 320 pixels, also with long and odd names', async () => {
    const repo = TurnRepository.create()
    const thread = await RecordedThread.begin(repo)
    repo.teammate.push({ 'pulled.ts': lines(2) })
    const long = `${'a-very-long-folder-name/'.repeat(8)}and-a-file-name-that-goes-on-${'and-on-'.repeat(12)}end.ts`
    await thread.turn(() => {
      repo.pull()
      repo.chmod('readme.md', '+x').write(long, lines(3)).write('\u05d0\u05d1\u05d2/\u05d3.ts', lines(2))
    })
    const server = await serverOf(repo.cwd)
    // The last is a screen of 1280 by 1024, enlarged four times.
    for (const [width, height] of [
      [600, 800],
      [320, 256],
    ] as const) {
      const view = await WatchedPage.open(server.url, '', { viewport: { width, height } })
      await view.fileHeads()
      const { page } = view
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(sideways).toBe(0)
      const [card, panel] = [await view.card().boundingBox(), await page.locator('.ta-panel').boundingBox()]
      expect(panel?.y).toBeGreaterThanOrEqual((card?.y ?? 0) + (card?.height ?? 0))
      expect((await page.locator('.ta-patch').boundingBox())?.height).toBeGreaterThan(200)
      // What is chosen in the card is below it.
      await page.locator('button.ta-moved').click()
      await page.locator('.ta-panel-count', { hasText: '4 files' }).waitFor()
      await expect.poll(async () => (await page.locator('.ta-panel').boundingBox())?.y).toBeLessThan(height / 2)
      // All that is said of a file is there to be read.
      const head = page.locator('.ta-file-head', { hasText: 'readme.md' })
      await page.getByRole('treeitem', { name: /^readme/ }).click()
      const edge = (await head.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
      for (const part of ['.ta-path', '.ta-mark', '.ta-file-note', '.ta-counts']) {
        const box = await head.locator(part).first().boundingBox()
        expect([part, box !== null && box.width > 20 && box.x + box.width <= edge.x + edge.width]).toEqual([part, true])
        expect([part, box !== null && box.y + box.height <= edge.y + edge.height]).toEqual([part, true])
      }
      expect(await page.locator('.ta-row[title="\u05d0\u05d1\u05d2/\u05d3.ts"]').count()).toBe(1)
      expect(await page.locator('.ta-row[title$="end.ts"]').count()).toBe(1)
      expect(await page.locator('.ta-row bdi').count()).toBeGreaterThan(3)
      view.expectQuiet()
    }
  })
})

describe('names', () => {
  const [one, two, three] = ['\u05d0\u05d1\u05d2', '\u05d3\u05d4\u05d5', '\u05d6\u05d7']

  it('stand in their order where they read from right to left, and are told apart where they look the same', async () => {
    const repo = TurnRepository.create()
    repo.switchNew(one).switchNew(two).write('moved.ts', 'moved\n').commit('moved')
    repo.checkout(one)
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => {
      repo.checkout(two).write(`${one}/${two}/${three}.ts`, lines(2)).write('zzz.ts', lines(1))
      for (const byte of [0xfe, 0xff])
        writeFileSync(Buffer.concat([Buffer.from(repo.path('bad-')), Buffer.from([byte])]), `byte ${byte}\n`)
    })
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    const { page } = view
    await view.fileHeads()
    // From the left, as they are drawn.
    const drawn = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(
          (element, names) => {
            const found: [number, string][] = []
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
            for (let node = walker.nextNode(); node; node = walker.nextNode())
              for (const name of names) {
                const at = (node.textContent ?? '').indexOf(name)
                if (at < 0) continue
                const range = document.createRange()
                range.setStart(node, at)
                range.setEnd(node, at + name.length)
                found.push([range.getBoundingClientRect().left, name])
              }
            return found.sort(([a], [b]) => a - b).map(([, name]) => name)
          },
          [one, two, three, '/', '→'],
        )
    expect(await drawn('.ta-moved-words')).toEqual([one, '→', two])
    expect(await drawn('.ta-folder')).toEqual([one, '/', two])
    expect(await drawn('.ta-file-toggle')).toEqual([one, '/', two, '/', three])
    expect(await view.cardLines()).toContain(`⎇Switched ${one} → ${two} — 1 file`)

    await page.getByRole('treeitem').first().focus()
    const rows: (string | null)[] = []
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press('ArrowDown')
      rows.push(await page.evaluate(() => document.activeElement?.getAttribute('data-row') ?? null))
    }
    expect(rows).toEqual(['1', '2', '3', '4'])
    const text = await view.diffText()
    expect(text).toContain('byte 254')
    expect(text).toContain('byte 255')
    view.expectQuiet()
  })
})

describe('trouble', () => {
  it('tells how to begin where there are no turns', async () => {
    const repo = TurnRepository.create()
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url, '', { bypassCSP: true })
    await view.page.locator('h2', { hasText: 'No turns yet' }).waitFor()
    expect(await view.page.locator('main code').allTextContents()).toEqual([
      'turn-attribution mark',
      'turn-attribution show --view',
    ])
    expect(await findings(view.page)).toEqual([])
  })

  it('says that a turn is not there', async () => {
    const view = await WatchedPage.open(await demoUrl(), '#thread=t3code%3Anone&turn=9')
    await view.page.locator('main', { hasText: 'This turn is not in the repository' }).waitFor()
    await view.page.getByRole('link', { name: /^Turn 1/ }).click()
    await view.card().waitFor()
    view.expectQuiet()
  })

  it('shows what went wrong where the data would be, and tries again', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(3) })
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => repo.edit('a.ts', 1, 'first'))
    await thread.turn(() => repo.edit('a.ts', 2, 'second'))
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    const { page } = view
    await view.fileHeads()

    renameSync(repo.cwd, `${repo.cwd}-gone`)
    await page.getByRole('link', { name: /^Turn 1/ }).click()
    const trouble = page.locator('.page-card .ta-trouble')
    await trouble.waitFor()
    expect(await trouble.textContent()).toMatch(
      /^This turn could not be readThere is no git repository here any more\..*NOT_A_REPOSITORY/,
    )
    expect(await page.locator('.ta-panel').count()).toBe(0)
    renameSync(`${repo.cwd}-gone`, repo.cwd)
    await trouble.getByRole('button', { name: 'Try again' }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('turn')
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1'])

    // The card is here, the patch is not.
    await page.route('**/api/patch', (route) =>
      route.fulfill({
        status: 500,
        json: { error: { code: 'REPOSITORY_UNREADABLE', message: 'an object is damaged' } },
      }),
    )
    await page.getByRole('link', { name: /^Turn 2/ }).click()
    const panelTrouble = page.locator('.ta-panel .ta-trouble')
    await panelTrouble.waitFor()
    expect(await panelTrouble.textContent()).toMatch(
      /^The diff could not be loadedThe repository is damaged, .*an object is damagedREPOSITORY_UNREADABLE/,
    )
    await page.unroute('**/api/patch')
    await panelTrouble.getByRole('button', { name: 'Try again' }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('ta-panel')
    expect(await view.fileHeads()).toEqual(['a.ts | +1 −1'])

    await server.close()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.locator('main .ta-trouble', { hasText: 'does not answer' }).waitFor()

    await serverOf(repo.cwd, Number(new URL(server.url).port))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('main .ta-trouble', { hasText: 'was started anew' }).waitFor()
    view.expectQuiet({ complaints: [/Failed to load resource/] })
  })
})
