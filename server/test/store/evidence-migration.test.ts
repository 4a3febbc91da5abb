import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type OlderStore, olderDatabase, olderFile } from './older-schema.ts'

const STORES: Readonly<Record<string, (context: TestContext) => Promise<OlderStore>>> = {
  SQLite: async (context) => olderFile(context, 8),
  PostgreSQL: (context) => olderDatabase(context, 4),
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`records from before the evidence column, in ${name}`, () => {
    test('become self_reported', async (context) => {
      const store = await open(context)
      await store.query(`
        INSERT INTO records (log_index, aar_id, token_key, action_key, resource_key, state, created_at_ms,
          spend_micro_usd, completed_after_revocation, over_budget)
        VALUES (1, 'aar_1', 1, 1, 1, 1, 0, 0, 0, 0), (2, 'aar_2', 1, 1, 1, 0, 0, 0, 0, 0)`)
      assert.match((await store.migrate()).join(), /evidence/)
      assert.deepEqual(await store.query('SELECT aar_id, evidence FROM records ORDER BY log_index'), [
        { aar_id: 'aar_1', evidence: 0 },
        { aar_id: 'aar_2', evidence: 0 },
      ])
      await assert.rejects(store.query('UPDATE records SET evidence = 1 WHERE state = 1'), /never changes/)
    })
  })
}
