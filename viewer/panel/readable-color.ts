// Colours of text that can be read on every background of a diff: 4.5 to 1, as WCAG asks of text.

type Color = [red: number, green: number, blue: number]

// White, and what stands behind lines and words that were removed or added.
const BACKGROUNDS = {
  light: ['#ffffff', '#f9ccca', '#c8e8d9'],
  dark: ['#0a0a0a', '#601d1f', '#154b35'],
}
const ENOUGH = 4.6

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
