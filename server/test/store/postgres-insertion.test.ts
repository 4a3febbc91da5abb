import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { columnArrays, type SourceColumn } from '../../src/store/postgres/write/insertion.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'

const postgres = await aPostgres({ after })
const COLUMNS: readonly SourceColumn[] = [
  { name: 'big', type: 'bigint' },
  { name: 'small', type: 'smallint' },
  { name: 'words', type: 'text' },
  { name: 'raw', type: 'bytea' },
  { name: 'keys', type: 'bigint[]' },
]

type TestRow = Readonly<Record<string, unknown>>

function row(big: unknown, small: unknown, words: unknown, raw: unknown, keys: unknown = [1]): TestRow {
  return { big, small, words, raw, keys }
}

async function readBack(rows: readonly TestRow[]): Promise<TestRow[]> {
  const found = await look(
    postgres.server.url(),
    `SELECT big, small, words, raw, keys::bigint[] AS keys
    FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::bytea[], $5::text[]) AS u (big, small, words, raw, keys)`,
    columnArrays(COLUMNS, rows),
  )
  // The driver returns the elements of a list as text.
  return found.map(({ keys, ...one }) => ({ ...one, keys: Array.isArray(keys) ? keys.map(Number) : keys }))
}

describe('rows sent as column arrays', () => {
  test('arrive unchanged', async () => {
    const rows = [
      row(0, 0, '', Buffer.alloc(0)),
      row(1, -1, 'a "quoted" \\ word, {in braces}', Buffer.from([0, 92, 34, 255])),
      row(-1, 32_767, 'NULL', Buffer.from('x')),
      row(2 ** 31, -32_768, 'ünï 🙂 \n', Buffer.alloc(300, 7)),
      row(2 ** 32, 1, 'a', Buffer.from('a')),
      row(-(2 ** 32) - 1, 1, 'a', Buffer.from('a')),
      row(Number.MAX_SAFE_INTEGER, 1, 'a', Buffer.from('a')),
      row(7, 1, 'keys', Buffer.from('a'), [1, 2 ** 40, 3]),
      row(Number.MIN_SAFE_INTEGER, 1, 'a', Buffer.from('a')),
    ]
    assert.deepEqual(await readBack(rows), rows)
  })

  test('may contain nulls in any column', async () => {
    const rows = [
      row(null, null, null, null),
      row(7, null, 'seven', null),
      row(null, 8, null, Buffer.from('eight')),
    ]
    assert.deepEqual(await readBack(rows), rows)
    assert.deepEqual(await readBack([row(undefined, undefined, undefined, undefined, null)]), [
      row(null, null, null, null, null),
    ])
  })

  test('are refused if a number would not come back unchanged', () => {
    for (const number of [0.5, 2 ** 53, Number.NaN, '1'])
      assert.throws(() => columnArrays(COLUMNS, [row(number, 1, '', Buffer.alloc(0))]), TypeError)
    assert.throws(() => columnArrays(COLUMNS, [row(1, 40_000, '', Buffer.alloc(0))]), RangeError)
  })
})
