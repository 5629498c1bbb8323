// Characters of a name that cannot be seen, or that move what stands beside them: C0, DEL, C1, marks of direction, breaks
// of lines, zero widths, fillers, tags, lone halves of a pair.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u{e0000}-\u{e0fff}]/gu

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

export interface NamePart {
  text: string
  /** Whether it stands for a character that cannot be seen. */
  escaped: boolean
}

/** A name in parts: as it is, and what stands for characters that cannot be seen. */
export function visibleParts(name: string): NamePart[] {
  const parts: NamePart[] = []
  let end = 0
  for (const { 0: character, index } of name.matchAll(UNSEEN)) {
    if (index > end) parts.push({ text: name.slice(end, index), escaped: false })
    parts.push({ text: escapeOf(character), escaped: true })
    end = index + character.length
  }
  if (end < name.length) parts.push({ text: name.slice(end), escaped: false })
  return parts
}

/** A name as text in which every character can be seen: for titles and labels. */
export function visible(name: string): string {
  return name.replace(UNSEEN, escapeOf)
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return SHORT[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`)
}

// Marks that turn the direction of a line around: text that reads otherwise than it runs.
const TURNED = /[\u202a-\u202e\u2066-\u2069]/

// Of the characters that cannot be seen those that no ordinary text has: not a joiner, which scripts and emoji need, and
// not the mark of byte order that begins a file.
const NEVER_SEEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u115f\u1160\u200b\u2028\u2029\u2060-\u2064\u3164\uffa0]|(?<!\n[-+ ])\ufeff|\r(?!\n)|[\u{e0000}-\u{e007f}]/u

/** Whether lines of a patch hold characters that cannot be seen, besides the marks of direction. */
export function unseenIn(text: string): boolean {
  return NEVER_SEEN.test(text)
}

/** Whether a text holds marks that make it read otherwise than it runs. */
export function turnsDirection(text: string): boolean {
  return TURNED.test(text)
}
