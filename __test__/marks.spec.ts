// `mark`, `show`, `list` and `drop`, as a person runs them, over real git. Of each trap that a snapshot of the working tree
// can fall into there is a test that holds the snapshot against what is on disk.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addon, type TurnAttribution } from './support/addon.js'
import { folderChanges, folderState } from './support/folder-state.js'
import { runGit, tryGit } from './support/git.js'
import { lines, TurnRepository, temporaryFolder } from './support/turn-repository.js'

interface Stat {
  dev: bigint
  ino: bigint
  uid: bigint
  gid: bigint
  size: bigint
  mtimeNs: bigint
  ctimeNs: bigint
}
const { Belief, Entry } = createRequire(import.meta.url)('../bin/index-copy.js') as {
  Entry: new (index: Buffer, at: number) => { isOf(found: Stat): boolean }
  Belief: new (index: Stat, gitDir: string) => { holds(entry: { isOf(found: Stat): boolean }, found: Stat): boolean }
}

const cli = join(import.meta.dirname, '../bin/turn-attribution.js')

interface Place {
  cwd: string
  env: Record<string, string>
}
interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

function run({ cwd, env }: Place, args: string[], more: Record<string, string> = {}): Ran {
  const options = { cwd, env: { ...env, ...more }, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], options)
  return { status, stdout, stderr }
}

function done(place: Place, ...args: string[]): string {
  const { status, stdout, stderr } = run(place, args)
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' })
  return stdout
}

const mark = (place: Place, ...args: string[]) => done(place, 'mark', ...args)
const show = (place: Place, ...args: string[]) => JSON.parse(done(place, 'show', '--json', ...args)) as TurnAttribution
const shownPaths = (place: Place) => show(place).shown.map(({ path }) => path)

/** path → content of a snapshot. */
function contents(repo: TurnRepository, ref = 'refs/turn-attribution/default/mark/1'): Record<string, string> {
  const names = repo.git('ls-tree', '-r', '-z', '--name-only', ref).split('\0').filter(Boolean)
  return Object.fromEntries(names.map((name) => [name, repo.git('cat-file', 'blob', `${ref}:${name}`)]))
}

const paths = (repo: TurnRepository, ref?: string) => Object.keys(contents(repo, ref)).sort()

/** Longer ago than any clock of files is coarse, so that git has no doubt left: the index is believed. */
function settle(...repositories: TurnRepository[]): void {
  execFileSync('sleep', ['2.2'])
  for (const repo of repositories) repo.git('update-index', '-q', '--really-refresh', '--force-write-index')
}

/** The same number of bytes, under the times that the file had. */
function editUnseen(repo: TurnRepository, path: string, content: string): void {
  const { atime, mtime, size } = statSync(repo.path(path))
  expect(Buffer.byteLength(content)).toBe(size)
  writeFileSync(repo.path(path), content)
  utimesSync(repo.path(path), atime, mtime)
}

const three = () => TurnRepository.create({ 'a.ts': 'aaaa\n', 'src/b.ts': 'bbbb\n', 'src/deep/c.ts': lines(20) })

describe('mark and show', () => {
  it('tell what was done in between, and what moved', () => {
    const repo = three()
    repo.teammate.push({ 'up.ts': 'upstream\n', 'src/b.ts': 'theirs\n' })
    expect(mark(repo)).toBe('Marked default 1\n')
    repo.pull()
    repo.edit('src/deep/c.ts', 3, 'mine').write('new.ts', 'new\n')
    expect(done(repo, 'show')).toBe(
      [
        '2 changed files                                      +2 -1',
        '  src/deep/',
        '    c.ts                                             +1 -1',
        '  new.ts (new)                                       +1 -0',
        '⎇  Updated via git (main → main) — 2 files    (hidden)',
        '',
      ].join('\n'),
    )
    const result = show(repo)
    expect(result).toMatchObject({ attribution: { status: 'attributed', evidence: 'reflog', notes: [] } })
    expect(result.branchTransition.label).toBe('Pulled origin/main')
    expect(show(repo, '--demoted').demoted.files?.map(({ path }) => path)).toEqual(['src/b.ts', 'up.ts'])
  })

  it('print the patch of the shown files as git prints it', () => {
    const repo = three()
    mark(repo)
    repo.edit('src/deep/c.ts', 3, 'mine').write('b\tin.bin', Buffer.from([0, 1, 2, 255]))
    const patch = done(repo, 'show', '--patch')
    const [from, to] = ['mark', 'end'].map((kind) => `refs/turn-attribution/default/${kind}/1`)
    expect(patch).toBe(`${repo.git('diff', String(from), String(to))}\n`)
    repo.git('checkout', '-q', '.')
    repo.remove('b\tin.bin')
    expect(done(repo, 'show', '--patch')).toBe('')
  })

  it('keep head, branch, pin and time, in a parentless commit', async () => {
    const repo = three()
    const before = Math.floor(Date.now() / 1000)
    mark(repo, 'day')
    const ref = 'refs/turn-attribution/day/mark/1'
    const facts = await addon().readCheckpoint(repo.cwd, ref)
    const head = await addon().readHead(repo.cwd)
    expect(facts).toMatchObject({ headOid: repo.oid(), branch: 'main', pin: head.pin })
    expect(Number(facts.turnStartedAt)).toBeGreaterThanOrEqual(before * 1000)
    const taken = Number(repo.git('log', '-1', '--format=%ct', ref))
    expect(Number(facts.turnStartedAt)).toBeLessThan((taken + 1) * 1000)
    expect(repo.git('log', '-1', '--format=%P|%an|%cn|%G?', ref)).toBe('|turn-attribution|turn-attribution|N')
    expect(repo.git('rev-parse', `${ref}^{tree}`)).toBe(repo.oid('HEAD^{tree}'))
  })

  it('number the marks of a name, and show the newest; an end is written over by the next', () => {
    const repo = three()
    expect([mark(repo, 'day'), mark(repo, 'day'), mark(repo, 'night')]).toEqual([
      'Marked day 1\n',
      'Marked day 2\n',
      'Marked night 1\n',
    ])
    repo.write('one.ts', '1\n')
    show(repo, 'day')
    const first = repo.oid('refs/turn-attribution/day/end/2')
    repo.write('two.ts', '2\n')
    expect(show(repo, 'day').shown.map(({ path }) => path)).toEqual(['one.ts', 'two.ts'])
    expect(repo.oid('refs/turn-attribution/day/end/2')).not.toBe(first)
    expect(mark(repo, 'day')).toBe('Marked day 3\n')
    expect(show(repo, 'day').shown).toEqual([])
    const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/turn-attribution').split('\n')
    expect(refs.map((ref) => ref.replace('refs/turn-attribution/', ''))).toEqual([
      'day/end/2',
      'day/end/3',
      'day/mark/1',
      'day/mark/2',
      'day/mark/3',
      'night/mark/1',
    ])
  })

  it('at the same time all get a number', async () => {
    for (const format of ['files', 'reftable']) {
      const repo = new TurnRepository(temporaryFolder())
      runGit(repo.root, repo.env, ['init', '-q', `--ref-format=${format}`, repo.cwd])
      repo.write('a', 'a\n').commit('first')
      const said = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const child = spawn(process.execPath, [cli, 'mark'], { cwd: repo.cwd, env: repo.env })
          let text = ''
          for (const stream of [child.stdout, child.stderr])
            stream.on('data', (chunk) => {
              text += chunk
            })
          await new Promise((resolve) => child.on('close', resolve))
          return text
        }),
      )
      expect(said.sort()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `Marked default ${number}\n`))
    }
  })

  it('refuse names that are no part of a ref name, and tell which marks there are', () => {
    const repo = three()
    for (const name of [
      'a/b',
      '..',
      'a..b',
      '.a',
      'a.lock',
      'a b',
      'a~',
      'a^',
      'a:',
      'a?',
      'a*',
      'a[',
      'a\\',
      '@{',
      '',
      '../../heads/main',
    ]) {
      const { status, stderr } = run(repo, ['mark', name])
      expect([name, status]).toEqual([name, 1])
      expect(stderr).toContain('cannot be the name of a mark')
    }
    for (const command of ['show', 'drop']) expect(run(repo, [command, '../../heads/main']).status).toBe(1)
    expect(run(repo, ['show']).stderr).toBe(
      "turn-attribution: there is no mark 'default'; there are none yet: turn-attribution mark\n",
    )
    mark(repo, 'day')
    mark(repo, 'ü日')
    for (const command of ['show', 'drop'])
      expect(run(repo, [command, 'other'])).toEqual({
        status: 1,
        stdout: '',
        stderr: "turn-attribution: there is no mark 'other'; there are: day, ü日\n",
      })
  })

  it('say what is in the way, and do not wait for it for long', () => {
    const repo = three()
    const folder = join(repo.cwd, '.git/refs/turn-attribution/default/mark')
    mkdirSync(folder, { recursive: true })
    // As a git that was killed leaves it.
    writeFileSync(join(folder, '1.lock'), '')
    const locked = run(repo, ['mark'])
    expect([locked.status, locked.stdout]).toEqual([1, ''])
    expect(locked.stderr).toContain('the mark cannot be written')
    expect(locked.stderr).toContain(`${join(folder, '1.lock')}': File exists`)
    expect(run(repo, ['mark', 'x'.repeat(300)]).stderr).toMatch(
      /the mark cannot be written: .*unable to create directory/,
    )
  })

  it('write no other ref, also where one of a mark stands for it', () => {
    const repo = three()
    repo.git('symbolic-ref', 'refs/turn-attribution/default/mark/1', 'refs/heads/other')
    mark(repo)
    repo.git('symbolic-ref', 'refs/turn-attribution/default/end/1', 'refs/heads/main')
    const head = repo.oid()
    repo.write('new.ts', 'x\n')
    expect(shownPaths(repo)).toEqual(['new.ts'])
    repo.git('symbolic-ref', 'refs/turn-attribution/more/end/1', 'refs/heads/main')
    done(repo, 'drop', '--all')
    expect(repo.git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/turn-attribution')).toBe(
      `${head} refs/heads/main`,
    )
  })

  it('are wrong usage with more than one name, or two ways to show', () => {
    const repo = three()
    for (const args of [
      ['mark', 'a', 'b'],
      ['show', 'a', 'b'],
      ['show', '--json', '--patch'],
      ['list', 'a'],
      ['drop'],
      ['drop', 'a', '--all'],
    ])
      expect([args, run(repo, args).status]).toEqual([args, 2])
  })
})

