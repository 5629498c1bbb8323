// What a host must show, told once: run here against the host in small, and in T3 Code's own tree against T3 Code.

import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert'
import { join } from 'node:path'
import type { ProjectedFile } from '../projection.ts'
import type { Addon, AttributionMode } from '../TurnAttribution.ts'
import type { TurnGitSummary } from '../TurnGitSummary.ts'
import { createRepository, type ScenarioRepository } from './repository.ts'

/** A host that scenarios can be played on. */
export interface HostUnderTest {
  readonly open: (options: HostOptions) => Promise<RunningHost>
}

export interface HostOptions {
  readonly cwd: string
  /** Asked again at every call. */
  readonly mode: () => AttributionMode
  readonly load: () => Promise<Addon>
  readonly timeBudgetMillis: number
}

/** One thread on one checkout. */
export interface RunningHost {
  /** A turn from the provider's start to its end, with everything that follows from it. */
  readonly turn: (agent: () => void) => Promise<void>
  /** The card of a turn; `null` where the timeline has no row for it. */
  readonly card: (turn: number) => Promise<Card | null>
  readonly turnDiff: (from: number, to: number, options?: DiffOptions) => Promise<Diff>
  /** What the panel asks for the first turn, and for the whole thread. */
  readonly threadDiff: (to: number, options?: DiffOptions) => Promise<Diff>
  readonly revert: (turn: number) => Promise<void>
  readonly checkpointRef: (turn: number) => string
  readonly close: () => Promise<void>
}

export interface Card {
  readonly files: ReadonlyArray<Omit<ProjectedFile, 'kind'> & { readonly kind: string }>
  readonly git?: TurnGitSummary | undefined
}

export interface Diff {
  readonly diff: string
  readonly git?: TurnGitSummary | undefined
}

export interface DiffOptions {
  readonly ignoreWhitespace?: boolean
  readonly includeGitChanges?: boolean
}

/** How often each function of the addon was called. */
export type Calls = Record<keyof Addon, number>

interface Stage {
  readonly repo: ScenarioRepository
  readonly host: RunningHost
  readonly calls: Calls
  setMode: (mode: AttributionMode) => void
}

export type Scenario = (host: HostUnderTest, load: () => Promise<Addon>) => Promise<void>

/** A checkout of 40 old files, with one file of the agent's. */
async function checkoutAndOneFile(stage: Stage): Promise<void> {
  await stage.host.turn(() => {
    stage.repo.git('checkout', '-q', 'feature')
    stage.repo.write('agent.ts', 'mine\nmine too\n')
  })
}

const agentFile = { path: 'agent.ts', kind: 'added', additions: 2, deletions: 0 }

