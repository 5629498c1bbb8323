import type { DiffFile, ShownFile } from 'turn-attribution'
import { FileCounts } from '../card/Counts.js'
import { Marks } from '../card/Marks.js'
import { Path } from '../names/Name.js'
import { visible } from '../names/visible.js'
import type { PatchFile } from './patch-loading.js'

const TYPES: Record<string, string> = {
  '100644': 'file',
  '100755': 'executable file',
  '120000': 'symbolic link',
  '160000': 'submodule',
}

const UNSEEN = 'Holds characters that cannot be seen, or that a browser draws as others.'
const TURNED = 'Holds marks that turn the direction of text: its lines may read otherwise than they run.'

interface FileHeaderProps {
  file: PatchFile
  /** Of a change of type: 0 what went, 1 what came. */
  part: number
  collapsed: boolean
  onToggle: () => void
  /** Loads all of the file's text. */
  onWhole: () => void
}

export function FileHeader({ file: patchFile, part, collapsed, onToggle, onWhole }: FileHeaderProps) {
  const { file, turned, unseen, lineEnds, withGit } = patchFile
  const title = file.previousPath === null ? file.path : `${file.previousPath} → ${file.path}`
  const second = part > 0
  return (
    <div className="ta-file-head" title={visible(title)}>
      <h4>
        <button type="button" className="ta-file-toggle" aria-expanded={!collapsed} onClick={onToggle}>
          <span className="ta-chevron" aria-hidden="true" data-open={!collapsed} />
          {file.previousPath !== null && !second && (
            <>
              <Path>{file.previousPath}</Path>
              <span aria-hidden="true">→</span>
              <span className="ta-aloud">renamed to</span>
            </>
          )}
          <Path>{file.path}</Path>
        </button>
      </h4>
      <div className="ta-file-facts">
        {file.kind === 'typechange' && <span className="ta-mark">{typeWords(file, part)}</span>}
        {!second && (
          <>
            {(isMoved(file) || withGit) && (
              <span className="ta-mark" data-mark="moved">
                {withGit ? 'in part via git' : 'via git'}
              </span>
            )}
            <Marks file={file} />
            {turned && (
              <span className="ta-mark" data-mark="mixed" title={TURNED}>
                hidden direction marks<span className="ta-aloud">: {TURNED}</span>
              </span>
            )}
            {unseen && (
              <span className="ta-mark" data-mark="mixed" title={UNSEEN}>
                hidden characters<span className="ta-aloud">: {UNSEEN}</span>
              </span>
            )}
            {lineEnds !== null && <span className="ta-mark">{lineEnds}</span>}
            <Note file={patchFile} onWhole={onWhole} />
            <FileCounts file={file} />
          </>
        )}
      </div>
    </div>
  )
}

const isMoved = (file: ShownFile | DiffFile) => 'demoted' in file && file.demoted

function typeWords({ oldMode, newMode }: ShownFile | DiffFile, part: number): string {
  const [before, after] = [oldMode, newMode].map((mode) => TYPES[mode ?? ''] ?? 'file')
  return part === 0 ? `was a ${before}` : `now a ${after}`
}

// Where there are no lines to look at, why.
function Note({ file: patchFile, onWhole }: { file: PatchFile; onWhole: () => void }) {
  const { text, hasLines, cut, whole } = patchFile
  if (text === null) return <span className="ta-file-note">loading…</span>
  if (hasLines) return null
  if (!cut) return <span className="ta-file-note">{noLinesWords(patchFile)}</span>
  if (whole === 'tried') return <span className="ta-file-note">its lines are longer than this page shows</span>
  return (
    <>
      <span className="ta-file-note" role={whole === 'failed' ? 'alert' : undefined}>
        very long lines {whole === 'failed' ? 'could not be loaded' : 'are left out'}
      </span>
      <button type="button" className="ta-button" disabled={whole === 'loading'} onClick={onWhole}>
        {whole === 'loading' ? 'Loading…' : 'Load the whole file'}
      </button>
    </>
  )
}

function noLinesWords({ file, text, without }: PatchFile): string {
  if (without === 'gone') return 'not in the turn any more: it has changed since the card was made'
  if (without === 'whitespace') return 'only whitespace differs'
  if (file.binary || text === '') return 'no text to show'
  if (file.kind === 'added' || file.kind === 'deleted') return 'empty file'
  return file.kind === 'renamed' ? 'renamed without changes' : 'no lines changed'
}
