// Everything that existed before the turn: the state of every file at every commit, here and on the remote.
import { type GitEnvironment, runGit } from '../support/git.js'
import { linesOf } from './content.js'

interface Known {
  /** path → "mode oid". */
  files: Map<string, string>
}

export class Inventory {
  private readonly commits = new Map<string, Known>()
  private readonly blobs = new Map<string, readonly string[]>()
  /** Lines that some commit of before the turn takes out. */
  readonly removed = new Set<string>()

  /** Reads all commits of a repository, those only in reflogs too. Call it before the turn. */
  read(cwd: string, env: GitEnvironment, revisions: string[]): void {
    const flags = [
      '--diff-merges=first-parent',
      '--raw',
      '--root',
      '-r',
      '--no-renames',
      '--no-abbrev',
      '--topo-order',
      '--reverse',
    ]
    const log = runGit(cwd, env, ['log', ...flags, '--format=commit %H %P', ...revisions])
    const fresh: { files: Map<string, string>; parents: string[]; changed: [string, string][] }[] = []
    let current: (typeof fresh)[number] | undefined
    const wanted = new Set<string>()
    for (const row of log.split('\n')) {
      if (row.startsWith('commit ')) {
        const [, oid = '', ...parents] = row.trim().split(' ')
        if (this.commits.has(oid)) {
          current = undefined
          continue
        }
        const files = new Map(this.commits.get(parents[0] ?? '')?.files ?? [])
        current = { files, parents, changed: [] }
        this.commits.set(oid, { files })
        fresh.push(current)
      } else if (row.startsWith(':') && current) {
        const [head = '', path = ''] = row.split('\t')
        const [, newMode = '', oldOid = '', newOid = '', status = ''] = head.split(' ')
        current.changed.push([oldOid, newOid])
        for (const oid of [oldOid, newOid]) if (!/^0+$/.test(oid) && !this.blobs.has(oid)) wanted.add(oid)
        if (status === 'D') current.files.delete(path)
        else current.files.set(path, `${newMode} ${newOid}`)
      }
    }
    this.readBlobs(cwd, env, [...wanted])
    for (const commit of fresh) {
      if (commit.parents.length !== 1) continue
      const added = new Set(commit.changed.flatMap(([, oid]) => this.blobs.get(oid) ?? []))
      for (const [oid] of commit.changed)
        for (const line of this.blobs.get(oid) ?? []) if (!added.has(line)) this.removed.add(line)
    }
  }

  private readBlobs(cwd: string, env: GitEnvironment, oids: string[]): void {
    if (oids.length === 0) return
    const output = Buffer.from(runGit(cwd, env, ['cat-file', '--batch'], { input: `${oids.join('\n')}\n` }))
    let at = 0
    for (const oid of oids) {
      const end = output.indexOf(10, at)
      const size = Number(output.toString('utf8', at, end).split(' ')[2])
      this.blobs.set(oid, linesOf(output.toString('utf8', end + 1, end + 1 + size)))
      at = end + 1 + size + 1
    }
  }

  /** Files, by their first line, that stand at more than one path in the commits of before the turn. */
  renamed(): Set<string> {
    const places = new Map<string, string>()
    const moved = new Set<string>()
    for (const { files } of this.commits.values()) {
      for (const [path, state] of files) {
        const id = this.blobs.get(state.split(' ')[1] ?? '')?.[0]
        if (id === undefined) continue
        if ((places.get(id) ?? path) !== path) moved.add(id)
        places.set(id, path)
      }
    }
    return moved
  }

  has(oid: string): boolean {
    return this.commits.has(oid)
  }

  /** Does this file stand in this state in one of these commits? `state` is "mode oid", or null for absent. */
  stands(commits: readonly string[], path: string, state: string | null): boolean {
    return commits.some((oid) => {
      const known = this.commits.get(oid)
      return known !== undefined && (known.files.get(path) ?? null) === state
    })
  }

  /** Does a file stand there with this mode in one of these commits? */
  standsInMode(commits: readonly string[], path: string, mode: string): boolean {
    return commits.some((oid) => this.commits.get(oid)?.files.get(path)?.startsWith(`${mode} `))
  }

  /** All lines in the given commits. */
  lines(commits: readonly string[]): Set<string> {
    const oids = new Set<string>()
    for (const commit of commits)
      for (const state of this.commits.get(commit)?.files.values() ?? []) oids.add(state.split(' ')[1] ?? '')
    const all = new Set<string>()
    for (const oid of oids) for (const line of this.blobs.get(oid) ?? []) all.add(line)
    return all
  }
}
