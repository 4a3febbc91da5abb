import { isFullStore } from '../sqlite-code.ts'
import { isOutOfSpace } from '../store/sqlite/reserve.ts'

/** Whether a write failed for lack of space, in a file or in a store. */
export function foundNoSpace(error: unknown): boolean {
  return isOutOfSpace(error) || isFullStore(error)
}
