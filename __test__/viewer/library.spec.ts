// What a host takes from the package: built, typed, and without the diff component where only the card is shown.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shownFile } from '../support/shown-file.js'
import { temporaryFolder } from '../support/turn-repository.js'

const root = join(import.meta.dirname, '../..')

/** A project that has installed the package, and React. */
function host(): string {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  for (const name of ['react', 'react-dom', '@types/react', '@types/node', 'csstype', 'undici-types']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true })
  }
  for (const path of ['package.json', 'index.d.ts', 'viewer/dist']) {
    const source = join(root, path)
    cpSync(source, join(modules, 'turn-attribution', path), { recursive: true })
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

const TURN = {
  shown: [shownFile('src/<b>app</b>.ts', { additions: 3, deletions: 1 })],
  shownFileCount: 1,
  demoted: { fileCount: 214, additions: null, deletions: null, files: null },
  branchTransition: {
    fromBranch: 'main',
    toBranch: 'main',
    fromHead: null,
    toHead: null,
    kind: 'fast-forward',
    actions: [],
    label: 'Pulled origin/main',
  },
  attribution: { status: 'attributed', evidence: 'reflog', notes: [] },
  operationInProgress: null,
}

describe('turn-attribution/viewer', () => {
  it('draws the card in a React app, and loads no diff component for it', () => {
    const folder = host()
    writeFileSync(
      join(folder, 'app.js'),
      `import { createElement } from 'react'
       import { renderToStaticMarkup } from 'react-dom/server'
       import { ChangedFilesCard, DiffPanel, MovedRow } from 'turn-attribution/viewer'
       const turn = ${JSON.stringify(TURN)}
       console.log(renderToStaticMarkup(createElement(ChangedFilesCard, { turn, onOpenFile() {} })))
       console.log(renderToStaticMarkup(createElement(MovedRow, { turn })))
       console.log(renderToStaticMarkup(createElement(DiffPanel, { turn, turnKey: '1', loadPatch: () => new Promise(() => {}) })))`,
    )
    writeFileSync(
      join(folder, 'without-diffs.js'),
      `import { register } from 'node:module'
       register('data:text/javascript,' + encodeURIComponent(
         "export const resolve = (name, context, next) => { if (name.startsWith('@pierre/')) throw new Error(name + ' was asked for'); return next(name, context) }"))`,
    )
    const flags = ['--import', './without-diffs.js', 'app.js']
    const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [card, row, panel] = stdout.split('\n')
    expect(card).toContain('1 changed file')
    expect(card).toContain('&lt;b&gt;app&lt;')
    expect(card).toContain('Pulled origin/main</bdi> — 214 files')
    expect(row).toMatch(/^<p class="ta-moved">.*Pulled origin\/main/)
    expect(panel).toContain('214 files updated via git are hidden')
  })

  for (const module of ['bundler', 'nodenext'] as const) {
    it(`has types for a host that resolves as ${module}`, () => {
      const folder = host()
      writeFileSync(
        join(folder, 'app.tsx'),
        `import type { TurnAttribution } from 'turn-attribution'
         import { ChangedFilesCard, DiffPanel, type LoadPatch } from 'turn-attribution/viewer'
         export function Turn({ turn, loadPatch }: { turn: TurnAttribution; loadPatch: LoadPatch }) {
           return (
             <>
               <ChangedFilesCard turn={turn} onOpenFile={(path) => path.length} />
               <DiffPanel turn={turn} turnKey="1" loadPatch={loadPatch} />
               {/* @ts-expect-error: the card needs to know what to do with a file */}
               <ChangedFilesCard turn={turn} />
             </>
           )
         }`,
      )
      const options = {
        module: module === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution: module,
        jsx: 'react-jsx',
        strict: true,
        noEmit: true,
        types: ['node'],
        skipLibCheck: true,
        lib: ['es2022', 'dom'],
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['app.tsx'] }))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' })
      expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
    })
  }
})
