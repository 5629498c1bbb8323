// npm run simulate -- --turns 1000 --seed 7 [--hard | --ordinary] [--ask-again 0.1] [--without-addon] [--verbose]
// npm run simulate -- --turn 42 --seed 7 [--keep]      one turn again; `--keep` leaves its folder and prints what to ask
import { parseArgs } from 'node:util'
import { complaint, kindCounts, measure, missedBars, missedTrust, missingTeeth, report } from './measures.js'
import { checkpointsOf } from './play-turn.js'
import { simulate } from './run.js'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      turn: { type: 'string' },
      hard: { type: 'boolean', default: false },
      ordinary: { type: 'boolean', default: false },
      'ask-again': { type: 'string', default: '0.1' },
      'without-addon': { type: 'boolean', default: false },
      workers: { type: 'string', default: '2' },
      keep: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  })
  const started = Date.now()
  let played = 0
  const asksEveryKind = Number(values.turns) >= 300 && !values.hard && !values.ordinary && values.turn === undefined
  const records = await simulate({
    turns: Number(values.turns),
    seed: values.seed,
    sort: values.hard ? 'harder' : values.ordinary ? 'ordinary' : 'both',
    askAgain: Number(values['ask-again']),
    leastOfKind: asksEveryKind ? 20 : 0,
    withoutAddon: values['without-addon'],
    workers: Number(values.workers),
    keep: values.keep,
    ...(values.turn === undefined ? {} : { only: Number(values.turn) }),
    onRecord(record) {
      played += 1
      if (process.stderr.isTTY) process.stderr.write(`\r${played} turns`)
      if (values.verbose) {
        for (const line of record.product?.foreignLines ?? [])
          console.log(`turn ${record.plan.index}: line of others in the diff of ${line}`)
        for (const [name, rule] of record.rules) {
          for (const path of rule.hidden) console.log(`turn ${record.plan.index}: ${name} hides ${path}`)
          for (const path of rule.noise) console.log(`turn ${record.plan.index}: ${name} shows ${path}`)
        }
      }
      const text = complaint(record)
      if (text !== null && values.turn === undefined) console.log(`${text}\n`)
    },
  })
  if (values.turn !== undefined) {
    for (const record of records) {
      console.log(record.story.join('\n'))
      for (const [path, label] of record.labels) {
        const rules = record.rules.filter(([, rule]) =>
          [...rule.hidden, ...rule.noise, ...rule.lateShown].some((entry) => entry.split(': ')[0] === path),
        )
        console.log(
          `${label.verdict.padEnd(7)} ${path}  ${label.why}${rules.length > 0 ? `  [wrong by: ${rules.map(([name]) => name).join('; ')}]` : ''}`,
        )
      }
      console.log(
        complaint(record)
          ?.split('\n')
          .filter((row) => /^ {2}[!?]/.test(row))
          .join('\n') ?? 'no complaint',
      )
      if (values.keep) console.log(JSON.stringify({ cwd: record.request?.cwd, ...checkpointsOf(record) }, null, 2))
    }
    return
  }
  const ordinary = records.filter((record) => !record.plan.harder)
  const harder = records.filter((record) => record.plan.harder)
  if (ordinary.length > 0) console.log(report('ordinary', measure(ordinary)))
  if (harder.length > 0) console.log(report('harder', measure(harder)))
  console.log(report('all', measure(records)))
  const counts = [...kindCounts(records)].sort((one, other) => one[1] - other[1])
  console.log(`kinds (${counts.length}): ${counts.map(([kind, count]) => `${kind} ${count}`).join(', ')}`)
  console.log(`${((Date.now() - started) / 1000).toFixed(0)} s`)
  const missed = [
    ...(ordinary.length > 0 ? missedBars(measure(ordinary), false) : []),
    ...(harder.length > 0 ? missedBars(measure(harder), true) : []),
    ...missedTrust(measure(records)),
    ...missingTeeth(measure(records)),
  ]
  const rare = counts.filter(([, count]) => count < 20).map(([kind, count]) => `${kind} ${count}`)
  if (asksEveryKind && rare.length > 0) missed.push(`kinds under 20: ${rare.join(', ')}`)
  for (const text of missed) console.log(`MISSED ${text}`)
  process.exitCode = missed.length > 0 ? 1 : 0
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
