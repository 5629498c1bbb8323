// One simulated turn from its past to its measures.
import { existsSync } from 'node:fs'
import type { Addon, AttributeTurnRequest, Checkpoint, TurnAttribution } from '../support/addon.js'
import { owner, runGit } from '../support/git.js'
import { gitTreeDelta } from '../support/tree-delta.js'
import { keepFolder, TurnRepository, temporaryFolder } from '../support/turn-repository.js'
import { type Content, linesOf } from './content.js'
import { Inventory } from './inventory.js'
import { type Label, labelTurn } from './label.js'
import { endings, harderKinds, ordinaryKinds } from './operations/all.js'
import type { Operation } from './operations/operation.js'
import { type RuleName, shownByOtherRules } from './other-rules.js'
import { makePast } from './past.js'
import { Random } from './random.js'
import { Scene } from './scene.js'

export interface TurnPlan {
  seed: string
  index: number
  harder: boolean
  /** The kinds to play, in order. */
  kinds: string[]
  /** Ask again after three more turns and `gc`. */
  askAgain: boolean
  keep: boolean
}

export interface Tally {
  hidden: string[]
  noise: string[]
  lateShown: string[]
}

export interface TurnRecord {
  plan: TurnPlan
  kinds: string[]
  story: string[]
  headMoved: boolean
  must: number
  moved: number
  late: number
  either: number
  rules: [RuleName, Tally][]
  /** Null where the addon is not there. */
  product:
    | null
    | (Tally & {
        shown: number
        mixed: number
        missingLines: string[]
        foreignLines: string[]
        /** What the product says of the files it got wrong. */
        explanations: string[]
        degraded: string | null
        evidence: string | null
        milliseconds: number
      })
  /** Promises broken in this turn, beside the figures. */
  broken: string[]
  folder: string
  request: AttributeTurnRequest | null
  labels: [string, Label][]
}

function tally(labels: Map<string, Label>, shown: (path: string) => boolean): Tally {
  const result: Tally = { hidden: [], noise: [], lateShown: [] }
  for (const [path, label] of labels) {
    if (label.verdict === 'must' && !shown(path)) result.hidden.push(`${path}: ${label.why}`)
    if (label.verdict === 'moved' && shown(path)) result.noise.push(path)
    if (label.verdict === 'late' && shown(path)) result.lateShown.push(path)
  }
  return result
}

/** What the owner and the agent did before the turn with git itself: amends, picks, merges, a stash. */
function earlierTurns(scene: Scene): void {
  const { random, repo } = scene
  repo.tryGit('checkout', '-q', random.pick(['main', 'main', 'feature', 'feature', 'spike', 'stack-two', 'topic']))
  if (random.chance(0.1)) repo.tryGit('checkout', '-q', '-b', 'fresh-branch', 'origin/topic-a')
  const write = (): boolean => scene.edit(['replace', 'insert', 'create'], 2, scene.cwd, 'earlier')
  if (random.chance(0.35) && write()) {
    repo.commit('earlier work')
    if (write()) repo.amend()
  }
  if (random.chance(0.15)) {
    if (repo.cherryPick('origin/topic-b').status !== 0) repo.tryGit('cherry-pick', '--abort')
  }
  if (random.chance(0.15) && repo.merge('origin/topic-a').status !== 0) repo.tryGit('merge', '--abort')
  if (random.chance(0.08) && scene.edit(['replace', 'insert'], 1, scene.cwd, 'earlier')) repo.stash()
  if (random.chance(0.07)) repo.tryGit('checkout', '-q', '--detach')
}

function play(scene: Scene, kinds: readonly Operation[], spare: readonly Operation[]): string[] {
  const done: string[] = []
  for (const wanted of kinds) {
    let operation = wanted
    for (let tries = 0; tries < 4; tries += 1) {
      scene.say(operation.kind)
      const applied = operation.run(scene)
      if (scene.leftOpen === null && (scene.inProgress() !== null || scene.unmerged().length > 0)) scene.settle()
      scene.ledger.observe(scene.content(), scene.cwd)
      if (applied) {
        done.push(operation.kind)
        break
      }
      scene.say('  (does not apply)')
      if (scene.leftOpen !== null) break
      operation = scene.random.pick(spare)
    }
    if (scene.leftOpen !== null) break
  }
  return done
}

