// What the diff component makes of a patch text: every line, on its side, in its place, whatever stands in it.

import type { FileDiffMetadata } from '@pierre/diffs'
import { expect, it, vi } from 'vitest'
import { fileDiffs } from '../../viewer/panel/file-diffs.js'
import { NO_TEXT } from '../../viewer/panel/text-traits.js'
import { addon } from '../support/addon.js'
import { TurnRepository } from '../support/turn-repository.js'

// The component asks for its browser as it is loaded.
vi.hoisted(() => vi.stubGlobal('navigator', { userAgent: '' }))

const ODD = [
  '',
  ' ',
  '\t',
  '-',
  '--',
  '-- ',
  '--- a/x',
  '+++ b/x',
  '+',
  '@@ -1 +1 @@',
  '@@ -0,0 +1,3 @@ diff --git',
  'diff --git a/x b/x',
  '\\ No newline at end of file',
  'From 0123456789abcdef Mon Sep 17 00:00:00 2001',
  'rename from a',
  'index 123..456 100644',
  'a\rb',
  'a\r',
  '\r',
  '\r\r',
  'x\u2028y',
  '\u2029@@ -1 +1 @@',
  '\x85',
  '\x0b\x0c',
  '\ufeff',
  'z\0z',
  '<<<<<<< ours',
  '=======',
  '>>>>>>> theirs',
  'plain',
  'another plain line',
]

/** The same numbers each time. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

/** The lines as the component has them, with the sign of their side. */
function linesOf({ hunks, additionLines, deletionLines }: FileDiffMetadata): string[] {
  return hunks.flatMap(({ hunkContent }) =>
    hunkContent.flatMap((content) => {
      const { additionLineIndex, deletionLineIndex } = content
      if (content.type === 'context')
        return additionLines.slice(additionLineIndex, additionLineIndex + content.lines).map((line) => ` ${line}`)
      const removed = deletionLines.slice(deletionLineIndex, deletionLineIndex + content.deletions)
      const added = additionLines.slice(additionLineIndex, additionLineIndex + content.additions)
      return [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
    }),
  )
}

/** The lines of a patch, each as long as its ending says. */
function linesOfPatch(text: string): string[] {
  const lines = text.slice(text.indexOf('\n@@ ') + 1).match(/[^\n]*\n/g) ?? []
  return lines.flatMap((line, index) => {
    if (line.startsWith('@@ ') || line.startsWith('\\')) return []
    return lines[index + 1]?.startsWith('\\') ? [line.replace(/\r?\n$/, '')] : [line]
  })
}

it('keeps every line of a patch', async () => {
  const below = numbers(7)
  const some = (count: number) => Array.from({ length: count }, () => ODD[below(ODD.length)] ?? '')
  const before: Record<string, string> = {}
  const after: Record<string, string> = {}
  for (let file = 0; file < 150; file++) {
    const lines = some(1 + below(40))
    const changed = lines.flatMap((line) => (below(5) === 0 ? some(below(4)) : [line]))
    const end = () => (below(3) === 0 ? '' : '\n')
    before[`f${file}.txt`] = `text\n${lines.join('\n')}${end()}`
    after[`f${file}.txt`] = `text\n${changed.join('\n')}${end()}`
  }
  const repo = TurnRepository.create(before)
  const from = await repo.startTurn()
  for (const [path, text] of Object.entries(after)) repo.write(path, text)
  const to = await repo.endTurn()
  const { files, patch } = await addon().diffTurn({ cwd: repo.cwd, from, to })
  let compared = 0
  for (const file of files) {
    if (file.section === null || file.binary) continue
    const text = patch.slice(file.section.start, file.section.end)
    const more = { withGit: false, cut: false, without: null, whole: 'not-asked' } as const
    const [diff, ...rest] = fileDiffs({ ...NO_TEXT, ...more, file, text }, undefined)
    expect(rest).toEqual([])
    // How the two sides of a change are paired is the component's affair.
    for (const other of ['+', '-']) {
      const side = (lines: string[]) => lines.filter((line) => !line.startsWith(other))
      expect([file.path, side(diff ? linesOf(diff) : [])]).toEqual([file.path, side(linesOfPatch(text))])
    }
    compared++
  }
  expect(compared).toBeGreaterThan(30)
})
