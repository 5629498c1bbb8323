import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { TurnAttribution } from 'turn-attribution'
import { PatchLoading, type PatchState } from './patch-loading.js'
import type { LoadPatch } from './patch-query.js'

const NOTHING_YET: PatchState = { files: null, fileCount: 0, loadedCount: 0, status: 'loading', error: null }
const never = () => () => {}

export interface Patch {
  state: PatchState
  loading: PatchLoading | null
}

/** The patch of a turn as it comes in; what was asked under other options is aborted and never seen. */
export function usePatch(
  turn: TurnAttribution,
  includeGitChanges: boolean,
  ignoreWhitespace: boolean,
  loadPatch: LoadPatch,
): Patch {
  const load = useRef(loadPatch)
  const [started, setStarted] = useState<PatchLoading | null>(null)
  useEffect(() => {
    load.current = loadPatch
  }, [loadPatch])
  useEffect(() => {
    const next = new PatchLoading((query, signal) => load.current(query, signal), turn, {
      includeGitChanges,
      ignoreWhitespace,
    })
    setStarted(next)
    void next.run()
    return () => next.close()
  }, [turn, includeGitChanges, ignoreWhitespace])

  // Between a change of the options and the effect, what was started is still that of before.
  const current =
    started !== null &&
    started.turn === turn &&
    started.options.includeGitChanges === includeGitChanges &&
    started.options.ignoreWhitespace === ignoreWhitespace
  const loading = current ? started : null
  const state = useSyncExternalStore(
    loading?.subscribe ?? never,
    () => loading?.getState() ?? NOTHING_YET,
    () => NOTHING_YET,
  )
  return { state, loading }
}
