import { StoreError } from './port/store-error.ts'

/**
 * Does something that a disk which refuses writes may leave for later, and resolves to its refusal. Undefined if it is done
 * at once.
 */
export function ifAccepted(
  attempt: () => Promise<void> | undefined,
): Promise<StoreError | undefined> | undefined {
  try {
    return attempt()?.then(() => undefined, refusalOrThrow)
  } catch (error) {
    return Promise.resolve(refusalOrThrow(error))
  }
}

function refusalOrThrow(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  throw error
}
