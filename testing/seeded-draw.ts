/** Random numbers that are determined by a seed. */
export interface SeededDraw {
  /** From 0 up to but excluding 1. */
  share(): number
  between(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
}

/** Mulberry32: small, and good enough to choose among events. */
export function seededDraw(seed: number): SeededDraw {
  let state = seed >>> 0
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    share,
    between: (least, most) => least + Math.floor(share() * (most - least + 1)),
    chance: (wanted) => share() < wanted,
    pick(from) {
      const picked = from[Math.floor(share() * from.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
  }
}
