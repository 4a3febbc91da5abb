import { StoreError } from './port/store-error.ts'

/**
 * Attempts work that can wait while the disk refuses writes. Resolves to the refusal, if there is one. Returns
 * undefined if the work is done at once.
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
