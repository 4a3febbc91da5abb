import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { pagesOfRanges } from '../../src/store/postgres/read/ranges.ts'
import { readingFrom } from '../../src/store/postgres/read/reading.ts'
import { type Order, type Stretch, searchWindows } from '../../src/store/postgres/read/windows.ts'
import { integer } from '../../src/store/values.ts'
import { aPool, aPostgres } from '../contract/a-postgres.ts'

const postgres = await aPostgres({ after })

/** Finds positions as a table would, in the requested order. */
function tableOf(places: readonly number[], order: Order) {
  return async ({ low, high }: Stretch, most: number) => {
    const found = places.filter((place) => place >= low && place < high).sort((a, b) => a - b)
    return (order === 'ASC' ? found : found.reverse()).slice(0, most)
  }
}

describe('a search in windows', () => {
  test('finds every row of its range once and in order, in pages', async () => {
    const places = fc.uniqueArray(fc.nat(3_000_000), { maxLength: 60 })
    const bound = fc.nat(3_000_000)
    await fc.assert(
      fc.asyncProperty(
        places,
        bound,
        bound,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom<Order>('ASC', 'DESC'),
        async (places, low, high, limit, order) => {
          const found: number[] = []
          let left: Stretch | undefined = { low, high }
          while (left !== undefined) {
            const page: { found: number[]; rest: number | undefined } = await searchWindows(
              { ...left, limit, order },
              tableOf(places, order),
            )
            assert.ok(page.found.length <= limit + 1)
            found.push(...page.found.slice(0, limit))
            // After a full page, continue after its last row; otherwise where the search ended.
            const last = page.found[limit - 1]
            const at = page.found.length <= limit ? page.rest : order === 'ASC' ? page.found[limit] : last
            if (at === undefined) left = undefined
            else left = order === 'ASC' ? { low: at, high } : { low, high: at }
          }
          const all = await tableOf(places, order)({ low, high }, places.length)
          assert.deepEqual(found, all)
        },
      ),
    )
  })

  test('returns where to continue when it takes too long', async () => {
    let asked = 0
    const { found, rest } = await searchWindows(
      { low: 0, high: 10_000_000, limit: 5, order: 'DESC' },
      async () => {
        asked += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
        return []
      },
    )
    assert.deepEqual(found, [])
    assert.ok(asked < 5 && rest !== undefined && rest > 9_800_000)
  })
})

describe('many ranges', () => {
  test('are read completely, each row once, at any length', async (context) => {
    const pool = aPool(await postgres.database())
    context.after(() => pool.end())
    const sql = `
      SELECT g.key AS range_key, one.place FROM unnest(?::bigint[], ?::bigint[]) AS g(key, place) CROSS JOIN LATERAL (
        SELECT place FROM generate_series(g.place + 1, g.key * ?::bigint) AS place LIMIT ?
      ) AS one ORDER BY 1, 2`
    const ranges = [0, 1, 2, 5].map((key) => ({ key, after: 0 }))
    const seen = new Map<number, number>()
    for await (const rows of pagesOfRanges(readingFrom(pool), sql, ranges, () => [7_000])) {
      assert.ok(rows.length <= 10_000 + ranges.length)
      for (const { range_key, place } of rows) {
        const last = seen.get(integer(range_key)) ?? 0
        assert.equal(place, last + 1)
        seen.set(integer(range_key), last + 1)
      }
    }
    assert.deepEqual([...seen].sort(), [
      [1, 7_000],
      [2, 14_000],
      [5, 35_000],
    ])
  })
})
