// What the workflows may do, and that the steps they take are there to be taken.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = join(root, '.github/workflows')
const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
  version: string
}
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const jobs = workflows.flatMap(({ text }) => {
  const [, all = ''] = text.split(/^jobs:\n/m)
  return all.split(/^(?= {2}[\w-]+:\n)/m).map((job) => ({ name: /[\w-]+/.exec(job)?.[0] ?? '', job }))
})
const names = (wanted: RegExp) => jobs.filter(({ job }) => wanted.test(job)).map(({ name }) => name)

describe('the workflows', () => {
  it.each(workflows)('$name pins each action by commit and grants nothing to all jobs', ({ text }) => {
    for (const [, action] of text.matchAll(/uses: (.+)/g))
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    expect(text).toMatch(/^permissions: \{\}$/m)
    expect(text).not.toContain('pull_request_target')
  })

  it('let each job read, one publish and one write the release, neither of them without a tag', () => {
    expect(names(/^ {4}permissions:\n {6}contents: (read|write)\n/m)).toHaveLength(jobs.length)
    expect(names(/id-token: write/)).toEqual(['publish'])
    expect(names(/contents: write/)).toEqual(['announce'])
    expect(names(/^ {4}if: github.ref_type == 'tag'$/m)).toEqual(['publish'])
    expect(names(/^ {4}needs: publish$/m)).toEqual(['announce'])
    expect(names(/secrets\./)).toEqual([])
  })

  it('run scripts that are there', () => {
    const text = workflows.map((each) => each.text).join('\n')
    const files = [...text.matchAll(/(?:node|bash) (scripts\/\S+?\.mjs|\.ci\/\S+)/g)].map(([, path]) => path ?? '')
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '')
    expect(files).toContain('scripts/release/publish.mjs')
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(commands.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  it('bring what the tests need where they run them', () => {
    expect(names(/vitest run|\.ci\/run/)).toEqual(names(/CHROMIUM=/))
    expect(names(/vitest run/)).toEqual(names(/build:viewer/))
  })
})

describe('publishing', () => {
  it.each([['--dry-run'], []])('stops where the tag is not the version', (...flags) => {
    const env = { ...process.env, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v9.9.9' }
    const script = join(root, 'scripts/release/publish.mjs')
    const { status, stderr } = spawnSync(process.execPath, [script, ...flags], { env, encoding: 'utf8' })
    expect([status, stderr.trim()]).toEqual([1, `the tag is v9.9.9, the version ${version}`])
  })
})
