const MICRO = 1_000_000

/** The largest amount the service accepts: one billion dollars. */
export const MAX_USD = 1_000_000_000

/** Whether a JSON number is an amount the service can keep exactly: at most six decimals, not negative. */
export function isUsd(usd: number): boolean {
  if (!(usd >= 0 && usd <= MAX_USD) || Object.is(usd, -0)) return false
  return Math.round(usd * MICRO) / MICRO === usd
}

/** Converts dollars, as in JSON, to the integers that are stored. Call it only with values that `isUsd` accepts. */
export function toMicroUsd(usd: number): number {
  return Math.round(usd * MICRO)
}

export function toUsd(micro_usd: number): number {
  return micro_usd / MICRO
}
