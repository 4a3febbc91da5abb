import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import {
  DamagedStore,
  type FormFault,
  type StoreTables,
  type TableRow,
  UnreadableStore,
} from '../port/store-tables.ts'
import { type Form, formFaults } from '../schema-drift.ts'
import { integer, type Row } from '../values.ts'
import { addressOf, connectAtStart } from './address.ts'
import { isDatabaseUnavailable } from './availability.ts'
import { KNOWS_DEFERRED_SUMS } from './earlier-nodes.ts'
import { migrationFiles, oldestSchema } from './migration-files.ts'
import { formOf, freshForm } from './schema-drift.ts'
import { showDeferredSums } from './write/deferred-sums.ts'

/** The first row may require sorting the whole table, and other tables are read between two rows of one. */
const PATIENCE_MS = 1_800_000
const ROWS_AT_A_TIME = 500

/**
 * Reads a whole database in one transaction on one connection, which changes nothing that others see. Nodes may write
 * meanwhile: they aren't blocked, and their changes aren't visible. Each query is a server-side cursor that returns a
 * few rows at a time.
 */
export async function postgresTables(url: string): Promise<StoreTables> {
  const address = addressOf(url)
  const client = await connectAtStart(url, 'check', PATIENCE_MS)
  try {
    await assertPrimary(client, address)
    const fresh = await freshForm(client)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SET LOCAL row_security = off') // fails if a policy would hide rows
    const faults = await faultsOf(client, fresh, address)
    faults.push(...(await sumFaults(client, faults)))
    await client.query('SET TRANSACTION READ ONLY')
    return {
      kind: 'shared',
      rows: rowsFrom(client, address),
      formFaults: async () => faults,
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    if (error instanceof UnreadableStore) throw error
    throw new UnreadableStore(`The database at ${address} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    })
  }
}

/** A standby may lack changes that were signed before the check. */
async function assertPrimary(client: Client, address: string): Promise<void> {
  const { rows } = await client.query<Row>('SELECT pg_is_in_recovery() AS is_standby')
  if (rows[0]?.is_standby === false) return
  throw new UnreadableStore(
    `The database at ${address} is a standby, which may lag behind. Use the address of the primary.`,
  )
}

async function faultsOf(client: Client, fresh: Form, address: string): Promise<FormFault[]> {
  const there = await client.query<Row>(
    `SELECT to_regclass('migrations') IS NOT NULL AND to_regclass('leaves') IS NOT NULL AS is_store`,
  )
  if (there.rows[0]?.is_store !== true)
    throw new UnreadableStore(`The database at ${address} does not contain a store.`)
  const { rows: applied } = await client.query<Row>('SELECT number, name FROM migrations ORDER BY number')
  const wanted = migrationFiles().map((name, index) => ({ number: index + 1, name }))
  const faults = formFaults(await formOf(client), fresh)
  const last = applied.length === 0 ? 0 : integer(applied.at(-1)?.number)
  if (last > wanted.length)
    throw new UnreadableStore(
      'The data was written by a newer version of Deputy. Use that version or a newer one.',
    )
  if (last < wanted.length && faults.length > 0)
    throw new UnreadableStore(
      'The data was written by an older version of Deputy. Bring it up to date with deputy migrate, then try again.',
    )
  if (!isDeepStrictEqual(applied, wanted))
    faults.push({
      name: 'migrations',
      sentence: 'The list of applied migrations differs from that of this version.',
    })
  const isLacking = faults.some(({ name }) => ['table log_head', 'table deferred_sums'].includes(name))
  if (isLacking || last < wanted.length) return faults
  return [...faults, ...(await fenceFaults(client))]
}

/** Shows deferred sums in their tables. If that fails, the tables are read as they are. */
async function sumFaults(client: Client, faults: readonly FormFault[]): Promise<FormFault[]> {
  if (faults.some(({ name }) => name === 'table deferred_sums')) return []
  const fault = await showDeferredSums(client)
  return fault === undefined ? [] : [fault]
}

/**
 * Checks the oldest schema that may write. If it is too low, nodes that would write incorrectly may write; if it is too
 * high, none may. Nodes raise it once no earlier one is left, and only then defer sums.
 */
async function fenceFaults(client: Client): Promise<FormFault[]> {
  const { rows } = await client.query<Row>(
    'SELECT oldest_schema, EXISTS (SELECT FROM deferred_sums) AS has_deferred FROM log_head',
  )
  const raised = Math.max(oldestSchema(), KNOWS_DEFERRED_SUMS)
  const wanted = rows.some(({ has_deferred }) => has_deferred === true) ? raised : oldestSchema()
  if (rows.every(({ oldest_schema }) => oldest_schema === wanted || oldest_schema === raised)) return []
  return [
    { name: 'log_head', sentence: `The head of the log must be open to nodes from schema ${wanted} on.` },
  ]
}

function rowsFrom(client: Client, address: string): (sql: string) => AsyncGenerator<TableRow> {
  let cursors = 0

  async function ask(sql: string): Promise<Row[]> {
    try {
      return (await client.query<Row>(sql)).rows
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw new DamagedStore(messageOf(error), { cause: error })
      throw new UnreadableStore(
        `The connection to the database at ${address} was lost: ${messageOf(error)}. Try again.`,
        {
          cause: error,
        },
      )
    }
  }

  return async function* rows(sql) {
    cursors += 1
    const cursor = `rows_${cursors}`
    await ask(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`)
    for (;;) {
      const some = await ask(`FETCH ${ROWS_AT_A_TIME} FROM ${cursor}`)
      yield* some
      if (some.length < ROWS_AT_A_TIME) break
    }
    await ask(`CLOSE ${cursor}`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
