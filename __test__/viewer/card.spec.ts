// The card of a turn on the page, in a real browser, over real repositories.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { closeAfterwards, serverOf, WatchedPage } from './browser-page.js'
import { RecordedThread } from './recorded-thread.js'

closeAfterwards()

const upstream = (from: number, to: number) =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, n) => [`upstream/module-${from + n}.ts`, lines(3, `new ${from + n}`)]),
  )

let url: string
const turns: Record<string, number> = {}
// One page for all: what is told of one turn must not be there in the next anyway.
let page: Promise<WatchedPage> | undefined
const open = async (story: string, thread = 'thread-one') => {
  page ??= WatchedPage.open(url)
  return (await page).goTo(`#thread=t3code%3A${thread}&turn=${turns[story]}`)
}

// One thread, a story a turn.
beforeAll(async () => {
  const repo = TurnRepository.create({
    'apps/web/src/a.ts': lines(5),
    'b.ts': 'b\n',
    'gone.ts': lines(3, 'gone'),
    'moved.ts': lines(9, 'moved'),
    'run.sh': '#!/bin/sh\n',
    'link.md': 'a file\n',
    'image.bin': 'text\n',
    'both.ts': lines(9),
    'a/folder/that/is/far/away/from/here/and/further/far.ts': lines(9, 'far'),
  })
  repo.before(() => {
    repo.switchNew('feature').edit('both.ts', 5, 'here').commit('here')
    repo.checkout('main').edit('both.ts', 5, 'there').write('up.ts', 'up\n').commit('there')
    repo.push()
  })
  const thread = await RecordedThread.begin(repo)
  turns.edits = await thread.turn(() => {
    repo.edit('apps/web/src/a.ts', 2, 'second').write('apps/web/src/deep/in/c.ts', lines(3)).edit('b.ts', 1, 'B')
  })
  repo.teammate.push(upstream(0, 214))
  turns.pullAndEdit = await thread.turn(() => {
    repo.pull()
    repo.edit('b.ts', 1, 'mine')
  })
  repo.teammate.push(upstream(214, 217))
  turns.pull = await thread.turn(() => repo.pull())
  turns.nothing = await thread.turn(() => {})
  turns.kinds = await thread.turn(() => {
    repo.remove('gone.ts').move('moved.ts', 'named.ts').chmod('run.sh', 0o755)
    repo.remove('link.md').symlink('gone.ts', 'link.md')
    repo.write('image.bin', new Uint8Array([0, 1, 2, 255]))
  })
  repo.commit('all of it')
  await thread.turn(() => {})
  turns.mixed = await thread.turn(() => {
    repo.tryGit('merge', '-q', 'feature')
    repo.edit('both.ts', 1, 'also').write('both.ts', lines(9).replace('line 5', 'resolved')).commit('merged')
  })
  turns.farAway = await thread.turn(() => {
    repo.move('a/folder/that/is/far/away/from/here/and/further/far.ts', 'here/near.ts').chmod('here/near.ts', 0o755)
  })
  // An older host: snapshots with no facts in their messages.
  turns.oldHost = 1
  for (const [number, of] of [
    [0, turns.pull - 1],
    [1, turns.pull],
  ] as const) {
    const commit = repo.git('commit-tree', `${thread.ref(of)}^{tree}`, '-m', 'old')
    repo.git('update-ref', `refs/t3/checkpoints/old/turn/${number}`, commit)
  }
  url = (await serverOf(repo.cwd)).url
})

describe('styles', () => {
  const HOST = `
    body { line-height: 3; letter-spacing: 1px; text-transform: uppercase; text-align: center }
    button { text-transform: uppercase; letter-spacing: 2px; font-size: 30px; color: red; border-radius: 0 }
    h2, h3, h4 { font-size: 40px; color: red; margin: 20px }
    p { margin: 20px; color: red; font-size: 30px }
    ul { padding-left: 40px; list-style: disc } li { color: red; margin: 9px }
    section { padding: 30px; margin: 9px } header { background: yellow; padding: 20px }`

  it('are those of the components, whatever a host says of elements', async () => {
    const view = await open('mixed')
    await view.fileHeads()
    const computed = () =>
      view.page.locator('.ta-card, .ta-card *, .ta-panel, .ta-panel *').evaluateAll((elements) =>
        elements
          .filter((element) => element.className !== '' || element.matches('h3, h4, p, li'))
          .map((element) => {
            const { font, color, margin, padding, textTransform, letterSpacing, backgroundColor } =
              getComputedStyle(element)
            const name = `${element.localName}.${element.className}`
            return [name, font, color, margin, padding, textTransform, letterSpacing, backgroundColor].join(' | ')
          }),
      )
    const before = await computed()
    expect(before.length).toBeGreaterThan(30)
    const style = await view.page.addStyleTag({ content: HOST })
    expect(await computed()).toEqual(before)
    await style.evaluate((element) => element.parentNode?.removeChild(element))
  })

  it('are there for the row of git\u2019s changes alone', async () => {
    const view = await WatchedPage.open('about:blank')
    const styles = readFileSync(join(import.meta.dirname, '../../viewer/styles.css'), 'utf8')
    await view.page.setContent(`<style>${styles}</style><p class="ta-moved">Pulled</p>`)
    const { color, margin } = await view.page.locator('.ta-moved').evaluate((row) => {
      const { color, margin } = getComputedStyle(row)
      return { color, margin }
    })
    expect({ color, margin }).toEqual({ color: 'rgb(98, 98, 107)', margin: '0px' })
  })
})

