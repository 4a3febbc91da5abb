import { encodeFrontier, type Frontier } from '@deputize/protocol'
import type { Client } from 'pg'
import { LOCKS } from '../postgres/locks.ts'
import type { SealedKeysRow } from '../postgres/sealed-keys.ts'
import { columnOf, columnsIn, TABLES, type TableName } from '../tables.ts'
import { integer, optionalText, type Row } from '../values.ts'

const MOVING = 'moving'

/** The contents of a database that a deployment is about to move into. */
export interface Occupation {
  readonly is_empty: boolean
  /** The state and deployment of an interrupted move. */
  readonly moving: string | undefined
  /** The deployment that the database belongs to. */
  readonly instance: string | undefined
}

export interface TargetHead {
  readonly frontier: Frontier
  readonly last_ms: number
  readonly last_keys: Row
}

/** A database that replaces an embedded store. */
export interface Target {
  /** False while another move runs. */
  lock(): Promise<boolean>
  occupation(): Promise<Occupation>
  /** Stores what is being moved. Called before the first row. */
  begin(moving: string): Promise<void>
  columns(table: TableName): Promise<string[]>
  /** The last row that was copied. */
  last(table: TableName): Promise<Row | undefined>
  insert(table: TableName, rows: readonly Row[]): Promise<void>
  page(table: TableName, after: Row | undefined, limit: number): Promise<Row[]>
  count(table: TableName): Promise<number>
  /** Hands the deployment over in one transaction. A crash before its commit leaves a move that can be resumed. */
  finish(head: TargetHead, keys: SealedKeysRow): Promise<void>
  /** Writes the log's head, so that the log can grow. No node starts on the database without keys. */
  writeHead(head: TargetHead): Promise<void>
  /** Stores the deployment's keys. From then on, nodes start on the database. */
  handOver(keys: SealedKeysRow): Promise<void>
}

export function openTarget(client: Client): Target {
  async function rows(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await client.query(text, values)).rows
  }

  async function occupation(): Promise<Occupation> {
    const [found = {}] = await rows(`SELECT
      (SELECT value FROM deployment WHERE name = '${MOVING}') AS moving,
      (SELECT value FROM deployment WHERE name = 'instance') AS instance,
      (SELECT batch FROM log_head) = 0 AND NOT EXISTS (SELECT FROM sealed_keys)
        AND NOT EXISTS (SELECT FROM deployment) AND NOT EXISTS (SELECT FROM leaves)
        AND NOT EXISTS (SELECT FROM deferred_sums) AS is_empty`)
    return {
      is_empty: found.is_empty === true,
      moving: optionalText(found.moving),
      instance: optionalText(found.instance),
    }
  }

  /** Leaves out the marker of the move itself. */
  const moved = (table: TableName) =>
    table === 'deployment' ? `deployment WHERE name <> '${MOVING}'` : table

  async function writeHead({ frontier, last_ms, last_keys }: TargetHead): Promise<void> {
    await rows(
      `UPDATE log_head SET frontier = $1, last_ms = $2, batch = 1, last_token_key = $3, last_agent_key = $4,
        last_human_key = $5, last_workflow_key = $6, last_name_key = $7, last_data_key = $8`,
      [
        encodeFrontier(frontier),
        last_ms,
        last_keys.last_token_key,
        last_keys.last_agent_key,
        last_keys.last_human_key,
        last_keys.last_workflow_key,
        last_keys.last_name_key,
        last_keys.last_data_key,
      ],
    )
    await rows('UPDATE status_places SET next = $1', [last_keys.next_place])
  }

  async function handOver({ revision, sealed }: SealedKeysRow): Promise<void> {
    await rows('INSERT INTO sealed_keys VALUES (1, $1, $2)', [revision, sealed])
    await rows('DELETE FROM deployment WHERE name = $1', [MOVING])
  }

  return {
    async lock() {
      const [found] = await rows('SELECT pg_try_advisory_lock($1) AS is_ours', [LOCKS.move])
      return found?.is_ours === true
    },
    occupation,
    async begin(moving) {
      await rows('INSERT INTO deployment (name, value) VALUES ($1, $2)', [MOVING, moving])
    },
    async columns(table) {
      const found = await rows(
        'SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema AND table_name = $1',
        [table],
      )
      return found.map(({ column_name }) => String(column_name))
    },
    async last(table) {
      const order = ordered(table, ' DESC')
      return (
        await rows(`SELECT ${TABLES[table].key.join(', ')} FROM ${moved(table)} ORDER BY ${order} LIMIT 1`)
      )[0]
    },
    async insert(table, given) {
      const list = columnsIn(table, 'postgres').join(', ')
      // One JSON text for all rows; the database reads each value as the type of its column.
      await rows(
        `INSERT INTO ${table} (${list}) SELECT ${list} FROM json_populate_recordset(NULL::${table}, $1::json)`,
        [JSON.stringify(given.map(printable))],
      )
    },
    async page(table, after, limit) {
      const { key } = TABLES[table]
      const above =
        after === undefined
          ? 'true'
          : `(${ordered(table)}) > (${key.map((_, index) => `$${index + 2}`).join(', ')})`
      const values = after === undefined ? [] : key.map((column) => after[column])
      return rows(
        `SELECT * FROM (SELECT * FROM ${moved(table)}) AS moved WHERE ${above} ORDER BY ${ordered(table)} LIMIT $1`,
        [limit, ...values],
      )
    },
    async count(table) {
      const [found] = await rows(`SELECT count(*) AS count FROM ${moved(table)}`)
      return integer(found?.count)
    },
    async finish(head, keys) {
      await rows('BEGIN')
      await writeHead(head)
      await handOver(keys)
      await rows('COMMIT')
    },
    writeHead,
    async handOver(keys) {
      await rows('BEGIN')
      await handOver(keys)
      await rows('COMMIT')
    },
  }
}

/** Orders text by its bytes, like SQLite, whatever the collation of the database. */
function ordered(table: TableName, direction = ''): string {
  return TABLES[table].key
    .map((column) => `${column}${columnOf(table, column).type === 'text' ? ' COLLATE "C"' : ''}${direction}`)
    .join(', ')
}

/** Converts bytes to PostgreSQL's text form. */
function printable(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
    ]),
  )
}
