import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { DAY_MS } from '../../src/domain/times/time.ts'
import { type OlderStore, olderDatabase, olderFile } from './older-schema.ts'

interface Older {
  open(context: TestContext): Promise<OlderStore>
  /** Bytes, as the dialect writes them. */
  readonly bytes: string
  /** A column that only this dialect has, and its value. */
  readonly more: readonly [column: string, value: string]
}

const STORES: Readonly<Record<string, Older>> = {
  SQLite: { open: async (context) => olderFile(context, 9), bytes: `x'00'`, more: ['', ''] },
  PostgreSQL: {
    open: (context) => olderDatabase(context, 6),
    bytes: `'\\x00'`,
    more: [', ancestors', `, '{1}'`],
  },
}

const RESULTS = ['success', 'partial', 'error', 'cancelled']

for (const [name, { open, bytes, more }] of Object.entries(STORES)) {
  /** Two agents with one token each: `one` has observed and reported actions on two days, `two` only reported ones. */
  async function someHistory(store: OlderStore): Promise<void> {
    const names = RESULTS.map((result, index) => `(${index + 101}, '${result}')`)
    await store.query(`INSERT INTO names (name_key, name) VALUES ${names.join(', ')} ON CONFLICT DO NOTHING`)
    for (const [key, agent] of [
      [1, 'one'],
      [2, 'two'],
    ]) {
      await store.query(
        `INSERT INTO agents (agent_key, agent_id, first_seen_ms) VALUES (${key}, '${agent}', 0)`,
      )
      for (const day of [0, 1])
        await store.query(`INSERT INTO agent_days (agent_key, day) VALUES (${key}, ${day})`)
      await store.query(`
        INSERT INTO tokens (token_key, jti, root_key, agent_key, workflow_key, human_key, level, log_index,
          issued_at_ms, jwt_hash, claims, path, expires_at_ms${more[0]})
        VALUES (${key}, 'vat_${key}', ${key}, ${key}, 1, 1, 1, ${key}, 0, 'x', '{}', ${bytes}, ${key}${more[1]})`)
    }
    await store.query(
      `INSERT INTO token_states (token_key, spent_micro_usd, reserved_micro_usd)
      VALUES (1, 9007199254740993, 9223372036854775807), (2, 7, 9007199254740991)`,
    )
  }

  let log_index = 10
  async function aRecord(
    store: OlderStore,
    record: { token: number; result: string; evidence: number; day: number },
  ): Promise<void> {
    log_index += 1
    await store.query(`
      INSERT INTO records (log_index, aar_id, token_key, action_key, resource_key, state, created_at_ms, result_key,
        spend_micro_usd, completed_at_ms, completed_after_revocation, over_budget, evidence)
      VALUES (${log_index}, 'aar_${log_index}', ${record.token}, 1, 1, 1, 0, (SELECT name_key FROM names WHERE name = '${record.result}'), 0,
        ${record.day * DAY_MS + 5}, 0, 0, ${record.evidence})`)
  }

  describe(`a store of the previous version, in ${name}`, () => {
    test('computes the observed part of the outcomes of every agent from its records', async (context) => {
      const store = await open(context)
      await someHistory(store)
      for (const result of RESULTS) await aRecord(store, { token: 1, result, evidence: 1, day: 0 })
      await aRecord(store, { token: 1, result: 'success', evidence: 1, day: 1 })
      await aRecord(store, { token: 1, result: 'success', evidence: 0, day: 1 })
      await aRecord(store, { token: 2, result: 'success', evidence: 0, day: 1 })
      await store.migrate()
      assert.deepEqual(
        await store.query(`
          SELECT agent_key, day, observed_actions, observed_halves FROM agent_days ORDER BY agent_key, day`),
        [
          { agent_key: 1, day: 0, observed_actions: 3, observed_halves: 3 },
          { agent_key: 1, day: 1, observed_actions: 1, observed_halves: 2 },
          { agent_key: 2, day: 0, observed_actions: 0, observed_halves: 0 },
          { agent_key: 2, day: 1, observed_actions: 0, observed_halves: 0 },
        ],
      )
      assert.deepEqual(
        await store.query(
          'SELECT agent_id, observed_actions, observed_halves FROM agents ORDER BY agent_key',
        ),
        [
          { agent_id: 'one', observed_actions: 4, observed_halves: 5 },
          { agent_id: 'two', observed_actions: 0, observed_halves: 0 },
        ],
      )
      assert.deepEqual(await store.query('SELECT DISTINCT exceeded FROM records'), [{ exceeded: 0 }])
    })

    test('has no sum beyond the safe integers afterwards', async (context) => {
      const store = await open(context)
      await someHistory(store)
      await store.migrate()
      const largest = Number.MAX_SAFE_INTEGER
      assert.deepEqual(
        await store.query('SELECT spent_micro_usd, reserved_micro_usd FROM token_states ORDER BY token_key'),
        [
          { spent_micro_usd: largest, reserved_micro_usd: largest },
          { spent_micro_usd: 7, reserved_micro_usd: largest },
        ],
      )
    })
  })
}