describe('what the index has of a file', () => {
  const repo = three()
  const found = lstatSync(repo.path('a.ts'), { bigint: true })
  const index = lstatSync(join(repo.cwd, '.git/index'), { bigint: true })
  const second = 1_000_000_000n

  it('proves nothing when any of it differs, by a nanosecond or by the inode', () => {
    const entry = new Entry(readFileSync(join(repo.cwd, '.git/index')), 12)
    expect(entry.isOf(found)).toBe(true)
    for (const key of ['ino', 'uid', 'gid', 'size', 'mtimeNs', 'ctimeNs'] as const)
      expect([key, entry.isOf({ ...found, [key]: found[key] + 1n })]).toEqual([key, false])
    const empty = Buffer.alloc(72)
    expect(new Entry(empty, 0).isOf({ ...found, ino: 0n, uid: 0n, gid: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n })).toBe(
      false,
    )
  })

  it.runIf(process.platform === 'linux')(
    'proves nothing of what changed within a tick of a coarse clock before it',
    () => {
      const same = { isOf: () => true }
      const at = (mtime: bigint, ctime: bigint) => {
        const file = { ...found, mtimeNs: index.mtimeNs - mtime, ctimeNs: index.mtimeNs - ctime }
        return new Belief(index, repo.cwd).holds(same, file)
      }
      expect(at(3n * second, 3n * second)).toBe(true)
      expect(at(3n * second, second)).toBe(false)
      expect(at(second, 3n * second)).toBe(false)
      expect(at(3n * second, -second)).toBe(false)
      const old = { ...found, mtimeNs: index.mtimeNs - 3n * second, ctimeNs: index.mtimeNs - 3n * second }
      expect(new Belief(index, repo.cwd).holds(same, { ...old, dev: old.dev + 1n })).toBe(false)
      expect(new Belief(index, repo.cwd).holds({ isOf: () => false }, old)).toBe(false)
      // Touched, or copied with its old time: the older of its two times counts.
      expect(new Belief({ ...index, ctimeNs: index.ctimeNs - 2n * second }, repo.cwd).holds(same, old)).toBe(false)
      expect(new Belief({ ...index, mtimeNs: index.mtimeNs - 2n * second }, repo.cwd).holds(same, old)).toBe(false)
      // No file system of which that is known.
      expect(new Belief(index, '/proc').holds(same, old)).toBe(false)
    },
  )
})

