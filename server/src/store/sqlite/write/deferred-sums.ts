import type { DatabaseSync } from 'node:sqlite'
import type { AgentTally } from '../../../domain/reputation.ts'
import { addsToAgent } from '../../rows/agents.ts'
import { type SumKeys, type SumRows, type Sums, sumsText, TABLES_OF_SUMS } from '../../rows/sums.ts'
import { SumsByMinute } from '../../rows/sums-by-minute.ts'
import { added } from '../../sql-text.ts'
import { SUM_COLUMNS } from '../../tables.ts'
import { text } from '../../values.ts'
import { laterRun } from '../journal/recorded-statements.ts'
import { counterWriter } from '../read/counters.ts'
import { insertion, rowStatement } from './insertion.ts'
import { internedKeys } from './row-keys.ts'
import { tallyWriter } from './tallies.ts'

/**
 * Sums that aren't in their tables yet. A batch writes what it adds to one row of `deferred_sums`, in its own commit.
 * Every few seconds, all such rows are added to the tables and deleted, in one commit. A crash leaves rows, which the
 * next start adds.
 */
export class DeferredSums {
  readonly #readRows: () => string[]
  readonly #deleteRows: () => void
  readonly #insertRow: (text: string) => void
  readonly #write: (rows: SumRows) => void
  readonly #keys: SumKeys
  /** Undefined if it has to be read from the store again. */
  #sums: SumsByMinute | undefined

  constructor(db: DatabaseSync, keys: SumKeys) {
    const find = db.prepare('SELECT sums FROM deferred_sums ORDER BY batch')
    const clear = db.prepare('DELETE FROM deferred_sums')
    this.#readRows = () => find.all().map((row) => text(row.sums))
    this.#insertRow = laterRun(db.prepare('INSERT INTO deferred_sums (sums) VALUES (?)'))
    this.#deleteRows = () => clear.run()
    this.#write = sumWriter(db)
    this.#keys = keys
  }

  /** Defers a batch's sums. Part of the batch's transaction. */
  defer(sums: Sums, now_ms: number): void {
    const text = sumsText(sums, now_ms)
    if (text === undefined) return
    this.#loaded().add(sums, now_ms)
    this.#insertRow(text)
  }

  /** Adds a batch's sums, and all deferred ones, to their tables. Part of the batch's transaction. */
  writeWith(sums: Sums, now_ms: number): void {
    this.#loaded().add(sums, now_ms)
    this.write()
  }

  /** Adds all deferred sums to their tables. Part of a transaction. */
  write(): void {
    const all = this.#loaded()
    if (all.isEmpty()) return
    for (const rows of all.rows(this.#keys)) this.#write(rows)
    this.#deleteRows()
    this.#sums = new SumsByMinute()
  }

  /** Whether it is time to write deferred sums. */
  isDue(now_ms: number): boolean {
    return this.#loaded().isDue(now_ms)
  }

  /**
   * Whether there may be deferred sums. Reads nothing: after a rollback, when the store may be unreadable, it is true.
   */
  mayHaveAny(): boolean {
    return this.#sums?.isEmpty() !== true
  }

  /** Returns what an agent's sums gain once deferred ones are written. */
  tallies(agent_id: string): AgentTally[] {
    return this.#loaded().tallies(agent_id)
  }

  /** Makes the next call read everything from the store again. Call it after a transaction was rolled back. */
  forget(): void {
    this.#sums = undefined
  }

  #loaded(): SumsByMinute {
    this.#sums ??= SumsByMinute.of(this.#readRows())
    return this.#sums
  }
}

/**
 * Shows deferred sums to a read-only connection as if they were in their tables, through temporary copies that hide the
 * tables. The file isn't changed. Throws if deferred sums can't be added.
 */
export function showDeferredSums(db: DatabaseSync): void {
  if (db.prepare('SELECT 1 FROM deferred_sums LIMIT 1').get() === undefined) return
  const form = db.prepare(`SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?`)
  for (const table of TABLES_OF_SUMS) {
    db.exec(text(form.get(table)?.sql).replace(/^CREATE TABLE/, 'CREATE TEMP TABLE'))
    db.exec(`INSERT INTO temp.${table} SELECT * FROM main.${table}`)
  }
  const keys = internedKeys(db)
  // The writer stores everything that it counts in the same commit, so nothing is added to another table here.
  new DeferredSums(db, { ...keys, agent: (agent_id) => keys.agent(agent_id, 0) }).write()
}

/** Adds rows of sums to their tables. Agents' rows have existed since their keys were first used. */
function sumWriter(db: DatabaseSync): (rows: SumRows) => void {
  const addToAgent = rowStatement(
    db,
    `UPDATE agents SET last_action_ms = coalesce(?, last_action_ms),
      ${SUM_COLUMNS.map((column) => `${column} = ${column} + ?`).join(', ')}
    WHERE agent_key = ?`,
    ['last_action_ms', ...SUM_COLUMNS, 'agent_key'],
  )
  const addToDay = insertion(
    db,
    'agent_days',
    `ON CONFLICT DO UPDATE SET ${added('agent_days', SUM_COLUMNS)}`,
  )
  const writeTallies = tallyWriter(db)
  const writeCounters = counterWriter(db)
  return (rows) => {
    writeTallies(rows)
    for (const row of rows.agents) if (addsToAgent(row)) addToAgent(row)
    for (const row of rows.agent_days) addToDay(row)
    writeCounters(rows)
  }
}
