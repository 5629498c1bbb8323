// Whose repositories are opened: for each variant what git itself says, asked in the same place and environment.
// Ownership can only be given away by root; elsewhere there is nothing to try.
import { spawnSync } from 'node:child_process'
import { lchownSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitEnvironment, runGit } from './support/git.js'
import { temporaryFolder } from './support/turn-repository.js'

const OTHER = 12_345
const root = join(import.meta.dirname, '..')
const homeOfRoot = userInfo().homedir
/** Git says where its parts are: `<prefix>/libexec/git-core`. */
const prefix = dirname(dirname(spawnSync('git', ['--exec-path'], { encoding: 'utf8' }).stdout.trim()))

interface Verdict {
  git: boolean
  ours: boolean
  code?: string
  message?: string
}

/** Gives a path and all that is in it to somebody. */
function give(path: string, user: number): void {
  lchownSync(path, user, user)
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) lchownSync(join(path, name), user, user)
}

class Place {
  readonly home = realpathSync(temporaryFolder())
  readonly env: Record<string, string>
  readonly repo = join(this.home, 'code/repo')

  constructor() {
    this.env = { ...gitEnvironment(this.home), GIT_CONFIG_COUNT: '0' }
    mkdirSync(this.repo, { recursive: true })
    runGit(this.repo, gitEnvironment(this.home), ['init', '-q'])
    runGit(this.repo, gitEnvironment(this.home), ['commit', '-q', '--allow-empty', '-m', 'first'])
  }

  /** Settings of the person. */
  settings(text: string): this {
    writeFileSync(join(this.home, 'gitconfig'), text)
    return this
  }

  /** What git says and what we say, from the same folder. */
  ask(cwd = this.repo, extra: Record<string, string> = {}): Verdict {
    const env = { ...this.env, ...extra }
    const git = spawnSync('git', ['rev-parse', '--git-dir'], { cwd, env })
    const script = `require(${JSON.stringify(root)}).readHead(${JSON.stringify(cwd)}).then(
      () => console.log('{}'), ({ code, message }) => console.log(JSON.stringify({ code, message })))`
    const ours = spawnSync(process.execPath, ['-e', script], { cwd, env, encoding: 'utf8' })
    const said = JSON.parse(ours.stdout) as { code?: string; message?: string }
    return { git: git.status === 0, ours: said.code === undefined, ...said }
  }
}

function list(...values: string[]): string {
  return `[safe]\n${values.map((value) => `\tdirectory = ${value}\n`).join('')}`
}