export async function playTurn(plan: TurnPlan, addon: Addon | null): Promise<TurnRecord> {
  const random = new Random(`${plan.seed}/${plan.index}/${plan.harder ? 'harder' : 'ordinary'}`)
  const folder = temporaryFolder()
  if (plan.keep) keepFolder(folder)
  const repo = new TurnRepository(folder, { readHead: addon ? (cwd) => addon.readHead(cwd) : 'git', person: owner })
  const scene = new Scene(repo, random)
  makePast(random, scene.pen, repo)
  earlierTurns(scene)
  scene.story.length = 0

  const inventory = new Inventory()
  inventory.read(repo.cwd, repo.env, ['--all', '--reflog'])
  inventory.read(repo.origin, repo.env, ['--all'])
  const startHead = scene.content()
  if (random.chance(0.35))
    scene.edit(['replace', 'insert', 'insert', 'delete-lines', 'create'], random.between(1, 3), scene.cwd, 'user')
  scene.say(`starts on ${scene.branch() ?? 'a detached head'}`)

  const from = await repo.startTurn()
  const start = scene.content()
  const every = [...ordinaryKinds, ...harderKinds]
  const wanted = plan.kinds.map((kind) => every.find((operation) => operation.kind === kind) as Operation)
  // What ends a turn comes last.
  wanted.sort((one, other) => Number(endings.has(one.kind)) - Number(endings.has(other.kind)))
  const kinds = play(scene, wanted, ordinaryKinds)
  const end = scene.content()
  const to = await repo.endTurn()

  const delta = gitTreeDelta(repo, from.ref, to.ref)
  const head = scene.head() || null
  const labels = labelTurn({ place: repo, delta, start, end, startHead, head }, scene.ledger, inventory)
  const rules = shownByOtherRules(repo, delta, from.headOid ?? null, head, from.turnStartedAt ?? 0)
  const counted = (verdict: Label['verdict']): number =>
    [...labels.values()].filter((label) => label.verdict === verdict).length
  const request: AttributeTurnRequest = { cwd: repo.cwd, from, to, demoted: 'paths' }
  const record: TurnRecord = {
    plan,
    kinds,
    story: scene.story,
    headMoved: from.headOid !== head,
    must: counted('must'),
    moved: counted('moved'),
    late: counted('late'),
    either: counted('either'),
    rules: [...rules].map(([name, shown]) => [name, tally(labels, (path) => shown.has(path))]),
    product: null,
    broken: [],
    folder,
    request,
    labels: [...labels],
  }
  if (addon) {
    await askProduct(record, addon, repo, labels, start, end, scene)
    if (plan.askAgain && scene.leftOpen === null) await askAgain(record, addon, scene, request)
  }
  if (!plan.keep) repo.discard()
  return record
}

const paths = (result: TurnAttribution): { shown: string[]; demoted: string[] } => ({
  shown: result.shown
    .flatMap((file) => (file.previousPath === null ? [file.path] : [file.path, file.previousPath]))
    .sort(),
  demoted: (result.demoted.files ?? []).map((file) => file.path).sort(),
})

