// What a shared library of Linux says of itself: the processor, the libraries it needs, the versions of glibc.

import { readFileSync } from 'node:fs'

const MACHINES = { 62: 'x64', 183: 'arm64' }
const DYNAMIC = 2
const NEEDED = 1
const STRTAB = 5
const VERNEED = 0x6ffffffe
const VERNEEDNUM = 0x6fffffff

/** @param {string} path of a 64-bit little-endian ELF file */
export function readElf(path) {
  const bytes = readFileSync(path)
  if (bytes.readUInt32BE(0) !== 0x7f454c46 || bytes[4] !== 2 || bytes[5] !== 1)
    throw new Error(`${path} is no such ELF file`)
  const word = (at) => Number(bytes.readBigUInt64LE(at))
  const segments = Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const at = word(32) + index * bytes.readUInt16LE(54)
    return { type: bytes.readUInt32LE(at), offset: word(at + 8), address: word(at + 16), size: word(at + 32) }
  })
  const inFile = (address) => {
    const here = segments.find(
      (each) => each.type === 1 && address >= each.address && address < each.address + each.size,
    )
    return address - here.address + here.offset
  }
  const { offset, size } = segments.find(({ type }) => type === DYNAMIC)
  const entries = []
  for (let at = offset; at < offset + size && word(at) !== 0; at += 16) entries.push([word(at), word(at + 8)])
  const value = (tag) => entries.find(([each]) => each === tag)?.[1]
  const strings = inFile(value(STRTAB))
  const text = (at) => bytes.toString('latin1', strings + at, bytes.indexOf(0, strings + at))

  const versions = []
  if (value(VERNEED) !== undefined) {
    let at = inFile(value(VERNEED))
    for (let left = value(VERNEEDNUM); left > 0; left -= 1) {
      let one = at + bytes.readUInt32LE(at + 8)
      for (let names = bytes.readUInt16LE(at + 2); names > 0; names -= 1) {
        versions.push(text(bytes.readUInt32LE(one + 8)))
        one += bytes.readUInt32LE(one + 12)
      }
      at += bytes.readUInt32LE(at + 12)
    }
  }
  return {
    size: bytes.length,
    arch: MACHINES[bytes.readUInt16LE(18)] ?? 'unknown',
    needed: entries.filter(([tag]) => tag === NEEDED).map(([, name]) => text(name)),
    glibc: highest(versions.filter((version) => /^GLIBC_\d/.test(version)).map((version) => version.slice(6))),
  }
}

function highest(versions) {
  return versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? null
}
