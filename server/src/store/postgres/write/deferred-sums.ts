import { StoreError } from '../../port/store-error.ts'
import type { FormFault } from '../../port/store-tables.ts'
import { sumsFault, TABLES_OF_SUMS } from '../../rows/sums.ts'
import type { Settling } from '../../settled-reader.ts'
import { integer, text } from '../../values.ts'
import { isDatabaseUnavailable } from '../availability.ts'
import type { Database } from '../connect.ts'
import { keyedRead } from '../read/reading.ts'
import { loadSumKeys, sumParts } from './change-writer.ts'
import { sumsStatement } from './hot-statement.ts'
import { BatchMemory } from './memory.ts'

/** Ordered, because only the index skips rows that were deleted earlier. */
const LOOK = keyedRead(
  'deferred_look',
  `SELECT coalesce((SELECT batch FROM log_head), 0) AS batch,
    (SELECT batch FROM deferred_sums WHERE batch > ? ORDER BY batch LIMIT 1) IS NOT NULL AS has_more`,
)

/** Looks for sums that aren't in their tables. */
export class DeferredLook {
  readonly #database: Database
  /** No row exists up to this batch. Deleted ones may remain, which the database would have to skip. */
  #settled = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the batch up to which everything must be settled. Undefined if everything is. */
  async unsettled(): Promise<number | undefined> {
    const rows = await LOOK(this.#database, this.#settled)
    const batch = integer(rows[0]?.batch)
    if (rows[0]?.has_more === true) return batch
    this.noteSettled(batch)
    return undefined
  }

  noteSettled(batch: number): void {
    this.#settled = Math.max(this.#settled, batch)
  }
}

/**
 * Adds sums that any node has deferred to their tables, at most once at a time. A read that arrives meanwhile waits for
 * the next look, because sums that it must show may have been deferred since. `settle` resolves to whether that was
 * done.
 */
export function settlingSums(database: Database, settle: () => Promise<boolean>): Settling {
  const deferred = new DeferredLook(database)
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function look(): Promise<void> {
    const batch = await deferred.unsettled()
    if (batch === undefined) return
    if (!(await settle())) throw new StoreError('sums could not be settled', 'nothing_written', undefined)
    deferred.noteSettled(batch)
  }

  function begin(): Promise<void> {
    const looking = look().finally(() => {
      if (current === looking) current = undefined
    })
    current = looking
    return looking
  }

  async function following(before: Promise<void>): Promise<void> {
    await before.catch(() => {})
    next = undefined
    await begin()
  }

  return {
    settle() {
      if (next !== undefined) return next
      if (current === undefined) return begin()
      next = following(current)
      return next
    },
  }
}

/**
 * Shows deferred sums to a transaction as if they were in their tables, through temporary copies that hide the tables
 * and end with the transaction. Resolves to a fault if deferred sums can't be added; the tables are then shown as they
 * are.
 */
export async function showDeferredSums(database: Database): Promise<FormFault | undefined> {
  if ((await new DeferredLook(database).unsettled()) === undefined) return undefined
  await database.query('SAVEPOINT shown_sums')
  try {
    const memory = new BatchMemory()
    await memory.loadDeferred(database)
    await copyTables(database)
    await loadSumKeys(memory.deferred?.minutes ?? [], memory, database)
    for (const rows of memory.deferred?.rows(memory.storedKeys) ?? []) {
      const { sql, values } = sumsStatement(sumParts(rows))
      await database.query(sql, values)
    }
    return undefined
  } catch (error) {
    const isDamage = error instanceof StoreError
    if (!isDamage && (isDatabaseUnavailable(error) || isRefusedCopy(error))) throw error
    await database.query('ROLLBACK TO SAVEPOINT shown_sums')
    return sumsFault(isDamage ? error.cause : error)
  }
}

/** Afterwards the names of the tables refer to the copies, whatever the user's search path is. */
async function copyTables(database: Database): Promise<void> {
  const { rows } = await database.query('SELECT quote_ident(current_schema()) AS schema')
  const schema = text(rows[0]?.schema)
  for (const table of TABLES_OF_SUMS) {
    await database.query(`CREATE TEMP TABLE ${table} (LIKE ${schema}.${table} INCLUDING ALL) ON COMMIT DROP`)
    if (table !== 'deferred_sums')
      await database.query(`INSERT INTO pg_temp.${table} SELECT * FROM ${schema}.${table}`)
  }
  await database.query(`SET LOCAL search_path = pg_temp, ${schema}`)
}

/** Whether the user may not create temporary tables, or space or time ran out. The rows aren't to blame then. */
function isRefusedCopy(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === '42501' || /^(53|54|57)/.test(code)
}
