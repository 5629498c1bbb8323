// The patch as the renderer of the hosts reads it: names and counts have to be the card's.

import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { TurnRepository } from '../../../__test__/support/turn-repository.ts'
import type { Addon } from '../TurnAttribution.ts'
import { parsePatchFiles } from './pierre.ts'

interface Row {
  readonly path: string
  readonly previousPath?: string | undefined
  readonly additions: number
  readonly deletions: number
}

/** Rows by path; two sections of one path (a file that became a link) are one row. */
function rowsOf(patch: string): Row[] {
  const rows = new Map<string, Row>()
  for (const file of parsePatchFiles(patch).flatMap(({ files }) => files)) {
    const row = rows.get(file.name)
    rows.set(file.name, {
      path: file.name,
      ...(file.prevName === undefined ? {} : { previousPath: file.prevName }),
      additions: file.hunks.reduce((sum, hunk) => sum + hunk.additionLines, row?.additions ?? 0),
      deletions: file.hunks.reduce((sum, hunk) => sum + hunk.deletionLines, row?.deletions ?? 0),
    })
  }
  return [...rows.values()]
}

// Blanks at the end are left out: the parser trims the header's line, and the name with it.
const names = [
  ' lead.ts',
  'a b/f b.ts',
  'tab\there.ts',
  'with "quotes".ts',
  'back\\slash.ts',
  'ü.ts',
  '日本/語.ts',
  '-x.ts',
]

/** A turn with every kind of section, each file changed by one line more than the file before. */
async function turn() {
  const repo = TurnRepository.create({
    'q.sql': '-- old\n++count;\n',
    'gone.ts': 'one\ntwo\n',
    'became-link.ts': 'one\n',
    'renamed.ts': Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join(''),
    'mode.sh': 'x\n',
    'no-newline.ts': 'one\ntwo',
  })
  const from = await repo.startTurn()
  names.forEach((name, index) => {
    repo.write(name, 'x\n'.repeat(index + 1))
  })
  repo.write('q.sql', '-- new\n--count;\n')
  repo.remove('gone.ts').remove('became-link.ts').symlink('q.sql', 'became-link.ts')
  repo.move('renamed.ts', 'näw.ts').append('näw.ts', 'more\n')
  repo.chmod('mode.sh', '+x')
  repo.write('no-newline.ts', 'one\ntwo\n')
  repo.write('empty.ts', '').write('bin.dat', new Uint8Array([0, 1, 2]))
  return { repo, request: { cwd: repo.cwd, from, to: await repo.endTurn() } }
}

/** What git counts, by path, with renames. */
function counted(repo: TurnRepository, from: string, to: string): Row[] {
  const fields = repo.git('diff', '--numstat', '-z', from, to).split('\0')
  const rows: Row[] = []
  for (let index = 0; index + 1 < fields.length; index++) {
    const [added, deleted, ...rest] = (fields[index] ?? '').split('\t')
    const path = rest.join('\t')
    const counts = { additions: Number(added) || 0, deletions: Number(deleted) || 0 }
    if (path === '') {
      rows.push({ path: fields[index + 2] ?? '', previousPath: fields[index + 1], ...counts })
      index += 2
    } else rows.push({ path, ...counts })
  }
  return rows
}

describe('the parser of the renderer', () => {
  for (const quotePath of ['true', 'false']) {
    it(`reads names and counts from a patch of git with core.quotePath=${quotePath}`, async () => {
      const { repo, request } = await turn()
      const options = ['-c', `core.quotePath=${quotePath}`, 'diff', '--no-ext-diff', request.from.ref, request.to.ref]
      const patch = execFileSync('git', options, { cwd: repo.cwd, env: repo.env, encoding: 'utf8' })
      expect(rowsOf(patch)).toEqual(counted(repo, request.from.ref, request.to.ref))
    })
  }

  for (const unquotedPaths of [true, false]) {
    it(`reads names and counts from a patch of the addon, ${unquotedPaths ? 'unquoted' : 'quoted'}`, async () => {
      const { repo, request } = await turn()
      const addon: Addon = await import('turn-attribution')
      const options = { ignoreWhitespace: false, includeGitChanges: false, unquotedPaths }
      const result = await addon.diffTurn?.(request, options)
      expect(rowsOf(result?.patch ?? '')).toEqual(counted(repo, request.from.ref, request.to.ref))

      const card = (await addon.attributeTurn(request)).shown.map((file) => ({
        path: file.path,
        ...(file.previousPath === null ? {} : { previousPath: file.previousPath }),
        additions: file.additions ?? 0,
        deletions: file.deletions ?? 0,
      }))
      expect(rowsOf(result?.patch ?? '').sort(byPath)).toEqual(card.sort(byPath))
    })
  }
})

const byPath = (left: Row, right: Row): number => (left.path < right.path ? -1 : 1)
