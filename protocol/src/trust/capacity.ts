/**
 * The arithmetic of scores. Everything is a whole number of millionths, and every step rounds down, so that two
 * machines never disagree. No product exceeds 2^53: capacities are at most 10^6, and a flow is at most 10,000
 * capacities, which gives 8 x 10^15 when it is converted to a score.
 */

/** One perfect verified person's whole word. */
export const MILLION = 1_000_000

/** A vouch counts if it is on a path of at most this many vouches from an anchor to the subject. */
export const MAX_HOPS = 5

/** 0.8^k, exact in millionths up to the last hop. */
const POWERS = [1_000_000, 800_000, 640_000, 512_000, 409_600, 327_680] as const

/** The largest flow has this many anchors with one vouch each. */
export const MAX_VOUCHES = 10_000

function kept(hops: number): number {
  return POWERS[hops] ?? 0
}

/** a x b / 10^6, rounded down. */
function timesMillionths(a: number, b: number): number {
  return Math.floor((a * b) / MILLION)
}

/** What a person who is `distance` hops from the nearest anchor can pass on. */
export function personCapacity(distance: number, accuracy: number): number {
  return timesMillionths(kept(distance), accuracy)
}

/** What a vouch can carry if its voucher is `distance` hops from the nearest anchor. */
export function vouchCapacity(weight: number, distance: number, accuracy: number): number {
  return timesMillionths(timesMillionths(weight, accuracy), kept(distance + 1))
}

/** f / (f + 1): each further word adds less, and no number of words reaches 1. */
export function scoreOfFlow(flow: number): number {
  return Math.floor((flow * MILLION) / (flow + MILLION))
}
