// The stage of one simulated turn: the repository, the ledger, and the words the operations are written in.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type GitEnvironment,
  type GitOptions,
  type GitRun,
  gitEnvironment,
  owner,
  runGit,
  tryGit,
} from '../support/git.js'
import { editorThatWrites } from '../support/sequence-plan.js'
import type { TurnRepository } from '../support/turn-repository.js'
import { type Author, Authorship } from './authorship.js'
import { type Content, identity, linesOf, readContent, textOf, writeContent } from './content.js'
import { type EditKind, Pen } from './pen.js'
import type { Random } from './random.js'

export type Stopped = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'am'

export class Scene {
  readonly ledger = new Authorship()
  readonly pen: Pen
  readonly story: string[] = []
  /** An operation was left open: the turn ends here. */
  leftOpen: Stopped | null = null
  /** Branch names that this turn made. */
  private names = 0

  constructor(
    readonly repo: TurnRepository,
    readonly random: Random,
  ) {
    this.pen = new Pen(random, this.ledger)
  }

  get cwd(): string {
    return this.repo.cwd
  }

  say(text: string): void {
    this.story.push(text)
  }

  // ---- git

  run(...args: string[]): GitRun {
    return this.runWith({}, ...args)
  }

  runWith(options: GitOptions, ...args: string[]): GitRun {
    const run = this.repo.tryGitWith(options, ...args)
    const trouble =
      run.status === 0
        ? ''
        : ` → ${run.status} ${(run.stderr + run.stdout)
            .split('\n')
            .filter((row) => /conflict|error|fatal/i.test(row))
            .slice(0, 2)
            .join(' | ')}`
    this.say(`  git ${args.join(' ')}${trouble}`)
    return run
  }

  ok(...args: string[]): boolean {
    return this.run(...args).status === 0
  }

  /** Asks git something, without a line in the story. */
  ask(...args: string[]): string {
    const run = tryGit(this.cwd, this.repo.env, args)
    return run.status === 0 ? run.stdout.trim() : ''
  }

  rows(...args: string[]): string[] {
    return this.ask(...args)
      .split('\n')
      .filter(Boolean)
  }

  head(): string {
    return this.ask('rev-parse', '-q', '--verify', 'HEAD')
  }

  branch(): string | null {
    return this.ask('symbolic-ref', '-q', '--short', 'HEAD') || null
  }

  /** Changed tracked or untracked paths. */
  dirty(): string[] {
    const run = tryGit(this.cwd, this.repo.env, ['status', '--porcelain', '-z', '--no-renames'])
    return run.stdout
      .split('\0')
      .filter(Boolean)
      .map((row) => row.slice(3))
  }

  isClean(): boolean {
    return this.dirty().length === 0
  }

  /** Commits of the current line that are no merges, newest first. */
  ownLine(count: number): string[] {
    return this.rows('rev-list', '--first-parent', `--max-count=${count}`, 'HEAD')
  }

  /** HEAD~1 … HEAD~count are plain commits with a parent each. */
  plainDepth(most: number): number {
    const rows = this.rows('rev-list', '--first-parent', '--parents', `--max-count=${most}`, 'HEAD')
    const at = rows.findIndex((row) => row.split(' ').length !== 2)
    return at === -1 ? rows.length : at
  }

  branches(): string[] {
    const current = this.branch()
    return this.rows('for-each-ref', '--format=%(refname:short)', 'refs/heads').filter((name) => name !== current)
  }

  /** Branches of before the turn, local ones and the remote's, that hold something HEAD has not. */
  aheadRefs(pattern = /./): string[] {
    const head = this.head()
    return this.rows(
      'for-each-ref',
      '--format=%(refname:short)',
      `--no-merged=${head}`,
      'refs/heads',
      'refs/remotes/origin',
    ).filter((name) => name !== 'origin' && name !== 'origin/HEAD' && !name.includes('vendor') && pattern.test(name))
  }

  newName(word: string): string {
    this.names += 1
    return `${word}-${this.names}`
  }

  editorOf(text: string): string {
    return editorThatWrites(this.repo.env.HOME, text)
  }

  // ---- hands

  content(folder = this.cwd): Content {
    return readContent(folder)
  }

  /** The agent's hand: whatever `change` does to the content is registered as the agent's. */
  hand(change: (content: Content) => string | string[] | null, folder = this.cwd, author: Author = 'agent'): boolean {
    const before = readContent(folder)
    const after: Content = new Map(before)
    const done = change(after)
    if (done === null || done.length === 0) return false
    writeContent(folder, before, after)
    this.ledger.recordHand(before, after, author, folder)
    this.say(
      `  ${author}${folder === this.cwd ? '' : ' elsewhere'}: ${typeof done === 'string' ? done : done.join('; ')}`,
    )
    return true
  }

  edit(kinds?: readonly EditKind[], count?: number, folder = this.cwd, author: Author = 'agent'): boolean {
    return this.hand((content) => this.pen.edit(content, author, kinds, count), folder, author)
  }

