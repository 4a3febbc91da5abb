import { DatabaseError } from 'pg'
import { StoreError } from '../port.ts'

/** Classes of what the server says when it is not the question that is wrong: no connection, no room, told to stop. */
const PASSING = /^(?:08|53|57|58|25P03|55P03)/

/**
 * What a failed question stands for: a `StoreError` when the database could not be asked or could not answer now, and the
 * error itself when the question was wrong.
 */
export function storeTrouble(error: unknown): unknown {
  if (error instanceof StoreError || error instanceof TypeError || !(error instanceof Error)) return error
  if (error instanceof DatabaseError && !PASSING.test(error.code ?? '')) return error
  return new StoreError('the database does not answer', 'nothing_written', error)
}
