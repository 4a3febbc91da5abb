/** A growing tree that computes the tiles of its entries. */
import { append, type Frontier, HASH_BYTES, nodeHash, perfectNodes, rootOf } from './merkle.ts'
import { TILE_LEVELS, TILE_WIDTH, type Tile } from './tiles.ts'

/** A tile computed from the entries. */
export interface DueTile extends Tile {
  readonly level: number
  /** The content of the tile before the first added entry: the roots over its hashes, not the hashes. */
  readonly old: Frontier
  /** The hashes of the tile; those of `old` are left empty. */
  readonly hashes: Uint8Array
}

interface Level {
  index: number
  old: Frontier
  frontier: Frontier
  hashes: Uint8Array
}

export interface TileTree {
  readonly size: number
  /** Adds a leaf hash. `filled` returns the tiles that it fills. */
  add(leaf_hash: Uint8Array): void
  /** Tiles that became full since the last call, in order. */
  filled(): DueTile[]
  /** The partial tiles at the right edge that changed. */
  edge(): DueTile[]
  frontier(): Frontier
  root(): Uint8Array
}

/** A tree that continues from the frontier `start`. */
export function tileTree(start: Frontier): TileTree {
  const levels = levelsOf(start)
  let size = start.size
  let full: DueTile[] = []

  function put(hash: Uint8Array, level: number): void {
    const open = levels[level] ?? emptyLevel(0)
    levels[level] = open
    open.hashes.set(hash, open.frontier.size * HASH_BYTES)
    append(open.frontier, hash)
    if (open.frontier.size < TILE_WIDTH) return
    full.push(dueTile(open, level))
    levels[level] = emptyLevel(open.index + 1)
    put(rootOf(open.frontier), level + 1)
  }

  function frontier(): Frontier {
    return { size, peaks: levels.flatMap(({ frontier }) => frontier.peaks.toReversed()).reverse() }
  }

  return {
    get size() {
      return size
    },
    add(leaf_hash) {
      put(leaf_hash, 0)
      size += 1
    },
    filled() {
      const tiles = full
      full = []
      return tiles
    },
    edge: () =>
      levels
        .map((level, number) => dueTile(level, number))
        .filter(({ width, old }) => width > old.size && width < TILE_WIDTH),
    frontier,
    root: () => rootOf(frontier()),
  }
}

function emptyLevel(index: number): Level {
  const empty = () => ({ size: 0, peaks: [] })
  return { index, old: empty(), frontier: empty(), hashes: new Uint8Array(TILE_WIDTH * HASH_BYTES) }
}

function dueTile({ index, old, frontier, hashes }: Level, level: number): DueTile {
  return { level, index, width: frontier.size, old, hashes }
}

/** A frontier cut into the open tiles of all levels: each peak belongs to the tile that holds its hashes. */
function levelsOf({ size, peaks }: Frontier): Level[] {
  const levels: Level[] = []
  for (let level = 0; TILE_WIDTH ** level <= size; level += 1) {
    const hashes = Math.floor(size / TILE_WIDTH ** level)
    const own = perfectNodes({ start: 0, end: size }).flatMap((node, place) => {
      const peak = peaks[place]
      return peak !== undefined && Math.floor(node.level / TILE_LEVELS) === level ? [peak] : []
    })
    const old = { size: hashes % TILE_WIDTH, peaks: own }
    const frontier = { size: old.size, peaks: [...own] }
    levels.push({ ...emptyLevel(Math.floor(hashes / TILE_WIDTH)), old, frontier })
  }
  return levels
}

/** The roots over the first `count` hashes of a tile. */
export function peaksOf(hashes: Uint8Array, count: number): Frontier {
  const frontier: Frontier = { size: 0, peaks: [] }
  for (let place = 0; place < count; place += 1) append(frontier, hashAt(hashes, place))
  return frontier
}

export function hashAt(hashes: Uint8Array, place: number): Uint8Array {
  return hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
}

/** The hash of the full subtree over `hashes`, whose number is a power of two. */
export function subtreeHash(hashes: Uint8Array): Uint8Array {
  if (hashes.length <= HASH_BYTES) return hashes
  const middle = hashes.length / 2
  return nodeHash(subtreeHash(hashes.subarray(0, middle)), subtreeHash(hashes.subarray(middle)))
}
