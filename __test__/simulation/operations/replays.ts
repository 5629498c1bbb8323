// Commits made anew from commits that are there: cherry-pick, revert, rebase in all its forms, am.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Content, textOf, writeContent } from '../content.js'
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'

/** A commit with one parent that HEAD does not have, on some branch. */
export function foreignCommit(scene: Scene): string | null {
  const refs = scene.aheadRefs()
  if (refs.length === 0) return null
  return scene.random.pickOrNull(
    scene.rows('rev-list', '--no-merges', '--min-parents=1', '--max-count=4', scene.random.pick(refs), '--not', 'HEAD'),
  )
}

const settled = (scene: Scene, ...args: string[]): boolean =>
  scene.ok(...args) || (scene.inProgress() !== null && scene.settle())

/** An interactive rebase of the newest plain commits, with a list of our own. */
function interactive(
  scene: Scene,
  least: number,
  plan: (commits: string[]) => string[],
  options: { message?: string; flags?: string[]; atStop?: () => void; undecided?: boolean } = {},
): boolean {
  return scene.withCleanTree(() => {
    const depth = scene.plainDepth(6) - 1
    if (depth < least) return false
    const count = scene.random.between(least, Math.min(depth, least + 2))
    const commits = scene.ownLine(count).reverse()
    const env: Record<string, string> = { GIT_SEQUENCE_EDITOR: scene.editorOf(plan(commits).join('\n')) }
    if (options.message !== undefined) env.GIT_EDITOR = scene.editorOf(options.message)
    const play = (): boolean => {
      scene.say(
        `  plan: ${plan(commits)
          .map((row) => row.replace(/([0-9a-f]{7})[0-9a-f]{33}/, '$1').slice(0, 60))
          .join(', ')}`,
      )
      const run = scene.runWith({ env }, 'rebase', '-i', ...(options.flags ?? []), `HEAD~${count}`)
      if (run.status !== 0 && scene.inProgress() === null) return false
      if (scene.inProgress() !== null && scene.unmerged().length === 0) options.atStop?.()
      return scene.settle()
    }
    return options.undecided ? scene.undecided(play) : play()
  })
}

const pickAll = (commits: string[]): string[] => commits.map((oid) => `pick ${oid}`)