describe('list and drop', () => {
  it('list the newest first, with time, branch and files', () => {
    const repo = three()
    mark(repo, 'day')
    repo.write('one.ts', '1\n')
    done(repo, 'show', 'day')
    repo.switchNew('topic').write('two.ts', '2\n')
    execFileSync('sleep', ['1.1'])
    mark(repo, 'day')
    repo.checkout('--detach')
    execFileSync('sleep', ['1.1'])
    mark(repo, 'night')
    const time = (ref: string) => repo.git('log', '-1', '--format=%cd', '--date=format:%Y-%m-%d %H:%M', ref)
    const at = ['night/mark/1', 'day/mark/2', 'day/mark/1'].map((ref) => time(`refs/turn-attribution/${ref}`))
    expect(done(repo, 'list').split('\n')).toEqual([
      `night 1  ${at[0]}  detached at ${repo.oid().slice(0, 7)}  open`,
      `day 2    ${at[1]}  topic                open`,
      `day 1    ${at[2]}  main                 1 file`,
      '',
    ])
    const listed = JSON.parse(done(repo, 'list', '--json'))
    expect(listed[2]).toEqual({
      name: 'day',
      number: 1,
      ref: 'refs/turn-attribution/day/mark/1',
      oid: repo.oid('refs/turn-attribution/day/mark/1'),
      takenAt: Number(repo.git('log', '-1', '--format=%ct', 'refs/turn-attribution/day/mark/1')) * 1000,
      branch: 'main',
      headOid: repo.oid(),
      end: {
        ref: 'refs/turn-attribution/day/end/1',
        oid: repo.oid('refs/turn-attribution/day/end/1'),
        takenAt: expect.any(Number),
      },
      files: 1,
    })
    expect(listed[0]).toMatchObject({ name: 'night', branch: null, end: null, files: null })
  })

  it('drop one name, or all, and say what; other refs stay', () => {
    const repo = three()
    mark(repo, 'day')
    show(repo, 'day')
    mark(repo, 'daylight')
    const others = ['-not/day', '/day/other', '/day/mark/1x', '/day/more/mark/1', '/stray']
    for (const other of others) repo.git('update-ref', `refs/turn-attribution${other}`, 'HEAD')
    expect(done(repo, 'drop', 'day')).toBe(
      'Dropped refs/turn-attribution/day/end/1\nDropped refs/turn-attribution/day/mark/1\n',
    )
    expect(done(repo, 'list')).toMatch(/^daylight 1 /)
    expect(done(repo, 'drop', '--all')).toBe('Dropped refs/turn-attribution/daylight/mark/1\n')
    expect(done(repo, 'drop', '--all')).toBe('There are no marks\n')
    expect(done(repo, 'list')).toBe('There are no marks\n')
    for (const other of others) expect(repo.oid(`refs/turn-attribution${other}`)).toBe(repo.oid())
  })

  it('list what has no date, and what is no snapshot', () => {
    const repo = three()
    mark(repo, 'day')
    const content = repo.git('cat-file', 'commit', 'refs/turn-attribution/day/mark/1')
    writeFileSync(join(repo.root, 'commit'), content.replace(/ \d+ \+0000$/gm, ' 99999999999999999 +0000'))
    const late = repo.git('hash-object', '-t', 'commit', '-w', '--literally', join(repo.root, 'commit'))
    repo.git('update-ref', 'refs/turn-attribution/day/mark/1', late)
    repo.git('update-ref', 'refs/turn-attribution/blob/mark/1', repo.oid('HEAD:a.ts'))
    expect(done(repo, 'list')).toBe('blob 1  unknown        open\nday 1   unknown  main  open\n')
    expect(JSON.parse(done(repo, 'list', '--json'))).toMatchObject([{ takenAt: null }, { takenAt: null }])
    expect(run(repo, ['show', 'blob']).stderr).toContain("the snapshot of mark 'blob' cannot be read")
  })

  it.skipIf(process.platform === 'win32')('tell in a line what the system refuses', () => {
    const repo = three()
    rmSync(join(repo.cwd, '.git/index'))
    mkdirSync(join(repo.cwd, '.git/index'))
    expect(run(repo, ['mark']).stderr).toMatch(/^turn-attribution: EISDIR: [^\\\n]*\n$/)
  })

  it('list and drop a mark whose snapshot is gone', () => {
    const repo = three()
    mark(repo, 'day')
    const oid = repo.oid('refs/turn-attribution/day/mark/1')
    rmSync(join(repo.cwd, '.git/objects', oid.slice(0, 2), oid.slice(2)))
    expect(done(repo, 'list')).toMatch(/^day 1 {2}unknown +open\n/)
    expect(run(repo, ['show', 'day']).status).toBe(1)
    expect(done(repo, 'drop', 'day')).toBe('Dropped refs/turn-attribution/day/mark/1\n')
  })
})

describe('what is written', () => {
  it('is objects and refs of marks alone, whatever is configured', () => {
    const repo = three()
    const hooks = join(repo.root, 'hooks')
    mkdirSync(hooks)
    const all = [
      'reference-transaction',
      'post-index-change',
      'pre-commit',
      'post-commit',
      'pre-auto-gc',
      'fsmonitor-watchman',
    ]
    for (const hook of all)
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch '${repo.root}/ran-${hook}'\n`, { mode: 0o755 })
    repo.git('config', 'core.hooksPath', hooks)
    repo.git('config', 'core.fsmonitor', join(hooks, 'fsmonitor-watchman'))
    repo.git('config', 'core.logAllRefUpdates', 'always')
    repo.git('config', 'commit.gpgsign', 'true')
    repo.git('config', 'gpg.program', '/nonexistent')
    repo.git('config', 'user.useConfigOnly', 'true')
    repo.git('config', '--unset', 'user.name')
    repo.git('config', '--unset', 'user.email')
    repo.git('config', 'i18n.commitEncoding', 'latin1')
    repo.git('config', 'gc.auto', '1')
    repo.git('config', 'core.untrackedCache', 'true')
    repo.edit('a.ts', 1, 'staged').git('add', 'a.ts')
    repo.edit('a.ts', 1, 'unstaged').write('loose.ts', 'x\n')
    for (const hook of all) rmSync(join(repo.root, `ran-${hook}`), { force: true })
    // Of its own: other tests put theirs into the same.
    const temporary = temporaryFolder()
    const place = { cwd: repo.cwd, env: { ...repo.env, TMPDIR: temporary } }
    const before = folderState(repo.root)
    mark(place, 'ü')
    show(place, 'ü')
    done(place, 'list')
    const written = folderChanges(before, folderState(repo.root)).map((change) => change.replace('checkout/.git/', ''))
    // Git touches an object that is there already, so that it is not pruned.
    const outside = written.filter(
      (change) => !/^(added|changed) objects\/|^added refs\/turn-attribution\//.test(change),
    )
    expect(outside).toEqual([])
    expect(readdirSync(temporary)).toEqual([])
    done(repo, 'drop', '--all')
    expect(existsSync(join(repo.cwd, '.git/logs/refs/turn-attribution'))).toBe(false)
    expect(readdirSync(repo.root).filter((name) => name.startsWith('ran-'))).toEqual([])
    expect(repo.git('cat-file', 'blob', ':a.ts')).toBe('staged')
  })

  it('is no log that git keeps of itself, and no signature is checked', () => {
    const repo = three()
    const [log, asked, settings] = ['log', 'asked', 'settings'].map((name) => join(repo.root, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(join(repo.root, 'gpg'), `#!/bin/sh\ntouch '${asked}'\nexit 1\n`, { mode: 0o755 })
    writeFileSync(settings, `[trace2]\n\teventTarget = ${log}\n\tnormalTarget = ${log}\n\tperfTarget = ${log}\n`)
    repo.git('config', 'gpg.program', join(repo.root, 'gpg'))
    repo.git('config', 'log.showSignature', 'true')
    const place = { cwd: repo.cwd, env: { ...repo.env, GIT_CONFIG_GLOBAL: settings } }
    mark(place)
    // As it would come from elsewhere.
    const ref = 'refs/turn-attribution/default/mark/1'
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----'
    const commit = repo.git('cat-file', 'commit', ref).replace('\n\n', `\n${signature}\n\n`)
    writeFileSync(join(repo.root, 'commit'), `${commit}\n`)
    repo.git('update-ref', ref, repo.git('hash-object', '-t', 'commit', '-w', join(repo.root, 'commit')))
    expect(shownPaths(place)).toEqual([])
    expect([log, asked].filter((path) => existsSync(path))).toEqual([])
  })

  it('is of one head: where it moves meanwhile, the snapshot is taken again', async () => {
    const repo = three()
    const ran = join(repo.root, 'ran')
    const away = `env -i PATH="$PATH" git -C '${repo.cwd}'`
    const filter = (then: string) => repo.git('config', 'filter.move.clean', `sh -c 'echo >> "${ran}"; ${then}; cat'`)
    repo.write('.gitattributes', '*.move filter=move\n').write('x.move', 'x\n')
    writeFileSync(
      join(repo.root, 'once.sh'),
      `test -e '${ran}.once' || { touch '${ran}.once'; ${away} switch -q -c other; }\n`,
    )
    filter(`sh ${join(repo.root, 'once.sh')}`)
    mark(repo)
    const facts = await addon().readCheckpoint(repo.cwd, 'refs/turn-attribution/default/mark/1')
    expect(facts.branch).toBe('other')
    writeFileSync(join(repo.root, 'always.sh'), `${away} switch -q -c "b$(wc -l < '${ran}' | tr -d " ")"\n`)
    filter(`sh ${join(repo.root, 'always.sh')}`)
    expect(run(repo, ['mark'])).toMatchObject({
      status: 1,
      stderr: 'turn-attribution: HEAD keeps moving; try again when git is done\n',
    })
    expect(done(repo, 'list').split('\n').length).toBe(2)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    // The terminal was closed.
    ['SIGHUP', 129],
  ] as const)('is nothing when it is broken off by %s, and nothing stays behind', async (signal, status) => {
    const repo = three()
    const [began, temporary] = [join(repo.root, 'began'), join(repo.root, 'temporary')]
    mkdirSync(temporary)
    repo.git('config', 'filter.slow.clean', `sh -c 'touch "${began}"; sleep 5; cat'`)
    repo.write('.gitattributes', '*.slow filter=slow\n').write('x.slow', 'x\n')
    const child = spawn(process.execPath, [cli, 'mark'], { cwd: repo.cwd, env: { ...repo.env, TMPDIR: temporary } })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    while (!existsSync(began)) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill(signal)
    expect(await ended).toBe(status)
    expect(readdirSync(temporary)).toEqual([])
    expect(done(repo, 'list')).toBe('There are no marks\n')
  })

  it('is in the repository of the folder, whatever the environment says', () => {
    const repo = three()
    const other = three()
    repo.write('mine.ts', 'x\n')
    const hostile = {
      GIT_DIR: join(other.cwd, '.git'),
      GIT_WORK_TREE: other.cwd,
      GIT_INDEX_FILE: join(other.cwd, '.git/index'),
      GIT_OBJECT_DIRECTORY: join(other.cwd, '.git/objects'),
      GIT_COMMON_DIR: join(other.cwd, '.git'),
      GIT_NAMESPACE: 'other',
      GIT_PREFIX: 'src/',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.excludesFile',
      GIT_CONFIG_VALUE_0: join(other.cwd, 'a.ts'),
      GIT_ATTR_SOURCE: 'HEAD',
      GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z',
      GIT_AUTHOR_NAME: '',
      GIT_DEFAULT_HASH: 'sha256',
      GIT_TRACE: join(repo.cwd, 'trace'),
    }
    const before = folderState(other.root)
    expect(run(repo, ['mark'], hostile)).toEqual({ status: 0, stdout: 'Marked default 1\n', stderr: '' })
    expect(run(repo, ['show'], hostile)).toMatchObject({ status: 0, stdout: 'No files changed by the agent\n' })
    expect(folderChanges(before, folderState(other.root))).toEqual([])
    expect(paths(repo)).toEqual(['a.ts', 'mine.ts', 'src/b.ts', 'src/deep/c.ts'])
    expect(
      Number(repo.git('log', '-1', '--format=%cd', '--date=format:%Y', 'refs/turn-attribution/default/mark/1')),
    ).toBeGreaterThan(2025)
  })
})

