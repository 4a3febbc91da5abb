import type { DenialDetail, Reason } from '@deputize/protocol'
import { argumentFaults, onceMatched } from './arguments.ts'
import { exceededPeriods } from './budget.ts'
import { isoInstant } from './time.ts'
import type { Chain } from './token.ts'
import type { KeptScore } from './vouch.ts'

interface DeniedRequest {
  readonly action: string
  readonly spend_micro_usd: number
  /** JSON text. */
  readonly metadata: string | undefined
}

/** What the reasons refer to: each argument that breaks a limit, each budget per period that is used up, and the score that is too low. */
export function denialDetails(
  request: DeniedRequest,
  chain: Chain,
  reasons: readonly Reason[],
  { now_ms, kept }: { readonly now_ms: number; readonly kept: KeptScore | undefined },
): DenialDetail[] {
  const details = [
    ...(reasons.includes('argument_not_allowed') ? argumentDetails(request, chain) : []),
    ...(reasons.includes('period_budget_exceeded') ? periodDetails(request, chain, now_ms) : []),
    ...(reasons.includes('vouch_score_too_low') ? [scoreDetail(kept)] : []),
  ]
  // Links of a chain inherit limits, so several deny for the same cause.
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

function periodDetails({ spend_micro_usd }: DeniedRequest, chain: Chain, now_ms: number): DenialDetail[] {
  return chain.flatMap((link) =>
    exceededPeriods(link, spend_micro_usd, now_ms).map(({ kind, end_ms }) => ({
      reason: 'period_budget_exceeded' as const,
      period: kind,
      resets_at: isoInstant(end_ms),
    })),
  )
}
