import { StoreError } from '../port/store-error.ts'
import { wrapMethods } from '../wrap-methods.ts'

/** Wraps a file's methods so that errors of SQLite become StoreErrors that say what failed. */
export function reportingStoreErrors<Room extends object>(room: Room, what: string): Room {
  return wrapMethods(room, (method) => async (...given) => {
    try {
      return await method(...given)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) throw error
      throw new StoreError(what, 'nothing_written', error)
    }
  })
}
