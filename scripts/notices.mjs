// Writes THIRD-PARTY-NOTICES.md: the licences of what is linked into the addon, on any of the eight targets, and of what
// the page of `turn-attribution view` is bundled of. With `--check` it only tells whether the file is current.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { root, targets } from './release/targets.mjs'

const file = join(root, 'THIRD-PARTY-NOTICES.md')

// What crates bring along in C, with where its terms stand. A crate that links something and is not named here ends
// the script: its terms are to be looked at first.
const BUNDLED = {
  'libgit2-sys': [
    ['libgit2', 'GPL-2.0 with linking exception', 'libgit2/COPYING'],
    ['xdiff, in libgit2', 'LGPL-2.1-or-later', 'libgit2/deps/xdiff/xdiff.h', headComment],
    ['PCRE2, in libgit2', 'BSD-3-Clause with exemption', 'libgit2/deps/pcre2/LICENCE.md'],
    ['llhttp, in libgit2', 'MIT', 'libgit2/deps/llhttp/LICENSE-MIT'],
  ],
  'libz-sys': [['zlib', 'Zlib', 'src/zlib/LICENSE']],
  'libdeflate-sys': [['libdeflate', 'MIT', 'libdeflate/COPYING']],
  psm: [],
}

// Grammars whose repository states no licence in a file of its own: named with where they are from.
const WITHOUT_TERMS = { toml: 'github.com/textmate/toml.tmbundle', yaml: 'github.com/textmate/yaml.tmbundle' }

const STANDARD_LIBRARY = "Rust's standard library"

const crates = linked()
const modules = await inThePage()
const packages = bundled()
const grammars = grammarsOfPage()
const parts = crates.flatMap((crate) => {
  if (crate.links && !BUNDLED[crate.name])
    throw new Error(`${crate.name} links ${crate.links}: add its terms to BUNDLED`)
  return (BUNDLED[crate.name] ?? []).map(([name, licence, path, read]) => {
    const text = readFileSync(join(folderOf(crate), path), 'utf8')
    return { name: `${name} (by ${crate.name} ${crate.version})`, licence, text: plain((read ?? String)(text)) }
  })
})

const text = document()
if (process.argv.includes('--check')) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error('THIRD-PARTY-NOTICES.md is not current: run `npm run notices`.')
    process.exitCode = 1
  }
} else writeFileSync(file, text)

/** Every crate but the ones that run at build time alone, over all targets. */
function linked() {
  const found = new Map()
  for (const { triple } of targets) {
    const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', triple]
    const told = execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
    const { packages, resolve } = JSON.parse(told)
    const nodes = new Map(resolve.nodes.map((node) => [node.id, node]))
    const byId = new Map(packages.map((crate) => [crate.id, crate]))
    const seen = new Set()
    const visit = (id) => {
      const crate = byId.get(id)
      if (seen.has(id) || crate.targets.some(({ kind }) => kind.includes('proc-macro'))) return
      seen.add(id)
      if (id !== resolve.root) found.set(`${crate.name} ${crate.version}`, crate)
      for (const { pkg, dep_kinds } of nodes.get(id).deps) if (dep_kinds.some(({ kind }) => kind === null)) visit(pkg)
    }
    visit(resolve.root)
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** The paths of all modules of which something is in the page. */
async function inThePage() {
  const configFile = join(root, 'viewer/vite.page.ts')
  const { output } = await build({ configFile, logLevel: 'error', build: { write: false } })
  return output.flatMap((chunk) => chunk.moduleIds ?? []).map((id) => id.replaceAll('\\', '/'))
}

/** Every npm package of which something is in the page. */
function bundled() {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? [])
  const found = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { name, version, license, folder }
  })
  const key = ({ name, version }) => `${name} ${version}`
  return found.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

