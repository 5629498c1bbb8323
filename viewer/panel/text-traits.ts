// What is to be said of a file's patch because the lines do not show it: a browser draws no NUL, makes a new line of a
// lone carriage return, and draws lines alike that end differently.

import { turnsDirection, unseenIn } from '../names/visible.js'

export interface TextTraits {
  /** Whether it holds lines at all. */
  hasLines: boolean
  /** Whether these hold marks that make them read otherwise than they run. */
  turned: boolean
  /** Whether these hold other characters that cannot be seen. */
  unseen: boolean
  /** How the ends of changed lines differ, in words. */
  lineEnds: string | null
}

export const NO_TEXT: TextTraits = { hasLines: false, turned: false, unseen: false, lineEnds: null }

/** `text` is one part of a git patch; of a change of type there are two, whose lines are not one another's. */
export function traitsOf(text: string, isTypeChange: boolean): TextTraits {
  // Never `^`: it also stands after a carriage return and after U+2028.
  const start = text.search(/\n@@ /)
  if (start < 0) return NO_TEXT
  const body = text.slice(start)
  return {
    hasLines: true,
    turned: turnsDirection(body),
    unseen: unseenIn(body),
    lineEnds: isTypeChange ? null : lineEnds(body),
  }
}

// Of a last line that has no end nothing is to be said.
const ENDS = {
  removedCrlf: /\n-[^\n]*\r\n(?!\\)/,
  removedLf: /\n-(?:[^\n]*[^\r\n])?\n(?!\\)/,
  addedCrlf: /\n\+[^\n]*\r\n(?!\\)/,
  addedLf: /\n\+(?:[^\n]*[^\r\n])?\n(?!\\)/,
}

function lineEnds(body: string): string | null {
  const [removedCrlf, addedCrlf] = [ENDS.removedCrlf.test(body), ENDS.addedCrlf.test(body)]
  if (!removedCrlf && !addedCrlf) return null
  const [removedLf, addedLf] = [ENDS.removedLf.test(body), ENDS.addedLf.test(body)]
  if (!(removedCrlf || removedLf) || !(addedCrlf || addedLf)) return null
  if (!removedLf && !addedLf) return null
  if (!removedLf && !addedCrlf) return 'line ends CRLF → LF'
  if (!removedCrlf && !addedLf) return 'line ends LF → CRLF'
  return 'line ends differ'
}
