import type { TurnAttribution } from 'turn-attribution'
import { movedRow } from '../../bin/presentation/words.js'
import { Names } from '../names/Name.js'
import { numbered } from './Counts.js'

export interface MovedRowProps {
  turn: Pick<TurnAttribution, 'demoted' | 'branchTransition'>
  /** Opens what the row stands for. Without it the row is text alone. */
  onOpenGitChanges?: (() => void) | undefined
}

/** The muted row of a card: what merely moved through git, in one line. Nothing where nothing moved. */
export function MovedRow({ turn, onOpenGitChanges }: MovedRowProps) {
  const row = movedRow(turn)
  if (row === null) return null
  // The label knows more where the git actions are known: `Pulled origin/main`.
  const words = (
    <>
      <span className="ta-moved-icon" aria-hidden="true">
        ⎇
      </span>
      <span className="ta-moved-words">
        <Names>{row.label || row.words}</Names>
        {row.fileCount > 0 && ` — ${numbered(row.fileCount, 'file')}`}
      </span>
    </>
  )
  if (onOpenGitChanges === undefined || row.fileCount === 0) return <p className="ta-moved">{words}</p>
  return (
    <button type="button" className="ta-moved" onClick={onOpenGitChanges} title="Show them in the diff">
      {words}
    </button>
  )
}
