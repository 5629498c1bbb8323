// The card of a turn on the page, in a real browser, over real repositories.

import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { closeAfterwards, serverOf, WatchedPage } from './browser-page.js'
import { RecordedThread } from './recorded-thread.js'

closeAfterwards()

const upstream = (count: number, word = 'new') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`upstream/module-${n}.ts`, lines(3, `${word} ${n}`)]))

async function open(thread: RecordedThread, hash = '') {
  const server = await serverOf(thread.repo.cwd)
  return WatchedPage.open(server.url, hash)
}

describe('card', () => {
  it('lists the files, folders folded, with totals, and no row where git did nothing', async () => {
    const thread = await RecordedThread.begin(TurnRepository.create({ 'apps/web/src/a.ts': lines(5), 'b.ts': 'b\n' }))
    await thread.turn((repo) => {
      repo.edit('apps/web/src/a.ts', 2, 'second').write('apps/web/src/deep/in/c.ts', lines(3))
      repo.edit('b.ts', 1, 'B')
    })
    const view = await open(thread)
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
    const repo = TurnRepository.create({ 'a.ts': lines(5) })
    repo.teammate.push(upstream(214))
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => {
      repo.pull()
      repo.edit('a.ts', 1, 'mine')
    })
    const view = await open(thread)
    expect(await view.cardLines()).toEqual(['1 changed file+1 −1', 'a.ts+1 −1', '⎇Pulled origin/main — 214 files'])
    expect(await view.page.locator('.ta-banner p').textContent()).toBe('214 files updated via git are hidden')
    view.expectQuiet()
  })

  it('shows the row alone where git did all, and says so in the panel', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(5) })
    repo.teammate.push(upstream(3))
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => repo.pull())
    const view = await open(thread)
    expect(await view.cardLines()).toEqual(['⎇Pulled origin/main — 3 files'])
    await view.diffLoaded()
    expect(await view.page.locator('.ta-panel .ta-nothing').textContent()).toBe(
      'The agent changed no files in this turn; all that changed came through git.',
    )
    view.expectQuiet()
  })

  it('says that nothing changed where nothing did', async () => {
    const thread = await RecordedThread.begin(TurnRepository.create())
    await thread.turn(() => {})
    const view = await open(thread)
    expect(await view.cardLines()).toEqual(['No files changed by the agent'])
    view.expectQuiet()
  })

  it('says why a turn is not attributed, and shows all of it', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(5) })
    repo.teammate.push(upstream(2))
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => repo.pull())
    // An older host: a snapshot with no facts in its message.
    repo.git('update-ref', thread.ref(0), repo.git('commit-tree', `${thread.ref(0)}^{tree}`, '-m', 'old'))
    const view = await open(thread)
    const card = await view.cardLines()
    expect(card).toContain('2 changed files+6 −0')
    expect(card.at(-1)).toMatch(/^Everything is shown, the agent's work or not: the head was not recorded with/)
  })

  it('says in words what lines cannot say', async () => {
    const repo = TurnRepository.create({
      'gone.ts': lines(3, 'gone'),
      'moved.ts': lines(9, 'moved'),
      'run.sh': '#!/bin/sh\n',
      'link.md': 'a file\n',
      'image.bin': 'text\n',
    })
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => {
      repo.remove('gone.ts').move('moved.ts', 'named.ts').chmod('run.sh', 0o755)
      repo.remove('link.md').symlink('gone.ts', 'link.md')
      repo.write('image.bin', new Uint8Array([0, 1, 2, 255]))
    })
    const view = await open(thread)
    expect(await view.cardLines()).toEqual([
      '5 changed files+1 −4',
      'gone.tsdeleted+0 −3',
      'image.binbinary',
      'link.mdtype changed+1 −1',
      'moved.ts → named.ts+0 −0',
      'run.shmode 100644 → 100755+0 −0',
    ])
    await view.diffLoaded()
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

  it('marks files whose own part cannot be told', async () => {
    const repo = TurnRepository.create({ 'both.ts': lines(9), 'a.ts': lines(3) })
    repo.before(() => repo.edit('both.ts', 5, 'here').commit('here'))
    repo.teammate.push({ 'both.ts': lines(9).replace('line 5', 'there'), 'up.ts': 'up\n' })
    const thread = await RecordedThread.begin(repo)
    await thread.turn(() => {
      repo.fetch()
      repo.tryGit('merge', '-q', 'origin/main')
      repo.write('both.ts', lines(9).replace('line 5', 'resolved')).commit('merged')
    })
    const view = await open(thread)
    const card = await view.cardLines()
    expect(card[1]).toMatch(/^both\.tsmixed\+1 −1$/)
    expect(await view.page.locator('.ta-panel .ta-note').textContent()).toMatch(/^1 file is marked mixed What moved/)
    expect((await view.fileHeads())[0]).toBe('both.ts | mixed | +1 −1')
  })
})
