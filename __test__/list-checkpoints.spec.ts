// Which checkpoints a repository keeps, in both ref storages.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addon } from './support/addon.js'
import { runGit } from './support/git.js'
import { TurnRepository, temporaryFolder } from './support/turn-repository.js'

type Storage = 'files' | 'packed' | 'reftable'

function repository(storage: Storage): TurnRepository {
  const repo = new TurnRepository(temporaryFolder())
  const format = storage === 'reftable' ? 'reftable' : 'files'
  runGit(repo.root, repo.env, ['init', '-q', `--ref-format=${format}`, repo.cwd])
  repo.write('a.ts', 'a\n').commit('first')
  return repo
}

/** A commit taken at a time of our own, in seconds. */
function snapshot(repo: TurnRepository, seconds: number): string {
  const env = { GIT_COMMITTER_DATE: `@${seconds} +0200`, GIT_AUTHOR_DATE: '@1 +0000' }
  return repo.gitWith({ env }, 'commit-tree', 'HEAD^{tree}', '-m', `at ${seconds}`)
}

const short = async (cwd: string) =>
  (await addon().listCheckpoints(cwd)).map(
    ({ source, thread, number, kind }) => `${source} ${thread} ${number} ${kind}`,
  )

for (const storage of ['files', 'packed', 'reftable'] as const) {
  describe(`listCheckpoints, refs in ${storage}`, () => {
    const given = () => {
      const repo = repository(storage)
      const keep = (ref: string, oid: string) => repo.git('update-ref', ref, oid)
      const pack = () => storage === 'packed' && repo.git('pack-refs', '--all')
      return { repo, keep, pack }
    }

    it('names every checkpoint, with its time, and no other ref', async () => {
      const { repo, keep, pack } = given()
      const at = (seconds: number) => snapshot(repo, seconds)
      const kept = [
        ['refs/t3/checkpoints/dGg/turn/0', 't3code', 'turn', 'dGg', 0],
        ['refs/t3/checkpoints/dGg/turn/2', 't3code', 'turn', 'dGg', 2],
        ['refs/t3/checkpoints/dGg/turn/10', 't3code', 'turn', 'dGg', 10],
        ['refs/t3/orchestration-v2/checkpoints/9f/ordinal/1', 't3code-v2', 'turn', '9f', 1],
        ['refs/turn-attribution/day/mark/1', 'mark', 'mark', 'day', 1],
        ['refs/turn-attribution/day/end/1', 'mark', 'end', 'day', 1],
        ['refs/turn-attribution/ü日/mark/3', 'mark', 'mark', 'ü日', 3],
      ] as const
      const wanted = kept.map(([ref, source, kind, thread, number], index) => {
        const oid = at(1_700_000_000 + index)
        keep(ref, oid)
        return { ref, oid, source, kind, thread, number, takenAt: (1_700_000_000 + index) * 1000 }
      })
      for (const other of ['t3/checkpoints/dGg/turn/01', 't3/checkpoints/dGg/turn/x', 't3/checkpoints/dGg/turn/1/deep'])
        keep(`refs/${other}`, at(1))
      keep('refs/turn-attribution/day/turn/1', at(1))
      keep('refs/heads/t3/checkpoints/dGg/turn/7', at(1))
      pack()
      expect(await addon().listCheckpoints(repo.cwd)).toEqual(wanted)
    })

    it('sees what was written since refs were packed', async () => {
      const { repo, keep, pack } = given()
      keep('refs/turn-attribution/day/mark/1', snapshot(repo, 1))
      keep('refs/turn-attribution/day/mark/2', snapshot(repo, 2))
      pack()
      keep('refs/turn-attribution/day/mark/1', snapshot(repo, 100))
      repo.git('update-ref', '-d', 'refs/turn-attribution/day/mark/2')
      keep('refs/turn-attribution/day/mark/3', snapshot(repo, 3))
      const listed = await addon().listCheckpoints(repo.cwd)
      expect(listed.map(({ number, takenAt }) => [number, takenAt])).toEqual([
        [1, 100_000],
        [3, 3000],
      ])
    })

    it('is the same from a linked worktree and from a folder of the repository', async () => {
      const { repo, keep, pack } = given()
      keep('refs/turn-attribution/day/mark/1', snapshot(repo, 1))
      pack()
      const linked = join(repo.root, 'linked')
      repo.git('worktree', 'add', '-q', linked)
      mkdirSync(join(repo.cwd, 'deep'))
      const wanted = ['mark day 1 mark']
      for (const cwd of [repo.cwd, linked, join(repo.cwd, 'deep')]) expect(await short(cwd)).toEqual(wanted)
    })

    it('keeps a checkpoint whose object is gone, and a bare tree, without a time', async () => {
      const { repo, keep, pack } = given()
      const gone = snapshot(repo, 5)
      keep('refs/t3/checkpoints/dGg/turn/0', gone)
      keep('refs/t3/checkpoints/dGg/turn/1', repo.oid('HEAD^{tree}'))
      keep('refs/t3/checkpoints/dGg/turn/2', snapshot(repo, 6))
      pack()
      const object = join(repo.cwd, '.git/objects', gone.slice(0, 2), gone.slice(2))
      chmodSync(object, 0o644)
      writeFileSync(object, 'damaged')
      const listed = await addon().listCheckpoints(repo.cwd)
      expect(listed.map(({ number, takenAt }) => [number, takenAt])).toEqual([
        [0, null],
        [1, null],
        [2, 6000],
      ])
    })
  })
}

