// Commits made here, under any name and date.
import { join } from 'node:path'
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'

const edited = (scene: Scene): boolean => scene.editLines() || scene.editLines()

function inWorktree(scene: Scene, removed: boolean): boolean {
  const name = scene.newName('sub')
  const folder = join(scene.repo.root, `worktree-${name}`)
  const start = scene.random.pick(['HEAD', 'HEAD', ...scene.aheadRefs(/origin\/main|topic/).slice(0, 1)])
  if (!scene.ok('worktree', 'add', '-q', '-b', name, folder, start)) return false
  const git = (...args: string[]): string => scene.repo.git('-C', folder, ...args)
  for (let index = scene.random.between(1, 2); index > 0; index -= 1) {
    if (!scene.edit(['replace', 'insert', 'insert', 'delete-lines', 'create', 'delete'], 2, folder)) continue
    git('add', '-A')
    if (scene.repo.tryGit('-C', folder, 'commit', '-q', '-m', 'sub-agent work').status !== 0) continue
    scene.ledger.recordCommit(git('rev-parse', 'HEAD'), folder)
  }
  return scene.withCleanTree(() => {
    const done =
      scene.ok('merge', '--no-edit', ...(scene.random.chance(0.5) ? ['--no-ff'] : []), name) || scene.settle()
    if (removed) {
      scene.run('worktree', 'remove', '--force', folder)
      if (scene.random.chance(0.5)) scene.run('branch', '-D', name)
    }
    return done
  })
}

export const commits: Operation[] = [
  {
    kind: 'commit -a',
    run(scene) {
      if (scene.rows('diff', '--name-only', 'HEAD').length === 0 && !scene.edit(['replace', 'insert'])) return false
      return scene.ok('commit', '-a', '-m', 'tracked files')
    },
  },
  {
    kind: 'commit some paths',
    run(scene) {
      edited(scene)
      const path = scene.random.pickOrNull(scene.rows('diff', '--name-only', '--no-renames', 'HEAD'))
      return path !== null && scene.ok('commit', '-m', 'one path', '--', path)
    },
  },
  { kind: 'edit and commit', run: (scene) => edited(scene) && scene.commit('agent work') },
  {
    kind: 'several commits',
    run(scene) {
      let done = false
      for (let index = scene.random.between(2, 3); index > 0; index -= 1)
        done = (edited(scene) && scene.commit('agent work')) || done
      return done
    },
  },
  {
    kind: 'commit --author',
    run: (scene) => edited(scene) && scene.commit('by another name', ['--author=Nova Else <nova@example.org>']),
  },
  { kind: 'commit --date', run: (scene) => edited(scene) && scene.commit('dated', ['--date=2023-05-05T05:05:05Z']) },
  { kind: 'amend content', cards: 6, run: (scene) => edited(scene) && scene.amend() },
  {
    kind: 'amend the message',
    cards: 2,
    run: (scene) => scene.isClean() && scene.ok('commit', '--amend', '-m', 'better words'),
  },
  {
    kind: 'fixup and autosquash',
    cards: 5,
    run(scene) {
      if (scene.plainDepth(4) < 3 || !edited(scene)) return false
      const target = scene.random.pick(scene.ownLine(2))
      scene.repo.git('add', '-A')
      if (!scene.ok('commit', `--fixup=${target}`)) return false
      scene.ledger.recordCommit(scene.head(), scene.cwd)
      return scene.ok('rebase', '-i', '--autosquash', `${target}^`) || scene.settle()
    },
  },
  {
    kind: 'tag and detach',
    run(scene) {
      if (!scene.ok('tag', scene.newName('mark'))) return false
      if (!scene.ok('checkout', '--detach')) return false
      if (scene.random.chance(0.6) && edited(scene)) scene.commit('detached work')
      return scene.random.chance(0.5) ? scene.ok('switch', '-c', scene.newName('kept')) : true
    },
  },
  { kind: 'branch -m', run: (scene) => scene.branch() !== null && scene.ok('branch', '-m', scene.newName('renamed')) },
  {
    kind: 'branch -D',
    run(scene) {
      const name = scene.random.pickOrNull(scene.branches().filter((branch) => branch !== 'main'))
      if (name === null) return false
      if (scene.random.chance(0.4)) scene.withCleanTree(() => scene.ok('merge', '--no-edit', name) || scene.settle())
      return scene.ok('branch', '-D', name)
    },
  },
  { kind: 'worktree commit and merge', cards: 2, run: (scene) => inWorktree(scene, false) },
  { kind: 'worktree commit, merge, remove', run: (scene) => inWorktree(scene, true) },
]
