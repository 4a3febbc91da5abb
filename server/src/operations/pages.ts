import { DEFAULT_PAGE, invalidField } from '@deputy/protocol'
import type { Page, PageRequest, TimeRange } from '../store/port.ts'

const CURSOR = /^c([0-9a-z]{1,11})$/

/** The page that a list query asks for. */
export function pageRequest({ limit, cursor }: { limit?: number; cursor?: string }): PageRequest {
  if (cursor === undefined) return { limit: limit ?? DEFAULT_PAGE, before: undefined }
  const position = CURSOR.exec(cursor)?.[1]
  if (position === undefined)
    throw invalidField('?cursor', 'must be the next_cursor of the page before, unchanged')
  return { limit: limit ?? DEFAULT_PAGE, before: Number.parseInt(position, 36) }
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
    next_cursor: before === undefined ? null : `c${before.toString(36)}`,
    has_more: before !== undefined,
  }
}
