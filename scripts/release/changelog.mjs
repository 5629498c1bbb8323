// The section of a version in CHANGELOG.md, as the text of its release: `node scripts/release/changelog.mjs 0.1.0`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { started } from './started.mjs'
import { root } from './targets.mjs'

/** Empty where there is none. */
export function changes(version) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const [, text = ''] =
    sections.find((section) => section.split('\n', 1)[0].split(' ')[0] === version)?.split(/\n([\s\S]*)/) ?? []
  return text.trim()
}

if (started(import.meta)) {
  const text = changes(process.argv[2])
  if (text === '') {
    console.error(`CHANGELOG.md has no section ${process.argv[2]}`)
    process.exit(1)
  }
  console.log(text)
}
