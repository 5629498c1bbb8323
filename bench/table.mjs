// Rows as a table in Markdown.

import { digits } from './samples.mjs'

const HEAD = [
  '| work | git processes | pipeline | first call | fresh handle | warm | again | floor | remembered | warm to floor |',
  '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
]

export function table(rows, { header }) {
  return [...(header ? HEAD : []), ...rows.map(line)].join('\n')
}

function line({ name, asks, processes, times, ratios, overFloor, wanted, met, disagreement }) {
  const time = (how) => digits(times[how].median)
  const against = (how, at) => {
    const mark = met && how in met ? (met[how] ? ' ✓' : ' ✗') : ''
    const target = wanted && at !== undefined ? `, wanted ${wanted[at]}x` : ''
    return `${time(how)} (${digits(ratios[how])}x${target})${mark}`
  }
  // A head is read from files: there is no tree, and so no floor.
  const floor = asks === 'head' ? ['–', '–', '–'] : [time('inflate'), time('remember'), digits(overFloor.warm)]
  const cells = [
    `${name}${asks === 'head' ? '' : `; ${asks}`}${disagreement ? ` **${disagreement}**` : ''}`,
    processes,
    time('pipeline'),
    against('first', 1),
    against('fresh'),
    against('warm', 0),
    against('again'),
    ...floor,
  ]
  return `| ${cells.join(' | ')} |`
}
