import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { fromHex, listVectors, readText, readVector, toHex } from '@deputize/testing/read-vector.ts'
import fc from 'fast-check'
import {
  append,
  type ConsistencyClaim,
  consistencyPath,
  consistencyProof,
  decodeFrontier,
  EMPTY_ROOT,
  emptyFrontier,
  encodeFrontier,
  type Frontier,
  type InclusionClaim,
  inclusionPath,
  inclusionProof,
  leafHash,
  type NodeHashes,
  nodeHash,
  perfectNodes,
  rangeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '../../src/log/merkle.ts'

type ReferenceTree = {
  leaf_inputs_hex: string[]
  leaf_hashes_hex: string[]
  roots_hex_by_size: string[]
  single: { empty_leaf: string; leaf_L123456: string; node_N123_N456: string }
  inclusion: { index: number; size: number; proof_hex: string[] }[]
  consistency: { from: number; to: number; proof_hex: string[] }[]
  rolling: { sha256_hex: string }
}

const TREE = readVector<ReferenceTree>('merkle-rfc6962/reference-tree.json')

/** MTH of RFC 6962 section 2.1, word for word. */
function naiveRoot(leaf_hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = leaf_hashes
  if (first === undefined) return EMPTY_ROOT
  if (leaf_hashes.length === 1) return first
  let k = 1
  while (k * 2 < leaf_hashes.length) k *= 2
  return nodeHash(naiveRoot(leaf_hashes.slice(0, k)), naiveRoot(leaf_hashes.slice(k)))
}

function someLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`))
}

function frontierOf(leaf_hashes: readonly Uint8Array[]): Frontier {
  const frontier = emptyFrontier()
  for (const hash of leaf_hashes) append(frontier, hash)
  return frontier
}

function nodesOver(leaf_hashes: readonly Uint8Array[]): NodeHashes {
  return (level, index) => {
    const leaves = leaf_hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)
    assert.equal(leaves.length, 2 ** level, 'only full subtrees are asked for')
    return naiveRoot(leaves)
  }
}

function sizes(below: number): number[] {
  return Array.from({ length: below }, (_, size) => size)
}

describe('the reference tree of RFC 6962', () => {
  const leaf_hashes = TREE.leaf_inputs_hex.map((input) => leafHash(fromHex(input)))
  const node = nodesOver(leaf_hashes)
  const rootAt = (size: number): Uint8Array => fromHex(TREE.roots_hex_by_size[size] ?? '')
  const leafAt = (index: number): Uint8Array => leaf_hashes[index] ?? EMPTY_ROOT

  test('has the published hashes of leaves and nodes', () => {
    assert.deepEqual(leaf_hashes.map(toHex), TREE.leaf_hashes_hex)
    assert.equal(toHex(leafHash('')), TREE.single.empty_leaf)
    assert.equal(toHex(leafHash('L123456')), TREE.single.leaf_L123456)
    assert.equal(toHex(nodeHash(Buffer.from('N123'), Buffer.from('N456'))), TREE.single.node_N123_N456)
  })

  test('has the published root at every size', () => {
    const roots = sizes(9).map((size) => toHex(rootOf(frontierOf(leaf_hashes.slice(0, size)))))
    assert.deepEqual(roots, TREE.roots_hex_by_size)
  })

  test('has the 36 published inclusion proofs, and they verify', () => {
    assert.equal(TREE.inclusion.length, 36)
    for (const { index, size, proof_hex } of TREE.inclusion) {
      const proof = inclusionProof(index, size, node)
      assert.deepEqual(proof.map(toHex), proof_hex)
      assert.ok(verifyInclusion({ index, size, leaf_hash: leafAt(index), proof, root: rootAt(size) }))
    }
  })

  test('has the 36 published consistency proofs, and they verify', () => {
    assert.equal(TREE.consistency.length, 36)
    for (const { from, to, proof_hex } of TREE.consistency) {
      const proof = consistencyProof(from, to, node)
      assert.deepEqual(proof.map(toHex), proof_hex)
      assert.ok(verifyConsistency({ from, to, from_root: rootAt(from), to_root: rootAt(to), proof }))
    }
  })

  test('has the published rolling hash over the roots of 257 sizes', () => {
    const rolling = createHash('sha256')
    const frontier = emptyFrontier()
    for (const byte of sizes(257)) {
      rolling.update(rootOf(frontier))
      append(frontier, leafHash(new Uint8Array([byte])))
    }
    assert.equal(rolling.digest('hex'), TREE.rolling.sha256_hex)
  })
})

describe('a frontier', () => {
  const leaves = someLeaves(300)

  test('has the root of the naive tree at every size from 0 to 300', () => {
    const frontier = emptyFrontier()
    for (const [size, leaf] of leaves.entries()) {
      assert.equal(toHex(rootOf(frontier)), toHex(naiveRoot(leaves.slice(0, size))))
      append(frontier, leaf)
    }
    assert.equal(toHex(rootOf(frontier)), toHex(naiveRoot(leaves)))
  })

  test('continues unchanged after encoding and decoding', () => {
    for (const size of sizes(70)) {
      const frontier = frontierOf(leaves.slice(0, size))
      const decoded = decodeFrontier(encodeFrontier(frontier))
      for (const leaf of leaves.slice(size, size + 5)) append(decoded, leaf)
      assert.equal(decoded.size, size + 5)
      assert.equal(toHex(rootOf(decoded)), toHex(naiveRoot(leaves.slice(0, size + 5))))
    }
  })

  test('decodes from a view of a larger buffer, and keeps no reference to it', () => {
    const bytes = encodeFrontier(frontierOf(leaves.slice(0, 3)))
    const memory = new Uint8Array([9, ...bytes, 9])
    const decoded = decodeFrontier(memory.subarray(1, -1))
    memory.fill(0)
    assert.equal(toHex(encodeFrontier(decoded)), toHex(bytes))
  })

  test('of a size near 2^53 still encodes, decodes and appends', () => {
    const peaks = perfectNodes({ start: 0, end: Number.MAX_SAFE_INTEGER - 1 }).map(() => leafHash('peak'))
    const decoded = decodeFrontier(encodeFrontier({ size: Number.MAX_SAFE_INTEGER - 1, peaks }))
    append(decoded, leafHash('last'))
    assert.deepEqual([decoded.size, decoded.peaks.length], [Number.MAX_SAFE_INTEGER, 53])
  })

  test('is not decoded from invalid bytes', () => {
    const good = encodeFrontier(frontierOf(leaves.slice(0, 3)))
    const bad = [new Uint8Array(7), good.subarray(0, -1), good.subarray(0, 40), new Uint8Array([...good, 0])]
    for (const bytes of [...bad, new Uint8Array(8).fill(0xff)])
      assert.throws(() => decodeFrontier(bytes), RangeError)
  })
})

describe('proofs over trees of every size up to 40', () => {
  const leaves = someLeaves(40)
  const node = nodesOver(leaves)
  const rootAt = (size: number): Uint8Array => naiveRoot(leaves.slice(0, size))
  const flipped = (hash: Uint8Array): Uint8Array =>
    hash.map((byte, index) => (index === 31 ? byte ^ 1 : byte))

  test('a leaf is proven at its index and at no other', () => {
    for (const size of sizes(41)) {
      assert.equal(toHex(rangeHash({ start: 0, end: size }, node)), toHex(rootAt(size)))
      for (const [index, leaf_hash] of leaves.slice(0, size).entries()) {
        const claim = { index, size, leaf_hash, proof: inclusionProof(index, size, node), root: rootAt(size) }
        assert.ok(verifyInclusion(claim))
        assert.ok(!verifyInclusion({ ...claim, index: (index + 1) % size }) || size === 1)
        assert.ok(!verifyInclusion({ ...claim, leaf_hash: flipped(leaf_hash) }))
        assert.ok(!verifyInclusion({ ...claim, proof: [...claim.proof, leaf_hash] }))
      }
    }
  })

  test('an old tree is proven to be a prefix, and nothing else is', () => {
    for (const to of sizes(41))
      for (const from of sizes(to + 1)) {
        const proof = consistencyProof(from, to, node)
        const claim = { from, to, from_root: rootAt(from), to_root: rootAt(to), proof }
        assert.ok(verifyConsistency(claim))
        assert.ok(!verifyConsistency({ ...claim, from_root: flipped(claim.from_root) }))
        assert.ok(!verifyConsistency({ ...claim, to_root: flipped(claim.to_root) }) || from === 0)
        assert.ok(!verifyConsistency({ ...claim, proof: [...proof, EMPTY_ROOT] }))
        assert.ok(!verifyConsistency({ ...claim, proof: proof.slice(0, -1) }) || proof.length === 0)
      }
  })

  test('a changed bit anywhere in a proof is detected', () => {
    const trees = fc
      .integer({ min: 2, max: 40 })
      .chain((to) => fc.record({ to: fc.constant(to), from: fc.integer({ min: 1, max: to - 1 }) }))
    fc.assert(
      fc.property(trees, fc.nat(), ({ from, to }, seed) => {
        const broken = (proof: Uint8Array[]): Uint8Array[] =>
          proof.map((hash, index) => (index === seed % proof.length ? flipped(hash) : hash))
        const inclusion = broken(inclusionProof(from, to, node))
        const consistency = broken(consistencyProof(from, to, node))
        const leaf_hash = leaves[from] ?? EMPTY_ROOT
        assert.ok(!verifyInclusion({ index: from, size: to, leaf_hash, proof: inclusion, root: rootAt(to) }))
        const roots = { from_root: rootAt(from), to_root: rootAt(to) }
        assert.ok(!verifyConsistency({ from, to, ...roots, proof: consistency }))
      }),
    )
  })
})

describe('paths', () => {
  test('in a tree of 2^53 - 1 leaves are at most 53 ranges that leave no leaf out', () => {
    const size = Number.MAX_SAFE_INTEGER
    for (const index of [0, 1, 2 ** 52 - 1, 2 ** 52, size - 1]) {
      const ranges = inclusionPath(index, size)
      const covered = ranges.reduce((sum, { start, end }) => sum + BigInt(end - start), 1n)
      assert.ok(ranges.length <= 53)
      assert.equal(covered, BigInt(size))
    }
    assert.ok(consistencyPath(2 ** 52 + 1, size).length <= 54)
  })

  test('to leaves and trees that do not exist are refused', () => {
    for (const [index, size] of [
      [0, 0],
      [3, 3],
      [-1, 3],
      [0.5, 3],
      [0, Number.NaN],
      [0, 2 ** 53],
    ] as const)
      assert.throws(() => inclusionPath(index, size), RangeError)
    for (const [from, to] of [
      [4, 3],
      [-1, 3],
      [0.5, 3],
      [1, Infinity],
    ] as const)
      assert.throws(() => consistencyPath(from, to), RangeError)
  })
})

describe('the verifiers', () => {
  const hash = leafHash('x')

  test('refuse numbers that are not counts', () => {
    for (const bad of [-1, 0.5, Number.NaN, Infinity, 2 ** 53, -1n]) {
      const proof: Uint8Array[] = []
      assert.equal(verifyInclusion({ index: bad, size: 1, leaf_hash: hash, proof, root: hash }), false)
      assert.equal(verifyInclusion({ index: 0, size: bad, leaf_hash: hash, proof, root: hash }), false)
      assert.equal(verifyConsistency({ from: bad, to: bad, from_root: hash, to_root: hash, proof }), false)
      assert.equal(verifyConsistency({ from: 1, to: bad, from_root: hash, to_root: hash, proof }), false)
    }
  })

  test('refuse a proof that continues above the root, even if its hashes match', () => {
    const [a, b, c, d, x] = [leafHash('a'), leafHash('b'), leafHash('c'), leafHash('d'), leafHash('x')]
    assert.ok(!verifyInclusion({ index: 0, size: 1, leaf_hash: b, proof: [a], root: nodeHash(a, b) }))
    const ab = nodeHash(a, b)
    const roots = { from_root: nodeHash(ab, c), to_root: nodeHash(ab, nodeHash(c, d)) }
    assert.ok(verifyConsistency({ from: 3, to: 4, ...roots, proof: [c, d, ab] }))
    const higher = { from_root: nodeHash(x, roots.from_root), to_root: nodeHash(x, roots.to_root) }
    assert.ok(!verifyConsistency({ from: 3, to: 4, ...higher, proof: [c, d, ab, x] }))
  })

  test('refuse an old root that is not a hash, even if the hashes match', () => {
    const from_root = new Uint8Array([1])
    assert.ok(
      !verifyConsistency({ from: 1, to: 2, from_root, to_root: nodeHash(from_root, hash), proof: [hash] }),
    )
  })

  test('accept BigInt sizes above 2^53', () => {
    const proof = Array.from({ length: 60 }, () => hash)
    const root = proof.reduce((computed, sibling) => nodeHash(computed, sibling), hash)
    assert.ok(verifyInclusion({ index: 0n, size: 2n ** 60n, leaf_hash: hash, proof, root }))
    assert.ok(!verifyInclusion({ index: 2n, size: 2n ** 60n, leaf_hash: hash, proof, root }))
  })

  test('accept the empty tree as a prefix of every tree, with its own root and no proof', () => {
    const claim = { from: 0, to: 1, from_root: EMPTY_ROOT, to_root: hash, proof: [] }
    assert.ok(verifyConsistency(claim))
    assert.ok(verifyConsistency({ ...claim, to: 0, to_root: EMPTY_ROOT }))
    assert.ok(!verifyConsistency({ ...claim, from_root: hash }))
    assert.ok(!verifyConsistency({ ...claim, to: 0 }))
    assert.ok(!verifyConsistency({ ...claim, proof: [hash] }))
  })
})

describe('the proof vectors of transparency-dev/merkle', () => {
  type Fields = Record<string, unknown> & { proof: string[] | null; wantErr: boolean }

  const bytes = (value: unknown): Uint8Array => new Uint8Array(Buffer.from(String(value ?? ''), 'base64'))
  const hashes = (proof: string[] | null): Uint8Array[] => (proof ?? []).map(bytes)

  /** Two indexes are 2^64 - 1, which a Number cannot hold, so numbers are read as strings. */
  function read(path: string): Fields {
    return JSON.parse(readText(path).replaceAll(/: (\d+)/g, ': "$1"'))
  }

  function inclusionClaim(fields: Fields): InclusionClaim {
    const numbers = { index: BigInt(String(fields.leafIdx)), size: BigInt(String(fields.treeSize)) }
    return {
      ...numbers,
      leaf_hash: bytes(fields.leafHash),
      root: bytes(fields.root),
      proof: hashes(fields.proof),
    }
  }

  function consistencyClaim(fields: Fields): ConsistencyClaim {
    const numbers = { from: BigInt(String(fields.size1)), to: BigInt(String(fields.size2)) }
    return {
      ...numbers,
      from_root: bytes(fields.root1),
      to_root: bytes(fields.root2),
      proof: hashes(fields.proof),
    }
  }

  test('98 inclusion proofs are judged as listed', () => {
    const paths = listVectors('merkle-rfc6962/inclusion')
    const wrong = paths.filter((path) => verifyInclusion(inclusionClaim(read(path))) === read(path).wantErr)
    assert.deepEqual([paths.length, wrong], [98, []])
  })

  // Three of them claim a wrong or invalid root for the empty tree, which both implementations refuse.
  test('98 consistency proofs are judged as listed', () => {
    const paths = listVectors('merkle-rfc6962/consistency')
    const wrong = paths.filter(
      (path) => verifyConsistency(consistencyClaim(read(path))) === read(path).wantErr,
    )
    assert.deepEqual([paths.length, wrong], [98, []])
  })
})
