// The editors that git starts in a test: scripts of ours that put a prepared text in place.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

let count = 0

/** An editor command that replaces the file git hands it by `text`. */
export function editorThatWrites(home: string, text: string): string {
  count += 1
  const file = join(home, `editor-text-${count}`)
  writeFileSync(file, text.endsWith('\n') ? text : `${text}\n`)
  return `cp '${file}'`
}
