// The files of a card as a tree: folders first, by name; a folder that holds nothing but one folder is one row with it.

/** What the tree needs to know of a file. */
export interface Countable {
  path: string
  additions: number | null
  deletions: number | null
}

export interface Folder<File extends Countable> {
  kind: 'folder'
  /** Of all it is folded from: `apps/web/src`. */
  name: string
  path: string
  additions: number
  deletions: number
  children: TreeNode<File>[]
}

export interface Leaf<File extends Countable> {
  kind: 'file'
  name: string
  file: File
}

export type TreeNode<File extends Countable> = Folder<File> | Leaf<File>

interface Draft<File extends Countable> {
  path: string
  folders: Map<string, Draft<File>>
  files: Leaf<File>[]
}

// In one language, so that a server and a browser agree.
const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

export function fileTree<File extends Countable>(files: readonly File[]): TreeNode<File>[] {
  const root = draft<File>('')
  for (const file of files) {
    const names = file.path.split('/')
    const name = names.pop() ?? file.path
    let folder = root
    for (const step of names) {
      const path = folder.path === '' ? step : `${folder.path}/${step}`
      const next = folder.folders.get(step) ?? draft<File>(path)
      folder.folders.set(step, next)
      folder = next
    }
    folder.files.push({ kind: 'file', name, file })
  }
  return nodesOf(root)
}

/** The files in the order in which the tree has them. */
export function inTreeOrder<File extends Countable>(files: readonly File[]): File[] {
  const ordered: File[] = []
  const add = (nodes: readonly TreeNode<File>[]) => {
    for (const node of nodes) {
      if (node.kind === 'file') ordered.push(node.file)
      else add(node.children)
    }
  }
  add(fileTree(files))
  return ordered
}

function draft<File extends Countable>(path: string): Draft<File> {
  return { path, folders: new Map(), files: [] }
}

function nodesOf<File extends Countable>({ folders, files }: Draft<File>): TreeNode<File>[] {
  const rows = [...folders].map(([name, inner]) => folderOf(name, inner))
  return [...rows.sort(byName), ...files.sort(byName)]
}

function folderOf<File extends Countable>(name: string, drafted: Draft<File>): Folder<File> {
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

function onlyFolder<File extends Countable>({ folders, files }: Draft<File>): [string, Draft<File>] | undefined {
  if (files.length > 0 || folders.size !== 1) return undefined
  const [only] = folders
  return only
}

// Names that the collator holds for equal keep an order all the same.
function byName(a: { name: string }, b: { name: string }): number {
  return NAMES.compare(a.name, b.name) || (a.name < b.name ? -1 : Number(a.name > b.name))
}

export interface Row<File extends Countable> {
  node: TreeNode<File>
  /** 1 at the root. */
  level: number
  /** Its place among the rows of its folder, from 1, and how many these are. */
  position: number
  siblings: number
  /** The row of the folder it is in. */
  parent: number | null
}

/** The rows that are seen, from the top, where `closed` folders hide what is in them. */
export function visibleRows<File extends Countable>(
  nodes: readonly TreeNode<File>[],
  closed: ReadonlySet<string>,
): Row<File>[] {
  const rows: Row<File>[] = []
  const add = (siblings: readonly TreeNode<File>[], level: number, parent: number | null) => {
    siblings.forEach((node, index) => {
      rows.push({ node, level, position: index + 1, siblings: siblings.length, parent })
      if (node.kind === 'folder' && !closed.has(node.path)) add(node.children, level + 1, rows.length - 1)
    })
  }
  add(nodes, 1, null)
  return rows
}

export function folderPaths<File extends Countable>(nodes: readonly TreeNode<File>[]): string[] {
  return nodes.flatMap((node) => (node.kind === 'folder' ? [node.path, ...folderPaths(node.children)] : []))
}
