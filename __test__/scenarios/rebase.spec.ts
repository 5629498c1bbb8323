// Rebases: what git replays by itself has moved, what a hand did on the way is shown.
import { describe, expect, it } from 'vitest'
import { lines, TurnRepository } from '../support/turn-repository.js'
import { ask, playTurn, recordTurn } from './play.js'

/** `topic` holds three commits of before the turn; `main` went on. */
function topicBehindMain(): TurnRepository {
  const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(30), 'c.ts': lines(30), 'm.ts': lines(9) })
  repo.switchNew('topic')
  repo.edit('a.ts', 3, 'topic one').commit('one')
  repo.edit('b.ts', 3, 'topic two').create('two.ts', lines(5, 'two')).commit('two')
  repo.edit('c.ts', 3, 'topic three').commit('three')
  repo.checkout('main')
  repo.edit('a.ts', 25, 'main').edit('m.ts', 2, 'main').create('up.ts', 'up\n').commit('main goes on')
  return repo.checkout('topic')
}

describe('a clean rebase of commits made before the turn', () => {
  it('onto main demotes what main brings', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => expect(repo.rebase('main').status).toBe(0))
    turn.toShowNothing().toDemote(3).toMove('rewrite').toBeAttributed()
    expect(turn.result.branchTransition.label).toBe('Rebased onto main')
  })

  it('with the apply backend, or merging ones kept, is the same', async () => {
    for (const flags of [['--apply'], ['--rebase-merges'], ['--force-rebase', '--no-ff']]) {
      const repo = topicBehindMain()
      const turn = await playTurn(repo, () => expect(repo.rebase('main', ...flags).status).toBe(0))
      turn.toShowNothing().toDemote(3)
    }
  })

  it('squashing, reordering and rewording on the way changes nothing of that', async () => {
    const plans: ((oids: string[]) => string[])[] = [
      ([one, two, three]) => [`pick ${one}`, `squash ${two}`, `fixup ${three}`],
      ([one, two, three]) => [`pick ${three}`, `pick ${one}`, `pick ${two}`],
      ([one, two, three]) => [`reword ${one}`, `pick ${two}`, `reword ${three}`],
      ([one, two, three]) => [`pick ${one}`, 'break', `pick ${two}`, `pick ${three}`],
    ]
    for (const plan of plans) {
      const repo = topicBehindMain()
      const turn = await playTurn(repo, () => {
        expect(repo.rebaseInteractive('main', plan, 'another message').status).toBe(0)
        repo.tryGit('rebase', '--continue')
      })
      turn.toShowNothing().toDemote(3)
    }
  })

  it('in place, squashed to one: nothing changed on disk', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () =>
      repo.rebaseInteractive(
        'main~1',
        ([one, two, three]) => [`pick ${one}`, `squash ${two}`, `squash ${three}`],
        'all',
      ),
    )
    turn.toShowNothing().toDemote(0)
  })

  it('dropping the first, a later or the last commit demotes its files: a move', async () => {
    const expected: [number, number][] = [
      [0, 1],
      [1, 2],
      [2, 1],
    ]
    for (const [dropped, files] of expected) {
      const repo = topicBehindMain()
      const turn = await playTurn(repo, () =>
        repo.rebaseInteractive('main~1', (oids) => oids.map((oid, at) => `${at === dropped ? 'drop' : 'pick'} ${oid}`)),
      )
      turn.toShowNothing().toDemote(files)
    }
  })

  it('dropping a commit while moving onto main demotes both', async () => {
    for (const dropped of [0, 1, 2]) {
      const repo = topicBehindMain()
      const turn = await playTurn(repo, () =>
        repo.rebaseInteractive('main', (oids) => oids.map((oid, at) => `${at === dropped ? 'drop' : 'pick'} ${oid}`)),
      )
      turn.toShowNothing().toDemote(dropped === 1 ? 5 : dropped === 2 ? 4 : 3)
    }
  })

  it('of a part of the line with --onto', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => expect(repo.rebaseOnto('main', 'HEAD~1').status).toBe(0))
    turn.toShowNothing().toDemote(5)
  })

  it('of another branch than the one HEAD is on', async () => {
    const repo = topicBehindMain()
    repo.checkout('main')
    const turn = await playTurn(repo, () => repo.git('rebase', '-q', 'main', 'topic'))
    turn.toShowNothing().toDemote(4).toMove('switch')
  })

  it('of a stack, with --update-refs', async () => {
    const repo = topicBehindMain()
    repo.branch('lower', 'HEAD~1')
    const turn = await playTurn(repo, () => expect(repo.rebase('main', '--update-refs').status).toBe(0))
    turn.toShowNothing().toDemote(3)
  })

  it('that is aborted leaves nothing', async () => {
    const repo = TurnRepository.create({ 'a.ts': lines(9) })
    repo.switchNew('topic').edit('a.ts', 2, 'topic').commit('topic')
    repo.checkout('main')
    repo.edit('a.ts', 2, 'main').commit('main')
    repo.checkout('topic')
    const turn = await playTurn(repo, () => {
      expect(repo.rebase('main').status).not.toBe(0)
      repo.abort('rebase')
    })
    turn.toShowNothing().toDemote(0).toBeUnmoved()
  })
})

