// The colleague: a clone of origin of their own, whose pushes reach the checkout only by fetch.
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from './clock.js'
import { colleague, type GitEnvironment, type GitOptions, type GitRun, gitEnvironment, runGit, tryGit } from './git.js'

export interface PushOptions {
  message?: string
  branch?: string
  /** Written in the turn: dated now. Without it the commit bears an old date, even when pushed in the turn. */
  late?: boolean
  remove?: string[]
  rename?: Record<string, string>
  chmod?: Record<string, number>
  symlink?: Record<string, string>
}

export class Teammate {
  readonly cwd: string
  readonly env: GitEnvironment

  constructor(
    root: string,
    origin: string,
    home: string,
    private readonly clock: Clock,
  ) {
    this.cwd = join(root, 'teammate')
    this.env = gitEnvironment(home, colleague)
    if (!existsSync(this.cwd)) runGit(root, this.env, ['clone', '-q', origin, this.cwd], { env: this.dated(false) })
  }

  private dated(late: boolean): Record<string, string> {
    if (late) return {}
    const date = this.clock.oldDate()
    return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  }

  /** Runs git in the colleague's clone, with old dates unless `late`. */
  git(args: string[], late = false, options: GitOptions = {}): string {
    return runGit(this.cwd, this.env, args, { ...options, env: { ...this.dated(late), ...options.env } })
  }

  tryGit(args: string[], late = false): GitRun {
    return tryGit(this.cwd, this.env, args, { env: this.dated(late) })
  }

  /** Stands on origin's newest state of `branch` (made from HEAD where origin has none). */
  follow(branch: string): void {
    this.git(['fetch', '-q', 'origin'])
    if (this.tryGit(['rev-parse', '-q', '--verify', `origin/${branch}`]).status === 0) {
      this.git(['checkout', '-q', '-B', branch, `origin/${branch}`])
    } else {
      this.git(['checkout', '-q', '-B', branch])
    }
  }

  /** Commits these files on origin's newest `branch` and pushes; returns the commit. */
  push(files: Record<string, string | Uint8Array>, options: PushOptions = {}): string {
    const branch = options.branch ?? 'main'
    const late = options.late ?? false
    this.follow(branch)
    for (const [from, to] of Object.entries(options.rename ?? {})) {
      mkdirSync(dirname(join(this.cwd, to)), { recursive: true })
      renameSync(join(this.cwd, from), join(this.cwd, to))
    }
    for (const path of options.remove ?? []) rmSync(join(this.cwd, path), { recursive: true })
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.cwd, path)), { recursive: true })
      writeFileSync(join(this.cwd, path), text)
    }
    for (const [path, target] of Object.entries(options.symlink ?? {})) {
      mkdirSync(dirname(join(this.cwd, path)), { recursive: true })
      rmSync(join(this.cwd, path), { force: true })
      symlinkSync(target, join(this.cwd, path))
    }
    for (const [path, mode] of Object.entries(options.chmod ?? {})) chmodSync(join(this.cwd, path), mode)
    this.git(['add', '-A'], late)
    this.git(['commit', '-q', '-m', options.message ?? 'upstream'], late)
    this.git(['push', '-q', 'origin', `HEAD:refs/heads/${branch}`], late)
    return runGit(this.cwd, this.env, ['rev-parse', 'HEAD'])
  }
}
