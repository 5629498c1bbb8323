// One turn with a little of everything, to be told in repositories of every format: the answer must be the same.
import { expect } from 'vitest'
import { ask, type PlayedTurn } from '../scenarios/play.js'
import { type AttributeTurnRequest, addon, type Checkpoint, type TurnAttribution } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'

/** What a repository is made as, where git lets one choose. */
export interface Made {
  hash?: 'sha1' | 'sha256'
  refs?: 'files' | 'reftable'
}

export interface Setting {
  /** Where the turn is told. */
  repo: TurnRepository
  /** The repository that the colleague's clone hangs on; the same one but for clones and worktrees. */
  home: TurnRepository
}

/** Makes repositories as `made` says while `make` runs. */
export function madeAs<Value>(made: Made, make: () => Value): Value {
  const wanted = { GIT_DEFAULT_HASH: made.hash, GIT_DEFAULT_REF_FORMAT: made.refs }
  const before = Object.keys(wanted).map((name) => [name, process.env[name]] as const)
  const put = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) put(name, value)
  try {
    return make()
  } finally {
    for (const [name, value] of before) put(name, value)
  }
}

/** A repository with the past that the story needs. */
export function past(made: Made = {}): Setting {
  return madeAs(made, () => {
    // Deep enough for a shallow clone to have a boundary.
    const home = TurnRepository.create({ 'readme.md': 'hello\n' })
    home.append('readme.md', 'more\n').commit('more')
    const files = {
      'src/pulled.ts': lines(20),
      'src/both.ts': lines(30),
      'src/dirty.ts': lines(20),
      'src/after.ts': lines(9),
      'src/gone.ts': 'gone\n',
      'src/ünï code.ts': 'one\n',
      'docs/picked.md': lines(12),
      'tools/run.sh': '#!/bin/sh\n',
      'assets/logo.bin': Uint8Array.from([1, 0, 2, 0, 3]),
      '.gitattributes': '*.bin binary\n',
    }
    for (const [path, content] of Object.entries(files)) home.write(path, content)
    home.commit('the past')
    home.push('main')
    home.teammate.push({ 'docs/picked.md': lines(12).replace('line 3\n', 'picked\n') }, { branch: 'side' })
    home.fetch()
    return { repo: home, home }
  })
}

/** The story: told between two checkpoints. */
export async function tell({ repo, home }: Setting): Promise<AttributeTurnRequest> {
  repo.edit('src/dirty.ts', 3, 'uncommitted, of before')
  repo.write('untracked-before.txt', 'before\n')
  const from = await repo.startTurn()
  home.teammate.push(
    {
      'src/pulled.ts': lines(20).replace('line 5\n', 'theirs\n'),
      'src/both.ts': lines(30).replace('line 4\n', 'theirs\n'),
      'src/dirty.ts': lines(20).replace('line 17\n', 'theirs\n'),
      'src/up.ts': 'new upstream\n',
    },
    { remove: ['src/gone.ts'], chmod: { 'tools/run.sh': 0o755 } },
  )
  const pulled = repo.tryGit('pull', '-q', '--no-rebase', '--ff-only', '--autostash', 'origin', 'main')
  expect(pulled.stderr + pulled.stdout, 'pull').not.toMatch(/fatal|error/)
  repo.edit('src/both.ts', 25, 'mine').write('src/new.ts', 'mine\n')
  repo.git('add', 'src/both.ts', 'src/new.ts')
  repo.commit('mine', { all: false })
  const picked = repo.cherryPick(home === repo ? 'origin/side' : home.oid('origin/side'))
  expect(picked.status, picked.stderr).toBe(0)
  repo.edit('src/after.ts', 2, 'mine, uncommitted').edit('src/ünï code.ts', 1, 'mine')
  repo.write('assets/logo.bin', Uint8Array.from([1, 0, 2, 0, 4])).write('untracked.txt', 'untracked\n')
  repo.git('switch', '-q', '-c', 'topic/ünï')
  return { cwd: repo.cwd, from, to: await repo.endTurn() }
}

/** The answer without what differs between any two repositories: the ids. */
export function told(result: TurnAttribution): unknown {
  return JSON.parse(
    JSON.stringify(result, (_, value: unknown) =>
      typeof value === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? 'oid' : value,
    ),
  )
}

let plain: Promise<unknown> | undefined

/** The answer in a plain repository. */
export function plainAnswer(): Promise<unknown> {
  plain ??= (async () => {
    const setting = past({ hash: 'sha1', refs: 'files' })
    const turn = await ask(setting.repo, await tell(setting), { askLater: false })
    turn.toShow(['assets/logo.bin', 'src/after.ts', 'src/both.ts', 'src/new.ts', 'src/ünï code.ts', 'untracked.txt'])
    turn.toDemote(6).toBeAttributed().toCount('src/both.ts', 1, 1)
    expect(turn.result.attribution).toMatchObject({ evidence: 'reflog', notes: [] })
    setting.home.discard()
    return told(turn.result)
  })()
  return plain
}

/** Tells the story in a repository and expects what a plain one gives. */
export async function expectSameAsPlain(setting: Setting): Promise<PlayedTurn> {
  const turn = await ask(setting.repo, await tell(setting), { askLater: false })
  expect(told(turn.result)).toEqual(await plainAnswer())
  await expectHeadOfGit(setting.repo)
  return turn
}

/** Asks about a story that was told already, without git beside: for what this git cannot open itself. */
export async function expectAnswer(request: AttributeTurnRequest): Promise<TurnAttribution> {
  const result = await addon().attributeTurn({ ...request, demoted: 'paths' })
  expect(told(result)).toEqual(await plainAnswer())
  return result
}

/** `readHead` says what git says. */
export async function expectHeadOfGit(repo: TurnRepository): Promise<void> {
  const facts = await addon().readHead(repo.cwd)
  const oid = repo.tryGit('rev-parse', '-q', '--verify', 'HEAD^{commit}')
  const branch = repo.tryGit('symbolic-ref', '-q', 'HEAD')
  expect({ headOid: facts.headOid, branch: facts.branch }).toEqual({
    headOid: oid.status === 0 ? oid.stdout.trim() : null,
    branch: branch.status === 0 ? branch.stdout.trim().replace(/^refs\/heads\//, '') : null,
  })
}

/** A checkpoint without its pin. */
export function withoutPin({ pin: _, ...checkpoint }: Checkpoint): Checkpoint {
  return checkpoint
}
