import { sqliteCodeOf } from '../../../sqlite-code.ts'
import { StoreError } from '../../port/store-error.ts'

/** Result codes of errors that a row causes, not the store: too big, constraint, mismatch and range. */
const ROW_ERRORS: ReadonlySet<number | undefined> = new Set([18, 19, 20, 25])

/** Whether the store refused a row, as it always will. */
export function isRowRefusal(error: unknown): boolean {
  return ROW_ERRORS.has(sqliteCodeOf(error))
}

/** Turns errors of SQLite into StoreErrors, with this outcome if no row is to blame. Returns other errors unchanged. */
export function writeError(error: unknown, otherwise: StoreError['outcome']): unknown {
  if (sqliteCodeOf(error) === undefined) return error
  return new StoreError(
    'the store could not be written',
    isRowRefusal(error) ? 'rows_refused' : otherwise,
    error,
  )
}
