import {
  EVIDENCE,
  type Evidence,
  type Level,
  RANKS,
  RATINGS,
  type Rank,
  type Rating,
  type RecordState,
  STATES,
  SUSPEND_CODES,
  type SuspendCode,
} from '@deputize/protocol'

/** A row as a driver returns it: numbers, strings, bytes and nulls by column. */
export type Row = Readonly<Record<string, unknown>>

/** Members of closed lists are stored by position. The lists only grow at the end. */
const LEVEL_KEYS: readonly Level[] = ['L1', 'L2', 'L3']

export const levelKey = (level: Level): number => LEVEL_KEYS.indexOf(level) + 1
export const levelOf = (key: number): Level => member(LEVEL_KEYS, key - 1)
/** Tenants are stored by the key of their id in `names`. The default tenant has this key. */
export const FIRST_TENANT_KEY = 0

export const stateKey = (state: RecordState): number => STATES.indexOf(state)
export const evidenceKey = (evidence: Evidence): number => EVIDENCE.indexOf(evidence)
export const ratingKey = (rating: Rating): number => RATINGS.indexOf(rating)

export const rankKey = (rank: Rank): number => RANKS.indexOf(rank)
export const suspendCodeKey = (code: SuspendCode): number => SUSPEND_CODES.indexOf(code)

export function optionalRank(key: number | null): Rank | undefined {
  return key === null ? undefined : member(RANKS, key)
}

export function optionalSuspendCode(key: number | null): SuspendCode | undefined {
  return key === null ? undefined : member(SUSPEND_CODES, key)
}

export function integer(value: unknown): number {
  if (typeof value !== 'number')
    throw new TypeError('the store holds a value that is not an integer where one is required')
  return value
}

export function text(value: unknown): string {
  if (typeof value !== 'string')
    throw new TypeError('the store holds a value that is not text where text is required')
  return value
}

export function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array))
    throw new TypeError('the store holds a value that is not bytes where bytes are required')
  return value
}

/** Whether a condition that was computed in SQL is true. The dialects return different values for it. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1
}

export function optionalInteger(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : integer(value)
}

export function optionalText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : text(value)
}

export function member<T>(list: readonly T[], position: number): T {
  const found = list[position]
  if (found === undefined)
    throw new TypeError(`the store holds position ${position} of a list that is shorter`)
  return found
}
