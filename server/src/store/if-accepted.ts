import { StoreError } from './port.ts'

/** Does something that a disk which refuses writes may leave for later. Undefined if it is done, or was left, at once. */
export function ifAccepted(attempt: () => Promise<void> | undefined): Promise<void> | undefined {
  try {
    return attempt()?.catch(ignoreRefusal)
  } catch (error) {
    ignoreRefusal(error)
    return undefined
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof StoreError)) throw error
}
