import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tileFiles } from '@deputize/testing/log/a-log.ts'
import fc from 'fast-check'
import { emptyFrontier, inclusionProof, leafHash, type NodeHashes, nodeHash } from '../../src/log/merkle.ts'
import { tileTree } from '../../src/log/tile-tree.ts'
import {
  hashesAt,
  joinEntries,
  readTilePath,
  splitEntries,
  splitHashes,
  type Tile,
  tileOf,
  tilePath,
} from '../../src/log/tiles.ts'
import { naivePath, naiveRoot, naiveTiles } from './naive-tree.ts'

function entriesOf(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`entry ${index}`))
}

describe('trees', () => {
  test('of 0 to 1,000 entries have the root that the RFC defines', () => {
    const data = entriesOf(1000)
    const tree = tileTree(emptyFrontier())
    assert.deepEqual(Buffer.from(tree.root()), naiveRoot([]))
    for (const [index, entry] of data.entries()) {
      tree.add(leafHash(entry))
      assert.deepEqual(Buffer.from(tree.root()), naiveRoot(data.slice(0, index + 1)), `size ${index + 1}`)
    }
  })

  test('continue unchanged from their frontier', () => {
    const hashes = entriesOf(1100).map((entry) => leafHash(entry))
    const whole = tileTree(emptyFrontier())
    const steps = hashes.map((hash) => {
      const before = whole.frontier()
      whole.add(hash)
      return { before, hash, after: whole.frontier() }
    })
    for (const { before, hash, after } of steps) {
      const resumed = tileTree(before)
      resumed.add(hash)
      assert.deepEqual(resumed.frontier(), after)
    }
  })

  test('produce the proofs that the RFC defines', () => {
    for (const size of [1, 2, 3, 7, 8, 100, 257]) {
      const data = entriesOf(size)
      const node: NodeHashes = (level, index) => {
        const leaf = data[index]
        if (level === 0 && leaf !== undefined) return leafHash(leaf)
        return nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))
      }
      for (let index = 0; index < size; index += 1)
        assert.deepEqual(
          inclusionProof(index, size, node).map((hash) => Buffer.from(hash)),
          naivePath(index, data),
        )
    }
  })
})

describe('the tiles of a log of 70,000 entries', () => {
  const data = entriesOf(70_000)
  const tiles = new Map(tileFiles(data.map((entry) => leafHash(entry))))
  const naive = naiveTiles(data)

  test('have the paths, widths and hashes that the specification defines', () => {
    assert.deepEqual([...tiles.keys()].sort(), [...naive.keys()].sort())
    for (const [path, bytes] of naive) assert.ok(bytes.equals(tiles.get(path) ?? Buffer.of()), path)
  })

  test('are as many as in the specification', () => {
    const paths = [...tiles.keys()]
    const countOf = (prefix: string, isPartial: boolean) =>
      paths.filter((path) => path.startsWith(prefix) && path.includes('.p/') === isPartial).length
    assert.deepEqual([countOf('tile/0/', false), countOf('tile/0/', true)], [273, 1])
    assert.deepEqual([countOf('tile/1/', false), countOf('tile/1/', true)], [1, 1])
    assert.deepEqual([countOf('tile/2/', false), countOf('tile/2/', true)], [0, 1])
    for (const path of ['tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1'])
      assert.ok(tiles.has(path), path)
  })

  test('get the same hashes in a growing tree', () => {
    const tree = tileTree(emptyFrontier())
    const due = new Map<string, Uint8Array>()
    for (const entry of data) {
      tree.add(leafHash(entry))
      for (const tile of tree.filled()) due.set(tilePath(tile), tile.hashes)
    }
    for (const tile of tree.edge()) due.set(tilePath(tile), tile.hashes.subarray(0, tile.width * 32))
    assert.deepEqual([...due.keys()].sort(), [...naive.keys()].sort())
    for (const [path, bytes] of naive) assert.ok(bytes.equals(due.get(path) ?? Buffer.of()), path)
  })
})

describe('the path of a tile', () => {
  const level = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const))

  test('is spelled as in the specification', () => {
    assert.equal(tilePath({ level: 0, index: 1234067, width: 256 }), 'tile/0/x001/x234/067')
    assert.equal(tilePath({ level: 'entries', index: 0, width: 1 }), 'tile/entries/000.p/1')
    assert.equal(tilePath({ level: 3, index: 1000, width: 255 }), 'tile/3/x001/000.p/255')
  })

  test('parses back to the tile', () => {
    const index = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    const width = fc.integer({ min: 1, max: 256 })
    const tile: fc.Arbitrary<Tile> = fc.record({ level, index, width }, { noNullPrototype: true })
    fc.assert(
      fc.property(tile, (one) => {
        const [, name = '', ...rest] = tilePath(one).split('/')
        assert.deepEqual(readTilePath(name, rest.join('/')), one)
      }),
    )
  })

  for (const [name, rest] of [
    ['0', '0'],
    ['0', '00'],
    ['0', '0000'],
    ['0', 'x000/001'],
    ['0', '001/002'],
    ['0', 'x1/002'],
    ['0', 'x001/x002'],
    ['0', '000.p/0'],
    ['0', '000.p/256'],
    ['0', '000.p/01'],
    ['0', '000.p/'],
    ['0', '000.p'],
    ['0', '-01'],
    ['0', '000/'],
    ['0', ''],
    ['00', '000'],
    ['64', '000'],
    ['-1', '000'],
    ['entry', '000'],
    ['', '000'],
    ['0', 'x999/x999/x999/x999/x999/x999/999'],
  ] as const)
    test(`is not ${name}/${rest}`, () => assert.equal(readTilePath(name, rest), undefined))
})

describe('bundles and tiles', () => {
  test('split back into their parts, and are refused with a missing or extra byte', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 20 }), (entries) => {
        const bundle = joinEntries(entries)
        assert.deepEqual(
          splitEntries(bundle, entries.length)?.map((entry) => [...entry]),
          entries.map((entry) => [...entry]),
        )
        assert.equal(splitEntries(bundle.subarray(0, -1), entries.length), undefined)
        assert.equal(splitEntries(new Uint8Array([...bundle, 0]), entries.length), undefined)
        assert.equal(splitEntries(bundle, entries.length + 1), undefined)
        assert.equal(splitEntries(bundle, entries.length - 1), undefined)
      }),
    )
    assert.throws(() => joinEntries([new Uint8Array(65_536)]), RangeError)
    assert.equal(splitHashes(new Uint8Array(63), 2), undefined)
    assert.equal(splitHashes(new Uint8Array(64), 2)?.length, 2)
  })

  test('have the width that the tree size requires', () => {
    assert.equal(hashesAt(1, 255), 0)
    assert.equal(hashesAt(1, 256), 1)
    assert.equal(tileOf(0, 1, 256), undefined)
    assert.deepEqual(tileOf('entries', 1, 257), { level: 'entries', index: 1, width: 1 })
  })
})
