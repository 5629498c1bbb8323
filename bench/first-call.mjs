// node bench/first-call.mjs <json>: asks once in a process that has asked nothing before, and prints how long it took.
// Loading the package with its binary is told apart from the call: a host loads when it starts.

import { addonOf } from './addon.mjs'

const { checkout, asks, cwd, refs, startedAt } = JSON.parse(process.argv[2])
const began = performance.now()
const addon = addonOf(checkout)
// The binary is loaded by the first function that needs it; this one does nothing else.
await addon.closeRepositories()
const loaded = performance.now()
await addon.ask(asks, cwd, refs, startedAt)
const answered = performance.now()
console.log(JSON.stringify({ require: loaded - began, call: answered - loaded }))
process.exit(0)
