/** A literal implementation of RFC 6962 and tlog-tiles that shares no code with the service. */
import { hash } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

/** MTH(D[n]) */
export function naiveRoot(data: readonly Uint8Array[]): Buffer {
  if (data.length === 0) return sha256()
  const [only] = data
  if (data.length === 1 && only !== undefined) return sha256(Buffer.of(0), only)
  let k = 1
  while (k * 2 < data.length) k *= 2
  return sha256(Buffer.of(1), naiveRoot(data.slice(0, k)), naiveRoot(data.slice(k)))
}

/** PATH(m, D[n]) */
export function naivePath(m: number, data: readonly Uint8Array[]): Buffer[] {
  if (data.length <= 1) return []
  let k = 1
  while (k * 2 < data.length) k *= 2
  if (m < k) return [...naivePath(m, data.slice(0, k)), naiveRoot(data.slice(k))]
  return [...naivePath(m - k, data.slice(k)), naiveRoot(data.slice(0, k))]
}

/** Every tile that a tree of these entries has, by the path where it is served. */
export function naiveTiles(data: readonly Uint8Array[]): Map<string, Buffer> {
  const tiles = new Map<string, Buffer>()
  for (let l = 0; l < 64; l += 1) {
    const span = 256 ** l
    const count = Math.floor(data.length / span)
    if (count === 0) break
    for (let n = 0; n * 256 < count; n += 1) {
      const width = Math.min(256, count - n * 256)
      const hashes: Buffer[] = []
      for (let i = 0; i < width; i += 1)
        hashes.push(naiveRoot(data.slice((n * 256 + i) * span, (n * 256 + i + 1) * span)))
      tiles.set(`tile/${l}/${naiveIndex(n)}${width === 256 ? '' : `.p/${width}`}`, Buffer.concat(hashes))
    }
  }
  return tiles
}

function naiveIndex(n: number): string {
  const digits = String(n)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const groups = padded.match(/\d{3}/g) ?? []
  return groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/')
}