  /** Edits of the usual agent kind: lines, and now and then a file. */
  editLines(count?: number, folder = this.cwd): boolean {
    return this.edit(['replace', 'replace', 'insert', 'insert', 'delete-lines', 'create'], count, folder)
  }

  /** Whatever the operation changes in the working tree, the rule does not decide. */
  undecided<Value>(operation: () => Value): Value {
    const before = this.content()
    const value = operation()
    this.ledger.recordUndecided(before, this.content())
    return value
  }

  /** Marks the files that both sides changed since their base: git may have picked lines there by itself. */
  undecidedWhereBothChanged(one: string, other: string, why: string): void {
    const base = this.rows('merge-base', one, other)[0]
    const names = (side: string): Set<string> =>
      new Set(
        base === undefined
          ? this.rows('ls-tree', '-r', '--name-only', side)
          : this.rows('diff', '--name-only', '--no-renames', base, side),
      )
    const mine = names(one)
    for (const path of names(other)) if (mine.has(path)) this.leaveUndecided(path, why, [one, other])
  }

  /** By path, and by what the file is known by in these revisions and in the working tree. */
  leaveUndecided(path: string, why: string, revisions: string[] = []): void {
    this.ledger.leaveUndecided(path, why)
    const state = this.content().get(path)
    if (state) this.ledger.leaveUndecided(identity(state), why)
    for (const revision of revisions) {
      const id = linesOf(tryGit(this.cwd, this.repo.env, ['show', `${revision}:${path}`]).stdout)[0]
      if (id !== undefined) this.ledger.leaveUndecided(id, why)
    }
  }

  // ---- commits

  commit(message: string, args: string[] = [], options: GitOptions = {}): boolean {
    this.repo.git('add', '-A')
    const run = this.runWith(options, 'commit', '-m', message, ...args)
    if (run.status === 0) this.ledger.recordCommit(this.head(), this.cwd)
    return run.status === 0
  }

  amend(args: string[] = ['--no-edit']): boolean {
    this.repo.git('add', '-A')
    const done = this.ok('commit', '--amend', '--allow-empty', ...args)
    if (done) this.ledger.recordCommit(this.head(), this.cwd)
    return done
  }

  /**
   * Makes way for an operation that wants a clean tree, and puts things back: by a commit, by a stash, or not at all.
   */
  withCleanTree(operation: () => boolean): boolean {
    if (this.isClean()) return operation()
    const way = this.random.pick(['commit', 'stash', 'stash', 'no'])
    if (way === 'no') return false
    if (way === 'commit') return this.commit('everything so far') && operation()
    if (!this.ok('stash', 'push', '-u')) return false
    const done = operation()
    if (this.leftOpen === null) this.popStash()
    return done
  }

  popStash(word = 'pop'): void {
    const before = this.content()
    const run = this.run('stash', word)
    if (run.status === 0) return
    if (this.unmerged().length > 0) {
      this.resolveAll('stash')
      this.run('stash', 'drop')
      return
    }
    // Refused as a whole (an untracked file stands in the way): what was stashed is lost to the working tree.
    this.ledger.recordUndecided(before, this.content())
  }

  // ---- conflicts

  unmerged(): string[] {
    return [...new Set(this.rows('diff', '--name-only', '--diff-filter=U'))].sort()
  }

  inProgress(): Stopped | null {
    const at = (name: string): boolean => existsSync(join(this.cwd, '.git', name))
    if (at('rebase-merge')) return 'rebase'
    if (at('rebase-apply')) return at('rebase-apply/applying') ? 'am' : 'rebase'
    if (at('MERGE_HEAD')) return 'merge'
    if (at('CHERRY_PICK_HEAD')) return 'cherry-pick'
    if (at('REVERT_HEAD')) return 'revert'
    if (at('sequencer')) return 'cherry-pick'
    return null
  }

  /** Resolves every conflict by hand and continues, until the operation has ended. True when it went through. */
  settle(): boolean {
    for (let round = 0; round < 12; round += 1) {
      const operation = this.inProgress()
      if (operation === null) {
        if (this.unmerged().length > 0) this.resolveAll('leftover')
        return true
      }
      this.resolveAll(operation)
      const before = this.head()
      const run = this.run(operation, '--continue')
      if (this.head() !== before) this.ledger.recordCommit(this.head(), this.cwd)
      if (run.status !== 0 && this.unmerged().length === 0 && this.inProgress() === operation) {
        // Nothing left of this commit: git wants to hear so.
        if (operation === 'merge') this.run('commit', '--no-edit', '--allow-empty')
        else if (this.run(operation, '--skip').status !== 0 && this.unmerged().length === 0) break
      }
    }
    const operation = this.inProgress()
    if (operation === null) return true
    this.run(operation, '--abort')
    if (this.inProgress() !== null) this.run('reset', '--hard')
    return false
  }

  /** After a command that stops on conflicts without an operation to continue (apply --3way, squash, pick -n). */
  settleUnmerged(): boolean {
    if (this.unmerged().length === 0) return false
    this.resolveAll('apply')
    return true
  }

