// Merges of every shape.
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'

const side = (scene: Scene, pattern = /main|topic|feature|spike|stack/): string | null =>
  scene.random.pickOrNull(scene.aheadRefs(pattern))

const merged = (scene: Scene, name: string | null, ...flags: string[]): boolean =>
  name !== null && (scene.ok('merge', '--no-edit', ...flags, name) || (scene.inProgress() !== null && scene.settle()))

export const merges: Operation[] = [
  { kind: 'merge', run: (scene) => scene.withCleanTree(() => merged(scene, side(scene))) },
  { kind: 'merge --no-ff', run: (scene) => scene.withCleanTree(() => merged(scene, side(scene), '--no-ff')) },
  {
    kind: 'merge into a dirty tree',
    run: (scene) =>
      scene.isClean() && !scene.edit(['replace', 'insert', 'create'], 1) ? false : merged(scene, side(scene)),
  },
  {
    kind: 'octopus',
    cards: 7,
    run: (scene) =>
      scene.withCleanTree(() => {
        const heads = scene.random.shuffled(scene.aheadRefs(/topic|spike|stack-two|origin\/main/)).slice(0, 2)
        if (heads.length < 2) return false
        const before = scene.content()
        if (scene.ok('merge', '--no-edit', ...heads)) return true
        // Git does no octopus with a conflict, and may leave files behind.
        scene.run('reset', '--hard')
        scene.ledger.recordUndecided(before, scene.content())
        return false
      }),
  },
  {
    kind: 'merge -s ours',
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = side(scene)
        if (name === null) return false
        const base = scene.ask('merge-base', 'HEAD', name)
        const dropped = base === '' ? [] : scene.rows('diff', '--name-only', '--no-renames', base, name)
        for (const path of dropped) scene.leaveUndecided(path, 'dropped by merge -s ours', [base, name])
        return merged(scene, name, '-s', 'ours')
      }),
  },
  {
    kind: 'merge -X',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = side(scene)
        if (name === null) return false
        scene.undecidedWhereBothChanged('HEAD', name, 'merge -X may pick lines by itself')
        return merged(scene, name, '-X', scene.random.pick(['theirs', 'ours']))
      }),
  },
  {
    kind: 'merge --squash',
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = side(scene)
        if (name === null) return false
        return (
          scene.undecided(() => scene.ok('merge', '--squash', name) || scene.settleUnmerged()) &&
          scene.commit('squash merge')
        )
      }),
  },
  {
    kind: 'merge --no-commit with an edit',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = side(scene)
        if (name === null) return false
        if (!scene.ok('merge', '--no-commit', '--no-ff', name)) return scene.inProgress() !== null && scene.settle()
        scene.edit(['replace', 'insert', 'delete-lines', 'create'])
        return scene.commit('merge with an edit')
      }),
  },
  {
    kind: 'subtree',
    run: (scene) =>
      scene.withCleanTree(() => {
        const vendor = ['vendor', 'origin/vendor'].find((name) => scene.ask('rev-parse', '-q', '--verify', name) !== '')
        const folder = `vendor-${scene.newName('kit')}`
        if (vendor === undefined) return false
        return scene.undecided(() => {
          if (
            !scene.ok('merge', '-s', 'ours', '--no-commit', '--allow-unrelated-histories', vendor) &&
            scene.inProgress() === null
          )
            return false
          if (scene.inProgress() === null) return false
          return scene.ok('read-tree', `--prefix=${folder}/`, '-u', vendor) && scene.ok('commit', '-m', 'subtree')
        })
      }),
  },
]
