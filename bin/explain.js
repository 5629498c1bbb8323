'use strict'

// What decided about a file, as lines of text. Pure: an explanation in, lines out.

const { printable } = require('./text.js')

const STATES = [
  ['startHead', 'head at the start'],
  ['start', 'snapshot at the start'],
  ['endHead', 'head at the end'],
  ['mechanical', 'git alone, at the end'],
  ['expected', 'expected without the agent'],
  ['end', 'snapshot at the end'],
]

exports.explainLines = (explanation, label, paint) => {
  const { path, verdict, mixed, reason, rule, states, commits } = explanation
  const lines = [
    `${paint.bold(printable(path))}: ${verdict}${mixed ? ', mixed' : ''} (${reason})`,
    `  rule     ${printable(rule)}`,
    `  git      ${printable(label) || 'did not move the head'}`,
    '  states',
  ]
  for (const [key, words] of STATES) lines.push(`    ${words.padEnd(28)}${stateText(states[key], paint)}`)
  lines.push(commits.length === 0 ? '  commits  none' : '  commits')
  for (const { oid, role } of commits) lines.push(`    ${oid.slice(0, 12)}  ${printable(role)}`)
  return lines
}

function stateText(state, paint) {
  return state === null ? paint.muted('absent') : `${state.mode} ${state.oid.slice(0, 12)}`
}
