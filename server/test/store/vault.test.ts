import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import fc from 'fast-check'
import { keyIdOf, openVault, type Place, SealError, WRAPPED_BYTES } from '../../src/store/vault.ts'

const vault = openVault(TEST_VAULT_KEY)
const place: Place = { kind: 'rating.note', row: 'aar_1' }

describe('the vault', () => {
  test('decrypts any text in its own place', () => {
    const { key } = vault.make(1, 'sha256:someone')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, row) => {
        const there = { ...place, row }
        assert.equal(key.open(there, key.seal(there, text)), text)
      }),
    )
  })

  test('does not decrypt a value for another row, kind or person', () => {
    const { key } = vault.make(1, 'sha256:someone')
    const sealed = key.seal(place, 'secret')
    assert.throws(() => key.open({ ...place, row: 'aar_2' }, sealed), SealError)
    assert.throws(() => key.open({ ...place, kind: 'record.metadata' }, sealed), SealError)
    assert.throws(() => vault.make(1, 'sha256:other').key.open(place, sealed), SealError)
    assert.throws(() => vault.deployment.open(place, sealed), SealError)
  })

  test('does not decrypt a changed or truncated value', () => {
    const { key } = vault.make(1, 'sha256:someone')
    const sealed = key.seal(place, 'secret')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      // These bytes are the key ID: changing them selects another key.
      if (at >= 1 && at < 9) assert.notEqual(keyIdOf(changed), keyIdOf(sealed))
      else assert.throws(() => key.open(place, changed), SealError)
    }
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => key.open(place, sealed.subarray(0, length)), SealError)
  })

  test('stamps a text for its own place, readable and unchangeable', () => {
    const { key } = vault.make(1, 'sha256:someone')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, row) => {
        const there = { ...place, row }
        const stamped = key.stamp(there, text)
        assert.equal(key.open(there, stamped), text)
        assert.ok(Buffer.from(stamped).includes(text))
      }),
    )
    const stamped = key.stamp(place, 'é')
    assert.equal(keyIdOf(stamped), 1)
    assert.equal(keyIdOf(vault.deployment.stamp(place, 'é')), undefined)
    assert.throws(() => key.open({ ...place, row: 'aar_2' }, stamped), SealError)
    assert.throws(() => key.open({ ...place, kind: 'record.metadata' }, stamped), SealError)
    assert.throws(() => vault.make(1, 'sha256:other').key.open(place, stamped), SealError)
    for (let at = 0; at < stamped.length; at++)
      for (const bit of [1, 2, 3, 0x80]) {
        const changed = Uint8Array.from(stamped)
        changed[at] = (changed[at] ?? 0) ^ bit
        if (at >= 1 && at < 9) assert.notEqual(keyIdOf(changed), keyIdOf(stamped))
        else assert.throws(() => key.open(place, changed), SealError)
      }
    for (let length = 0; length < stamped.length; length++)
      assert.throws(() => key.open(place, stamped.subarray(0, length)), SealError)
    assert.throws(() => key.open(place, Buffer.concat([stamped, Buffer.from([0])])), SealError)
  })

  test('reads a stamp only as far as its place is written', () => {
    const { key } = vault.make(1, 'sha256:someone')
    const stamped = key.stamp({ ...place, row: 'a|b' }, 'c')
    const moved = Buffer.from(key.stamp({ ...place, row: 'a' }, 'b|c'))
    assert.notDeepEqual(Buffer.from(stamped).subarray(9, 41), moved.subarray(9, 41))
  })

  test('never encrypts to the same bytes twice', () => {
    const { key } = vault.make(1, 'sha256:someone')
    const sealed = Array.from({ length: 2000 }, () => Buffer.from(key.seal(place, 'same')).toString('hex'))
    assert.equal(new Set(sealed.map((text) => text.slice(18, 42))).size, sealed.length)
  })

  test('unwraps a key only for its person and number', () => {
    const { key, wrapped } = vault.make(7, 'sha256:someone')
    assert.equal(wrapped.length, WRAPPED_BYTES)
    const again = vault.unwrap(7, 'sha256:someone', wrapped)
    assert.equal(again?.open(place, key.seal(place, 'secret')), 'secret')
    assert.equal(again?.digest('note', 'x'), key.digest('note', 'x'))
    assert.throws(() => vault.unwrap(8, 'sha256:someone', wrapped), SealError)
    assert.throws(() => vault.unwrap(7, 'sha256:other', wrapped), SealError)
    const other = openVault(new Uint8Array(32).fill(8))
    assert.throws(() => other.unwrap(7, 'sha256:someone', wrapped), SealError)
  })

  test('recognizes a destroyed key', () => {
    assert.equal(vault.unwrap(7, 'sha256:someone', new Uint8Array(WRAPPED_BYTES)), undefined)
  })

  test('gives the same text a different digest for each person and kind', () => {
    const [one, other] = [vault.make(1, 'sha256:one').key, vault.make(2, 'sha256:other').key]
    const digests = [
      one.digest('note', 'x'),
      one.digest('reason', 'x'),
      other.digest('note', 'x'),
      vault.deployment.digest('note', 'x'),
    ]
    assert.equal(new Set(digests).size, 4)
    for (const digest of digests) assert.match(digest, /^sha256:[0-9a-f]{64}$/)
  })
})
