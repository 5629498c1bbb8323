// The harder kinds: each hides the agent's work under a careless rule.
import type { Content } from '../content.js'
import type { Scene } from '../scene.js'
import type { Operation } from './operation.js'
import { pushedWork, takenByForge } from './remote.js'
import { foreignCommit } from './replays.js'

/** The agent writes old content by hand: what stood there before is taken out. */
function writeBack(scene: Scene, paths: readonly string[], old: Content): boolean {
  return scene.hand((content) => {
    const done: string[] = []
    for (const path of paths) {
      const state = old.get(path)
      if (state === undefined) content.delete(path)
      else content.set(path, state)
      done.push(`writes ${path} back`)
    }
    return done
  })
}

function contentOf(scene: Scene, revision: string, paths: readonly string[]): Content {
  const content: Content = new Map()
  for (const path of paths) {
    const entry = scene.ask('ls-tree', revision, '--', path).split(/\s/)
    if (entry[0] !== '100644' && entry[0] !== '100755') continue
    const text = scene.repo.tryGit('show', `${revision}:${path}`).stdout
    content.set(path, { mode: entry[0], lines: text.replace(/\n$/, '').split('\n') })
  }
  return content
}

function leftOpen(scene: Scene, start: () => void): boolean {
  return scene.withCleanTree(() => {
    start()
    const stopped = scene.inProgress()
    if (stopped === null) return false
    for (const path of scene.unmerged()) scene.leaveUndecided(path, `conflict in ${stopped}, left open`)
    if (scene.random.chance(0.3)) scene.edit(['insert', 'create'], 1)
    scene.leftOpen = stopped
    return true
  })
}

