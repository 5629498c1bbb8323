// The parser of the renderer that hosts use. Its entry point needs a browser's `navigator`, which Node 20 lacks, so the
// module is taken by its file.

interface ParsedPatch {
  readonly files: ReadonlyArray<{
    readonly name: string
    readonly prevName?: string
    readonly type: string
    readonly hunks: ReadonlyArray<{ readonly additionLines: number; readonly deletionLines: number }>
  }>
}

const file = new URL('../../../node_modules/@pierre/diffs/dist/utils/parsePatchFiles.js', import.meta.url).href

export const { parsePatchFiles } = (await import(file)) as { parsePatchFiles: (patch: string) => ParsedPatch[] }
