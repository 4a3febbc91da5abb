import { StoreError } from '../port/store-error.ts'
import { wrapMethods } from '../wrap-methods.ts'
import type { Reserve } from './reserve.ts'

/** Wraps a file so that its methods in `stops`, which take authority back, may use the reserve, like the stop lane. */
export function stoppingOnFullDisk<Room extends object>(
  room: Room,
  reserve: Reserve,
  stops: readonly (keyof Room & string)[],
): Room {
  const names: readonly string[] = stops
  return wrapMethods(room, (method, name) => {
    if (!names.includes(name)) return method
    return async (...given) => {
      try {
        return await method(...given)
      } catch (error) {
        if (!(error instanceof StoreError && error.is_full && reserve.release())) throw error
        return method(...given)
      }
    }
  })
}
