import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { describe, test } from 'node:test'
import { cpuMs } from '@deputize/testing/cpu-time.ts'
import { listVectors, readBytes, readVector } from '@deputize/testing/read-vector.ts'
import fc from 'fast-check'
import {
  JSON_LIMITS,
  JsonError,
  type JsonLimits,
  type JsonReason,
  readableJson,
  readJson,
} from '../../src/encoding/json.ts'

/** 'ok', or the reason why the text is refused. Anything else that is thrown fails the test. */
function verdict(text: string | Uint8Array, limits?: Partial<JsonLimits>): JsonReason | 'ok' {
  try {
    readJson(text, limits)
    return 'ok'
  } catch (error) {
    if (error instanceof JsonError) return error.reason
    throw error
  }
}

function writingVerdict(value: object): JsonReason | 'ok' {
  try {
    assert.equal(readableJson(value), JSON.stringify(value))
    return 'ok'
  } catch (error) {
    if (error instanceof JsonError) return error.reason
    throw error
  }
}

function assertVerdicts(wanted: JsonReason | 'ok', texts: string[]): void {
  for (const text of texts) assert.equal(verdict(text), wanted, JSON.stringify(text))
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objectOf = (members: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, index])))

describe('readJson', () => {
  test('parses text and bytes', () => {
    const value = { a: [1, -2.5e3, true, false, null, 'x"y\\z é 😀'], b: {}, c: [] }
    assert.deepEqual(readJson(JSON.stringify(value)), value)
    assert.deepEqual(readJson(new TextEncoder().encode(JSON.stringify(value))), value)
    assertVerdicts('ok', ['null', ' 1 ', '"x"', '[]', '{}', '0', '-0'])
  })

  test('refuses duplicate members, escaped or not, at any level', () => {
    assertVerdicts('duplicate_member', [
      '{"vat_jti":"a","vat_jti":"b"}',
      '{"vat_jti":"a","\\u0076at_jti":"b"}',
      '{"\\u0076at_jti":"a","vat_jti":"b"}',
      '{"a":[{"b":{"c":1,"d":2,"c":3}}]}',
      '{"a":{"x":1},"b":[{}],"a":1}',
      '{"":1,"":2}',
    ])
  })

  test('accepts the same name in two objects and as a value', () => {
    assertVerdicts('ok', ['[{"a":1},{"a":1}]', '{"a":{"a":{"a":"a"}},"b":["a","a"]}', '{"x":"a","y":"a"}'])
  })

  test('refuses names that reach a prototype, escaped or not, but not such values', () => {
    assertVerdicts('forbidden_member', [
      '{"__proto__":{"authorized":true}}',
      '{"constraints":{"__proto__":{}}}',
      '{"\\u005f_proto__":1}',
      '{"constructor":{}}',
      '[{"prototype":1}]',
    ])
    assertVerdicts('ok', ['{"a":"__proto__","b":["constructor"]}', '{"proto":1,"Constructor":2}'])
    assert.equal(Reflect.get({}, 'authorized'), undefined)
  })

  test('accepts values up to the limits and refuses larger ones', () => {
    assert.equal(verdict(nested(JSON_LIMITS.depth)), 'ok')
    assert.equal(verdict(nested(JSON_LIMITS.depth + 1)), 'too_deep')
    assert.equal(verdict(JSON.stringify(Array(JSON_LIMITS.items).fill(0))), 'ok')
    assert.equal(verdict(JSON.stringify(Array(JSON_LIMITS.items + 1).fill(0))), 'too_many_items')
    assert.equal(verdict(objectOf(JSON_LIMITS.members)), 'ok')
    assert.equal(verdict(objectOf(JSON_LIMITS.members + 1)), 'too_many_members')
    assert.equal(verdict(nested(3), { depth: 2 }), 'too_deep')
    assert.equal(verdict(nested(100), { depth: 100 }), 'ok')
  })

  test('measures nesting only: many sibling arrays are not deep', () => {
    assert.equal(verdict(`[${Array(1000).fill('[[{"a":[]}]]').join(',')}]`), 'ok')
    assert.equal(verdict('["[[[[[[[[[[[[[[[[[[[[[[[","{{{{{{{{{{{{{{{{{{{{{{{"]'), 'ok')
    assert.equal(verdict(JSON.stringify(','.repeat(5000))), 'ok')
  })

  test('refuses lone surrogates, raw and escaped, in names and values', () => {
    assertVerdicts('lone_surrogate', [
      '"\ud800"',
      '"\\ud800"',
      '"\\uDC00"',
      '"\\udc00\\ud800"',
      '"\\ud83d\\ud83d\\ude00"',
      '"\\ud83d\\\\ude00"',
      '{"\\ud800":1}',
      '{"a":["\\n\\uDFFF"]}',
    ])
    assertVerdicts('ok', ['"\\ud83d\\ude00"', '"\\uD7FF"', '"\\ue000"', '"\\\\ud800"', '"😀"', '"a\\u0000b"'])
  })

  test('refuses numbers that overflow, and no others', () => {
    const digits = '1'.repeat(400)
    assertVerdicts('number_out_of_range', ['1e400', '-1e400', '{"a":[1,1E+400]}', digits, `-${digits}.5`])
    assertVerdicts('ok', ['1e308', '1e-400', '0e400', '5e-324', '9007199254740993', `0.${digits}`, '"1e400"'])
  })

  test('refuses a byte order mark, in text and in bytes', () => {
    assert.equal(verdict('\ufeff{}'), 'bom')
    assert.equal(verdict(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d])), 'bom')
  })

  test('refuses bytes that are not UTF-8', () => {
    assert.equal(verdict(new Uint8Array([0x22, 0xff, 0x22])), 'not_utf8')
    assert.equal(verdict(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])), 'not_utf8')
  })

  test('never repeats a value of the text in its detail', () => {
    const secret = 'vat_root_secret'
    for (const text of [
      `{"a":"${secret}"`,
      `{"a":"${secret}"}x`,
      `{"a":${secret}}`,
      `{"a":"${secret}","a":1}`,
    ])
      assert.throws(
        () => readJson(text),
        (error) => error instanceof JsonError && !error.detail.includes(secret),
      )
  })

  test('refuses a million open brackets in less than 50 ms', async () => {
    const body = new TextEncoder().encode(nested(1_000_000))
    const took_ms = await cpuMs(() => assert.equal(verdict(body), 'too_deep'))
    assert.ok(took_ms < 50, `${took_ms} ms`)
  })
})

