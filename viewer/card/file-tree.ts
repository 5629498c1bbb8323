// The files of a card as a tree: folders first, by name; a folder that holds nothing but one folder is one row with it.

import type { ShownFile } from 'turn-attribution'

export interface Folder {
  kind: 'folder'
  /** Of all it is folded from: `apps/web/src`. */
  name: string
  path: string
  additions: number
  deletions: number
  children: TreeNode[]
}

export interface Leaf {
  kind: 'file'
  name: string
  file: ShownFile
}

export type TreeNode = Folder | Leaf

interface Draft {
  path: string
  folders: Map<string, Draft>
  files: Leaf[]
}

const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

export function fileTree(files: readonly ShownFile[]): TreeNode[] {
  const root = draft('')
  for (const file of files) {
    const names = file.path.split('/')
    const name = names.pop() ?? file.path
    let folder = root
    for (const step of names) {
      const path = folder.path === '' ? step : `${folder.path}/${step}`
      const next = folder.folders.get(step) ?? draft(path)
      folder.folders.set(step, next)
      folder = next
    }
    folder.files.push({ kind: 'file', name, file })
  }
  return nodesOf(root)
}

function draft(path: string): Draft {
  return { path, folders: new Map(), files: [] }
}

function nodesOf({ folders, files }: Draft): TreeNode[] {
  const rows = [...folders].map(([name, inner]) => folderOf(name, inner))
  return [...rows.sort(byName), ...files.sort(byName)]
}

function folderOf(name: string, drafted: Draft): Folder {
  let [names, inner] = [name, drafted]
  for (let only = onlyFolder(inner); only; only = onlyFolder(inner)) [names, inner] = [`${names}/${only[0]}`, only[1]]
  const children = nodesOf(inner)
  let [additions, deletions] = [0, 0]
  for (const child of children) {
    const counts = child.kind === 'file' ? child.file : child
    additions += counts.additions ?? 0
    deletions += counts.deletions ?? 0
  }
  return { kind: 'folder', name: names, path: inner.path, additions, deletions, children }
}

function onlyFolder({ folders, files }: Draft): [string, Draft] | undefined {
  if (files.length > 0 || folders.size !== 1) return undefined
  const [only] = folders
  return only
}

// Names that the collator holds for equal keep an order all the same.
function byName(a: TreeNode, b: TreeNode): number {
  return NAMES.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
}

export interface Row {
  node: TreeNode
  /** 1 at the root. */
  level: number
  /** Its place among the rows of its folder, from 1, and how many these are. */
  position: number
  siblings: number
  /** The row of the folder it is in. */
  parent: number | null
}

/** The rows that are seen, from the top, where `closed` folders hide what is in them. */
export function visibleRows(nodes: readonly TreeNode[], closed: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  const add = (siblings: readonly TreeNode[], level: number, parent: number | null) => {
    siblings.forEach((node, index) => {
      rows.push({ node, level, position: index + 1, siblings: siblings.length, parent })
      if (node.kind === 'folder' && !closed.has(node.path)) add(node.children, level + 1, rows.length - 1)
    })
  }
  add(nodes, 1, null)
  return rows
}

export function folderPaths(nodes: readonly TreeNode[]): string[] {
  return nodes.flatMap((node) => (node.kind === 'folder' ? [node.path, ...folderPaths(node.children)] : []))
}
