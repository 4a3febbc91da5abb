/** Places in the log, ascending. */
export interface Places {
  readonly sorted: readonly number[]
  /** Where to go on, when there was no room for all. */
  readonly next: number | undefined
}

/** Keeps the `most` lowest places that it is given, each once. */
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
    /** Whether there is room for this place or for anything behind it. */
    takes(place: number): boolean {
      if (place >= bound) return false
      if (place >= from) kept.push(place)
      if (kept.length >= 2 * most) cut()
      return true
    },
    /** No place from here on is taken. */
    bound: () => bound,
    taken(): Places {
      cut()
      return { sorted: kept, next: bound < end ? bound : undefined }
    },
  }
}
