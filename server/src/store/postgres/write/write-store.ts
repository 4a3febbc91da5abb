import type { Client } from 'pg'
import type { WriteStore } from '../../port/write-store.ts'
import { integer, text } from '../../values.ts'
import { openVault, type Vault } from '../../vault.ts'
import { assertDurable, DatabaseRefused } from '../connect.ts'
import { shutOutEarlierNodes } from '../earlier-nodes.ts'
import { type MigrationListener, migrate } from '../migrate.ts'
import { BatchWriter, type WriterOptions } from './batch-writer.ts'
import { headOf } from './head.ts'

export interface PostgresOptions extends WriterOptions, MigrationListener {
  /** The deployment that the database must belong to. A new one is stamped with it. */
  readonly instance: string
  readonly vault_key: Uint8Array
  readonly clock: () => number
  /** Accepts a database that may lose acknowledged commits. */
  readonly allow_unsafe: boolean
}

/** Opens the store that several nodes share: one order of batches, one durable commit for each. */
export async function postgresWriteStore(options: PostgresOptions): Promise<WriteStore> {
  const vault = openVault(options.vault_key)
  const writer = new BatchWriter(options, vault)
  await prepare(await writer.connected(), options, vault)
  return {
    transact: async (needs, judge, lane, clock = options.clock) =>
      (await writer.write({ needs, judge, lane, clock })).result,
    room: () => writer.room(),
    close: () => writer.close(),
  }
}

/** Migrates the schema, and checks that the database and the keys belong together. */
async function prepare(database: Client, options: PostgresOptions, vault: Vault): Promise<void> {
  await assertDurable(database, options.allow_unsafe)
  await migrate(database, options)
  await shutOutEarlierNodes(database)
  await assertDeployment(database, options.instance, vault)
  await assertWholeLog(database)
}

/** Stamps a new database. Throws if it was stamped or sealed with other keys. */
async function assertDeployment(database: Client, instance: string, { deployment }: Vault): Promise<void> {
  const place = { kind: 'check', row: 'vault' } as const
  const sealed = Buffer.from(deployment.seal(place, 'open')).toString('base64url')
  await database.query(
    `INSERT INTO deployment (name, value) VALUES ('instance', $1), ('vault', $2) ON CONFLICT (name) DO NOTHING`,
    [instance, sealed],
  )
  const { rows } = await database.query('SELECT name, value FROM deployment')
  const stamped = new Map(rows.map((row) => [text(row.name), text(row.value)]))
  if (stamped.get('instance') !== instance)
    throw new DatabaseRefused('The database and these keys belong to different deployments.')
  try {
    deployment.open(place, Buffer.from(stamped.get('vault') ?? '', 'base64url'))
  } catch {
    throw new DatabaseRefused('The database was sealed with a different secret from the one in these keys.')
  }
}

/** Throws if the leaves of the log don't reach exactly as far as its head says. */
async function assertWholeLog(database: Client): Promise<void> {
  const { rows } = await database.query(
    'SELECT h.*, (SELECT coalesce(max(log_index) + 1, 0) FROM leaves) AS size FROM log_head h',
  )
  const { size } = headOf(rows[0]).frontier
  const leaves = integer(rows[0]?.size)
  if (size === leaves) return
  throw new DatabaseRefused(`The log holds ${leaves} leaves, but its head says ${size}: the data is damaged.`)
}
