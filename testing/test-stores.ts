import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Pool } from 'pg'
import { runBatch } from '../server/src/clerk/run-batch.ts'
import type { DeliveryStore } from '../server/src/store/deliveries.ts'
import type { EphemeralStore } from '../server/src/store/ephemeral.ts'
import type { WriteStore } from '../server/src/store/port/write-store.ts'
import type { ReadStore } from '../server/src/store/port.ts'
import { connectionPool } from '../server/src/store/postgres/connect.ts'
import { postgresDeliveries } from '../server/src/store/postgres/deliveries.ts'
import { postgresEphemeral } from '../server/src/store/postgres/ephemeral.ts'
import { postgresReadStore } from '../server/src/store/postgres/read/read-store.ts'
import { settlingSums } from '../server/src/store/postgres/write/deferred-sums.ts'
import { postgresWriteStore } from '../server/src/store/postgres/write/write-store.ts'
import { sealedEphemeral } from '../server/src/store/sealed-ephemeral.ts'
import { settledReader } from '../server/src/store/settled-reader.ts'
import { sqliteDeliveries } from '../server/src/store/sqlite/deliveries.ts'
import { sqliteEphemeral } from '../server/src/store/sqlite/ephemeral.ts'
import { sqliteReadStore } from '../server/src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../server/src/store/sqlite/write/write-store.ts'
import type { Row } from '../server/src/store/values.ts'
import { command, newMigratedDatabase } from './a-database.ts'
import { writeEmptyStore } from './empty-store.ts'

const READERS = 10

/** Whether the tests that every store must pass run on PostgreSQL. */
export const isOnPostgres: boolean = process.env.DEPUTY_TEST_STORE === 'postgres'

/** Both sides of a real store, and direct access to its rows. */
export interface TestStores {
  readonly writer: WriteStore
  readonly reader: ReadStore
  readonly ephemeral: EphemeralStore
  readonly deliveries: DeliveryStore
  rows(sql: string): Promise<Row[]>
  /** Runs SQL on the table of ephemeral data, bypassing the service. */
  ephemeralRows(sql: string): Promise<Row[]>
  close(): Promise<void>
  /** Changes rows directly, without triggers. */
  damage(sql: string): Promise<void>
}

export interface TestStoreOptions {
  readonly directory: string
  readonly instance: string
  readonly vault_key: Uint8Array
  readonly clock: () => number
  /** The time of new leaves, if it differs. */
  readonly log_clock?: (() => number) | undefined
  /** An empty database to use instead of the store that the environment names. */
  readonly database_url?: string | undefined
}

/** An empty store of the kind that the environment names. */
export function someStores(options: TestStoreOptions): Promise<TestStores> {
  return isOnPostgres || options.database_url !== undefined ? postgresStores(options) : sqliteStores(options)
}

async function sqliteStores({ directory, ...options }: TestStoreOptions): Promise<TestStores> {
  const file = join(directory, 'deputy.db')
  const opened = <T>(readOnly: boolean, use: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(file, { readOnly, timeout: 60_000 })
    try {
      return use(db)
    } finally {
      db.close()
    }
  }
  writeEmptyStore(file)
  const writer = sqliteWriteStore({
    file,
    ...options,
    clock: options.log_clock ?? options.clock,
    defers_sums: true,
    onPublished() {},
  })
  const reader = settledReader(sqliteReadStore(file, options.vault_key), writer)
  const plain = sqliteEphemeral(join(directory, 'ephemeral.db'), options.clock)
  const ephemeral = sealedEphemeral(plain, options.vault_key, () => {})
  const deliveries = sqliteDeliveries(join(directory, 'deliveries.db'), options.vault_key)
  return {
    writer,
    reader,
    ephemeral,
    deliveries,
    async close() {
      await deliveries.close()
      await ephemeral.close()
      await writer.close()
      await reader.close()
    },
    async rows(sql) {
      await writer.publish()
      return opened(true, (db) => db.prepare(sql).all())
    },
    async ephemeralRows(sql) {
      const db = new DatabaseSync(join(directory, 'ephemeral.db'), { timeout: 60_000 })
      try {
        return db.prepare(sql).all()
      } finally {
        db.close()
      }
    },
    async damage(sql) {
      await writer.publish()
      opened(false, (db) => {
        const triggers = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all()
        for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
        db.exec(sql)
      })
    },
  }
}

/** These tests may lose what they write, so commits don't wait for the disk. */
function mayLose(url: string): string {
  const hasty = new URL(url)
  hasty.searchParams.set('options', '-c synchronous_commit=off')
  return hasty.href
}

/** Shows everything that the writer has acknowledged, like a node's reader. */
export function settledPostgresReader(pool: Pool, vault_key: Uint8Array, writer: WriteStore): ReadStore {
  const settle = async () => {
    const { replies } = await runBatch(writer, [{ kind: 'settle_sums' }], (cause) =>
      assert.fail(String(cause)),
    )
    return replies.every((reply) => 'outcome' in reply)
  }
  return settledReader(postgresReadStore(pool, vault_key), settlingSums(pool, settle))
}

async function postgresStores({ database_url, ...options }: TestStoreOptions): Promise<TestStores> {
  const { url, drop } =
    database_url === undefined ? await newMigratedDatabase() : { url: database_url, drop: async () => {} }
  const writer = await postgresWriteStore({
    url: mayLose(url),
    ...options,
    clock: options.log_clock ?? options.clock,
    writer_id: 'test',
    allow_unsafe: true,
    defers_sums: true,
  })
  const pool = connectionPool(url, 'test', READERS)
  const reader = settledPostgresReader(pool, options.vault_key, writer)
  return {
    writer,
    reader,
    ephemeral: sealedEphemeral(postgresEphemeral(pool, options.clock), options.vault_key, () => {}),
    deliveries: postgresDeliveries(pool, options.vault_key),
    async close() {
      await writer.close()
      await reader.close()
      await drop()
    },
    rows: (sql) => command(url, sql),
    ephemeralRows: (sql) => command(url, sql),
    async damage(sql) {
      await command(url, `SET session_replication_role = replica; ${sql}`)
    },
  }
}
