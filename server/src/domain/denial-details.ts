import { type DenialDetail, type Reason, SPEND_LIMITS, type SpendLimit, toUsd } from '@deputize/protocol'
import { exceededPeriods } from './budget.ts'
import { exceedsSpendPerAction, exceedsTotalSpend } from './decision.ts'
import { isoInstant, MINUTE_MS } from './times/time.ts'
import { argumentFaults, onceMatched } from './tokens/arguments.ts'
import type { Chain, Link } from './tokens/token.ts'
import type { KeptScore } from './vouch.ts'

interface DeniedRequest {
  readonly action: string
  readonly spend_micro_usd: number
  /** JSON text. */
  readonly metadata: string | undefined
}

/**
 * Returns what the reasons refer to: each argument that breaks a limit, each exceeded spending limit, each used-up
 * period budget, when the minute of a rate limit ends, and a score that is too low. The token that holds the limit
 * isn't named, because in open mode its ID would let the agent act with it.
 */
export function denialDetails(
  request: DeniedRequest,
  chain: Chain,
  reasons: readonly Reason[],
  { now_ms, kept }: { readonly now_ms: number; readonly kept: KeptScore | undefined },
): DenialDetail[] {
  const details = [
    ...(reasons.includes('argument_not_allowed') ? argumentDetails(request, chain) : []),
    ...(reasons.includes('budget_exceeded') ? spendDetails(request, chain) : []),
    ...(reasons.includes('period_budget_exceeded') ? periodDetails(request, chain, now_ms) : []),
    ...(reasons.includes('rate_limit') ? [rateDetail(now_ms)] : []),
    ...(reasons.includes('vouch_score_too_low') ? [scoreDetail(kept)] : []),
  ]
  // Links of a chain inherit limits, so several may deny for the same cause.
  return [...new Map(details.map((detail) => [JSON.stringify(detail), detail])).values()]
}

function scoreDetail(kept: KeptScore | undefined): DenialDetail {
  return {
    reason: 'vouch_score_too_low',
    vouch_score: (kept?.score ?? 0) / 1_000_000,
    ...(kept !== undefined && { log_size: kept.log_size }),
  }
}

function argumentDetails({ action, metadata }: DeniedRequest, chain: Chain): DenialDetail[] {
  const fits = onceMatched()
  return chain.flatMap(({ token }) =>
    argumentFaults(token.limits.arguments, action, metadata, fits).map(({ path, rule }) => ({
      reason: 'argument_not_allowed' as const,
      path,
      rule,
    })),
  )
}

/** The limits on spending, and the most that each still allows one action. */
const SPENDING: Readonly<
  Record<
    SpendLimit,
    { isExceeded(link: Link, spend_micro_usd: number): boolean; left_micro_usd(link: Link): number }
  >
> = {
  max_spend_usd: {
    isExceeded: exceedsTotalSpend,
    left_micro_usd: ({ token, state }) =>
      Math.max(0, token.limits.max_spend_micro_usd - state.spent_micro_usd - state.reserved_micro_usd),
  },
  max_spend_per_action_usd: {
    isExceeded: exceedsSpendPerAction,
    left_micro_usd: ({ token }) => token.limits.max_spend_per_action_micro_usd,
  },
}

function spendDetails({ spend_micro_usd }: DeniedRequest, chain: Chain): DenialDetail[] {
  return SPEND_LIMITS.flatMap((limit) => {
    const { isExceeded, left_micro_usd } = SPENDING[limit]
    const exceeded = chain.filter((link) => isExceeded(link, spend_micro_usd))
    if (exceeded.length === 0) return []
    const remaining_usd = toUsd(Math.min(...exceeded.map(left_micro_usd)))
    return [{ reason: 'budget_exceeded' as const, limit, remaining_usd }]
  })
}

function rateDetail(now_ms: number): DenialDetail {
  const end_ms = (Math.floor(now_ms / MINUTE_MS) + 1) * MINUTE_MS
  return { reason: 'rate_limit', resets_at: isoInstant(end_ms) }
}

function periodDetails({ spend_micro_usd }: DeniedRequest, chain: Chain, now_ms: number): DenialDetail[] {
  return chain.flatMap((link) =>
    exceededPeriods(link, spend_micro_usd, now_ms).map(({ kind, end_ms }) => ({
      reason: 'period_budget_exceeded' as const,
      period: kind,
      resets_at: isoInstant(end_ms),
    })),
  )
}
