import { setImmediate } from 'node:timers/promises'
import { type AuthorityError, DEFAULT_PAGE, invalidField } from '@deputize/protocol'
import type { TimeRange } from '../../store/port/filters.ts'
import type { Page, PageRequest } from '../../store/port/pages.ts'

/** A cursor is one letter, which names what it counts, and a base-36 number. */
const CURSOR = /^([a-z])([0-9a-z]{1,11})$/

/** Returns the page that a list query requests. */
export function pageRequest({ limit, cursor }: { limit?: number; cursor?: string }): PageRequest {
  if (cursor === undefined) return { limit: limit ?? DEFAULT_PAGE, before: undefined }
  return { limit: limit ?? DEFAULT_PAGE, before: readCursor(cursor, 'c').position }
}

/** Decodes a cursor of one of these kinds. */
export function readCursor<const Kind extends string>(
  cursor: string,
  ...kinds: readonly Kind[]
): { readonly kind: Kind; readonly position: number } {
  const [, letter, digits] = CURSOR.exec(cursor) ?? []
  const kind = kinds.find((one) => one === letter)
  if (kind === undefined || digits === undefined) throw foreignCursor()
  return { kind, position: Number.parseInt(digits, 36) }
}

export function foreignCursor(): AuthorityError {
  return invalidField(
    '?cursor',
    'must be the unchanged next_cursor of the previous page of this list. Start again without it.',
  )
}

export function cursorOf(kind: string, position: number): string {
  return `${kind}${position.toString(36)}`
}

export function timeRange({ from, to }: { from?: string; to?: string }): TimeRange {
  return {
    from_ms: from === undefined ? undefined : Date.parse(from),
    to_ms: to === undefined ? undefined : Date.parse(to),
  }
}

/** Entries that an export reads before it yields to other requests. */
export const EXPORT_PAGE = 200

/** Yields every entry of a list, newest first, reading page by page. */
export async function* eachEntry<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let before: number | undefined
  do {
    const page = await read({ limit: EXPORT_PAGE, before })
    yield* page.entries
    before = page.before
    await setImmediate()
  } while (before !== undefined)
}
