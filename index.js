'use strict'

// The façade: everything a caller can rely on before and around the native work. Every function is `async`, so that
// nothing throws synchronously; requests cross to Rust as JSON; an abort rejects at once and stops the native work.

const { types } = require('node:util')

const CODES = new Set([
  'INVALID_ARGUMENT',
  'NOT_A_REPOSITORY',
  'NOT_OWNED',
  'UNSUPPORTED_REPOSITORY',
  'REPOSITORY_UNREADABLE',
  'SNAPSHOT_MISSING',
  'PATH_NOT_IN_TURN',
  'TOO_LARGE',
  'ABORTED',
  'TIMED_OUT',
  'BINDING_MISSING',
  'INTERNAL',
])

class TurnAttributionError extends Error {
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
// On the prototype, so that an error prints as `AbortError: …` and its own properties are `code` and `cause` alone.
Object.defineProperty(TurnAttributionError.prototype, 'name', {
  get() {
    return this.code === 'ABORTED' ? 'AbortError' : 'TurnAttributionError'
  },
})

exports.readHead = async function readHead(cwd, options) {
  return call(readHead, 'readHead', { cwd }, options)
}

exports.readCheckpoint = async function readCheckpoint(cwd, ref, options) {
  return call(readCheckpoint, 'readCheckpoint', { cwd, ref }, options)
}

exports.listCheckpoints = async function listCheckpoints(cwd, options) {
  return call(listCheckpoints, 'listCheckpoints', { cwd }, options)
}

exports.attributeTurn = async function attributeTurn(request, options) {
  return call(attributeTurn, 'attributeTurn', request, options)
}

exports.diffTurn = async function diffTurn(request, options, callOptions) {
  return call(diffTurn, 'diffTurn', { request, options }, callOptions)
}

exports.explainPath = async function explainPath(request, path, options) {
  return call(explainPath, 'explainPath', { request, path }, options)
}

exports.writeCheckpointFacts = async function writeCheckpointFacts(message, facts) {
  return call(writeCheckpointFacts, 'writeCheckpointFacts', { message, facts })
}

exports.readCheckpointFacts = async function readCheckpointFacts(message) {
  return call(readCheckpointFacts, 'readCheckpointFacts', { message })
}

exports.parseUnifiedDiff = async function parseUnifiedDiff(text, options) {
  return run(parseUnifiedDiff, 'parseUnifiedDiff', () => [patchText(text)], options)
}

exports.filterUnifiedDiff = async function filterUnifiedDiff(text, paths, options) {
  return run(
    filterUnifiedDiff,
    'filterUnifiedDiff',
    () => [patchText(text), encode({ paths: wellFormed(paths) })],
    options,
  )
}

exports.closeRepositories = async function closeRepositories() {
  const frames = framesOfCaller(closeRepositories)
  try {
    binding().closeRepositories()
  } catch (error) {
    throw shaped(error, frames)
  }
}

exports.transitionLabel = function transitionLabel(result) {
  try {
    const { label } = result.branchTransition
    return typeof label === 'string' ? label : ''
  } catch {
    return ''
  }
}

exports.isTurnAttributionError = function isTurnAttributionError(value) {
  try {
    if (!types.isNativeError(value)) return false
    const { name, message, code } = value
    if (typeof message !== 'string' || !CODES.has(code)) return false
    return name === (code === 'ABORTED' ? 'AbortError' : 'TurnAttributionError')
  } catch {
    return false
  }
}

async function call(entry, name, request, options) {
  return run(entry, name, () => [encode(request)], options)
}

async function run(entry, name, encoded, options) {
  const frames = framesOfCaller(entry)
  try {
    const { signal, timeoutMs } = callOptions(options)
    const input = encoded()
    if (signal?.aborted) throw aborted(signal)
    const { [name]: work, newCancelToken, cancel } = binding()
    const token = newCancelToken(timeoutMs)
    const one = { work, input, token, until: timeoutMs && performance.now() + timeoutMs, stopped: false, give: null }
    const start = () => observed(placed(one), options)
    const stop = () => {
      one.stopped = true
      cancel(token)
      giveUp(one)
    }
    return await (signal ? raceAbort(signal, start, stop) : start())
  } catch (error) {
    throw shaped(error, frames)
  }
}

// The work runs on libuv's pool, which `fs` and `dns` share: two of its threads are taken at most, of a smaller pool
// half, by all threads of JavaScript together. An aborted call counts until its work has ended.
const places = Math.max(1, Math.min(2, Math.floor((Number(process.env.UV_THREADPOOL_SIZE) || 4) / 2)))
/** How long to wait for a place that another thread of JavaScript holds, in milliseconds. */
const LOOK_AGAIN = 2
const waiting = []
let working = 0
let lookingAgain = false

async function placed(one) {
  if (waiting.length > 0 || !binding().takePlace(one.token, places)) {
    // What waits has to be what was given, whatever becomes of the caller's bytes.
    one.input = one.input.map((value) => (types.isUint8Array(value) ? value.slice() : value))
    await place(one)
  }
  working += 1
  try {
    return await begun(one)
  } finally {
    working -= 1
    servePlaces()
  }
}

/** Work fills the place that was taken for it; where none comes of it, the place is left. */
function begun({ work, input, token, stopped, late }) {
  try {
    if (late) throw new TurnAttributionError('TIMED_OUT', 'the time was over before the call had its turn')
    if (!stopped) return work(...input, token)
  } finally {
    binding().leavePlace(token)
  }
  return undefined
}

/** Waits for a place, in turn, and no longer than the call may take. */
async function place(one) {
  let timer
  const given = new Promise((resolve) => {
    one.give = resolve
    waiting.push(one)
    if (one.until !== undefined) {
      const late = () => {
        one.late = true
        giveUp(one)
      }
      timer = setTimeout(late, Math.min(one.until - performance.now(), 2 ** 31 - 1))
    }
    lookAgain()
  })
  await given
  clearTimeout(timer)
}

/** Waits no longer: the work, if any is begun, finds that it is too late. */
function giveUp(one) {
  const at = waiting.indexOf(one)
  if (at < 0) return
  waiting.splice(at, 1)
  one.give()
}

function servePlaces() {
  while (waiting.length > 0 && binding().takePlace(waiting[0].token, places)) waiting.shift().give()
  lookAgain()
}

// Where all places are held by other threads of JavaScript, nothing here tells when one is left.
function lookAgain() {
  if (waiting.length === 0 || working > 0 || lookingAgain) return
  lookingAgain = true
  setTimeout(() => {
    lookingAgain = false
    servePlaces()
  }, LOOK_AGAIN)
}

function callOptions(options) {
  if (options === undefined) return {}
  if (options === null || typeof options !== 'object') throw invalid('options must be an object')
  let signal
  let timeoutMs
  try {
    ;({ signal, timeoutMs } = options)
    if (signal !== undefined && !isSignal(signal)) throw invalid('options.signal must be an AbortSignal')
  } catch (cause) {
    if (cause instanceof TurnAttributionError) throw cause
    throw invalid('options.signal or options.timeoutMs cannot be read', cause)
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    throw invalid('options.timeoutMs must be a number of milliseconds above 0')
  return { signal, timeoutMs: timeoutMs === Number.POSITIVE_INFINITY ? undefined : timeoutMs }
}

// By shape and not by class: signals also come from other realms and from polyfills.
function isSignal(value) {
  return (
    value !== null &&
    typeof value === 'object' &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  )
}

// JSON turns some wrong values into right ones. A head that is NaN must not become null, which states that there is no
// commit yet. Only a time may be NaN or infinite: it arrives as null and is not believed.
function encode(request) {
  let json
  try {
    json = JSON.stringify(request, function (key, value) {
      if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`${key} is a ${typeof value}`)
      if (typeof value === 'number' && !Number.isFinite(value) && key !== 'turnStartedAt')
        throw new TypeError(`${key} is ${value}`)
      if (value === null && this[key] !== null) throw new TypeError(`${key} is not a plain value`)
      return value
    })
  } catch (cause) {
    throw invalid(`the request cannot be read: ${messageOf(cause)}`, cause)
  }
  if (json === undefined) throw invalid('the request must be an object')
  return json
}

// A patch crosses as it is: as JSON it would be slow, and bytes would be lost.
function patchText(text) {
  if (typeof text === 'string' || types.isUint8Array(text)) return text
  throw invalid('text must be a string or a Uint8Array')
}

// Half a character in a path is U+FFFD in results, so it is looked for as that.
function wellFormed(paths) {
  try {
    return Array.isArray(paths) ? paths.map((path) => (typeof path === 'string' ? path.toWellFormed() : path)) : paths
  } catch (cause) {
    throw invalid(`paths cannot be read: ${messageOf(cause)}`, cause)
  }
}

function raceAbort(signal, work, stop) {
  let release
  const abort = new Promise((_, reject) => {
    release = onAbort(signal, () => {
      stop()
      reject(aborted(signal))
    })
  })
  return Promise.race([work(), abort]).finally(release)
}

// One listener for each signal, however many calls it serves: of more than ten Node would warn as of a leak.
const listening = new WeakMap()

function onAbort(signal, stop) {
  const here = listening.get(signal) ?? listen(signal)
  here.stops.add(stop)
  return () => {
    here.stops.delete(stop)
    if (here.stops.size > 0 || listening.get(signal) !== here) return
    try {
      signal.removeEventListener('abort', here.listener)
      listening.delete(signal)
    } catch {
      // The call is over and has its outcome. The listener that stayed serves the next one.
    }
  }
}

function listen(signal) {
  const stops = new Set()
  const listener = () => {
    listening.delete(signal)
    for (const stop of stops) stop()
  }
  signal.addEventListener('abort', listener, { once: true })
  const here = { stops, listener }
  listening.set(signal, here)
  return here
}

// An abort rejects before the work has ended, and until then a thread is taken. A host that limits how many are gets to
// know the end by a function in the options under this symbol (integration/t3code does so).
const ON_WORK = Symbol.for('turn-attribution.onWork')

function observed(working, options) {
  const onWork = options?.[ON_WORK]
  if (typeof onWork !== 'function') return working
  try {
    onWork(working)
  } catch {
    // The call is not the worse for it.
  }
  return working
}

// The binding is loaded at the first call: `require` of this package never throws, and a host can keep another way.
let loaded
function binding() {
  try {
    loaded ??= whole(load())
    return loaded
  } catch (cause) {
    throw new TurnAttributionError('BINDING_MISSING', bindingMissing(cause), cause)
  }
}

// The loader takes the C library from a file of the system's, which is not always that of this Node: a Node of glibc runs
// on Alpine too, one of musl anywhere. Installers ask Node itself, so that their choice may be the other one.
function load() {
  try {
    return require('./binding.js')
  } catch (cause) {
    const looked = !process.env.NAPI_RS_NATIVE_LIBRARY_PATH && messageOf(cause).startsWith('Cannot find native binding')
    if (process.platform !== 'linux' || !looked) throw cause
    try {
      return require(platformPackage())
    } catch {
      throw cause
    }
  }
}

const WITHOUT_BINDING = ['transitionLabel', 'isTurnAttributionError']
// Tools that load this file their own way put more into `exports`, which is no function.
const ASKED = Object.keys(exports).filter(
  (name) => typeof exports[name] === 'function' && !WITHOUT_BINDING.includes(name),
)

// What the environment names may be anything, and a package of another version may have been left.
function whole(found) {
  const lacks = [...ASKED, 'newCancelToken', 'cancel', 'takePlace', 'leavePlace'].filter(
    (name) => typeof found[name] !== 'function',
  )
  if (lacks.length === 0) return found
  throw new Error(`what was loaded is not the addon of this version: it has no ${lacks[0]}`)
}

// The loader's last word blames the package manager whatever happened. What came of each file it tried is beneath that,
// the last one first; those for WebAssembly, of which there is none, say nothing unless they were asked for.
function bindingMissing(cause) {
  const reasons = []
  for (let error = cause.cause; error instanceof Error && reasons.length < 5; error = error.cause) {
    const reason = firstLine(error)
    if (!/turn-attribution[.-](wasi\.cjs|wasm32-wasi)/.test(reason)) reasons.unshift(reason)
  }
  if (reasons.length === 0) reasons.push(firstLine(cause))
  const named = process.env.NAPI_RS_NATIVE_LIBRARY_PATH
  if (named) reasons.unshift(`NAPI_RS_NATIVE_LIBRARY_PATH is ${named}`)
  return [
    `native binding missing: ${platformPackage()} could not be loaded (${reasons.join('; ')}).`,
    'Ways out: (1) remove node_modules and the lockfile and install again, with npm 11.3 or later and without',
    '--omit=optional; (2) install on the machine that runs it, or for its system, processor and C library;',
    '(3) set NAPI_RS_NATIVE_LIBRARY_PATH to the full path of the .node file of that package. In a clone: npm run build.',
  ].join(' ')
}

function firstLine(error) {
  return messageOf(error).split('\n', 1)[0]
}

function platformPackage() {
  const { platform, arch } = process
  let abi = platform === 'win32' ? '-msvc' : ''
  if (platform === 'linux') abi = glibcVersion() ? '-gnu' : '-musl'
  return `turn-attribution-${platform}-${arch}${abi}`
}

function glibcVersion() {
  const { report } = process
  if (!report) return undefined
  // It would ask for the name of every machine that is spoken to, and wait for each.
  const { excludeNetwork } = report
  report.excludeNetwork = true
  try {
    return report.getReport().header.glibcVersionRuntime
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

// Whatever was thrown becomes one kind of error with a stable code and the stack of the caller.
function shaped(thrown, frames) {
  const known = CODES.has(codeOf(thrown))
  const error =
    thrown instanceof TurnAttributionError
      ? thrown
      : known
        ? new TurnAttributionError(thrown.code, messageOf(thrown))
        : new TurnAttributionError('INTERNAL', `unexpected failure: ${messageOf(thrown)}`, thrown)
  if (frames) {
    const stack = `${error.name}: ${error.message}\n${frames}`
    Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false })
  }
  return error
}

function framesOfCaller(entry) {
  const holder = {}
  Error.captureStackTrace(holder, entry)
  const { stack } = holder
  return typeof stack === 'string' && stack.includes('\n') ? stack.slice(stack.indexOf('\n') + 1) : ''
}

function invalid(message, cause) {
  return new TurnAttributionError('INVALID_ARGUMENT', message, cause)
}

function aborted(signal) {
  const error = new TurnAttributionError('ABORTED', 'the call was aborted')
  Object.defineProperty(error, 'cause', {
    value: reasonOf(signal),
    writable: true,
    configurable: true,
    enumerable: false,
  })
  return error
}

function reasonOf(signal) {
  try {
    return signal.reason
  } catch {
    return undefined
  }
}

function codeOf(error) {
  try {
    return error.code
  } catch {
    return undefined
  }
}

function messageOf(error) {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'a value that cannot be printed'
  }
}
