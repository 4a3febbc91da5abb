import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { branchDenialOf, deniedInARow } from '../../src/store/rows/approvals.ts'
import { createSchema } from '../../src/store/sqlite/schema-drift.ts'
import { text } from '../../src/store/values.ts'

test('denials in a row are counted without reading what habits and grants approved', (context) => {
  const db = new DatabaseSync(':memory:')
  context.after(() => db.close())
  createSchema(db)
  const insertToken = db.prepare(`
    INSERT INTO tokens (token_key, jti, parent_key, root_key, agent_key, workflow_key, human_key, level, log_index,
      issued_at_ms, jwt_hash, claims, path, expires_at_ms, tenant_key)
    VALUES (?1, 'vat_' || CAST(?1 AS INTEGER), ?2, 1, ?3, 1, 1, 1, ?1, 0, '', '{}', CAST(?1 AS BLOB), 9, 1)`)
  insertToken.run(1, null, 1)
  insertToken.run(2, 1, 2)
  insertToken.run(3, 2, 3)
  const insert = db.prepare(`
    INSERT INTO approvals (log_index, approval_id, token_key, action_key, resource_key, spend_micro_usd, binding,
      state, created_at_ms, expires_at_ms, root_key, human_key, decided_at_ms, decided_by, decided_index)
    VALUES (?1, 'apr_' || ?1, ?5, 1, 1, 0, 'b' || ?1, ?2, 0, 9, 1, 1, ?3, ?4, ?1)`)
  const decided: readonly (readonly [state: number, at_ms: number, by: string, token_key: number])[] = [
    [2, 1, 'sha256:person', 1],
    [1, 2, 'sha256:person', 1],
    [1, 3, 'grant', 1],
    [2, 4, 'sha256:person', 2],
    [2, 4, 'sha256:person', 3],
    [1, 5, 'habit', 1],
    [2, 6, 'sha256:person', 1],
  ]
  for (const [log_index, one] of decided.entries()) insert.run(log_index, ...one)

  const sql = deniedInARow('?1')
  assert.deepEqual(db.prepare(`${sql} ORDER BY at_ms`).all(1).map(branchDenialOf), [
    { branch_jti: 'vat_2', at_ms: 4 },
    { branch_jti: 'vat_1', at_ms: 6 },
  ])
  const searches = db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(1)
    .map(({ detail }) => text(detail))
    .filter((detail) => detail.includes('approvals'))
  assert.equal(searches.length, 2)
  for (const search of searches) assert.match(search, /USING INDEX approvals_by_people \(root_key=\?/)
})
