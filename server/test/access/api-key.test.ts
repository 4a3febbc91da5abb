import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import fc from 'fast-check'
import { newApiKey, readApiKey, secretHash, secretMatches } from '../../src/access/api-key.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'

const PEPPER = createSecretKey(new Uint8Array(32).fill(1))
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('an API key', () => {
  test('is written as dk_<id>_<secret>_<checksum> and read back', () => {
    const { key_id, secret, text } = newApiKey()
    assert.match(text, /^dk_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
    assert.deepEqual(readApiKey(text), { key_id, secret })
    assert.ok(text.startsWith(`dk_${key_id}_${secret}_`))
  })

  test('keeps its format: a key from an earlier version is still read', () => {
    const text = 'dk_0123abCD_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_3xG6RP'
    assert.deepEqual(readApiKey(text), {
      key_id: '0123abCD',
      secret: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
    })
  })

  test('is unique among 20,000, in its secret and in its id', () => {
    const keys = Array.from({ length: 20_000 }, newApiKey)
    assert.equal(new Set(keys.map(({ secret }) => secret)).size, keys.length)
    // Two ids collide about once in a million runs of this test; the registry would refuse the second.
    assert.ok(new Set(keys.map(({ key_id }) => key_id)).size >= keys.length - 1)
  })

  test('uses every character equally often at every position', () => {
    const drawn = 20_000
    const keys = Array.from({ length: drawn }, () => newApiKey().secret)
    const expected = drawn / CHARACTERS.length
    for (const place of [0, 21, 42]) {
      const counts = new Map([...CHARACTERS].map((character) => [character, 0]))
      for (const secret of keys) counts.set(secret.charAt(place), (counts.get(secret.charAt(place)) ?? 0) + 1)
      const chi_square = [...counts.values()].reduce(
        (sum, count) => sum + (count - expected) ** 2 / expected,
        0,
      )
      // 61 degrees of freedom: a fair source exceeds this once in ten million runs.
      assert.ok(chi_square < 135, `place ${place}: ${chi_square}`)
    }
  })

  test('is refused if any one character is changed or any two neighbours are swapped', () => {
    const { text } = newApiKey()
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom(...CHARACTERS, '_', '-', ' '),
        (place, character) => {
          const changed = text.slice(0, place) + character + text.slice(place + 1)
          assert.equal(readApiKey(changed) === undefined, changed !== text)
        },
      ),
    )
    fc.assert(
      fc.property(fc.nat(text.length - 2), (place) => {
        const swapped = `${text.slice(0, place)}${text.charAt(place + 1)}${text.charAt(place)}${text.slice(place + 2)}`
        assert.equal(readApiKey(swapped) === undefined, swapped !== text)
      }),
    )
  })

  test('is refused with any text around it, as is any other text', () => {
    const { text } = newApiKey()
    const others = [
      ` ${text}`,
      `${text} `,
      `${text}\n`,
      `${text}\0`,
      text.toUpperCase(),
      `${text},${text}`,
      '',
      'dk_',
    ]
    for (const other of others) assert.equal(readApiKey(other), undefined, JSON.stringify(other))
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (other) => assert.equal(readApiKey(other), undefined)),
    )
  })

  test('matches only the hash of its own secret under its own pepper', () => {
    const [mine, other] = [newApiKey(), newApiKey()]
    const hash = secretHash(PEPPER, mine.secret)
    assert.match(hash, /^[\w-]{43}$/)
    assert.equal(secretMatches(PEPPER, mine.secret, hash), true)
    assert.equal(secretMatches(PEPPER, other.secret, hash), false)
    assert.equal(secretMatches(createSecretKey(new Uint8Array(32)), mine.secret, hash), false)
    for (const broken of ['', hash.slice(0, 42), 'AAAA', '????'])
      assert.equal(secretMatches(PEPPER, mine.secret, broken), false)
  })

  test('is hashed with a key of the deployment that differs from the vault key', (context) => {
    const directory = temporaryDirectory(context)
    const { api_key_pepper, vault_key } = openKeyRing(directory, 0, true)
    assert.equal(api_key_pepper.symmetricKeySize, 32)
    assert.ok(!api_key_pepper.equals(createSecretKey(vault_key)))
    assert.ok(openKeyRing(directory, 0, false).api_key_pepper.equals(api_key_pepper))
    assert.ok(!openKeyRing(temporaryDirectory(context), 0, true).api_key_pepper.equals(api_key_pepper))
  })
})