describe('where it works', () => {
  it('unborn', () => {
    const repo = TurnRepository.empty()
    repo.write('a.ts', 'a\n')
    mark(repo)
    repo.write('b.ts', 'b\n').commit('born')
    expect(shownPaths(repo)).toEqual(['b.ts'])
    expect(show(repo).branchTransition).toMatchObject({ fromHead: null, toHead: repo.oid(), kind: 'birth' })
  })

  it('with nothing in it, and with the index gone', () => {
    const repo = TurnRepository.empty()
    mark(repo)
    repo.write('b.ts', 'b\n')
    expect(shownPaths(repo)).toEqual(['b.ts'])
    const full = three()
    rmSync(join(full.cwd, '.git/index'))
    mark(full)
    expect(paths(full)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
  })

  it('detached, and in a subfolder all the same', () => {
    const repo = three()
    repo.checkout('--detach')
    const deep = { cwd: repo.path('src/deep'), env: repo.env }
    mark(deep)
    repo.edit('a.ts', 1, 'x').edit('src/b.ts', 1, 'y')
    expect(shownPaths(deep)).toEqual(['a.ts', 'src/b.ts'])
    expect(run(repo, ['show', '--json', '--cwd', 'src']).status).toBe(0)
  })

  it('in a linked worktree, under a name of its own', () => {
    const repo = three()
    const linked = { cwd: join(repo.root, 'linked'), env: repo.env }
    repo.git('worktree', 'add', '-q', '-b', 'side', linked.cwd)
    repo.edit('a.ts', 1, 'only here')
    expect(mark(linked)).toBe('Marked worktree-linked 1\n')
    expect(mark(repo)).toBe('Marked default 1\n')
    writeFileSync(join(linked.cwd, 'side.ts'), 'x\n')
    expect(shownPaths(linked)).toEqual(['side.ts'])
    expect(shownPaths(repo)).toEqual([])
    mark(linked, 'shared')
    const { status, stderr } = run(repo, ['show', 'shared'])
    expect([status, stderr]).toEqual([
      1,
      "turn-attribution: mark 'shared' was set in worktree linked: show it there, or set a mark here\n",
    ])
    expect(run(linked, ['show', 'default']).stderr).toContain("mark 'default' was set in the main working tree")
    // Whatever git is told to print in.
    repo.git('config', 'i18n.logOutputEncoding', 'latin1')
    mark(linked, 'ü')
    expect(run(repo, ['show', 'ü']).stderr).toContain("mark 'ü' was set in worktree linked")
  })

  it('with a working tree that core.worktree puts elsewhere, even into another repository', () => {
    const [repo, other] = [three(), three()]
    const tree = join(other.cwd, 'inner')
    mkdirSync(tree)
    writeFileSync(join(tree, 'a.ts'), 'aaaa\n')
    repo.git('config', 'core.worktree', tree)
    const before = folderState(join(other.cwd, '.git'))
    mark(repo)
    expect(paths(repo)).toEqual(['a.ts'])
    writeFileSync(join(tree, 'new.ts'), 'x\n')
    expect(shownPaths(repo)).toEqual(['new.ts'])
    expect(folderChanges(before, folderState(join(other.cwd, '.git')))).toEqual([])
  })

  it('not in a bare repository, nor in a git directory, and says so', () => {
    const repo = three()
    for (const cwd of [repo.origin, join(repo.cwd, '.git')]) {
      const { status, stdout, stderr } = run({ cwd, env: repo.env }, ['mark'])
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toContain('there is no working tree here')
    }
    expect(run({ cwd: temporaryFolder(), env: repo.env }, ['mark']).stderr).toContain('[NOT_A_REPOSITORY]')
  })

  it('with SHA-256, and with refs in tables', () => {
    const repo = new TurnRepository(temporaryFolder())
    runGit(repo.root, repo.env, ['init', '-q', '--object-format=sha256', '--ref-format=reftable', repo.cwd])
    repo.write('a.ts', 'aaaa\n').commit('first')
    settle(repo)
    repo.write('b.ts', 'b\n')
    mark(repo)
    editUnseen(repo, 'a.ts', 'AAAA\n')
    expect(shownPaths(repo)).toEqual(['a.ts'])
    done(repo, 'drop', '--all')
  })

  it('with a working tree elsewhere', () => {
    const repo = three()
    const tree = join(repo.root, 'tree\nof ü')
    renameSync(repo.cwd, tree)
    renameSync(join(tree, '.git'), join(repo.root, 'kept.git'))
    writeFileSync(join(tree, '.git'), `gitdir: ${join(repo.root, 'kept.git')}\n`)
    const place = { cwd: tree, env: repo.env }
    mark(place)
    writeFileSync(join(tree, 'new.ts'), 'x\n')
    expect(shownPaths(place)).toEqual(['new.ts'])
  })

  it('with a folder for temporary files inside the working tree', () => {
    const repo = three()
    mkdirSync(repo.path('tmp'))
    expect(run(repo, ['mark'], { TMPDIR: repo.path('tmp') }).status).toBe(0)
    expect(paths(repo)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
  })

  it('with a folder for temporary files that cannot be written', () => {
    const repo = three()
    expect(run(repo, ['mark'], { TMPDIR: process.platform === 'linux' ? '/proc' : '/' }).status).toBe(0)
    expect(paths(repo)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
  })
})

describe('a snapshot', () => {
  it('leaves ignored files out, keeps tracked ones that are ignored, takes untracked ones', () => {
    const repo = three()
    repo.write('kept.log', 'k\n').git('add', '-f', 'kept.log')
    repo.commit('log', { all: false })
    repo.write('.gitignore', '*.log\nbuild/\n').write('.git/info/exclude', 'private\n')
    repo.write('other.log', 'x').write('build/out', 'x').write('private', 'x').write('untracked.ts', 'u\n')
    mark(repo)
    expect(paths(repo)).toEqual(['.gitignore', 'a.ts', 'kept.log', 'src/b.ts', 'src/deep/c.ts', 'untracked.ts'])
    repo.write('kept.log', 'changed\n').write('other.log', 'changed')
    expect(shownPaths(repo)).toEqual(['kept.log'])
  })

  it('holds what is on disk, whatever is staged', () => {
    const repo = three()
    repo.edit('a.ts', 1, 'staged').git('add', 'a.ts')
    repo.edit('a.ts', 1, 'disk')
    repo.git('rm', '-q', '--cached', 'src/b.ts')
    repo.remove('src/deep/c.ts')
    repo.write('planned.ts', 'planned\n').git('add', '-N', 'planned.ts')
    repo.write('gone.ts', 'x\n').git('add', '-N', 'gone.ts')
    repo.remove('gone.ts')
    repo.write('staged-only.ts', 'x\n').git('add', 'staged-only.ts')
    repo.remove('staged-only.ts')
    mark(repo)
    expect(contents(repo)).toEqual({ 'a.ts': 'disk', 'src/b.ts': 'bbbb', 'planned.ts': 'planned' })
  })

  it('takes the working tree in the middle of a merge with conflicts', () => {
    const repo = three()
    repo.write('both.ts', 'base\n').write('theirs-only.ts', 'base\n').commit('base')
    repo.switchNew('topic').write('both.ts', 'topic\n').write('theirs-only.ts', 'topic\n').commit('topic')
    repo.checkout('main').write('both.ts', 'main\n').remove('theirs-only.ts').commit('main')
    expect(repo.merge('topic').status).not.toBe(0)
    repo.write('theirs-only.ts', 'by hand\n')
    mark(repo)
    expect(contents(repo)).toMatchObject({ 'both.ts': repo.read('both.ts').trimEnd(), 'theirs-only.ts': 'by hand' })
    expect(repo.read('both.ts')).toContain('<<<<<<<')
    expect(repo.git('ls-files', '-u').split('\n').length).toBe(5)
    repo.write('both.ts', 'resolved\n').remove('theirs-only.ts')
    mark(repo)
    expect(contents(repo, 'refs/turn-attribution/default/mark/2')).toEqual({
      'a.ts': 'aaaa',
      'both.ts': 'resolved',
      'src/b.ts': 'bbbb',
      'src/deep/c.ts': lines(20).trimEnd(),
    })
  })

  it('keeps what a sparse checkout leaves out, and takes what is there nevertheless', () => {
    for (const sparseIndex of ['--no-sparse-index', '--sparse-index']) {
      const repo = TurnRepository.create({
        'in/a.ts': 'a\n',
        'out/b.ts': 'b\n',
        'out/c.ts': 'cccc\n',
        'out/more/d.ts': 'd\n',
        'top.ts': 't\n',
      })
      repo.git('sparse-checkout', 'set', '--cone', sparseIndex, 'in')
      expect(existsSync(repo.path('out'))).toBe(false)
      mark(repo)
      expect(paths(repo)).toEqual(['in/a.ts', 'out/b.ts', 'out/c.ts', 'out/more/d.ts', 'top.ts'])
      repo.write('out/c.ts', 'here\n').write('out/new.ts', 'new\n').edit('in/a.ts', 1, 'x')
      expect([sparseIndex, shownPaths(repo)]).toEqual([sparseIndex, ['in/a.ts', 'out/c.ts', 'out/new.ts']])
      repo.git('config', 'sparse.expectFilesOutsideOfPatterns', 'true')
      expect(shownPaths(repo)).toEqual(['in/a.ts', 'out/c.ts', 'out/new.ts'])
    }
  })

  describe('of a sparse checkout', () => {
    const files = { 'in/a.ts': 'a\n', 'in/deep/b.ts': 'b\n', 'out/c.ts': 'c\n', 'out/in/d.ts': 'd\n', 'top.ts': 't\n' }
    const all = Object.keys(files)
    /** Those of all files that git itself says are inside. */
    const inside = (repo: TurnRepository) => {
      const input = all.map((path) => `${path}\0`).join('')
      return repo.gitWith({ input }, 'sparse-checkout', 'check-rules', '-z').split('\0').filter(Boolean)
    }

    it.each([
      ['cone', ['--cone', '--no-sparse-index', 'in']],
      ['cone, sparse index', ['--cone', '--sparse-index', 'in']],
      ['cone, below the top', ['--cone', '--no-sparse-index', 'in/deep']],
      ['patterns', ['--no-cone', '--no-sparse-index', '*.ts', '!/in/a.ts', '!out']],
      // In cone mode the files at the top would be inside as well.
      ['patterns that could be of cone mode', ['--no-cone', '--no-sparse-index', '/in/']],
    ])('takes what is inside and not there for deleted, whatever the bit says: %s', (_, args) => {
      const repo = TurnRepository.create(files)
      repo.git('sparse-checkout', 'set', ...args)
      const kept = inside(repo)
      expect(kept.length).toBeGreaterThan(0)
      expect(kept.length).toBeLessThan(all.length)
      expect(all.filter((path) => existsSync(repo.path(path)))).toEqual(kept)
      repo.git('update-index', '--skip-worktree', ...kept)
      mark(repo)
      expect(paths(repo)).toEqual(all)
      const settings = folderState(join(repo.cwd, '.git/info'))
      const [index, config] = ['index', 'config'].map((name) => readFileSync(join(repo.cwd, '.git', name)))
      for (const path of kept) rmSync(repo.path(path))
      expect(repo.git('status', '--short')).toBe('')
      // Also from a folder of it.
      mkdirSync(repo.path('in'), { recursive: true })
      const shown = show({ cwd: repo.path('in'), env: repo.env }).shown
      expect(shown.map(({ path, kind }) => [path, kind]).sort()).toEqual(kept.map((path) => [path, 'deleted']))
      expect(paths(repo, 'refs/turn-attribution/default/end/1')).toEqual(all.filter((path) => !kept.includes(path)))
      expect(folderState(join(repo.cwd, '.git/info'))).toEqual(settings)
      expect(['index', 'config'].map((name) => readFileSync(join(repo.cwd, '.git', name)))).toEqual([index, config])
    })

    it('has names as they are', () => {
      const repo = TurnRepository.create()
      const names = ['line\nfeed', 'quote"', '"quoted"', ' lead', 'trail ', '*', '!not', '#x', '\xff\xfe', '\xff\xfd']
      const inFolder = (folder: string) => names.map((name) => `${folder}/${name}`)
      const onDisk = (path: string) => Buffer.from(`${repo.cwd}/${path}`, 'latin1')
      for (const folder of ['in', 'out']) {
        mkdirSync(repo.path(folder))
        for (const path of inFolder(folder)) writeFileSync(onDisk(path), 'x\n')
      }
      repo.commit('odd')
      const patterns = Buffer.from('/in/\n!/in/\xff\xfd\n', 'latin1')
      repo.gitWith({ input: patterns }, 'sparse-checkout', 'set', '--no-cone', '--stdin')
      const inside = inFolder('in').filter((path) => existsSync(onDisk(path)))
      expect(inside).toEqual(inFolder('in').slice(0, -1))
      const input = Buffer.from(inside.map((path) => `${path}\0`).join(''), 'latin1')
      repo.gitWith({ input }, 'update-index', '--skip-worktree', '-z', '--stdin')
      mark(repo)
      for (const path of inside) rmSync(onDisk(path))
      expect(show(repo).shown.map(({ kind }) => kind)).toEqual(inside.map(() => 'deleted'))
      const end = 'refs/turn-attribution/default/end/1'
      expect(repo.git('ls-tree', '--name-only', `${end}:in`)).toBe('"\\377\\375"')
      expect(repo.git('ls-tree', '-z', '--name-only', `${end}:out`).split('\0').length).toBe(names.length + 1)
    })

    it('has settings and files of a linked worktree of its own', () => {
      const repo = TurnRepository.create(files)
      const linked = { cwd: join(repo.root, 'linked'), env: repo.env }
      repo.git('worktree', 'add', '-q', '-b', 'side', linked.cwd)
      runGit(linked.cwd, repo.env, ['sparse-checkout', 'set', '--no-cone', '/in/', '/top.ts'])
      expect(repo.git('config', 'extensions.worktreeConfig')).toBe('true')
      for (const place of [repo, linked]) runGit(place.cwd, repo.env, ['update-index', '--skip-worktree', 'top.ts'])
      for (const place of [repo, linked]) {
        mark(place)
        rmSync(join(place.cwd, 'top.ts'))
        expect(show(place).shown).toMatchObject([{ path: 'top.ts', kind: 'deleted' }])
      }
      expect(paths(repo, 'refs/turn-attribution/worktree-linked/end/1')).toEqual(all.slice(0, -1))
    })

    it('has submodules where git has them: as files in cone mode, otherwise as folders', () => {
      const library = TurnRepository.create({ 'lib.ts': 'lib\n' })
      for (const [args, kept, gone] of [
        [['--no-cone', '/*', '!/one/'], 'one', 'two'],
        [['--no-cone', '/*', '!/two'], 'two', 'one'],
        [['--cone', 'in'], 'out/lib', 'one'],
      ] as const) {
        const repo = TurnRepository.create(files)
        for (const path of ['one', 'two', 'out/lib']) repo.git('submodule', 'add', '-q', library.cwd, path)
        repo.commit('submodules')
        // One that is checked out keeps git from leaving it out.
        repo.git('submodule', 'deinit', '-q', '--all')
        repo.git('sparse-checkout', 'set', ...args)
        expect(repo.git('ls-files', '-t', kept, gone).split('\n').sort()).toEqual([`H ${gone}`, `S ${kept}`].sort())
        repo.git('update-index', '--skip-worktree', gone)
        mark(repo)
        rmSync(repo.path(gone), { recursive: true })
        expect(show(repo).shown).toMatchObject([{ path: gone, newMode: null }])
        const end = 'refs/turn-attribution/default/end/1'
        expect(repo.git('rev-parse', `${end}:${kept}`)).toBe(library.oid())
      }
    })

    it.skipIf(process.platform === 'win32')('says of what git cannot tell, and takes it for deleted', () => {
      const repo = TurnRepository.create(files)
      repo.git('sparse-checkout', 'set', '--cone', 'in')
      repo.git('update-index', '--skip-worktree', 'in/a.ts')
      mark(repo)
      repo.remove('in/a.ts')
      const old = join(repo.root, 'old')
      mkdirSync(old)
      const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
      const script = `#!/bin/sh\ncase "$*" in *check-rules*) exec ${git} sparse-checkout no-such;; esac\nexec ${git} "$@"\n`
      writeFileSync(join(old, 'git'), script, { mode: 0o755 })
      const environments = [{ PATH: `${old}:${process.env.PATH}` }, {}]
      for (const more of environments) {
        const { status, stdout, stderr } = run(repo, ['show', '--json'], more)
        expect(status).toBe(0)
        const { shown } = JSON.parse(stdout) as TurnAttribution
        expect(shown.map(({ path }) => path).sort()).toEqual(['in/a.ts', 'out/c.ts', 'out/in/d.ts'])
        expect(stderr).toContain('3 files that the sparse checkout may leave out, taken for deleted')
        expect(stderr.trimEnd().split('\n').length).toBe(1)
        // Without the file git leaves nothing out.
        rmSync(join(repo.cwd, '.git/info/sparse-checkout'), { force: true })
      }
      expect(repo.git('sparse-checkout', 'list')).toBe('')
    })

    it('asks once about a hundred thousand files', () => {
      const repo = TurnRepository.create({ 'in/a.ts': 'a\n' })
      const blob = repo.oid('HEAD:in/a.ts')
      const entries = Array.from({ length: 100_000 }, (_, at) => `100644 ${blob}\tout/${at % 300}/${at}.ts\n`).join('')
      repo.gitWith({ input: entries }, 'update-index', '--index-info')
      repo.git('commit', '-q', '-m', 'many')
      repo.git('sparse-checkout', 'set', '--cone', 'in')
      repo.git('update-index', '--skip-worktree', 'in/a.ts')
      const began = Date.now()
      mark(repo)
      expect(Date.now() - began).toBeLessThan(20_000)
      repo.remove('in/a.ts')
      expect(show(repo).shown).toMatchObject([{ path: 'in/a.ts', kind: 'deleted' }])
    })
  })

  it('sees edits behind assume-unchanged and skip-worktree', () => {
    const repo = three()
    settle(repo)
    repo.git('update-index', '--assume-unchanged', 'a.ts')
    repo.git('update-index', '--skip-worktree', 'src/b.ts')
    mark(repo)
    repo.edit('a.ts', 1, 'edited').edit('src/b.ts', 1, 'edited')
    expect(repo.git('status', '--short')).toBe('')
    expect(shownPaths(repo)).toEqual(['a.ts', 'src/b.ts'])
    repo.remove('a.ts')
    expect(show(repo).shown).toMatchObject([{ path: 'a.ts', kind: 'deleted' }, { path: 'src/b.ts' }])
    expect(repo.git('ls-files', '-v')).toBe('h a.ts\nS src/b.ts\nH src/deep/c.ts')
    // Without a sparse checkout nothing else explains that a file is not there.
    repo.remove('src/b.ts')
    expect(show(repo).shown).toMatchObject([
      { path: 'a.ts', kind: 'deleted' },
      { path: 'src/b.ts', kind: 'deleted' },
    ])
  })

  it('sees an edit of the same size under the old times', () => {
    const repo = three()
    const old = new Date('2020-01-01T00:00:00Z')
    for (const path of ['a.ts', 'src/b.ts']) utimesSync(repo.path(path), old, old)
    settle(repo)
    mark(repo)
    editUnseen(repo, 'a.ts', 'AAAA\n')
    expect(shownPaths(repo)).toEqual(['a.ts'])
  })

  it('sees one in the same second as the index, where git itself does not', () => {
    const repo = three()
    const old = new Date('2020-01-01T00:00:00Z')
    for (let attempt = 0; ; attempt += 1) {
      // Early in a second, so that all of it lies in one; not at once, since the clock of files is a few milliseconds late.
      execFileSync('sleep', [String((1050 - (Date.now() % 1000)) / 1000)])
      utimesSync(repo.path('a.ts'), old, old)
      repo.git('update-index', '-q', '--really-refresh')
      editUnseen(repo, 'a.ts', attempt % 2 === 0 ? 'AAAA\n' : 'BBBB\n')
      utimesSync(repo.path('a.ts'), old, old)
      // What the test is about: git takes it for unchanged.
      if (repo.git('status', '--short') === '') break
      if (attempt > 20) throw new Error('git saw the edit every time')
    }
    mark(repo)
    expect(contents(repo)['a.ts']).toMatch(/^(AAAA|BBBB)$/)
  })

  it('sees one whatever the settings say about times', () => {
    const settings = [
      ['core.trustctime', 'false'],
      ['core.checkStat', 'minimal'],
      ['core.ignoreStat', 'true'],
      ['core.untrackedCache', 'true'],
      ['core.splitIndex', 'true'],
      ['feature.manyFiles', 'true'],
      ['index.version', '4'],
      ['index.skipHash', 'true'],
    ] as const
    const repositories = settings.map(([key, value]) => {
      const repo = three()
      repo.git('config', key, value)
      repo.git('reset', '-q', '--hard')
      return repo
    })
    settle(...repositories)
    for (const [index, repo] of repositories.entries()) {
      mark(repo)
      editUnseen(repo, 'a.ts', 'AAAA\n')
      repo.write('untracked.ts', 'x\n')
      expect([settings[index], shownPaths(repo)]).toEqual([settings[index], ['a.ts', 'untracked.ts']])
    }
  })

  it('sees a file that another one was moved over, with the old times', () => {
    const repo = three()
    settle(repo)
    mark(repo)
    const { atime, mtime } = statSync(repo.path('a.ts'))
    repo.write('.git/other', 'AAAA\n')
    utimesSync(repo.path('.git/other'), atime, mtime)
    renameSync(repo.path('.git/other'), repo.path('a.ts'))
    expect(shownPaths(repo)).toEqual(['a.ts'])
  })

  it('believes no index that was made younger than it is', () => {
    const repo = three()
    const old = new Date('2020-01-01T00:00:00Z')
    utimesSync(repo.path('a.ts'), old, old)
    repo.git('update-index', '-q', '--really-refresh')
    const soon = new Date(Date.now() + 3_600_000)
    utimesSync(join(repo.cwd, '.git/index'), soon, soon)
    editUnseen(repo, 'a.ts', 'AAAA\n')
    mark(repo)
    expect(contents(repo)['a.ts']).toBe('AAAA')
  })

  it.runIf(process.platform === 'linux')('does not read again what the index proves to be unchanged', () => {
    const repo = three()
    const log = join(repo.root, 'filtered')
    repo.git('config', 'filter.log.clean', `sh -c 'echo %f >> "${log}"; cat'`)
    repo.write('.gitattributes', '*.ts filter=log\n').commit('attributes')
    settle(repo)
    const filtered = () => {
      const names = existsSync(log) ? new Set(readFileSync(log, 'utf8').split('\n').filter(Boolean)) : []
      rmSync(log, { force: true })
      return [...names]
    }
    filtered()
    mark(repo)
    expect(filtered()).toEqual([])
    repo.write('a.ts', 'aaaa\n')
    mark(repo)
    expect(filtered()).toEqual(['a.ts'])
    // What changed shortly before the index was written is read again.
    repo.write('a.ts', 'aaaa\n').git('update-index', '-q', '--really-refresh')
    filtered()
    mark(repo)
    expect(filtered()).toEqual(['a.ts'])
    expect(paths(repo)).toEqual(['.gitattributes', 'a.ts', 'src/b.ts', 'src/deep/c.ts'])
  })

  it('records modes, links and types as the repository is set to', () => {
    const repo = three()
    repo.symlink('a.ts', 'link')
    repo.commit('link')
    mark(repo)
    repo.chmod('a.ts', '+x').symlink('src/b.ts', 'link')
    const { shown } = show(repo)
    expect(shown.map(({ path, oldMode, newMode }) => [path, oldMode, newMode])).toEqual([
      ['a.ts', '100644', '100755'],
      ['link', '120000', '120000'],
    ])
    repo.git('config', 'core.fileMode', 'false')
    repo.symlink('a.ts', 'link')
    expect(shownPaths(repo)).toEqual([])
    repo.remove('link').write('link', 'a file now\n')
    expect(show(repo).shown).toMatchObject([{ path: 'link', kind: 'typechange' }])
    repo.git('config', 'core.symlinks', 'false')
    repo.write('link', 'a.ts')
    expect(shownPaths(repo)).toEqual([])
  })

  it('replaces a folder by a file or a link, and the other way round', () => {
    const repo = three()
    mark(repo)
    repo.remove('src').write('src', 'file\n').remove('a.ts').write('a.ts/in.ts', 'x\n')
    expect(shownPaths(repo)).toEqual(['a.ts', 'a.ts/in.ts', 'src', 'src/b.ts', 'src/deep/c.ts'])
    const moved = three()
    settle(moved)
    mark(moved)
    renameSync(moved.path('src'), join(moved.root, 'elsewhere'))
    symlinkSync(join(moved.root, 'elsewhere'), moved.path('src'))
    expect(shownPaths(moved)).toEqual(['src', 'src/b.ts', 'src/deep/c.ts'])
  })

  it('has line ends and filters as git add has them', () => {
    const repo = three()
    repo.write('dos.txt', 'one\r\ntwo\r\n').commit('with CRLF')
    repo.git('config', 'core.autocrlf', 'true')
    repo.git('config', 'core.safecrlf', 'true')
    repo.git('config', 'filter.upper.clean', 'tr a-z A-Z')
    repo.git('config', 'filter.upper.required', 'true')
    repo.write('.gitattributes', '*.up filter=upper\n').write('x.up', 'shout\n').write('new.txt', 'new\r\nlines\r\n')
    mark(repo)
    expect(contents(repo)).toMatchObject({ 'x.up': 'SHOUT', 'new.txt': 'new\nlines' })
    // What is in the repository with CRLF stays so: it was not edited.
    expect(repo.git('rev-parse', 'refs/turn-attribution/default/mark/1:dos.txt')).toBe(repo.oid('HEAD:dos.txt'))
    repo.git('config', 'filter.upper.clean', 'false')
    repo.write('x.up', 'again\n')
    const { status, stderr } = run(repo, ['mark'])
    expect(status).toBe(1)
    expect(stderr).toContain('git cannot take the whole working tree')
    expect(stderr).toContain("clean filter 'upper' failed")
    expect(done(repo, 'list').split('\n').length).toBe(2)
  })

  it('has submodules and embedded repositories as pointers', () => {
    const repo = three()
    const library = three()
    repo.git('submodule', 'add', '-q', library.cwd, 'lib')
    repo.git('config', '-f', '.gitmodules', 'submodule.lib.ignore', 'all')
    repo.commit('submodule')
    runGit(repo.cwd, repo.env, ['clone', '-q', library.cwd, 'embedded'])
    const state = folderState(repo.path('.git/modules'))
    mark(repo)
    const tree = () => repo.git('ls-tree', 'refs/turn-attribution/default/mark/1', 'lib', 'embedded')
    expect(tree()).toBe(`160000 commit ${library.oid()}\tembedded\n160000 commit ${library.oid()}\tlib`)
    repo.write('lib/a.ts', 'dirty\n')
    expect(shownPaths(repo)).toEqual([])
    expect(folderChanges(state, folderState(repo.path('.git/modules')))).toEqual([])
    runGit(repo.path('lib'), repo.env, ['commit', '-qam', 'in the submodule'])
    expect(show(repo).shown).toMatchObject([{ path: 'lib', kind: 'submodule' }])
  })

  it('says in which folder of a submodule it sees nothing, for want of a repository', () => {
    const repo = three()
    const library = three()
    repo.git('submodule', 'add', '-q', library.cwd, 'lib')
    repo.commit('submodule')
    repo.git('submodule', 'deinit', '-q', '-f', 'lib')
    mark(repo)
    repo.write('lib/new.ts', 'x\n')
    const { status, stderr } = run(repo, ['mark'])
    expect([status, stderr]).toEqual([
      0,
      'turn-attribution: not in the snapshot as it is now: lib/: has files, but is a submodule that is not checked out\n',
    ])
  })

  it.runIf(process.platform === 'linux')('tells names apart by case where the file system does', () => {
    const repo = three()
    repo.git('config', 'core.ignoreCase', 'true')
    mark(repo)
    repo.write('A.ts', 'other\n').write('SRC/new.ts', 'x\n')
    expect(shownPaths(repo)).toEqual(['A.ts', 'SRC/new.ts'])
  })

  it.runIf(process.platform === 'linux')('says that a path is too long to be read', () => {
    const repo = three()
    const deep = `mkdir ${'x'.repeat(200)}; cd ${'x'.repeat(200)}; echo x > f; `
    execFileSync('sh', ['-c', `${deep.repeat(25)}true`], { cwd: repo.cwd, stdio: 'ignore' })
    const { status, stderr } = run(repo, ['mark'])
    expect(status).toBe(0)
    expect(stderr).toMatch(/^turn-attribution: not in the snapshot as it is now: x{200}\/.*: the path is too long\n$/)
    execFileSync('rm', ['-rf', repo.path('x'.repeat(200))])
  })

  it.skipIf(process.getuid?.() === 0)('says what it could not read, and takes the rest', () => {
    const repo = three()
    repo.write('closed.ts', 'x\n').write('shut/in.ts', 'x\n')
    chmodSync(repo.path('closed.ts'), 0)
    chmodSync(repo.path('shut'), 0)
    const { status, stdout, stderr } = run(repo, ['mark'])
    chmodSync(repo.path('shut'), 0o755)
    expect([status, stdout]).toEqual([0, 'Marked default 1\n'])
    expect(stderr).toContain('not in the snapshot as it is now: closed.ts: Permission denied')
    expect(stderr).toContain('not in the snapshot as it is now: shut/: Permission denied')
    expect(paths(repo)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
  })

  it('says which embedded repository has nothing to point to, and takes the rest', () => {
    const repo = three()
    runGit(repo.cwd, repo.env, ['init', '-q', 'empty'])
    repo.write('empty/x', 'x\n').write('new.ts', 'n\n')
    const { status, stderr } = run(repo, ['mark'])
    expect([status, stderr]).toEqual([
      0,
      'turn-attribution: not in the snapshot as it is now: empty/: does not have a commit checked out\n',
    ])
    expect(paths(repo)).toEqual(['a.ts', 'new.ts', 'src/b.ts', 'src/deep/c.ts'])
  })

  it('has names as they are', () => {
    const repo = three()
    const names = [
      '-n',
      ' lead',
      'trail ',
      'tab\there',
      'line\nfeed',
      'quote"',
      'back\\slash',
      'ü日',
      ':colon',
      '*',
      '#x',
    ]
    for (const name of names) repo.write(name, 'x\n')
    writeFileSync(Buffer.concat([Buffer.from(`${repo.cwd}/`), Buffer.from([0x62, 0xff])]), 'x\n')
    mark(repo)
    const listed = repo.git('ls-tree', '-r', '-z', '--name-only', 'refs/turn-attribution/default/mark/1').split('\0')
    expect(listed.filter(Boolean).length).toBe(names.length + 1 + 3)
    for (const name of names) expect(listed).toContain(name)
    settle(repo)
    expect(shownPaths(repo)).toEqual([])
  })

  it('does not fail for pipes and sockets, which git passes over', () => {
    const repo = three()
    execFileSync('mkfifo', [repo.path('pipe')])
    mark(repo)
    expect(paths(repo)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
    expect(lstatSync(repo.path('pipe')).isFIFO()).toBe(true)
  })

  it('fetches nothing in a partial clone', () => {
    const repo = three()
    runGit(repo.origin, repo.env, ['config', 'uploadpack.allowFilter', 'true'])
    const partial = { cwd: join(repo.root, 'partial'), env: repo.env }
    runGit(repo.root, repo.env, [
      'clone',
      '-q',
      '--filter=blob:none',
      '--no-checkout',
      `file://${repo.origin}`,
      partial.cwd,
    ])
    runGit(partial.cwd, repo.env, ['sparse-checkout', 'set', '--no-cone', '/a.ts'])
    runGit(partial.cwd, repo.env, ['checkout', '-q', 'main'])
    renameSync(repo.origin, `${repo.origin}.away`)
    mark(partial)
    writeFileSync(join(partial.cwd, 'a.ts'), 'edited\n')
    expect(shownPaths(partial)).toEqual(['a.ts'])
    expect(tryGit(partial.cwd, repo.env, ['rev-list', '--objects', '--missing=print', 'HEAD']).stdout).toContain('?')
  })

  it.skipIf(process.platform === 'win32')('fetches nothing with a git that knows no setting for that, either', () => {
    const repo = three()
    runGit(repo.origin, repo.env, ['config', 'uploadpack.allowFilter', 'true'])
    const partial = join(repo.root, 'partial')
    const from = `file://${repo.origin}`
    runGit(repo.root, repo.env, ['clone', '-q', '--filter=blob:none', '--no-checkout', from, partial])
    runGit(partial, repo.env, ['read-tree', 'HEAD'])
    // For its line ends git asks for the content that it has recorded.
    runGit(partial, repo.env, ['config', 'core.autocrlf', 'true'])
    writeFileSync(join(partial, 'a.ts'), 'new\r\n')
    const old = join(repo.root, 'old')
    mkdirSync(old)
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    writeFileSync(join(old, 'git'), `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec ${git} "$@"\n`, { mode: 0o755 })
    const missing = () => tryGit(partial, repo.env, ['rev-list', '--objects', '--missing=print', 'HEAD']).stdout
    const before = missing()
    expect(before).toContain('?')
    const { stderr } = run({ cwd: partial, env: repo.env }, ['mark'], { PATH: `${old}:${process.env.PATH}` })
    expect(stderr).toContain("transport 'file' not allowed")
    expect(missing()).toBe(before)
  })
})
