import { AuthorityError, toUsd } from '@deputize/protocol'
import { chargedPeriods, type PeriodBudget, type PeriodCharge, periodBudgets } from './times/spend-period.ts'
import { type Chain, isAskedByAlert, type Limits, type Link, type TokenState } from './tokens/token.ts'

/**
 * The most that can be spent and reserved with one token. Every store is exact up to here, and any larger sum compares
 * as larger.
 */
export const MAX_TOTAL_MICRO_USD = 9e15

/**
 * Refuses a charge that would raise the total of any token of the chain above what can be added up exactly.
 * `added_micro_usd` is what the charge adds to spent and reserved together. A charge that adds nothing is never
 * refused.
 */
export function assertChargeable(chain: Chain, added_micro_usd: number): void {
  if (added_micro_usd <= 0) return
  const full = chain.find((link) => committed(link) + added_micro_usd > MAX_TOTAL_MICRO_USD)
  if (full === undefined) return
  throw new AuthorityError('spend_out_of_range', undefined, {
    vat_jti: full.token.jti,
    max_total_usd: toUsd(MAX_TOTAL_MICRO_USD),
    total_usd: toUsd(committed(full)),
  })
}

/** The account of a token with a budget. `allocated = spent + reserved + remaining` always holds. */
export interface BudgetAccount {
  allocated_micro_usd: number
  spent_micro_usd: number
  reserved_micro_usd: number
  remaining_micro_usd: number
}

export function budgetOf(limits: Limits, state: TokenState): BudgetAccount | undefined {
  const { max_spend_micro_usd } = limits
  if (!Number.isFinite(max_spend_micro_usd)) return undefined
  return {
    allocated_micro_usd: max_spend_micro_usd,
    spent_micro_usd: state.spent_micro_usd,
    reserved_micro_usd: state.reserved_micro_usd,
    remaining_micro_usd: max_spend_micro_usd - state.spent_micro_usd - state.reserved_micro_usd,
  }
}

/** Returns the budget of a chain with the least remaining, and the token that holds it. */
export function tightestBudget(
  chain: Chain,
): { readonly jti: string; readonly budget: BudgetAccount } | undefined {
  return chain
    .flatMap(({ token, state }) => {
      const budget = budgetOf(token.limits, state)
      return budget === undefined ? [] : [{ jti: token.jti, budget }]
    })
    .sort((a, b) => a.budget.remaining_micro_usd - b.budget.remaining_micro_usd)[0]
}

/** What a pending record reserves, and when its action was allowed. */
export interface Reservation {
  readonly reserved_micro_usd: number
  readonly allowed_at_ms: number
}

/** Reserves an estimate in every budget of the chain until the action is closed. */
export function reserve(chain: Chain, micro_usd: number, now_ms: number): void {
  change(chain, { reserved_micro_usd: micro_usd, spent_micro_usd: 0, allowed_at_ms: now_ms }, now_ms)
}

/** Spends at once, for an action that is recorded after it happened. */
export function spend(chain: Chain, micro_usd: number, now_ms: number): void {
  change(chain, { reserved_micro_usd: 0, spent_micro_usd: micro_usd, allowed_at_ms: now_ms }, now_ms)
}

/**
 * Replaces a reservation with the actual spend, which may be more or less. Returns whether it is more and exceeds a spend
 * limit of the chain.
 */
export function settle(
  chain: Chain,
  reservation: Reservation,
  spent_micro_usd: number,
  now_ms: number,
): boolean {
  const { reserved_micro_usd, allowed_at_ms } = reservation
  const isMore = spent_micro_usd > reserved_micro_usd
  // Must come before the change, which may drop a period with its last reservation.
  const exceeds_periods = isMore && exceedsPeriods(chain, reservation, spent_micro_usd, now_ms)
  change(chain, { reserved_micro_usd: -reserved_micro_usd, spent_micro_usd, allowed_at_ms }, now_ms)
  return exceeds_periods || (isMore && isOverBudget(chain, spent_micro_usd))
}

/** Cancels a reservation. */
export function release(chain: Chain, reservation: Reservation, now_ms: number): void {
  settle(chain, reservation, 0, now_ms)
}