/** Every scenario; each ends with a rejection where a host shows something else. */
export const scenarios: Record<string, Scenario> = {
  'a checkout of 40 old files and one file of the agent lists 1 file and demotes 40, card and patch alike': (
    ...given
  ) =>
    staged(given, async (stage) => {
      const { host, calls, repo } = stage
      await checkoutAndOneFile(stage)
      const card = await host.card(1)
      deepStrictEqual(card?.files, [agentFile])
      matches(card?.git, { fileCount: 40, additions: 120, deletions: 0, fromBranch: 'main', toBranch: 'feature' })
      matches(card?.git, { label: 'Switched main → feature', reason: null, fromHead: repo.git('rev-parse', 'main') })
      strictEqual(calls.attributeTurn, 1)
      strictEqual(calls.diffTurn, 0)

      // The panel asks for the first turn as for a whole thread of one turn.
      for (const diff of [await host.threadDiff(1), await host.turnDiff(0, 1)]) {
        deepStrictEqual(pathsOf(diff.diff), ['agent.ts'])
        deepStrictEqual(countsOf(diff.diff), { additions: 2, deletions: 0 })
        strictEqual(diff.git?.fileCount, 40)
      }
      strictEqual(calls.diffTurn, 2)
      const everything = await host.threadDiff(1, { includeGitChanges: true })
      strictEqual(pathsOf(everything.diff).length, 41)

      await host.turn(() => {
        repo.git('checkout', '-q', 'main')
        repo.write('src/app.ts', 'one\n2\nthree\n')
      })
      const second = await host.card(2)
      deepStrictEqual(second?.files, [{ path: 'src/app.ts', kind: 'modified', additions: 1, deletions: 1 }])
      matches(second?.git, { fileCount: 40, deletions: 120, fromBranch: 'feature', toBranch: 'main' })
      deepStrictEqual(pathsOf((await host.turnDiff(1, 2)).diff), ['src/app.ts'])
      deepStrictEqual(pathsOf((await host.threadDiff(2)).diff), ['agent.ts', 'src/app.ts'])
    }),

  'a turn of git alone keeps its row although no file is shown': (...given) =>
    staged(given, async ({ host, repo, calls }) => {
      await host.turn(() => repo.git('checkout', '-q', 'feature'))
      const card = await host.card(1)
      notStrictEqual(card, null)
      deepStrictEqual(card?.files, [])
      matches(card?.git, { fileCount: 40, label: 'Switched main → feature' })
      const hidden = await host.threadDiff(1)
      strictEqual(hidden.diff, '')
      strictEqual(hidden.git?.fileCount, 40)
      strictEqual(pathsOf((await host.threadDiff(1, { includeGitChanges: true })).diff).length, 40)

      // What one query revealed, the next one does not.
      await host.turn(() => {
        repo.git('checkout', '-q', 'main')
        repo.write('agent.ts', 'mine\n')
      })
      deepStrictEqual(pathsOf((await host.turnDiff(1, 2)).diff), ['agent.ts'])
      strictEqual((await host.threadDiff(1)).diff, '')
      strictEqual(calls.attributeTurn, 2)
    }),

  'a failing, hanging or absent addon leaves the unfiltered list': async (host, load) => {
    const failing = async (): Promise<never> => {
      throw new Error('no')
    }
    const hanging = (): Promise<never> => new Promise(() => {})
    const throwing = (): never => {
      throw new TypeError('at once')
    }
    const broken: Record<string, () => Promise<Addon>> = {
      absent: failing,
      'absent at once': throwing,
      failing: async () => brokenAddon(failing),
      hanging: async () => brokenAddon(hanging),
      throwing: async () => brokenAddon(throwing),
      // The heads are recorded, so that the calls that decide are reached.
      'failing later': async () => ({ ...(await load()), attributeTurn: failing, diffTurn: failing }),
      'hanging later': async () => ({ ...(await load()), attributeTurn: hanging, diffTurn: hanging }),
    }
    await staged([host, load], async (stage) => {
      await checkoutAndOneFile(stage)
      strictEqual((await stage.host.card(1))?.files.length, 1, 'with the addon as it is')
    })
    for (const [name, loadBroken] of Object.entries(broken)) {
      const short = { timeBudgetMillis: name.startsWith('hanging') ? 400 : 10_000 }
      await staged([host, loadBroken], unfiltered(name), short)
    }
  },

  'checkpoints of before heads were recorded behave as they did': (...given) =>
    staged(given, async (stage) => {
      const { host, repo, calls } = stage
      stage.setMode('off')
      await unfiltered('off')(stage)
      stage.setMode('on')
      strictEqual(pathsOf((await host.threadDiff(1)).diff).length, 41)
      strictEqual(pathsOf((await host.turnDiff(0, 1)).diff).length, 41)

      // The start of this turn has no head yet.
      await host.turn(() => {
        repo.git('checkout', '-q', 'main')
        repo.write('second.ts', 'mine\n')
      })
      const second = await host.card(2)
      strictEqual(second?.files.length, 41)
      strictEqual(second?.git, undefined)
      strictEqual(pathsOf((await host.turnDiff(1, 2)).diff).length, 41)
      strictEqual(calls.attributeTurn, 0)
      strictEqual(calls.diffTurn, 0)

      await host.turn(() => {
        repo.git('checkout', '-q', 'docs')
        repo.write('third.ts', 'mine\n')
      })
      const third = await host.card(3)
      deepStrictEqual(
        third?.files.map((file) => file.path),
        ['third.ts'],
      )
      strictEqual(third?.git?.fileCount, 5)
      deepStrictEqual(pathsOf((await host.turnDiff(2, 3)).diff), ['third.ts'])
    }),

  'observing changes nothing, works everything out, and records what the next turn needs': (...given) =>
    staged(given, async (stage) => {
      const { host, repo, calls } = stage
      stage.setMode('observe')
      await unfiltered('observe')(stage)
      await until(() => calls.attributeTurn === 1)

      stage.setMode('on')
      strictEqual(pathsOf((await host.threadDiff(1)).diff).length, 41, 'the patch agrees with its card')
      await host.turn(() => {
        repo.git('checkout', '-q', 'docs')
        repo.write('second.ts', 'mine\n')
      })
      const card = await host.card(2)
      deepStrictEqual(
        card?.files.map((file) => file.path),
        ['second.ts'],
      )
      strictEqual(card?.git?.fileCount, 45)
      deepStrictEqual(pathsOf((await host.turnDiff(1, 2)).diff), ['second.ts'])
    }),

  'names that a decoder would trim, files without counts, and changes of whitespace alone': (...given) =>
    staged(given, async ({ host, repo }) => {
      await host.turn(() => {
        repo.git('checkout', '-q', 'docs')
        repo.write(' lead.ts', 'mine\n')
        repo.write('ü.ts', 'mine\n')
        repo.write('zeros.dat', '\0\0')
        repo.write('src/app.ts', 'one\n  two\nthree\n')
      })
      const card = await host.card(1)
      deepStrictEqual(card?.files, [
        { path: '" lead.ts"', kind: 'added', additions: 1, deletions: 0 },
        { path: 'src/app.ts', kind: 'modified', additions: 1, deletions: 1 },
        { path: 'ü.ts', kind: 'added', additions: 1, deletions: 0 },
        { path: 'zeros.dat', kind: 'added', additions: 0, deletions: 0 },
      ])
      // The card counts whitespace; the panel asks for a patch without, unless told otherwise.
      const whole = await host.threadDiff(1, { ignoreWhitespace: false })
      deepStrictEqual(pathsOf(whole.diff).sort(), [' lead.ts', 'src/app.ts', 'zeros.dat', 'ü.ts'])
      ok(whole.diff.includes('\n+  two\n'))
      ok(!(await host.threadDiff(1)).diff.includes('\n+  two\n'))
    }),

  'after a revert to a checkpoint, with the later refs pruned, the next turn is as any turn': (...given) =>
    staged(given, async ({ host, repo, calls }) => {
      await host.turn(() => repo.write('a.ts', 'a\n'))
      await host.turn(() => {
        repo.git('checkout', '-q', 'feature')
        repo.write('b.ts', 'b\n')
      })
      strictEqual((await host.card(2))?.git?.fileCount, 40)
      const pruned = repo.git('rev-parse', host.checkpointRef(2))
      await host.revert(1)
      ok(!repo.git('for-each-ref', '--format=%(refname)').split('\n').includes(host.checkpointRef(2)))
      // The log's old dates are the scenario's; gc would take such entries, and with them the evidence.
      repo.git('-c', 'gc.reflogExpire=never', '-c', 'gc.reflogExpireUnreachable=never', 'gc', '-q', '--prune=now')
      strictEqual(await host.card(2), null)

      await host.turn(() => {
        repo.git('checkout', '-q', 'docs')
        repo.write('c.ts', 'c\n')
      })
      notStrictEqual(repo.git('rev-parse', host.checkpointRef(2)), pruned)
      const card = await host.card(2)
      deepStrictEqual(card?.files, [{ path: 'c.ts', kind: 'added', additions: 1, deletions: 0 }])
      strictEqual(card?.git?.fileCount, 5)
      deepStrictEqual(pathsOf((await host.turnDiff(1, 2)).diff), ['c.ts'])
      deepStrictEqual(pathsOf((await host.threadDiff(2)).diff), ['a.ts', 'c.ts'])
      strictEqual(calls.attributeTurn, 3)
    }),

  "what the user committed elsewhere before the provider's start is not the agent's": (...given) =>
    staged(given, async ({ host, repo }) => {
      await host.turn(() => repo.write('a.ts', 'a\n'))
      // After the snapshot that the next turn is compared with, and before the next turn. Git counts in seconds: what
      // is dated in the second of a boundary counts as made in the turn.
      await new Promise((resolve) => setTimeout(resolve, 1100))
      const elsewhere = join(repo.cwd, '../elsewhere')
      repo.git('worktree', 'add', '-q', '-b', 'side', elsewhere, 'main')
      repo.write('../elsewhere/side.ts', 'by the user\n')
      repo.git('-C', elsewhere, 'add', '-A')
      repo.git('-C', elsewhere, 'commit', '-q', '-m', 'by the user')
      await new Promise((resolve) => setTimeout(resolve, 1100))
      await host.turn(() => {
        repo.git('merge', '-q', 'side')
        repo.write('b.ts', 'b\n')
      })
      const card = await host.card(2)
      deepStrictEqual(
        card?.files.map((file) => file.path),
        ['b.ts'],
      )
      strictEqual(card?.git?.fileCount, 1)
      // The queries come later and have to know the same start.
      deepStrictEqual(pathsOf((await host.turnDiff(1, 2)).diff), ['b.ts'])
      deepStrictEqual(pathsOf((await host.threadDiff(2)).diff), ['a.ts', 'b.ts'])
    }),
}

