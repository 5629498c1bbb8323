// A registry of npm packages on this machine that has our nine and no other, for as long as it is asked.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { root, targets } from './targets.mjs'

/** `fetched` names the packages whose tarballs were asked for. */
export async function registry(packages) {
  const fetched = []
  const known = new Map(
    packages.map(({ name, manifest, tarball }) => [name, { manifest, bytes: readFileSync(tarball) }]),
  )
  for (const target of targets)
    if (!known.has(target.package)) {
      // Not built here: its description alone, as no installer on this system has a use for more.
      const manifest = JSON.parse(readFileSync(join(root, 'npm', target.name, 'package.json'), 'utf8'))
      known.set(target.package, { manifest, bytes: Buffer.alloc(0) })
    }
  const server = createServer(({ url }, response) => {
    const [, name, file] = /^\/([^/?]+)(\/-\/.+\.tgz)?/.exec(decodeURIComponent(url)) ?? []
    const found = known.get(name)
    if (!found) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}')
    if (!file)
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(packument(found, origin)))
    fetched.push(name)
    return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  return {
    origin,
    fetched,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function packument({ manifest, bytes }, origin) {
  const { name, version } = manifest
  const dist = {
    tarball: `${origin}/${name}/-/${name}-${version}.tgz`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  }
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist } },
    // Installers pass over what was published a moment ago.
    time: {
      created: '2020-01-01T00:00:00.000Z',
      modified: '2020-01-01T00:00:00.000Z',
      [version]: '2020-01-01T00:00:00.000Z',
    },
  }
}
