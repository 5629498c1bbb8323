// Public reports of agent work lost, or the user's work charged to the agent. Each bears the number of its case.
import { describe, expect, it } from 'vitest'
import { ask, playTurn } from '../scenarios/play.js'
import type { Checkpoint } from '../support/addon.js'
import { colleague } from '../support/git.js'
import { lines, TurnRepository } from '../support/turn-repository.js'

describe('C04: the agent commits its own work, and it is still shown', () => {
  const variants: Record<string, (repo: TurnRepository) => unknown> = {
    'one commit': (repo) => repo.create('n', 'agent\n').commit('agent'),
    'several commits': (repo) => {
      repo.create('n', 'first\n').commit('one')
      repo.write('n', 'agent\n').commit('two')
    },
    'commit and push': (repo) => {
      repo.create('n', 'agent\n').commit('agent')
      repo.push('main')
    },
    "with someone else's author name": (repo) => repo.create('n', 'agent\n').commit('agent', { author: colleague }),
  }
  for (const [name, story] of Object.entries(variants)) {
    it(`${name}: n +1 -0, none demoted`, async () => {
      const repo = TurnRepository.create({ base: 'b\n' })
      const turn = await playTurn(repo, () => story(repo))
      turn.toShow([{ path: 'n', kind: 'added', additions: 1, deletions: 0 }]).toDemote(0)
      expect(repo.nameStatus(turn.request.from.ref, turn.request.to.ref)).toEqual(new Map([['n', 'A']]))
    })
  }
})

describe('C08: a file both pulled and edited in one turn', () => {
  it('committed and rebased: n.ts and shared are shown with the lines of the agent, a is demoted', async () => {
    const repo = TurnRepository.create({ shared: lines(30), a: 'a\n' })
    repo.teammate.push({ shared: lines(30).replace('line 1\n', 'theirs\n'), a: 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.edit('shared', 20, 'mine').create('n.ts', 'n\n').commit('mine')
      expect(repo.pull({ mode: 'rebase' }).status).toBe(0)
    })
    turn.toShow(['n.ts', { path: 'shared', additions: 1, deletions: 1, mixed: false }]).toDemote(1)
    const { additions, deletions } = repo.numstat(turn.request.from.ref, turn.request.to.ref).get('shared') ?? {}
    expect([additions, deletions]).toEqual([2, 2])
  })

  it('an uncommitted edit on top of a pulled file', async () => {
    const repo = TurnRepository.create({ shared: lines(30), a: 'a\n' })
    repo.teammate.push({ shared: lines(30).replace('line 1\n', 'theirs\n'), a: 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.edit('shared', 20, 'mine')
    })
    turn.toShow([{ path: 'shared', additions: 1, deletions: 1 }]).toDemote(1)
  })
})

