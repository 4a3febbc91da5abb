import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { canonicalJson, tokenRef } from '@deputize/protocol'
import fc from 'fast-check'
import { leafText } from '../../src/log/leaf.ts'
import { isLeafSalt, newLeafSalt } from '../../src/log/leaf-salt.ts'

describe('a leaf', () => {
  test('is canonical JSON for any members', () => {
    const name = fc.stringMatching(/^[a-z_]{1,12}$/)
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.jsonValue({ stringUnit: 'grapheme' }),
    )
    fc.assert(
      fc.property(fc.dictionary(name, value), (members) => {
        const leaf = {
          v: 1 as const,
          type: 'action.recorded' as const,
          at: '2027-01-01T00:00:00.000Z',
          ...members,
        }
        assert.equal(leafText(leaf), canonicalJson(leaf))
        const next = { ...leaf, at: '2027-01-02T00:00:00.000Z' } // its names have the order that is cached
        assert.equal(leafText(next), canonicalJson(next))
      }),
    )
  })

  test('is canonical JSON for texts with any characters', () => {
    const text = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(text, (at) => {
        const leaf = { v: 1 as const, type: 'action.recorded' as const, at }
        if (at.isWellFormed()) assert.equal(leafText(leaf), canonicalJson(leaf))
        else assert.throws(() => leafText(leaf))
      }),
    )
    for (let unit = 0; unit < 0xd800; unit++) {
      const leaf = { v: 1 as const, type: 'action.recorded' as const, at: String.fromCharCode(unit) }
      assert.equal(leafText(leaf), canonicalJson(leaf))
    }
  })

  test('refuses text that is not valid Unicode', () => {
    assert.throws(() => leafText({ v: 1, type: 'action.recorded', at: '\ud800' }))
  })

  test('refers to a token by the SHA-256 of its ID', () => {
    assert.equal(tokenRef('abc'), 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('has 128 random bits that no other leaf has', () => {
    const salts = Array.from({ length: 2_000 }, newLeafSalt)
    assert.ok(salts.every(isLeafSalt))
    assert.ok(salts.every((salt) => Buffer.from(salt, 'base64url').length === 16))
    assert.equal(new Set(salts).size, salts.length)
  })
})
