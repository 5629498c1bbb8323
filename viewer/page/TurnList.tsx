import { Name } from '../names/Name.js'
import { visible } from '../names/visible.js'
import type { Thread } from './api.js'
import { hashOf } from './place.js'

const SOURCES: Record<Thread['source'], string> = {
  t3code: 'T3 Code thread',
  't3code-v2': 'T3 Code thread',
  mark: 'Mark',
}

export const keyOfThread = ({ source, id }: Thread) => `${source}:${id}`

interface TurnListProps {
  threads: readonly Thread[]
  chosenThread: string | null
  chosenTurn: number | null
}

/** Threads and their turns, newest first; each turn is a link to its address. */
export function TurnList({ threads, chosenThread, chosenTurn }: TurnListProps) {
  return (
    <nav className="page-turns" aria-label="Turns">
      {threads.map((thread) => (
        <section key={keyOfThread(thread)}>
          <h2 title={visible(thread.id)}>
            <span className="page-source">{SOURCES[thread.source]}</span>
            <Name>{thread.name || thread.id}</Name>
          </h2>
          <ol>
            {thread.turns.map(({ number, endedAt }) => {
              const here = keyOfThread(thread) === chosenThread && number === chosenTurn
              return (
                <li key={number}>
                  <a
                    href={hashOf({ thread: keyOfThread(thread), turn: number })}
                    aria-current={here ? 'true' : undefined}
                  >
                    <span>Turn {number}</span>
                    {endedAt !== null && <Time at={endedAt} />}
                  </a>
                </li>
              )
            })}
          </ol>
        </section>
      ))}
    </nav>
  )
}

const DAY = 24 * 60 * 60 * 1000
const TODAY = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const ANOTHER_DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })

function Time({ at }: { at: number }) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  const recent = Math.abs(Date.now() - at) < DAY
  return (
    <time dateTime={date.toISOString()} title={WHOLE.format(date)}>
      {(recent ? TODAY : ANOTHER_DAY).format(date)}
    </time>
  )
}
