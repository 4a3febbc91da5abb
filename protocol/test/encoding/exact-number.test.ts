import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasInexactNumber } from '../../src/encoding/exact-number.ts'

const { exact, inexact }: { exact: string[]; inexact: string[] } = JSON.parse(
  readFileSync(new URL('../../../vectors/exact-numbers/texts.json', import.meta.url), 'utf8'),
)

test('a number that a parser changes is inexact, in any notation', () => {
  for (const text of exact) assert.equal(hasInexactNumber(text), false, text)
  for (const text of inexact) assert.equal(hasInexactNumber(text), true, text)
})

test('whatever JSON.stringify writes is exact, and digits in strings are not numbers', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => !hasInexactNumber(JSON.stringify(value))))
})

test('an integer is exact if and only if it is written as it was read', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 69n), 2n ** 69n), (given) => {
      assert.equal(hasInexactNumber(`[${given}]`), String(Number(given)) !== String(given))
    }),
  )
})

test('a text of several megabytes is read in one pass', () => {
  assert.equal(hasInexactNumber(`["${'\\\\'.repeat(4_000_000)}",${'1'.repeat(4_000_000)}]`), true)
})
