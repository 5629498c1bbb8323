// Where the parts of a repository lie: the answer is that of a plain one.
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { ask, expectNothingHidden } from '../scenarios/play.js'
import { addon } from '../support/addon.js'
import { runGit } from '../support/git.js'
import { TurnRepository } from '../support/turn-repository.js'
import { expectAnswer, expectHeadOfGit, expectSameAsPlain, past, type Setting, tell, told } from './story.js'

/** Another checkout beside the first, in which the story is told. */
function at(home: TurnRepository, folder: string): Setting {
  return { home, repo: new TurnRepository(home.root, {}, folder) }
}

function linkedWorktree(name = 'linked'): Setting {
  const { home } = past()
  const folder = join(home.root, name)
  home.git('switch', '-q', '-c', 'elsewhere')
  home.git('worktree', 'add', '-q', folder, 'main')
  return at(home, folder)
}

it('a linked worktree: its own head and its own log', async () => {
  const setting = linkedWorktree()
  await expectSameAsPlain(setting)
  await expectHeadOfGit(setting.home)
})

it('the main worktree, while another one works on', async () => {
  const { home } = past()
  const other = home.worktree('other')
  const request = await tell({ repo: home, home })
  other.write('src/pulled.ts', 'other\n').commit('of the other')
  const turn = await ask(home, request, { askLater: false })
  await expectAnswer(request)
  expect(turn.result.branchTransition.toBranch).toBe('topic/ünï')
})

it('a worktree with relative paths, which newer versions of git make', async () => {
  const setting = linkedWorktree()
  const request = await tell(setting)
  const { home, repo } = setting
  const inside = join(home.cwd, '.git/worktrees', basename(repo.cwd))
  home.git('config', 'core.repositoryFormatVersion', '1')
  home.git('config', 'extensions.relativeWorktrees', 'true')
  writeFileSync(join(repo.cwd, '.git'), `gitdir: ${relative(repo.cwd, inside)}\n`)
  writeFileSync(join(inside, 'gitdir'), `${relative(inside, join(repo.cwd, '.git'))}\n`)
  await expectAnswer(request)
  const facts = await addon().readHead(repo.cwd)
  expect(facts).toMatchObject({ headOid: request.to.headOid, branch: 'topic/ünï' })
})

it('relative paths without the extension, made by hand', async () => {
  const setting = linkedWorktree()
  const { home, repo } = setting
  const inside = join(home.cwd, '.git/worktrees', basename(repo.cwd))
  writeFileSync(join(repo.cwd, '.git'), `gitdir: ${relative(repo.cwd, inside)}\n`)
  await expectSameAsPlain(setting)
})

it('a bare repository in `.bare` with its worktrees beside it', async () => {
  const { home } = past()
  const place = join(home.root, 'project')
  mkdirSync(place)
  runGit(home.root, home.env, ['clone', '-q', '--bare', home.origin, join(place, '.bare')])
  writeFileSync(join(place, '.git'), 'gitdir: ./.bare\n')
  runGit(place, home.env, ['worktree', 'add', '-q', 'main', 'main'])
  const setting = at(home, join(place, 'main'))
  setting.repo.git('config', 'user.email', 'robin@example.org')
  await expectSameAsPlain(setting)
})

it('settings of one worktree', async () => {
  const setting = linkedWorktree()
  setting.home.git('config', 'extensions.worktreeConfig', 'true')
  setting.repo.git('config', '--worktree', 'core.ignoreCase', 'false')
  setting.repo.git('config', '--worktree', 'user.name', 'Somebody')
  await expectSameAsPlain(setting)
})

it('a git directory elsewhere', async () => {
  const { home } = past()
  runGit(home.cwd, home.env, ['init', '-q', '--separate-git-dir', join(home.root, 'elsewhere.git')])
  await expectSameAsPlain({ home, repo: home })
})

it('a `.git` that is a link', async () => {
  const { home } = past()
  renameSync(join(home.cwd, '.git'), join(home.root, 'real.git'))
  home.symlink('../real.git', '.git')
  await expectSameAsPlain({ home, repo: home })
})

it('a workspace that is a folder of the repository: asked from there', async () => {
  const { home } = past()
  const request = await tell({ home, repo: home })
  await expectAnswer({ ...request, cwd: join(home.cwd, 'src') })
})

it('a bare repository, with everything given', async () => {
  const { home } = past()
  const request = await tell({ home, repo: home })
  const bare = join(home.root, 'bare.git')
  cpSync(join(home.cwd, '.git'), bare, { recursive: true })
  runGit(bare, home.env, ['config', 'core.bare', 'true'])
  await expectAnswer({ ...request, cwd: bare })
})

it('a mirror without logs: the same, or more with the reason', async () => {
  const { home } = past()
  const request = await tell({ home, repo: home })
  const first = await expectAnswer(request)
  const mirror = join(home.root, 'mirror.git')
  runGit(home.root, home.env, ['clone', '-q', '--mirror', home.cwd, mirror])
  const result = await addon().attributeTurn({ ...request, cwd: mirror, demoted: 'paths' })
  expectNothingHidden(first, result, 'in a mirror')
  expect(result.shown.length).toBeGreaterThan(0)
  expect(told(result)).toMatchObject({ branchTransition: { toBranch: 'topic/ünï' } })
})

it('a repository inside another, and one that is a submodule', async () => {
  const { home } = past()
  const outer = TurnRepository.create({ 'outer.txt': 'outer\n' })
  const nested = join(outer.cwd, 'nested')
  runGit(outer.cwd, outer.env, ['clone', '-q', home.origin, nested])
  const setting = at(home, nested)
  setting.repo.git('config', 'user.email', 'robin@example.org')
  await expectSameAsPlain(setting)
  outer.discard()

  const { home: inner } = past()
  const superproject = TurnRepository.create({ 'outer.txt': 'outer\n' })
  superproject.git('submodule', '-q', 'add', inner.origin, 'module')
  const module = at(inner, join(superproject.cwd, 'module'))
  expect(readFileSync(join(module.repo.cwd, '.git'), 'utf8')).toMatch(/^gitdir: /)
  await expectSameAsPlain(module)
})
