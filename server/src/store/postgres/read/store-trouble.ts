import { StoreError } from '../../port/store-error.ts'
import { isDatabaseUnavailable } from '../availability.ts'

/** What a failed question stands for: a `StoreError` while the database is away or busy, else the error itself. */
export function storeTrouble(error: unknown): unknown {
  if (error instanceof StoreError || !isDatabaseUnavailable(error)) return error
  return new StoreError('the database does not answer', 'nothing_written', error)
}