async function askProduct(
  record: TurnRecord,
  addon: Addon,
  repo: TurnRepository,
  labels: Map<string, Label>,
  start: Content,
  end: Content,
  scene: Scene,
): Promise<void> {
  const request = record.request as AttributeTurnRequest
  const before = repo.gitFolderState()
  const started = performance.now()
  const result = await addon.attributeTurn(request)
  const milliseconds = performance.now() - started
  const again = await addon.attributeTurn(request)
  if (JSON.stringify(result) !== JSON.stringify(again)) record.broken.push('asked twice, answered differently')

  const patch = await addon.diffTurn(request)
  const named = (files: readonly { path: string; previousPath: string | null }[]) =>
    JSON.stringify(files.map((file) => [file.path, file.previousPath]))
  if (named(patch.files) !== named(result.shown)) record.broken.push('the patch and the card list different files')
  if (patch.files.some((file) => file.section === null)) record.broken.push('a file of the patch has no text')

  const listed = paths(result)
  const shown = new Set(listed.shown)
  const all = [...listed.shown, ...listed.demoted].sort()
  if (JSON.stringify(all) !== JSON.stringify([...labels.keys()].sort()))
    record.broken.push('shown and demoted are not the tree delta')
  if (result.demoted.fileCount !== listed.demoted.length)
    record.broken.push('the count of demoted files is not that of their list')

  const missingLines: string[] = []
  const foreignLines: string[] = []
  for (const file of result.shown) {
    if (file.mixed) continue
    const label = labels.get(file.path)
    if (label === undefined) continue
    const explained = await addon.explainPath(request, file.path)
    const expected = new Set(
      explained.expectedContent === null ? [] : linesOf(Buffer.from(explained.expectedContent).toString('utf8')),
    )
    const now = new Set(end.get(file.path)?.lines ?? [])
    for (const line of label.added) if (expected.has(line)) missingLines.push(`${file.path}: + ${line}`)
    // A rename shows its removals at the path it came from.
    if (file.previousPath === null)
      for (const line of label.removedFromPast) if (!expected.has(line)) missingLines.push(`${file.path}: - ${line}`)
    if (label.verdict !== 'must') continue
    // Where the agent kept, dropped or renamed old content, the diff shows it, and rightly so.
    const state = end.get(file.path) ?? start.get(file.path)
    if (state === undefined || scene.ledger.isUndecided(file.path, state)) continue
    const foreign = (line: string): boolean => {
      const author = scene.ledger.author(line)
      return (
        (author === 'earlier' || author === 'late') &&
        !scene.ledger.undecidedLines.has(line) &&
        !scene.ledger.removals.has(line) &&
        !scene.ledger.userRemovals.has(line)
      )
    }
    for (const line of now) if (!expected.has(line) && foreign(line)) foreignLines.push(`${file.path}: + ${line}`)
    for (const line of expected) if (!now.has(line) && foreign(line)) foreignLines.push(`${file.path}: - ${line}`)
  }
  const figures = tally(labels, (path) => shown.has(path))
  const explanations: string[] = []
  for (const path of [
    ...figures.hidden.map((entry) => entry.split(': ')[0] ?? ''),
    ...figures.noise,
    ...figures.lateShown,
  ]) {
    const { verdict, mixed, reason, rule, commits } = await addon.explainPath(request, path)
    explanations.push(`${path}: ${verdict}${mixed ? ' mixed' : ''} (${reason}) ${rule}`)
    for (const commit of commits) explanations.push(`    ${commit.oid.slice(0, 7)} ${commit.role}`)
  }
  const changes = repo.gitFolderChanges(before)
  if (changes.length > 0) record.broken.push(`the repository was written to: ${changes.slice(0, 3).join(', ')}`)
  record.product = {
    ...figures,
    explanations,
    shown: result.shown.length,
    mixed: result.shown.filter((file) => file.mixed).length,
    missingLines,
    foreignLines,
    degraded: result.attribution.status === 'not-attributed' ? result.attribution.reason : null,
    evidence: result.attribution.status === 'attributed' ? result.attribution.evidence : null,
    milliseconds,
  }
}

/** Three more turns, then git forgets what it may: the answer stays, or shows more and says why. */
async function askAgain(record: TurnRecord, addon: Addon, scene: Scene, request: AttributeTurnRequest): Promise<void> {
  const first = await addon.attributeTurn(request)
  const plain = ordinaryKinds.filter((operation) => !endings.has(operation.kind))
  // Logs know whole seconds only: what a later turn does within the last second of this one cannot be told from it.
  await new Promise((resume) => setTimeout(resume, 1005 - (Date.now() % 1000)))
  for (let turn = 0; turn < 3; turn += 1) {
    scene.story.push(`-- later turn ${turn + 1}`)
    play(scene, [scene.random.pick(plain), scene.random.pick(plain)], plain)
    await scene.repo.endTurn()
  }
  const problem = async (when: string): Promise<void> => {
    const later = await addon.attributeTurn(request)
    const before = paths(first)
    const after = paths(later)
    const same = JSON.stringify({ ...first, attribution: null }) === JSON.stringify({ ...later, attribution: null })
    if (same) return
    const missing = before.shown.filter((path) => !after.shown.includes(path))
    if (missing.length > 0) record.broken.push(`${when}: no longer shown: ${missing.join(', ')}`)
    else if (after.shown.length > before.shown.length && !saysWhy(first, later))
      record.broken.push(`${when}: more is shown without a reason`)
  }
  await problem('after three more turns')
  const { cwd, env } = scene.repo
  if (existsSync(cwd)) {
    runGit(cwd, env, ['reflog', 'expire', '--expire=now', '--all'])
    runGit(cwd, env, ['gc', '-q'])
    await problem('after reflog expire and gc')
  }
}

function saysWhy(first: TurnAttribution, later: TurnAttribution): boolean {
  const rank = (result: TurnAttribution): number =>
    result.attribution.status === 'not-attributed'
      ? 3
      : result.attribution.status === 'unmoved'
        ? 0
        : ['reflog', 'dates', 'weak'].indexOf(result.attribution.evidence)
  return rank(later) > rank(first) || later.attribution.notes.length > first.attribution.notes.length
}

/** For `--keep`: what to ask the product by hand. */
export function checkpointsOf(record: TurnRecord): { from: Checkpoint; to: Checkpoint } | null {
  return record.request && { from: record.request.from, to: record.request.to }
}
