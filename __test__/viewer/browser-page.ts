// The page of a repository in a real browser, watched: what it asks for, and what it complains of.

import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { launched } from './browser.js'

interface View {
  serve(options: { cwd: string; port?: number }): Promise<{ url: string; close(): Promise<void> }>
}
const { serve } = createRequire(import.meta.url)('../../bin/view.js') as View

let browser: Promise<Browser> | undefined

const closing: Array<() => Promise<void>> = []

/** Closes what a file of tests has opened. */
export function closeAfterwards() {
  afterAll(async () => {
    for (const close of closing.splice(0)) await close()
    await (await browser)?.close()
    browser = undefined
  })
}

export interface Server {
  url: string
  close(): Promise<void>
}

export async function serverOf(cwd: string, port = 0): Promise<Server> {
  const server = await serve({ cwd, port })
  let open = true
  const close = async () => {
    if (open) await server.close()
    open = false
  }
  closing.push(close)
  return { url: server.url, close }
}

export class WatchedPage {
  readonly requests: string[] = []
  readonly complaints: string[] = []

  private constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  static async open(url: string, hash = '', options: BrowserContextOptions = {}): Promise<WatchedPage> {
    browser ??= launched()
    const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options })
    closing.unshift(() => context.close())
    const page = await context.newPage()
    const watched = new WatchedPage(page, url)
    page.on('request', (request) => watched.requests.push(request.url()))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) watched.complaints.push(message.text())
    })
    page.on('pageerror', (error) => watched.complaints.push(String(error)))
    page.on('dialog', async (dialog) => {
      watched.complaints.push(`dialog: ${dialog.message()}`)
      await dialog.dismiss()
    })
    await page.goto(url + hash)
    return watched
  }

  /** Goes to another place of the page, as a link would, and waits until it is the one that is shown. */
  async goTo(hash: string): Promise<this> {
    await this.page.evaluate((next) => {
      window.location.hash = next
    }, hash)
    await this.page.locator(`.page-turns a[href="${hash}"][aria-current="true"]`).waitFor()
    await this.page.locator('.ta-panel').waitFor()
    return this
  }

  card() {
    return this.page.locator('.ta-card')
  }

  /** The text of the card as it is seen, a line each row. */
  async cardLines(): Promise<string[]> {
    await this.card().waitFor()
    const text = await this.card().evaluate((card) => {
      const copy = card.cloneNode(true) as HTMLElement
      for (const aloud of copy.querySelectorAll('.ta-aloud, button.ta-quiet')) aloud.remove()
      const rows = copy.querySelectorAll('.ta-card-head, .ta-row, .ta-moved, .ta-nothing, .ta-remarks li')
      return [...rows].map((row) => (row.textContent ?? '').replace(/\s+/g, ' ').trim())
    })
    return text
  }

  /** Waits until the diff is all there. */
  async diffLoaded() {
    await this.page.locator('.ta-panel [role=status]', { hasText: 'Diff loaded' }).waitFor({ state: 'attached' })
  }

  /** The headers of the files in the diff that are on screen. */
  async fileHeads(): Promise<string[]> {
    await this.diffLoaded()
    await this.page.locator('.ta-file-head').first().waitFor()
    return this.page.locator('.ta-file-head').evaluateAll((heads) =>
      heads.map((head) => {
        const copy = head.cloneNode(true) as HTMLElement
        for (const aloud of copy.querySelectorAll('.ta-aloud')) aloud.remove()
        return [...copy.querySelectorAll('.ta-path, .ta-mark, .ta-file-note, .ta-counts')]
          .map((part) => (part.textContent ?? '').trim())
          .filter((text) => text !== '')
          .join(' | ')
      }),
    )
  }

  /** What the diff shows of lines, `+` and `-` as they stand. */
  async diffText(): Promise<string> {
    await this.diffLoaded()
    await this.page.locator('diffs-container').first().waitFor({ state: 'attached' })
    return this.page
      .locator('diffs-container')
      .evaluateAll((views) => views.map((view) => view.shadowRoot?.textContent ?? '').join('\n'))
  }

  /** Waits until the diff shows a text among its lines. */
  async diffShows(text: string) {
    await this.page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('diffs-container')].some((view) =>
          view.shadowRoot?.textContent?.includes(wanted),
        ),
      text,
    )
  }

  /** Nothing left for another address, and nothing was refused or went wrong. */
  expectQuiet({ complaints = [] }: { complaints?: RegExp[] } = {}) {
    const { origin } = new URL(this.url)
    expect(
      this.requests.filter((request) => !request.startsWith(`${origin}/`) && !request.startsWith('data:')),
    ).toEqual([])
    expect(this.complaints.filter((text) => !complaints.some((known) => known.test(text)))).toEqual([])
  }
}
