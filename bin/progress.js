'use strict'

/** Nobody has to be told of what is over so soon. */
const SILENT_MS = 1000
const EVERY_MS = 100

/** One line on a terminal that tells how far work is; nothing where there is no terminal. */
exports.progressOn = (stream, now = Date.now) => {
  const began = now()
  let last = 0
  let length = 0
  const put = (text) => {
    stream.write(`\r${text.padEnd(length)}`)
    length = text.length
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
