// Ways to move to content that is there already.
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'

/** Names what to pull: the upstream of the branch, or the remote's main. */
function source(scene: Scene): string[] {
  const branch = scene.branch()
  const tracked =
    branch !== null && scene.ask('rev-parse', '-q', '--verify', '--symbolic-full-name', '@{upstream}') !== ''
  return tracked && scene.random.chance(0.7) ? [] : ['origin', 'main']
}

/** Goes to a branch whose upstream has news, for the operations that need that. */
function onTrackedBranch(scene: Scene): boolean {
  const branch = scene.branch()
  if (branch === 'main' || branch === 'feature') return true
  return scene.isClean() && scene.ok('checkout', scene.random.pick(['main', 'feature']))
}

const pulled = (scene: Scene, ...flags: string[]): boolean =>
  scene.withCleanTree(() => scene.ok('pull', ...flags, ...source(scene)) || scene.settle())

export const moves: Operation[] = [
  {
    kind: 'pull ff',
    cards: 2,
    run(scene) {
      if (!onTrackedBranch(scene)) return false
      // Unpushed commits forbid a fast-forward.
      const branch = scene.branch() ?? 'main'
      if (scene.rows('rev-list', `origin/${branch}..HEAD`).length > 0) return false
      return scene.random.chance(0.5) ? scene.ok('pull', '--ff-only') : scene.ok('pull')
    },
  },
  { kind: 'pull merge', run: (scene) => pulled(scene, '--no-rebase', '--no-edit') },
  { kind: 'pull rebase', run: (scene) => pulled(scene, '--rebase') },
  {
    kind: 'pull rebase autostash',
    run(scene) {
      if (scene.isClean() && !scene.edit(['replace', 'insert'], 1)) return false
      const done = scene.ok('pull', '--rebase', '--autostash', ...source(scene)) || scene.settle()
      if (scene.unmerged().length > 0) scene.settle()
      return done
    },
  },
  {
    kind: 'pull merge autostash',
    run(scene) {
      if (scene.isClean() && !scene.edit(['replace', 'insert'], 1)) return false
      const done = scene.ok('pull', '--no-rebase', '--no-edit', '--autostash', ...source(scene)) || scene.settle()
      if (scene.unmerged().length > 0) scene.settle()
      return done
    },
  },
  {
    kind: 'fetch and merge',
    run: (scene) =>
      scene.ok('fetch', 'origin') &&
      scene.withCleanTree(() => scene.ok('merge', '--no-edit', 'origin/main') || scene.settle()),
  },
  {
    kind: 'fetch and rebase',
    run: (scene) =>
      scene.ok('fetch', 'origin') && scene.withCleanTree(() => scene.ok('rebase', 'origin/main') || scene.settle()),
  },
  {
    kind: 'checkout a branch',
    cards: 2,
    run(scene) {
      const name = scene.random.pickOrNull(scene.branches().filter((branch) => branch !== 'vendor'))
      if (name === null) return false
      return scene.ok('checkout', name) || scene.withCleanTree(() => scene.ok('checkout', name))
    },
  },
  {
    kind: 'switch -c from upstream',
    run(scene) {
      scene.run('fetch', 'origin')
      return scene.withCleanTree(() =>
        scene.ok('switch', '-c', scene.newName('fix'), scene.random.pick(['origin/main', 'origin/feature'])),
      )
    },
  },
  {
    kind: 'checkout an old commit',
    run: (scene) =>
      scene.withCleanTree(() => scene.ok('checkout', scene.random.pick(['HEAD~1', 'HEAD~2', 'main~1', 'origin/main']))),
  },
  {
    kind: 'look around and come back',
    cards: 2,
    run(scene) {
      if (!scene.isClean()) return false
      if (!scene.ok('checkout', scene.random.pick(['HEAD~1', 'HEAD~2', 'origin/main']))) return false
      return scene.ok('checkout', '-')
    },
  },
  {
    kind: 'reset --hard to upstream',
    run(scene) {
      scene.run('fetch', 'origin')
      return scene.ok('reset', '--hard', scene.random.pick(['origin/main', 'origin/feature', 'origin/topic-a']))
    },
  },
  {
    kind: 'reset --hard to an older commit',
    run: (scene) => scene.ok('reset', '--hard', scene.random.pick(['HEAD~1', 'HEAD~2'])),
  },
  { kind: 'reset --keep', run: (scene) => scene.ok('reset', '--keep', scene.random.pick(['HEAD~1', 'origin/main'])) },
  {
    kind: 'reset --mixed and recommit',
    run: (scene) => scene.ok('reset', scene.random.pick(['HEAD~1', 'HEAD~2'])) && scene.commit('recommitted'),
  },
  {
    kind: 'reset --soft and recommit',
    run: (scene) => scene.ok('reset', '--soft', 'HEAD~1') && scene.commit('recommitted'),
  },
  {
    kind: 'squash through reset --soft',
    cards: 2,
    run(scene) {
      const depth = scene.plainDepth(4)
      if (depth < 3) return false
      if (scene.random.chance(0.5)) scene.editLines()
      return scene.ok('reset', '--soft', `HEAD~${scene.random.between(2, depth - 1)}`) && scene.commit('squashed')
    },
  },
  {
    kind: 'throw away uncommitted edits',
    run(scene) {
      if (scene.isClean() && !scene.edit(['replace', 'insert'])) return false
      return scene.random.pick([
        () => scene.ok('reset', '--hard'),
        () => scene.ok('restore', '.'),
        () => scene.ok('checkout', '-f', scene.branch() ?? 'HEAD'),
      ])()
    },
  },
  {
    kind: 'bisect',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        const good = scene.random.pick(['HEAD~3', 'HEAD~2'])
        if (scene.ask('rev-parse', '-q', '--verify', good) === '') return false
        if (!scene.ok('bisect', 'start', 'HEAD', good)) return false
        scene.run('bisect', scene.random.pick(['good', 'bad']))
        return scene.random.chance(0.8) ? scene.ok('bisect', 'reset') : scene.ok('bisect', 'reset', 'HEAD')
      }),
  },
  {
    kind: 'stash and pop',
    run(scene) {
      if (scene.isClean() && !scene.editLines()) return false
      if (!scene.ok('stash', 'push', '-u')) return false
      scene.popStash()
      return true
    },
  },
  {
    kind: 'stash, move, pop or apply',
    run(scene) {
      if (scene.isClean() && !scene.editLines()) return false
      if (!scene.ok('stash', 'push', '-u')) return false
      const name = scene.random.pickOrNull(scene.branches().filter((branch) => branch !== 'vendor'))
      if (name !== null && scene.random.chance(0.5)) scene.run('checkout', name)
      else scene.run('pull', '--ff-only')
      scene.popStash(scene.random.pick(['pop', 'apply']))
      return true
    },
  },
  {
    kind: 'stash and leave it',
    run(scene) {
      if (scene.isClean() && !scene.editLines()) return false
      return scene.ok('stash', 'push')
    },
  },
]
