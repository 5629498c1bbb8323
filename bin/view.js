'use strict'

// The local page: a server for one repository, on the loopback alone. Whoever has not the address with its random token
// is told nothing: not a page of another site (Origin, Sec-Fetch-Site), nor one that has its own name lead here (Host).

const { createHash, randomBytes, timingSafeEqual } = require('node:crypto')
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const http = require('node:http')
const { basename, dirname, extname, join, resolve } = require('node:path')
const { attributeTurn, diffTurn, isTurnAttributionError, listCheckpoints } = require('../index.js')
const contentSecurityPolicy = require('../viewer/content-security-policy.js')
const { CommandError } = require('./command-error.js')
const { threadsOf } = require('./turns.js')

const ADDRESS = '127.0.0.1'
const PAGE = join(__dirname, '../viewer/dist/page')
/** A request names refs and paths: a turn of a hundred thousand files fits. */
const MOST_BODY_BYTES = 16 * 1024 * 1024

const HEADERS = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const STATUS_OF_CODE = {
  INVALID_ARGUMENT: 400,
  NOT_OWNED: 403,
  NOT_A_REPOSITORY: 404,
  SNAPSHOT_MISSING: 404,
  TOO_LARGE: 422,
  UNSUPPORTED_REPOSITORY: 422,
  TIMED_OUT: 504,
}

/** What is answered instead of what was asked for. */
class Refusal extends Error {
  constructor(status, code, message, headers = {}) {
    super(message)
    Object.assign(this, { status, code, headers })
  }
}

const notFound = () => new Refusal(404, 'NOT_FOUND', 'there is nothing here')
const badRequest = (message, status = 400) => new Refusal(status, 'BAD_REQUEST', message)

/** What the ticket leads to. */
const TO_THE_PAGE = Symbol('to the page')

/**
 * Serves the page for the repository of `cwd`, until it is closed. `page` is the folder that the page was built into.
 * `ticketUrl` gives an address that leads to the page once, for where other users of the machine can read it: among the
 * arguments of a program.
 */
exports.serve = async function serve({ cwd, port = 0, page = PAGE }) {
  const files = pageFiles(page)
  const repository = new Repository(cwd)
  const token = randomBytes(24).toString('base64url')
  const server = http.createServer({
    // A request without one is answered like one with a wrong one.
    requireHostHeader: false,
    headersTimeout: 10_000,
    requestTimeout: 60_000,
  })
  await listening(server, port)
  // As a browser sends it: without a port that goes without saying.
  const [origin, named] = [ADDRESS, 'localhost'].map((name) => new URL(`http://${name}:${server.address().port}`).host)
  const site = {
    hosts: new Set([origin, named]),
    token,
    ticket: null,
    files,
    repository,
  }
  const answering = new WeakSet()
  server.on('request', (request, response) => {
    answering.add(request.socket)
    response.on('close', () => answering.delete(request.socket))
    answer(site, request, response)
  })
  server.on('checkExpectation', (request, response) => {
    sendError(request, response, new Refusal(417, 'BAD_REQUEST', 'nothing but 100-continue can be expected here'))
  })
  // Written into an answer that is under way it would pass for a part of it.
  server.on('clientError', (error, socket) =>
    answering.has(socket) ? socket.destroy() : refuseMalformed(error, socket),
  )
  const close = () =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  const ticketUrl = () => {
    site.ticket = randomBytes(24).toString('base64url')
    return `http://${origin}/${site.ticket}/`
  }
  return { url: `http://${origin}/${token}/`, ticketUrl, close }
}

function listening(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use' : error.code === 'EACCES' ? 'not allowed' : error.message
      reject(new CommandError(`port ${port} cannot be opened: ${why}`))
    })
    server.listen(port, ADDRESS, resolve)
  })
}

// What can be asked for is listed once: no path is ever made of a request.
function pageFiles(folder) {
  const files = new Map()
  const add = (name, path) => {
    const type = TYPES[extname(path)]
    if (type !== undefined) files.set(name, { type, content: readFileSync(path) })
  }
  try {
    add('', join(folder, 'index.html'))
    const assets = join(folder, 'assets')
    for (const entry of readdirSync(assets, { withFileTypes: true }))
      if (entry.isFile()) add(`assets/${entry.name}`, join(assets, entry.name))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    throw new CommandError('the page is not built; in a clone of turn-attribution: npm run build:viewer')
  }
  return files
}

/** What the server knows of the repository. */
class Repository {
  #known = new Set()

  constructor(cwd) {
    this.cwd = cwd
    this.path = rootAbove(resolve(cwd))
  }

  async turns(signal) {
    const listed = await listCheckpoints(this.cwd, { signal })
    const threads = threadsOf(listed)
    this.#known = new Set(threads.flatMap(({ checkpoints }) => checkpoints))
    return { repository: { name: basename(this.path), path: this.path }, threads }
  }

