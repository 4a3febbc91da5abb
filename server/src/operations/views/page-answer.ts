import type { Page } from '../../store/port/pages.ts'
import { cursorOf } from '../lists/pages.ts'

/** Returns a page of a list that runs from the newest entry to the oldest. */
export function pageAnswer<Entry, View>({ entries, before }: Page<Entry>, viewOf: (entry: Entry) => View) {
  return {
    data: entries.map(viewOf),
    next_cursor: before === undefined ? null : cursorOf('c', before),
    has_more: before !== undefined,
  }
}

/** Returns the answer if the filter and the caller's visibility exclude each other. */
export function emptyPage() {
  return { data: [], next_cursor: null, has_more: false }
}
