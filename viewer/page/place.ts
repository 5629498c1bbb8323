// What the page shows stands in the address, behind `#`, so that reload, back and a second tab work.

import { useSyncExternalStore } from 'react'

export interface Place {
  thread: string | null
  turn: number | null
  /** Everything from the thread's first checkpoint to the turn. */
  wholeThread: boolean
  /** Whether the diff offers git's changes as well: of this turn alone, since another turn has another address. */
  gitChanges: boolean
}

export function readPlace(hash: string): Place {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  const turn = values.get('turn')
  return {
    thread: values.get('thread'),
    turn: turn !== null && /^\d{1,9}$/.test(turn) ? Number(turn) : null,
    wholeThread: values.get('range') === 'thread',
    gitChanges: values.get('git') === 'shown',
  }
}

export function hashOf(place: Partial<Place>): string {
  const values = new URLSearchParams()
  if (place.thread != null) values.set('thread', place.thread)
  if (place.turn != null) values.set('turn', String(place.turn))
  if (place.wholeThread) values.set('range', 'thread')
  if (place.gitChanges) values.set('git', 'shown')
  return `#${values}`
}

const subscribe = (listener: () => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

export function usePlace(): Place {
  return readPlace(useSyncExternalStore(subscribe, () => window.location.hash))
}

export function goTo(place: Place) {
  window.location.hash = hashOf(place)
}
