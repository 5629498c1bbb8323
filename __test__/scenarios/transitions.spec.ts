// From which branch to which, what kind of move, and how it is put in words.
import { describe, expect, it } from 'vitest'
import { addon, type TurnAttribution } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn } from './play.js'

type Kind = TurnAttribution['branchTransition']['kind']

interface Move {
  kind: Kind
  label: string
  branches?: [string | null, string | null]
  story: (repo: TurnRepository) => unknown
  before?: (repo: TurnRepository) => unknown
  actions?: string[]
}

/** `feature` and `origin/main` each hold a commit more than `main`. */
function prepared(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'b\n' })
  repo.create('second.ts', 's\n').commit('second')
  repo.push('main')
  repo.switchNew('feature').create('f.ts', 'f\n').commit('feature')
  repo.checkout('main')
  repo.teammate.push({ 'up.ts': 'up\n' })
  return repo
}

const localCommit = (repo: TurnRepository) => repo.create('l.ts', 'l\n').commit('local')

const moves: Record<string, Move> = {
  'an edit, no move': {
    kind: 'none',
    label: 'Updated via git (main → main)',
    story: (repo) => repo.edit('b.ts', 1, 'x'),
    actions: [],
  },
  'a pull by fast-forward': {
    kind: 'fast-forward',
    label: 'Pulled origin/main',
    story: (repo) => repo.pull(),
    actions: ['pull'],
  },
  'a pull that names remote and branch': {
    kind: 'fast-forward',
    label: 'Pulled origin/main',
    story: (repo) => repo.git('pull', '-q', '--ff-only', 'origin', 'main'),
  },
  'a pull by merge': {
    kind: 'merge',
    label: 'Pulled origin/main',
    before: localCommit,
    story: (repo) => repo.pull({ mode: 'merge' }),
    actions: ['pull'],
  },
  'a pull by rebase': {
    kind: 'rewrite',
    label: 'Pulled origin/main',
    before: localCommit,
    story: (repo) => repo.pull({ mode: 'rebase' }),
    actions: ['pull'],
  },
  'a rebase onto the remote': {
    kind: 'rewrite',
    label: 'Rebased onto origin/main',
    before: (repo) => repo.fetch().checkout('feature'),
    branches: ['feature', 'feature'],
    story: (repo) => repo.rebase('origin/main'),
    actions: ['rebase'],
  },
  'a switch': {
    kind: 'switch',
    label: 'Switched main → feature',
    branches: ['main', 'feature'],
    story: (repo) => repo.checkout('feature'),
    actions: ['checkout'],
  },
  'a merge': {
    kind: 'merge',
    label: 'Merged feature',
    before: localCommit,
    story: (repo) => repo.merge('feature'),
    actions: ['merge'],
  },
  'a merge by fast-forward': {
    kind: 'fast-forward',
    label: 'Merged feature',
    story: (repo) => repo.merge('feature'),
  },
  'a reset to an older commit': {
    kind: 'rewind',
    label: 'Reset to HEAD~1',
    story: (repo) => repo.reset('hard', 'HEAD~1'),
    actions: ['reset'],
  },
  'a reset to the remote': {
    kind: 'fast-forward',
    label: 'Reset to origin/main',
    before: (repo) => repo.fetch(),
    story: (repo) => repo.reset('hard', 'origin/main'),
  },
  'a cherry-pick': {
    kind: 'fast-forward',
    label: 'Cherry-picked',
    before: localCommit,
    story: (repo) => repo.cherryPick('feature'),
    actions: ['cherry-pick'],
  },
  'an amend': {
    kind: 'rewrite',
    label: 'Updated via git (main → main)',
    before: localCommit,
    story: (repo) => repo.edit('b.ts', 1, 'x').amend(),
    actions: ['amend'],
  },
  'a commit': {
    kind: 'fast-forward',
    label: 'Updated via git (main → main)',
    story: (repo) => repo.edit('b.ts', 1, 'x').commit('x'),
    actions: ['commit'],
  },
  'a detached head': {
    kind: 'detach',
    label: '',
    branches: ['main', null],
    story: (repo) => repo.checkout('--detach', 'HEAD~1'),
  },
  'back onto a branch': {
    kind: 'attach',
    label: '',
    branches: [null, 'feature'],
    before: (repo) => repo.checkout('--detach', 'HEAD~1'),
    story: (repo) => repo.checkout('feature'),
  },
  'a branch renamed, with a commit': {
    kind: 'rename',
    label: '',
    branches: ['main', 'trunk'],
    story: (repo) => {
      repo.branch('-m', 'trunk')
      repo.edit('b.ts', 1, 'x').commit('x')
    },
  },
  'a branch renamed': {
    kind: 'rename',
    label: '',
    branches: ['main', 'trunk'],
    story: (repo) => repo.branch('-m', 'trunk'),
  },
  'several moves at once': {
    kind: 'switch',
    label: 'Updated via git (main → feature)',
    branches: ['main', 'feature'],
    story: (repo) => {
      repo.pull()
      repo.checkout('feature').merge('main')
    },
    actions: ['pull', 'checkout', 'merge'],
  },
}

describe('a move in words', () => {
  for (const [name, { kind, label, branches, before, story, actions }] of Object.entries(moves)) {
    it(`${name}: ${kind}${label === '' ? '' : `, "${label}"`}`, async () => {
      const repo = prepared()
      before?.(repo)
      const turn = await playTurn(repo, () => story(repo))
      const { branchTransition } = turn.result
      const [fromBranch, toBranch] = branches ?? ['main', 'main']
      expect(branchTransition).toMatchObject({ kind, fromBranch, toBranch })
      expect(branchTransition.fromHead).toBe(turn.request.from.headOid)
      expect(branchTransition.toHead).toBe(turn.request.to.headOid)
      if (label !== '') expect(branchTransition.label).toBe(label)
      expect(branchTransition.label).toMatch(/\w/)
      expect(addon().transitionLabel(turn.result)).toBe(branchTransition.label)
      if (actions !== undefined) expect(branchTransition.actions.map((action) => action.action)).toEqual(actions)
    })
  }

  it('a head that was not recorded: unknown', async () => {
    const repo = prepared()
    const turn = await playTurn(repo, () => repo.pull(), {
      change: ({ from: { headOid: _, ...from }, ...request }) => ({ ...request, from }),
    })
    turn.toDegrade('head-not-recorded').toMove('unknown')
  })
})
