// A repository to tell a turn's story in, over real git. See the words below; each runs real commands at once.
//
//   const repo = TurnRepository.create({ 'a.ts': lines(20), 'b.ts': 'one\n' })   // committed, pushed to a bare origin
//   repo.edit('a.ts', 3, 'third'); repo.commit('earlier work')                   // before the turn: old dates
//   repo.teammate.push({ 'up.ts': 'upstream\n' })                                // on origin, not fetched yet
//   const from = await repo.startTurn()                                          // checkpoint; real dates from here on
//   repo.pull(); repo.edit('b.ts', 1, 'mine')
//   const to = await repo.endTurn()
//   const result = await addon().attributeTurn({ cwd: repo.cwd, from, to, demoted: 'paths' })
//   expectTurn(result).toShow(['b.ts']).toDemote(1).toCover(repo, from.ref, to.ref)
//
// Words: write create edit append remove move chmod symlink read | commit amend pull fetch push checkout switchNew
// rebase rebaseInteractive rebaseOnto autosquash stash stashPop bisect merge mergeSquash cherryPick revert reset tag
// branch worktree filterBranch orphan plumbingCommit submodule | resolve proceed abort | git tryGit oid.
// `repo.teammate.push(files, { late: true })` in a turn dates the commit now; without `late` it stays old.
// `repo.before(() => …)` dates whatever it runs before the turn. `TurnRepository.empty()` is unborn.
// Folders are removed when the process ends; `repo.discard()` removes them earlier.
// Without the built addon: `TurnRepository.create(files, { readHead: 'git' })` records head and branch, no pin.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Checkpoint } from './addon.js'
import { addon, type ReadHead, readHeadByGit } from './addon.js'
import { Clock } from './clock.js'
import { type FolderState, folderChanges, folderState } from './folder-state.js'
import {
  type GitEnvironment,
  type GitOptions,
  type GitRun,
  gitEnvironment,
  owner,
  type Person,
  runGit,
  tryGit,
} from './git.js'
import { editorThatWrites } from './sequence-plan.js'
import { takeSnapshot } from './snapshot.js'
import { Teammate } from './teammate.js'
import { type DeltaEntry, gitNameStatus, gitNumstat, gitTreeDelta, type LineCount } from './tree-delta.js'

export type FileTexts = Record<string, string>

export interface CommitOptions {
  /** Stage everything first (default). With `paths`: only these are committed. */
  all?: boolean
  paths?: string[]
  author?: Person
  date?: string
  committerDate?: string
  amend?: boolean
  noEdit?: boolean
  fixup?: string
  allowEmpty?: boolean
}

export interface PullOptions {
  mode?: 'ff-only' | 'merge' | 'rebase'
  autostash?: boolean
  remote?: string
  branch?: string
}

export interface CreateOptions {
  readHead?: ReadHead | 'git'
  person?: Person
}

/** `count` lines that are all different: room for clean merges. */
export function lines(count: number, word = 'line'): string {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('')
}

const folders = new Set<string>()
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new temporary folder, removed when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turn-attribution-'))
  folders.add(folder)
  return folder
}

/** The folder stays when the process ends. */
export function keepFolder(folder: string): void {
  folders.delete(folder)
}

export class TurnRepository {
  readonly clock = new Clock()
  readonly env: GitEnvironment
  /** The bare remote, `origin`. */
  readonly origin: string
  readonly cwd: string
  private readonly readHead: ReadHead
  private readonly person: Person
  private colleagueClone: Teammate | undefined
  private checkpoints = 0

  constructor(
    readonly root: string,
    options: CreateOptions = {},
    cwd?: string,
  ) {
    this.origin = join(root, 'origin.git')
    this.cwd = cwd ?? join(root, 'checkout')
    const home = join(root, 'home')
    mkdirSync(home, { recursive: true })
    this.person = options.person ?? owner
    this.env = gitEnvironment(home, this.person)
    this.readHead =
      options.readHead === 'git'
        ? readHeadByGit(this.env)
        : (options.readHead ?? ((folder) => addon().readHead(folder)))
  }

  /** An unborn repository on `main` with an empty bare origin. */
  static empty(options: CreateOptions = {}): TurnRepository {
    const repo = new TurnRepository(temporaryFolder(), options)
    runGit(repo.root, repo.env, ['init', '-q', '--bare', repo.origin])
    runGit(repo.root, repo.env, ['init', '-q', repo.cwd])
    repo.git('remote', 'add', 'origin', repo.origin)
    // Also in the repository's own config: attribution looks there for the identity, not in the environment.
    repo.git('config', 'user.name', repo.person.name)
    repo.git('config', 'user.email', repo.person.email)
    return repo
  }

