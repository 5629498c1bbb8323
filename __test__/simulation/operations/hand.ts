// What the agent writes with its own hand, and with its tools.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Content, type FileState, identity } from '../content.js'
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'

const texts = (content: Content, least = 4): string[] =>
  [...content].filter(([, state]) => state.mode !== '120000' && state.lines.length >= least).map(([path]) => path)

/** Writes every line anew, but the first, by which the file is known. */
function rewrite(scene: Scene, content: Content, path: string): string {
  const state = content.get(path) as FileState
  content.set(path, { mode: state.mode, lines: [identity(state), ...scene.pen.lines('agent', state.lines.length - 1)] })
  return `rewrites ${path}`
}

export const hand: Operation[] = [
  { kind: 'edit lines', run: (scene) => scene.edit(['replace', 'replace', 'insert']) },
  { kind: 'delete lines', run: (scene) => scene.edit(['delete-lines']) },
  { kind: 'create files', run: (scene) => scene.edit(['create']) },
  { kind: 'delete a file', run: (scene) => scene.edit(['delete'], 1) },
  {
    kind: 'git mv',
    run(scene) {
      const path = scene.random.pickOrNull(
        scene.rows('ls-files').filter((name) => scene.content().has(name) && name.includes('/')),
      )
      if (path === null) return false
      const target = scene.pen.newPath()
      return (
        scene.hand((content) => {
          content.set(target, content.get(path) as FileState)
          content.delete(path)
          return `git mv ${path} ${target}`
        }) && scene.ok('add', '-A', '--', path, target)
      )
    },
  },
  {
    kind: 'move and edit',
    run: (scene) =>
      scene.hand((content) => {
        const path = scene.random.pickOrNull(texts(content, 8))
        if (path === null) return null
        const target = scene.pen.newPath()
        const state = content.get(path) as FileState
        const lines = [...state.lines]
        lines.splice(3, 1, ...scene.pen.lines('agent', 2))
        content.delete(path)
        content.set(target, { mode: state.mode, lines })
        return `moves ${path} to ${target} and edits it`
      }),
  },
  { kind: 'chmod', run: (scene) => scene.edit(['chmod'], 1) },
  {
    kind: 'symlink',
    run: (scene) =>
      scene.hand((content) => {
        const path = scene.random.chance(0.3) ? 'current' : `links/${scene.newName('link')}`
        content.set(path, { mode: '120000', lines: [scene.pen.line('agent')] })
        return `links ${path}`
      }),
  },
  {
    kind: 'formatter',
    run: (scene) =>
      scene.hand((content) => {
        const paths = scene.random.shuffled(texts(content)).slice(0, scene.random.between(1, 3))
        return paths.map((path) => rewrite(scene, content, path))
      }),
  },
  {
    kind: 'lockfile',
    run: (scene) =>
      scene.hand((content) => (content.has('package-lock.json') ? rewrite(scene, content, 'package-lock.json') : null)),
  },
  {
    kind: 'rename a folder',
    run: (scene) =>
      scene.hand((content) => {
        const folder = scene.random.pick(['src/util', 'lib', 'docs'])
        const inside = [...content.keys()].filter((path) => path.startsWith(`${folder}/`))
        if (inside.length === 0) return null
        const target = `${scene.newName('moved')}`
        // Git may carry files that others add to the old folder over to the new one.
        scene.ledger.leaveUndecided(`${folder}/`, 'folder renamed by the agent')
        scene.ledger.leaveUndecided(`${target}/`, 'folder renamed by the agent')
        for (const path of inside) {
          content.set(path.replace(folder, target), content.get(path) as FileState)
          content.delete(path)
        }
        return `renames ${folder}/ to ${target}/`
      }),
  },
  {
    kind: 'git apply',
    cards: 2,
    run(scene) {
      // The patch is made of an edit that is taken back, so that git is what writes it.
      if (!scene.isClean()) return false
      const before = scene.content()
      if (!scene.editLines()) return false
      scene.repo.git('add', '-A')
      const patch = `${scene.ask('diff', '--cached', '--binary', '--full-index', 'HEAD')}\n`
      const after = scene.content()
      scene.repo.git('reset', '-q', '--hard')
      writeFileSync(join(scene.repo.env.HOME, 'new.patch'), patch)
      const done = scene.ok('apply', join(scene.repo.env.HOME, 'new.patch'))
      scene.ledger.recordHand(before, after, 'agent', scene.cwd)
      return done
    },
  },
  {
    kind: 'apply an old patch',
    cards: 2,
    run(scene) {
      const commit = scene.random.pickOrNull(
        scene.rows('rev-list', '--no-merges', '--max-count=12', '--all', '--not', 'HEAD', '--glob=refs/t3'),
      )
      if (commit === null) return false
      const patch = scene.repo.tryGit('show', '--binary', '--full-index', '--format=', commit).stdout
      writeFileSync(join(scene.repo.env.HOME, 'old.patch'), patch)
      return scene.undecided(
        () =>
          scene.ok('apply', ...(scene.random.chance(0.3) ? ['--3way'] : []), join(scene.repo.env.HOME, 'old.patch')) ||
          scene.settleUnmerged(),
      )
    },
  },
  {
    kind: 'restore a path',
    cards: 5,
    run(scene) {
      const path = scene.random.pickOrNull(scene.rows('diff', '--name-only', '--no-renames'))
      if (path === null) return false
      return scene.undecided(() =>
        scene.random.chance(0.5) ? scene.ok('restore', '--', path) : scene.ok('checkout', '--', path),
      )
    },
  },
  {
    kind: 'checkout a path of another branch',
    run(scene) {
      const from = scene.random.pickOrNull(scene.branches().filter((name) => name !== 'vendor'))
      if (from === null) return false
      const path = scene.random.pickOrNull(
        scene.rows('diff', '--name-only', '--no-renames', '--diff-filter=AM', 'HEAD', from),
      )
      if (path === null) return false
      return scene.undecided(() => scene.ok('checkout', from, '--', path))
    },
  },
]