// `@shikijs/langs` brings the grammars of many authors under a licence text of its own alone. `tm-grammars`, of which it
// is made, keeps the terms of each.
function grammarsOfPage() {
  const notice = readFileSync(join(root, 'node_modules/tm-grammars/NOTICE'), 'utf8')
  const sections = notice.split(/^={20,}$/m).flatMap((section) => {
    const [, files, licence, terms] = /^Files: +(.+)\n[\s\S]*?^SPDX: +(.+)\n-+\n([\s\S]+)/m.exec(section) ?? []
    return files ? [{ files: files.split(', '), licence, text: plain(terms) }] : []
  })
  const told = modules.flatMap((path) => {
    const name = /\/@shikijs\/langs\/dist\/([\w-]+)\.mjs$/.exec(path)?.[1]
    // Some are another name of one that is there.
    if (!name || readFileSync(path, 'utf8').startsWith('/* Alias')) return []
    const { licence, text } = sections.find(({ files }) => files.includes(`${name}.json`)) ?? {}
    if (!text && !WITHOUT_TERMS[name]) throw new Error(`tm-grammars has no terms of the grammar ${name}`)
    return [{ name: `grammar ${name}`, licence: licence ?? `none stated; from ${WITHOUT_TERMS[name]}`, text }]
  })
  return told.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function termsOfPackage({ name, license, folder }) {
  const files = readdirSync(folder).filter((file) => /^(licen[sc]e|copying|notice)/i.test(file))
  if (files.length > 0) return read(folder, files)
  if (license === 'Apache-2.0') return [plain(readFileSync(join(root, 'LICENSE-APACHE'), 'utf8'))]
  if (license !== 'MIT') throw new Error(`${name} has no text of ${license}`)
  return [mitOf(`the authors of ${name}`)]
}

function document() {
  const texts = new Map()
  const add = (text, name) => texts.set(text, [...(texts.get(text) ?? []), name])
  for (const crate of crates) for (const terms of termsOf(crate)) add(terms, `${crate.name} ${crate.version}`)
  add(mitOf('The Rust Project Contributors'), STANDARD_LIBRARY)
  for (const { name, text } of parts) add(text, name)
  for (const one of packages) for (const terms of termsOfPackage(one)) add(terms, `${one.name} ${one.version}`)
  for (const { name, text } of grammars) if (text) add(text, name)
  return [
    '# Third-party notices',
    '',
    'What is linked into the native addon, and bundled into the page of `turn-attribution view`, beside the code of this',
    'project. Written by `npm run notices`.',
    '',
    '## In the addon',
    '',
    'libgit2 is under the GPL, version 2, with an exception that permits to link it into any program and to distribute',
    'that; the exception stands at the head of its terms below. The sources of all of this are those of the crates and',
    'versions named here, unchanged.',
    '',
    '| part | licence |',
    '| --- | --- |',
    ...parts.map(({ name, licence }) => `| ${name} | ${licence} |`),
    `| ${STANDARD_LIBRARY} | MIT OR Apache-2.0 |`,
    "| LLVM's libunwind and compiler-rt, of the compiler | Apache-2.0 WITH LLVM-exception |",
    ...crates.map(({ name, version, license }) => `| ${name} ${version} | ${license} |`),
    '',
    '## In the page',
    '',
    '| package | licence |',
    '| --- | --- |',
    ...packages.map(({ name, version, license }) => `| ${name} ${version} | ${license} |`),
    '',
    '| grammar, in @shikijs/langs | licence |',
    '| --- | --- |',
    ...grammars.map(({ name, licence }) => `| ${name.replace('grammar ', '')} | ${licence} |`),
    '',
    '## Terms',
    '',
    'Where a part leaves the choice it is used under the MIT licence; the Apache licence stands in `LICENSE-APACHE`.',
    ...[...texts].flatMap(([text, names]) => ['', `### ${names.join(', ')}`, '', '```', text, '```']),
    '',
  ].join('\n')
}

/** The texts that have to go along: MIT with its copyright line where that can be chosen, else all there are. */
function termsOf(crate) {
  const folder = folderOf(crate)
  const files = readdirSync(folder).filter((name) => /^(licen[sc]e|copying|unlicense|notice)/i.test(name))
  const further = files.filter((name) => /unicode|tracing/i.test(name))
  const mit = files.filter((name) => /^license-mit(\.md|\.txt)?$/i.test(name))
  if (/MIT/.test(crate.license) && mit.length > 0) return read(folder, [...mit, ...further])
  if (files.length > 0) return read(folder, files)
  if (crate.license !== 'MIT') throw new Error(`${crate.name} has no text of ${crate.license}`)
  return [mitOf(holders(crate))]
}

function mitOf(holders) {
  return plain(`Copyright (c) ${holders}\n\n${readFileSync(join(root, 'LICENSE-MIT'), 'utf8')}`)
}

function holders(crate) {
  return crate.authors.map((author) => author.replace(/ <.*>/, '')).join(', ') || `the authors of ${crate.name}`
}

function read(folder, names) {
  return names.map((name) => plain(readFileSync(join(folder, name), 'utf8')))
}

function folderOf(crate) {
  return dirname(crate.manifest_path)
}

function headComment(source) {
  return /^\/\*([\s\S]*?)\*\//.exec(source)[1].replace(/^ ?\*? ?/gm, '')
}

function plain(text) {
  return text
    .replaceAll('\r', '')
    .replaceAll('```', "'''")
    .replace(/[ \t]+$/gm, '')
    .trim()
}
