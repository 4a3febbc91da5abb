import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resultHash } from '@deputize/sdk'
import { readVector } from '@deputize/testing/read-vector.ts'

interface HashedResult {
  readonly name: string
  readonly value?: unknown
  readonly bytes_hex?: string
  readonly result_hash: string
}

const { cases } = readVector<{ cases: HashedResult[] }>('result-hash/results.json')

describe('resultHash', () => {
  for (const { name, value, bytes_hex, result_hash } of cases)
    test(`${name} has the same hash in every SDK`, () => {
      const result = bytes_hex === undefined ? value : new Uint8Array(Buffer.from(bytes_hex, 'hex'))
      assert.equal(resultHash(result), result_hash)
    })

  test('there are 9 results', () => {
    assert.equal(cases.length, 9)
  })
})
