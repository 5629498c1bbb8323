// Work of the agent that arrives under another path or another author, from another clone, or by a hand that makes
// again what git left out; and what others wrote that arrives on the same ways.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FileTexts, lines, TurnRepository } from '../support/turn-repository.js'
import { playTurn, verdictOf } from './play.js'

const bot = { name: 'Bot', email: 'bot@agents.example' }

/** A checkout that is up to date with what the colleague pushed. */
function plain(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(20) })
  repo.teammate.push({ 'x.ts': 'x\n' })
  repo.pull()
  return repo
}

/** The server, or the colleague, does something with what was pushed, and pushes main. */
function onServer(repo: TurnRepository, how: (git: (...args: string[]) => string) => void): void {
  const { teammate } = repo
  teammate.git(['fetch', '-q', 'origin'], true)
  teammate.git(['checkout', '-q', '-B', 'main', 'origin/main'], true)
  how((...args) => teammate.git(args, true))
  teammate.git(['push', '-q', 'origin', 'main'], true)
}

/** A clone of the checkout on the same machine, for the agent to work in. */
function siblingClone(repo: TurnRepository): TurnRepository {
  const folder = join(repo.root, 'sibling')
  repo.git('clone', '-q', repo.cwd, folder)
  const sibling = new TurnRepository(repo.root, {}, folder)
  sibling.clock.beginTurn()
  return sibling
}

/** Leaves nothing of a worktree and its branch but what was pushed. */
function cleanUp(repo: TurnRepository, worktree: TurnRepository, branch: string): void {
  repo.worktreeRemove(worktree).branch('-q', '-D', branch)
}

describe('git carries the work to another path', () => {
  /** `lib` is a line of its own, which `main` keeps under vendor/; both have a package.json at their root. */
  function vendored(): TurnRepository {
    const repo = TurnRepository.create({ 'package.json': lines(20, 'root'), 'main.ts': 'main\n' })
    repo.orphan('lib').git('rm', '-rqf', '.')
    repo.create('package.json', lines(20, 'lib')).create('lib.ts', lines(10, 'lib')).commit('lib')
    repo.checkout('main')
    repo.git('merge', '-q', '-s', 'ours', '--no-commit', '--allow-unrelated-histories', 'lib')
    repo.git('read-tree', '--prefix=vendor/', '-u', 'lib')
    repo.commit('vendor lib')
    return repo
  }

  const ways: [string, (repo: TurnRepository) => number][] = [
    ['a merge with -X subtree', (repo) => repo.merge('lib', '-X', 'subtree=vendor').status],
    ['a merge with -s subtree', (repo) => repo.merge('lib', '-s', 'subtree').status],
    ['a cherry-pick with -X subtree', (repo) => repo.cherryPick('-X', 'subtree=vendor', 'lib').status],
  ]
  for (const [name, way] of ways) {
    it(`into the subfolder, by ${name}: shown there`, async () => {
      const repo = vendored()
      const turn = await playTurn(repo, () => {
        repo.checkout('lib')
        repo.edit('package.json', 3, 'mine').edit('lib.ts', 3, 'mine').create('new.ts', 'mine\n').commit('mine')
        repo.checkout('main')
        expect(way(repo)).toBe(0)
      })
      turn.toShow(['vendor/lib.ts', 'vendor/new.ts', 'vendor/package.json']).toDemote(0)
    })
  }

  const renameLimits: [string, number, (repo: TurnRepository) => number][] = [
    ['a merge', 1, (repo) => repo.merge('main', '-X', 'find-renames=25').status],
    ['a rebase', 1, (repo) => repo.rebase('main', '-X', 'find-renames=25').status],
    ['a cherry-pick', 0, (repo) => repo.checkout('main').cherryPick('-X', 'find-renames=25', 'feature').status],
  ]
  for (const [name, demoted, way] of renameLimits) {
    it(`to a new name that ${name} finds only with find-renames below a half: shown under it`, async () => {
      const repo = TurnRepository.create({ 'old.ts': lines(20) })
      repo.switchNew('feature').create('f.ts', 'f\n').commit('feature')
      repo.checkout('main').move('old.ts', 'new.ts')
      for (let line = 1; line <= 11; line += 1) repo.edit('new.ts', line, `upstream ${line}`)
      repo.commit('moved and rewritten')
      const turn = await playTurn(repo, () => {
        repo.checkout('feature').edit('old.ts', 18, 'mine').commit('mine')
        expect(way(repo)).toBe(0)
        expect(repo.read('new.ts')).toContain('mine\n')
      })
      turn.toShow([{ path: 'new.ts', additions: 1, deletions: 1 }]).toDemote(demoted)
    })
  }

  it('to the new name of a file of 17 MB: shown under it', async () => {
    const repo = TurnRepository.create({ 'data.sql': lines(20_000, 'value '.repeat(146)) })
    repo.branch('feature')
    repo.move('data.sql', 'moved.sql').commit('moved')
    const turn = await playTurn(
      repo,
      () => {
        repo.checkout('feature').edit('data.sql', 9000, 'mine').commit('mine')
        expect(repo.merge('main').status).toBe(0)
      },
      { askLater: false },
    )
    turn.toShow([{ path: 'moved.sql', additions: 1, deletions: 1 }]).toDemote(0)
  })

  it('to the new names of 1100 files at once: shown under them', async () => {
    const files: FileTexts = {}
    for (let at = 0; at < 1100; at += 1) files[`src/f${at}.js`] = lines(14, `f${at}`)
    const repo = TurnRepository.create(files)
    repo.branch('feature')
    const newName = (path: string): string => path.replace('.js', '.ts')
    for (const path of Object.keys(files)) repo.edit(path, 2, `typed ${path}`).move(path, newName(path))
    repo.commit('typescript')
    const turn = await playTurn(
      repo,
      () => {
        repo.checkout('feature')
        for (const path of Object.keys(files)) repo.edit(path, 10, 'mine')
        repo.commit('mine')
        expect(repo.merge('main').status).toBe(0)
      },
      { askLater: false },
    )
    turn.toShow(Object.keys(files).map(newName)).toDemote(0)
  })
})

