import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import type { TableRow } from '../../src/store/port/store-tables.ts'
import type { Row } from '../../src/store/values.ts'
import { type Column, changed, displayValue, type Edit, pick } from './edits.ts'

/**
 * Excludes ephemeral data, deliveries and the lease of the clerk, which have no leaves. Ephemeral data has its own
 * tests.
 */
const COLUMNS = `
  SELECT c.table_name AS "table", c.column_name AS name FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name NOT IN ('ephemeral', 'delivery_endpoints', 'deliveries', 'clerk_lease')
  ORDER BY 1, c.ordinal_position`

/** Makes changes that the owner of the database could make, and undoes them. */
export interface Editor {
  readonly columns: readonly Column[]
  readonly tables: readonly string[]
  rows(sql: string): Promise<Row[]>
  /** As in `edits.ts`. */
  editColumn(column: Column, random: () => number): Promise<Edit | undefined>
  deleteRow(table: string, random: () => number): Promise<Edit | undefined>
  doubleRow(table: string, random: () => number): Promise<Edit | undefined>
  dropObject(random: () => number): Promise<Edit>
  /** Restores the original state. */
  restore({ table }: Edit): Promise<void>
}

/** Returns an editor that takes over the client and disables its triggers. */
export async function editorOf(client: Client): Promise<Editor> {
  const rows = async (sql: string, values: unknown[] = []) => (await client.query<Row>(sql, values)).rows
  const columns = (await rows(COLUMNS)).map(({ table, name }) => ({
    table: String(table),
    name: String(name),
  }))
  const tables = [...new Set(columns.map(({ table }) => table))]
  const keys = await columnsOfIndexes(rows, 'indisprimary')
  const unique = await columnsOfIndexes(rows, 'indisunique AND indpred IS NULL')
  let dropped: string | undefined

  await rows('SET session_replication_role = replica')
  await rows('CREATE SCHEMA kept')
  for (const table of tables) await rows(`CREATE TABLE kept.${table} AS TABLE ${table}`)

  const keysOf = (table: string) => keys.get(table) ?? []

  async function anyRow(table: string, random: () => number): Promise<TableRow> {
    const all = await rows(`SELECT * FROM ${table} ORDER BY ${keysOf(table).join(', ')}`)
    return pick(all, random)
  }

  function placeOf(table: string, row: TableRow, first: number): { where: string; values: unknown[] } {
    const where = keysOf(table).map((key, index) => `${key} = $${index + first}`)
    return { where: where.join(' AND '), values: keysOf(table).map((key) => row[key]) }
  }

  async function another(table: string, name: string, value: unknown): Promise<unknown> {
    if (typeof value === 'number')
      return (await rows(`SELECT max(${name}) + 1 AS next FROM ${table}`))[0]?.next
    if (typeof value === 'string') return `${value}2`
    return value instanceof Uint8Array ? Buffer.concat([value, Buffer.of(1)]) : value
  }

  async function valueFor(column: Column, how: Edit['how'], before: unknown, random: () => number) {
    if (how === 'emptied') return null
    if (how === 'swapped') return (await anyRow(column.table, random))[column.name]
    return changedValue(before, random)
  }

  return {
    columns,
    tables,
    rows,
    async editColumn(column, random) {
      const { table, name } = column
      const row = await anyRow(table, random)
      const how = pick(['changed', 'changed', 'emptied', 'swapped'] as const, random)
      const before = row[name]
      const after = await valueFor(column, how, before, random)
      if (isDeepStrictEqual(before, after)) return undefined
      const { where, values } = placeOf(table, row, 2)
      const isTaken = await accepted(
        rows(`UPDATE ${table} SET ${name} = $1 WHERE ${where}`, [after, ...values]),
      )
      const sentence = `${table}.${name} ${how} from ${displayValue(before)} to ${displayValue(after)} where ${where} (${values.map(displayValue)})`
      return isTaken ? { sentence, table, how, column: name, row, after } : undefined
    },
    async deleteRow(table, random) {
      const row = await anyRow(table, random)
      const { where, values } = placeOf(table, row, 1)
      await rows(`DELETE FROM ${table} WHERE ${where}`, values)
      return {
        sentence: `${table} deleted where ${where} (${values.map(displayValue)})`,
        table,
        how: 'deleted',
        row,
      }
    },
    async doubleRow(table, random) {
      const row = await anyRow(table, random)
      const copy: Record<string, unknown> = { ...row }
      for (const name of unique.get(table) ?? []) copy[name] = await another(table, name, row[name])
      const names = Object.keys(copy)
      const marks = names.map((_, index) => `$${index + 1}`)
      const isTaken = await accepted(
        rows(`INSERT INTO ${table} (${names}) VALUES (${marks})`, Object.values(copy)),
      )
      const sentence = `${table} doubled as ${names.map((name) => displayValue(copy[name]))}`
      return isTaken ? { sentence, table, how: 'doubled', row } : undefined
    },
    async dropObject(random) {
      const objects = await rows(`
        SELECT 'INDEX ' || indexname AS name, indexdef AS definition FROM pg_indexes i
          WHERE schemaname = 'public' AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = i.indexname)
        UNION ALL SELECT 'TRIGGER ' || tgname || ' ON ' || tgrelid::regclass, pg_get_triggerdef(oid)
          FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`)
      const { name, definition } = pick(objects, random)
      dropped = String(definition)
      await rows(`DROP ${name}`)
      return { sentence: `${name} dropped`, table: 'schema', how: 'dropped' }
    },
    async restore({ table }) {
      if (dropped !== undefined) await rows(dropped)
      dropped = undefined
      if (table === 'schema') return
      await rows(`TRUNCATE ${table}`)
      await rows(`INSERT INTO ${table} SELECT * FROM kept.${table}`)
    },
  }
}

async function columnsOfIndexes(
  rows: (sql: string) => Promise<Row[]>,
  which: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await rows(`
    SELECT i.indrelid::regclass::text AS "table", a.attname AS name FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int[])
    WHERE i.indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) AND ${which}`)
  const columns = new Map<string, string[]>()
  for (const { table, name } of found)
    columns.set(String(table), [...(columns.get(String(table)) ?? []), String(name)])
  return columns
}

function changedValue(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return [...value.slice(1), Number(value[0]) + 1]
  const isPlain = typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array
  return changed(isPlain ? value : null, random)
}

/** False if a constraint rejects the edit. */
async function accepted(edit: Promise<unknown>): Promise<boolean> {
  try {
    await edit
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (/^(22|23|08P01)/.test(code)) return false // 08P01: bytes that are not an integer
    throw error
  }
}
