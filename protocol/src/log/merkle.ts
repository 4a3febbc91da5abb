/**
 * The Merkle tree of RFC 6962 and RFC 9162 over SHA-256. A frontier appends leaves and computes the
 * root; paths list the nodes of a proof; verifiers need only the proof.
 */
import { sha256 } from '#sha256'

export const HASH_BYTES = 32

/** The root of the empty tree. */
export const EMPTY_ROOT: Uint8Array = sha256('')

/** Reused to prefix short data: allocating a buffer for each hash would cost as much as the hash. */
const scratch = new Uint8Array(1 + 0xffff)

/** The hash of a leaf; a string stands for its UTF-8 bytes. */
export function leafHash(data: Uint8Array | string): Uint8Array {
  if (typeof data === 'string') return sha256(`\0${data}`)
  const size = 1 + data.length
  const prefixed = size <= scratch.length ? scratch.subarray(0, size) : new Uint8Array(size)
  prefixed[0] = 0 // separates leaf hashes from node hashes
  prefixed.set(data, 1)
  return sha256(prefixed)
}

/** The hash of the node above `left` and `right`. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const prefixed = scratch.subarray(0, 1 + left.length + right.length)
  prefixed[0] = 1
  prefixed.set(left, 1)
  prefixed.set(right, 1 + left.length)
  return sha256(prefixed)
}

/** The part of a tree that appending needs: its size and the roots of its full subtrees, largest first. */
export type Frontier = { size: number; peaks: Uint8Array[] }

export function emptyFrontier(): Frontier {
  return { size: 0, peaks: [] }
}

/**
 * Adds one leaf to `frontier`, in place, at an average cost of one node hash. Calls `onNode` for every full subtree that
 * the leaf completes, smallest first.
 */
export function append(
  frontier: Frontier,
  leaf_hash: Uint8Array,
  onNode?: (node: PerfectNode, hash: Uint8Array) => void,
): void {
  let node = leaf_hash
  let level = 0
  for (let rest = frontier.size; rest % 2 === 1; rest = (rest - 1) / 2) {
    node = nodeHash(frontier.peaks.pop() ?? missing('peak'), node)
    level += 1
    onNode?.({ level, index: (rest - 1) / 2 }, node)
  }
  frontier.peaks.push(node)
  frontier.size += 1
}

/** The root of the tree that `frontier` represents. */
export function rootOf(frontier: Frontier): Uint8Array {
  return frontier.peaks.length === 0 ? EMPTY_ROOT : fold(frontier.peaks)
}

/** The size as eight big-endian bytes, then the peaks. */
export function encodeFrontier(frontier: Frontier): Uint8Array {
  const bytes = new Uint8Array(8 + HASH_BYTES * frontier.peaks.length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(frontier.size))
  frontier.peaks.forEach((peak, index) => {
    bytes.set(peak, 8 + HASH_BYTES * index)
  })
  return bytes
}

/** Decodes the output of `encodeFrontier`. Throws a RangeError for any other bytes. */
export function decodeFrontier(bytes: Uint8Array): Frontier {
  if (bytes.length < 8) throw new RangeError('A frontier has at least 8 bytes.')
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0))
  if (!isSize(size)) throw new RangeError('The size of the frontier is not a safe integer.')
  const count = perfectNodes({ start: 0, end: size }).length
  if (bytes.length !== 8 + HASH_BYTES * count)
    throw new RangeError(`A frontier of size ${size} has ${count} peaks.`)
  const peaks = Array.from({ length: count }, (_, index) =>
    bytes.slice(8 + HASH_BYTES * index, 8 + HASH_BYTES * (index + 1)),
  )
  return { size, peaks }
}

/** The leaves from `start` up to, not including, `end`. A proof is a list of hashes of such ranges. */
export type LeafRange = { start: number; end: number }

/** The root of the full subtree that begins at leaf `index * 2^level` and has `2^level` leaves. */
export type PerfectNode = { level: number; index: number }

/** Returns the hash of a full subtree. */
export type NodeHashes = (level: number, index: number) => Uint8Array

/** The ranges whose hashes prove that leaf `index` is in the tree of `size`, in proof order. */
export function inclusionPath(index: number, size: number): LeafRange[] {
  if (!isSize(index) || !isSize(size) || index >= size)
    throw new RangeError(`No leaf ${index} in a tree of ${size}.`)
  const path: LeafRange[] = []
  let { start, end } = { start: 0, end: size }
  while (end - start > 1) {
    const middle = split(start, end)
    path.push(index < middle ? { start: middle, end } : { start, end: middle })
    if (index < middle) end = middle
    else start = middle
  }
  return path.reverse()
}

/** The ranges whose hashes prove that the tree of `to` begins with the tree of `from`, in proof order. */
export function consistencyPath(from: number, to: number): LeafRange[] {
  if (!isSize(from) || !isSize(to) || from > to)
    throw new RangeError(`No tree of ${from} in a tree of ${to}.`)
  if (from === 0 || from === to) return []
  const path: LeafRange[] = []
  let { start, end } = { start: 0, end: to }
  while (end !== from) {
    const middle = split(start, end)
    path.push(from <= middle ? { start: middle, end } : { start, end: middle })
    if (from <= middle) end = middle
    else start = middle
  }
  // A range that begins at 0 is the old tree itself, whose root the verifier already has.
  return start === 0 ? path.reverse() : [...path, { start, end }].reverse()
}

