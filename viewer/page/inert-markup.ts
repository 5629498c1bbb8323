// The diff component draws lines from markup that it makes itself, every text in it escaped. Whatever is made into a
// document on this page passes here first: markup holds elements that do nothing, or it is refused.

const ACTIVE_TAG = /<(?!\/?(?:div|span|code|pre|svg|symbol|path|use|slot|button|br|g|defs|rect|circle)(?=[\s/>]))/i

interface PolicyFactory {
  createPolicy(name: string, rules: { createHTML: (markup: string) => string }): unknown
}

export function refuseActiveMarkup(browser: object) {
  // Browsers without it have the content security policy alone.
  const { trustedTypes } = browser as { trustedTypes?: PolicyFactory }
  trustedTypes?.createPolicy('default', { createHTML: inertMarkup })
}

export function inertMarkup(markup: string): string {
  if (ACTIVE_TAG.test(markup)) throw new TypeError('Markup that is not inert was refused')
  return markup
}
