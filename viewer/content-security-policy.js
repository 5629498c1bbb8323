'use strict'

// What the page needs, and no more. Scripts are files of our own. Styles are the one thing that is loose: the diff
// component writes rules and `style` attributes by itself, and with no outside source allowed there is nowhere for a style
// to send anything. Markup made from a string passes the page's own check (`page/inert-markup.ts`) or is refused.
module.exports = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ')
