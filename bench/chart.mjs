// The table as a picture: how many times as fast as the pipeline, on a logarithmic scale. Written by hand, so that it
// needs nothing and reads in light and dark.

import { digits } from './samples.mjs'

const WIDTH = 980
const LEFT = 350
const RIGHT = 150
const ROW = 30
const TOP = 70

export const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .small { font-size: 11px; fill: #57606a }
  .title { font-size: 16px; font-weight: 600 }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .one { stroke: #57606a; stroke-width: 1.5 }
  .warm { fill: #0969da; stroke: #0969da }
  .first { fill: #fff; stroke: #0969da; stroke-width: 2 }
  .span { stroke: #0969da; stroke-width: 2 }
  .wanted { stroke: #bc4c00; stroke-width: 2.5 }
  .missed { fill: #cf222e } .met { fill: #1a7f37 }
  .back { fill: #fff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #30363d } .one { stroke: #9198a1 }
    .warm { fill: #4493f8; stroke: #4493f8 } .first { fill: #0d1117; stroke: #4493f8 } .span { stroke: #4493f8 }
    .wanted { stroke: #f0883e } .missed { fill: #f85149 } .met { fill: #3fb950 } .back { fill: #0d1117 }
  }`

export function chart(rows) {
  const ratios = rows.flatMap((row) => [row.ratios.warm, row.ratios.first, ...(row.wanted ?? [])])
  const [low, high] = [Math.min(0.5, ...ratios), Math.max(100, ...ratios)].map(Math.log10)
  const x = (ratio) => (LEFT + ((Math.log10(ratio) - low) / (high - low)) * (WIDTH - LEFT - RIGHT)).toFixed(1)
  const height = TOP + rows.length * ROW + 30
  const bottom = TOP + rows.length * ROW - 8
  const ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].filter(
    (tick) => Math.log10(tick) >= low && Math.log10(tick) <= high,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    '<title>How many times as fast as git processes</title>',
    `<style>${STYLE}</style>`,
    `<rect class="back" width="${WIDTH}" height="${height}"/>`,
    '<text class="title" x="16" y="26">How many times as fast as git processes</text>',
    `<circle class="warm" cx="${LEFT + 6}" cy="21" r="5"/><text class="small" x="${LEFT + 17}" y="25">warm</text>`,
    `<circle class="first" cx="${LEFT + 66}" cy="21" r="4.5"/>`,
    `<text class="small" x="${LEFT + 77}" y="25">first call of a process</text>`,
    `<path class="wanted" d="M${LEFT + 206} 14v14"/>`,
    `<text class="small" x="${LEFT + 214}" y="25">wanted, warm (upper) and first (lower)</text>`,
    ...ticks.flatMap((tick) => [
      `<path class="${tick === 1 ? 'one' : 'grid'}" d="M${x(tick)} ${TOP - 12}V${bottom}"/>`,
      `<text class="small" text-anchor="middle" x="${x(tick)}" y="${TOP - 18}">${tick}x</text>`,
    ]),
    ...rows.flatMap((row, at) => bar(row, TOP + at * ROW, x)),
    '</svg>',
    '',
  ].join('\n')
}

function bar({ name, ratios, wanted, met }, y, x) {
  const middle = y + 6
  const mark = (is) => `<tspan class="${is ? 'met' : 'missed'}">${is ? '✓' : '✗'}</tspan>`
  const told = [ratios.warm, ratios.first].map((ratio) => `${digits(ratio)}x`)
  const [warm, first] = met ? [met.warm, met.first].map(mark) : ['', '']
  return [
    `<text text-anchor="end" x="${LEFT - 12}" y="${y + 10}">${name}</text>`,
    `<path class="span" d="M${x(ratios.first)} ${middle}H${x(ratios.warm)}"/>`,
    ...(wanted
      ? [
          `<path class="wanted" d="M${x(wanted[0])} ${middle - 12}v12"/>`,
          `<path class="wanted" d="M${x(wanted[1])} ${middle}v12"/>`,
        ]
      : []),
    `<circle class="first" cx="${x(ratios.first)}" cy="${middle}" r="4.5"/>`,
    `<circle class="warm" cx="${x(ratios.warm)}" cy="${middle}" r="5"/>`,
    `<text class="small" x="${WIDTH - RIGHT + 12}" y="${y + 10}">${told[0]} ${warm}   ${told[1]} ${first}</text>`,
  ]
}