/** Changes the sums of every link, and those of the periods in which the action was allowed. */
function change(chain: Chain, charge: PeriodCharge, now_ms: number): void {
  for (const { token, state } of chain) {
    // Only a sum that an earlier version let grow past the bound reaches the largest safe integer, and then stays there.
    state.spent_micro_usd = Math.min(state.spent_micro_usd + charge.spent_micro_usd, Number.MAX_SAFE_INTEGER)
    // Only a sum that was capped at the largest safe integer is less than what its records reserve.
    state.reserved_micro_usd = Math.max(state.reserved_micro_usd + charge.reserved_micro_usd, 0)
    if (token.limits.max_spend_per !== undefined)
      state.periods = chargedPeriods(token.limits.max_spend_per, state.periods, charge, now_ms)
  }
}

/** Returns a token's period budgets that don't allow a spend. A used-up budget allows nothing until it resets. */
export function exceededPeriods({ token, state }: Link, micro_usd: number, now_ms: number): PeriodBudget[] {
  return periodBudgets(token.limits.max_spend_per, state.periods, now_ms).filter((budget) => {
    const committed_micro_usd = budget.spent_micro_usd + budget.reserved_micro_usd
    return (
      committed_micro_usd + micro_usd > budget.limit_micro_usd ||
      (committed_micro_usd > 0 && committed_micro_usd >= budget.limit_micro_usd)
    )
  })
}

/**
 * Whether settling a reservation for `spent_micro_usd` takes a period of any token past its budget. Once a period has
 * ended, other spends count only while it still has reservations, because after that they may be dropped.
 */
function exceedsPeriods(
  chain: Chain,
  { reserved_micro_usd, allowed_at_ms }: Reservation,
  spent_micro_usd: number,
  now_ms: number,
): boolean {
  return chain.some(({ token, state }) =>
    periodBudgets(token.limits.max_spend_per, state.periods, allowed_at_ms).some((budget) => {
      const isOver = budget.end_ms <= now_ms && budget.reserved_micro_usd === 0
      const others = isOver ? 0 : budget.spent_micro_usd + budget.reserved_micro_usd - reserved_micro_usd
      return others + spent_micro_usd > budget.limit_micro_usd
    }),
  )
}

/**
 * Whether an action settled further above what it was authorized for than every token of the chain tolerates. If no
 * token limits overruns, any is tolerated unless an alert requires approvals, even one that fired after the action was
 * allowed.
 */
export function exceedsAuthorization(
  chain: Chain,
  { reserved_micro_usd, allowed_at_ms }: Reservation,
  spent_micro_usd: number,
): boolean {
  const overrun_micro_usd = spent_micro_usd - reserved_micro_usd
  if (overrun_micro_usd <= 0) return false
  const tolerated_pct = Math.min(...chain.map(({ token }) => token.limits.max_overrun_pct))
  if (!Number.isFinite(tolerated_pct)) return chain.some((link) => isAskedByAlert(link, allowed_at_ms))
  return overrun_micro_usd > percentOf(reserved_micro_usd, tolerated_pct)
}

/** Returns a percentage of an amount, rounded down. Exact even if amount times percentage isn't a safe integer. */
function percentOf(micro_usd: number, percent: number): number {
  const rest = micro_usd % 100
  return ((micro_usd - rest) / 100) * percent + Math.floor((rest * percent) / 100)
}

/** Whether any spend limit of the chain is exceeded after `spent_micro_usd` was settled for one action. */
function isOverBudget(chain: Chain, spent_micro_usd: number): boolean {
  return chain.some(({ token, state }) => {
    const { max_spend_micro_usd, max_spend_per_action_micro_usd } = token.limits
    return (
      spent_micro_usd > max_spend_per_action_micro_usd ||
      state.spent_micro_usd + state.reserved_micro_usd > max_spend_micro_usd
    )
  })
}

/** The log records when a budget reaches these percentages. */
const THRESHOLDS_PERCENT = [50, 80, 100] as const

export interface Crossing {
  readonly link: Link
  readonly percent: number
}

/** Charges a chain and returns the thresholds that its budgets reached. */
export function charging(chain: Chain, charge: () => void): Crossing[] {
  const before = chain.map(committed)
  charge()
  return chain.flatMap((link, position) =>
    THRESHOLDS_PERCENT.filter((percent) => {
      const threshold = (link.token.limits.max_spend_micro_usd * percent) / 100
      return (before[position] ?? 0) < threshold && committed(link) >= threshold
    }).map((percent) => ({ link, percent })),
  )
}

function committed({ state }: Link): number {
  return state.spent_micro_usd + state.reserved_micro_usd
}
