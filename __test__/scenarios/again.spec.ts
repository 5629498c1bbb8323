// Asked again, much later. Every scenario is asked again after three more turns, `reflog expire` and `gc` (see
// play.ts); here the answers themselves are looked at, and what `gc --prune=now` and a lost branch leave of them.
import { describe, expect, it } from 'vitest'
import { type AttributeTurnRequest, addon } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, expectNothingHidden, recordTurn, verdictOf } from './play.js'

interface Story {
  before?: (repo: TurnRepository) => unknown
  turn: (repo: TurnRepository) => unknown
  shown: string[]
  demoted: number
}

/** `topic` with two commits is one behind `main`; upstream is one ahead of both. */
function prepared(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(9), 'c.ts': 'c\n' })
  repo.switchNew('topic').edit('a.ts', 3, 'topic').commit('topic one')
  repo.create('t.ts', 't\n').commit('topic two')
  repo.checkout('main').edit('b.ts', 2, 'main').commit('main')
  repo.push('main')
  repo.teammate.push({ 'up.ts': 'up\n' })
  return repo
}

const stories: Record<string, Story> = {
  'a pull and an edit': {
    turn: (repo) => {
      repo.pull()
      repo.edit('c.ts', 1, 'mine')
    },
    shown: ['c.ts'],
    demoted: 1,
  },
  'a commit': { turn: (repo) => repo.edit('a.ts', 9, 'mine').commit('mine'), shown: ['a.ts'], demoted: 0 },
  'an amend': { turn: (repo) => repo.edit('a.ts', 9, 'mine').amend(), shown: ['a.ts'], demoted: 0 },
  'an amend back to an earlier version': {
    before: (repo) => repo.edit('c.ts', 1, 'one').commit('c') && repo.edit('c.ts', 1, 'two').amend(),
    turn: (repo) => repo.edit('c.ts', 1, 'one').amend(),
    shown: ['c.ts'],
    demoted: 0,
  },
  'a rebase and a commit': {
    before: (repo) => repo.checkout('topic'),
    turn: (repo) => {
      repo.edit('a.ts', 20, 'mine').commit('mine')
      repo.rebase('main')
    },
    shown: ['a.ts'],
    demoted: 1,
  },
  'a merge with an edit slipped in': {
    turn: (repo) => {
      repo.merge('topic', '--no-commit')
      repo.edit('c.ts', 1, 'mine').commit('merged')
    },
    shown: ['c.ts'],
    demoted: 2,
  },
  'a switch and a commit': {
    turn: (repo) => {
      repo.checkout('topic')
      repo.edit('c.ts', 1, 'mine').commit('mine')
    },
    shown: ['c.ts'],
    demoted: 3,
  },
  'a cherry-pick': { turn: (repo) => repo.cherryPick('topic~1'), shown: [], demoted: 1 },
  'a soft reset that leaves a change out': {
    before: (repo) => repo.checkout('topic'),
    turn: (repo) => {
      repo.reset('soft', 'HEAD~2')
      repo.remove('t.ts').commit('topic, in one')
    },
    shown: ['t.ts'],
    demoted: 0,
  },
  'an orphan branch': {
    turn: (repo) => repo.orphan('fresh').remove('b.ts').edit('c.ts', 1, 'mine').commit('root'),
    shown: ['b.ts', 'c.ts'],
    demoted: 0,
  },
  'a sub-agent in a worktree since removed': {
    turn: (repo) => {
      const sub = repo.worktree('sub')
      sub.edit('c.ts', 1, 'sub').commit('sub')
      repo.merge('sub')
      repo.worktreeRemove(sub).branch('-D', 'sub')
    },
    shown: ['c.ts'],
    demoted: 0,
  },
  'a merge left open': {
    before: (repo) => repo.edit('a.ts', 3, 'main').commit('conflicts'),
    turn: (repo) => repo.merge('topic'),
    shown: ['a.ts'],
    demoted: 1,
  },
  'a revert by hand after a look around': {
    turn: (repo) => {
      repo.checkout('HEAD~1').checkout('main')
      repo.write('b.ts', lines(9)).commit('back')
    },
    shown: ['b.ts'],
    demoted: 0,
  },
}

for (const [name, { before, turn, shown, demoted }] of Object.entries(stories)) {
  describe(name, () => {
    async function first(): Promise<{ repo: TurnRepository; request: AttributeTurnRequest }> {
      const repo = prepared()
      before?.(repo)
      return { repo, request: await recordTurn(repo, () => turn(repo)) }
    }

    it('is answered the same after three more turns, and hides nothing when the logs are gone', async () => {
      const { repo, request } = await first()
      const asked = await ask(repo, request)
      asked.toShow(shown).toDemote(demoted)
    })

    it('hides nothing when only the logs of branches are gone', async () => {
      const { repo, request } = await first()
      const asked = await ask(repo, request, { askLater: false })
      for (const branch of ['topic', 'main', 'fresh']) {
        repo.tryGit('reflog', 'expire', '--expire=now', `refs/heads/${branch}`)
      }
      const later = await addon().attributeTurn(asked.request)
      for (const path of shown) expect(verdictOf(later, path)).toBe('shown')
    })

    it('hides nothing when all that is unreachable is pruned', async () => {
      const { repo, request } = await first()
      const asked = await ask(repo, request, { askLater: false })
      repo.tryGit('merge', '--abort')
      repo.checkout('-f', '--detach', 'main')
      for (const branch of ['topic', 'fresh']) repo.tryGit('branch', '-D', branch)
      repo.git('reflog', 'expire', '--expire=now', '--all')
      repo.git('gc', '-q', '--prune=now')
      const later = await addon().attributeTurn(asked.request)
      expectNothingHidden(asked.result, later, 'after gc --prune=now')
    })
  })
}
