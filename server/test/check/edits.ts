import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { TableRow } from '../../src/store/port/store-tables.ts'

type Value = SQLInputValue
type Row = Record<string, Value>

/** One change made directly in the files, without the service. */
export interface Edit {
  readonly sentence: string
  readonly table: string
  readonly how: 'changed' | 'emptied' | 'swapped' | 'deleted' | 'doubled' | 'dropped'
  readonly column?: string
  readonly row?: TableRow
  readonly after?: unknown
}

/** A reproducible sequence of numbers from 0 up to 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Column {
  readonly table: string
  readonly name: string
}

/** Every column of every table. */
export function columnsOf(file: string): Column[] {
  return withStore(file, (db) =>
    tablesOf(db).flatMap((table) =>
      db
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map(({ name }) => ({ table, name: String(name) })),
    ),
  )
}

function tablesOf(db: DatabaseSync): string[] {
  return db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map(({ name }) => String(name))
}

/** Changes one column of a random row. Undefined if a constraint rejects the change, or it would change nothing. */
export function editColumn(file: string, column: Column, random: () => number): Edit | undefined {
  return withoutTriggers(file, (db) => {
    const row = anyRow(db, column.table, random)
    const how = pick(['changed', 'changed', 'emptied', 'swapped'] as const, random)
    const before = row[column.name] ?? null
    const after =
      how === 'emptied'
        ? null
        : how === 'swapped'
          ? (anyRow(db, column.table, random)[column.name] ?? null)
          : changed(before, random)
    if (isSame(before, after)) return undefined
    const { where, values } = placeOf(db, column.table, row)
    db.prepare(`UPDATE ${column.table} SET ${column.name} = ? WHERE ${where}`).run(after, ...values)
    return {
      sentence: `${column.table}.${column.name} ${how} from ${displayValue(before)} to ${displayValue(after)} where ${where} (${values.map(displayValue)})`,
      table: column.table,
      how,
      column: column.name,
      row,
      after,
    }
  })
}

export function deleteRow(file: string, table: string, random: () => number): Edit | undefined {
  return withoutTriggers(file, (db) => {
    const row = anyRow(db, table, random)
    const { where, values } = placeOf(db, table, row)
    db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(...values)
    return {
      sentence: `${table} deleted where ${where} (${values.map(displayValue)})`,
      table,
      how: 'deleted',
      row,
    }
  })
}

/** Copies a row, with new keys and unique values. */
export function doubleRow(file: string, table: string, random: () => number): Edit | undefined {
  return withoutTriggers(file, (db) => {
    const row = anyRow(db, table, random)
    const unique = uniqueColumns(db, table)
    const copy = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        unique.has(name) ? another(db, table, name, value) : value,
      ]),
    )
    const names = Object.keys(copy)
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`).run(
      ...Object.values(copy),
    )
    return {
      sentence: `${table} doubled as ${names.map((name) => displayValue(copy[name] ?? null))}`,
      table,
      how: 'doubled',
      row,
    }
  })
}

/** Drops an index or a trigger. */
export function dropObject(file: string, random: () => number): Edit {
  return withStore(file, (db) => {
    const objects = db
      .prepare(`SELECT type, name FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL`)
      .all()
    const { type, name } = pick(objects, random)
    db.exec(`DROP ${type} ${name}`)
    return { sentence: `${type} ${name} dropped`, table: 'schema', how: 'dropped' as const }
  })
}

/** A slightly different value. */
export function changed(value: Value, random: () => number): Value {
  if (typeof value === 'number') return value + pick([-1, 1], random)
  if (value === null) return pick([0, 1, 'x', Buffer.of(1)], random)
  if (typeof value === 'string') return changedText(value, random)
  const bytes = Buffer.from(value as Uint8Array) // safe: the remaining column type is a blob
  if (bytes.length === 0) return Buffer.of(1)
  const at = Math.floor(random() * bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  return bytes
}

/** Replaces, adds or removes one letter. */
function changedText(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length)
  const letter = text[at] === 'a' ? 'b' : 'a'
  const rest = text.slice(at + 1)
  return pick([text.slice(0, at) + letter + rest, `${text}x`, text.slice(0, at) + rest], random)
}

function another(db: DatabaseSync, table: string, name: string, value: Value): Value {
  if (typeof value === 'number')
    return Number(db.prepare(`SELECT max(${name}) + 1 AS next FROM ${table}`).get()?.next)
  if (typeof value === 'string') return `${value}2`
  return value === null ? null : Buffer.concat([value as Uint8Array, Buffer.of(1)]) // safe, as above
}

function uniqueColumns(db: DatabaseSync, table: string): Set<string> {
  const indexed = db
    .prepare(`
      SELECT c.name FROM pragma_index_list(?) i, pragma_index_info(i.name) c WHERE i."unique" = 1 AND i.partial = 0`)
    .all(table)
  const keys = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0').all(table)
  return new Set([...indexed, ...keys].map(({ name }) => String(name)))
}

function placeOf(db: DatabaseSync, table: string, row: Row): { where: string; values: Value[] } {
  const keys = db
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0')
    .all(table)
    .map(({ name }) => String(name))
  return { where: keys.map((key) => `${key} = ?`).join(' AND '), values: keys.map((key) => row[key] ?? null) }
}

function anyRow(db: DatabaseSync, table: string, random: () => number): Row {
  const count = Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
  const offset = Math.floor(random() * count)
  return { ...db.prepare(`SELECT * FROM ${table} LIMIT 1 OFFSET ?`).get(offset) }
}

/** Runs an edit without the triggers, and restores them: an attacker with the file could do the same. */
export function withoutTriggers(
  file: string,
  edit: (db: DatabaseSync) => Edit | undefined,
): Edit | undefined {
  return withStore(file, (db) => {
    const triggers = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all()
    db.exec('BEGIN')
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
    const made = accepted(() => edit(db))
    for (const { sql } of triggers) db.exec(String(sql))
    db.exec('COMMIT')
    return made
  })
}

/** Undefined if a constraint rejects the edit. */
function accepted(edit: () => Edit | undefined): Edit | undefined {
  try {
    return edit()
  } catch (error) {
    if (error instanceof Error && /constraint|cannot store|datatype mismatch/.test(error.message))
      return undefined
    throw error
  }
}

/** Opens the file and leaves no other files behind. */
export function withStore<T>(file: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA synchronous = OFF')
  try {
    return use(db)
  } finally {
    db.close()
  }
}

export function pick<T>(list: readonly T[], random: () => number): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

function isSame(a: Value, b: Value): boolean {
  return a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0)
}

export function displayValue(value: unknown): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
