import assert from 'node:assert/strict'
import { canonicalJson } from '../../../protocol/src/encoding/canonical.ts'
import { readEntry } from '../../../protocol/src/log/entry.ts'
import { LogFault } from '../../../protocol/src/log/faults.ts'
import { decodeFrontier, encodeFrontier, HASH_BYTES } from '../../../protocol/src/log/merkle.ts'
import {
  joinEntries,
  readTilePath,
  splitEntries,
  splitHashes,
  tilePath,
} from '../../../protocol/src/log/tiles.ts'
import type { FuzzTarget } from '../fuzz.ts'
import { unlessRefused } from '../refusal.ts'

const entry = Buffer.from(
  '{"at":"2027-01-01T00:00:00.000Z","n":{"10":1,"9":2},"type":"action.recorded","v":1}',
)
const peaks = [new Uint8Array(HASH_BYTES), new Uint8Array(HASH_BYTES).fill(1)]
const bundle = joinEntries([entry, Buffer.from(''), Buffer.from('x'.repeat(300))])
const WIDTHS = [0, 1, 2, 3, 256]

/** Tiles, bundles of entries and frontiers are accepted only in the form in which they are written. */
export const tileTarget: FuzzTarget = {
  seeds: [bundle, new Uint8Array(HASH_BYTES * 3), encodeFrontier({ size: 3, peaks })],
  read(bytes) {
    let isAccepted = false
    for (const width of WIDTHS) {
      const entries = splitEntries(bytes, width)
      const hashes = splitHashes(bytes, width)
      if (entries !== undefined) assert.deepEqual(Buffer.from(joinEntries(entries)), Buffer.from(bytes))
      if (hashes !== undefined) assert.deepEqual(Buffer.concat(hashes), Buffer.from(bytes))
      isAccepted ||= entries !== undefined || hashes !== undefined
    }
    const frontier = unlessRefused(() => decodeFrontier(bytes), RangeError)
    if (frontier !== undefined) assert.deepEqual(Buffer.from(encodeFrontier(frontier)), Buffer.from(bytes))
    return isAccepted || frontier !== undefined
  },
}

/** Entries and names of tiles are accepted only in their canonical spelling. */
export const entryTarget: FuzzTarget = {
  seeds: [entry, Buffer.from('0/x001/x234/067.p/5'), Buffer.from('entries/000')],
  words: [
    '"__proto__":',
    '\\ud800',
    '1e3',
    '-0',
    '"v":1',
    'x000/',
    '.p/256',
    '"10":',
    '\\u0000',
    '\u{1f600}',
  ],
  read(bytes) {
    const text = Buffer.from(bytes).toString()
    const read = unlessRefused(() => readEntry(bytes, 0), LogFault)
    if (read !== undefined) assert.equal(canonicalJson(read), text)
    const [level = '', ...rest] = text.split('/')
    const tile = readTilePath(level, rest.join('/'))
    if (tile !== undefined) assert.equal(tilePath(tile), `tile/${text}`)
    return read !== undefined || tile !== undefined
  },
}
