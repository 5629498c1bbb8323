import { useCallback, useEffect, useState } from 'react'

export type Answer<T> =
  | { status: 'loading'; value: null; error: null }
  | { status: 'here'; value: T; error: null }
  | { status: 'failed'; value: null; error: unknown }

const LOADING = { status: 'loading', value: null, error: null } as const

/** What `ask` answers, for `key`: an answer that belongs to another key is aborted and never seen. */
export function useAnswer<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
): [answer: Answer<T>, again: () => void] {
  const [known, setKnown] = useState<{ key: string; answer: Answer<T> } | null>(null)
  const [attempt, setAttempt] = useState(0)
  // `key` stands for all that `ask` closes over.
  useEffect(() => {
    const stop = new AbortController()
    const take = (answer: Answer<T>) => {
      if (!stop.signal.aborted) setKnown({ key, answer })
    }
    ask(stop.signal).then(
      (value) => take({ status: 'here', value, error: null }),
      (error) => take({ status: 'failed', value: null, error }),
    )
    return () => stop.abort()
  }, [key, attempt])
  const again = useCallback(() => {
    setKnown((before) => (before?.answer.status === 'failed' ? null : before))
    setAttempt((before) => before + 1)
  }, [])
  return [known?.key === key ? known.answer : LOADING, again]
}
