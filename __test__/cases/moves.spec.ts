// Public reports of moved content charged to the agent. Each bears the number of its case.
import { describe, expect, it } from 'vitest'
import { ask, playTurn, verdictOf } from '../scenarios/play.js'
import { addon, type Checkpoint } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'

describe('C01: a pull between two turns', () => {
  it('is not charged to a turn that edited nothing, whose start is the end of the turn before', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.ts': 'b\n', 'c.ts': 'c\n' })
    repo.teammate.push({ 'a.ts': lines(9, 'theirs'), 'b.ts': 'theirs\n', 'd.ts': 'd\n' })
    await repo.startTurn()
    const end = await repo.endTurn()
    repo.pull()
    const turn = await ask(repo, { cwd: repo.cwd, from: end, to: await repo.endTurn() })
    turn.toShowNothing().toDemote(3).toBeAttributed()
    expect(turn.result.branchTransition).toMatchObject({ fromBranch: 'main', toBranch: 'main' })
  })
})

describe('C02: one real edit among a thousand pulled files', () => {
  it('the small form: agent.txt +1 -0, one demoted', async () => {
    const repo = TurnRepository.create({ 'agent.txt': 'a\n', 'external.txt': 'e\n' })
    repo.teammate.push({ 'external.txt': 'theirs\n' })
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.append('agent.txt', 'x\n')
    })
    turn.toShow([{ path: 'agent.txt', additions: 1, deletions: 0 }]).toDemote(1)
  })

  it('the large form: a thousand demoted', async () => {
    const repo = TurnRepository.create({ 'agent.txt': 'a\n' })
    repo.teammate.push(
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`up/${at % 20}/${at}.ts`, `${at}\n`])),
    )
    const turn = await playTurn(repo, () => {
      repo.pull()
      repo.append('agent.txt', 'x\n')
    })
    turn.toShow([{ path: 'agent.txt', additions: 1, deletions: 0 }]).toDemote(1000)
  })
})

describe('C03: a switch of branches shows no work of the old branch as deleted', () => {
  it('a commit on the new branch stays shown although HEAD moved over it', async () => {
    const repo = TurnRepository.create({ base: lines(5) })
    repo.switchNew('A').create('fa', 'fa\n').edit('base', 2, 'on A').commit('on A')
    const turn = await playTurn(repo, () => {
      repo.checkout('main').checkout('-b', 'B')
      repo.create('fb', 'fb\n').commit('onB')
    })
    turn.toShow([{ path: 'fb', additions: 1, deletions: 0 }]).toDemote(2)
    expect(turn.result.branchTransition).toMatchObject({ kind: 'switch', fromBranch: 'A', toBranch: 'B' })
  })

  it('a new branch from the upstream that has moved', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n' })
    repo.teammate.push(Object.fromEntries(['1', '2', '3', '4', '5'].map((name) => [`up${name}.ts`, name])))
    const turn = await playTurn(repo, () => {
      repo.fetch().checkout('-b', 'fix/thing', 'origin/main')
      repo.create('fix.ts', 'fix\n')
    })
    turn.toShow(['fix.ts']).toDemote(5)
    expect(turn.result.branchTransition).toMatchObject({ fromBranch: 'main', toBranch: 'fix/thing' })
  })
})

describe('C05: main is merged into a stale branch', () => {
  function stale(): TurnRepository {
    const repo = TurnRepository.create({ f: 'f\n', g: 'g\n' })
    repo.switchNew('feat').create('own', 'own\n').commit('feat')
    repo.checkout('main')
    repo.write('f', 'main\n').create('m.txt', 'm\n').commit('main')
    return repo.checkout('feat')
  }

  it('(a) as it is: nothing shown, two demoted', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => repo.merge('main'))
    turn.toShowNothing().toDemote(2)
  })

  it('(b) with an edit inside the merge: that file +1, two demoted', async () => {
    const repo = stale()
    const turn = await playTurn(repo, () => {
      repo.merge('main', '--no-commit')
      repo.append('g', 'evil\n').commit('merge')
    })
    turn.toShow([{ path: 'g', additions: 1, deletions: 0 }]).toDemote(2)
  })
})

