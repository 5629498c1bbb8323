import { lazy, Suspense, useId, useRef, useState } from 'react'
import type { TurnAttribution } from 'turn-attribution'
import { Counts, numbered, totalsOf } from '../card/Counts.js'
import { MIXED } from '../card/Marks.js'
import type { PatchState } from './patch-loading.js'
import type { LoadPatch } from './patch-query.js'
import { Trouble, TroubleBoundary } from './Trouble.js'
import { usePatch } from './use-patch.js'

// Only who looks at a diff loads what draws it.
const PatchView = lazy(() => import('./PatchView.js'))

export interface DiffPanelProps {
  turn: TurnAttribution
  /** Names the turn. Another key is another turn: nothing of the last one is kept, and its requests are aborted. */
  turnKey: string
  loadPatch: LoadPatch
  /** The file to bring into view; a new object asks again. */
  openFile?: { path: string } | null | undefined
  /** Whether git's changes are offered as well; kept by the panel, for the turn alone, where absent. */
  includeGitChanges?: boolean | undefined
  onIncludeGitChanges?: ((include: boolean) => void) | undefined
  /** For a host with a switch of its own; what the person's system says where absent. */
  colorScheme?: 'light' | 'dark' | undefined
  /** The languages that the page has grammars for; other files are plain text. All of Shiki's where absent. */
  languages?: ReadonlySet<string> | undefined
}

export interface Layout {
  split: boolean
  wrap: boolean
}

/** The diff of a turn: the shown files alone, or with what moved through git as well. */
export function DiffPanel(props: DiffPanelProps) {
  const [ignoreWhitespace, setIgnoreWhitespace] = useState(false)
  const [layout, setLayout] = useState<Layout>({ split: false, wrap: true })
  return (
    <TurnPanel
      key={props.turnKey}
      {...props}
      ignoreWhitespace={ignoreWhitespace}
      onIgnoreWhitespace={setIgnoreWhitespace}
      layout={layout}
      onLayout={setLayout}
    />
  )
}

interface TurnPanelProps extends DiffPanelProps {
  ignoreWhitespace: boolean
  onIgnoreWhitespace: (ignore: boolean) => void
  layout: Layout
  onLayout: (layout: Layout) => void
}

function TurnPanel({ turn, loadPatch, openFile, languages, ignoreWhitespace, layout, ...props }: TurnPanelProps) {
  const heading = useId()
  const [included, setIncluded] = useState(false)
  const moved = movedWords(turn)
  const include = moved !== null && (props.includeGitChanges ?? included)
  const setInclude = props.onIncludeGitChanges ?? setIncluded
  const { state, loading } = usePatch(turn, include, ignoreWhitespace, loadPatch)

  const panel = useRef<HTMLElement>(null)
  // The button that was pressed goes away with what it answers: the focus stays in the panel.
  const resume = () => {
    panel.current?.focus({ preventScroll: true })
    loading?.resume()
  }

  const count = state.files === null ? 0 : state.fileCount
  const mixed = turn.shown.filter((file) => file.mixed).length
  return (
    <section
      ref={panel}
      className="ta-panel"
      aria-labelledby={heading}
      tabIndex={-1}
      style={props.colorScheme && { colorScheme: props.colorScheme }}
    >
      <header className="ta-panel-head">
        <h3 id={heading}>Diff</h3>
        {count > 0 && <span className="ta-panel-count">{numbered(count, 'file')}</span>}
        {count > 0 && <Counts {...totalsOf((state.files ?? []).map(({ file }) => file))} />}
        <div className="ta-panel-options">
          <Switch on={ignoreWhitespace} onChange={props.onIgnoreWhitespace}>
            Ignore whitespace
          </Switch>
          <Switch on={layout.wrap} onChange={(wrap) => props.onLayout({ ...layout, wrap })}>
            Wrap lines
          </Switch>
          <Switch on={layout.split} onChange={(split) => props.onLayout({ ...layout, split })}>
            Side by side
          </Switch>
        </div>
      </header>
      {moved !== null && (
        <div className="ta-banner" data-included={include}>
          <span className="ta-moved-icon" aria-hidden="true">
            ⎇
          </span>
          <p>
            {moved} {include ? 'shown as well' : 'hidden'}
          </p>
          <button type="button" className="ta-button" aria-pressed={include} onClick={() => setInclude(!include)}>
            Show git changes
          </button>
        </div>
      )}
      {mixed > 0 && (
        <p className="ta-note">
          {numbered(mixed, 'file')} {mixed === 1 ? 'is' : 'are'} marked <span className="ta-mark">mixed</span> {MIXED}
        </p>
      )}
      <Progress state={state} onResume={resume} />
      {state.status === 'failed' && (
        <Trouble title="The diff could not be loaded" error={state.error} onRetry={resume} />
      )}
      {state.files?.length === 0 && <p className="ta-nothing">{nothing(turn, include)}</p>}
      {loading !== null && state.files !== null && state.files.length > 0 && (
        <TroubleBoundary title="The diff could not be drawn">
          <Suspense fallback={<p className="ta-nothing">Loading the diff…</p>}>
            <PatchView
              key={loading.id}
              loading={loading}
              files={state.files}
              openFile={openFile ?? null}
              languages={languages}
              layout={layout}
              colorScheme={props.colorScheme}
            />
          </Suspense>
        </TroubleBoundary>
      )}
    </section>
  )
}

// What the shown diff leaves out: whole files, or lines of a file that the agent changed as well.
function movedWords({ demoted: { fileCount }, shown }: TurnAttribution): string | null {
  if (fileCount > 0) return `${numbered(fileCount, 'file')} updated via git ${fileCount === 1 ? 'is' : 'are'}`
  const parts = shown.filter(({ reason }) => reason === 'edited-after-move').length
  return parts === 0 ? null : `Lines of ${numbered(parts, 'file')} updated via git are`
}

function nothing(turn: TurnAttribution, include: boolean): string {
  if (!include && turn.demoted.fileCount > 0)
    return 'The agent changed no files in this turn; all that changed came through git.'
  return 'No files changed in this turn.'
}

interface SwitchProps {
  on: boolean
  onChange: (on: boolean) => void
  children: string
}

function Switch({ on, onChange, children }: SwitchProps) {
  return (
    <button type="button" className="ta-button ta-quiet" aria-pressed={on} onClick={() => onChange(!on)}>
      {children}
    </button>
  )
}

// The numbers run too fast to be read aloud: what is said is that it loads, and that it is there.
function Progress({ state, onResume }: { state: PatchState; onResume: () => void }) {
  const { status, files, loadedCount } = state
  const total = files?.length ?? 0
  const unnamed = state.fileCount - total
  const numbers = `${loadedCount.toLocaleString('en')} of ${total.toLocaleString('en')} files`
  return (
    <>
      <p className="ta-aloud" role="status">
        {status === 'loading' ? 'Loading the diff' : status === 'done' ? `Diff loaded: ${total} files` : ''}
      </p>
      {status === 'loading' && (
        <div className="ta-progress">
          <progress aria-label="Loading the diff" {...(total > 0 && { value: loadedCount, max: total })} />
          <span>{total > 0 ? numbers : 'Loading…'}</span>
        </div>
      )}
      {status === 'paused' && (
        <div className="ta-progress">
          <span>{numbers} loaded; there is much more.</span>
          <button type="button" className="ta-button" onClick={onResume}>
            Load more
          </button>
        </div>
      )}
      {unnamed > 0 && (
        <p className="ta-note">{unnamed.toLocaleString('en')} more files changed than can be listed here.</p>
      )}
    </>
  )
}
