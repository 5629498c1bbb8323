'use strict'

const { spawn } = require('node:child_process')

// No shell takes part: the address is one argument.
const OPENERS = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in the person's browser, where there is one. That it fails is no harm: the address is printed. Other
 * users of the machine can read the arguments of the browser.
 */
exports.openBrowser = (url, { platform, env } = process) => {
  // Without a display `xdg-open` may put a browser of text into the terminal.
  if (OPENERS[platform] === undefined && !env.DISPLAY && !env.WAYLAND_DISPLAY) return
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open']
  const browser = spawn(command, [...args, url], { detached: true, stdio: 'ignore' })
  browser.on('error', () => {})
  browser.unref()
}
