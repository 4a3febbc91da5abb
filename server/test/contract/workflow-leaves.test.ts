import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { workflowLeaves } from '../../src/store/sqlite/read/workflow-leaves.ts'
import { collected } from './workflow-contract.ts'

const MIGRATION = new URL('../../migrations/sqlite/0006-workflow-leaves.sql', import.meta.url)
const READ = { action: 'read', resource: 'calendar:events' }

/** Two workflows with interleaved leaves, with late completions, ratings and every rare kind of leaf. */
async function aBusyStore(context: TestContext): Promise<{ db: DatabaseSync; refs: string[] }> {
  const service = await aTestApp(context)
  const roots = []
  for (const constraints of [{ max_spend_usd: 1 }, { max_spend_usd: 2 }]) {
    const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ constraints }))
    roots.push(body)
  }
  const open: string[] = []
  for (let i = 0; i < 20; i++)
    for (const { jti } of roots) {
      const ask = { vat_jti: jti, ...READ, spend_usd: 0.05 }
      open.push((await service.post('/v1/vat/authorize', ask)).body.aar_id)
    }
  for (const { jti } of roots) {
    await service.post(`/v1/vat/tokens/${jti}/suspend`, {})
    await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })
    await service.post(`/v1/vat/tokens/${jti}/resume`, {})
  }
  for (const aar_id of open.toReversed().filter((id) => id !== undefined)) {
    await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved' })
  }
  for (const { jti } of roots) await service.post('/v1/vat/revoke', { vat_jti: jti })
  const db = new DatabaseSync(join(service.directory, 'deputy.db'))
  context.after(() => db.close())
  return { db, refs: roots.map(({ provenance_ref }) => provenance_ref) }
}

describe('the leaves of a workflow', () => {
  test('are found in rounds that use bounded memory', async (context) => {
    const { db, refs } = await aBusyStore(context)
    for (const ref of refs) {
      const truth = db
        .prepare("SELECT log_index, leaf AS text FROM leaves WHERE leaf ->> '$.provenance_ref' = ?")
        .all(ref)
        .map((row) => ({ ...row }))
      assert.ok(truth.length > 60)
      for (const most of [1, 7, 50, 250_000])
        assert.deepEqual(await collected(workflowLeaves(db, most)(ref, 10_000)), truth, `${most} at a time`)
    }
  })

  test('that are older than the table of rare leaves are added to it by its migration', async (context) => {
    const { db } = await aBusyStore(context)
    const look = () => ({
      leaves: db.prepare('SELECT workflow_key, log_index FROM workflow_leaves').all(),
      tallies: db.prepare('SELECT * FROM workflow_tallies').all(),
    })
    const before = look()
    assert.ok(before.leaves.length >= 8, 'suspensions, resumptions, revocations and thresholds')
    db.exec(`
      DROP TABLE workflow_leaves; DROP INDEX workflows_by_human; DROP INDEX workflows_by_agent;
      ALTER TABLE workflow_tallies DROP COLUMN last_ms;`)
    db.exec(readFileSync(MIGRATION, 'utf8'))
    assert.deepEqual(look(), before)
  })
})
