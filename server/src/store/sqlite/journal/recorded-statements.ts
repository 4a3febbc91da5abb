import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { FrameEncoder, FrameValue } from './frame.ts'

/** A statement of a connection whose changes are recorded. */
export interface RecordedStatement extends StatementSync {
  /** Records the change now, and makes it before the connection runs any other statement, or on `catchUp`. */
  runLater(...values: FrameValue[]): void
  /** Records the change without making it. The caller makes it before the transaction commits. */
  record(...values: FrameValue[]): void
  /** Makes a change that was recorded before. */
  make(...values: FrameValue[]): void
}

/** A change that is recorded but not made yet. */
interface WaitingChange {
  readonly run: (...values: FrameValue[]) => unknown
  readonly values: FrameValue[]
}

/**
 * Adds what a connection's statements write to an encoder, while recording is on. A change whose result isn't needed
 * may wait, so that the frame is on its way to the disk before the change is made. Every statement that runs later sees
 * it.
 */
export class RecordedStatements {
  readonly #encoder: FrameEncoder
  #isOn = false
  #waiting: WaitingChange[] = []

  /** Statements prepared from now on are recorded. */
  constructor(db: DatabaseSync, encoder: FrameEncoder) {
    this.#encoder = encoder
    const prepare = db.prepare.bind(db)
    db.prepare = (sql) => this.#recorded(prepare(sql), encoder.numberOf(sql))
  }

  record(): void {
    this.#isOn = true
  }

  stop(): void {
    this.#isOn = false
  }

  /** Makes the waiting changes. */
  catchUp(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const { run, values } of waiting) run(...values)
  }

  /** Forgets the waiting changes. */
  drop(): void {
    this.#waiting = []
  }

  #recorded(statement: StatementSync, number: number): RecordedStatement {
    const inOrder = <A extends SQLInputValue[], T>(method: (...values: A) => T) => {
      const bound = method.bind(statement)
      return (...values: A): T => {
        this.catchUp()
        return bound(...values)
      }
    }
    const run: StatementSync['run'] = statement.run.bind(statement)
    return Object.assign(statement, {
      get: inOrder(statement.get),
      all: inOrder(statement.all),
      iterate: inOrder(statement.iterate),
      run: (...values: SQLInputValue[]) => {
        this.catchUp()
        const done = run(...values)
        // The writer binds by position, and only values that a frame can hold.
        if (this.#isOn && done.changes !== 0) this.#encoder.add(number, values as FrameValue[])
        return done
      },
      runLater: (...values: FrameValue[]) => {
        if (this.#isOn) {
          this.#encoder.add(number, values)
          this.#waiting.push({ run, values })
        } else run(...values)
      },
      record: (...values: FrameValue[]) => this.#encoder.add(number, values),
      make: (...values: FrameValue[]) => {
        this.catchUp()
        run(...values)
      },
    })
  }
}

/** Runs a statement whose result isn't needed: later if its connection records statements, else at once. */
export function laterRun(statement: StatementSync): (...values: FrameValue[]) => void {
  return isRecorded(statement) ? statement.runLater : (...values) => void statement.run(...values)
}

export function isRecorded(statement: StatementSync): statement is RecordedStatement {
  return 'runLater' in statement
}