/** An object before it is JSON, when two members may still share a name. */
type Tree = { members: [string, Value][] }
type Value = Tree | Tree[] | string

/** The tree as JSON, with every other name escaped. */
function written(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(written).join(' , ')}]`
  const members = value.members.map(([name, item], index) => {
    const code = name.charCodeAt(0).toString(16).padStart(4, '0')
    return `${index % 2 === 0 ? JSON.stringify(name) : `"\\u${code}"`} : ${written(item)}`
  })
  return `{ ${members.join(' , ')} }`
}

function repeats(value: Value): boolean {
  if (typeof value === 'string') return false
  if (Array.isArray(value)) return value.some(repeats)
  const names = new Set(value.members.map(([name]) => name))
  return names.size < value.members.length || value.members.some(([, item]) => repeats(item))
}

describe('readJson, by property', () => {
  const unlimited = { depth: 1000, members: 100_000, items: 100_000 }

  test('reads what JSON.stringify wrote', () => {
    const names = fc
      .string({ unit: 'grapheme' })
      .filter((name) => !/^(__proto__|constructor|prototype)$/.test(name))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, false),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value')),
        fc.dictionary(names, tie('value'), { noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1), (json, indent) => {
        assert.deepEqual(readJson(JSON.stringify(json, null, indent), unlimited), json)
      }),
      { numRuns: 300 },
    )
  })

  test('text is written only if it can be read again', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.double(),
        fc.string({ unit: 'binary' }),
        fc.constant('\udfff'),
        fc.array(tie('value')),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('prototype')), tie('value')),
      ),
    }))
    fc.assert(
      fc.property(fc.array(value), (json) => {
        assert.equal(writingVerdict(json), verdict(JSON.stringify(json)))
      }),
      { numRuns: 300 },
    )
    assert.equal(writingVerdict(JSON.parse(nested(JSON_LIMITS.depth + 1))), 'too_deep')
    assert.equal(writingVerdict(JSON.parse(objectOf(JSON_LIMITS.members + 1))), 'too_many_members')
    assert.equal(writingVerdict(Array(JSON_LIMITS.items).fill(0)), 'ok')
    assert.equal(writingVerdict(Array(JSON_LIMITS.items + 1).fill(0)), 'too_many_items')
    const toJSON = () => ['\udfff']
    for (const at of [
      { toJSON },
      Object.assign([], { toJSON }),
      Object.defineProperty({}, 'toJSON', { value: toJSON }),
    ])
      assert.equal(writingVerdict({ at }), 'lone_surrogate')
  })

  test('detects a duplicate name in any spelling, and no other', () => {
    const { tree } = fc.letrec<{ tree: Tree; value: Value }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'xsmall' },
        fc.constantFrom('', 'a', '"'),
        tie('tree'),
        fc.array(tie('tree')),
      ),
      tree: fc.record({ members: fc.array(fc.tuple(fc.constantFrom(...'abcdefghij"\\:,'), tie('value'))) }),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        assert.equal(verdict(written(value), unlimited), repeats(value) ? 'duplicate_member' : 'ok')
      }),
      { numRuns: 300 },
    )
  })

  test('accepts only what JSON.parse accepts, with the same value', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '\\u',
      'd8',
      '00',
      '1',
      '-',
      'e9',
      '.',
      ' ',
      'a',
      'null',
    ]
    const broken = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((list) => list.join(''))
    const almost = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom(...pieces))
      .map(
        ([text, at, piece]) =>
          text.slice(0, at % (text.length + 1)) + piece + text.slice(at % (text.length + 1)),
      )
    fc.assert(
      fc.property(fc.oneof(broken, almost, fc.string({ unit: 'binary' })), (text) => {
        if (verdict(text) === 'ok') assert.deepEqual(readJson(text), JSON.parse(text))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('readJson on JSONTestSuite', () => {
  // One case nests 100 000 arrays and one 500: with the usual limits they would be refused for their depth.
  const limits = { depth: 200_000 }
  const files = listVectors('json-test-suite/test_parsing')
  const verdicts = (prefix: string): [string, JsonReason | 'ok'][] =>
    files
      .filter((path) => basename(path).startsWith(prefix))
      .map((path) => [basename(path, '.json').slice(2), verdict(readBytes(path), limits)])

  test('accepts the 95 that must parse, except the two with duplicate members', () => {
    const refused = verdicts('y_').filter(([, answer]) => answer !== 'ok')
    assert.equal(verdicts('y_').length, 95)
    assert.deepEqual(refused, [
      ['object_duplicated_key', 'duplicate_member'],
      ['object_duplicated_key_and_value', 'duplicate_member'],
    ])
  })

  test('refuses the 188 that must not parse', () => {
    const accepted = verdicts('n_').filter(([, answer]) => answer === 'ok')
    assert.equal(verdicts('n_').length, 188)
    assert.deepEqual(accepted, [])
  })

  test('handles the 35 implementation-defined cases as listed here', () => {
    assert.deepEqual(Object.fromEntries(verdicts('i_')), {
      // The nearest double, as JSON.parse returns it. Whether the loss matters is up to the field's schema.
      number_double_huge_neg_exp: 'ok',
      number_real_underflow: 'ok',
      number_too_big_neg_int: 'ok',
      number_too_big_pos_int: 'ok',
      number_very_big_negative_int: 'ok',
      // There is no nearest double.
      number_huge_exp: 'number_out_of_range',
      number_neg_int_huge_exp: 'number_out_of_range',
      number_pos_double_huge_exp: 'number_out_of_range',
      number_real_neg_overflow: 'number_out_of_range',
      number_real_pos_overflow: 'number_out_of_range',
      // Not Unicode, so it has no canonical form and no hash.
      object_key_lone_2nd_surrogate: 'lone_surrogate',
      string_1st_surrogate_but_2nd_missing: 'lone_surrogate',
      string_1st_valid_surrogate_2nd_invalid: 'lone_surrogate',
      string_incomplete_surrogate_and_escape_valid: 'lone_surrogate',
      string_incomplete_surrogate_pair: 'lone_surrogate',
      string_incomplete_surrogates_escape_valid: 'lone_surrogate',
      string_invalid_lonely_surrogate: 'lone_surrogate',
      string_invalid_surrogate: 'lone_surrogate',
      'string_inverted_surrogates_U+1D11E': 'lone_surrogate',
      string_lone_second_surrogate: 'lone_surrogate',
      // JSON between systems is UTF-8 without a mark (RFC 8259 section 8.1).
      'string_UTF-16LE_with_BOM': 'not_utf8',
      'string_UTF-8_invalid_sequence': 'not_utf8',
      'string_UTF8_surrogate_U+D800': 'not_utf8',
      'string_invalid_utf-8': 'not_utf8',
      string_iso_latin_1: 'not_utf8',
      string_lone_utf8_continuation_byte: 'not_utf8',
      string_not_in_unicode_range: 'not_utf8',
      string_overlong_sequence_2_bytes: 'not_utf8',
      string_overlong_sequence_6_bytes: 'not_utf8',
      string_overlong_sequence_6_bytes_null: 'not_utf8',
      'string_truncated-utf-8': 'not_utf8',
      string_utf16BE_no_BOM: 'not_utf8',
      string_utf16LE_no_BOM: 'not_utf8',
      'structure_UTF-8_BOM_empty_object': 'bom',
      // Accepted only because the limit is raised here.
      structure_500_nested_arrays: 'ok',
    })
  })

  test('refuses input that parsers read differently: duplicate names and lone surrogates', () => {
    const refused = listVectors('json-test-suite/test_transform')
      .map((path) => [basename(path, '.json'), verdict(readBytes(path))])
      .filter(([, answer]) => answer !== 'ok')
    assert.deepEqual(Object.fromEntries(refused), {
      object_same_key_different_values: 'duplicate_member',
      object_same_key_same_value: 'duplicate_member',
      object_same_key_unclear_values: 'duplicate_member',
      string_1_escaped_invalid_codepoint: 'lone_surrogate',
      string_1_invalid_codepoint: 'not_utf8',
      string_2_escaped_invalid_codepoints: 'lone_surrogate',
      string_2_invalid_codepoints: 'not_utf8',
      string_3_escaped_invalid_codepoints: 'lone_surrogate',
      string_3_invalid_codepoints: 'not_utf8',
    })
  })
})

describe('readJson on hostile bodies', () => {
  const { bodies } = readVector<{ bodies: { name: string; body: string }[] }>('hostile/hostile-json.json')

  test('refuses bodies that no schema can check, and leaves the rest to the schema', () => {
    const refused = bodies
      .map(({ name, body }) => [name, verdict(body)])
      .filter(([, answer]) => answer !== 'ok')
    assert.deepEqual(Object.fromEntries(refused), {
      'empty body': 'syntax',
      whitespace: 'syntax',
      BOM: 'bom',
      'trailing garbage': 'syntax',
      'two docs': 'syntax',
      'dup key': 'duplicate_member',
      'dup key by escape': 'duplicate_member',
      proto: 'forbidden_member',
      constructor: 'forbidden_member',
      'proto in constraints': 'forbidden_member',
      'lone surrogate': 'lone_surrogate',
      'huge number': 'number_out_of_range',
      NaN: 'syntax',
      hex: 'syntax',
    })
  })

  test('returns every naughty string unchanged', () => {
    for (const text of readVector<string[]>('naughty-strings/blns.json'))
      assert.equal(readJson(JSON.stringify(text)), text)
  })
})
