import { PERIOD_KINDS, toUsd } from '@deputize/protocol'
import { budgetOf, tightestBudget } from '../../domain/budget.ts'
import { type PeriodBudget, periodBudgets } from '../../domain/times/spend-period.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { budgetView, tightestView } from '../views/token-view.ts'

export const getTokenBudget: Handler<'getTokenBudget'> = async ({ params }, context) => {
  const chain = await loadChain(params.jti, context)
  const [{ token, state }] = chain
  const own = budgetOf(token.limits, state)
  const tightest = tightestBudget(chain)
  const periods = tightestPeriods(chain, context.clock())
  return {
    jti: token.jti,
    spent_usd: toUsd(state.spent_micro_usd),
    reserved_usd: toUsd(state.reserved_micro_usd),
    ...(own !== undefined && budgetView(own)),
    ...(tightest !== undefined && { tightest: tightestView(tightest) }),
    ...(periods.length > 0 && { periods }),
  }
}

/** Returns, for each limited period, the budget of the chain with the least remaining. */
function tightestPeriods(chain: Chain, now_ms: number) {
  const all = chain.flatMap(({ token, state }) =>
    periodBudgets(token.limits.max_spend_per, state.periods, now_ms).map((budget) =>
      periodView(token.jti, budget),
    ),
  )
  return PERIOD_KINDS.flatMap((kind) =>
    all
      .filter(({ period }) => period === kind)
      .sort((a, b) => a.remaining_usd - b.remaining_usd)
      .slice(0, 1),
  )
}

function periodView(jti: string, budget: PeriodBudget) {
  const { kind, limit_micro_usd, spent_micro_usd, reserved_micro_usd, start_ms, end_ms } = budget
  return {
    jti,
    period: kind,
    limit_usd: toUsd(limit_micro_usd),
    spent_usd: toUsd(spent_micro_usd),
    reserved_usd: toUsd(reserved_micro_usd),
    remaining_usd: toUsd(limit_micro_usd - spent_micro_usd - reserved_micro_usd),
    starts_at: isoInstant(start_ms),
    resets_at: isoInstant(end_ms),
  }
}
