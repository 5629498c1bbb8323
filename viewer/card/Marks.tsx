import type { DiffFile, ShownFile } from 'turn-attribution'
import { marksOf, uncountedWords } from '../../bin/presentation/words.js'

export const MIXED =
  'What moved through git could not be told from what was written here, so the whole change is shown.'

type Marked = Pick<ShownFile | DiffFile, 'kind' | 'oldMode' | 'newMode' | 'mixed' | 'uncounted'>

/** What is to be said of a file besides its name and lines: new, deleted, mode, type, mixed, why not counted. */
export function Marks({ file }: { file: Marked }) {
  const words = marksOf(file).filter((word) => word !== 'mixed')
  return (
    <>
      {words.map((word) => (
        <span key={word} className="ta-mark" data-mark={file.kind}>
          {word}
        </span>
      ))}
      {file.mixed && (
        <span className="ta-mark" data-mark="mixed" title={MIXED}>
          mixed<span className="ta-aloud">: {MIXED}</span>
        </span>
      )}
      {file.uncounted !== null && <span className="ta-mark">{uncountedWords(file.uncounted)}</span>}
    </>
  )
}
