// Builds viewer/dist: the components as a module with its declarations and styles, and the page that `view` serves.

import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'viewer/dist')

rmSync(dist, { recursive: true, force: true })
run('vite', 'build', '--config', 'viewer/vite.library.ts', '--logLevel', 'warn')
run('tsc', '-p', 'viewer/tsconfig.declarations.json')
copyFileSync(join(root, 'viewer/styles.css'), join(dist, 'styles.css'))
// The package is CommonJS; what a bundler or Node takes from here is not.
writeFileSync(join(dist, 'package.json'), '{ "type": "module" }\n')
run('vite', 'build', '--config', 'viewer/vite.page.ts', '--logLevel', 'warn')

function run(tool, ...args) {
  const { status, error } = spawnSync(`npx --no-install ${[tool, ...args].join(' ')}`, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: true,
  })
  if (status !== 0) {
    console.error(`${tool} failed${error ? `: ${error.message}` : ''}`)
    process.exit(status || 1)
  }
}
