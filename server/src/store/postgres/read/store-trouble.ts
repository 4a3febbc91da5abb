import { StoreError } from '../../port/store-error.ts'
import { isDatabaseUnavailable } from '../availability.ts'

/**
 * Translates the error of a failed query: to a `StoreError` if the database is away or busy, else to the error itself.
 */
export function storeTrouble(error: unknown): unknown {
  if (error instanceof StoreError || !isDatabaseUnavailable(error)) return error
  return new StoreError('the database does not answer', 'nothing_written', error)
}
