import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import {
  hashesAt,
  leafHash,
  nodeHash,
  TILE_WIDTH,
  tileOf,
  verifyConsistency,
  verifyInclusion,
} from '@deputize/protocol'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import fc from 'fast-check'
import { logTree } from '../../src/log/tree.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { aLongLog, VAULT_KEY } from './long-log.ts'

const SIZE = 70_000
const log = await aLongLog({ after }, SIZE)
const tree = logTree(log.reader.log)
const leaves = await log.reader.log.leaves(0, SIZE)
const hashes = leaves.map((leaf) => leafHash(leaf))

/** The tree hash exactly as defined in RFC 6962 section 2.1. */
function naiveRoot(start: number, end: number): Uint8Array {
  const only = hashes[start]
  if (end - start === 1 && only !== undefined) return only
  let half = 1
  while (half * 2 < end - start) half *= 2
  return nodeHash(naiveRoot(start, start + half), naiveRoot(start + half, end))
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

describe('the tree of a log of 70,000', () => {
  test('serves exactly the tiles that the specification defines', async () => {
    const served: string[] = []
    for (let level = 0; hashesAt(level, SIZE) > 0; level += 1) {
      const span = TILE_WIDTH ** level
      for (let index = 0; ; index += 1) {
        const tile = tileOf(level, index, SIZE)
        if (tile === undefined) break
        served.push(`${level}/${index}/${tile.width}`)
        const bytes = await tree.hashes({ level, index, width: tile.width })
        const expected = Array.from({ length: tile.width }, (_, place) => {
          const first = (index * TILE_WIDTH + place) * span
          return naiveRoot(first, first + span)
        })
        assert.equal(base64(bytes), base64(Buffer.concat(expected)), `tile ${level}/${index}`)
      }
    }
    // The example of the specification: 273 full tiles and one of 112, then one full and one of 17, then one of 1.
    assert.equal(served.length, 274 + 2 + 1)
    assert.deepEqual([served[273], served[275], served[276]], ['0/273/112', '1/1/17', '2/0/1'])
  })

  test('computes the root of every earlier size', async () => {
    const sizes = [0, 1, 2, 255, 256, 257, 65_535, 65_536, 65_537, SIZE]
    for (const size of [...sizes, ...fc.sample(fc.integer({ min: 1, max: SIZE }), 20)]) {
      const expected =
        size === 0 ? 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' : undefined
      const root = Buffer.from(await tree.rootAt(size)).toString('hex')
      assert.equal(root, expected ?? Buffer.from(naiveRoot(0, size)).toString('hex'), `size ${size}`)
    }
  })

  test('proves every leaf in every tree, and that every tree extends every smaller one', async () => {
    const trees = fc.integer({ min: 1, max: SIZE }).chain((size) =>
      fc.record({
        size: fc.constant(size),
        index: fc.integer({ min: 0, max: size - 1 }),
        from: fc.integer({ min: 0, max: size }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(trees, async ({ size, index, from }) => {
        const root = await tree.rootAt(size)
        const proof = await tree.inclusionProof(index, size)
        const leaf_hash = hashes[index] ?? assert.fail()
        assert.ok(verifyInclusion({ index, size, leaf_hash, proof, root }))
        const from_root = await tree.rootAt(from)
        const consistency = await tree.consistencyProof(from, size)
        assert.ok(verifyConsistency({ from, to: size, from_root, to_root: root, proof: consistency }))
      }),
      { numRuns: 150 },
    )
  })

  test('reads each tile only once, even a partial one', async () => {
    const read: string[] = []
    const { leafHashes, nodes } = log.reader.log
    const counted = logTree({
      ...log.reader.log,
      leafHashes(start, end) {
        read.push(`0/${start}`)
        return leafHashes(start, end)
      },
      nodes(level, start, end) {
        read.push(`${level}/${start}`)
        return nodes(level, start, end)
      },
    })
    await counted.rootAt(SIZE)
    assert.deepEqual(read.sort(), ['0/69888', '1/256', '2/0'])
  })

  test('keeps the 32 bytes of a hash in memory, not the tile that it came from', async () => {
    const proof = await tree.inclusionProof(4_000, 65_536)
    assert.deepEqual([...new Set(proof.map(({ buffer }) => buffer.byteLength))], [32])
  })

  test('refuses proofs for leaves that do not exist', async () => {
    await assert.rejects(tree.inclusionProof(SIZE, SIZE), RangeError)
    await assert.rejects(tree.consistencyProof(5, 4), RangeError)
    await assert.rejects(tree.rootAt(SIZE + 1))
  })
})

describe('a store from before nodes were stored', () => {
  test('gets them when it is opened, and is refused if its leaves are inconsistent', async (context) => {
    const old = await aLongLog(context, 600)
    await old.close()
    const strip = (sql: string) => {
      const db = new DatabaseSync(old.file)
      db.exec('DROP TRIGGER IF EXISTS log_nodes_never_go; DROP TRIGGER IF EXISTS leaves_never_change;')
      db.exec(`DELETE FROM log_nodes; ${sql}`)
      db.close()
    }
    const open = () =>
      sqliteWriteStore({ file: old.file, instance: 'test', vault_key: VAULT_KEY, clock: manualClock() })

    strip('')
    await open().close()
    const reader = sqliteReadStore(old.file, VAULT_KEY)
    assert.equal((await reader.log.nodes(1, 0, 10)).length, 2)
    assert.equal((await logTree(reader.log).inclusionProof(3, 600)).length, 10)
    await reader.close()

    strip('UPDATE leaves SET leaf_hash = zeroblob(32) WHERE log_index = 300')
    assert.throws(open, /the data is damaged/)
  })
})
