// Random commits, printed by git and by us: the same bytes, names and counts under every option. The seed is fixed;
// FUZZ_SEED and FUZZ_COMMITS look further.
import { expect, it } from 'vitest'
import { firstDifference, gitCounts, gitDiff, modes, ourCounts, ourDiff, withoutSimilarity } from './git-diff.js'
import { randomCommits } from './random-commits.js'

const seed = process.env.FUZZ_SEED ?? 'patch'
const count = Number(process.env.FUZZ_COMMITS ?? 60)

it('every pair of commits is printed as git prints it', async () => {
  const { cwd, env, oids } = randomCommits(seed, count)
  let otherPercentages = 0
  for (const [number, to] of oids.entries()) {
    const from = oids[number - 1]
    if (from === undefined) continue
    for (const [name, { flags, options }] of Object.entries(modes)) {
      const expected = gitDiff(cwd, env, from, to, flags)
      const ours = await ourDiff(cwd, from, to, options)
      const place = `${name} ${number} ${cwd} ${from} ${to}`
      expect(firstDifference(withoutSimilarity(expected), withoutSimilarity(ours.patchBytes)), place).toBeNull()
      if (!expected.equals(ours.patchBytes)) otherPercentages += 1
      if (name === 'plain' || name === 'without white space') {
        // A file in which only white space changed is not printed, but stays listed.
        const printed = ours.files.filter((file) => file.section !== null)
        expect(ourCounts(printed), place).toEqual(gitCounts(cwd, env, from, to, flags))
      }
      expect(ours.patch, place).toBe(
        expected.equals(ours.patchBytes) ? expected.toString() : ours.patchBytes.toString(),
      )
      for (const { section } of ours.files) {
        if (section === null) continue
        const bytes = ours.patchBytes.subarray(section.byteStart, section.byteEnd)
        expect(ours.patch.slice(section.start, section.end), place).toBe(bytes.toString())
        expect(bytes.toString('latin1').startsWith('diff --git '), place).toBe(true)
      }
    }
  }
  expect(otherPercentages / (oids.length * Object.keys(modes).length)).toBeLessThan(0.02)
})
