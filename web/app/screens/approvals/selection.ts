/** Rules for deciding several requests at once. */
import type { ListedApproval } from '../../../../sdk/node/src/generated/operations.ts'

type AskedSpend = Pick<ListedApproval, 'approval_id' | 'agent_id' | 'action' | 'spend_usd' | 'token'>

/** What would be left of a budget after all decisions. */
interface BudgetAfter {
  readonly jti: string
  readonly remaining_usd: number
  readonly after_usd: number
}

/** Only requests of one agent for one action: others deserve a separate look. */
export function mayApproveTogether(requests: readonly AskedSpend[]): boolean {
  return new Set(requests.map(({ agent_id, action }) => `${action} ${agent_id}`)).size === 1
}

export function totalSpend(requests: readonly AskedSpend[]): number {
  return dollars(requests.reduce((sum, { spend_usd }) => sum + spend_usd, 0))
}

/** What would be left of each budget that these requests draw on. */
export function budgetsAfter(requests: readonly AskedSpend[]): BudgetAfter[] {
  const budgets = new Map<string, BudgetAfter>()
  for (const { spend_usd, token } of requests) {
    if (token?.tightest === undefined) continue
    const { jti, remaining_usd } = token.tightest
    const before = budgets.get(jti)?.after_usd ?? remaining_usd
    budgets.set(jti, { jti, remaining_usd, after_usd: dollars(before - spend_usd) })
  }
  return [...budgets.values()]
}

/** Adds a request to the selection, or removes it. */
export function toggled(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(id)) next.add(id)
  return next
}

/** Removes the binary rounding error from a sum of decimal fractions. */
function dollars(amount: number): number {
  return Math.round(amount * 1e6) / 1e6
}
