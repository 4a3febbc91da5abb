/** Returns the primary SQLite result code behind an error, or undefined for other errors. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & PRIMARY_CODE
}

const PRIMARY_CODE = 0xff

/** A read or write failed, a page is malformed, or the file is not a database. */
const DAMAGE_CODES: readonly unknown[] = [10, 11, 26]
const CANNOT_OPEN = 14
const BUSY = 5
const FULL = 13
/** No permission, a read-only file or disk, a file that cannot be opened. */
const REFUSED_CODES: readonly unknown[] = [3, 8, CANNOT_OPEN]

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === BUSY
}

/** Whether a write found no space. */
export function isFullStore(error: unknown): boolean {
  return sqliteCodeOf(error) === FULL
}

/** Whether this user may not open or write the file. */
export function isRefusedFile(error: unknown): boolean {
  return REFUSED_CODES.includes(sqliteCodeOf(error))
}

/** Whether the store's file itself can't be read. Other errors say nothing about the data. */
export function isDamagedFile(error: unknown): error is Error {
  return DAMAGE_CODES.includes(sqliteCodeOf(error))
}

/** Whether the store couldn't be read. Callers may retry, and the error is logged for operators. */
export function isUnreadableFile(error: unknown): boolean {
  return isDamagedFile(error) || sqliteCodeOf(error) === CANNOT_OPEN
}
