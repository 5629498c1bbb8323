// Names and contents made to be taken for something else: they are text, whatever they look like.

import { describe, expect, it } from 'vitest'
import { TurnRepository } from '../support/turn-repository.js'
import { closeAfterwards, serverOf, WatchedPage } from './browser-page.js'
import { RecordedThread } from './recorded-thread.js'

closeAfterwards()

const IMAGE = '<img src=x onerror=alert(1)>'
const BRANCH = '<img/src=x/onerror=alert(2)>'
const NAMES = [
  `${IMAGE}.ts`,
  '</script><script>alert(3)<',
  'turned\u202egpj.exe',
  'two\nlines.ts',
  'quote".ts',
  "tick'&amp;.ts",
  'javascript:alert(4)',
  '\u05d0\u05d1\u05d2.ts',
  '\u0024{alert(5)}`.ts',
  'zero\u200bwidth.ts',
  '@@ -1 +1 @@.ts',
]
const CONTENTS = [
  '</script><script>alert(6)</script>',
  '<svg onload=alert(7)><style>*{display:none}</style>',
  '"><iframe srcdoc="<script>parent.alert(8)</script>"></iframe>',
  'diff --git a/x b/x',
  '@@ -1,2 +1,2 @@',
  '\\ No newline at end of file',
  '/* \u202e } \u2066if (admin)\u2069 \u2066 */',
  '<template shadowrootmode=open><script>alert(9)</script></template>',
].join('\n')

describe('hostile', () => {
  it('shows names, branches and contents as text, and runs none of them', async () => {
    const repo = TurnRepository.create()
    repo.switchNew(BRANCH)
    repo.write('moved.ts', 'moved\n').commit(`${IMAGE} commit`)
    repo.checkout('main')
    const thread = await RecordedThread.begin(repo, 'a<b>&"thread')
    await thread.turn(() => {
      repo.checkout(BRANCH)
      for (const name of NAMES) repo.write(name, `${CONTENTS}\n`)
    })
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url, '', { viewport: { width: 1280, height: 2400 } })
    const { page } = view
    const card = await view.cardLines()
    expect(card.at(-1)).toBe(`⎇Switched main → ${BRANCH} — 1 file`)
    const text = card.join('\n')
    expect(text).toContain(`${IMAGE}.ts`)
    expect(text).toContain('turned\\u{202e}gpj.exe')
    expect(text).toContain('two\\nlines.ts')
    expect(text).toContain('zero\\u{200b}width.ts')
    // In the folder that its slash makes of it.
    expect(text).toContain('script><script>alert(3)<')
    expect(text).not.toContain('\u202e')

    // All files, one after another.
    await view.diffLoaded()
    const seen = new Set<string>()
    for (let step = 0; step < 4; step++) {
      for (const head of await view.fileHeads()) seen.add(head)
      await page.locator('.ta-patch').evaluate((patch) => patch.scrollBy({ top: 1500 }))
      // Drawn after a frame.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    }
    expect([...seen].filter((head) => head.includes('hidden direction marks'))).toHaveLength(NAMES.length)
    expect([...seen].some((head) => head.startsWith(`${IMAGE}.ts | new`))).toBe(true)
    const shown = await view.diffText()
    for (const line of CONTENTS.split('\n')) expect(shown).toContain(line)

    // Nothing of it became an element, in the page or in what the diff component keeps to itself.
    const elements = await page.evaluate(() => {
      const roots: ParentNode[] = [document]
      for (const view of document.querySelectorAll('diffs-container')) if (view.shadowRoot) roots.push(view.shadowRoot)
      return roots.flatMap((root) =>
        [...root.querySelectorAll('img, iframe, script:not([src]), [onerror], [onload], template')].map(
          (one) => one.outerHTML,
        ),
      )
    })
    expect(elements).toEqual([])
    view.expectQuiet()
  })

  it('says of a file what its lines cannot show', async () => {
    const repo = TurnRepository.create({ 'ends.txt': 'a\nb\n', 'nul.txt': `${'x'.repeat(9000)}\na\n` })
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => {
      repo
        .write('ends.txt', 'a\r\nb\r\n')
        .write('nul.txt', `${'x'.repeat(9000)}\na\0b\n`)
        .write('return.txt', 'a\rb\n')
      repo.write('plain.txt', 'a\r\n')
    })
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url, '', { viewport: { width: 1280, height: 4000 } })
    expect(await view.fileHeads()).toEqual([
      'ends.txt | line ends LF → CRLF | +2 −2',
      'nul.txt | hidden characters | +1 −1',
      'plain.txt | new | +1 −0',
      'return.txt | new | hidden characters | +1 −0',
    ])
    view.expectQuiet()
  })

  it('refuses markup that is not inert, should any ever be made', async () => {
    const repo = TurnRepository.create()
    const server = await serverOf(repo.cwd)
    const view = await WatchedPage.open(server.url)
    await view.page.locator('h2', { hasText: 'No turns yet' }).waitFor()
    const tried = await view.page.evaluate(() =>
      ['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '<span>fine</span>'].map((markup) => {
        try {
          document.createElement('div').innerHTML = markup
          return 'taken'
        } catch (error) {
          return String(error)
        }
      }),
    )
    expect(tried).toEqual([
      'TypeError: Markup that is not inert was refused',
      'TypeError: Markup that is not inert was refused',
      'taken',
    ])
    view.expectQuiet()
  })
})
