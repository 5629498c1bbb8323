// Turns that are large: the card answers at once, the diff comes file by file, and what is drawn stays bounded.

import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { closeAfterwards, serverOf, WatchedPage } from './browser-page.js'
import { RecordedThread } from './recorded-thread.js'

closeAfterwards()

describe('large turns', () => {
  it('draws 5,000 files as they come, and only those in view', async () => {
    const repo = TurnRepository.create()
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => {
      for (let file = 0; file < 5000; file++)
        repo.write(`src/part-${Math.floor(file / 100)}/file-${file}.ts`, lines(6, `${file}`))
    })
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    const { page } = view
    await page.locator('.ta-card-head', { hasText: '5,000 changed files' }).waitFor()
    await page.locator('.ta-file-head').first().waitFor()
    expect(await page.locator('.ta-progress').textContent()).toMatch(/^[\d,]+ of 5,000 files$/)
    expect(await page.locator('.ta-row').count()).toBe(500)

    // The button moves on, and at the end goes; the focus goes to the first row that it brought.
    await page.getByRole('button', { name: /^Show 2,000 more/ }).click()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe('500')

    // The last file is asked for: it comes before the thousands above it.
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await page.keyboard.press('Tab')
    // `src`, its folders, the last of them, its files, the last of them.
    for (const key of ['ArrowRight', 'End', 'ArrowRight', 'End']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    const last = page.locator('.ta-file-head', { hasText: 'file-4999.ts' })
    await last.waitFor()
    await last.locator('.ta-file-note', { hasText: 'loading' }).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('diffs-container').count()).toBeLessThan(60)

    await view.diffLoaded()
    expect(await page.locator('.ta-panel-count').textContent()).toBe('5,000 files')
    expect(await page.locator('.ta-panel-head .ta-counts').textContent()).toContain('+30,000')
    expect(await page.locator('.ta-progress').count()).toBe(0)
    await expect.poll(() => page.locator('diffs-container').count()).toBeLessThan(60)
    view.expectQuiet()
  })

  it('cuts a file of 20 MB, says so, and loads all of it when asked', async () => {
    const repo = TurnRepository.create({ 'small.ts': lines(3), 'removed.txt': lines(40_000, 'a line that goes away') })
    const thread = await RecordedThread.begin(repo)
    const count = 320_000
    await thread.turn(() => {
      repo.write('generated.txt', lines(count, 'a line of generated text that goes on and on for a while'))
      repo.edit('small.ts', 2, 'agent').remove('removed.txt')
    })
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    const { page } = view
    expect(await view.fileHeads()).toEqual(['generated.txt | new | +320,000 −0'])
    const head = (name: string) => page.locator('.ta-file-head', { hasText: name })
    const noteOf = (name: string) => page.locator('diffs-container', { has: head(name) }).locator('.ta-cut')
    const note = noteOf('generated.txt')
    await note.waitFor()
    expect(await note.textContent()).toContain("Only the first 512 kB of this file's diff are shown.")
    expect(await page.locator('diffs-container').count()).toBeLessThan(5)

    // What went is cut as well, and says so.
    await page.getByRole('treeitem', { name: /^removed\.txt/ }).click()
    await noteOf('removed.txt').waitFor()
    await head('removed.txt').getByRole('button', { expanded: true }).click()
    await head('removed.txt').getByRole('button', { expanded: false }).waitFor()

    await page.getByRole('treeitem', { name: /^small\.ts/ }).click()
    await page.locator('.ta-file-head', { hasText: 'small.ts' }).waitFor()
    await view.diffShows('agent')

    await page.getByRole('treeitem', { name: /^generated\.txt/ }).click()
    await note.getByRole('button', { name: 'Load the whole file' }).click()
    await note.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('ta-patch')
    await page.locator('.ta-patch').evaluate((patch) => patch.scrollTo({ top: patch.scrollHeight }))
    await view.diffShows(`for a while ${count}`)
    const drawn = await page
      .locator('diffs-container')
      .evaluateAll((views) => views.reduce((sum, one) => sum + (one.shadowRoot?.querySelectorAll('*').length ?? 0), 0))
    expect(drawn).toBeLessThan(5000)

    // Who asks for a file sees it, also where it was folded.
    await page.getByRole('treeitem', { name: /^removed\.txt/ }).click()
    await head('removed.txt').getByRole('button', { expanded: true }).waitFor()
    await view.diffShows('a line that goes away 3')
    view.expectQuiet()
  })

  it('leaves out a line of megabytes, says so, and loads it when asked', async () => {
    const repo = TurnRepository.create()
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => repo.write('one-line.json', `{"a":"${'xyz '.repeat(300_000)}","end":1}`))
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    expect(await view.fileHeads()).toEqual(['one-line.json | new | very long lines are left out | +1 −0'])
    await view.page.getByRole('button', { name: 'Load the whole file' }).click()
    await view.diffShows('"end":1}')
    expect(await view.fileHeads()).toEqual(['one-line.json | new | +1 −0'])
    view.expectQuiet()
  })
})
