// Text without colours. The diff component makes plain text anew, all of it, each time the view moves; what has a grammar
// it makes once. So plain text has a grammar too, which knows nothing.

import { registerCustomLanguage } from '@pierre/diffs'

export const PLAIN = 'turn-attribution-plain'

registerCustomLanguage(PLAIN, async () => ({
  default: [{ name: PLAIN, scopeName: `text.${PLAIN}`, patterns: [], repository: {} }],
}))
