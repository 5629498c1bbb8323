// The layers and the one direction in which they may know each other:
// node → turn → { git, rules } → model. `git2` and `napi` have one place each.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const MAY_USE: Record<string, string[]> = {
  model: [],
  rules: ['model'],
  git: ['model'],
  turn: ['model', 'rules', 'git'],
  node: ['model', 'rules', 'git', 'turn'],
}
const layers = Object.keys(MAY_USE)

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.rs'))
  .map((name) => ({ name: name.split(sep).join('/'), code: codeOf(join(root, 'src', name)) }))

/** Rust without comments and string literals: a doc comment may talk about any layer. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/"(?:\\[\s\S]|[^"\\])*"|\/\/.*/g, (token) => (token.startsWith('"') ? '""' : ''))
    .replace(/\/\*[\s\S]*?\*\//g, '')
}

function filesNaming(word: RegExp): string[] {
  return sources.filter(({ code }) => word.test(code)).map(({ name }) => name)
}

describe('layers', () => {
  it('has code in every layer, and no layer that this test does not know', () => {
    const seen = new Set(sources.map(({ name }) => name.split('/')[0]).filter((part) => part !== 'lib.rs'))
    expect([...seen].sort()).toEqual([...layers].sort())
  })

  it('names git2 in src/git alone', () => {
    const files = filesNaming(/\b(git2|libgit2_sys)\b/)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((name) => !name.startsWith('git/'))).toEqual([])
  })

  it('names napi in src/node alone', () => {
    const files = filesNaming(/\bnapi(_derive|_sys)?\b/)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((name) => !name.startsWith('node/'))).toEqual([])
  })

  for (const layer of layers) {
    it(`lets ${layer} know ${MAY_USE[layer]?.join(', ') || 'no other layer'}`, () => {
      const known = new Set([layer, ...(MAY_USE[layer] ?? [])])
      const wrong = sources
        .filter(({ name }) => name.startsWith(`${layer}/`))
        .flatMap(({ name, code }) => namedLayers(code).map((named) => ({ name, named })))
        .filter(({ named }) => !known.has(named))
      expect(wrong).toEqual([])
    })
  }

  it('keeps files and processes out of rules and model', () => {
    const pure = sources.filter(({ name }) => /^(rules|model)\//.test(name))
    expect(pure.filter(({ code }) => /\bstd::(fs|process|net|env)\b/.test(code)).map(({ name }) => name)).toEqual([])
  })

  it('has the command line and the façade reach the addon through one file', () => {
    const scripts = ['bin', 'scripts'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name)),
    )
    const direct = scripts.filter((file) => /require\(['"][^'"]*(binding|\.node)/.test(readFileSync(file, 'utf8')))
    expect(direct.map((file) => relative(root, file))).toEqual([])
  })
})

/** The layers a file reaches for: `crate::git`, `use crate::{git, turn::x}`, `super::super::turn`. */
function namedLayers(code: string): string[] {
  const direct = [...code.matchAll(/\b(?:crate|super::super)::(\w+)/g)].map((match) => match[1] ?? '')
  const grouped = [...code.matchAll(/\b(?:crate|super::super)::\{([\s\S]*?)\};/g)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/(?:^|,)\s*(\w+)/g)].map((inner) => inner[1] ?? ''),
  )
  return [...direct, ...grouped].filter((name) => layers.includes(name))
}