describe('card', () => {
  it('lists the files, folders folded, with totals, and no row where git did nothing', async () => {
    const view = await open('edits')
    expect(await view.cardLines()).toEqual([
      '3 changed files+5 −2',
      'apps/web/src+4 −1',
      'deep/in+3 −0',
      'c.tsnew+3 −0',
      'a.ts+1 −1',
      'b.ts+1 −1',
    ])
    view.expectQuiet()
  })

  it('has one muted row for what git did, named as the log tells it', async () => {
    const view = await open('pullAndEdit')
    expect(await view.cardLines()).toEqual(['1 changed file+1 −1', 'b.ts+1 −1', '⎇Pulled origin/main — 214 files'])
    expect(await view.page.locator('.ta-banner p').textContent()).toBe('214 files updated via git are hidden')
    view.expectQuiet()
  })

  it('shows the row alone where git did all, and says so in the panel', async () => {
    const view = await open('pull')
    expect(await view.cardLines()).toEqual(['⎇Pulled origin/main — 3 files'])
    await view.diffLoaded()
    expect(await view.page.locator('.ta-panel .ta-nothing').textContent()).toBe(
      'The agent changed no files in this turn; all that changed came through git.',
    )
    view.expectQuiet()
  })

  it('says that nothing changed where nothing did', async () => {
    const view = await open('nothing')
    expect(await view.cardLines()).toEqual(['No files changed by the agent'])
    view.expectQuiet()
  })

  it('says why a turn is not attributed, and shows all of it', async () => {
    const view = await open('oldHost', 'old')
    const card = await view.cardLines()
    expect(card[0]).toBe('3 changed files+9 −0')
    expect(card.at(-1)).toBe(
      "Everything is shown, the agent's work or not: the head was not recorded with a checkpoint.",
    )
    view.expectQuiet()
  })

  it('says in words what lines cannot say', async () => {
    const view = await open('kinds')
    expect(await view.cardLines()).toEqual([
      '5 changed files+1 −4',
      'gone.tsdeleted+0 −3',
      'image.binbinary',
      'link.mdtype changed+1 −1',
      'moved.ts → named.ts+0 −0',
      'run.shmode 100644 → 100755+0 −0',
    ])
    expect(await view.fileHeads()).toEqual([
      'gone.ts | deleted | +0 −3',
      'image.bin | no text to show | binary',
      'link.md | was a file | type changed | +1 −1',
      'link.md | now a symbolic link',
      'moved.ts | named.ts | renamed without changes | +0 −0',
      'run.sh | mode 100644 → 100755 | no lines changed | +0 −0',
    ])
    view.expectQuiet()
  })

  it('keeps the new name of a file in view that came from far away', async () => {
    const view = await open('farAway')
    const row = view.page.getByRole('treeitem', { name: /renamed to near\.ts/ })
    const [name, whole] = [row.locator('.ta-renamed > :last-child'), row.locator('.ta-row-name')]
    const [box, around] = [await name.boundingBox(), await whole.boundingBox()]
    const drawn = await name.evaluate((element) => {
      const text = document.createRange()
      text.selectNodeContents(element)
      return text.getBoundingClientRect().width
    })
    expect(box?.width).toBeGreaterThanOrEqual(drawn)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((around?.x ?? 0) + (around?.width ?? 0) + 0.5)
  })

  it('marks files whose own part cannot be told', async () => {
    const view = await open('mixed')
    expect((await view.cardLines())[1]).toBe('both.tsmixed+1 −1')
    expect(await view.page.locator('.ta-panel .ta-note').textContent()).toMatch(/^1 file is marked mixed What moved/)
    expect((await view.fileHeads())[0]).toBe('both.ts | mixed | +1 −1')
    view.expectQuiet()
  })
})
