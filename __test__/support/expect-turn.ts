// Expectations in the product's words.
//   expectTurn(result).toShow(['a.ts', 'b.ts']).toDemote(214)
import { expect } from 'vitest'
import type { ShownFile, TurnAttribution } from './addon.js'
import { gitNameStatus } from './tree-delta.js'
import type { TurnRepository } from './turn-repository.js'

type ShownExpectation = string | (Partial<ShownFile> & { path: string })

export interface TurnExpectation {
  /** Exactly these files, in any order; an object compares the given fields too. */
  toShow(files: ShownExpectation[]): TurnExpectation
  toShowNothing(): TurnExpectation
  toDemote(fileCount: number): TurnExpectation
  /** Counts of one shown file. */
  toCount(path: string, additions: number | null, deletions: number | null): TurnExpectation
  toBeAttributed(): TurnExpectation
  toBeUnmoved(): TurnExpectation
  /** Everything shown, with this reason. */
  toDegrade(reason: string): TurnExpectation
  toMove(kind: TurnAttribution['branchTransition']['kind']): TurnExpectation
  /** Shown and demoted together are git's own list of the tree delta (ask with `demoted: 'paths'`). */
  toCover(repo: TurnRepository, from: string, to: string): TurnExpectation
}

export function expectTurn(result: TurnAttribution): TurnExpectation {
  const expectation: TurnExpectation = {
    toShow(files) {
      const wanted = files.map((file) => (typeof file === 'string' ? { path: file } : file))
      expect(result.shown.map((file) => file.path).sort(), 'shown files').toEqual(
        wanted.map((file) => file.path).sort(),
      )
      for (const file of wanted) {
        expect(result.shown.find((shown) => shown.path === file.path)).toMatchObject(file)
      }
      return expectation
    },
    toShowNothing: () => expectation.toShow([]),
    toDemote(fileCount) {
      expect(result.demoted.fileCount, 'demoted files').toBe(fileCount)
      return expectation
    },
    toCount(path, additions, deletions) {
      const file = result.shown.find((shown) => shown.path === path)
      expect(file && { additions: file.additions, deletions: file.deletions }, `counts of ${path}`).toEqual({
        additions,
        deletions,
      })
      return expectation
    },
    toBeAttributed() {
      expect(result.attribution.status).toBe('attributed')
      return expectation
    },
    toBeUnmoved() {
      expect(result.attribution.status).toBe('unmoved')
      return expectation
    },
    toDegrade(reason) {
      expect(result.attribution).toMatchObject({ status: 'not-attributed', reason })
      expect(result.demoted.fileCount).toBe(0)
      return expectation
    },
    toMove(kind) {
      expect(result.branchTransition.kind).toBe(kind)
      return expectation
    },
    toCover(repo, from, to) {
      expect(result.demoted.files, "ask with demoted: 'paths'").not.toBeNull()
      const shown = result.shown.flatMap((file) =>
        file.previousPath === null ? [file.path] : [file.path, file.previousPath],
      )
      const listed = [...shown, ...(result.demoted.files ?? []).map((file) => file.path)].sort()
      expect(listed).toEqual([...gitNameStatus(repo, from, to).keys()].sort())
      return expectation
    },
  }
  return expectation
}