/** Everything of the turn is listed, in card and patch, as it was before there was any attribution. */
function unfiltered(what: string) {
  return async (stage: Stage): Promise<void> => {
    await checkoutAndOneFile(stage)
    const card = await stage.host.card(1)
    strictEqual(card?.files.length, 41, what)
    strictEqual(card?.git, undefined, what)
    const diff = await stage.host.threadDiff(1)
    strictEqual(pathsOf(diff.diff).length, 41, what)
    strictEqual(diff.git, undefined, what)
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !holds(); await new Promise((resolve) => setTimeout(resolve, 5))) {
    ok(Date.now() < end, `${holds} in time`)
  }
}

async function staged(
  [host, load]: Parameters<Scenario>,
  play: (stage: Stage) => Promise<void>,
  { timeBudgetMillis = 10_000 } = {},
): Promise<void> {
  const repo = createRepository()
  const calls: Calls = { readHead: 0, writeCheckpointFacts: 0, readCheckpoint: 0, attributeTurn: 0, diffTurn: 0 }
  let mode: AttributionMode = 'on'
  const counting = Promise.resolve().then(load)
  // A load that fails is the host's to handle, at the time it happens.
  counting.catch(() => {})
  const running = await host.open({
    cwd: repo.cwd,
    mode: () => mode,
    load: async () => counted(await counting, calls),
    timeBudgetMillis,
  })
  try {
    const setMode = (next: AttributionMode): void => {
      mode = next
    }
    await play({ repo, host: running, calls, setMode })
  } finally {
    await running.close()
    repo.remove()
  }
}

