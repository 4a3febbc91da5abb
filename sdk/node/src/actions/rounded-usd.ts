import { MAX_USD, toUsd } from '../../../../protocol/src/encoding/money.ts'

const MICRO_USD_PER_USD = 1_000_000
/** The rounding error of float sums, in micro-dollars. Smaller than any price. */
const FLOAT_NOISE = 0.001

/** Returns the amount rounded up to micro-dollars, the service's unit. Throws a TypeError if it is not an amount. */
export function roundedUsd<Usd extends number | undefined>(usd: Usd): number | Extract<Usd, undefined>
export function roundedUsd(usd: number | undefined): number | undefined {
  if (usd === undefined) return undefined
  if (typeof usd !== 'number' || !(usd >= 0 && usd <= MAX_USD))
    throw new TypeError(
      `spend_usd must be US dollars, from 0 to ${MAX_USD}. It is ${typeof usd === 'string' ? `"${usd}"` : String(usd)}.`,
    )
  const micro_usd = usd * MICRO_USD_PER_USD
  const noise = Math.max(FLOAT_NOISE, micro_usd * 4 * Number.EPSILON)
  return toUsd(Math.max(0, Math.ceil(micro_usd - noise)))
}
