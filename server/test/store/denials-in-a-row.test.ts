import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { deniedInARow } from '../../src/store/rows/approvals.ts'
import { createSchema } from '../../src/store/sqlite/schema-drift.ts'
import { integer, text } from '../../src/store/values.ts'

test('denials in a row are counted without a look at what habits and grants approved', (context) => {
  const db = new DatabaseSync(':memory:')
  context.after(() => db.close())
  createSchema(db)
  const insert = db.prepare(`
    INSERT INTO approvals (log_index, approval_id, token_key, action_key, resource_key, spend_micro_usd, binding,
      state, created_at_ms, expires_at_ms, root_key, human_key, decided_at_ms, decided_by, decided_index)
    VALUES (?1, 'apr_' || ?1, 1, 1, 1, 0, 'b' || ?1, ?2, 0, 9, 1, 1, ?3, ?4, ?1)`)
  const decided: readonly (readonly [state: number, at_ms: number, by: string])[] = [
    [2, 1, 'sha256:person'],
    [1, 2, 'sha256:person'],
    [1, 3, 'grant'],
    [2, 4, 'sha256:person'],
    [2, 4, 'sha256:person'],
    [1, 5, 'habit'],
    [2, 6, 'sha256:person'],
  ]
  for (const [log_index, one] of decided.entries()) insert.run(log_index, ...one)

  const sql = deniedInARow('?1')
  const row = db.prepare(sql).get(1)
  assert.deepEqual([integer(row?.count), integer(row?.last_ms)], [2, 6])
  const searches = db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(1)
    .map(({ detail }) => text(detail))
    .filter((detail) => detail.includes('approvals'))
  assert.equal(searches.length, 2)
  for (const search of searches) assert.match(search, /USING INDEX approvals_by_people \(root_key=\?/)
})
