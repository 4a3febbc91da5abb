import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { boundHttpRequest, boundToolCall } from '../../src/api/actions/bound-request.ts'
import { CanonicalError } from '../../src/encoding/canonical.ts'

const VECTORS = new URL('../../../vectors/bound-request/requests.json', import.meta.url)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const METADATA_BYTES = 4096

describe('the request that a guard binds', () => {
  for (const { name, body, request, ...given } of JSON.parse(readFileSync(VECTORS, 'utf8')))
    test(`${name} is written as in the shared vectors`, () => {
      const body_sha256 = body === undefined ? undefined : sha256(body)
      const absent = {
        route: undefined,
        content_type: undefined,
        content_encoding: undefined,
        summary: undefined,
      }
      const bound = boundHttpRequest({ ...absent, ...given, body_sha256 })
      assert.deepEqual(bound, request)
      assert.ok(Buffer.byteLength(JSON.stringify({ request: bound })) < METADATA_BYTES)
    })
})

describe('the arguments that a guard binds', () => {
  test('are shown, with a digest that does not depend on the order of members', () => {
    const bound = boundToolCall('pay', { to: 'alice', amount: 10 }, true)
    assert.deepEqual(bound, {
      tool: 'pay',
      arguments: { to: 'alice', amount: 10 },
      arguments_sha256: sha256('{"amount":10,"to":"alice"}'),
    })
    assert.deepEqual(boundToolCall('pay', { amount: 10, to: 'alice' }, true), bound)
    const { arguments: _, ...hidden } = bound
    assert.deepEqual(boundToolCall('pay', { to: 'alice', amount: 10 }, false), hidden)
    assert.deepEqual(boundToolCall('list', undefined, true), { tool: 'list' })
  })

  test('keep their numbers when a long text is shortened, and the digest covers all of it', () => {
    const given = { amount: 10, content: 'x'.repeat(5_000) }
    const { arguments: shown, arguments_sha256 } = boundToolCall('write', given, true)
    assert.deepEqual(shown, { amount: 10, content: { truncated: 'x'.repeat(100), length: 5_000 } })
    const other = boundToolCall('write', { ...given, content: `${'x'.repeat(4_999)}y` }, true)
    assert.deepEqual(other.arguments, shown)
    assert.notEqual(other.arguments_sha256, arguments_sha256)
  })

  test('fit into the metadata of a record, however large they are', () => {
    for (const given of [
      '\u0000'.repeat(9_000),
      Array.from({ length: 9_000 }, () => '😀'),
      { ['k'.repeat(9_000)]: 1 },
    ]) {
      const bound = boundToolCall('t', given, true)
      assert.ok(Buffer.byteLength(JSON.stringify({ request: bound })) < METADATA_BYTES)
    }
  })

  test('without a JSON form are refused, because nothing would bind them', () => {
    class Account {
      #owner = 'alice'
      owner() {
        return this.#owner
      }
    }
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    for (const given of [
      new Map([['a', 1]]),
      { deep: [new Set([1])] },
      { of: new Account() },
      () => 1,
      1n,
      cyclic,
    ])
      assert.throws(() => boundToolCall('t', given, true), CanonicalError)
    assert.deepEqual(boundToolCall('t', { at: new Date(0) }, true).arguments, {
      at: '1970-01-01T00:00:00.000Z',
    })
  })
})