  /** A repository with these files committed on `main`, pushed, upstream set. */
  static create(files: FileTexts = { 'readme.md': 'hello\n' }, options: CreateOptions = {}): TurnRepository {
    const repo = TurnRepository.empty(options)
    for (const [path, text] of Object.entries(files)) repo.write(path, text)
    repo.commit('first')
    repo.push('-u', 'main')
    return repo
  }

  // ---- the turn

  /** Takes the checkpoint a turn begins at; from here on dates are real. */
  async startTurn(): Promise<Checkpoint> {
    this.clock.beginTurn()
    const turnStartedAt = Date.now()
    return { ...(await this.checkpoint()), turnStartedAt }
  }

  /** Takes the checkpoint a turn ends at. It may serve as the start of the next turn too. */
  async endTurn(): Promise<Checkpoint> {
    return { ...(await this.checkpoint()), turnStartedAt: Date.now() }
  }

  /** A snapshot with what the host records beside it, kept alive by a ref. */
  async checkpoint(cwd = this.cwd): Promise<Checkpoint> {
    const oid = takeSnapshot(cwd, this.env)
    this.checkpoints += 1
    runGit(cwd, this.env, ['update-ref', `refs/t3/checkpoints/test/turn/${this.checkpoints}`, oid])
    const facts = await this.readHead(cwd)
    const checkpoint: Checkpoint = { ref: oid, headOid: facts.headOid, branch: facts.branch }
    if (facts.pin !== undefined) checkpoint.pin = facts.pin
    return checkpoint
  }

  /** Runs `story` with old dates, whatever the clock says. */
  before<Value>(story: () => Value): Value {
    const inTurn = this.clock.isInTurn
    this.clock.beforeTurn()
    try {
      return story()
    } finally {
      if (inTurn) this.clock.beginTurn()
    }
  }

  // ---- git itself

  git(...args: string[]): string {
    return this.gitWith({}, ...args)
  }

  gitWith(options: GitOptions, ...args: string[]): string {
    return runGit(this.cwd, this.env, args, { ...options, env: { ...this.clock.environment(), ...options.env } })
  }

  /** For commands that may stop on a conflict. */
  tryGit(...args: string[]): GitRun {
    return this.tryGitWith({}, ...args)
  }

  tryGitWith(options: GitOptions, ...args: string[]): GitRun {
    return tryGit(this.cwd, this.env, args, { ...options, env: { ...this.clock.environment(), ...options.env } })
  }

  oid(revision = 'HEAD'): string {
    return runGit(this.cwd, this.env, ['rev-parse', '--verify', revision])
  }

  // ---- the agent's hand

  path(path: string): string {
    return join(this.cwd, path)
  }

  read(path: string): string {
    const full = this.path(path)
    return lstatSync(full).isSymbolicLink() ? readlinkSync(full) : readFileSync(full, 'utf8')
  }

