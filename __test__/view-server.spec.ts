// The server of the local page: what it answers, and to whom.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepInMessage, repoWithFeature, switchAndEdit } from './facade.turn.js'
import { addon, type TurnDiff } from './support/addon.js'
import { temporaryFolder } from './support/turn-repository.js'

interface Served {
  url: string
  ticketUrl(): string
  close(): Promise<void>
}
const load = createRequire(import.meta.url)
const { serve } = load('../bin/view.js') as {
  serve(options: { cwd: string; port?: number; page?: string }): Promise<Served>
}

const page = temporaryFolder()
const outside = join(temporaryFolder(), 'outside.js')
mkdirSync(join(page, 'assets'))
writeFileSync(join(page, 'index.html'), '<!doctype html><title>page</title>')
writeFileSync(join(page, 'assets/app-1234.js'), 'export {}')
writeFileSync(join(page, 'assets/app-1234.css'), 'body {}')
writeFileSync(join(page, 'secret.js'), 'secret')
writeFileSync(outside, 'outside')
symlinkSync(outside, join(page, 'assets/link.js'))

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  json: unknown
}
interface Ask {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The path as it is sent; default: below the token. */
  path?: string
}

/** A request with exactly these headers, as no browser would let a test send it. */
function ask({ url }: Served, name: string, { method = 'GET', headers = {}, body, path }: Ask = {}): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, headers, path: path ?? `${pathname}${name}`, agent: false }
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = response.headers['content-type']?.startsWith('application/json') && text !== ''
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, text, json: isJson ? JSON.parse(text) : undefined })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const post = (served: Served, name: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(served, name, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const thread = 'refs/t3/checkpoints/dGhyZWFkIDE'

/** A turn of T3 Code, and one between a mark and its end. */
async function story() {
  const repo = repoWithFeature()
  const { from, to } = await switchAndEdit(repo)
  const kept = [await keepInMessage(repo, 'from', from), await keepInMessage(repo, 'to', to)]
  repo.git('update-ref', `${thread}/turn/0`, kept[0] ?? '')
  repo.git('update-ref', `${thread}/turn/1`, kept[1] ?? '')
  repo.git('update-ref', 'refs/turn-attribution/day/mark/1', kept[0] ?? '')
  repo.git('update-ref', 'refs/turn-attribution/day/end/1', kept[1] ?? '')
  return { repo, from: `${thread}/turn/0`, to: `${thread}/turn/1`, request: { cwd: repo.cwd, from, to } }
}

let told: Awaited<ReturnType<typeof story>>
let served: Served
beforeAll(async () => {
  told = await story()
  served = await serve({ cwd: told.repo.cwd, page })
})
afterAll(() => served.close())

const STRICT = {
  'content-security-policy': load('../viewer/content-security-policy.js') as string,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

describe('the page', () => {
  it('is on the loopback alone, under a token that is long and new each time', async () => {
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/)
    const other = await serve({ cwd: told.repo.cwd, page })
    expect(new URL(other.url).pathname).not.toBe(new URL(served.url).pathname)
    await other.close()
  })

  it('is the files that were built', async () => {
    const index = await ask(served, '')
    expect(index).toMatchObject({ status: 200, text: '<!doctype html><title>page</title>', headers: STRICT })
    expect(index.headers['content-type']).toBe('text/html; charset=utf-8')
    const script = await ask(served, 'assets/app-1234.js')
    expect(script).toMatchObject({ status: 200, text: 'export {}' })
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(script.headers).toMatchObject({ ...STRICT, 'cache-control': 'private, max-age=31536000, immutable' })
  })

  it('answers HEAD as GET, without a body', async () => {
    const head = await ask(served, '', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String('<!doctype html><title>page</title>'.length))
  })

  it('says plainly that it was not built, and that a port is taken', async () => {
    await expect(serve({ cwd: told.repo.cwd, page: temporaryFolder() })).rejects.toThrow('the page is not built')
    const port = Number(new URL(served.url).port)
    await expect(serve({ cwd: told.repo.cwd, page, port })).rejects.toThrow(
      `port ${port} cannot be opened: it is in use`,
    )
  })
})

describe('whom it answers', () => {
  const refused = (answer: Answer, status: number, code = 'BAD_REQUEST') => {
    expect(answer).toMatchObject({ status, headers: STRICT, json: { error: { code, message: expect.any(String) } } })
    expect(answer.text).not.toMatch(/\bat .*:\d+:\d+|view\.js/)
  }

  it('not a page whose own name leads here', async () => {
    const { port } = new URL(served.url)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      'localhost',
      '127.0.0.1:1',
      `[::1]:${port}`,
    ])
      refused(await ask(served, 'api/turns', { headers: { host } }), 421)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`])
      expect((await ask(served, 'api/turns', { headers: { host } })).status).toBe(200)
  })

  it.runIf(process.getuid?.() === 0)('a browser that leaves out the port 80', async ({ skip }) => {
    const here = await serve({ cwd: told.repo.cwd, page, port: 80 }).catch(() => null)
    if (here === null) return skip('the port cannot be opened')
    for (const host of ['127.0.0.1', 'localhost'])
      expect((await ask(here, 'api/turns', { headers: { host, origin: `http://${host}` } })).status).toBe(200)
    refused(await ask(here, 'api/turns', { headers: { host: 'evil.example' } }), 421)
    await here.close()
  })

  it('not a request without a name, nor what is no HTTP', async () => {
    const { port, pathname } = new URL(served.url)
    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = ''
        const socket = net.connect(Number(port), '127.0.0.1', () => socket.end(text))
        socket.on('data', (chunk) => {
          answer += chunk
        })
        socket.on('close', () => resolve(answer))
      })
    expect(await raw(`GET ${pathname} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 421 /)
    const own = `Host: 127.0.0.1:${port}\r\n`
    expect(await raw(`GET ${pathname} HTTP/1.1\r\n${own}Host: evil.example\r\n\r\n`)).toMatch(/^HTTP\/1\.1 421 /)
    const expecting = await raw(`GET ${pathname} HTTP/1.1\r\n${own}Expect: wonders\r\n\r\n`)
    expect(expecting).toMatch(/^HTTP\/1\.1 417 /)
    expect(expecting).toContain(STRICT['content-security-policy'])
    // In place of the answer that was asked for it would be taken for it.
    expect(await raw(`GET ${pathname}api/turns HTTP/1.1\r\n${own}\r\nno http\r\n\r\n`)).not.toContain(' 400 ')
    const malformed = await raw('no http\r\n\r\n')
    expect(malformed).toMatch(/^HTTP\/1\.1 400 /)
    expect(malformed).toContain(STRICT['content-security-policy'])
    refused(await ask(served, '', { path: served.url }), 404, 'NOT_FOUND')
  })

  it('not another site', async () => {
    const own = new URL(served.url).origin
    for (const origin of ['http://evil.example', 'null', own.replace('http', 'https'), 'http://127.0.0.1:1'])
      refused(await post(served, 'api/card', {}, { origin }), 403)
    for (const site of ['cross-site', 'same-site', 'odd'])
      refused(await ask(served, '', { headers: { 'sec-fetch-site': site } }), 403)
    for (const headers of [{ origin: own }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])
      expect((await ask(served, 'api/turns', { headers })).status).toBe(200)
  })

  it('nobody without the token', async () => {
    const { pathname } = new URL(served.url)
    const token = pathname.slice(1, -1)
    const others = [
      '/',
      '/favicon.ico',
      `/${token}`,
      `/${token}x/`,
      `/${token.slice(1)}/`,
      `/${'A'.repeat(32)}/`,
      '//',
      `/%2e/${token}/`,
    ]
    for (const path of others) refused(await ask(served, '', { path }), 404, 'NOT_FOUND')
  })

  it('once for a ticket, which does not tell the token', async () => {
    const here = await serve({ cwd: told.repo.cwd, page })
    const { origin, pathname } = new URL(here.url)
    const first = new URL(here.ticketUrl())
    const second = new URL(here.ticketUrl())
    expect([first.origin, second.origin]).toEqual([origin, origin])
    expect(second.pathname).toMatch(/^\/[\w-]{32}\/$/)
    expect(second.pathname).not.toBe(pathname)
    refused(await ask(here, '', { path: first.pathname }), 404, 'NOT_FOUND')
    refused(await ask(here, '', { path: `${second.pathname}api/turns` }), 404, 'NOT_FOUND')
    refused(await ask(here, '', { path: second.pathname, headers: { 'sec-fetch-site': 'cross-site' } }), 403)
    refused(await ask(here, '', { path: second.pathname, headers: { host: 'evil.example' } }), 421)
    const answer = await ask(here, '', { path: second.pathname })
    expect(answer).toMatchObject({ status: 303, headers: { ...STRICT, location: pathname } })
    refused(await ask(here, '', { path: second.pathname }), 404, 'NOT_FOUND')
    expect((await ask(here, '')).status).toBe(200)
    await here.close()
  })

  it('no path that leads out of the page', async () => {
    const odd = ['../view.js', '..%2fview.js', 'assets/../secret.js', 'assets/%2e%2e/secret.js', 'assets/..\\secret.js']
    const names = [
      'secret.js',
      'index.html',
      'assets/',
      'assets',
      'assets/link.js',
      '/etc/passwd',
      'assets/app-1234.js/',
    ]
    const inherited = ['__proto__', 'constructor', 'api/constructor', 'api/']
    for (const name of [...odd, ...names, ...inherited]) refused(await ask(served, name), 404, 'NOT_FOUND')
  })

  it('no other method', async () => {
    const tries = [
      ['api/turns', 'POST', 'GET, HEAD'],
      ['api/turns', 'DELETE', 'GET, HEAD'],
      ['api/card', 'GET', 'POST'],
      ['api/card', 'HEAD', 'POST'],
      ['api/patch', 'PUT', 'POST'],
      ['', 'POST', 'GET, HEAD'],
      ['', 'OPTIONS', 'GET, HEAD'],
      ['assets/app-1234.js', 'TRACE', 'GET, HEAD'],
    ] as const
    for (const [name, method, allowed] of tries) {
      const { status, headers } = await ask(served, name, { method })
      expect([name, method, status, headers.allow]).toEqual([name, method, 405, allowed])
      expect(headers).toMatchObject(STRICT)
    }
  })

  it('no body that a form of another site could send, none that is too large, none that is no object', async () => {
    const body = JSON.stringify({ from: told.from, to: told.to })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''])
      refused(await post(served, 'api/card', body, { 'content-type': type }), 415)
    for (const wrong of ['', '{', '[]', 'null', '1', '{}', '{"from":1,"to":2}'])
      refused(await post(served, 'api/card', wrong), 400)
    const paths = JSON.stringify({ ...told, paths: ['x'.repeat(17 << 20)] })
    refused(await post(served, 'api/patch', paths), 413)
    const unsaid = { 'transfer-encoding': 'chunked' }
    refused(await post(served, 'api/patch', paths, unsaid), 413)
  })

  it('nothing about refs that are not listed', async () => {
    const { from, to, repo } = told
    repo.git('update-ref', 'refs/t3/checkpoints/dGhyZWFkIDE/turn/01', 'HEAD')
    for (const ref of ['refs/heads/main', 'HEAD', repo.oid(), `${thread}/turn/01`, `${thread}/turn/9`, '']) {
      refused(await post(served, 'api/card', { from: ref, to }), 404, 'NOT_FOUND')
      refused(await post(served, 'api/patch', { from, to: ref }), 404, 'NOT_FOUND')
      refused(await post(served, 'api/patch', { from, to, between: [ref] }), 404, 'NOT_FOUND')
    }
  })

  it('with an error of the library as it is', async () => {
    const { from, to } = told
    refused(await post(served, 'api/card', { from, to, demoted: 'none' }), 400, 'INVALID_ARGUMENT')
    refused(await post(served, 'api/patch', { from, to, paths: 1 }), 400, 'INVALID_ARGUMENT')
    const nowhere = await serve({ cwd: temporaryFolder(), page })
    refused(await ask(nowhere, 'api/turns'), 404, 'NOT_A_REPOSITORY')
    await nowhere.close()
  })
})

describe('the turns', () => {
  it('of every source, the newest first, with names to read', async () => {
    const { json } = await ask(served, 'api/turns')
    const { cwd } = told.repo
    expect(json).toMatchObject({ repository: { name: 'checkout', path: cwd } })
    const { threads } = json as { threads: { source: string }[] }
    const [from, to] = [`${thread}/turn/0`, `${thread}/turn/1`]
    const endedAt = Number(told.repo.git('log', '-1', '--format=%ct', to)) * 1000
    expect(threads.find(({ source }) => source === 't3code')).toEqual({
      id: 'dGhyZWFkIDE',
      source: 't3code',
      name: 'thread 1',
      turns: [{ number: 1, from, to, endedAt }],
      checkpoints: [from, to],
    })
    expect(threads.find(({ source }) => source === 'mark')).toMatchObject({
      id: 'day',
      name: 'day',
      turns: [{ number: 1, from: 'refs/turn-attribution/day/mark/1', to: 'refs/turn-attribution/day/end/1' }],
    })
  })

  it('has the same card and patch as the library gives', async () => {
    const { from, to, request } = told
    const card = await post(served, 'api/card', { from, to, demoted: 'lines' })
    expect(card.status).toBe(200)
    expect(card.json).toEqual({ ...(await addon().attributeTurn({ ...request, demoted: 'lines' })) })
    const patch = await post(served, 'api/patch', { from, to, includeGitChanges: true, contextLines: 1 })
    const { patchBytes: _, ...diff } = await addon().diffTurn(request, { includeGitChanges: true, contextLines: 1 })
    const files = diff.files.map(({ pathBytes: _, previousPathBytes: __, ...file }) => file)
    expect(patch.json).toEqual({ ...diff, files })
    const one = await post(served, 'api/patch', { from, to, paths: ['none'] })
    expect(one.json as TurnDiff).toMatchObject({ patch: '', files: [] })
  })

  it('sees a checkpoint that came since', async () => {
    const { repo, from, to } = await story()
    const here = await serve({ cwd: join(repo.cwd, 'src'), page })
    expect((await post(here, 'api/card', { from, to })).status).toBe(200)
    repo.git('update-ref', `${thread}/turn/2`, to)
    expect((await post(here, 'api/card', { from, to: `${thread}/turn/2`, between: [to] })).status).toBe(200)
    await here.close()
  })
})

describe('its end', () => {
  it('does not wait for open connections, nor for a request that is still coming', async () => {
    const here = await serve({ cwd: told.repo.cwd, page })
    const { port, pathname } = new URL(here.url)
    const ends = [
      '',
      `POST ${pathname}api/card HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ].map(
      (text) =>
        new Promise<void>((resolve) => {
          const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(text))
          socket.on('error', () => {})
          socket.on('close', () => resolve())
        }),
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    await here.close()
    await Promise.all(ends)
  })

  it('a reader that goes away in the middle does no harm', async () => {
    const { from, to } = told
    const { hostname, port, pathname } = new URL(served.url)
    for (const after of [0, 1, 5]) {
      const request = http.request({
        hostname,
        port,
        path: `${pathname}api/patch`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        agent: false,
      })
      request.on('error', () => {})
      request.end(JSON.stringify({ from, to, includeGitChanges: true }))
      await new Promise((resolve) => setTimeout(resolve, after))
      request.destroy()
    }
    expect((await post(served, 'api/card', { from, to })).status).toBe(200)
  })
})

