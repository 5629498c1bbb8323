// The card's rows as the host reads them from patch text without the addon.

import { parsePatchFiles } from '../pierre.ts'

export const filesOfPatch = (patch: string) =>
  parsePatchFiles(patch)
    .flatMap(({ files }) => files)
    .map((file) => ({
      // As the parser that the host has does; an untrimmed name could not be stored.
      path: file.name.trim(),
      kind: 'modified',
      additions: file.hunks.reduce((sum, hunk) => sum + hunk.additionLines, 0),
      deletions: file.hunks.reduce((sum, hunk) => sum + hunk.deletionLines, 0),
    }))
    .sort((left, right) => left.path.localeCompare(right.path))
