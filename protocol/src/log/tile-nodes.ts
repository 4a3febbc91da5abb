/** Computes nodes of a log's tree from its hash tiles. Untrusted until compared with a signed root. */

import type { Checkpoint } from './checkpoint.ts'
import { LogFault } from './faults.ts'
import {
  HASH_BYTES,
  inclusionPath,
  type LeafRange,
  nodeHash,
  type PerfectNode,
  perfectNodes,
  rangeHash,
  verifyInclusion,
} from './merkle.ts'
import { type ReadFile, readHashes } from './read-tiles.ts'
import { subtreeHash } from './tile-tree.ts'
import { TILE_LEVELS, TILE_WIDTH, tileOf } from './tiles.ts'

/** The root of the first `size` entries, computed from the tiles of the tree of `checkpoint`. */
export async function rootByTiles(read: ReadFile, size: number, checkpoint: Checkpoint): Promise<Uint8Array> {
  return await hashByTiles(read, { start: 0, end: size }, checkpoint)
}

/** Whether the tiles prove that the leaf at `index` has the hash. */
export async function isProvenByTiles(
  read: ReadFile,
  index: number,
  leaf_hash: Uint8Array,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const { size, root } = checkpoint
  const proof: Uint8Array[] = []
  for (const range of inclusionPath(index, size)) proof.push(await hashByTiles(read, range, checkpoint))
  return verifyInclusion({ index, size, leaf_hash, proof, root })
}

async function hashByTiles(read: ReadFile, range: LeafRange, checkpoint: Checkpoint): Promise<Uint8Array> {
  if (range.start === range.end) return rangeHash(range, () => checkpoint.root)
  const hashes: Uint8Array[] = []
  for (const node of perfectNodes(range)) hashes.push(await nodeByTiles(read, node, checkpoint))
  return hashes.reduceRight((right, left) => nodeHash(left, right))
}

async function nodeByTiles(
  read: ReadFile,
  { level, index }: PerfectNode,
  checkpoint: Checkpoint,
): Promise<Uint8Array> {
  const tile_level = Math.floor(level / TILE_LEVELS)
  const span = 2 ** (level % TILE_LEVELS)
  const first = index * span
  const tile = tileOf(tile_level, Math.floor(first / TILE_WIDTH), checkpoint.size)
  if (tile === undefined) throw new LogFault('tile_missing', `Level ${tile_level} has no hash ${first}.`)
  const hashes = await readHashes(read, tile)
  const place = first % TILE_WIDTH
  return subtreeHash(hashes.subarray(place * HASH_BYTES, (place + span) * HASH_BYTES))
}
