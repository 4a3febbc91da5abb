import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Columns, columnArrays } from '../../src/store/postgres/insertion.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'

const postgres = await aPostgres({ after })
const COLUMNS: Columns = { columns: { big: 'bigint', small: 'smallint', words: 'text', raw: 'bytea' } }

async function readBack(rows: readonly (readonly unknown[])[]): Promise<unknown[][]> {
  const found = await look(
    postgres.server.url(),
    'SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::bytea[]) AS u (big, small, words, raw)',
    columnArrays(COLUMNS, rows),
  )
  return found.map(({ big, small, words, raw }) => [big, small, words, raw])
}

describe('rows on their way into a statement', () => {
  test('arrive as they were', async () => {
    const rows = [
      [0, 0, '', Buffer.alloc(0)],
      [1, -1, 'a "quoted" \\ word, {in braces}', Buffer.from([0, 92, 34, 255])],
      [-1, 32_767, 'NULL', Buffer.from('x')],
      [2 ** 31, -32_768, 'ünï 🙂 \n', Buffer.alloc(300, 7)],
      [2 ** 32, 1, 'a', Buffer.from('a')],
      [-(2 ** 32) - 1, 1, 'a', Buffer.from('a')],
      [Number.MAX_SAFE_INTEGER, 1, 'a', Buffer.from('a')],
      [Number.MIN_SAFE_INTEGER, 1, 'a', Buffer.from('a')],
    ]
    assert.deepEqual(await readBack(rows), rows)
  })

  test('may lack values, in any column and in all', async () => {
    const rows = [
      [null, null, null, null],
      [7, null, 'seven', null],
      [null, 8, null, Buffer.from('eight')],
    ]
    assert.deepEqual(await readBack(rows), rows)
    assert.deepEqual(await readBack([[undefined, undefined, undefined, undefined]]), [
      [null, null, null, null],
    ])
  })

  test('are refused where a number could not come back as it was', () => {
    for (const number of [0.5, 2 ** 53, Number.NaN, '1'])
      assert.throws(() => columnArrays(COLUMNS, [[number, 1, '', Buffer.alloc(0)]]), TypeError)
    assert.throws(() => columnArrays(COLUMNS, [[1, 40_000, '', Buffer.alloc(0)]]), RangeError)
  })
})