  private resolveAll(operation: string): void {
    for (const path of this.unmerged()) {
      this.leaveUndecided(path, `conflict in ${operation}, resolved by hand`)
      for (const stage of [1, 2, 3]) {
        const id = linesOf(tryGit(this.cwd, this.repo.env, ['show', `:${stage}:${path}`]).stdout)[0]
        if (id !== undefined) this.ledger.leaveUndecided(id, `conflict in ${operation}, resolved by hand`)
      }
      const full = join(this.cwd, path)
      const state = this.content().get(path)
      if (state === undefined || !existsSync(full)) {
        this.run('rm', '-q', '--cached', '--ignore-unmatch', '--', path)
        continue
      }
      const text = textOf(state)
      if (!/^<{7} /m.test(text)) {
        // Modified on one side and deleted on the other, or a matter of names: keep the file or drop it.
        if (this.random.chance(0.7)) this.run('add', '--', path)
        else this.run('rm', '-q', '-f', '--', path)
        continue
      }
      const way = this.random.pick(['ours', 'theirs', 'both', 'new', 'new', 'new', 'mixed', 'mixed'] as const)
      const resolved = resolveMarkers(linesOf(text), way, () => this.pen.line('agent'))
      const before = this.content()
      const after: Content = new Map(before)
      after.set(path, { mode: state.mode, lines: resolved })
      writeContent(this.cwd, before, after)
      this.say(`  agent: resolves ${path} (${way})`)
      if (operation === 'stash' || operation === 'leftover') this.run('reset', '-q', '--', path)
      else this.run('add', '--', path)
    }
  }

  // ---- the others

  /** The colleague's folder, standing on the remote's newest `branch`. */
  colleagueAt(branch: string): string {
    this.repo.teammate.follow(branch)
    return this.repo.teammate.cwd
  }

  /** A teammate writes something in the turn and pushes it. */
  pushLate(branch: string): void {
    const folder = this.colleagueAt(branch)
    if (
      !this.edit(['replace', 'replace', 'insert', 'delete-lines', 'create'], this.random.between(1, 3), folder, 'late')
    )
      return
    this.repo.teammate.git(['add', '-A'], true)
    if (this.repo.teammate.tryGit(['commit', '-q', '-m', 'late'], true).status !== 0) return
    this.repo.teammate.git(['push', '-q', 'origin', `HEAD:refs/heads/${branch}`], true)
    this.say(`  teammate pushes to ${branch}, in the turn`)
  }

  /** The forge: merges, squashes and rebases on the server. Authors stay, the committer is the forge. */
  forge(): { cwd: string; git: (...args: string[]) => GitRun } {
    const cwd = join(this.repo.root, 'forge')
    const env: GitEnvironment = gitEnvironment(this.repo.env.HOME, { name: 'Forge', email: 'noreply@forge.example' })
    if (!existsSync(cwd)) {
      mkdirSync(cwd, { recursive: true })
      runGit(this.repo.root, env, ['clone', '-q', this.repo.origin, cwd])
    } else runGit(cwd, env, ['fetch', '-q', 'origin'])
    return {
      cwd,
      git: (...args) => {
        const run = tryGit(cwd, env, args, {
          env: args[0] === 'commit' ? { GIT_AUTHOR_NAME: owner.name, GIT_AUTHOR_EMAIL: owner.email } : {},
        })
        this.say(`  on the server: git ${args.join(' ')} → ${run.status}`)
        return run
      },
    }
  }

  /** The owner's second clone, under the same name. */
  otherClone(): { cwd: string; git: (...args: string[]) => GitRun } {
    const cwd = join(this.repo.root, 'other-clone')
    if (!existsSync(cwd)) runGit(this.repo.root, this.repo.env, ['clone', '-q', this.repo.origin, cwd])
    else runGit(cwd, this.repo.env, ['fetch', '-q', 'origin'])
    return {
      cwd,
      git: (...args) => {
        const run = tryGit(cwd, this.repo.env, args)
        this.say(`  in the other clone: git ${args.join(' ')} → ${run.status}`)
        return run
      },
    }
  }

  readGit(name: string): string {
    return readFileSync(join(this.cwd, '.git', name), 'utf8')
  }
}

type Way = 'ours' | 'theirs' | 'both' | 'new' | 'mixed'

function resolveMarkers(lines: readonly string[], way: Way, write: () => string): string[] {
  const result: string[] = []
  let side: 'none' | 'ours' | 'base' | 'theirs' = 'none'
  for (const line of lines) {
    if (line.startsWith('<<<<<<< ')) side = 'ours'
    else if (line.startsWith('||||||| ') && side !== 'none') side = 'base'
    else if (line === '=======' && side !== 'none') side = 'theirs'
    else if (line.startsWith('>>>>>>> ')) {
      if (way === 'new' || way === 'mixed') result.push(write())
      side = 'none'
    } else if (side === 'none') result.push(line)
    else if (side === 'ours' && way !== 'theirs' && way !== 'new') result.push(line)
    else if (side === 'theirs' && (way === 'theirs' || way === 'both')) result.push(line)
  }
  return result
}
