import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { ShownFile } from 'turn-attribution'
import { Name, Names } from '../names/Name.js'
import { visible } from '../names/visible.js'
import { Counts, FileCounts } from './Counts.js'
import { type Row, type TreeNode, visibleRows } from './file-tree.js'
import { Marks } from './Marks.js'

interface FileTreeProps {
  nodes: TreeNode<ShownFile>[]
  labelledBy: string
  closed: ReadonlySet<string>
  onClosedChange: (closed: ReadonlySet<string>) => void
  onOpenFile: (path: string) => void
  openPath: string | null
}

// Rows that are drawn at once; the rest waits for a click, so that a turn of 100,000 files opens like any other.
const STEP = 500

/** One stop for the tab key; arrows move within, as in every tree. */
export function FileTree({ nodes, labelledBy, closed, onClosedChange, onOpenFile, openPath }: FileTreeProps) {
  const id = useId()
  const rows = useMemo(() => visibleRows(nodes, closed), [nodes, closed])
  const [limit, setLimit] = useState(STEP)
  const [focusKey, setFocusKey] = useState<string | null>(null)
  const tree = useRef<HTMLDivElement>(null)
  const drawn = rows.slice(0, limit)
  const keys = useMemo(() => keysOf(drawn), [rows, limit])
  const focused = Math.max(0, focusKey === null ? 0 : keys.indexOf(focusKey))

  const focus = (index: number) => {
    const row = drawn[index]
    if (row === undefined) return
    setFocusKey(keys[index] ?? null)
    tree.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus()
  }
  // The button that asked for more may be gone by then: the focus goes on to what it brought.
  const firstNew = useRef<number | null>(null)
  useEffect(() => {
    if (firstNew.current !== null) focus(firstNew.current)
    firstNew.current = null
  }, [limit])
  const showMore = () => {
    firstNew.current = limit
    setLimit(limit + 4 * STEP)
  }

  const toggle = (path: string) => {
    const next = new Set(closed)
    if (!next.delete(path)) next.add(path)
    onClosedChange(next)
  }
  const choose = (node: TreeNode<ShownFile>) =>
    node.kind === 'folder' ? toggle(node.path) : onOpenFile(node.file.path)

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const row = drawn[focused]
    if (row === undefined) return
    const { node, parent } = row
    const open = node.kind === 'folder' && !closed.has(node.path)
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(Math.min(focused + 1, drawn.length - 1)),
      ArrowUp: () => focus(Math.max(focused - 1, 0)),
      Home: () => focus(0),
      End: () => focus(drawn.length - 1),
      ArrowRight: () => {
        if (open) focus(focused + 1)
        else if (node.kind === 'folder') toggle(node.path)
      },
      ArrowLeft: () => {
        if (open) toggle(node.path)
        else if (parent !== null) focus(parent)
      },
      Enter: () => choose(node),
      ' ': () => choose(node),
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }

  return (
    <>
      <div ref={tree} className="ta-tree" role="tree" aria-labelledby={labelledBy} onKeyDown={onKeyDown}>
        {drawn.map((row, index) => (
          <TreeRow
            key={keys[index]}
            row={row}
            index={index}
            id={`${id}${index}`}
            open={row.node.kind === 'folder' && !closed.has(row.node.path)}
            current={row.node.kind === 'file' && row.node.file.path === openPath}
            stop={index === focused}
            onChoose={() => {
              setFocusKey(keys[index] ?? null)
              choose(row.node)
            }}
          />
        ))}
      </div>
      {rows.length > limit && (
        <button type="button" className="ta-button ta-more" onClick={showMore}>
          Show {Math.min(rows.length - limit, 4 * STEP).toLocaleString('en')} more of {rows.length.toLocaleString('en')}{' '}
          rows
        </button>
      )}
    </>
  )
}

// Names that are not UTF-8 may be the same in text: the second of two has a key of its own all the same.
function keysOf(rows: readonly Row<ShownFile>[]): string[] {
  const met = new Map<string, number>()
  return rows.map(({ node }) => {
    const name = node.kind === 'folder' ? `folder:${node.path}` : `file:${node.file.path}`
    const count = met.get(name) ?? 0
    met.set(name, count + 1)
    return `${count}:${name}`
  })
}

interface TreeRowProps {
  row: Row<ShownFile>
  index: number
  id: string
  open: boolean
  current: boolean
  stop: boolean
  onChoose: () => void
}

function TreeRow({ row, index, id, open, current, stop, onChoose }: TreeRowProps) {
  const { node, level, position, siblings } = row
  const folder = node.kind === 'folder'
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree listens for its rows
    <div
      role="treeitem"
      id={id}
      data-row={index}
      className="ta-row"
      style={{ paddingInlineStart: `${8 + (level - 1) * 14}px` }}
      tabIndex={stop ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={folder ? open : undefined}
      aria-selected={folder ? undefined : current}
      title={visible(folder ? node.path : titleOf(node.file))}
      onClick={onChoose}
    >
      <span className="ta-chevron" aria-hidden="true" data-open={folder ? open : undefined} />
      {folder ? (
        <>
          <span className="ta-row-name ta-folder">
            <Names>{node.name}</Names>
          </span>
          <Counts additions={node.additions} deletions={node.deletions} />
        </>
      ) : (
        <>
          <span className="ta-row-name">
            <FileName file={node.file} name={node.name} />
          </span>
          <Marks file={node.file} />
          <FileCounts file={node.file} />
        </>
      )}
    </div>
  )
}

function FileName({ file, name }: { file: ShownFile; name: string }) {
  const { previousPath } = file
  if (previousPath === null) return <Name>{name}</Name>
  const folder = file.path.slice(0, file.path.length - name.length)
  const before = previousPath.startsWith(folder) ? previousPath.slice(folder.length) : previousPath
  return (
    <span className="ta-renamed">
      <span>
        <Names>{before}</Names>
      </span>
      <span aria-hidden="true"> → </span>
      <span className="ta-aloud"> renamed to </span>
      <span>
        <Name>{name}</Name>
      </span>
    </span>
  )
}

const titleOf = ({ path, previousPath }: ShownFile) => (previousPath === null ? path : `${previousPath} → ${path}`)
