import { PERIOD_KINDS, type PeriodKind, type SpendPerPeriod, toMicroUsd } from '@deputize/protocol'
import { changeBetween, instantAt, offsetAt, wallTime } from './local-time.ts'
import { DAY_MS, HOUR_MS } from './time.ts'

/**
 * Budgets for each calendar hour, day, week or month.
 *
 * A spend permanently belongs to the period in which its action was allowed: the reservation is made there, and
 * settling, cancelling or expiring changes only that period, even after it has ended. So the actions that a period
 * allowed never cost more than its limit, and the log alone determines which period each amount belongs to.
 */

/** A token's limits, in micro-dollars per period. */
export interface PeriodLimits {
  readonly time_zone: string
  readonly max_micro_usd: Readonly<Partial<Record<PeriodKind, number>>>
}

/** The amounts of one period. A period without an entry has spent and reserved nothing. */
export interface PeriodAccount {
  readonly kind: PeriodKind
  readonly start_ms: number
  readonly spent_micro_usd: number
  readonly reserved_micro_usd: number
}

/** A period that contains an instant: `[start_ms, end_ms)`. */
interface CalendarPeriod {
  readonly start_ms: number
  readonly end_ms: number
}

export function periodLimitsOf(limits: SpendPerPeriod | undefined): PeriodLimits | undefined {
  if (limits === undefined) return undefined
  const { time_zone = 'UTC', ...amounts } = limits
  return {
    time_zone,
    max_micro_usd: Object.fromEntries(
      PERIOD_KINDS.flatMap((kind) => {
        const usd = amounts[kind]
        return usd === undefined ? [] : [[kind, toMicroUsd(usd)]]
      }),
    ),
  }
}

/** A limit, with what was spent and reserved in the period that contains an instant. */
export interface PeriodBudget {
  readonly kind: PeriodKind
  readonly limit_micro_usd: number
  readonly spent_micro_usd: number
  readonly reserved_micro_usd: number
  readonly start_ms: number
  readonly end_ms: number
}

/** Returns a token's budgets for the periods that contain an instant, the shortest first. */
export function periodBudgets(
  limits: PeriodLimits | undefined,
  accounts: readonly PeriodAccount[],
  at_ms: number,
): PeriodBudget[] {
  if (limits === undefined) return []
  return PERIOD_KINDS.flatMap((kind) => {
    const limit_micro_usd = limits.max_micro_usd[kind]
    if (limit_micro_usd === undefined) return []
    const period = periodAt(kind, limits.time_zone, at_ms)
    const account = accounts.find((one) => one.kind === kind && one.start_ms === period.start_ms)
    const { spent_micro_usd = 0, reserved_micro_usd = 0 } = account ?? {}
    return [{ kind, limit_micro_usd, spent_micro_usd, reserved_micro_usd, ...period }]
  })
}

/** A change to the amounts of the periods in which an action was allowed. */
export interface PeriodCharge {
  readonly allowed_at_ms: number
  readonly spent_micro_usd: number
  readonly reserved_micro_usd: number
}

/**
 * Returns the accounts after a charge at `now_ms`. Periods that have ended and reserve nothing are dropped, because no
 * rule reads them again. So a token keeps one entry for each of its limits, and one for each ended period with open
 * records.
 */
export function chargedPeriods(
  limits: PeriodLimits,
  accounts: readonly PeriodAccount[],
  { allowed_at_ms, spent_micro_usd, reserved_micro_usd }: PeriodCharge,
  now_ms: number,
): readonly PeriodAccount[] {
  if (spent_micro_usd === 0 && reserved_micro_usd === 0) return accounts
  const charged = periodBudgets(limits, accounts, allowed_at_ms).map((budget) => ({
    kind: budget.kind,
    start_ms: budget.start_ms,
    spent_micro_usd: budget.spent_micro_usd + spent_micro_usd,
    reserved_micro_usd: budget.reserved_micro_usd + reserved_micro_usd,
  }))
  const others = accounts.filter(
    ({ kind, start_ms }) => !charged.some((one) => one.kind === kind && one.start_ms === start_ms),
  )
  const isKept = ({ kind, start_ms, reserved_micro_usd: reserved }: PeriodAccount) =>
    reserved > 0 || start_ms >= periodAt(kind, limits.time_zone, now_ms).start_ms
  return [...others, ...charged].filter(isKept).sort(inOrder)
}

/** Orders by kind, then by time, so that equal accounts are stored as equal text. */
function inOrder(a: PeriodAccount, b: PeriodAccount): number {
  return PERIOD_KINDS.indexOf(a.kind) - PERIOD_KINDS.indexOf(b.kind) || a.start_ms - b.start_ms
}

/** Calendar lookups are slow, and requests arrive in order, so the last period is nearly always the right one. */
const MAX_KNOWN = 256
const known = new Map<string, CalendarPeriod>()

/** Returns the calendar period that contains an instant. Weeks begin on Monday. */
export function periodAt(kind: PeriodKind, time_zone: string, at_ms: number): CalendarPeriod {
  const name = `${kind} ${time_zone}`
  const last = known.get(name)
  if (last !== undefined && at_ms >= last.start_ms && at_ms < last.end_ms) return last
  const period = kind === 'hour' ? hourAt(time_zone, at_ms) : datesAt(kind, time_zone, at_ms)
  if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value ?? '')
  known.set(name, period)
  return period
}

/** Returns the hour that contains an instant, by the zone's clock. An offset change within an hour splits it in two. */
function hourAt(time_zone: string, at_ms: number): CalendarPeriod {
  const offset = offsetAt(time_zone, at_ms)
  const start_ms = Math.floor((at_ms + offset) / HOUR_MS) * HOUR_MS - offset
  const end_ms = start_ms + HOUR_MS
  const next = offsetAt(time_zone, end_ms - 1)
  return {
    start_ms:
      offsetAt(time_zone, start_ms) === offset ? start_ms : changeBetween(time_zone, start_ms, at_ms, offset),
    end_ms: next === offset ? end_ms : changeBetween(time_zone, at_ms, end_ms, next),
  }
}

/**
 * Returns the day, week or month that contains an instant. It begins with the first instant of its first date. If
 * clocks go back over midnight, the previous date returns for an hour, but the new period has already begun and
 * continues.
 */
function datesAt(kind: Exclude<PeriodKind, 'hour'>, time_zone: string, at_ms: number): CalendarPeriod {
  const first = firstDate(kind, wallTime(time_zone, at_ms))
  const second = nextDate(kind, first)
  const second_ms = instantAt(time_zone, second)
  if (second_ms > at_ms) return { start_ms: instantAt(time_zone, first), end_ms: second_ms }
  return { start_ms: second_ms, end_ms: instantAt(time_zone, nextDate(kind, second)) }
}

const MONDAY_MS = 4 * DAY_MS

/** Returns midnight of a period's first date, on the wall clock. */
function firstDate(kind: Exclude<PeriodKind, 'hour'>, wall_ms: number): number {
  if (kind === 'day') return Math.floor(wall_ms / DAY_MS) * DAY_MS
  if (kind === 'week') return Math.floor((wall_ms - MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + MONDAY_MS
  const date = new Date(wall_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

function nextDate(kind: Exclude<PeriodKind, 'hour'>, first_ms: number): number {
  if (kind !== 'month') return first_ms + (kind === 'day' ? 1 : 7) * DAY_MS
  const date = new Date(first_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
