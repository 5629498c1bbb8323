// Makes the pictures of the README: the page of a thread in which one turn pulls 214 files and edits a few, in a browser.
// Run by tsx, for the builders of the tests.

import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launched } from '../__test__/viewer/browser.js'
import { demoThread } from '../__test__/viewer/demo-thread.js'

const { serve } = createRequire(import.meta.url)('../bin/view.js')
const images = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/images')

const { repo } = await demoThread()
const server = await serve({ cwd: repo.cwd })
const browser = await launched()
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1180, height: 640 } })
  const page = await context.newPage()
  // Not the temporary folder that the repository is in.
  await page.route('**/api/turns', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, repository: { name: 'acme', path: '~/code/acme' } } })
  })
  await page.goto(server.url)
  await page.locator('diffs-container [data-line] span').first().waitFor()
  await page.waitForTimeout(500)
  await shoot(page, `page-${colorScheme}.png`)
  await shoot(page.locator('.ta-card'), `card-${colorScheme}.png`)
  await context.close()
}
await browser.close()
await server.close()

async function shoot(part, name) {
  const path = join(images, name)
  await part.screenshot({ path, animations: 'disabled' })
  console.log(`${name}  ${Math.round(statSync(path).size / 1024)} kB`)
}
