'use strict'

/** Nobody has to be told of what is over so soon. */
const SILENT_MS = 1000
const EVERY_MS = 100

/** Of a terminal that does not know it. */
const WIDTH = 80

/** One line on a terminal that tells how far work is; nothing where there is no terminal. */
exports.progressOn = (stream, now = Date.now) => {
  const began = now()
  let last = 0
  let length = 0
  // A line that wraps would not be written over.
  const put = (text) => {
    const fitting = text.slice(0, (stream.columns || WIDTH) - 1)
    stream.write(`\r${fitting.padEnd(length)}`)
    length = fitting.length
  }
  return {
    say(text) {
      const time = now()
      if (!stream.isTTY || time - began < SILENT_MS || time - last < EVERY_MS) return
      last = time
      put(text)
    },
    end() {
      if (length === 0) return
      put('')
      stream.write('\r')
      length = 0
    },
  }
}
