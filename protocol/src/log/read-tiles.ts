/** Fetches untrusted tiles and bundles and checks their format. */

import { type FaultCode, LogFault } from './faults.ts'
import { HASH_BYTES } from './merkle.ts'
import { splitEntries, TILE_WIDTH, type Tile, tilePath } from './tiles.ts'

/**
 * Fetches a file of the log by its path below the address of the log. Returns undefined if the log has no such
 * file, and throws if the log cannot be reached.
 */
export type ReadFile = (path: string) => Promise<Uint8Array | undefined>

/** The hashes of a tile, `width` of them, concatenated. */
export async function readHashes(read: ReadFile, tile: Tile): Promise<Uint8Array> {
  const { bytes, served } = await readServed(read, tile, 'tile_missing')
  const wanted = served.width * HASH_BYTES
  if (bytes.length < wanted) throw badTile('tile_truncated', served, bytes.length)
  if (bytes.length > wanted) throw badTile('tile_too_long', served, bytes.length)
  return bytes.subarray(0, tile.width * HASH_BYTES)
}

/** The entries of a bundle, `width` of them. */
export async function readEntries(read: ReadFile, bundle: Tile): Promise<Uint8Array[]> {
  const { bytes, served } = await readServed(read, bundle, 'bundle_missing')
  const entries = splitEntries(bytes, served.width)
  if (entries !== undefined) return entries.slice(0, bundle.width)
  const isLonger = endOf(bytes, served.width) < bytes.length
  throw badTile(isLonger ? 'bundle_too_long' : 'bundle_truncated', served, bytes.length)
}

/** Logs may delete a partial tile once the full tile, which starts with the same hashes, exists. */
async function readServed(read: ReadFile, tile: Tile, missing: FaultCode) {
  const bytes = await read(tilePath(tile))
  if (bytes !== undefined) return { bytes, served: tile }
  const full = { ...tile, width: TILE_WIDTH }
  const grown = tile.width < TILE_WIDTH ? await read(tilePath(full)) : undefined
  if (grown === undefined) throw new LogFault(missing, `It is ${tilePath(tile)}.`)
  return { bytes: grown, served: full }
}

/** Where the last of `width` entries ends, or Infinity when the bytes end before it does. */
function endOf(bytes: Uint8Array, width: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let place = 0
  for (let entry = 0; entry < width; entry += 1) {
    if (place + 2 > bytes.length) return Number.POSITIVE_INFINITY
    place += 2 + view.getUint16(place)
  }
  return place <= bytes.length ? place : Number.POSITIVE_INFINITY
}

function badTile(fault: FaultCode, tile: Tile, length: number): LogFault {
  return new LogFault(fault, `It is ${tilePath(tile)}, with ${length} bytes.`)
}
