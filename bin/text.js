'use strict'

// Text for a terminal: what a repository holds never steers the screen, colour, and width.

// C0, DEL, C1, and the marks that turn the direction of text or break a line: they would move or colour the output.
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

exports.printable = (text) => text.replace(CONTROL, (char) => escapeOf(char.codePointAt(0)))

function escapeOf(code) {
  const hex = code.toString(16)
  return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`
}

// JSON escapes C0 alone. The others stand only inside strings, where the escape means the same.
exports.printableJson = (value) =>
  JSON.stringify(value, null, 2).replace(CONTROL, (char) =>
    char === '\n' ? char : `\\u${char.codePointAt(0).toString(16).padStart(4, '0')}`,
  )

exports.wantsColor = (stream, env) => {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR) return false
  return stream.isTTY === true && env.TERM !== 'dumb'
}

const STYLES = { bold: [1, 22], muted: [2, 22], green: [32, 39], red: [31, 39], yellow: [33, 39] }

exports.painter = (color) => {
  const paint = {}
  for (const [name, [on, off]] of Object.entries(STYLES)) {
    paint[name] = (text) => (color && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text)
  }
  return paint
}

const NO_WIDTH = /[\p{M}\u1160-\u11ff\u200b-\u200d\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u
const WIDE =
  /(?!\p{Regional_Indicator})[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u

// Columns a terminal takes: marks take none, East Asian wide letters and emoji two.
exports.widthOf = (text) => {
  let width = 0
  for (const char of text) if (!NO_WIDTH.test(char)) width += WIDE.test(char) ? 2 : 1
  return width
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

// Left out in the middle: the end of a path is what tells it from others.
exports.shortened = (text, width) => {
  if (exports.widthOf(text) <= width) return text
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment)
  const fitting = (room, next) => {
    const taken = []
    for (let used = 0; parts.length > 0; ) {
      used += exports.widthOf(parts.at(next === 'shift' ? 0 : -1))
      if (used > room) break
      taken.push(parts[next]())
    }
    return taken
  }
  const head = fitting(Math.floor((width - 1) / 3), 'shift')
  const tail = fitting(width - 1 - exports.widthOf(head.join('')), 'pop').reverse()
  return `${head.join('')}…${tail.join('')}`
}
