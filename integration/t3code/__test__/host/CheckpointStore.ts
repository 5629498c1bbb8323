// Snapshots as hidden refs: taken, compared, restored and deleted by git as a child process.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as Context from 'effect/Context'
import * as Data from 'effect/Data'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import { TurnAttribution } from '../../TurnAttribution.ts'

export class CheckpointError extends Data.TaggedError('CheckpointError')<{ readonly message: string }> {}

interface Place {
  readonly cwd: string
  readonly ref: string
}

export class CheckpointStore extends Context.Service<
  CheckpointStore,
  {
    readonly has: (place: Place) => Effect.Effect<boolean>
    readonly capture: (place: Place) => Effect.Effect<void, CheckpointError>
    readonly diff: (input: {
      readonly cwd: string
      readonly from: string
      readonly to: string
      readonly ignoreWhitespace: boolean
    }) => Effect.Effect<string, CheckpointError>
    readonly restore: (place: Place) => Effect.Effect<void, CheckpointError>
    readonly remove: (place: Place) => Effect.Effect<void, CheckpointError>
  }
>()('host/CheckpointStore') {}

const git = (cwd: string, args: string[], env: Record<string, string> = {}): Effect.Effect<string, CheckpointError> =>
  Effect.callback((resume) => {
    const options = { cwd, env: { ...process.env, ...hermetic, ...env }, maxBuffer: 10_000_000 }
    execFile('git', args, options, (error, stdout) =>
      resume(error ? Effect.fail(new CheckpointError({ message: error.message })) : Effect.succeed(stdout.trim())),
    )
  })

// A test is not to depend on the settings of who runs it; a real host takes them as they are.
const hermetic = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }

const identity = {
  GIT_AUTHOR_NAME: 'Host',
  GIT_AUTHOR_EMAIL: 'host@example.org',
  GIT_COMMITTER_NAME: 'Host',
  GIT_COMMITTER_EMAIL: 'host@example.org',
}

export const checkpointStoreLayer = Layer.effect(
  CheckpointStore,
  Effect.gen(function* () {
    const attribution = yield* TurnAttribution
    return CheckpointStore.of({
      has: ({ cwd, ref }) =>
        git(cwd, ['rev-parse', '-q', '--verify', `${ref}^{commit}`]).pipe(
          Effect.as(true),
          Effect.catch(() => Effect.succeed(false)),
        ),
      capture: ({ cwd, ref }) =>
        Effect.gen(function* () {
          const folder = yield* git(cwd, ['rev-parse', '--absolute-git-dir'])
          const index = join(folder, `host-index-${randomUUID()}`)
          const taken = Effect.gen(function* () {
            const env = { GIT_INDEX_FILE: index }
            yield* Effect.ignore(git(cwd, ['read-tree', 'HEAD'], env))
            yield* git(cwd, ['add', '-A', '--', '.'], env)
            const tree = yield* git(cwd, ['write-tree'], env)
            // First call site: head, branch and pin go into the message, right after the snapshot.
            const message = yield* attribution.checkpointMessage(cwd, `checkpoint ref=${ref}`)
            const commit = yield* git(cwd, ['commit-tree', tree, '-m', message], identity)
            yield* git(cwd, ['update-ref', ref, commit])
          })
          yield* Effect.ensuring(
            taken,
            Effect.promise(() => rm(index, { force: true })),
          )
        }),
      diff: ({ cwd, from, to, ignoreWhitespace }) =>
        git(cwd, [
          'diff',
          '--patch',
          '--no-color',
          '--no-ext-diff',
          '--no-textconv',
          ...(ignoreWhitespace ? ['--ignore-all-space'] : []),
          `${from}^{commit}`,
          `${to}^{commit}`,
        ]),
      restore: ({ cwd, ref }) =>
        Effect.gen(function* () {
          yield* git(cwd, ['restore', '--source', ref, '--worktree', '--staged', '--', '.'])
          yield* git(cwd, ['clean', '-fdq', '--', '.'])
          yield* git(cwd, ['reset', '-q', '--', '.'])
        }),
      remove: ({ cwd, ref }) => Effect.asVoid(git(cwd, ['update-ref', '-d', ref])),
    })
  }),
)
