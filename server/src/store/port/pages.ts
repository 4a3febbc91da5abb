export interface PageRequest {
  readonly limit: number
  /** Only entries below this log index. */
  readonly before: number | undefined
}

export interface Page<T> {
  /** Newest first. A page may hold fewer entries than requested even if more follow. */
  readonly entries: T[]
  /** The next page begins below this log index; undefined after the last page. */
  readonly before: number | undefined
}

/** How many entries match, counted up to `MOST_TOTALLED` and for a bounded time. */
export interface Total {
  readonly count: number
  /** Whether `count` is exact. If not, it is a lower bound. */
  readonly is_exact: boolean
}

export const MOST_TOTALLED = 10_000

export interface UpwardRequest {
  readonly limit: number
  /** Only entries at or above this log index. */
  readonly from: number
  /** Only entries below this log index. */
  readonly end: number | undefined
}

export interface UpwardPage<T> {
  /** Oldest first. A page may hold fewer entries than requested even if more follow. */
  readonly entries: T[]
  /** The next page begins at this log index; undefined after the last page. */
  readonly from: number | undefined
}
