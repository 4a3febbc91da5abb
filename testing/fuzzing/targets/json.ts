import assert from 'node:assert/strict'
import { JsonError, readJson } from '../../../protocol/src/encoding/json.ts'
import type { FuzzTarget } from '../fuzz.ts'
import { unlessRefused } from '../refusal.ts'

/** Accepted input means the same to every other JSON reader, and is accepted again after it is written back. */
export const jsonTarget: FuzzTarget = {
  seeds: [
    '{"a":[1,-2.5e3,true,null,"x\\u00e9\\n"],"b":{"c":"\u{1f600}"}}',
    '[[[[]]],{"":0}]',
    '"\\ud83d\\ude00 plain"',
  ].map((text) => Buffer.from(text)),
  words: [
    '"__proto__":',
    '"constructor"',
    '\\ud800',
    '\\uDC00',
    '1e400',
    '-0',
    '\ufeff',
    '"a":',
    '[[[[[[[[',
    '{"a":',
  ],
  read(bytes) {
    const value = unlessRefused(() => readJson(bytes), JsonError)
    if (value === undefined) return false
    const written = JSON.stringify(value)
    assert.equal(written, JSON.stringify(JSON.parse(Buffer.from(bytes).toString())))
    assert.equal(JSON.stringify(readJson(written)), written)
    return true
  },
}
