import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { decodeFrontier, emptyFrontier, rootOf } from '@deputize/protocol'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import { type ManualClock, manualClock } from '@deputize/testing/manual-clock.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import { settledReader } from '../../src/store/settled-reader.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { approvalsContract } from './approvals-contract.ts'
import { listsContract } from './lists-contract.ts'
import { registryContract } from './registry-contract.ts'
import { revocationContract } from './revocation-contract.ts'
import { type OpenStore, storeContract } from './store-contract.ts'
import { sumsContract } from './sums-contract.ts'
import { tenantContract } from './tenant-contract.ts'
import { trustContract } from './trust-contract.ts'
import { workflowContract } from './workflow-contract.ts'

const HISTORIES = Number(process.env.CONTRACT_HISTORIES ?? 25)

async function openSqlite(context: TestContext): Promise<OpenStore> {
  const file = join(temporaryDirectory(context), 'deputy.db')
  writeEmptyStore(file)
  return openAt(file, manualClock(), context)
}

function openAt(file: string, clock: ManualClock, context: TestContext): OpenStore {
  const writer = sqliteWriteStore({
    file,
    instance: 'test',
    vault_key: TEST_VAULT_KEY,
    clock,
    defers_sums: true,
  })
  const reader = settledReader(sqliteReadStore(file, TEST_VAULT_KEY), writer)
  let isOpen = true

  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await reader.close()
    await writer.close()
  }
  context.after(close)

  return {
    writer,
    reader,
    clock,
    leaves: async () =>
      look(file, (db) =>
        db.prepare('SELECT log_index, leaf, leaf_hash FROM leaves ORDER BY log_index').all(),
      ) as Awaited<ReturnType<OpenStore['leaves']>>,
    async frontierRoot() {
      const bytes = look(file, (db) => db.prepare('SELECT frontier FROM log_head').get()?.frontier)
      return rootOf(bytes instanceof Uint8Array ? decodeFrontier(bytes) : emptyFrontier())
    },
    holds: async (text) =>
      readdirSync(dirname(file)).some((name) => readFileSync(join(dirname(file), name)).includes(text)),
    wrappedKeys: async () =>
      look(file, (db) => db.prepare('SELECT wrapped FROM data_keys ORDER BY data_key').all()).map(
        ({ wrapped }) => Buffer.from(wrapped as Uint8Array), // the column holds nothing else
      ),
    async moveMetadata(from_aar_id, to_aar_id) {
      const db = new DatabaseSync(file)
      db.exec('DROP TRIGGER closed_records_never_change')
      db.prepare(
        'UPDATE records SET metadata = (SELECT metadata FROM records WHERE aar_id = ?) WHERE aar_id = ?',
      ).run(from_aar_id, to_aar_id)
      db.close()
    },
    async moveEntry(id, tenant_id) {
      const db = new DatabaseSync(file)
      db.exec('DROP TRIGGER registry_never_goes_back')
      db.prepare('UPDATE registry SET tenant_id = ? WHERE id = ?').run(tenant_id, id)
      db.close()
    },
    async setSums(jti, micro_usd) {
      const db = new DatabaseSync(file)
      db.prepare(
        `UPDATE token_states SET spent_micro_usd = ?, reserved_micro_usd = ?
        WHERE token_key = (SELECT token_key FROM tokens WHERE jti = ?)`,
      ).run(micro_usd, micro_usd, jti)
      db.close()
    },
    async reopen() {
      await close()
      const again = openAt(file, clock, context)
      return again
    },
  }
}

function look<T>(file: string, query: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return query(db)
  } finally {
    db.close()
  }
}

storeContract('SQLite', openSqlite, HISTORIES)
tenantContract('SQLite', openSqlite)
workflowContract('SQLite', openSqlite, HISTORIES)
registryContract('SQLite', openSqlite)
trustContract('SQLite', openSqlite)
sumsContract('SQLite', openSqlite)
listsContract('SQLite', openSqlite)
approvalsContract('SQLite', openSqlite)
revocationContract('SQLite', openSqlite)
