import type { Settling } from '../settled-reader.ts'
import { text } from '../values.ts'
import { loadSumKeys, sumParts } from './change-writer.ts'
import type { Database } from './connect.ts'
import { sumsStatement } from './hot-statement.ts'
import { BatchMemory } from './memory.ts'

/** Whether some sums are not in their tables. */
export async function hasDeferredSums(database: Database): Promise<boolean> {
  const { rows } = await database.query('SELECT 1 FROM deferred_sums LIMIT 1')
  return rows.length > 0
}

/**
 * Has sums that any node has put off added to their tables, at most once at a time: a read that arrives meanwhile waits for
 * the next look, because what it must show may have been put off since.
 */
export function settlingSums(database: Database, settle: () => Promise<unknown>): Settling {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function look(): Promise<void> {
    if (await hasDeferredSums(database)) await settle()
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
    publish: () => undefined,
    settle() {
      if (next !== undefined) return next
      if (current === undefined) return begin()
      next = following(current)
      return next
    },
  }
}

/** The tables that sums are added to, and the one that holds them until then. */
const TABLES_OF_SUMS = ['agents', 'agent_days', 'counters', 'workflow_tallies', 'deferred_sums'] as const

/**
 * Lets a transaction see sums that were put off as if they were in their tables, by copies of its own that hide the tables and
 * end with it. Resolves to the reason if what was put off cannot be added: the tables are seen as they are then.
 */
export async function showDeferredSums(database: Database): Promise<string | undefined> {
  if (!(await hasDeferredSums(database))) return undefined
  await database.query('SAVEPOINT shown_sums')
  try {
    const memory = new BatchMemory()
    await memory.loadDeferred(database)
    const { rows: found } = await database.query('SELECT quote_ident(current_schema()) AS schema')
    for (const table of TABLES_OF_SUMS) {
      await database.query(`CREATE TEMP TABLE ${table} (LIKE ${table} INCLUDING ALL) ON COMMIT DROP`)
      if (table !== 'deferred_sums')
        await database.query(`INSERT INTO pg_temp.${table} SELECT * FROM ${text(found[0]?.schema)}.${table}`)
    }
    await loadSumKeys(memory.deferred?.minutes ?? [], memory, database)
    for (const rows of memory.deferred?.rows(memory.storedKeys) ?? []) {
      const { sql, values } = sumsStatement(sumParts(rows))
      await database.query(sql, values)
    }
    return undefined
  } catch (error) {
    await database.query('ROLLBACK TO SAVEPOINT shown_sums')
    return error instanceof Error ? error.message : String(error)
  }
}