function counted(addon: Addon, calls: Calls): Addon {
  const { readHead, writeCheckpointFacts, readCheckpoint, attributeTurn, diffTurn } = addon
  const count =
    <Args extends unknown[], Result>(name: keyof Addon, call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      calls[name] += 1
      return call(...args)
    }
  return {
    readHead: count('readHead', readHead),
    writeCheckpointFacts: count('writeCheckpointFacts', writeCheckpointFacts),
    readCheckpoint: count('readCheckpoint', readCheckpoint),
    attributeTurn: count('attributeTurn', attributeTurn),
    ...(diffTurn && { diffTurn: count('diffTurn', diffTurn) }),
  }
}

function brokenAddon(call: () => Promise<never>): Addon {
  return { readHead: call, writeCheckpointFacts: call, readCheckpoint: call, attributeTurn: call, diffTurn: call }
}

function matches(actual: object | undefined, expected: object): void {
  const found = Object.entries(actual ?? {}).filter(([key]) => key in expected)
  deepStrictEqual(Object.fromEntries(found), expected)
}

/** The names in the headers of a patch; the scenarios' files need no quotes. */
export function pathsOf(patch: string): string[] {
  return [...patch.matchAll(/^diff --git a\/.* b\/(.*)$/gm)].map((match) => match[1] ?? '')
}

function countsOf(patch: string): { additions: number; deletions: number } {
  const count = (pattern: RegExp): number => patch.match(pattern)?.length ?? 0
  return { additions: count(/^\+(?!\+\+ )/gm), deletions: count(/^-(?!-- )/gm) }
}
