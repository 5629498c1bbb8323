// Which operations a turn is made of. Dealt from shuffled decks, so that every kind gets its turns whatever chance says.
import { harderKinds, ordinaryKinds } from './operations/all.js'
import type { Operation } from './operations/operation.js'
import { Random } from './random.js'

class Deck {
  private cards: string[] = []

  constructor(
    private readonly kinds: readonly Operation[],
    private readonly random: Random,
  ) {}

  draw(): string {
    // A kind that seldom applies has more than one card.
    if (this.cards.length === 0)
      this.cards = this.random.shuffled(this.kinds.flatMap(({ kind, cards }) => Array<string>(cards ?? 1).fill(kind)))
    return this.cards.pop() as string
  }
}

/** The kinds of every turn from 0 to `turns` - 1. */
export function dealKinds(seed: string, turns: number, isHarder: (index: number) => boolean): string[][] {
  const random = new Random(`${seed}/deal`)
  const ordinary = new Deck(ordinaryKinds, random)
  const harder = new Deck(harderKinds, random)
  return Array.from({ length: turns }, (_, index) => {
    const count = random.pick([1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 8])
    return Array.from({ length: count }, () =>
      isHarder(index) && random.chance(0.4) ? harder.draw() : ordinary.draw(),
    )
  })
}
