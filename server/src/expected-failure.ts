/** A failure that the operator can fix. Its message says how and is shown without a stack. */
export class ExpectedFailure extends Error {
  /** Between threads an error keeps its own members, but not its class. */
  readonly is_expected = true
}

/** Whether an expected failure may resolve itself, such as a database that isn't up yet. Its class sets this. */
export function isTemporaryFailure(error: Error): boolean {
  return 'is_temporary' in error && error.is_temporary === true
}

/** What to do about data that is damaged. */
export const RESTORE_BACKUP =
  'Keep a copy of the directory as it is, and restore the newest backup into an empty one (deputy restore).'

/** Whether an error is an expected failure, even one from another thread. */
export function isExpectedFailure(error: unknown): error is Error {
  return error instanceof Error && 'is_expected' in error && error.is_expected === true
}
