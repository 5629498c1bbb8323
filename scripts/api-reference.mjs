// Writes docs/api.md from the doc comments in index.d.ts. With `--check` it only tells whether the page is current.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../docs/api.md', import.meta.url))
const typings = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8')

const declarations = read(typings)
const functions = declarations.filter(({ kind }) => kind === 'function')
const types = declarations.filter(({ kind }) => kind !== 'function')
const names = new Set(declarations.map(({ name }) => name))

const page = [
  '# API',
  '',
  'Written by `npm run api` from the doc comments of the source; an editor shows the same.',
  'What codes and reasons mean for a host: [codes.md](codes.md).',
  '',
  `Functions: ${list(functions)}`,
  '',
  `Types: ${list(types)}`,
  '',
  '## Functions',
  ...functions.flatMap(section),
  '',
  '## Types',
  ...types.flatMap(section),
  '',
].join('\n')

if (process.argv.includes('--check')) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
    console.error('docs/api.md is not current: run `npm run api`.')
    process.exitCode = 1
  }
} else writeFileSync(file, page)

function read(text) {
  const declaration =
    /^(?:\/\*\*([\s\S]*?)\*\/\n)?export (?:declare )?(function|interface|type) (\w+)([\s\S]*?)(?=\n\n|\n*$(?![\s\S]))/gm
  const found = [...text.matchAll(declaration)].map(([, comment, kind, name, rest]) => {
    return { kind, name, doc: prose(comment), rest: rest.trimEnd() }
  })
  const exported = text.match(/^export /gm).length
  if (found.length !== exported) throw new Error(`read ${found.length} of ${exported} declarations`)
  return found.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

function prose(comment = '') {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim()
}

function section({ kind, name, doc, rest }) {
  const head = ['', `### ${name}`, '']
  if (kind === 'interface') return [...head, doc, '', ...fields(rest)]
  return [...head, '```ts', `${kind} ${name}${rest}`, '```', '', doc]
}

function fields(rest) {
  const field = /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2})?(\w+\??): (.*)$/gm
  const rows = [...rest.matchAll(field)].map(([, comment, name, type]) => {
    return `| \`${name}\` | ${linked(type)} | ${cell(prose(comment))} |`
  })
  const [base] = /(?<=extends )\w+/.exec(rest.split('{', 1)[0]) ?? []
  return [...(base ? [`An \`${base}\`, and:`, ''] : []), '| field | type | |', '| --- | --- | --- |', ...rows]
}

function linked(type) {
  const [link] = (type.match(/\w+/g) ?? []).filter((word) => names.has(word))
  const code = `\`${type.replaceAll('|', '\\|')}\``
  return link ? `[${code}](#${link.toLowerCase()})` : code
}

// A table has no paragraphs and no lists: they run on.
function cell(text) {
  return text
    .replace(/\n+- /g, '<br>– ')
    .replace(/\n +/g, ' ')
    .replace(/\n\n+/g, '<br>')
    .replaceAll('\n', ' ')
    .replace(/(?<!\\)\|/g, '\\|')
}

function list(some) {
  return some.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(', ')
}
