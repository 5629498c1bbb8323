// Chromium as the machine has it, and quiet: nothing of its own goes to the network.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A new browser; `CHROMIUM` names another than Debian's. */
export async function launched(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path))
  if (executablePath === undefined)
    throw new Error('Chromium is needed: apt-get install chromium, or say where it is with CHROMIUM=')
  return chromium.launch({ executablePath, args: QUIET })
}
