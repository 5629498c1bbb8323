// The lines of `bench/scaling.mjs` as a picture: time on the left, memory on the right, all scales logarithmic.

import { STYLE } from './chart.mjs'

const PANEL = { width: 470, height: 400, left: 56, top: 60 }
const COLOURS = ['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#cf222e', '#9a6700', '#1b7c83', '#bf3989']
const DARK = ['#4493f8', '#f0883e', '#3fb950', '#ab7df8', '#f85149', '#d29922', '#39c5cf', '#db61a2']

export function scalingChart(lines) {
  const width = 2 * PANEL.width + 20
  const height = PANEL.top + PANEL.height + 50 + lines.length * 20
  const colours = lines.map((_, at) => `.l${at} { stroke: ${COLOURS[at]}; fill: ${COLOURS[at]} }`)
  const dark = lines.map((_, at) => `.l${at} { stroke: ${DARK[at]}; fill: ${DARK[at]} }`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>How time and memory grow</title>',
    `<style>${STYLE} ${colours.join(' ')} .line { fill: none; stroke-width: 2 }`,
    `@media (prefers-color-scheme: dark) { ${dark.join(' ')} .line { fill: none } }</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...panel(lines, 'time', 'Milliseconds, warm', 0),
    ...panel(lines, 'memory', 'MiB at the peak', PANEL.width + 20),
    ...lines.flatMap(({ name, time, memory }, at) => {
      const y = PANEL.top + PANEL.height + 40 + at * 20
      const told = `${name}: time ^${time.toFixed(2)}, memory ^${memory.toFixed(2)}`
      return [`<circle class="l${at}" cx="24" cy="${y - 4}" r="5"/>`, `<text x="38" y="${y}">${told}</text>`]
    }),
    '</svg>',
    '',
  ].join('\n')
}

function panel(lines, what, title, offset) {
  const points = lines.flatMap((line) => line.points)
  const scale = (values, from, to) => {
    const low = Math.floor(Math.log10(Math.min(...values)))
    const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
    const place = (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from)
    return { place, powers: Array.from({ length: high - low + 1 }, (_, at) => low + at) }
  }
  const [left, right] = [offset + PANEL.left, offset + PANEL.width - 10]
  const [top, bottom] = [PANEL.top, PANEL.top + PANEL.height - 20]
  const sizes = scale(
    points.map(({ size }) => size),
    left,
    right,
  )
  const values = scale(
    points.map((point) => point[what]),
    bottom,
    top,
  )
  const word = (power) => (power < 0 ? String(10 ** power) : (10 ** power).toLocaleString('en'))
  return [
    `<text class="title" x="${offset + 16}" y="30">${title}</text>`,
    ...sizes.powers.flatMap((power) => {
      const x = sizes.place(10 ** power).toFixed(1)
      return [
        `<path class="grid" d="M${x} ${top}V${bottom}"/>`,
        `<text class="small" text-anchor="middle" x="${x}" y="${bottom + 16}">${word(power)}</text>`,
      ]
    }),
    ...values.powers.flatMap((power) => {
      const y = values.place(10 ** power).toFixed(1)
      return [
        `<path class="grid" d="M${left} ${y}H${right}"/>`,
        `<text class="small" text-anchor="end" x="${left - 6}" y="${Number(y) + 4}">${word(power)}</text>`,
      ]
    }),
    ...lines.flatMap((line, at) => {
      const places = line.points.map((point) => [sizes.place(point.size), values.place(point[what])])
      const path = places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')
      return [
        `<path class="line l${at}" d="M${path}"/>`,
        ...places.map(([x, y]) => `<circle class="l${at}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3"/>`),
      ]
    }),
  ]
}
