// The server behind the page, which is the one that sent it.

import type { TurnAttribution } from 'turn-attribution'
import type { PatchQuery, TurnPatch } from '../panel/patch-query.js'

export interface ListedTurn {
  number: number
  from: string
  to: string
  /** Milliseconds since 1970. */
  endedAt: number | null
}

export interface Thread {
  id: string
  source: 't3code' | 't3code-v2' | 'mark'
  name: string
  /** Newest first. */
  turns: ListedTurn[]
  /** The names of its checkpoints, in order. */
  checkpoints: string[]
}

export interface Turns {
  repository: { name: string; path: string }
  /** The one with the newest turn first. */
  threads: Thread[]
}

/** A turn, or a range of them. */
export interface Span {
  from: string
  to: string
  between?: string[]
}

/** An answer that is an error, or none; `code` is the library's, or the server's. */
export class ServerError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export const fetchTurns = (signal: AbortSignal) =>
  ask<Turns>('./api/turns', { signal }).catch((error) => {
    // To a page of before, a server that was started anew says no more than this.
    if (!(error instanceof ServerError && error.code === 'NOT_FOUND')) throw error
    throw new ServerError(error.code, 'The server of this page was started anew: its address is another one by now.')
  })

export const fetchCard = (span: Span, signal: AbortSignal) => post<TurnAttribution>('./api/card', span, signal)

export const fetchPatch = (span: Span, query: PatchQuery, signal: AbortSignal) =>
  post<TurnPatch>('./api/patch', { ...span, ...query }, signal)

function post<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init).catch((cause) => {
    init.signal?.throwIfAborted()
    throw new ServerError('NO_ANSWER', `The server of this page does not answer; it may have been stopped. (${cause})`)
  })
  const answer = await response.json().catch(() => null)
  init.signal?.throwIfAborted()
  if (response.ok && answer !== null) return answer
  const { code = `HTTP_${response.status}`, message = 'The server gave no answer that can be read.' } =
    answer?.error ?? {}
  throw new ServerError(String(code), String(message))
}
