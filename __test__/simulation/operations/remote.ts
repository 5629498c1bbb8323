// What goes through the remote: pushes, the forge, a teammate, a second clone.
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'

/** A branch of this turn with one or two commits of the agent, pushed. */
export function pushedWork(scene: Scene): string | null {
  const name = scene.newName('change')
  if (!scene.ok('checkout', '-b', name)) return null
  for (let index = scene.random.between(1, 2); index > 0; index -= 1) if (scene.editLines()) scene.commit('agent work')
  return scene.ok('push', '-u', 'origin', name) ? name : null
}

/** The forge takes `name` into main in its own way; then main is pulled here. */
export function takenByForge(scene: Scene, name: string, way: 'squash' | 'rebase' | 'merge'): boolean {
  const forge = scene.forge()
  forge.git('checkout', '-q', '-B', 'main', 'origin/main')
  if (way === 'squash') {
    if (forge.git('merge', '--squash', `origin/${name}`).status !== 0) {
      forge.git('reset', '-q', '--hard')
      return false
    }
    if (forge.git('commit', '-q', '-m', `${name} (#1)`).status !== 0) return false
  } else if (way === 'merge') {
    if (forge.git('merge', '-q', '--no-ff', '--no-edit', `origin/${name}`).status !== 0) {
      forge.git('merge', '--abort')
      return false
    }
  } else {
    forge.git('checkout', '-q', '-B', 'taken', `origin/${name}`)
    if (forge.git('rebase', '-q', '--force-rebase', 'main').status !== 0) {
      forge.git('rebase', '--abort')
      return false
    }
    forge.git('checkout', '-q', '-B', 'main', 'taken')
  }
  if (forge.git('push', '-q', 'origin', 'HEAD:refs/heads/main').status !== 0) return false
  return scene.withCleanTree(() => {
    if (scene.random.chance(0.3))
      return scene.ok('pull', '--no-rebase', '--no-edit', 'origin', 'main') || scene.settle()
    if (!scene.ok('checkout', 'main')) return false
    const pulled = scene.ok('pull', '--ff-only') || scene.ok('pull', '--rebase') || scene.settle()
    if (scene.random.chance(0.5)) scene.run('branch', '-D', name)
    return pulled
  })
}

export const remote: Operation[] = [
  {
    kind: 'push, rebased on the server, pull',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = pushedWork(scene)
        return name !== null && takenByForge(scene, name, 'rebase')
      }),
  },
  {
    kind: 'push, merged on the server, pull',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = pushedWork(scene)
        return name !== null && takenByForge(scene, name, 'merge')
      }),
  },
  {
    kind: 'teammate pushes late, pull',
    run(scene) {
      const branch = scene.branch() === 'feature' ? 'feature' : 'main'
      scene.pushLate(branch)
      return scene.withCleanTree(
        () => scene.ok('pull', scene.random.pick(['--rebase', '--no-rebase']), 'origin', branch) || scene.settle(),
      )
    },
  },
  {
    kind: 'teammate pushes late, fetch and move',
    run(scene) {
      scene.pushLate('main')
      if (!scene.ok('fetch', 'origin')) return false
      return scene.withCleanTree(() =>
        scene.random.pick([
          () => scene.ok('switch', '-c', scene.newName('late'), 'origin/main'),
          () => scene.ok('rebase', 'origin/main') || scene.settle(),
          () => scene.ok('reset', '--hard', 'origin/main'),
          () => scene.ok('merge', '--no-edit', 'origin/main') || scene.settle(),
        ])(),
      )
    },
  },
]
