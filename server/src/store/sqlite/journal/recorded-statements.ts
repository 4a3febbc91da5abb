import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { FrameEncoder, FrameValue } from './frame.ts'

/** Switches recording on and off. */
export interface StatementRecorder {
  isOn: boolean
}

/** From now on, whatever the statements of a connection write is added to the encoder, while recording is on. */
export function recordStatements(db: DatabaseSync, encoder: FrameEncoder): StatementRecorder {
  const recorder = { isOn: false }
  const prepare = db.prepare.bind(db)
  db.prepare = (sql) => {
    const statement = prepare(sql)
    const number = encoder.numberOf(sql)
    const run = statement.run.bind(statement)
    const recorded = (...values: SQLInputValue[]) => {
      const done = run(...values)
      // The writer binds by position, and only values that a frame holds.
      if (recorder.isOn && done.changes !== 0) encoder.add(number, values as FrameValue[])
      return done
    }
    return Object.assign(statement, { run: recorded })
  }
  return recorder
}
