import { describe, expect, it } from 'vitest'
import { fileTree, folderPaths, inTreeOrder, type TreeNode, visibleRows } from '../../viewer/card/file-tree.js'

interface File {
  path: string
  additions: number | null
  deletions: number | null
}

const files = (...paths: string[]): File[] => paths.map((path) => ({ path, additions: 2, deletions: 1 }))
const outline = (nodes: readonly TreeNode<File>[], closed: string[] = []) =>
  visibleRows(nodes, new Set(closed)).map(({ node, level }) => `${' '.repeat(level - 1)}${node.name}`)

describe('file tree', () => {
  it('folds folders that hold one folder alone, and no other', () => {
    expect(outline(fileTree(files('a/b/c/x.ts', 'a/b/c/d/y.ts', 'e/f/z.ts', 'e/g/z.ts')))).toEqual([
      'a/b/c',
      ' d',
      '  y.ts',
      ' x.ts',
      'e',
      ' f',
      '  z.ts',
      ' g',
      '  z.ts',
    ])
  })

  it('has folders first, and numbers in their order, in any case of letters', () => {
    expect(outline(fileTree(files('z.ts', 'file-10.ts', 'File-9.ts', 'b/x', 'A/x')))).toEqual([
      'A',
      ' x',
      'b',
      ' x',
      'File-9.ts',
      'file-10.ts',
      'z.ts',
    ])
  })

  it('sums the lines of a folder, and passes over what is not counted', () => {
    const [folder] = fileTree([...files('a/b/x.ts', 'a/y.ts'), { path: 'a/z.bin', additions: null, deletions: null }])
    expect(folder).toMatchObject({ kind: 'folder', path: 'a', additions: 4, deletions: 2 })
  })

  it('keeps a file apart from a folder of the same name, and names that only look the same', () => {
    const twins = files('a', 'a/b', 'A')
    expect(outline(fileTree(twins))).toEqual(['a', ' b', 'A', 'a'])
    expect(inTreeOrder(twins).map(({ path }) => path)).toEqual(['a/b', 'A', 'a'])
  })

  it('takes names that stand for something else in JavaScript', () => {
    expect(outline(fileTree(files('__proto__/constructor', 'toString')))).toEqual([
      '__proto__',
      ' constructor',
      'toString',
    ])
  })

  it('hides what is in a closed folder, and says where each row stands', () => {
    const nodes = fileTree(files('a/b/x.ts', 'a/y.ts', 'c.ts'))
    expect(folderPaths(nodes)).toEqual(['a', 'a/b'])
    expect(outline(nodes, ['a/b'])).toEqual(['a', ' b', ' y.ts', 'c.ts'])
    expect(visibleRows(nodes, new Set()).map(({ position, siblings, parent }) => [position, siblings, parent])).toEqual(
      [
        [1, 2, null],
        [1, 2, 0],
        [1, 1, 1],
        [2, 2, 0],
        [2, 2, null],
      ],
    )
  })
})
