import { setImmediate } from 'node:timers/promises'
import { DEFAULT_PAGE, invalidField } from '@deputize/protocol'
import type { Page, PageRequest, TimeRange } from '../store/port.ts'

/** A cursor is a letter that says what it counts, and a number. */
const CURSOR = /^([a-z])([0-9a-z]{1,11})$/

/** The page that a list query asks for. */
export function pageRequest({ limit, cursor }: { limit?: number; cursor?: string }): PageRequest {
  if (cursor === undefined) return { limit: limit ?? DEFAULT_PAGE, before: undefined }
  return { limit: limit ?? DEFAULT_PAGE, before: readCursor(cursor, 'c').position }
}

/** What a cursor says, if it is of one of these kinds. */
export function readCursor<const Kind extends string>(
  cursor: string,
  ...kinds: readonly Kind[]
): { readonly kind: Kind; readonly position: number } {
  const [, letter, digits] = CURSOR.exec(cursor) ?? []
  const kind = kinds.find((one) => one === letter)
  if (kind === undefined || digits === undefined)
    throw invalidField('?cursor', 'must be the next_cursor of the page before, unchanged')
  return { kind, position: Number.parseInt(digits, 36) }
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

export function pageAnswer<Entry, View>({ entries, before }: Page<Entry>, viewOf: (entry: Entry) => View) {
  return {
    data: entries.map(viewOf),
    next_cursor: before === undefined ? null : cursorOf('c', before),
    has_more: before !== undefined,
  }
}

/** Answers a list of which the caller may see nothing. */
export function emptyPage() {
  return { data: [], next_cursor: null, has_more: false }
}

/** How much an export reads before others have their turn. */
export const EXPORT_PAGE = 200

/** Every entry of a list, newest first, page after page. */
export async function* everyEntry<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let before: number | undefined
  do {
    const page = await read({ limit: EXPORT_PAGE, before })
    yield* page.entries
    before = page.before
    await setImmediate()
  } while (before !== undefined)
}
