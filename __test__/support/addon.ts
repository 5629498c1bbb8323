// The addon as the tests see it. `readHead` can be replaced: scenarios may be written before the addon is built.
import { createRequire } from 'node:module'
import type * as TurnAttributionModule from '../../index.js'

export type Addon = typeof TurnAttributionModule
export type {
  AttributeTurnRequest,
  Checkpoint,
  DiffFile,
  DiffOptions,
  FilteredDiff,
  HeadFacts,
  ParsedDiff,
  ParsedFile,
  PathExplanation,
  ShownFile,
  TurnAttribution,
  TurnDiff,
} from '../../index.js'

import type { HeadFacts } from '../../index.js'
import { type GitEnvironment, runGit, tryGit } from './git.js'

export type ReadHead = (cwd: string) => Promise<HeadFacts>

let loaded: Addon | undefined

/** A build in which reads can be made to fail: `npm run faults`. */
export const faultBuild = process.env.TURN_ATTRIBUTION_FAULTS
// Only here: the loaders of vitest's own native parts look at the variable too.
if (faultBuild !== undefined) process.env.NAPI_RS_NATIVE_LIBRARY_PATH = faultBuild

/** The built addon, as a host requires it. */
export function addon(): Addon {
  loaded ??= createRequire(import.meta.url)('../..') as Addon
  return loaded
}

/** The addon, or null where it has not been built yet. */
export function addonIfBuilt(): Addon | null {
  try {
    return addon()
  } catch {
    return null
  }
}

/** Head and branch as git tells them, without a pin: what an older host would have recorded. */
export function readHeadByGit(env: GitEnvironment): ReadHead {
  return async (cwd) => {
    const head = tryGit(cwd, env, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'])
    const branch = tryGit(cwd, env, ['symbolic-ref', '-q', '--short', 'HEAD'])
    const facts: Partial<HeadFacts> = {
      headOid: head.status === 0 ? head.stdout.trim() : null,
      branch: branch.status === 0 ? branch.stdout.trim() : null,
      operation: null,
    }
    return facts as HeadFacts
  }
}

/** `git rev-parse`, for oids in expectations. */
export function resolve(cwd: string, env: GitEnvironment, revision: string): string {
  return runGit(cwd, env, ['rev-parse', '--verify', revision])
}
