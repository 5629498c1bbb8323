// A small deterministic generator (sfc32): the same seed gives the same turn.
export class Random {
  private state: [number, number, number, number]

  constructor(seed: string) {
    let hash = 2166136261
    const next = (): number => {
      for (let index = 0; index < seed.length; index += 1) {
        hash = Math.imul(hash ^ seed.charCodeAt(index), 16777619)
      }
      hash ^= hash >>> 13
      return hash >>> 0
    }
    this.state = [next(), next(), next(), 1]
    for (let round = 0; round < 15; round += 1) this.next()
  }

  /** In [0, 1). */
  next(): number {
    let [a, b, c, d] = this.state
    const sum = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    this.state = [a, b, c | 0, d]
    return (sum >>> 0) / 4294967296
  }

  /** From `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)]
    if (items.length === 0) throw new Error('nothing to pick from')
    return item as Item
  }

  pickOrNull<Item>(items: readonly Item[]): Item | null {
    return items.length === 0 ? null : this.pick(items)
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const result = [...items]
    for (let index = result.length - 1; index > 0; index -= 1) {
      const other = this.between(0, index)
      const held = result[index] as Item
      result[index] = result[other] as Item
      result[other] = held
    }
    return result
  }
}