describe.runIf(process.getuid?.() === 0)('a repository of another user', () => {
  const theirs = () => {
    const place = new Place()
    give(place.repo, OTHER)
    return place
  }

  it('is refused, with its path and the way out', () => {
    const place = theirs()
    const verdict = place.ask()
    expect(verdict).toMatchObject({ git: false, ours: false, code: 'NOT_OWNED' })
    expect(verdict.message).toContain(`git config --global --add safe.directory '${place.repo}'`)
  })

  const values: [string, boolean, (place: Place) => string[]][] = [
    ['its path', true, ({ repo }) => [repo]],
    ['a star', true, () => ['*']],
    ['another path', false, ({ repo }) => [`${repo}2`]],
    ['its path with a slash', true, ({ repo }) => [`${repo}/`]],
    ['its git directory', false, ({ repo }) => [join(repo, '.git')]],
    ['the folder above', false, ({ home }) => [join(home, 'code')]],
    ['all below the folder above', true, ({ home }) => [join(home, 'code/*')]],
    ['all below a folder further above', true, ({ home }) => [join(home, '*')]],
    ['all below everything', true, () => ['/*']],
    ['all below itself', false, ({ repo }) => [join(repo, '*')]],
    ['all below a folder whose name only begins so', false, ({ home }) => [join(home, 'cod/*')]],
    ['a path from home', true, () => ['~/code/repo']],
    ['all below a folder of home', true, () => ['~/code/*']],
    ['home itself, above', false, () => ['~']],
    ['all below home', true, () => ['~/*']],
    ['a path from the home of a user', true, ({ repo }) => [`~root/${relative(homeOfRoot, repo)}`]],
    ['all below the home of a user by way of the root', true, () => [`~root/${relative(homeOfRoot, '/')}/*`]],
    ['a path from the home of nobody known', false, ({ repo }) => [`~no-such-user/${relative(homeOfRoot, repo)}`]],
    ['a path from where git is', true, ({ repo }) => [`%(prefix)/${relative(prefix, repo)}`]],
    ['another path from where git is', false, () => ['%(prefix)/nowhere']],
    ['where git is, without a slash', false, () => ['%(prefix)']],
    ['a relative path', false, () => ['code/repo']],
    ['a dot', true, () => ['.']],
    ['a star that is taken back', false, () => ['*', '']],
    ['its path, taken back, and then a star', true, ({ repo }) => [repo, '', '*']],
    ['its path among others', true, ({ repo }) => ['/nowhere', repo, '/elsewhere']],
    ['a path with dots', true, ({ home }) => [`${join(home, 'code')}/../code/repo`]],
    ['a path of nobody', false, () => ['/nowhere/at/all']],
  ]
  for (const [name, safe, of] of values) {
    it(`safe.directory is ${name}: ${safe ? 'opened' : 'refused'}, as by git`, () => {
      const place = theirs()
      expect(place.settings(list(...of(place))).ask()).toMatchObject({ git: safe, ours: safe })
    })
  }

  it('a key without a value takes back', () => {
    expect(theirs().settings('[safe]\n\tdirectory = *\n\tdirectory\n').ask()).toMatchObject({ git: false, ours: false })
  })

  it('a path over a link is the path that it leads to', () => {
    const place = theirs()
    symlinkSync(join(place.home, 'code'), join(place.home, 'link'))
    place.settings(list(join(place.home, 'link/repo')))
    expect(place.ask()).toMatchObject({ git: true, ours: true })
    expect(place.ask(join(place.home, 'link/repo'))).toMatchObject({ git: true, ours: true })
  })

  it('a dot counts at the top of the repository only', () => {
    const place = theirs().settings(list('.'))
    mkdirSync(join(place.repo, 'sub'))
    expect(place.ask(join(place.repo, 'sub'))).toMatchObject({ git: false, ours: false })
  })

  it('what the repository says of itself does not count', () => {
    const place = theirs()
    writeFileSync(join(place.repo, '.git/config'), `[core]\n\trepositoryformatversion = 0\n${list('*')}`)
    expect(place.ask()).toMatchObject({ git: false, ours: false })
  })

  it('settings of the environment count, after those of files', () => {
    const counted = (value: string) => ({
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'Safe.Directory',
      GIT_CONFIG_VALUE_0: value,
    })
    const place = theirs()
    expect(place.ask(place.repo, counted(place.repo))).toMatchObject({ git: true, ours: true })
    expect(place.settings(list('*')).ask(place.repo, counted(''))).toMatchObject({ git: false, ours: false })
    const parameters = { GIT_CONFIG_PARAMETERS: `'safe.directory'='${place.repo}'` }
    expect(place.settings('').ask(place.repo, parameters)).toMatchObject({ git: true, ours: true })
  })

  it('settings of the system count, unless they are switched off', () => {
    const place = theirs()
    const file = join(place.home, 'system')
    writeFileSync(file, list('*'))
    const on = { GIT_CONFIG_SYSTEM: file, GIT_CONFIG_NOSYSTEM: '0' }
    expect(place.ask(place.repo, on)).toMatchObject({ git: true, ours: true })
    expect(place.ask(place.repo, { ...on, GIT_CONFIG_NOSYSTEM: '1' })).toMatchObject({ git: false, ours: false })
  })

  it('without GIT_CONFIG_GLOBAL the files of home count, XDG first', () => {
    const place = theirs()
    const { GIT_CONFIG_GLOBAL: _, XDG_CONFIG_HOME: __, ...env } = place.env
    Object.assign(place, { env })
    mkdirSync(join(place.home, '.config/git'), { recursive: true })
    writeFileSync(join(place.home, '.config/git/config'), list('*'))
    expect(place.ask()).toMatchObject({ git: true, ours: true })
    writeFileSync(join(place.home, '.gitconfig'), '[safe]\n\tdirectory = ""\n')
    expect(place.ask()).toMatchObject({ git: false, ours: false })
  })

  it('an included file counts', () => {
    const place = theirs()
    writeFileSync(join(place.home, 'more'), list('*'))
    expect(place.settings('[include]\n\tpath = more\n').ask()).toMatchObject({ git: true, ours: true })
  })

  it('from inside of it, bare, over a .git file, in a linked worktree', () => {
    const place = theirs()
    const git = (cwd: string, ...args: string[]) => runGit(cwd, { ...gitEnvironment(place.home) }, args)
    const bare = join(place.home, 'bare.git')
    git(place.home, 'init', '-q', '--bare', bare)
    const separate = join(place.home, 'separate')
    git(place.home, 'init', '-q', '--separate-git-dir', join(place.home, 'apart'), separate)
    const main = join(place.home, 'main')
    git(place.home, 'init', '-q', main)
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first')
    git(main, 'worktree', 'add', '-q', '../linked')
    const places: [string, () => void][] = [
      [join(place.repo, '.git'), () => {}],
      [bare, () => give(bare, OTHER)],
      [separate, () => lchownSync(join(separate, '.git'), OTHER, OTHER)],
      [join(place.home, 'linked'), () => give(join(main, '.git/worktrees/linked'), OTHER)],
    ]
    for (const [cwd, hand] of places) {
      hand()
      expect({ cwd, ...place.settings('').ask(cwd) }).toMatchObject({ cwd, git: false, ours: false, code: 'NOT_OWNED' })
      expect({ cwd, ...place.settings(list(cwd)).ask(cwd) }).toMatchObject({ cwd, git: true, ours: true })
    }
  })

  it('only the worktree is theirs, or only the git directory: refused', () => {
    const worktree = new Place()
    lchownSync(worktree.repo, OTHER, OTHER)
    expect(worktree.ask()).toMatchObject({ git: false, ours: false })
    const folder = new Place()
    lchownSync(join(folder.repo, '.git'), OTHER, OTHER)
    expect(folder.ask()).toMatchObject({ git: false, ours: false })
    const file = new Place()
    lchownSync(join(file.repo, '.git/config'), OTHER, OTHER)
    expect(file.ask()).toMatchObject({ git: true, ours: true })
  })

  it('what is given away, or trusted no more, while it is kept open: refused from then on', () => {
    const hands: [string, Place, string][] = [
      ['the worktree', new Place(), `fs.lchownSync(repo, ${OTHER}, ${OTHER})`],
      ['trust', theirs().settings(list('*')), "fs.writeFileSync(settings, '')"],
    ]
    for (const [what, place, change] of hands) {
      const script = `const fs = require('fs'), { readHead } = require(${JSON.stringify(root)})
        const repo = ${JSON.stringify(place.repo)}, settings = ${JSON.stringify(join(place.home, 'gitconfig'))}
        const said = () => readHead(repo).then(() => 'opened', ({ code }) => code)
        setTimeout(async () => {
          const before = [await said(), await said()]
          ${change}
          console.log(JSON.stringify([...before, await said()]))
        }, 120)`
      const run = spawnSync(process.execPath, ['-e', script], { cwd: place.home, env: place.env, encoding: 'utf8' })
      expect({ what, said: JSON.parse(run.stdout) }).toEqual({ what, said: ['opened', 'opened', 'NOT_OWNED'] })
    }
  })

  it('of the user who called sudo: opened; a root without sudo is not that user', () => {
    const place = theirs()
    expect(place.ask(place.repo, { SUDO_UID: String(OTHER) })).toMatchObject({ git: true, ours: true })
    expect(place.ask(place.repo, { SUDO_UID: '4321' })).toMatchObject({ git: false, ours: false })
    expect(place.ask(place.repo, { SUDO_UID: '' })).toMatchObject({ git: false, ours: false })
  })
})
