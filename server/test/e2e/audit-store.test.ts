import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { anIssueRequest, aTestApp, temporaryDirectory } from '../builders.ts'
import { auditStore } from './audit-store.ts'

const service = await aTestApp({ after })
const { body: token } = await service.post(
  '/v1/vat/issue/l1',
  anIssueRequest({ actions: ['read', 'delegate'], constraints: { max_spend_usd: 1 } }),
)
const action = { vat_jti: token.jti, action: 'read', resource: 'calendar:events', spend_usd: 0.01 }
const { body: recorded } = await service.post('/v1/vat/record/action', { ...action, result: 'success' })
await service.post(`/v1/vat/aar/${recorded.aar_id}/feedback`, { rating: 'approved' })
const { body: pending } = await service.post('/v1/vat/authorize', action)
await service.post(`/v1/vat/aar/${pending.aar_id}/complete`, { result: 'error' })
await service.post('/v1/vat/authorize', action)
await service.post('/v1/vat/authorize', { ...action, action: 'delete' })
const { body: child } = await service.post('/v1/vat/delegate', { vat_jti: token.jti, agent_id: 'sub-bot' })
const { body: renewed } = await service.post('/v1/vat/renew', { vat_jti: child.jti, expires_in: 60 })
await service.post('/v1/vat/record/action', { ...action, vat_jti: child.jti, result: 'success' })
await service.post('/v1/vat/authorize', { ...action, vat_jti: renewed.jti })
const { body: asking } = await service.post(
  '/v1/vat/issue/l1',
  anIssueRequest({ constraints: { require_approval: {} } }),
)
const { body: asked } = await service.post('/v1/vat/authorize', { ...action, vat_jti: asking.jti })
await service.post(`/v1/vat/approvals/${asked.approval_id}/approve`, {})
await service.post('/v1/vat/authorize', { ...action, vat_jti: asking.jti, approval_id: asked.approval_id })
const { body: erased } = await service.post(
  '/v1/vat/issue/l1',
  anIssueRequest({ developer_email: 'erased@example.com', purpose: 'to be erased' }),
)
await service.delete(`/v1/vat/humans/${erased.claims.svc_human_ref}`)
const rootKey = `(SELECT token_key FROM tokens WHERE jti = '${token.jti}')`

/** Every kind of loss, doubling and disagreement that the tests with crashes and faults rely on being seen. */
const TAMPERED = {
  'a leaf is missing in the middle': 'DELETE FROM leaves WHERE log_index = 2',
  'the last leaf is missing': 'DELETE FROM leaves WHERE log_index = (SELECT max(log_index) FROM leaves)',
  'a leaf was rewritten': `UPDATE leaves SET leaf = replace(leaf, 'read', 'reap') WHERE log_index = 1`,
  'a hash was rewritten': 'UPDATE leaves SET leaf_hash = zeroblob(32) WHERE log_index = 1',
  'the head is another': 'UPDATE log_head SET frontier = zeroblob(length(frontier))',
  'a record is missing': 'DELETE FROM records WHERE log_index = 1',
  'a record is there twice': `
    CREATE TEMP TABLE again AS SELECT * FROM records WHERE log_index = 1;
    UPDATE again SET log_index = 999, aar_id = 'aar_again';
    INSERT INTO records SELECT * FROM again`,
  'a rating is missing': 'DELETE FROM ratings',
  'a denial is missing': 'DELETE FROM denials',
  'an outcome was changed': 'UPDATE records SET result_key = 1 WHERE result_key <> 1',
  'a count of an agent is wrong': 'UPDATE agents SET total_actions = total_actions + 1',
  'a score of an agent is wrong': 'UPDATE agents SET outcome_halves = outcome_halves + 1',
  'a count of a workflow is wrong': 'UPDATE workflow_tallies SET count = count + 1 WHERE kind = 0',
  'a count of actions is wrong': 'UPDATE workflow_tallies SET count = count + 1 WHERE kind = 3',
  'a count of results is missing': 'DELETE FROM workflow_tallies WHERE kind = 4',
  'money is missing': `UPDATE token_states SET spent_micro_usd = spent_micro_usd - 1 WHERE token_key = ${rootKey}`,
  'what a child spent is missing at the root': `UPDATE token_states SET spent_micro_usd = spent_micro_usd - 10000 WHERE token_key = ${rootKey}`,
  'an action of a child is not counted at the root': `UPDATE token_states SET actions = actions - 1 WHERE token_key = ${rootKey}`,
  'a delegated token is missing': `DELETE FROM tokens WHERE jti = '${renewed.jti}'`,
  'a child was put below another parent': `UPDATE tokens SET parent_key = NULL WHERE jti = '${child.jti}'`,
  'a path leads elsewhere': `UPDATE tokens SET path = zeroblob(length(path)) WHERE jti = '${renewed.jti}'`,
  'an approval is missing': 'DELETE FROM approvals',
  'a decision was changed': 'UPDATE approvals SET decided_index = decided_index - 1',
  'a day of an agent is missing': 'DELETE FROM agent_days',
  'the claims of a token were changed': `UPDATE tokens SET claims = replace(claims, 'sub-bot', 'sub-box')`,
  'the end of a pending record was changed': 'UPDATE records SET expires_at_ms = expires_at_ms + 1',
  'the end of a question was changed': 'UPDATE approvals SET expires_at_ms = expires_at_ms + 1',
  'a used approval looks unused': 'UPDATE approvals SET used_by = NULL',
  'a trace was added': `UPDATE records SET trace_id = 'x'`,
  'a completion says something else': `UPDATE records SET completion_digest = 'x' WHERE completion_digest IS NOT NULL`,
  'a purpose is missing': 'UPDATE tokens SET purpose = NULL',
  'an erasure was taken back': 'UPDATE humans SET erased_at_ms = NULL',
  'a mark on a person was taken back': 'UPDATE humans SET revoked_below = 0',
  'a destroyed key is there again': 'UPDATE data_keys SET wrapped = randomblob(length(wrapped))',
  'a reservation is missing': 'UPDATE token_states SET reserved_micro_usd = 0',
}

describe('the audit', () => {
  test('finds nothing wrong with a sound store', async () => {
    assert.equal(await auditStore(service.directory), 18)
  })

  for (const [name, sql] of Object.entries(TAMPERED)) {
    test(`notices when ${name}`, async (t) => {
      const directory = temporaryDirectory(t)
      cpSync(service.directory, directory, { recursive: true })
      const db = new DatabaseSync(join(directory, 'deputy.db'))
      for (const { name: trigger } of db
        .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
        .all())
        db.exec(`DROP TRIGGER ${trigger}`)
      db.exec(sql)
      db.close()
      await assert.rejects(auditStore(directory), assert.AssertionError)
    })
  }
})
