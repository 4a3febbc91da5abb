/** Log indexes, ascending. */
export interface Places {
  readonly sorted: readonly number[]
  /** Where the next page begins, if not all fit. */
  readonly next: number | undefined
}

/** Keeps the `most` lowest of the indexes passed to it, each once. */
export function lowestIndexes(from: number, end: number, most: number) {
  let kept: number[] = []
  let bound = end

  function cut(): void {
    kept = [...new Set(kept)].sort((a, b) => a - b)
    if (kept.length <= most) return
    bound = kept[most] ?? bound
    kept = kept.slice(0, most)
  }

  return {
    /** Adds an index. False if neither it nor any higher index can still be kept. */
    takes(place: number): boolean {
      if (place >= bound) return false
      if (place >= from) kept.push(place)
      if (kept.length >= 2 * most) cut()
      return true
    },
    /** No index at or above this one is kept. */
    bound: () => bound,
    taken(): Places {
      cut()
      return { sorted: kept, next: bound < end ? bound : undefined }
    },
  }
}