describe('a rebase that stops', () => {
  function conflicting(): TurnRepository {
    const repo = TurnRepository.create({ 'a.ts': lines(30), 'b.ts': lines(30), 'm.ts': 'm\n' })
    repo.switchNew('topic')
    repo.edit('a.ts', 3, 'topic').commit('one')
    repo.edit('b.ts', 3, 'topic').commit('two')
    repo.checkout('main')
    repo.edit('a.ts', 3, 'main').edit('b.ts', 25, 'main').write('m.ts', 'main\n').commit('main')
    return repo.checkout('topic')
  }

  it('the resolved file is shown, the rest demoted, with either backend', async () => {
    for (const flags of [[], ['--apply']]) {
      const repo = conflicting()
      const turn = await playTurn(repo, () => {
        expect(repo.rebase('main', ...flags).status).not.toBe(0)
        repo.resolve('a.ts', lines(30).replace('line 3\n', 'topic and main\n'))
        expect(repo.proceed('rebase').status).toBe(0)
      })
      turn.toShow(['a.ts']).toDemote(2)
    }
  })

  it('a resolution that takes one side as it is, is still a resolution: shown', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => {
      repo.rebase('main')
      repo.git('checkout', '--theirs', 'a.ts')
      repo.git('add', 'a.ts')
      expect(repo.proceed('rebase').status).toBe(0)
    })
    expect(turn.result.shown.map((file) => file.path)).not.toContain('m.ts')
    turn.toDemote(2)
  })

  it('an edit slipped in beside the resolution is shown too', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => {
      repo.rebase('main')
      repo.resolve('a.ts', lines(30).replace('line 3\n', 'topic and main\n')).resolve('m.ts', 'main\nmine\n')
      expect(repo.proceed('rebase').status).toBe(0)
    })
    turn.toShow(['a.ts', { path: 'm.ts', additions: 1, deletions: 0 }]).toDemote(1)
  })

  it('with -X theirs, git decides; a hand is never hidden by that', async () => {
    const repo = conflicting()
    const turn = await playTurn(repo, () => {
      expect(repo.rebase('main', '-X', 'theirs').status).toBe(0)
      repo.append('m.ts', 'mine\n').commit('mine')
    })
    expect(turn.result.shown.map((file) => file.path)).toContain('m.ts')
    expect(turn.result.shown.map((file) => file.path)).not.toContain('b.ts')
  })
})

