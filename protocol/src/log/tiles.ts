/** The layout of C2SP tlog-tiles: a log as files that never change. */
import { HASH_BYTES } from './merkle.ts'

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256
export const TILE_LEVELS = 8
const MAX_LEVEL = 63
/** Each entry follows its two-byte length. */
export const MAX_ENTRY_BYTES = 0xffff

export interface Tile {
  /** 0 holds leaf hashes, each level above the roots of 256 tiles' worth below it; `entries` holds the entries themselves. */
  readonly level: number | 'entries'
  readonly index: number
  /** How many hashes or entries it holds; fewer than 256 only at the right edge of a tree. */
  readonly width: number
}

/** The path of the tile below the URL of the log. */
export function tilePath({ level, index, width }: Tile): string {
  const partial = width === TILE_WIDTH ? '' : `.p/${width}`
  return `tile/${level}/${indexPath(index)}${partial}`
}

/** 1234067 becomes x001/x234/067. */
function indexPath(index: number): string {
  const last = String(index % 1000).padStart(3, '0')
  let rest = Math.floor(index / 1000)
  let path = last
  while (rest > 0) {
    path = `x${String(rest % 1000).padStart(3, '0')}/${path}`
    rest = Math.floor(rest / 1000)
  }
  return path
}

const INDEX_PATH = /^((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The tile that a path names, or undefined unless the spelling is canonical. `rest` follows the level. */
export function readTilePath(level: string, rest: string): Tile | undefined {
  const parts = INDEX_PATH.exec(rest)
  const isLevel = level === 'entries' || (/^(0|[1-9]\d?)$/.test(level) && Number(level) <= MAX_LEVEL)
  if (parts === null || !isLevel) return undefined
  const [, groups = '', last = '', partial] = parts
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '') + last),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  }
  const isSpelledSo = Number.isSafeInteger(tile.index) && tilePath(tile) === `tile/${level}/${rest}`
  return isSpelledSo ? tile : undefined
}

/** How many hashes a level of the tiles of a tree has: full subtrees of 256^level leaves. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level)
}

/** The tile with number `index` of a level in a tree of `size`, or undefined when it would be empty. */
export function tileOf(level: number | 'entries', index: number, size: number): Tile | undefined {
  const width = Math.min(TILE_WIDTH, hashesAt(level === 'entries' ? 0 : level, size) - index * TILE_WIDTH)
  return width > 0 ? { level, index, width } : undefined
}

/** The hashes of a tile, or undefined when the bytes do not hold exactly `width` of them. */
export function splitHashes(bytes: Uint8Array, width: number): Uint8Array[] | undefined {
  if (bytes.length !== width * HASH_BYTES) return undefined
  return Array.from({ length: width }, (_, place) =>
    bytes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES),
  )
}

/** A bundle of entries, each after its length. */
export function joinEntries(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  const view = new DataView(bundle.buffer)
  let place = 0
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError('An entry is too long for a bundle.')
    view.setUint16(place, entry.length)
    bundle.set(entry, place + 2)
    place += 2 + entry.length
  }
  return bundle
}

/** The entries of a bundle, or undefined when the bytes do not hold exactly `width` of them. */
export function splitEntries(bundle: Uint8Array, width: number): Uint8Array[] | undefined {
  const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength)
  const entries: Uint8Array[] = []
  let place = 0
  while (place + 2 <= bundle.length && entries.length < width) {
    const end = place + 2 + view.getUint16(place)
    if (end > bundle.length) return undefined
    entries.push(bundle.subarray(place + 2, end))
    place = end
  }
  return place === bundle.length && entries.length === width ? entries : undefined
}
