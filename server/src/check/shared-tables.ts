import type { StoreTables, TableRow } from '../store/port/store-tables.ts'
import { LAST_KEYS } from '../store/rows/last-keys.ts'
import { compareColumns, type Findings } from './findings.ts'

/**
 * Checks the tables that nodes coordinate with. The last keys follow from tables that follow from the log. Batch
 * numbers and status list indexes only grow, and are never below those in use.
 */
export async function checkSharedTables(tables: StoreTables, findings: Findings): Promise<void> {
  const { next_place, ...last_keys } = await onlyRow(tables, LAST_KEYS)
  const head = await onlyRow(tables, 'SELECT * FROM log_head')
  compareColumns(findings, 'log_head', 1, head, last_keys)
  const { batch } = await onlyRow(
    tables,
    `SELECT greatest((SELECT max(last_batch) FROM writers), (SELECT least(1, count(*)) FROM leaves)) AS batch`,
  )
  if (!isAtLeast(head.batch, batch))
    findings.add('log_head', 1, `The log head is at batch ${head.batch}, but batch ${batch} was written.`)
  const { next } = await onlyRow(tables, 'SELECT next FROM status_places')
  if (!isAtLeast(next, next_place))
    findings.add(
      'status_places',
      1,
      `The next index in the status list must be at least ${next_place}: a token uses the one before it.`,
    )
}

function isAtLeast(found: unknown, least: unknown): boolean {
  return typeof found === 'number' && found >= Number(least)
}

/** The only row, or an empty object if there is none. */
async function onlyRow(tables: StoreTables, sql: string): Promise<TableRow> {
  for await (const row of tables.rows(sql)) return row
  return {}
}