describe('a hand on the way', () => {
  it('edit: the amended file alone is shown', async () => {
    for (const onto of ['main~1', 'main']) {
      const repo = topicBehindMain()
      const turn = await playTurn(repo, () => {
        repo.rebaseInteractive(onto, ([one, two, three]) => [`edit ${one}`, `pick ${two}`, `pick ${three}`])
        repo.edit('a.ts', 10, 'mine').amend()
        expect(repo.proceed('rebase').status).toBe(0)
      })
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1, mixed: false }]).toDemote(onto === 'main' ? 2 : 0)
    }
  })

  it('edit, and a commit of its own: its files are shown', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.rebaseInteractive('main', ([one, two, three]) => [`pick ${one}`, `edit ${two}`, `pick ${three}`])
      repo.create('mine.ts', 'mine\n').edit('m.ts', 7, 'mine').commit('mine, in between')
      expect(repo.proceed('rebase').status).toBe(0)
    })
    turn.toShow(['mine.ts', { path: 'm.ts', additions: 1, deletions: 1 }]).toDemote(2)
  })

  it('exec: what the command wrote and amended is shown', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      const run = repo.rebaseInteractive('main', ([one, two, three]) => [
        `pick ${one}`,
        "exec sed -i 's/line 20$/mine/' c.ts && git commit -q -a --amend --no-edit",
        `pick ${two}`,
        `pick ${three}`,
      ])
      expect(run.stderr + run.status).toMatch(/0$/)
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }]).toDemote(3)
  })

  it('fixup with autosquash: the fixed file alone is shown', async () => {
    for (const onto of ['main~1', 'main']) {
      const repo = topicBehindMain()
      const turn = await playTurn(repo, () => {
        repo.edit('b.ts', 12, 'mine').commit('', { fixup: 'HEAD~1' })
        expect(repo.autosquash(onto).status).toBe(0)
      })
      turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1 }]).toDemote(onto === 'main' ? 3 : 0)
    }
  })

  it('squash of a commit of the turn into one of before: its file is shown', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.edit('c.ts', 20, 'mine').commit('mine')
      repo.rebaseInteractive('main', ([one, two, three, mine]) => [
        `pick ${one}`,
        `pick ${two}`,
        `pick ${three}`,
        `squash ${mine}`,
      ])
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }]).toDemote(3)
  })

  it('a squash step is redone from what it squashed, also where HEAD ends on it and not on the tip', async () => {
    for (const step of ['squash', 'fixup']) {
      const repo = topicBehindMain()
      repo.checkout('main')
      const turn = await playTurn(repo, () => {
        repo.checkout('topic').edit('a.ts', 12, 'mine').commit('mine')
        repo.rebaseInteractive('main', ([one, two, three, mine]) => [
          `pick ${one}`,
          `fixup ${mine}`,
          `${step} ${two}`,
          `pick ${three}`,
        ])
        repo.checkout('HEAD~1')
      })
      turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }]).toDemote(2)
    }
  })

  it('a squash step that was amended by hand: what the hand added is shown', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.rebaseInteractive('main', ([one, two, three]) => [`edit ${one}`, `squash ${two}`, `pick ${three}`])
      repo.edit('c.ts', 20, 'mine').amend()
      expect(repo.proceed('rebase').status).toBe(0)
      repo.checkout('HEAD~1')
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }]).toDemote(3)
  })

  it('reworded, then rebased under the new words: the later copy is not what was reworded', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.reset('soft', 'HEAD~2').create('mine.ts', 'mine\n').commit('squashed')
      repo.rebaseInteractive('HEAD~1', ([oid]) => [`reword ${oid}`], 'other words')
      expect(repo.rebase('main').status).toBe(0)
    })
    turn.toShow(['mine.ts']).toDemote(3)
  })

  it("the agent's commit put below older ones is shown", async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.edit('c.ts', 20, 'mine').create('mine.ts', 'mine\n').commit('mine')
      repo.rebaseInteractive('main', ([one, two, three, mine]) => [mine, one, two, three].map((oid) => `pick ${oid}`))
    })
    turn.toShow([{ path: 'c.ts', additions: 1, deletions: 1 }, 'mine.ts']).toDemote(3)
  })

  it('a change taken out of an older commit by edit is shown', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.rebaseInteractive('main~1', ([one, two, three]) => [`pick ${one}`, `edit ${two}`, `pick ${three}`])
      repo.edit('b.ts', 3, 'line 3').amend()
      expect(repo.proceed('rebase').status).toBe(0)
    })
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1 }]).toDemote(0)
  })
})

describe("the agent's own commits", () => {
  it('committed and rebased in one turn: its files are shown, those of upstream demoted', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.edit('a.ts', 12, 'mine').commit('mine')
      repo.create('n.ts', 'n\n').commit('mine too')
      expect(repo.rebase('main').status).toBe(0)
    })
    turn.toShow([{ path: 'a.ts', additions: 1, deletions: 1 }, 'n.ts']).toDemote(2)
  })

  it('of an earlier turn, rebased in this one: demoted, they were shown when they were written', async () => {
    const repo = topicBehindMain()
    const first = await playTurn(repo, () => {
      repo.edit('a.ts', 12, 'mine').create('n.ts', 'n\n').commit('mine')
    })
    first.toShow(['a.ts', 'n.ts']).toDemote(0)
    const second = await playTurn(repo, () => expect(repo.rebase('main').status).toBe(0))
    second.toShowNothing().toDemote(3)
  })

  it('of an earlier turn, rebased and amended in this one: only the amended file is shown', async () => {
    const repo = topicBehindMain()
    repo.clock.beginTurn()
    await recordTurn(repo, () => repo.create('n.ts', 'n\n').create('o.ts', 'o\n').commit('mine'))
    const request = await recordTurn(repo, () => {
      repo.rebase('main')
      repo.append('o.ts', 'more\n').amend()
    })
    const turn = await ask(repo, request)
    turn.toShow([{ path: 'o.ts', additions: 1, deletions: 0 }]).toDemote(3)
  })

  it('rebased twice in a turn, with an edit in between', async () => {
    const repo = topicBehindMain()
    const turn = await playTurn(repo, () => {
      repo.rebase('main~1', '--force-rebase')
      repo.edit('b.ts', 15, 'mine').commit('mine')
      expect(repo.rebase('main').status).toBe(0)
    })
    turn.toShow([{ path: 'b.ts', additions: 1, deletions: 1 }]).toDemote(3)
  })
})