  /** Checkpoints to ask about: only what is listed, so that the page is no way to anything else. */
  async checkpoints(refs, signal) {
    if (refs.some((ref) => !this.#known.has(ref))) await this.turns(signal)
    for (const ref of refs)
      if (!this.#known.has(ref)) throw new Refusal(404, 'NOT_FOUND', 'this turn is not in the repository (any more)')
    return refs.map((ref) => ({ ref }))
  }
}

/** The working tree that a folder is in; a bare repository is its own. */
function rootAbove(folder) {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here
    if (here === dirname(here)) return folder
  }
}

async function answer(site, request, response) {
  // A reader that went away wants no answer: the call is aborted, and nothing is left to be sent.
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  response.on('error', () => gone.abort())
  try {
    const name = verified(site, request)
    if (name === TO_THE_PAGE) throw new Refusal(303, 'MOVED', 'the page is elsewhere', { Location: `/${site.token}/` })
    const file = site.files.get(name)
    const api = API[name]
    if (file !== undefined) sendFile(request, response, name, file)
    else if (api !== undefined) {
      allow(request, [api.method, ...(api.method === 'GET' ? ['HEAD'] : [])])
      const body = api.method === 'POST' ? await jsonBody(request, gone.signal) : undefined
      sendJson(request, response, 200, await api.answer(site.repository, body, gone.signal))
    } else throw notFound()
  } catch (error) {
    if (!response.destroyed) sendError(request, response, error)
  }
}

/** What a request asks for below the token, once it is known to come from our own page. */
function verified(site, { headers, headersDistinct, method, url }) {
  const { hosts, token, ticket } = site
  const { host, origin } = headers
  if (!hosts.has(host) || headersDistinct.host.length > 1)
    throw new Refusal(421, 'BAD_REQUEST', 'this server has another name')
  if (origin !== undefined && origin !== `http://${host}`)
    throw new Refusal(403, 'BAD_REQUEST', 'requests of other sites are not answered')
  const from = headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin' && from !== 'none')
    throw new Refusal(403, 'BAD_REQUEST', 'requests of other sites are not answered')
  const [, given = '', name] = /^\/([^/?]*)\/([^?]*)/.exec(url) ?? []
  if (ticket !== null && isSame(given, ticket) && name === '' && method === 'GET') {
    site.ticket = null
    return TO_THE_PAGE
  }
  if (!isSame(given, token) || name === undefined) throw notFound()
  return name
}

// Of hashes, which are of one length: the time that it takes says nothing of the token.
function isSame(given, token) {
  const [one, two] = [given, token].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(one, two)
}

function allow(request, methods) {
  if (methods.includes(request.method)) return
  const list = methods.join(', ')
  throw new Refusal(405, 'BAD_REQUEST', `only ${list} here`, { Allow: list })
}

const API = Object.assign(Object.create(null), {
  'api/turns': { method: 'GET', answer: (repository, _, signal) => repository.turns(signal) },
  'api/card': {
    method: 'POST',
    async answer(repository, body, signal) {
      const { demoted } = body
      return attributeTurn(await turn(repository, body, { demoted }, signal), { signal })
    },
  },
  'api/patch': {
    method: 'POST',
    async answer(repository, body, signal) {
      const { includeGitChanges, ignoreWhitespace, paths, maxFileBytes, maxBytes, contextLines } = body
      const options = { includeGitChanges, ignoreWhitespace, paths, maxFileBytes, maxBytes, contextLines }
      const request = await turn(repository, body, {}, signal)
      const { patchBytes: _, ...diff } = await diffTurn(request, options, { signal })
      return { ...diff, files: diff.files.map(({ pathBytes: _, previousPathBytes: __, ...file }) => file) }
    },
  },
})

async function turn(repository, { from, to, between = [] }, more, signal) {
  const refs = Array.isArray(between) ? [from, to, ...between] : [null]
  if (refs.some((ref) => typeof ref !== 'string')) throw badRequest('from, to and between must name checkpoints')
  const [first, last, ...others] = await repository.checkpoints(refs, signal)
  return { cwd: repository.cwd, from: first, to: last, between: others, ...more }
}

async function jsonBody(request, signal) {
  if (!/^application\/json(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw badRequest('content-type must be application/json', 415)
  const tooLarge = () => new Refusal(413, 'BAD_REQUEST', 'the request is too large')
  if (Number(request.headers['content-length']) > MOST_BODY_BYTES) throw tooLarge()
  const chunks = []
  let bytes = 0
  try {
    // Leaving early must not close the connection: there is an answer to send.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > MOST_BODY_BYTES) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
  let body
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw badRequest('the request is no JSON')
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw badRequest('the request must be an object')
  return body
}

function sendFile(request, response, name, { type, content }) {
  allow(request, ['GET', 'HEAD'])
  // Names of assets hold a hash of their content.
  const caching = name.startsWith('assets/') ? { 'Cache-Control': 'private, max-age=31536000, immutable' } : {}
  send(request, response, 200, content, { 'Content-Type': type, ...caching })
}

function sendJson(request, response, status, value, headers) {
  const content = Buffer.from(JSON.stringify(value))
  send(request, response, status, content, { 'Content-Type': 'application/json; charset=utf-8', ...headers })
}

function sendError(request, response, error) {
  if (response.headersSent) return response.destroy()
  if (error instanceof Refusal) {
    const { status, code, message, headers } = error
    // What is still to come of the request is not waited for.
    const closing = request.complete ? headers : { ...headers, Connection: 'close' }
    return sendJson(request, response, status, { error: { code, message } }, closing)
  }
  const known = isTurnAttributionError(error)
  const code = known ? error.code : 'INTERNAL'
  const message = known ? error.message : 'the server failed on this request'
  return sendJson(request, response, STATUS_OF_CODE[code] ?? 500, { error: { code, message } })
}

function send(request, response, status, content, headers) {
  response.writeHead(status, { ...HEADERS, 'Content-Length': content.length, ...headers })
  response.end(request.method === 'HEAD' ? undefined : content)
}

/** Of what is no HTTP there is no request to answer. */
function refuseMalformed(error, socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const lines = Object.entries({ ...HEADERS, Connection: 'close', 'Content-Length': 0 })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\n`)
}
