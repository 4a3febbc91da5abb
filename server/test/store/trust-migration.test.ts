import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type OlderStore, olderDatabase, olderFile } from './older-schema.ts'

/** The schemas of the last version without vouches. */
const STORES: Readonly<Record<string, { open(context: TestContext): Promise<OlderStore>; bytes: string }>> = {
  SQLite: { open: async (context) => olderFile(context, 11), bytes: `x'00'` },
  PostgreSQL: { open: (context) => olderDatabase(context, 8), bytes: `'\\x00'` },
}

/** Leaves of that version, and whether scores follow from them. */
const LEAVES: readonly (readonly [leaf: object, isFollowed: boolean])[] = [
  [{ type: 'session.begun', human_ref: 'a', assurance_level: 'L1' }, false],
  [{ type: 'session.begun', human_ref: 'a', assurance_level: 'L2' }, true],
  [{ type: 'session.begun', human_ref: 'b', assurance_level: 'L3' }, true],
  [{ type: 'session.ended', human_ref: 'a' }, false],
  [{ type: 'human.erased', human_ref: 'a' }, true],
  [{ type: 'registry.changed', kind: 'biometric', human_ref: 'b' }, false],
  [{ type: 'registry.changed', kind: 'biometric', human_ref: 'b', removed: true }, true],
  [{ type: 'registry.changed', kind: 'passkey', human_ref: 'b', removed: true }, false],
  [{ type: 'registry.changed', kind: 'external_check', human_ref: 'b', withdraws: 'L3' }, true],
  // Tokens and ratings have their own tables.
  [{ type: 'token.issued', human_ref: 'b', assurance_level: 'L2' }, false],
  [{ type: 'action.rated', agent_id: 'agent:bot', rating: 'approved' }, false],
]

describe('the leaves of the previous version that scores follow from', () => {
  for (const [name, { open, bytes }] of Object.entries(STORES))
    test(`are found in ${name}`, async (context) => {
      const store = await open(context)
      for (const [log_index, [leaf]] of LEAVES.entries())
        await store.query(
          `INSERT INTO leaves (log_index, leaf_hash, leaf)
          VALUES (${log_index}, ${bytes}, '${JSON.stringify({ v: 1, at: '2026-01-01T00:00:00.000Z', ...leaf })}')`,
        )
      assert.ok((await store.migrate()).some((migration) => migration.endsWith('-trust.sql')))
      const rows = await store.query('SELECT log_index FROM trust_changes ORDER BY log_index')
      assert.deepEqual(
        rows.map(({ log_index }) => Number(log_index)),
        LEAVES.flatMap(([, isFollowed], log_index) => (isFollowed ? [log_index] : [])),
      )
    })
})