describe('turn-attribution view', () => {
  const root = join(import.meta.dirname, '..')
  const started = (...args: string[]) => {
    const child = spawn(process.execPath, [join(root, 'bin/turn-attribution.js'), ...args])
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.stderr += chunk
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    return { child, said, ended }
  }
  const view = (...args: string[]) => started('view', ...args)

  it.runIf(existsSync(join(root, 'viewer/dist/page/index.html')))(
    'prints the address, and ends on Ctrl-C with 0, whatever is connected',
    async () => {
      const { child, said, ended } = view('--cwd', told.repo.cwd)
      while (!said.stdout.includes('\n')) await new Promise((resolve) => child.stdout.once('data', resolve))
      const url = said.stdout.trim()
      expect((await ask({ url, ticketUrl: () => url, close: async () => {} }, 'api/turns')).status).toBe(200)
      const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('connect', resolve))
      child.kill('SIGINT')
      expect(await ended).toBe(0)
      expect(said).toEqual({ stdout: `${url}\n`, stderr: '' })
    },
  )

  it.runIf(existsSync(join(root, 'viewer/dist/page/index.html')))('opens at the turn that was asked for', async () => {
    const { repo } = await story()
    repo.git('update-ref', '-d', 'refs/turn-attribution/day/end/1')
    const { child, said, ended } = started('show', 'day', '--view', '--cwd', repo.cwd)
    while (!said.stdout.includes('\n') && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGINT')
    expect([await ended, said.stderr]).toEqual([0, ''])
    expect(new URL(said.stdout.trim()).hash).toBe('#thread=mark%3Aday&turn=1')
  })

  it('says what is wrong with a port, and that there is no repository', async () => {
    for (const port of ['x', '-1', '65536', '1.5', '']) {
      const { said, ended } = view('--cwd', told.repo.cwd, `--port=${port}`)
      expect([port, await ended]).toEqual([port, 2])
      expect(said.stderr).toContain('is no port')
    }
    const nowhere = view('--cwd', temporaryFolder())
    expect(await nowhere.ended).toBe(1)
    expect(nowhere.said.stderr).toContain('[NOT_A_REPOSITORY]')
  })
})
