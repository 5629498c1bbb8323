// The diff component's own themes, with the colours of code dark (or light) enough to be read on every background that
// a diff puts behind them: 4.5 to 1, as WCAG asks of text.

import { registerCustomTheme, resolveTheme } from '@pierre/diffs'

export const READABLE = { light: 'turn-attribution-light', dark: 'turn-attribution-dark' }

type Color = [red: number, green: number, blue: number]

// White, and what stands behind lines and words that were removed or added.
const BACKGROUNDS = {
  light: ['#ffffff', '#f9ccca', '#c8e8d9'],
  dark: ['#0a0a0a', '#601d1f', '#154b35'],
}
const ENOUGH = 4.6

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

/** The colour, darker or lighter as far as it takes; one that is not `#rrggbb` as it is. */
export function readable(color: string, type: 'light' | 'dark'): string {
  const from = parse(color)
  if (from === null) return color
  const backgrounds = BACKGROUNDS[type].map((background) => luminance(parse(background) ?? [0, 0, 0]))
  const end: Color = type === 'light' ? [0, 0, 0] : [255, 255, 255]
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = from.map((value, index) => Math.round(value + ((end[index] ?? 0) - value) * share)) as Color
    const here = luminance(mixed)
    if (backgrounds.every((there) => contrast(here, there) >= ENOUGH)) return format(mixed)
  }
  return format(end)
}

function parse(color: string): Color | null {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(color)
  return match ? (match.slice(1, 4).map((part) => Number.parseInt(part, 16)) as Color) : null
}

const format = (color: Color) => `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
