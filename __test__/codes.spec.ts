// Every word that the typings can say stands in docs/codes.md, and that table says no other.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const typings = readFileSync(join(root, 'index.d.ts'), 'utf8')
const page = readFileSync(join(root, 'docs/codes.md'), 'utf8')

/** The members of a union of strings. */
function union(name: string): string[] {
  const text = new RegExp(`export (?:declare )?type ${name} =([^\\n]*(?:\\n  \\|[^\\n]*)*)`).exec(typings)?.[1] ?? ''
  return [...text.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '')
}

/** The first column of a section's table. */
function table(title: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(title)) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '')
}

const tables: [string, string][] = [
  ['ErrorCode', 'Errors'],
  ['NotAttributedReason', 'Why not'],
  ['Evidence', 'How strong'],
  ['AttributionNote', 'What else'],
  ['ShownReason', 'Why a file is shown'],
  ['DemotedReason', 'Why a file is demoted'],
  ['UncountedReason', 'Why lines are not counted'],
]
for (const [type, title] of tables) {
  it(`${type}: each is in the table, with what to do`, () => {
    expect(union(type).length).toBeGreaterThan(1)
    expect(table(title).sort()).toEqual(union(type).sort())
  })
}