export const harder: Operation[] = [
  {
    kind: 'look around, revert by hand',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        const depth = Math.min(scene.plainDepth(4) - 1, 3)
        if (depth < 1) return false
        const back = scene.random.between(1, depth)
        const paths = scene.rows('diff', '--name-only', '--no-renames', '--diff-filter=M', `HEAD~${back}`, 'HEAD')
        if (paths.length === 0) return false
        const here = scene.branch() ?? scene.head()
        const old = contentOf(scene, `HEAD~${back}`, paths)
        if (!scene.ok('checkout', '--detach', `HEAD~${back}`) || !scene.ok('checkout', here)) return false
        const chosen = scene.random.shuffled(paths).slice(0, 2)
        return writeBack(scene, chosen, old) && (scene.random.chance(0.3) || scene.commit('back to how it was'))
      }),
  },
  {
    kind: 'reset --soft, a file left out',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        const depth = Math.min(scene.plainDepth(4) - 1, 3)
        if (depth < 2) return false
        const back = scene.random.between(2, depth)
        const path = scene.random.pickOrNull(
          scene.rows('diff', '--name-only', '--no-renames', '--diff-filter=AM', `HEAD~${back}`, 'HEAD'),
        )
        if (path === null) return false
        if (!scene.ok('reset', '--soft', `HEAD~${back}`)) return false
        const before = scene.content()
        if (!scene.ok('reset', '-q', '--', path)) return false
        const existed = scene.ask('ls-tree', 'HEAD', '--', path) !== ''
        if (existed) scene.run('checkout', '--', path)
        else scene.run('clean', '-f', '-q', '--', path)
        scene.ledger.recordHand(before, scene.content(), 'agent', scene.cwd)
        const done = scene.ok('commit', '--allow-empty', '-m', 'squashed, one file left out')
        if (done) scene.ledger.recordCommit(scene.head(), scene.cwd)
        return done
      }),
  },
  {
    kind: 'amend back to an earlier version',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        // An earlier version of HEAD: an entry before a `commit (amend)`.
        const entries = scene.rows('log', '-g', '--format=%H %gs', 'HEAD')
        const at = entries.findIndex((row) => row.startsWith(scene.head()) && row.includes('(amend)'))
        const earlier = entries[at + 1]?.split(' ')[0]
        if (at === -1 || earlier === undefined) {
          // None yet: the agent makes one of HEAD as it is, by an amend and another one back.
          if (scene.plainDepth(1) < 1) return false
          const before = scene.content()
          if (!scene.editLines() || !scene.amend()) return false
          const paths = scene.rows('diff', '--name-only', '--no-renames', 'HEAD@{1}', 'HEAD')
          return writeBack(scene, scene.random.chance(0.5) ? paths : paths.slice(0, 1), before) && scene.amend()
        }
        const paths = scene.rows('diff', '--name-only', '--no-renames', earlier, 'HEAD')
        return paths.length > 0 && writeBack(scene, paths, contentOf(scene, earlier, paths)) && scene.amend()
      }),
  },
  {
    kind: 'checkout --orphan',
    cards: 2,
    run(scene) {
      if (!scene.ok('checkout', '--orphan', scene.newName('fresh'))) return false
      if (scene.random.chance(0.8)) scene.edit(['replace', 'insert', 'create', 'delete'])
      return scene.commit('a new root')
    },
  },
  {
    kind: 'filter-branch, messages',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(
        () =>
          scene.branch() !== null &&
          scene.plainDepth(3) >= 3 &&
          scene.ok('filter-branch', '-f', '--msg-filter', 'cat && echo filtered', 'HEAD~2..HEAD'),
      ),
  },
  {
    kind: 'filter-branch, trees',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        if (scene.branch() === null || scene.plainDepth(3) < 3) return false
        const before = scene.content()
        const path = scene.random.pickOrNull(
          [...before].filter(([, state]) => state.mode !== '120000').map(([name]) => name),
        )
        if (path === null) return false
        const line = scene.pen.line('agent')
        const done = scene.ok(
          'filter-branch',
          '-f',
          '--tree-filter',
          `test -f '${path}' && echo '${line}' >> '${path}' || true`,
          'HEAD~2..HEAD',
        )
        if (done) scene.ledger.recordHand(before, scene.content(), 'agent', scene.cwd)
        return done
      }),
  },
  {
    kind: 'filter-branch, identities',
    cards: 3,
    run: (scene) =>
      scene.withCleanTree(() => {
        if (scene.branch() === null || scene.plainDepth(3) < 3) return false
        if (scene.random.chance(0.6) && scene.editLines()) scene.commit('agent work')
        const filter = scene.random.pick([
          "export GIT_COMMITTER_DATE='1500000000 +0000'",
          "export GIT_AUTHOR_DATE='1500000000 +0000' GIT_COMMITTER_DATE='1500000000 +0000'",
          'export GIT_AUTHOR_NAME=Nobody GIT_AUTHOR_EMAIL=nobody@example.org',
        ])
        // A commit that lost its author and date cannot be told from a new one.
        if (filter.includes('AUTHOR'))
          for (const path of scene.rows('diff', '--name-only', '--no-renames', 'HEAD~2', 'HEAD'))
            scene.leaveUndecided(path, 'author rewritten', ['HEAD', 'HEAD~2'])
        return scene.ok('filter-branch', '-f', '--env-filter', filter, 'HEAD~2..HEAD')
      }),
  },
  {
    kind: 'push, squashed on the server, pull',
    cards: 4,
    run: (scene) =>
      scene.withCleanTree(() => {
        const name = pushedWork(scene)
        return name !== null && takenByForge(scene, name, 'squash')
      }),
  },
  {
    kind: 'work pushed from another clone, pull',
    cards: 2,
    run(scene) {
      const clone = scene.otherClone()
      clone.git('checkout', '-q', '-B', 'main', 'origin/main')
      if (!scene.editLines(2, clone.cwd)) return false
      clone.git('add', '-A')
      clone.git('commit', '-q', '-m', 'work from the other clone')
      if (clone.git('push', '-q', 'origin', 'HEAD:refs/heads/main').status !== 0) return false
      scene.ledger.recordCommit(scene.repo.git('-C', clone.cwd, 'rev-parse', 'HEAD'), clone.cwd)
      return scene.withCleanTree(
        () => scene.ok('pull', scene.random.pick(['--rebase', '--no-rebase']), 'origin', 'main') || scene.settle(),
      )
    },
  },
  {
    kind: 'backdated commit',
    cards: 2,
    run(scene) {
      if (!scene.editLines()) return false
      const date = scene.random.pick(['2023-03-03T03:03:03Z', '2024-01-01T12:00:00Z'])
      return scene.commit('backdated', [`--date=${date}`], { env: { GIT_COMMITTER_DATE: date } })
    },
  },
  {
    kind: 'plumbing commit',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        if (!scene.editLines()) return false
        scene.repo.git('add', '-A')
        const made = scene.ask('commit-tree', scene.ask('write-tree'), '-p', 'HEAD', '-m', 'by plumbing')
        if (
          made === '' ||
          !scene.ok('update-ref', ...(scene.random.chance(0.5) ? ['-m', 'by hand'] : []), 'HEAD', made)
        )
          return false
        scene.ledger.recordCommit(made, scene.cwd)
        return true
      }),
  },
  {
    kind: 'plumbing of existing content',
    cards: 2,
    run: (scene) =>
      scene.withCleanTree(() => {
        const commit = foreignCommit(scene)
        if (commit === null) return false
        return scene.undecided(() => {
          const tree = `${commit}^{tree}`
          const made = scene.random.chance(0.5)
            ? commit
            : scene.ask('commit-tree', tree, '-p', 'HEAD', '-m', 'existing tree')
          return scene.ok('update-ref', 'HEAD', made) && scene.ok('reset', '-q', '--hard')
        })
      }),
  },
  {
    kind: 'merge left open',
    cards: 4,
    run: (scene) =>
      leftOpen(scene, () => {
        const name = scene.random.pickOrNull(scene.aheadRefs())
        if (name !== null) scene.run('merge', ...(scene.random.chance(0.4) ? ['--no-commit', '--no-ff'] : []), name)
      }),
  },
  {
    kind: 'rebase left open',
    cards: 2,
    run: (scene) =>
      leftOpen(scene, () => {
        const name = scene.random.pickOrNull(scene.aheadRefs(/main|topic|feature/))
        if (name !== null) scene.run('rebase', name)
        if (scene.inProgress() === null && scene.plainDepth(3) >= 3) {
          scene.runWith(
            {
              env: {
                GIT_SEQUENCE_EDITOR: scene.editorOf(
                  scene
                    .ownLine(2)
                    .reverse()
                    .map((oid) => `edit ${oid}`)
                    .join('\n'),
                ),
              },
            },
            'rebase',
            '-i',
            'HEAD~2',
          )
        }
      }),
  },
  {
    kind: 'cherry-pick left open',
    cards: 4,
    // What the stopped pick brought cleanly is neither committed nor written by anybody in the turn.
    run: (scene) =>
      scene.undecided(() =>
        leftOpen(scene, () => {
          for (let tries = 0; tries < 4 && scene.inProgress() === null; tries += 1) {
            const commit = foreignCommit(scene)
            if (commit === null || scene.random.chance(0.2)) return
            scene.run('cherry-pick', commit)
          }
        }),
      ),
  },
  {
    kind: 'several pieces reverted by hand',
    cards: 4,
    run: (scene) =>
      scene.withCleanTree(() => {
        const past = scene.rows('log', '--no-merges', '--min-parents=1', '--max-count=6', '--format=%H')
        const commit = scene.random.pickOrNull(past)
        if (commit === null) return false
        const paths = scene.rows('diff', '--name-only', '--no-renames', '--diff-filter=M', `${commit}^`, commit)
        const untouched = paths.filter(
          (path) => scene.rows('diff', '--name-only', commit, 'HEAD', '--', path).length === 0,
        )
        if (untouched.length === 0) return false
        return (
          writeBack(scene, untouched, contentOf(scene, `${commit}^`, untouched)) && scene.commit('an old state by hand')
        )
      }),
  },
]

/** Kinds after which the turn is over. */
export const endings = new Set(['merge left open', 'rebase left open', 'cherry-pick left open'])
