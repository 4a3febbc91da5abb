/** A share with its counts and its 95 % Wilson interval, which also holds for few or no events. */
export interface Rate {
  readonly events: number
  readonly of: number
  /** Undefined if nothing was counted. */
  readonly share: number | undefined
  readonly low: number
  readonly high: number
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959964

export function rateOf(events: number, of: number): Rate {
  if (of === 0) return { events, of, share: undefined, low: 0, high: 1 }
  const share = events / of
  const width = 1 + Z ** 2 / of
  const middle = (share + Z ** 2 / (2 * of)) / width
  const half = (Z / width) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2))
  return {
    events,
    of,
    share,
    low: events === 0 ? 0 : Math.max(0, middle - half),
    high: events === of ? 1 : Math.min(1, middle + half),
  }
}