describe('C10: a conflict that the agent resolves', () => {
  it('(a) in a cherry-pick: f +1 -1', async () => {
    const repo = TurnRepository.create({ f: lines(5) })
    repo.switchNew('other').edit('f', 3, 'other').commit('other')
    repo.checkout('main')
    repo.edit('f', 3, 'local').commit('local')
    const turn = await playTurn(repo, () => {
      expect(repo.cherryPick('other').status).not.toBe(0)
      repo.resolve('f', lines(5).replace('line 3\n', 'local and other\n'))
      expect(repo.proceed('cherry-pick').status).toBe(0)
    })
    turn.toShow([{ path: 'f', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('(b) in a pull --rebase: f is shown, other demoted', async () => {
    const repo = TurnRepository.create({ f: lines(20), other: 'o\n' })
    repo.edit('f', 10, 'local').commit('local')
    repo.teammate.push({ f: lines(20).replace('line 10\n', 'theirs\n'), other: 'o\ntheirs\n' })
    const turn = await playTurn(repo, () => {
      expect(repo.pull({ mode: 'rebase' }).status).not.toBe(0)
      repo.resolve('f', lines(20).replace('line 10\n', 'local and theirs\n'))
      expect(repo.proceed('rebase').status).toBe(0)
    })
    turn.toShow(['f']).toDemote(1)
  })

  it('(c) none in a clean cherry-pick of an old commit: demoted', async () => {
    const repo = TurnRepository.create({ f: lines(5), g: 'g\n' })
    repo.switchNew('other').edit('f', 3, 'other').commit('other')
    repo.checkout('main')
    repo.write('g', 'local\n').commit('local')
    const turn = await playTurn(repo, () => expect(repo.cherryPick('other').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })
})

describe('C11: an amend of white space alone is no replay', () => {
  const forms: [string, string, string][] = [
    ['code', 'y;\n', '  y;\n'],
    ['Python', 'if x:\n  y()\nz()\n', 'if x:\n  y()\n  z()\n'],
    ['YAML', 'a:\n  b: 1\nc: 2\n', 'a:\n  b: 1\n  c: 2\n'],
    ['a Makefile', 'all:\n        echo\n', 'all:\n\techo\n'],
  ]
  for (const [name, before, after] of forms) {
    it(`${name}: +1 -1`, async () => {
      const repo = TurnRepository.create({ base: 'b\n' })
      repo.create('f', before).commit('earlier')
      const turn = await playTurn(repo, () => repo.write('f', after).amend())
      turn.toShow([{ path: 'f', additions: 1, deletions: 1 }]).toDemote(0)
    })
  }
})

describe('C14: the user commits or edits while idle', () => {
  function idle(): TurnRepository {
    const repo = TurnRepository.create({ 'README.md': lines(3), 'a.ts': 'a\n' })
    return repo
  }

  it('with the snapshot of the start of the turn: nothing shown, nothing demoted', async () => {
    const repo = idle()
    await repo.startTurn()
    repo.append('README.md', 'one\ntwo\n').commit('of the user')
    const turn = await playTurn(repo, () => undefined)
    turn.toShowNothing().toDemote(0)
  })

  for (const pinned of [true, false]) {
    const how = pinned ? 'with pins' : 'without pins'
    it(`with the end of the turn before and the time of the start, ${how}: the commit of before is demoted`, async () => {
      const repo = idle()
      const end = await repo.startTurn()
      const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()
      // The turn before ended an hour ago.
      const env = { GIT_COMMITTER_DATE: ago(60) }
      const snapshot = repo.gitWith({ env }, 'commit-tree', `${end.ref}^{tree}`, '-m', 'an hour ago')
      repo.append('README.md', 'one\ntwo\n').commit('of the user', { date: ago(30), committerDate: ago(30) })
      const from = { ...end, ref: snapshot, turnStartedAt: Date.now() }
      repo.append('a.ts', 'mine\n').commit('of the agent')
      const backdated = repo.create('b.ts', 'mine\n').commit('of the agent', { date: ago(20), committerDate: ago(20) })
      const to = await repo.endTurn()
      const withoutPin = ({ pin: _, ...checkpoint }: Checkpoint): Checkpoint => checkpoint
      const [first, last] = pinned ? [from, to] : [withoutPin(from), withoutPin(to)]
      expect(backdated).toBe(to.headOid)
      const turn = await ask(repo, { cwd: repo.cwd, from: first, to: last })
      turn.toShow(['a.ts', 'b.ts']).toDemote(1)
      // Where the start is not told, the commit counts as the turn's.
      const { turnStartedAt: _, ...untold } = first
      const doubtful = await ask(repo, { cwd: repo.cwd, from: untold, to: last })
      doubtful.toShow(['README.md', 'a.ts', 'b.ts']).toDemote(0)
    })
  }

  it('an uncommitted edit of the idle user is shown where the host has no snapshot of the start', async () => {
    const repo = idle()
    const end = await repo.startTurn()
    repo.append('README.md', 'one\ntwo\n')
    const turn = await ask(repo, { cwd: repo.cwd, from: end, to: await repo.endTurn() })
    turn.toShow([{ path: 'README.md', additions: 2, deletions: 0 }]).toDemote(0)
  })
})

describe('C15: a turn in a dirty checkout', () => {
  const names = Array.from({ length: 13 }, (_, at) => `f${at}.ts`)

  function dirty(): TurnRepository {
    const repo = TurnRepository.create(Object.fromEntries(names.map((name) => [name, lines(5)])))
    for (const name of names) repo.edit(name, 2, 'of the user')
    return repo
  }

  it('that only reads: nothing shown', async () => {
    const repo = dirty()
    ;(await playTurn(repo, () => undefined)).toShowNothing().toDemote(0).toBeUnmoved()
  })

  it('that edits one of the thirteen: that one, with the lines of the agent', async () => {
    const repo = dirty()
    const turn = await playTurn(repo, () => repo.edit('f7.ts', 4, 'mine'))
    turn.toShow([{ path: 'f7.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('that commits all thirteen unchanged: nothing shown although HEAD moved', async () => {
    const repo = dirty()
    const turn = await playTurn(repo, () => repo.git('commit', '-q', '-a', '-m', 'all'))
    turn.toShowNothing().toDemote(0).toBeAttributed()
  })
})

describe('C35: two agents in one checkout', () => {
  it('cannot be told apart: everything is shown', async () => {
    const repo = TurnRepository.create({ 'x.ts': 'x\n' })
    const turn = await playTurn(repo, () => {
      repo.create('other.ts', 'other\n').commit('of the other process')
      repo.create('o2.ts', 'o2\n').append('x.ts', 'mine\n')
    })
    turn.toShow(['x.ts', 'o2.ts', 'other.ts']).toDemote(0)
  })
})

describe('C36: the turn ends in the middle of a merge or rebase', () => {
  it('(a) a merge: z is demoted, f with its markers shown, the operation named', async () => {
    const repo = TurnRepository.create({ f: 'f\n', z: 'z\n' })
    repo.switchNew('side').write('f', 'side\n').write('z', 'side\n').commit('side')
    repo.checkout('main')
    repo.write('f', 'main\n').commit('main')
    const turn = await playTurn(repo, () => expect(repo.merge('side').status).not.toBe(0))
    turn.toShow([{ path: 'f', additions: 4, deletions: 0 }]).toDemote(1)
    expect(turn.result.operationInProgress).toBe('merge')
    expect(turn.request.from.headOid).toBe(turn.request.to.headOid)
  })

  it('(a) without a pin, MERGE_HEAD is not known: z is shown too', async () => {
    const repo = TurnRepository.create({ f: 'f\n', z: 'z\n' })
    repo.switchNew('side').write('f', 'side\n').write('z', 'side\n').commit('side')
    repo.checkout('main')
    repo.write('f', 'main\n').commit('main')
    const turn = await playTurn(repo, () => repo.merge('side'), {
      change: ({ from: { pin: _from, ...from }, to: { pin: _to, ...to }, ...request }) => ({ ...request, from, to }),
    })
    turn.toShow(['f', 'z']).toDemote(0)
  })

  it('(b) a rebase: u is demoted, f shown, the branch is the one being rebased', async () => {
    const repo = TurnRepository.create({ f: 'f\n' })
    repo.switchNew('t').write('f', 't\n').commit('t')
    repo.checkout('main')
    repo.write('f', 'main\n').create('u', 'u\n').commit('main')
    repo.checkout('t')
    const turn = await playTurn(repo, () => expect(repo.rebase('main').status).not.toBe(0))
    turn.toShow(['f']).toDemote(1)
    expect(turn.result.branchTransition).toMatchObject({ fromBranch: 't', toBranch: 't' })
    expect(turn.result.operationInProgress).toBe('rebase')
  })
})
