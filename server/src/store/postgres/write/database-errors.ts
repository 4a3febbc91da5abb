import { DatabaseError } from 'pg'

/** Whether the database itself rejected the statement and is still available, so that the outcome is clear. */
export function isStatementRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(08|57P)/.test(error.code ?? '')
}

/** Whether a row caused the error, not the state of the database: bad data, a constraint, or a trigger's exception. */
export function isRowError(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|23|P0001)/.test(error.code ?? '')
}

/** Whether the error came from the database, the network or the driver. Any other error is a bug. */
export function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false
  return (
    'code' in error || /timeout|Connection terminated|not queryable|Client was closed/i.test(error.message)
  )
}
