import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { type BudgetAccount, budgetOf } from '../../domain/budget.ts'
import { scores } from '../../domain/reputation.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import type { Question } from '../../messages/question-message.ts'
import type { OperationContext } from '../operation-context.ts'

/** What a person needs to know before they decide, in addition to the request itself. */
export interface QuestionDetails {
  readonly question: Question
  /** The tightest budget of the chain, before this request. */
  readonly budget: BudgetAccount | undefined
  /** The purpose of the token, in the words of the caller who requested it. */
  readonly purpose: string | undefined
  readonly reputation: number
  readonly total_actions: number
}

export async function questionDetails(
  approval: StoredApproval,
  { reader }: Pick<OperationContext, 'reader'>,
  known?: Chain,
): Promise<QuestionDetails> {
  const { approval_id, vat_jti, agent_id, action, resource, spend_micro_usd, expires_at_ms } = approval
  const chain = known ?? (await reader.chain(vat_jti)) ?? []
  const budgets = chain.flatMap(({ token, state }) => budgetOf(token.limits, state) ?? [])
  const [budget] = budgets.sort((a, b) => a.remaining_micro_usd - b.remaining_micro_usd)
  const agent = await reader.agent(agent_id)
  const left_micro_usd = budget && budget.remaining_micro_usd - spend_micro_usd
  return {
    question: {
      approval_id,
      agent_id,
      display_name: displayName(agent?.profile),
      action,
      resource,
      spend_micro_usd,
      left_micro_usd,
      expires_at_ms,
    },
    budget,
    purpose: (await reader.words([vat_jti])).get(vat_jti)?.purpose,
    reputation: agent === undefined ? 0 : scores(agent.tally).combined_reputation,
    total_actions: agent?.tally.total_actions ?? 0,
  }
}

/** Returns the name that an agent has registered. */
export function displayName(profile: string | undefined): string | undefined {
  if (profile === undefined) return undefined
  const { display_name } = JSON.parse(profile) // written by `registerAgent` and `updateAgent`
  return typeof display_name === 'string' ? display_name : undefined
}
