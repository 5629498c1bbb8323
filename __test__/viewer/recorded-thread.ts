// A thread as T3 Code records it: a ref for each checkpoint, the facts in the message of the snapshot's commit.

import { addon, type Checkpoint } from '../support/addon.js'
import type { TurnRepository } from '../support/turn-repository.js'

export class RecordedThread {
  private constructor(
    readonly repo: TurnRepository,
    readonly id: string,
  ) {}

  /** The number of the checkpoint that comes next. */
  private next = 0

  static async begin(repo: TurnRepository, id = 'thread-one'): Promise<RecordedThread> {
    const thread = new RecordedThread(repo, id)
    await thread.record(await repo.startTurn())
    return thread
  }

  /** Plays a turn and records its end; answers with its number. */
  async turn(story: (repo: TurnRepository) => void): Promise<number> {
    story(this.repo)
    return this.record(await this.repo.endTurn())
  }

  ref(number: number): string {
    return `refs/t3/checkpoints/${this.id}/turn/${number}`
  }

  private async record({ ref: snapshot, oid: _, pin, ...facts }: Checkpoint): Promise<number> {
    const number = this.next++
    const message = await addon().writeCheckpointFacts(`t3 checkpoint ${number}`, pin ? { ...facts, pin } : facts)
    const commit = this.repo.git('commit-tree', `${snapshot}^{tree}`, '-m', message)
    this.repo.git('update-ref', this.ref(number), commit)
    // The repository's own record of it, which has no facts, would be listed as a thread of its own.
    for (const ref of this.repo.git('for-each-ref', '--format=%(refname)', 'refs/t3/checkpoints/test').split('\n'))
      if (ref !== '') this.repo.git('update-ref', '-d', ref)
    return number
  }
}
