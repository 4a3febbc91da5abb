import {
  consistencyPath,
  consistencyProof,
  HASH_BYTES,
  hashesAt,
  inclusionPath,
  inclusionProof,
  type LeafRange,
  nodeHash,
  type PerfectNode,
  perfectNodes,
  rangeHash,
  TILE_LEVELS,
  TILE_WIDTH,
  type Tile,
} from '@deputize/protocol'
import type { LogReader } from '../store/port/log-reader.ts'

/** Full tiles cached in memory, 8 KiB each. They never change. */
const REMEMBERED_TILES = 512
/** Cached hashes of full subtrees, 32 bytes each. They never change, and proofs of one size share most of them. */
const REMEMBERED_NODES = 32_768

/** The Merkle tree of the log: any proof and any tile, for any size up to the current one. */
export interface LogTree {
  /** The concatenated hashes of a tile. The caller must check that the log is long enough. */
  hashes(tile: Tile & { readonly level: number }): Promise<Uint8Array>
  rootAt(size: number): Promise<Uint8Array>
  inclusionProof(index: number, size: number): Promise<Uint8Array[]>
  consistencyProof(from: number, to: number): Promise<Uint8Array[]>
}

/** Reads the concatenated hashes of a tile. */
type TileReader = (level: number, index: number) => Promise<Uint8Array>

export function logTree(reader: LogReader): LogTree {
  const known = new Map<string, Promise<Uint8Array>>()
  const nodes = new Map<string, Uint8Array>()

  async function load(level: number, start: number, width: number): Promise<Uint8Array> {
    const hashes =
      level === 0
        ? await reader.leafHashes(start, start + width)
        : await reader.nodes(level, start, start + width)
    if (hashes.length !== width) throw new Error(`the log lacks hashes at level ${level} from index ${start}`)
    return Buffer.concat(hashes)
  }

  /** Caches full tiles; the newest replace the oldest. */
  function fullTile(level: number, index: number): Promise<Uint8Array> {
    const name = `${level}/${index}`
    const kept = known.get(name) ?? load(level, index * TILE_WIDTH, TILE_WIDTH)
    known.delete(name)
    known.set(name, kept)
    kept.catch(() => known.delete(name))
    const [oldest] = known.keys()
    if (known.size > REMEMBERED_TILES && oldest !== undefined) known.delete(oldest)
    return kept
  }

  /**
   * Returns a reader for the tiles of a log with `size` leaves. A level's last tile may be partial; it is read once.
   */
  function tilesAt(size: number): TileReader {
    const partial = new Map<number, Promise<Uint8Array>>()
    return (level, index) => {
      const start = index * TILE_WIDTH
      const width = hashesAt(level, size) - start
      if (width >= TILE_WIDTH) return fullTile(level, index)
      const hashes = partial.get(level) ?? load(level, start, width)
      partial.set(level, hashes)
      return hashes
    }
  }

  /** Returns the hash of a full subtree, from the tile that holds its leaves or the roots eight levels below. */
  async function nodeOf({ level, index }: PerfectNode, tile: TileReader): Promise<Uint8Array> {
    const width = 2 ** (level % TILE_LEVELS)
    const start = index * width
    const hashes = await tile(Math.floor(level / TILE_LEVELS), Math.floor(start / TILE_WIDTH))
    const place = (start % TILE_WIDTH) * HASH_BYTES
    return subtreeRoot(hashes.subarray(place, place + width * HASH_BYTES))
  }

  /** Like `nodeOf`, but cached. The newest replace the oldest. */
  async function rememberedNode(name: string, node: PerfectNode, tile: TileReader): Promise<Uint8Array> {
    // A copy, because a part of a tile would keep the whole tile in memory.
    const hash = nodes.get(name) ?? Uint8Array.from(await nodeOf(node, tile))
    nodes.delete(name)
    nodes.set(name, hash)
    const [oldest] = nodes.keys()
    if (nodes.size > REMEMBERED_NODES && oldest !== undefined) nodes.delete(oldest)
    return hash
  }

  /** Loads all nodes of the ranges and returns a lookup for the pure proof functions. */
  async function loaded(ranges: readonly LeafRange[], size: number) {
    const hashes = new Map<string, Uint8Array>()
    const tile = tilesAt(size)
    await Promise.all(
      ranges.flatMap(perfectNodes).map(async (node) => {
        const name = `${node.level}/${node.index}`
        hashes.set(name, await rememberedNode(name, node, tile))
      }),
    )
    return (level: number, index: number): Uint8Array => {
      const hash = hashes.get(`${level}/${index}`)
      if (hash === undefined) throw new Error(`node ${index} of level ${level} was not loaded`)
      return hash
    }
  }

  return {
    async hashes({ level, index, width }) {
      return width === TILE_WIDTH ? fullTile(level, index) : load(level, index * TILE_WIDTH, width)
    },
    async rootAt(size) {
      const whole = { start: 0, end: size }
      return rangeHash(whole, await loaded([whole], size))
    },
    async inclusionProof(index, size) {
      return inclusionProof(index, size, await loaded(inclusionPath(index, size), size))
    },
    async consistencyProof(from, to) {
      return consistencyProof(from, to, await loaded(consistencyPath(from, to), to))
    },
  }
}

/** Returns the root over hashes that fill a subtree. */
export function subtreeRoot(hashes: Uint8Array): Uint8Array {
  if (hashes.length === HASH_BYTES) return hashes
  const middle = hashes.length / 2
  return nodeHash(subtreeRoot(hashes.subarray(0, middle)), subtreeRoot(hashes.subarray(middle)))
}