describe('work under another author', () => {
  for (const [name, pruned] of [
    ['and deletes the branch', true],
    ['and keeps the branch', false],
  ] as const) {
    it(`of a worktree that is gone, pushed; the server merges it ${name}: shown`, async () => {
      const repo = plain()
      const turn = await playTurn(repo, () => {
        const sub = repo.worktree('sub')
        sub.create('one.ts', 'one\n').commit('one', { author: bot })
        sub.create('two.ts', 'two\n').commit('two', { author: bot })
        sub.push('sub')
        onServer(repo, (git) => {
          git('merge', '-q', '--no-ff', '-m', 'merge of sub', 'origin/sub')
          if (pruned) git('push', '-q', 'origin', ':sub')
        })
        cleanUp(repo, sub, 'sub')
        if (pruned) repo.fetch('--prune')
        expect(repo.pull().status).toBe(0)
      })
      turn.toShow(['one.ts', 'two.ts']).toDemote(0)
    })
  }

  it('of a worktree that is gone, to which the server fast-forwards: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub')
      sub.create('one.ts', 'one\n').commit('one', { author: bot })
      sub.push('sub')
      onServer(repo, (git) => git('merge', '-q', '--ff-only', 'origin/sub'))
      cleanUp(repo, sub, 'sub')
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['one.ts']).toDemote(0)
  })

  it('saved by plumbing here, to which the server fast-forwards: shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.create('one.ts', 'one\n').git('add', '-A')
      const env = { GIT_AUTHOR_NAME: bot.name, GIT_AUTHOR_EMAIL: bot.email }
      const oid = repo.gitWith({ env }, 'commit-tree', repo.git('write-tree'), '-p', 'HEAD', '-m', 'one')
      repo.git('update-ref', '-m', 'tool: save', 'HEAD', oid)
      repo.push('HEAD:refs/heads/sub')
      onServer(repo, (git) => git('merge', '-q', '--ff-only', 'origin/sub'))
      repo.fetch()
    })
    turn.toShow(['one.ts']).toDemote(0)
  })
})