describe('C06: a rebase or a restack', () => {
  it('pull --rebase over a commit of before the turn', async () => {
    const repo = TurnRepository.create({ a: 'a\n', 'user.ts': 'u\n' })
    repo.write('user.ts', 'mine\n').commit('earlier')
    repo.teammate.push({ a: 'theirs\n' })
    const turn = await playTurn(repo, () => expect(repo.pull({ mode: 'rebase' }).status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('a restack with --update-refs', async () => {
    const repo = TurnRepository.create({ a: 'a\n' })
    repo.switchNew('s1').create('one', '1\n').commit('s1')
    repo.switchNew('s2').create('two', '2\n').commit('s2')
    repo.checkout('main')
    repo.create('m1', 'm\n').commit('m1')
    repo.checkout('s2')
    const turn = await playTurn(repo, () => expect(repo.rebase('main', '--update-refs').status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })

  it('the local commit and upstream change lines close to each other: the replay is clean, its patch id another', async () => {
    const repo = TurnRepository.create({ shared: lines(20) })
    repo.edit('shared', 10, 'local').commit('local')
    repo.teammate.push({ shared: lines(20).replace('line 8\n', 'upstream\n') })
    const turn = await playTurn(repo, () => expect(repo.pull({ mode: 'rebase' }).status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })
})

describe('C34: several turns with a pull in the middle', () => {
  async function threeTurns(repo: TurnRepository): Promise<Checkpoint[]> {
    const checkpoints = [await repo.startTurn()]
    repo.create('a1', 'a1\n').commit('a1')
    checkpoints.push(await repo.endTurn())
    expect(repo.pull({ mode: 'merge' }).status).toBe(0)
    checkpoints.push(await repo.endTurn())
    repo.create('a3', 'a3\n')
    checkpoints.push(await repo.endTurn())
    return checkpoints
  }

  it('a1 and a3 are shown, two demoted: as a range, and from the first to the last checkpoint alone', async () => {
    const repo = TurnRepository.create({ up1: 'one\n' })
    repo.teammate.push({ up1: 'theirs\n', up2: 'theirs\n' })
    const [from, one, two, to] = await threeTurns(repo)
    if (!from || !one || !two || !to) throw new Error('four checkpoints')
    for (const between of [undefined, [one, two]]) {
      const turn = await ask(repo, { cwd: repo.cwd, from, to, ...(between === undefined ? {} : { between }) })
      turn.toShow(['a1', 'a3']).toDemote(2)
    }
  })

  it('a file pulled in turn 2 and edited in turn 3: shown; an edit that a later checkout reverts: absent', async () => {
    const repo = TurnRepository.create({ up: lines(20), gone: 'g\n' })
    repo.teammate.push({ up: lines(20).replace('line 3\n', 'theirs\n') })
    const from = await repo.startTurn()
    repo.write('gone', 'mine\n')
    const one = await repo.endTurn()
    repo.git('checkout', '-q', '--', 'gone')
    repo.pull()
    const two = await repo.endTurn()
    repo.edit('up', 15, 'mine')
    const turn = await ask(repo, { cwd: repo.cwd, from, between: [one, two], to: await repo.endTurn() })
    turn.toShow([{ path: 'up', additions: 1, deletions: 1 }]).toDemote(0)
  })
})

describe('C18: a turn that only moved is no unexplained emptiness', () => {
  it('count and transition are there, the files on request, and no call leaves a state behind', async () => {
    const repo = TurnRepository.create({ 'a.ts': 'a\n', 'b.ts': 'b\n', 'c.ts': 'c\n' })
    repo.teammate.push({ 'a.ts': 'theirs\n', 'b.ts': 'theirs\n', 'c.ts': 'theirs\n' })
    const moved = await playTurn(repo, () => repo.pull())
    const ordinary = await playTurn(repo, () => repo.write('a.ts', 'mine\n'))
    const { demoted: _, ...request } = moved.request
    const bare = await addon().attributeTurn(request)
    expect(bare).toMatchObject({ shown: [], demoted: { fileCount: 3, files: null } })
    expect(bare.branchTransition).toMatchObject({ fromBranch: 'main', toBranch: 'main', label: 'Pulled origin/main' })
    expect((await addon().attributeTurn({ ...request, demoted: 'paths' })).demoted.files).toHaveLength(3)
    expect(await addon().attributeTurn(request)).toEqual(bare)
    ordinary.toShow(['a.ts']).toDemote(0).toBeUnmoved()
    for (const path of ['a.ts', 'b.ts', 'c.ts']) expect(verdictOf(moved.result, path)).toBe('demoted')
  })

  it('asked with lines, the demoted files carry the counts of git', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9), 'b.bin': 'b\n' })
    repo.teammate.push({ 'a.ts': `${lines(8)}theirs\n`, 'b.bin': new Uint8Array([0, 1, 2]) })
    const turn = await playTurn(repo, () => repo.pull())
    const { demoted } = await addon().attributeTurn({ ...turn.request, demoted: 'lines' })
    const counts = repo.numstat(turn.request.from.ref, turn.request.to.ref)
    for (const { path, additions, deletions } of demoted.files ?? []) {
      expect({ additions, deletions }).toEqual(counts.get(path))
    }
    expect(demoted).toMatchObject({ fileCount: 2, additions: 1, deletions: 1 })
  })
})
