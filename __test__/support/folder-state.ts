// Every file below a folder with size, time and content: two equal states mean that nothing was written.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export type FolderState = Map<string, string>

export function folderState(folder: string): FolderState {
  const state: FolderState = new Map()
  const visit = (relative: string): void => {
    for (const name of readdirSync(join(folder, relative)).sort()) {
      const path = relative === '' ? name : `${relative}/${name}`
      const full = join(folder, path)
      const info = lstatSync(full)
      if (info.isDirectory()) {
        state.set(`${path}/`, 'folder')
        visit(path)
      } else if (info.isSymbolicLink()) {
        state.set(path, `link ${readlinkSync(full)}`)
      } else {
        const hash = createHash('sha1').update(readFileSync(full)).digest('hex')
        state.set(path, `${info.size} ${info.mtimeMs} ${info.mode.toString(8)} ${hash}`)
      }
    }
  }
  visit('')
  return state
}

/** The paths that differ between two states, each with what happened to it. */
export function folderChanges(before: FolderState, after: FolderState): string[] {
  const changes: string[] = []
  for (const [path, value] of before) {
    if (!after.has(path)) changes.push(`removed ${path}`)
    else if (after.get(path) !== value) changes.push(`changed ${path}`)
  }
  for (const path of after.keys()) if (!before.has(path)) changes.push(`added ${path}`)
  return changes
}
