// Nothing that a user or a repository has set changes the patch, each setting alone and all together.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type AttributeTurnRequest, addon, type DiffOptions } from '../support/addon.js'
import { lines, TurnRepository } from '../support/turn-repository.js'

const settings: [string, string][] = [
  ['diff.noprefix', 'true'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.srcPrefix', 'x/'],
  ['diff.dstPrefix', 'y/'],
  ['diff.external', 'false'],
  ['diff.algorithm', 'histogram'],
  ['diff.algorithm', 'patience'],
  ['diff.algorithm', 'bogus'],
  ['diff.context', '0'],
  ['diff.interHunkContext', '20'],
  ['diff.renames', 'false'],
  ['diff.renames', 'copies'],
  ['diff.renameLimit', '1'],
  ['diff.orderFile', '/nowhere'],
  ['diff.suppressBlankEmpty', 'true'],
  ['diff.ignoreSubmodules', 'all'],
  ['diff.submodule', 'log'],
  ['diff.wsErrorHighlight', 'all'],
  ['diff.colorMoved', 'zebra'],
  ['diff.indentHeuristic', 'false'],
  ['diff.relative', 'true'],
  ['diff.wordRegex', '.'],
  ['diff.statGraphWidth', '3'],
  ['color.ui', 'always'],
  ['color.diff', 'always'],
  ['core.quotePath', 'false'],
  ['core.abbrev', '12'],
  ['core.attributesFile', '/nowhere'],
  ['core.autocrlf', 'true'],
  ['core.whitespace', 'trailing-space,space-before-tab'],
  ['core.bigFileThreshold', '1'],
  ['core.pager', 'false'],
  ['diff.special.textconv', 'false'],
  ['diff.special.xfuncname', '^.*$'],
  ['diff.special.binary', 'true'],
  ['diff.special.command', 'false'],
  ['diff.python.xfuncname', '^nothing$'],
  ['diff.python.binary', 'true'],
  ['filter.evil.clean', 'touch evil'],
  ['filter.evil.smudge', 'touch evil'],
  ['filter.evil.process', 'touch evil'],
  ['filter.evil.required', 'true'],
]

async function hardTurn(): Promise<[TurnRepository, AttributeTurnRequest]> {
  const repo = TurnRepository.create({
    'a.ts': '{\n}\n\n'.repeat(30),
    'b.x': 'one\n\ntwo\n',
    'c.crlf': 'one\r\ntwo\r\n',
    'd.py': `class A:\n${lines(20, '    x =')}`,
    'é "q".txt': 'one\n',
    'moved.ts': lines(40),
    'moved too.ts': lines(40, 'other'),
    'up.ts': 'up\n',
    '.gitattributes': '*.x diff=special\n*.crlf filter=evil\n*.py diff=python\n',
  })
  repo.submodule('sub')
  repo.commit('with a submodule').toString()
  repo.push('main')
  repo.teammate.push({ 'up.ts': 'theirs\n' })
  const from = await repo.startTurn()
  repo.pull()
  repo.write('a.ts', `${'{\n}\n\n'.repeat(11)}x \n${'{\n\n'.repeat(9)}`).append('b.x', '\ntwo\n')
  repo.write('c.crlf', 'one\ntwo\n').edit('d.py', 15, '    y = 1').append('é "q".txt', '\ttwo \n')
  repo.move('moved.ts', 'to.ts').edit('to.ts', 3, 'edited').move('moved too.ts', 'sub dir/moved too.ts')
  repo.commitInside('sub', 'moved\n')
  return [repo, { cwd: repo.cwd, from, to: await repo.endTurn() }]
}

it('the patch does not change', async () => {
  const [repo, request] = await hardTurn()
  const options: DiffOptions[] = [{}, { includeGitChanges: true }, { ignoreWhitespace: true, contextLines: 1 }]
  const ask = () => Promise.all(options.map((each) => addon().diffTurn(request, each)))
  const expected = await ask()
  expect(expected[0]?.files.length).toBe(8)
  expect(expected[1]?.files.length).toBe(9)
  for (const [name, value] of settings) {
    repo.git('config', name, value)
    expect(await ask(), `${name}=${value}`).toEqual(expected)
    repo.git('config', '--unset-all', name)
  }
  for (const [name, value] of settings) repo.git('config', name, value)
  expect(await ask(), 'all of them').toEqual(expected)
})

it('attributes outside of the snapshot say nothing', async () => {
  const [repo, request] = await hardTurn()
  const expected = await addon().diffTurn(request, { includeGitChanges: true })
  mkdirSync(join(repo.cwd, '.git/info'), { recursive: true })
  writeFileSync(join(repo.cwd, '.git/info/attributes'), '* -diff\n')
  writeFileSync(join(repo.root, 'attributes'), '* -diff\n')
  repo.git('config', 'core.attributesFile', join(repo.root, 'attributes'))
  repo.write('.gitattributes', '* -diff\n')
  repo.git('add', '.gitattributes')
  expect(await addon().diffTurn(request, { includeGitChanges: true })).toEqual(expected)
})

it('a damaged index, and none, are nothing to it', async () => {
  const [repo, request] = await hardTurn()
  const expected = await addon().diffTurn(request, { includeGitChanges: true })
  repo.write('.git/index', 'DIRC, but no more')
  expect(await addon().diffTurn(request, { includeGitChanges: true })).toEqual(expected)
  repo.remove('.git/index')
  expect(await addon().diffTurn(request, { includeGitChanges: true })).toEqual(expected)
})
