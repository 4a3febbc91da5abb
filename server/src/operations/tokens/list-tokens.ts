import { type CallOf, type OPERATIONS, shownAgent } from '@deputize/protocol'
import { tightestBudget } from '../../domain/budget.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { listVisibility } from '../lists/list-visibility.ts'
import { countedAnswer, listedPage, matchesSearch } from '../lists/listed-page.ts'
import type { Handler } from '../operation-context.ts'
import { emptyPage } from '../views/page-answer.ts'
import { listedTokenViews, tokenStatus } from '../views/token-view.ts'

type Query = CallOf<typeof OPERATIONS.listTokens>['query']

export const listTokens: Handler<'listTokens'> = async ({ caller, query }, context) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { reader, clock } = context
  const { assurance_level, provenance_ref } = query
  const filter = { ...visibility, assurance_level, provenance_ref }
  const rule = ruleOf(query, clock())
  const order = ORDERS[query.sort ?? 'newest']
  // A sorted list examines many tokens. With a rule, even one that they all meet, they are read in chunks.
  const fits = rule ?? (order === undefined ? undefined : () => true)
  const page = await listedPage(query, {
    read: (request) => reader.tokens({ ...filter, fits }, request),
    count: rule === undefined ? () => reader.countTokens(filter) : undefined,
    order,
  })
  const views = await listedTokenViews(page.entries, context)
  return countedAnswer({ ...page, entries: views }, (view) => view)
}

const ORDERS = {
  newest: undefined,
  expires_first: ([one]: Chain, [other]: Chain) =>
    one.token.limits.expires_at_ms - other.token.limits.expires_at_ms,
  most_used: (one: Chain, other: Chain) => usedShare(other) - usedShare(one),
}

/** Combines the filters that no index serves into one rule. Undefined if none was given. */
function ruleOf(query: Query, now_ms: number): ((chain: Chain) => boolean) | undefined {
  const { status, q, expires_before, budget_used_above } = query
  const rules = [
    status !== undefined && ((chain: Chain) => tokenStatus(chain, now_ms) === status),
    expires_before !== undefined &&
      (([{ token }]: Chain) => token.limits.expires_at_ms < Date.parse(expires_before)),
    budget_used_above !== undefined && ((chain: Chain) => usedShare(chain) > budget_used_above),
    q !== undefined && ((chain: Chain) => isFound(chain, q)),
  ].filter((rule) => rule !== false)
  return rules.length === 0 ? undefined : (chain) => rules.every((rule) => rule(chain))
}

function isFound([{ token }]: Chain, q: string): boolean {
  return matchesSearch(q, { texts: [shownAgent(token.agent_id)], ids: [token.jti, token.provenance_ref] })
}

/** Returns the share of the tightest budget that is spent or reserved: 0 without a budget, 1 for a budget of zero. */
function usedShare(chain: Chain): number {
  const tightest = tightestBudget(chain)
  if (tightest === undefined) return 0
  const { allocated_micro_usd, remaining_micro_usd } = tightest.budget
  return allocated_micro_usd === 0 ? 1 : 1 - remaining_micro_usd / allocated_micro_usd
}
