import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  activeSearch,
  counterSearch,
  counterSumsOf,
  firstUseOf,
  firstUseSearch,
  hoursSearch,
  hourUseOf,
  minuteSignalsOf,
  SIGNALS,
} from '../../counter-search.ts'
import type { StatsReader } from '../../port/stats-reader.ts'
import { ADDED_COLUMNS, COUNTER_KEY, type CounterRow, counterUpdate } from '../../rows/counters.ts'
import type { SumRows } from '../../rows/sums.ts'
import { text } from '../../values.ts'
import { insertion } from '../write/insertion.ts'

/** Adds to counters. Almost every row exists already, so an UPDATE is tried first. */
export function counterWriter(db: DatabaseSync): (rows: Pick<SumRows, 'counters'>) => void {
  const insert = insertion(db, 'counters')
  const setFirstIndex = db.prepare(
    `UPDATE counters SET first_index = ? WHERE ${COUNTER_KEY.map((column) => `${column} = ?`).join(' AND ')}`,
  )
  const setFirst = (row: CounterRow) =>
    Number(setFirstIndex.run(row.first_index, ...COUNTER_KEY.map((column) => row[column])).changes) > 0
  const update = counterUpdates(db)

  return ({ counters }) => {
    for (const row of counters) {
      if (update(row)) continue
      // If an action was only denied so far, its row exists without a first index.
      if (row.first_index === null || !setFirst(row) || !update(row)) insert(row)
    }
  }
}

const MOST_UPDATES = 200

/**
 * Adds to an existing row, and returns whether there is one. For an allowed action, the row must have a first index. So
 * `first_index` is written only once, and every other update leaves its two indexes alone.
 *
 * There is a statement for each series and set of columns that batches add to. The series must be a literal: partial
 * indexes make SQLite replan a statement whenever another value is bound for it, which costs more than the update.
 */
function counterUpdates(db: DatabaseSync): (row: CounterRow) => boolean {
  const statements = new Map<number, StatementSync>()
  const values: number[] = [] // reused for each row: this is a hot path
  return (row) => {
    let mask = row.series * 2 + (row.first_index === null ? 0 : 1)
    values.length = 0
    for (const column of ADDED_COLUMNS) {
      mask *= 2
      if (row[column] === 0) continue
      mask += 1
      values.push(row[column])
    }
    let statement = statements.get(mask)
    if (statement === undefined) {
      if (statements.size >= MOST_UPDATES) statements.clear()
      statement = db.prepare(updateOf(row))
      statements.set(mask, statement)
    }
    values.push(row.owner_key, row.bucket, row.name_key, row.resource_key)
    return Number(statement.run(...values).changes) > 0
  }
}

function updateOf(row: CounterRow): string {
  const update = counterUpdate(
    ADDED_COLUMNS.filter((column) => row[column] !== 0),
    (column) => column,
    () => '?',
    { least: 'min', greatest: 'max' },
  )
  return `UPDATE counters SET ${update || 'series = series'} WHERE series = ${row.series} AND owner_key = ? AND bucket = ?
    AND name_key = ? AND resource_key = ?${row.first_index === null ? '' : ' AND first_index IS NOT NULL'}`
}

/** Doubles hold every safe integer. */
function safeSum(column: string): string {
  return `cast(min(total(${column}), ${Number.MAX_SAFE_INTEGER}) AS INTEGER)`
}

export function statsReader(db: DatabaseSync): StatsReader {
  const signals = db.prepare(SIGNALS)
  const hours = db.prepare(hoursSearch(safeSum))
  const firstUses = {
    action: db.prepare(firstUseSearch('action')),
    resource: db.prepare(firstUseSearch('resource')),
  }
  return {
    async sums(query) {
      const { sql, values } = counterSearch(query, safeSum)
      return counterSumsOf(db.prepare(sql).all(...values), query)
    },
    async activeSince(query) {
      const { sql, values } = activeSearch(query, safeSum)
      return db
        .prepare(sql)
        .all(...values)
        .map(({ agent_id }) => text(agent_id))
    },
    signals: async (agent_id, from, to) => signals.all(agent_id, from, to).map(minuteSignalsOf),
    hours: async (agent_id, from, to) => hours.all(agent_id, from, to).map(hourUseOf),
    firstUses: async (agent_id, from, to) =>
      (['action', 'resource'] as const).flatMap((of) =>
        firstUses[of].all(agent_id, from, to).map((row) => firstUseOf(of, row)),
      ),
  }
}