  write(path: string, content: string | Uint8Array): this {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), content)
    return this
  }

  create(path: string, content: string | Uint8Array): this {
    return this.write(path, content)
  }

  /** Replaces line `line` (from 1), or the whole text by a function of it. */
  edit(path: string, line: number, text: string): this
  edit(path: string, change: (text: string) => string): this
  edit(path: string, where: number | ((text: string) => string), text = ''): this {
    const before = this.read(path)
    if (typeof where === 'function') return this.write(path, where(before))
    const all = before.split('\n')
    if (where < 1 || where > all.length) throw new Error(`${path} has no line ${where}`)
    all[where - 1] = text
    return this.write(path, all.join('\n'))
  }

  append(path: string, text: string): this {
    return this.edit(path, (before) => before + text)
  }

  remove(path: string): this {
    rmSync(this.path(path), { recursive: true })
    return this
  }

  move(from: string, to: string): this {
    mkdirSync(dirname(this.path(to)), { recursive: true })
    renameSync(this.path(from), this.path(to))
    return this
  }

  chmod(path: string, mode: number | '+x' | '-x'): this {
    chmodSync(this.path(path), mode === '+x' ? 0o755 : mode === '-x' ? 0o644 : mode)
    return this
  }

  symlink(target: string, path: string): this {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    rmSync(this.path(path), { force: true })
    symlinkSync(target, this.path(path))
    return this
  }

  // ---- git words

  commit(message = 'work', options: CommitOptions = {}): string {
    if (options.all !== false && options.paths === undefined) this.git('add', '-A')
    const args = ['commit', '-q']
    if (options.fixup !== undefined) args.push(`--fixup=${options.fixup}`)
    else if (options.noEdit) args.push('--no-edit')
    else args.push('-m', message)
    if (options.amend) args.push('--amend')
    if (options.author) args.push(`--author=${options.author.name} <${options.author.email}>`)
    if (options.date !== undefined) args.push(`--date=${options.date}`)
    if (options.allowEmpty) args.push('--allow-empty')
    if (options.paths) args.push('--', ...options.paths)
    const env = options.committerDate === undefined ? {} : { GIT_COMMITTER_DATE: options.committerDate }
    this.gitWith({ env }, ...args)
    return this.oid()
  }

  /** Amends HEAD with everything in the working tree; a message rewords too. */
  amend(message?: string, options: CommitOptions = {}): string {
    return this.commit(message, { ...options, amend: true, noEdit: message === undefined, allowEmpty: true })
  }

  pull(options: PullOptions = {}): GitRun {
    const mode = options.mode ?? 'ff-only'
    const flags = mode === 'ff-only' ? ['--ff-only'] : mode === 'rebase' ? ['--rebase'] : ['--no-rebase', '--no-edit']
    if (options.autostash) flags.push('--autostash')
    const from = options.branch === undefined ? [] : [options.remote ?? 'origin', options.branch]
    return this.tryGit('pull', ...flags, ...from)
  }

  fetch(...args: string[]): this {
    this.git('fetch', '-q', ...(args.length > 0 ? args : ['origin']))
    return this
  }

  /** `push('-u', 'main')`, `push('--force', 'topic')`. */
  push(...args: string[]): this {
    const flags = args.filter((arg) => arg.startsWith('-'))
    this.git('push', '-q', ...flags, 'origin', ...args.filter((arg) => !arg.startsWith('-')))
    return this
  }

  checkout(...args: string[]): this {
    this.git('checkout', '-q', ...args)
    return this
  }

  switchNew(branch: string, start = 'HEAD'): this {
    this.git('switch', '-q', '-c', branch, start)
    return this
  }

  branch(...args: string[]): this {
    this.git('branch', ...args)
    return this
  }

  tag(name: string, revision = 'HEAD'): this {
    this.git('tag', name, revision)
    return this
  }

  /** May stop on a conflict: look at the status, then `resolve` and `proceed`. */
  rebase(upstream: string, ...flags: string[]): GitRun {
    return this.tryGit('rebase', ...flags, upstream)
  }

  rebaseOnto(onto: string, upstream: string, ...flags: string[]): GitRun {
    return this.tryGit('rebase', ...flags, '--onto', onto, upstream)
  }

  /**
   * Interactive rebase with a todo list of ours: the function gets the commits, oldest first, and returns the lines
   * (`edit <oid>`, `squash <oid>`, `exec <command>` …). `message` is what every message editor writes.
   */
  rebaseInteractive(
    upstream: string,
    plan: (commits: string[]) => string[],
    message?: string,
    ...flags: string[]
  ): GitRun {
    const commits = runGit(this.cwd, this.env, ['rev-list', '--reverse', '--no-merges', `${upstream}..HEAD`])
      .split('\n')
      .filter(Boolean)
    const env: Record<string, string> = {
      GIT_SEQUENCE_EDITOR: editorThatWrites(this.env.HOME, plan(commits).join('\n')),
    }
    if (message !== undefined) env.GIT_EDITOR = editorThatWrites(this.env.HOME, message)
    return this.tryGitWith({ env }, 'rebase', '-i', ...flags, upstream)
  }

  autosquash(upstream: string): GitRun {
    return this.tryGit('rebase', '-i', '--autosquash', upstream)
  }

  stash(...args: string[]): this {
    this.git('stash', 'push', '-q', ...args)
    return this
  }

  stashPop(...args: string[]): GitRun {
    return this.tryGit('stash', 'pop', '-q', ...args)
  }

  bisect(...args: string[]): this {
    this.git('bisect', ...args)
    return this
  }

  /** `merge('side', '--no-ff')`, `merge(['a', 'b'])`, `merge('up', '-s', 'ours')`, `merge('up', '--no-commit')`. */
  merge(heads: string | string[], ...flags: string[]): GitRun {
    return this.tryGit('merge', '--no-edit', ...flags, ...(typeof heads === 'string' ? [heads] : heads))
  }

  mergeSquash(head: string, message = 'squashed'): string {
    this.git('merge', '-q', '--squash', head)
    return this.commit(message, { all: false })
  }

  cherryPick(...args: string[]): GitRun {
    return this.tryGit('cherry-pick', ...args)
  }

  revert(revision: string, ...flags: string[]): GitRun {
    return this.tryGit('revert', '--no-edit', ...flags, revision)
  }

  reset(mode: 'soft' | 'mixed' | 'hard' | 'keep', revision = 'HEAD'): this {
    this.git('reset', '-q', `--${mode}`, revision)
    return this
  }

  /** Another working tree of the same repository, with the same words (a sub-agent's place). */
  worktree(branch: string, start = 'HEAD', name = branch.replace(/\W/g, '-')): TurnRepository {
    const folder = join(this.root, `worktree-${name}`)
    this.git('worktree', 'add', '-q', '-b', branch, folder, start)
    const other = new TurnRepository(this.root, { readHead: this.readHead, person: this.person }, folder)
    if (this.clock.isInTurn) other.clock.beginTurn()
    return other
  }

  worktreeRemove(worktree: TurnRepository): this {
    this.git('worktree', 'remove', '--force', worktree.cwd)
    return this
  }

  filterBranch(...args: string[]): this {
    this.git('filter-branch', '-f', ...args)
    return this
  }

  orphan(branch: string): this {
    this.git('checkout', '-q', '--orphan', branch)
    return this
  }

  /** A commit made of plumbing alone: `commit-tree`, then `update-ref`. */
  plumbingCommit(tree: string, parents: string[] = ['HEAD'], message = 'plumbing', ref = 'HEAD'): string {
    const oid = this.git(
      'commit-tree',
      this.oid(`${tree}^{tree}`),
      ...parents.flatMap((parent) => ['-p', this.oid(parent)]),
      '-m',
      message,
    )
    this.git('update-ref', ref, oid)
    return oid
  }

  /** Adds a submodule at `path` from a new repository with one commit; returns its source folder. */
  submodule(path: string, text = 'inner\n'): string {
    const source = join(this.root, `submodule-${path.replace(/\W/g, '-')}`)
    runGit(this.root, this.env, ['init', '-q', source])
    writeFileSync(join(source, 'inner.txt'), text)
    const dated = { env: this.clock.environment() }
    runGit(source, this.env, ['add', '-A'], dated)
    runGit(source, this.env, ['commit', '-q', '-m', 'inner'], dated)
    this.git('submodule', '-q', 'add', source, path)
    return source
  }

  /** Commits inside a submodule's checkout: its pointer moves. */
  commitInside(path: string, text: string): string {
    writeFileSync(join(this.path(path), 'inner.txt'), text)
    const dated = { env: this.clock.environment() }
    runGit(this.path(path), this.env, ['commit', '-q', '-a', '-m', 'inner work'], dated)
    return runGit(this.path(path), this.env, ['rev-parse', 'HEAD'])
  }

  /** Writes a conflict's resolution and stages it. */
  resolve(path: string, content: string): this {
    this.write(path, content)
    this.git('add', '--', path)
    return this
  }

  /** `--continue` of the operation that stopped. */
  proceed(operation: 'rebase' | 'merge' | 'cherry-pick' | 'revert' | 'am'): GitRun {
    return this.tryGit(operation, '--continue')
  }

  abort(operation: 'rebase' | 'merge' | 'cherry-pick' | 'revert' | 'am'): this {
    this.git(operation, '--abort')
    return this
  }

  // ---- the others

  /** The colleague's clone of origin; made on first use. */
  get teammate(): Teammate {
    this.colleagueClone ??= new Teammate(this.root, this.origin, this.env.HOME, this.clock)
    return this.colleagueClone
  }

  // ---- what to compare with

  numstat(from: string, to: string, ...options: string[]): Map<string, LineCount> {
    return gitNumstat(this, from, to, options)
  }

  nameStatus(from: string, to: string): Map<string, string> {
    return gitNameStatus(this, from, to)
  }

  treeDelta(from: string, to: string): Map<string, DeltaEntry> {
    return gitTreeDelta(this, from, to)
  }

  /** The `.git` folder, byte for byte. */
  gitFolderState(): FolderState {
    return folderState(join(this.cwd, '.git'))
  }

  /** What changed in the `.git` folder since `before`; must be empty after any call of ours. */
  gitFolderChanges(before: FolderState): string[] {
    return folderChanges(before, this.gitFolderState())
  }

  /** Forgets everything git is allowed to forget. */
  forgetReflogs(): this {
    this.git('reflog', 'expire', '--expire=now', '--all')
    this.git('gc', '-q')
    return this
  }

  discard(): void {
    rmSync(this.root, { recursive: true, force: true })
    folders.delete(this.root)
  }
}
