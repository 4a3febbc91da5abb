import { type AskedBecause, toUsd } from '@deputize/protocol'
import { approvalCauses, currentState, type StoredApproval } from '../../domain/approvals/approval.ts'
import { tightestBudget } from '../../domain/budget.ts'
import { scores } from '../../domain/reputation.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Chain, TokenWords } from '../../domain/tokens/token.ts'
import type { AgentFacts } from '../../store/port.ts'
import type { OperationContext } from '../operation-context.ts'
import { tightestView, tokenStatus } from '../views/token-view.ts'

/** An approval with the chain of the token that the agent asked with, if that was read. */
export interface ChainedApproval {
  readonly approval: StoredApproval
  readonly chain: Chain | undefined
}

/** Returns why a person is asked. An approval shows any reader whether the organization reviews it. */
export function askedBecause({ approval, chain }: ChainedApproval): AskedBecause[] {
  const causes = chain === undefined ? [] : approvalCauses(approval, chain)
  const isReviewed = approval.approvers.some(({ role }) => role === 'review_desk')
  return isReviewed ? [...causes, 'review'] : causes
}

/** Reads what `expand` names, for all approvals of a page at once. */
export async function approvalExpander(
  entries: readonly ChainedApproval[],
  expand: string | undefined,
  { reader, clock }: OperationContext,
) {
  const asked = expand?.split(',') ?? []
  const now_ms = clock()
  const words = asked.includes('token')
    ? await reader.words(entries.map(({ approval }) => approval.vat_jti))
    : undefined
  const agents = asked.includes('agent') ? await agentsOf(entries, reader.agent) : undefined
  return (entry: ChainedApproval) => {
    const { approval, chain } = entry
    const agent = agents?.get(approval.agent_id)
    return {
      ...(words !== undefined &&
        chain !== undefined && { token: tokenPart(entry, chain, words.get(approval.vat_jti), now_ms) }),
      ...(agent !== undefined && { agent: agentPart(agent) }),
    }
  }
}

async function agentsOf(
  entries: readonly ChainedApproval[],
  find: (agent_id: string) => Promise<AgentFacts | undefined>,
): Promise<Map<string, AgentFacts>> {
  const names = [...new Set(entries.map(({ approval }) => approval.agent_id))]
  const found = await Promise.all(names.map(find))
  return new Map(found.flatMap((agent) => (agent === undefined ? [] : [[agent.agent_id, agent] as const])))
}

function tokenPart(entry: ChainedApproval, chain: Chain, words: TokenWords | undefined, now_ms: number) {
  const [{ token }] = chain
  const tightest = tightestBudget(chain)
  const isPending = currentState(entry.approval, now_ms) === 'pending'
  return {
    ...(words?.purpose !== undefined && { purpose: words.purpose }),
    status: tokenStatus(chain, now_ms),
    expires_at: isoInstant(token.limits.expires_at_ms),
    delegation_depth: token.delegation_depth,
    asked_because: askedBecause(entry),
    ...(tightest !== undefined && {
      tightest: tightestView(tightest),
      ...(isPending && {
        remaining_after_usd: toUsd(tightest.budget.remaining_micro_usd - entry.approval.spend_micro_usd),
      }),
    }),
  }
}

function agentPart({ profile, tally, suspended_at_ms }: AgentFacts) {
  const { combined_reputation, has_human_feedback } = scores(tally)
  const { display_name }: { display_name?: string } = profile === undefined ? {} : JSON.parse(profile)
  return {
    ...(display_name !== undefined && { display_name }),
    combined_reputation,
    has_human_feedback,
    total_actions: tally.total_actions,
    suspended: suspended_at_ms !== undefined,
  }
}
