// The two clocks of a test: what happened before the turn bears old, increasing dates; the turn bears real ones.
const firstDate = Date.UTC(2024, 0, 1) / 1000
const step = 3600

export class Clock {
  private ticks = 0
  private inTurn = false

  /** From now on dates are real. */
  beginTurn(): void {
    this.inTurn = true
  }

  /** From now on dates are old again, still increasing (for history made between two turns of a story). */
  beforeTurn(): void {
    this.inTurn = false
  }

  get isInTurn(): boolean {
    return this.inTurn
  }

  /** The next old date, in git's raw form. */
  oldDate(): string {
    this.ticks += 1
    return `${firstDate + this.ticks * step} +0000`
  }

  /** Environment that dates one command. */
  environment(): Record<string, string> {
    if (this.inTurn) return {}
    const date = this.oldDate()
    return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  }
}
