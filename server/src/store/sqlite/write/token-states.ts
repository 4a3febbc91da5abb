import type { DatabaseSync } from 'node:sqlite'
import { CHANGED_STATE_COLUMNS, STATE_COLUMNS, type StateRow } from '../../rows/tokens.ts'
import { replaced } from '../../sql-text.ts'
import { isRecorded, laterRun, type RecordedStatement } from '../journal/recorded-statements.ts'
import { insertSql } from './insertion.ts'

/**
 * Writes the states of tokens. An agent acts in many batches in a row, so a state that no other statement needs is
 * recorded with the batch, and written once for all batches that share a transaction.
 */
export class TokenStates {
  readonly #run: ReturnType<typeof laterRun>
  /** Undefined if nothing is recorded. Every state is then written at once. */
  readonly #recorded: RecordedStatement | undefined
  /** States that are recorded but not written, by token. */
  readonly #waiting = new Map<number, StateRow>()

  constructor(db: DatabaseSync) {
    const statement = db.prepare(
      `${insertSql('token_states', STATE_COLUMNS)} ON CONFLICT DO UPDATE SET ${replaced(CHANGED_STATE_COLUMNS)}`,
    )
    this.#run = laterRun(statement)
    this.#recorded = isRecorded(statement) ? statement : undefined
  }

  set(row: StateRow): void {
    this.#waiting.delete(row.token_key)
    this.#run(...valuesOf(row))
  }

  /** Sets a state that no statement reads or adds to before the transaction commits. */
  setByCommit(row: StateRow): void {
    // What the table would refuse must be refused before the batch is acknowledged.
    if (this.#recorded === undefined || !isSound(row)) this.set(row)
    else {
      this.#recorded.record(...valuesOf(row))
      this.#waiting.set(row.token_key, row)
    }
  }

  /** Returns a token's state, if the table doesn't have it yet. */
  waiting(token_key: number): StateRow | undefined {
    return this.#waiting.get(token_key)
  }

  /** Writes the waiting states. Call it before the transaction commits. */
  writeWaiting(): void {
    for (const row of this.#waiting.values()) this.#recorded?.make(...valuesOf(row))
    this.#waiting.clear()
  }

  /** Forgets the waiting states. Call it after a transaction was rolled back. */
  forget(): void {
    this.#waiting.clear()
  }
}

/** Whether the table accepts the row. It could refuse nothing else in a row of this kind. */
function isSound({
  spent_micro_usd,
  reserved_micro_usd,
  actions,
  minute,
  minute_actions,
}: StateRow): boolean {
  const isAmount = (sum: number) => Number.isSafeInteger(sum) && sum >= 0
  return [spent_micro_usd, reserved_micro_usd, actions, minute, minute_actions].every(isAmount)
}

function valuesOf(row: StateRow) {
  return STATE_COLUMNS.map((column) => row[column])
}
