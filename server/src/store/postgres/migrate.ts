import { type Client, DatabaseError } from 'pg'
import { integer, text } from '../values.ts'
import { DatabaseRefused, WRITER } from './connect.ts'
import { LOCKS } from './locks.ts'
import {
  faultOfEarlierNodes,
  knownSchema,
  MIGRATIONS_TABLE,
  migrationFiles,
  migrationText,
  outdatedNode,
} from './migration-files.ts'

/** From this migration on, the head of the log says which nodes may write. */
const FENCED_SINCE = 14

export interface PendingMigration {
  readonly name: string
  /** What nodes of earlier versions would do wrong after it. Absent if they may keep running. */
  readonly stop_nodes?: string
}

/** The connection that holds the lock of the migrations. */
export interface MigrationHolder {
  readonly backend_pid: number
  /** The name that the connection gave itself. */
  readonly connection: string
  /** Undefined for a connection within its machine, or if the database doesn't show it to this user. */
  readonly address: string | undefined
}

export interface MigrationListener {
  /** Called once if another connection has held the lock of the migrations for a few seconds. The wait continues. */
  onMigrationWait?(holder: MigrationHolder): void
}

/** A wait for another node is reported after this time. It has no limit. */
const REPORT_AFTER_MS = 3_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Applies the numbered files that this database lacks, each in its own transaction. Forward only. If several nodes
 * start at once, one applies them and the others that lack them wait, for as long as it takes. A crash leaves the
 * database at the last committed file.
 *
 * A newer schema is accepted if its version lets nodes of this one write. Applies nothing while nodes are connected
 * that would write incorrectly afterwards.
 */
export async function migrate(
  client: Client,
  { onMigrationWait }: MigrationListener = {},
): Promise<{ readonly applied: string[] }> {
  // Without the lock: `deputy stop` must not wait for a node of a newer version.
  if ((await pendingMigrations(client)).length === 0) return { applied: [] }
  await client.query('SET statement_timeout = 0')
  const holder = await takeLock(client)
  if (holder !== undefined) {
    onMigrationWait?.(holder)
    await client.query('SET lock_timeout = 0')
    await patiently(client, TAKE_LOCK)
  }
  await client.query('RESET lock_timeout') // a table that something else uses would make all nodes wait meanwhile
  try {
    await client.query(`CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE}`)
    const last = await lastApplied(client)
    const applied = migrationFiles().slice(last)
    if (last > 0) await assertNoEarlierNodes(client, applied)
    for (const [index, name] of applied.entries()) await apply(client, last + index + 1, name)
    return { applied }
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCKS.migrate])
    await client.query('RESET statement_timeout')
  }
}

const TAKE_LOCK = `SELECT pg_advisory_lock(${LOCKS.migrate})`
const LOCK_HOLDER = `
  SELECT l.pid AS backend_pid, coalesce(a.application_name, '') AS connection, host(a.client_addr) AS address
  FROM pg_locks l JOIN pg_database d ON d.oid = l.database LEFT JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database()
    AND l.classid = 0 AND l.objid = ${LOCKS.migrate} AND l.objsubid = 1`

/** Takes the lock, or returns the connection that has held it for a few seconds. */
async function takeLock(client: Client): Promise<MigrationHolder | undefined> {
  await client.query(`SET lock_timeout = ${REPORT_AFTER_MS}`)
  for (;;) {
    try {
      await client.query(TAKE_LOCK)
      return undefined
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
    }
    const [row] = (await client.query(LOCK_HOLDER)).rows
    if (row === undefined) continue // it was released just now
    return {
      backend_pid: integer(row.backend_pid),
      connection: text(row.connection),
      address: row.address === null ? undefined : text(row.address),
    }
  }
}

/** The longest time that a timer can wait for. */
const LONGEST_MS = 2 ** 31 - 1

/** A migration takes longer than other statements may, if its tables are large, and so does the wait for another node. */
async function patiently(client: Client, text: string): Promise<void> {
  const statement = { text, query_timeout: LONGEST_MS } // the types of the driver lack this option
  await client.query(statement)
}

/** Returns the migrations that `migrate` would apply. Changes nothing. */
export async function pendingMigrations(client: Client): Promise<PendingMigration[]> {
  const { rows } = await client.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  const last = rows[0]?.exists === true ? await lastApplied(client) : 0
  return migrationFiles()
    .slice(last)
    .map((name) => {
      const stop_nodes = last === 0 ? undefined : faultOfEarlierNodes(name)
      return { name, ...(stop_nodes !== undefined && { stop_nodes }) }
    })
}

/** Returns the number of the last migration. Throws if a newer version no longer lets this one write. */
async function lastApplied(client: Client): Promise<number> {
  const { rows } = await client.query('SELECT coalesce(max(number), 0) AS last FROM migrations')
  const last = integer(rows[0]?.last)
  if (last <= knownSchema()) return last
  const head = await client.query('SELECT oldest_schema FROM log_head')
  const oldest = integer(head.rows[0]?.oldest_schema)
  if (oldest > knownSchema()) throw new DatabaseRefused(outdatedNode(oldest))
  return last
}

/**
 * Every node that writes now lacks these migrations, or it would have applied them. A node that starts meanwhile waits
 * for the lock, and refuses the newer schema. A node that has lost its connection is shut out by the head of the log,
 * if its version reads that.
 */
async function assertNoEarlierNodes(client: Client, pending: readonly string[]): Promise<void> {
  const first = pending.find((name) => faultOfEarlierNodes(name) !== undefined)
  if (first === undefined) return
  const { rows } = await client.query(
    `SELECT coalesce(host(client_addr), 'this machine') AS address FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE $1 || '%' AND pid <> pg_backend_pid()`,
    [WRITER],
  )
  if (rows.length === 0) return
  const count =
    rows.length === 1
      ? 'A node of an earlier version writes'
      : `${rows.length} nodes of an earlier version write`
  const addresses = [...new Set(rows.map(({ address }) => text(address)))].join(', ')
  throw new DatabaseRefused(
    `${count} to the database, from ${addresses}. After ${first}, ${faultOfEarlierNodes(first)} Stop all earlier nodes, then start this version. Nothing was changed.`,
  )
}

async function apply(client: Client, number: number, name: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await patiently(client, migrationText(name))
    await client.query('INSERT INTO migrations (number, name) VALUES ($1, $2)', [number, name])
    if (number > FENCED_SINCE && faultOfEarlierNodes(name) !== undefined)
      await client.query('UPDATE log_head SET oldest_schema = $1', [number])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