describe('work that was done in another place of this machine', () => {
  it('an amend in a sibling clone, picked from FETCH_HEAD: what it changed is shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    repo.switchNew('feature').edit('a.ts', 3, 'earlier').commit('earlier')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    const turn = await playTurn(repo, () => {
      const sibling = siblingClone(repo)
      sibling.checkout('origin/feature').create('mine.ts', 'mine\n').amend()
      repo.fetch(sibling.cwd, 'HEAD')
      expect(repo.cherryPick('FETCH_HEAD').status).toBe(0)
    })
    turn.toShow([{ path: 'mine.ts', additions: 1, deletions: 0 }]).toDemote(1)
  })

  for (const [name, ahead] of [
    ['merged here', true],
    ['fast-forwarded to here', false],
  ] as const) {
    it(`the commit of a colleague, amended in a sibling clone and ${name}: what the amend changed is shown`, async () => {
      const repo = TurnRepository.create({ 'a.ts': lines(20) })
      repo.teammate.push({ 'theirs.ts': 'theirs\n' }, { branch: 'pr' })
      repo.fetch()
      if (ahead) repo.create('m.ts', 'm\n').commit('main')
      const turn = await playTurn(repo, () => {
        const sibling = siblingClone(repo)
        sibling.fetch(repo.cwd, 'refs/remotes/origin/pr:refs/heads/pr').checkout('pr')
        sibling.create('mine.ts', 'mine\n').amend()
        repo.git('remote', 'add', 'sibling', sibling.cwd)
        repo.fetch('sibling')
        expect(repo.merge('sibling/pr').status).toBe(0)
      })
      turn.toShow(['mine.ts']).toDemote(1)
    })
  }

  it('the branch of a colleague, rebased with resolutions in a worktree that is gone, and merged by the server: they are shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    repo.teammate.push({ 'a.ts': lines(20).replace('line 3', 'pr'), 'theirs.ts': 'theirs\n' }, { branch: 'pr' })
    repo.teammate.push({ 'a.ts': lines(20).replace('line 3', 'main') })
    repo.pull()
    const turn = await playTurn(repo, () => {
      const sub = repo.worktree('sub', 'origin/pr')
      expect(sub.rebase('main').status).not.toBe(0)
      sub.resolve('a.ts', lines(20).replace('line 3', 'resolved')).resolve('theirs.ts', 'theirs\nmine\n')
      expect(sub.proceed('rebase').status).toBe(0)
      sub.push('--force', 'sub:pr')
      onServer(repo, (git) => {
        git('merge', '-q', '--no-ff', '-m', 'pr', 'origin/pr')
        git('push', '-q', 'origin', ':pr')
      })
      cleanUp(repo, sub, 'sub')
      repo.fetch('--prune')
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['a.ts', 'theirs.ts']).toDemote(0)
  })
})

describe('a colleague takes up what the agent pushed', () => {
  const squash = (repo: TurnRepository, change: (git: (...args: string[]) => string) => unknown): void =>
    onServer(repo, (git) => {
      git('merge', '-q', '--squash', 'origin/feature')
      change(git)
      git('commit', '-q', '-a', '-m', 'squashed')
    })

  it('squashed, and moves the new file: shown under its new path', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('feature').create('new.ts', lines(10, 'written by the agent')).commit('mine')
      repo.push('-u', 'feature')
      squash(repo, (git) => git('mv', 'new.ts', 'moved.ts'))
      repo.checkout('main')
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['moved.ts']).toDemote(0)
  })

  it('squashed, and indents the added line: its file is shown', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.switchNew('feature').append('a.ts', 'if (written) {}\n').commit('mine')
      repo.push('-u', 'feature')
      squash(repo, () => writeFileSync(join(repo.teammate.cwd, 'a.ts'), `${lines(20)}  if (written) {}\n`))
      repo.checkout('main')
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['a.ts']).toDemote(0)
  })

  it('and moves its lines to a new file: that file is shown, and the one they left', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(30) })
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 10, 'my first line').edit('a.ts', 11, 'my second line').commit('mine')
      repo.push('main')
      const without = lines(30).replace('line 10\nline 11\n', '')
      const taken = 'my first line\nmy second line\ntheirs\n'
      repo.teammate.push({ 'a.ts': without, 'taken.ts': taken }, { late: true })
      expect(repo.pull().status).toBe(0)
    })
    turn.toShow(['a.ts', 'taken.ts']).toDemote(0)
  })
})

