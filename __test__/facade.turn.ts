// The one turn that the tests of the façade and the command line ask about: three files move, one is edited.

import { type AttributeTurnRequest, addon, type Checkpoint } from './support/addon.js'
import { TurnRepository } from './support/turn-repository.js'

/** `main` is checked out; `feature` holds three files more. */
export function repoWithFeature(): TurnRepository {
  const repo = TurnRepository.create({ 'src/app.ts': 'one\ntwo\nthree\n' })
  repo.switchNew('feature')
  for (const name of ['a', 'b', 'c']) repo.write(`feature/${name}.ts`, `${name}\n`)
  repo.commit('feature')
  return repo.checkout('main')
}

export async function switchAndEdit(repo = repoWithFeature()): Promise<AttributeTurnRequest> {
  const from = await repo.startTurn()
  repo.checkout('feature').write('src/app.ts', 'one\nTWO\nthree\nfour\n')
  return { cwd: repo.cwd, from, to: await repo.endTurn() }
}

/** Keeps a checkpoint the way a host may: as a ref to a commit whose message holds the facts. */
export async function keepInMessage(repo: TurnRepository, name: string, checkpoint: Checkpoint): Promise<string> {
  const { ref: snapshot, oid: _, pin, ...facts } = checkpoint
  const message = await addon().writeCheckpointFacts(`checkpoint ${name}`, pin ? { ...facts, pin } : facts)
  const ref = `refs/checkpoints/${name}`
  repo.git('update-ref', ref, repo.git('commit-tree', `${snapshot}^{tree}`, '-m', message))
  return ref
}