export const replays: Operation[] = [
  {
    kind: 'cherry-pick',
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = foreignCommit(scene)
        return commit !== null && settled(scene, 'cherry-pick', commit)
      }),
  },
  {
    kind: 'cherry-pick -x',
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = foreignCommit(scene)
        return commit !== null && settled(scene, 'cherry-pick', '-x', commit)
      }),
  },
  {
    kind: 'cherry-pick a range',
    run: (scene) =>
      scene.withCleanTree(() => {
        const ref = scene.random.pickOrNull(scene.aheadRefs(/topic|feature|stack|main/))
        if (ref === null || scene.rows('rev-list', '--merges', '--max-count=1', ref, '--not', 'HEAD').length > 0)
          return false
        const base = scene.ask('merge-base', 'HEAD', ref)
        return base !== '' && settled(scene, 'cherry-pick', `${base}..${ref}`)
      }),
  },
  {
    kind: 'cherry-pick -n and commit',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = foreignCommit(scene)
        if (commit === null) return false
        const done = scene.undecided(() => scene.ok('cherry-pick', '-n', commit) || scene.settleUnmerged())
        return done && (scene.random.chance(0.3) ? true : scene.commit('picked by hand'))
      }),
  },
  {
    kind: 'revert',
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = scene.random.pickOrNull(
          scene.rows('rev-list', '--no-merges', '--max-count=5', '--min-parents=1', 'HEAD'),
        )
        return commit !== null && scene.undecided(() => settled(scene, 'revert', '--no-edit', commit))
      }),
  },
  {
    kind: 'rebase onto a branch',
    run: (scene) =>
      scene.withCleanTree(() => {
        const onto = scene.random.pickOrNull(scene.aheadRefs(/main|topic|feature/))
        return onto !== null && settled(scene, 'rebase', onto)
      }),
  },
  {
    kind: 'rebase --onto',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        const onto = scene.random.pickOrNull(scene.aheadRefs(/main|topic|feature/))
        const depth = scene.plainDepth(4) - 1
        if (onto === null || depth < 1) return false
        return settled(scene, 'rebase', '--onto', onto, `HEAD~${scene.random.between(1, depth)}`)
      }),
  },
  {
    kind: 'rebase -i, edit',
    cards: 9,
    run: (scene) =>
      interactive(scene, 1, (commits) => commits.map((oid, index) => `${index === 0 ? 'edit' : 'pick'} ${oid}`), {
        atStop: () => {
          if (!scene.editLines()) return
          if (scene.random.chance(0.7)) scene.amend()
          else scene.commit('an extra commit')
        },
      }),
  },
  {
    kind: 'rebase -i, exec',
    cards: 3,
    run(scene) {
      // The command writes one new file and amends, or commits, as a generator would.
      const path = scene.pen.newPath('src')
      const written: Content = new Map([
        [path, { mode: '100644', lines: scene.pen.lines('agent', scene.random.between(2, 5)) }],
      ])
      const made = join(scene.repo.env.HOME, `made-${scene.newName('file')}`)
      writeFileSync(made, textOf(written.get(path) as { mode: '100644'; lines: string[] }))
      const end = scene.random.chance(0.5) ? 'git commit -q --amend --no-edit' : 'git commit -q -m generated'
      const command = `mkdir -p src && cp '${made}' '${path}' && git add -A && ${end}`
      return interactive(scene, 1, (commits) =>
        pickAll(commits).flatMap((row, index) => (index === 0 ? [row, `exec ${command}`] : [row])),
      )
    },
  },
  {
    kind: 'rebase -i, squash',
    cards: 2,
    run: (scene) =>
      interactive(scene, 2, (commits) => commits.map((oid, index) => `${index === 1 ? 'squash' : 'pick'} ${oid}`), {
        message: 'squashed',
      }),
  },
  {
    kind: 'rebase -i, fixup',
    cards: 2,
    run: (scene) =>
      interactive(scene, 2, (commits) => commits.map((oid, index) => `${index === 1 ? 'fixup' : 'pick'} ${oid}`)),
  },
  {
    kind: 'rebase -i, drop the first',
    cards: 2,
    run: (scene) =>
      interactive(scene, 2, (commits) => commits.map((oid, index) => `${index === 0 ? 'drop' : 'pick'} ${oid}`)),
  },
  {
    kind: 'rebase -i, drop a later one',
    cards: 2,
    run: (scene) =>
      interactive(scene, 2, (commits) => commits.map((oid, index) => `${index === 1 ? 'drop' : 'pick'} ${oid}`), {
        undecided: true,
      }),
  },
  {
    kind: 'rebase -i, reword',
    cards: 2,
    run: (scene) =>
      interactive(scene, 1, (commits) => commits.map((oid, index) => `${index === 0 ? 'reword' : 'pick'} ${oid}`), {
        message: 'other words',
      }),
  },
  {
    kind: 'rebase -i, reorder',
    cards: 2,
    run: (scene) =>
      interactive(scene, 2, (commits) => pickAll([commits[1] as string, commits[0] as string, ...commits.slice(2)])),
  },
  {
    kind: 'rebase --apply',
    run: (scene) =>
      scene.withCleanTree(() => {
        const onto = scene.random.pickOrNull(scene.aheadRefs(/main|topic|feature/))
        return onto !== null && settled(scene, 'rebase', '--apply', onto)
      }),
  },
  {
    kind: 'rebase --update-refs',
    run: (scene) =>
      scene.withCleanTree(() => {
        if (
          scene.ask('rev-parse', '-q', '--verify', 'refs/heads/stack-two') === '' ||
          !scene.ok('checkout', 'stack-two')
        )
          return false
        const onto = scene.random.pickOrNull(scene.aheadRefs(/main/))
        return onto !== null && settled(scene, 'rebase', '--update-refs', onto)
      }),
  },
  {
    kind: 'rebase -X theirs',
    run: (scene) =>
      scene.withCleanTree(() => {
        const onto = scene.random.pickOrNull(scene.aheadRefs(/main|topic|feature/))
        if (onto === null) return false
        scene.undecidedWhereBothChanged('HEAD', onto, 'rebase -X may pick lines by itself')
        return settled(scene, 'rebase', '-X', scene.random.pick(['theirs', 'ours']), onto)
      }),
  },
  {
    kind: 'am',
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = foreignCommit(scene)
        if (commit === null) return false
        const file = join(scene.repo.env.HOME, 'mail.patch')
        writeFileSync(
          file,
          scene.repo.tryGit('format-patch', '--stdout', '--binary', '--full-index', '-1', commit).stdout,
        )
        return settled(scene, 'am', ...(scene.random.chance(0.7) ? ['-3'] : []), file)
      }),
  },
  {
    kind: 'undo a pick',
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = foreignCommit(scene)
        const before: Content = scene.content()
        if (commit === null || !settled(scene, 'cherry-pick', commit)) return false
        if (scene.random.chance(0.5)) return scene.ok('reset', '--hard', 'HEAD~1')
        // By hand: back to what it was, uncommitted.
        scene.undecided(() => writeContent(scene.cwd, scene.content(), before))
        return true
      }),
  },
]
