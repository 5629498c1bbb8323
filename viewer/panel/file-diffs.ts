// A file's text as the diff component takes it. Names, kind and modes are those of the result, never read from headers.

import { type FileDiffMetadata, getFiletypeFromFileName, processFile } from '@pierre/diffs'
import type { PatchFile } from './patch-loading.js'
import { PLAIN } from './plain-language.js'

// Above this the lines of a change are paired as they come: comparing them all takes too long.
const MATCHED_TEXT = 200_000
// Above this code has no colours: they would keep the page waiting.
const COLOURED_TEXT = 300_000

/** One for each part: a change of type has two, the file that went and the one that came. */
export function fileDiffs({ file, text }: PatchFile, languages: ReadonlySet<string> | undefined): FileDiffMetadata[] {
  const parts = file.kind === 'typechange' && text ? text.split(/\n(?=diff --git )/) : [text ?? '']
  return parts.map((part) => {
    const options = { isGitDiff: true, disableLineMatching: part.length > MATCHED_TEXT }
    const diff = (part === '' ? undefined : processFile(part, options)) ?? noLines()
    const { path: name } = file
    const inferred = getFiletypeFromFileName(name)
    const known = inferred !== 'text' && (languages === undefined || languages.has(inferred))
    const lang = known && part.length <= COLOURED_TEXT ? inferred : PLAIN
    return { ...diff, name, lang }
  })
}

function noLines(): FileDiffMetadata {
  return {
    name: '',
    type: 'change',
    hunks: [],
    splitLineCount: 0,
    unifiedLineCount: 0,
    isPartial: true,
    additionLines: [],
    deletionLines: [],
    additionCharacterCount: 0,
    deletionCharacterCount: 0,
  }
}
