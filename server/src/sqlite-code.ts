/** The result code of SQLite behind an error, without what extends it. Undefined for other errors. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & PRIMARY_CODE
}

const PRIMARY_CODE = 0xff

/** A read or write failed, a page is malformed, or the file is no database. */
const DAMAGE_CODES: readonly unknown[] = [10, 11, 26]
const CANNOT_OPEN = 14

/** Whether the file of the store itself cannot be read. Other errors say nothing about the data. */
export function isDamagedFile(error: unknown): error is Error {
  return DAMAGE_CODES.includes(sqliteCodeOf(error))
}

/** Whether the store could not be read. Callers may come back, and operators must know: it is logged. */
export function isUnreadableFile(error: unknown): boolean {
  return isDamagedFile(error) || sqliteCodeOf(error) === CANNOT_OPEN
}
