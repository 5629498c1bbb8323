import { useId, useMemo, useState } from 'react'
import type { TurnAttribution } from 'turn-attribution'
import { movedRow, NOTHING_SHOWN } from '../../bin/presentation/words.js'
import { Counts, numbered, totalsOf } from './Counts.js'
import { FileTree } from './FileTree.js'
import { fileTree, folderPaths } from './file-tree.js'
import { MovedRow } from './MovedRow.js'
import { Remarks } from './Remarks.js'

export interface ChangedFilesCardProps {
  turn: TurnAttribution
  /** A file was chosen: show its diff. */
  onOpenFile: (path: string) => void
  /** The row of git's changes was chosen: show them. Without it the row is text alone. */
  onOpenGitChanges?: (() => void) | undefined
  /** The file whose diff is open. */
  openPath?: string | null | undefined
}

/** The changed files of a turn, and the one row for what merely moved through git. */
export function ChangedFilesCard({ turn, onOpenFile, onOpenGitChanges, openPath = null }: ChangedFilesCardProps) {
  const heading = useId()
  const nodes = useMemo(() => fileTree(turn.shown), [turn.shown])
  const folders = useMemo(() => folderPaths(nodes), [nodes])
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [closedOf, setClosedOf] = useState(nodes)
  if (closedOf !== nodes) {
    setClosedOf(nodes)
    setClosed(new Set())
  }
  const moved = <MovedRow turn={turn} onOpenGitChanges={onOpenGitChanges} />
  const unnamed = turn.shownFileCount - turn.shown.length

  if (turn.shownFileCount === 0) {
    return (
      <section className="ta-card" aria-label="Changed files">
        {movedRow(turn) === null ? <p className="ta-nothing">{NOTHING_SHOWN}</p> : moved}
        <Remarks turn={turn} />
      </section>
    )
  }
  const allClosed = folders.length > 0 && folders.every((path) => closed.has(path))
  return (
    <section className="ta-card" aria-labelledby={heading}>
      <header className="ta-card-head">
        <h3 id={heading}>{numbered(turn.shownFileCount, 'changed file')}</h3>
        <Counts {...totalsOf(turn.shown)} />
        {folders.length > 1 && (
          <button
            type="button"
            className="ta-button ta-quiet"
            onClick={() => setClosed(new Set(allClosed ? [] : folders))}
          >
            {allClosed ? 'Expand all' : 'Collapse all'}
          </button>
        )}
      </header>
      <FileTree
        nodes={nodes}
        labelledBy={heading}
        closed={closed}
        onClosedChange={setClosed}
        onOpenFile={onOpenFile}
        openPath={openPath}
      />
      {unnamed > 0 && <p className="ta-nothing">… and {unnamed.toLocaleString('en')} more</p>}
      {moved}
      <Remarks turn={turn} />
    </section>
  )
}