describe('what a rewrite left out is made again by hand', () => {
  /** `feature` holds three commits of before the turn, the second of which takes a line away; `main` went on. */
  function line(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(30) })
    repo.switchNew('feature').edit('a.ts', 3, 'one').commit('one')
    withoutLine(repo).commit('two')
    repo.edit('a.ts', 22, 'three').commit('three')
    repo.checkout('main').create('m.ts', 'm\n').commit('main')
    return repo
  }

  /** `feature` holds a merge in which the line was taken away by hand. */
  function lineWithMerge(): TurnRepository {
    const repo = line()
    repo.checkout('feature').reset('hard', 'HEAD~2')
    repo.switchNew('side').create('side.ts', 'side\n').commit('side')
    repo.checkout('feature').create('x.ts', 'x\n').commit('x')
    repo.merge('side', '--no-commit')
    withoutLine(repo).commit('merge')
    repo.create('y.ts', 'y\n').commit('y')
    return repo.checkout('main')
  }

  const withoutLine = (repo: TurnRepository): TurnRepository =>
    repo.edit('b.ts', (text) => text.replace('line 12\n', ''))

  it('a squash that is reset away: shown', async () => {
    const repo = line()
    const turn = await playTurn(repo, () => {
      repo.checkout('feature')
      const again = "git reset -q --hard HEAD@{1}; sed -i '/^line 12$/d' b.ts; git commit -qam again"
      const plan = ([one, two, three]: string[]) => [`pick ${one}`, `squash ${two}`, `exec ${again}`, `pick ${three}`]
      expect(repo.rebaseInteractive('main', plan, 'squashed').status).toBe(0)
    })
    turn.toShow(['b.ts']).toDemote(1)
  })

  it('a commit in whose place another is fixed up: shown', async () => {
    const repo = line()
    repo.switchNew('stranger').create('stranger.ts', 'stranger\n').commit('stranger')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.checkout('feature')
      const plan = ([one, , three]: string[]) => [`pick ${one}`, 'fixup stranger', `pick ${three}`]
      expect(repo.rebaseInteractive('main', plan).status).toBe(0)
      withoutLine(repo).commit('again')
    })
    expect(verdictOf(turn.result, 'b.ts')).toBe('shown')
  })

  it('the hand in a merge that a rebase flattens: shown', async () => {
    const repo = lineWithMerge()
    const turn = await playTurn(repo, () => {
      expect(repo.checkout('feature').rebase('main').status).toBe(0)
      expect(repo.read('b.ts')).toContain('line 12\n')
      withoutLine(repo).commit('again')
    })
    turn.toShow(['b.ts']).toDemote(4)
  })

  it('and without the hand the merge that a rebase flattens has moved', async () => {
    const repo = lineWithMerge()
    repo.checkout('feature')
    const turn = await playTurn(repo, () => expect(repo.rebase('main').status).toBe(0))
    turn.toShowNothing().toDemote(2)
  })

  it('a newer commit that a reset looked at and left: shown', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': lines(20) })
    repo.switchNew('next')
    withoutLine(repo).create('next.ts', 'next\n').commit('next')
    repo.checkout('main')
    const turn = await playTurn(repo, () => {
      repo.reset('hard', 'next').reset('hard', 'main@{1}')
      withoutLine(repo).edit('a.ts', 1, 'mine').commit('mine')
    })
    turn.toShow(['a.ts', 'b.ts']).toDemote(0)
  })

  it('one file of what a reset took away: the other files have moved', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    for (const path of ['x1.ts', 'x2.ts', 'x3.ts', 'x4.ts']) repo.create(path, 'x\n')
    repo.commit('work')
    const turn = await playTurn(repo, () => {
      repo.reset('hard', 'HEAD~1')
      repo.checkout('ORIG_HEAD', '--', 'x1.ts').edit('a.ts', 4, 'mine').commit('again')
    })
    turn.toShow(['a.ts']).toDemote(3)
  })
})

describe('what others wrote, or the turn did not, arrives on an unusual way', () => {
  it('a pull request written in the turn, fetched to a branch of its own: demoted', async () => {
    const repo = plain()
    const turn = await playTurn(repo, () => {
      repo.teammate.push({ 'late.ts': 'late\n' }, { late: true, branch: 'pr' })
      repo.git('--git-dir', repo.origin, 'update-ref', 'refs/pull/1/head', 'refs/heads/pr')
      repo.git('--git-dir', repo.origin, 'update-ref', '-d', 'refs/heads/pr')
      repo.fetch('origin', 'refs/pull/1/head:pr-1').checkout('pr-1')
    })
    turn.toShowNothing().toDemote(1)
  })

  it('a commit of two minutes before the turn in a detached worktree, merged here: demoted', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(20) })
    const sub = repo.worktree('sub')
    sub.checkout('--detach').branch('-q', '-D', 'sub')
    const date = new Date(Date.now() - 120_000).toISOString()
    sub.create('earlier.ts', 'earlier\n').commit('earlier', { date, committerDate: date })
    const turn = await playTurn(repo, () => expect(repo.merge(sub.oid()).status).toBe(0))
    turn.toShowNothing().toDemote(1)
  })
})
