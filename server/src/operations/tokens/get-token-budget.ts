import { toUsd } from '@deputize/protocol'
import { budgetOf } from '../../domain/budget.ts'
import type { Link } from '../../domain/token.ts'
import { loadChain } from '../load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { budgetView } from '../views/token-view.ts'

export const getTokenBudget: Handler<'getTokenBudget'> = async ({ params }, context) => {
  const chain = await loadChain(params.jti, context)
  const [{ token, state }] = chain
  const own = budgetOf(token.limits, state)
  const tightest = chain.flatMap(limitedBudget).sort((a, b) => a.remaining_usd - b.remaining_usd)[0]
  return {
    jti: token.jti,
    spent_usd: toUsd(state.spent_micro_usd),
    reserved_usd: toUsd(state.reserved_micro_usd),
    ...(own !== undefined && budgetView(own)),
    ...(tightest !== undefined && { tightest }),
  }
}

function limitedBudget({ token, state }: Link) {
  const budget = budgetOf(token.limits, state)
  return budget === undefined ? [] : [{ jti: token.jti, ...budgetView(budget) }]
}
