import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { tokenRef } from '@deputize/protocol'
import { type OlderStore, olderDatabase, olderFile } from './older-schema.ts'

/** The schemas before the tokens of lone leaves were stored. */
const STORES: Readonly<
  Record<string, { open(context: TestContext): Promise<OlderStore>; bytes: string; ancestors: string }>
> = {
  SQLite: { open: async (context) => olderFile(context, 14), bytes: `x'00'`, ancestors: '' },
  PostgreSQL: { open: (context) => olderDatabase(context, 11), bytes: `'\\x00'`, ancestors: ", '{1}'" },
}

const LEAVES: readonly (readonly [leaf: object, token_key: number | null])[] = [
  [{ type: 'token.revoked', token: tokenRef('vat_root_2') }, 2],
  [{ type: 'budget.threshold', token: tokenRef('vat_root_1') }, 1],
  [{ type: 'approval.endorsed', approval_id: 'apr_1' }, null],
]

describe('lone leaves of the previous schema', () => {
  for (const [name, { open, bytes, ancestors }] of Object.entries(STORES))
    test(`lead to their tokens in ${name}`, async (context) => {
      const store = await open(context)
      for (const key of [1, 2])
        await store.query(`INSERT INTO tokens (token_key, jti, root_key, agent_key, workflow_key, human_key, level,
          log_index, issued_at_ms, jwt_hash, claims, path, expires_at_ms, tenant_key${ancestors && ', ancestors'})
          VALUES (${key}, 'vat_root_${key}', ${key}, 1, 7, 3, 1, ${10 + key}, 0, 'h', '{}', ${bytes.replace('00', `0${key}`)}, 9, 1${ancestors})`)
      for (const [log_index, [leaf]] of LEAVES.entries()) {
        await store.query(
          `INSERT INTO leaves (log_index, leaf_hash, leaf) VALUES (${log_index}, ${bytes}, '${JSON.stringify(leaf)}')`,
        )
        await store.query(`INSERT INTO workflow_leaves (workflow_key, log_index) VALUES (7, ${log_index})`)
      }
      assert.ok((await store.migrate()).some((migration) => migration.endsWith('-leaf-tokens.sql')))
      const rows = await store.query('SELECT token_key FROM workflow_leaves ORDER BY log_index')
      assert.deepEqual(
        rows.map(({ token_key }) => token_key && Number(token_key)),
        LEAVES.map(([, token_key]) => token_key),
      )
    })
})
