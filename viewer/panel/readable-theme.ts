// The diff component's own themes, with the colours of code made readable on what a diff puts behind them.

import { registerCustomTheme, resolveTheme } from '@pierre/diffs'
import { readable } from './readable-color.js'

export const READABLE = { light: 'turn-attribution-light', dark: 'turn-attribution-dark' }

for (const type of ['light', 'dark'] as const) {
  registerCustomTheme(READABLE[type], async () => {
    const { textmate } = await resolveTheme(`pierre-${type}`, 'shiki-js')
    if (textmate === undefined) throw new Error(`the theme pierre-${type} has no colours for code`)
    const settings = textmate.settings.map((rule) => {
      const { foreground } = rule.settings
      if (foreground === undefined) return rule
      return { ...rule, settings: { ...rule.settings, foreground: readable(foreground, type) } }
    })
    return { ...textmate, name: READABLE[type], settings, tokenColors: settings }
  })
}