/** The full subtrees that make up `range`, largest first: fetch these to hash the range. */
export function perfectNodes(range: LeafRange): PerfectNode[] {
  const nodes: PerfectNode[] = []
  let { start } = range
  while (start < range.end) {
    const level = levelOf(range.end - start)
    nodes.push({ level, index: start / 2 ** level })
    start += 2 ** level
  }
  return nodes
}

/** The hash of `range`, which comes from a path or begins at 0. */
export function rangeHash(range: LeafRange, node: NodeHashes): Uint8Array {
  if (range.start === range.end) return EMPTY_ROOT
  return fold(perfectNodes(range).map(({ level, index }) => node(level, index)))
}

export function inclusionProof(index: number, size: number, node: NodeHashes): Uint8Array[] {
  return inclusionPath(index, size).map((range) => rangeHash(range, node))
}

export function consistencyProof(from: number, to: number, node: NodeHashes): Uint8Array[] {
  return consistencyPath(from, to).map((range) => rangeHash(range, node))
}

export type InclusionClaim = {
  index: number | bigint
  size: number | bigint
  leaf_hash: Uint8Array
  proof: readonly Uint8Array[]
  root: Uint8Array
}

/** RFC 9162 section 2.1.3.2. Returns false for any invalid input, including invalid numbers. */
export function verifyInclusion({ index, size, leaf_hash, proof, root }: InclusionClaim): boolean {
  let node = toBigInt(index)
  let last = toBigInt(size) - 1n
  if (node < 0n || node > last || ![leaf_hash, ...proof].every(isHash)) return false
  let computed = leaf_hash
  for (const sibling of proof) {
    if (last === 0n) return false
    const is_right = node % 2n === 1n || node === last
    computed = is_right ? nodeHash(sibling, computed) : nodeHash(computed, sibling)
    const levels = is_right ? oddLevel(node) + 1n : 1n
    node >>= levels
    last >>= levels
  }
  return last === 0n && equal(computed, root)
}

export type ConsistencyClaim = {
  from: number | bigint
  to: number | bigint
  from_root: Uint8Array
  to_root: Uint8Array
  proof: readonly Uint8Array[]
}

/**
 * RFC 9162 section 2.1.4.2. Returns false for any invalid input, including invalid numbers. Every tree extends
 * the empty tree: then the old root must be EMPTY_ROOT and the proof empty.
 */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { from_root, to_root, proof } = claim
  const from = toBigInt(claim.from)
  const to = toBigInt(claim.to)
  if (from < 0n || to < from || !proof.every(isHash)) return false
  if (from === to && !equal(from_root, to_root)) return false
  if (from === 0n) return proof.length === 0 && equal(from_root, EMPTY_ROOT) && isHash(to_root)
  if (from === to) return proof.length === 0
  // A full old tree is itself the first node of the proof, which leaves it out.
  const is_full = (from & (from - 1n)) === 0n
  const [first, ...rest] = is_full ? [from_root, ...proof] : proof
  return first !== undefined && isHash(first) && climbs(from - 1n, to - 1n, first, rest, claim)
}

/** Whether the hashes above `first`, the node at the right edge of the old tree, lead to both roots. */
function climbs(
  old_last: bigint,
  new_last: bigint,
  first: Uint8Array,
  rest: readonly Uint8Array[],
  { from_root, to_root }: ConsistencyClaim,
): boolean {
  const skipped = oddLevel(old_last + 1n)
  let [node, last] = [old_last >> skipped, new_last >> skipped]
  let [old_hash, new_hash] = [first, first]
  for (const sibling of rest) {
    if (last === 0n) return false
    const is_right = node % 2n === 1n || node === last
    if (is_right) old_hash = nodeHash(sibling, old_hash)
    new_hash = is_right ? nodeHash(sibling, new_hash) : nodeHash(new_hash, sibling)
    const levels = is_right ? oddLevel(node) + 1n : 1n
    node >>= levels
    last >>= levels
  }
  return last === 0n && equal(old_hash, from_root) && equal(new_hash, to_root)
}

/** How many levels above `node` its first ancestor with an odd index is; 0 for node 0, which has none. */
function oddLevel(node: bigint): bigint {
  if (node === 0n) return 0n
  let level = 0n
  while ((node >> level) % 2n === 0n) level += 1n
  return level
}

/** Hashes subtrees, largest first, into one root. */
function fold(subtrees: readonly Uint8Array[]): Uint8Array {
  return subtrees.reduceRight((right, left) => nodeHash(left, right))
}

/** Where RFC 6962 cuts a range: after the largest power of two smaller than its length. */
function split(start: number, end: number): number {
  return start + 2 ** levelOf(end - start - 1)
}

/** The largest level whose full subtree has at most `leaves` leaves. Math.log2 would round near 2^53. */
function levelOf(leaves: number): number {
  let level = 0
  while (2 ** (level + 1) <= leaves) level += 1
  return level
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** Returns -1 for a value that is not a count. */
function toBigInt(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value
  return isSize(value) ? BigInt(value) : -1n
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES
}

/** Not constant-time: roots and proofs are public. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

function missing(what: string): never {
  throw new RangeError(`The frontier lacks a ${what}.`)
}
