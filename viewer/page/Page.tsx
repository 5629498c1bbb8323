import { useCallback, useEffect, useRef, useState } from 'react'
import { ChangedFilesCard } from '../card/ChangedFilesCard.js'
import { Name, Names } from '../names/Name.js'
import { visible } from '../names/visible.js'
import { DiffPanel } from '../panel/DiffPanel.js'
import type { LoadPatch } from '../panel/patch-query.js'
import { Trouble, TroubleBoundary } from '../panel/Trouble.js'
import { fetchCard, fetchPatch, fetchTurns, type ListedTurn, type Span, type Thread, type Turns } from './api.js'
import { LANGUAGES } from './languages.js'
import { goTo, type Place, usePlace } from './place.js'
import { keyOfThread, TurnList } from './TurnList.js'
import { useAnswer } from './use-answer.js'

export function Page() {
  const [turns, again] = useAnswer('turns', fetchTurns)
  // A turn that has not ended may be another one by now, under the same names.
  const [revision, setRevision] = useState(0)
  const refresh = () => {
    setRevision((before) => before + 1)
    again()
  }
  const repository = turns.value?.repository ?? null
  useEffect(() => {
    document.title = repository === null ? 'turn-attribution' : `${visible(repository.name)} · turn-attribution`
  }, [repository])
  return (
    <div className="page">
      {/* A button, since the address behind `#` says which turn is shown. */}
      <button type="button" className="page-skip" onClick={() => document.getElementById('turn')?.focus()}>
        Skip to the turn
      </button>
      <header className="page-head">
        <h1 title={repository === null ? undefined : visible(repository.path)}>
          {repository === null ? 'turn-attribution' : <Name>{repository.name}</Name>}
        </h1>
        {repository !== null && (
          <span className="page-repository">
            <Names>{repository.path}</Names>
          </span>
        )}
        <button type="button" className="ta-button ta-quiet" onClick={refresh}>
          Refresh
        </button>
      </header>
      <TroubleBoundary title="The page could not be drawn">
        {turns.status === 'loading' && (
          <p className="page-empty" role="status">
            Looking for turns…
          </p>
        )}
        {turns.status === 'failed' && (
          <main className="page-empty" id="turn" tabIndex={-1}>
            <Trouble title="The turns could not be read" error={turns.error} onRetry={again} />
          </main>
        )}
        {turns.value !== null &&
          (turns.value.threads.length === 0 ? <NoTurns /> : <Review turns={turns.value} revision={revision} />)}
      </TroubleBoundary>
    </div>
  )
}

function NoTurns() {
  return (
    <main className="page-empty" id="turn" tabIndex={-1}>
      <h2>No turns yet</h2>
      <p>
        There are no checkpoints of an agent's turns in this repository, and no marks. To look at what an agent does
        next:
      </p>
      <ol>
        <li>
          Before it starts: <code>turn-attribution mark</code>
        </li>
        <li>Let the agent work.</li>
        <li>
          Then: <code>turn-attribution show --view</code>
        </li>
      </ol>
    </main>
  )
}

interface Chosen {
  thread: Thread
  turn: ListedTurn
}

function Review({ turns, revision }: { turns: Turns; revision: number }) {
  const place = usePlace()
  const chosen = chosenOf(turns, place)
  return (
    <div className="page-review">
      <TurnList
        threads={turns.threads}
        chosenThread={chosen && keyOfThread(chosen.thread)}
        chosenTurn={chosen?.turn.number ?? null}
      />
      {chosen === null ? (
        <main className="page-empty" id="turn" tabIndex={-1}>
          <p>This turn is not in the repository. Choose one from the list.</p>
        </main>
      ) : (
        <TurnView chosen={chosen} place={place} revision={revision} />
      )}
    </div>
  )
}

// Without an address the newest turn of all.
function chosenOf({ threads }: Turns, place: Place): Chosen | null {
  const thread = place.thread === null ? threads[0] : threads.find((one) => keyOfThread(one) === place.thread)
  const turn = place.turn === null ? thread?.turns[0] : thread?.turns.find(({ number }) => number === place.turn)
  return thread && turn ? { thread, turn } : null
}

interface TurnViewProps {
  chosen: Chosen
  place: Place
  revision: number
}

function TurnView({ chosen, place, revision }: TurnViewProps) {
  const { thread, turn } = chosen
  const whole = place.wholeThread ? wholeThread(thread, turn) : null
  const span = whole ?? { from: turn.from, to: turn.to }
  const key = JSON.stringify([span, revision])
  const here: Place = { ...place, thread: keyOfThread(thread), turn: turn.number }
  const [card, again] = useAnswer(key, (signal) => fetchCard(span, signal))

  // The button goes away with the trouble: the focus stays with the turn.
  const retry = () => {
    document.getElementById('turn')?.focus()
    again()
  }

  const [openFile, setOpenFile] = useState<{ key: string; path: string } | null>(null)
  const panel = useRef<HTMLDivElement>(null)
  // Where it is narrow the diff is below the card.
  const bringDiff = () => panel.current?.scrollIntoView({ block: 'nearest' })
  const open = (path: string) => {
    setOpenFile({ key, path })
    bringDiff()
  }
  const openGitChanges = () => {
    goTo({ ...here, gitChanges: true })
    bringDiff()
  }
  // `key` holds all of `span`.
  const loadPatch = useCallback<LoadPatch>((query, signal) => fetchPatch(span, query, signal), [key])
  const opened = openFile?.key === key ? openFile : null
  return (
    <main className="page-turn" id="turn" tabIndex={-1} aria-labelledby="turn-heading">
      <div className="page-card">
        <div className="page-turn-head">
          <h2 id="turn-heading">{whole === null ? `Turn ${turn.number}` : `Whole thread, to turn ${turn.number}`}</h2>
          {wholeThread(thread, turn) !== null && (
            <button
              type="button"
              className="ta-button"
              aria-pressed={whole !== null}
              onClick={() => goTo({ ...here, wholeThread: whole === null, gitChanges: false })}
            >
              Whole thread
            </button>
          )}
        </div>
        {card.status === 'loading' && (
          <p className="ta-nothing" role="status">
            Loading the turn…
          </p>
        )}
        {card.status === 'failed' && <Trouble title="This turn could not be read" error={card.error} onRetry={retry} />}
        {card.value !== null && (
          <ChangedFilesCard
            turn={card.value}
            onOpenFile={open}
            onOpenGitChanges={openGitChanges}
            openPath={opened?.path ?? null}
          />
        )}
      </div>
      <div className="page-panel" ref={panel}>
        {card.value !== null && (
          <DiffPanel
            turn={card.value}
            turnKey={key}
            loadPatch={loadPatch}
            openFile={opened}
            includeGitChanges={place.gitChanges}
            onIncludeGitChanges={(gitChanges) => goTo({ ...here, gitChanges })}
            languages={LANGUAGES}
          />
        )}
      </div>
    </main>
  )
}

/** From the first checkpoint of the thread to the turn's end; of its first turn there is no more than the turn. */
function wholeThread({ checkpoints }: Thread, { to }: ListedTurn): Span | null {
  const end = checkpoints.indexOf(to)
  const [from] = checkpoints
  if (from === undefined || end < 2) return null
  return { from, to, between: checkpoints.slice(1, end) }
}