describe('listCheckpoints', () => {
  it('leaves a damaged ref out, and only that', async () => {
    const repo = repository('files')
    for (const number of [1, 2, 3, 4]) repo.git('update-ref', `refs/turn-attribution/day/mark/${number}`, 'HEAD')
    const folder = join(repo.cwd, '.git/refs/turn-attribution/day/mark')
    writeFileSync(join(folder, '2'), 'no oid\n')
    writeFileSync(join(folder, '3'), '')
    writeFileSync(join(folder, '5.lock'), '')
    writeFileSync(join(folder, '6'), 'ref: ../../../../outside\n')
    execFileSync('mkfifo', [join(folder, '7')])
    expect(await short(repo.cwd)).toEqual(['mark day 1 mark', 'mark day 4 mark'])
  })

  it('is not led in circles by links between folders', async () => {
    const repo = repository('files')
    repo.git('update-ref', 'refs/turn-attribution/day/mark/1', 'HEAD')
    const folder = join(repo.cwd, '.git/refs/turn-attribution')
    for (let index = 0; index < 12; index += 1) symlinkSync('.', join(folder, `link${index}`))
    symlinkSync('day', join(folder, 'night'))
    expect(await short(repo.cwd)).toEqual(['mark day 1 mark', 'mark night 1 mark'])
  })

  it('passes over a line of packed-refs that is damaged', async () => {
    const repo = repository('files')
    for (const number of [1, 2]) repo.git('update-ref', `refs/turn-attribution/day/mark/${number}`, 'HEAD')
    repo.git('pack-refs', '--all')
    const packed = join(repo.cwd, '.git/packed-refs')
    const head = repo.oid()
    writeFileSync(packed, `garbage\nxyz refs/turn-attribution/day/mark/9\n${head} refs/turn-attribution/day/mark/1\n\0`)
    expect(await short(repo.cwd)).toEqual(['mark day 1 mark'])
  })

  it('is empty where there are none, and rejects where there is no repository', async () => {
    const repo = repository('files')
    expect(await addon().listCheckpoints(repo.cwd)).toEqual([])
    await expect(addon().listCheckpoints(temporaryFolder())).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' })
    await expect(addon().listCheckpoints('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const signal = AbortSignal.abort()
    await expect(addon().listCheckpoints(repo.cwd, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
  })
})
