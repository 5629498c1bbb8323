import type { ShownFile } from '../../index.js'

/** A file as a card has it, with a line more, where nothing else is said. */
export const shownFile = (path: string, more: Partial<ShownFile> = {}): ShownFile => ({
  path,
  previousPath: null,
  kind: 'modified',
  additions: 1,
  deletions: 0,
  binary: false,
  uncounted: null,
  oldMode: '100644',
  newMode: '100644',
  oldOid: null,
  newOid: null,
  mixed: false,
  reason: 'authored',
  ...more,
})
