import { type AnswerOf, type OPERATIONS, shownAgent, type TokenStatus, toUsd } from '@deputize/protocol'
import { type BudgetAccount, budgetOf, tightestBudget } from '../../domain/budget.ts'
import { livenessReasons } from '../../domain/decision.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Chain, TokenWords } from '../../domain/tokens/token.ts'
import type { Page } from '../../store/port/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import { pageAnswer } from './page-answer.ts'

export type TokenAnswer = AnswerOf<typeof OPERATIONS.getToken>

/** Returns the first token of each chain as the API shows it. */
export async function tokenViews(
  chains: readonly Chain[],
  context: OperationContext,
): Promise<TokenAnswer[]> {
  const words = await context.reader.words(chains.map(([{ token }]) => token.jti))
  return chains.map((chain) => tokenView(chain, words.get(chain[0].token.jti), context.clock()))
}

/** The same for a list, with the tightest budget of each. */
export async function listedTokenViews(
  chains: readonly Chain[],
  context: OperationContext,
): Promise<TokenAnswer[]> {
  const views = await tokenViews(chains, context)
  return chains.map((chain, place) => {
    const tightest = tightestBudget(chain)
    // There is a view for each chain.
    return { ...(views[place] as TokenAnswer), ...(tightest && { tightest: tightestView(tightest) }) }
  })
}

export async function tokenPageAnswer({ entries, before }: Page<Chain>, context: OperationContext) {
  return pageAnswer({ entries: await listedTokenViews(entries, context), before }, (view) => view)
}

export function tightestView({ jti, budget }: NonNullable<ReturnType<typeof tightestBudget>>) {
  return { jti, ...budgetView(budget) }
}

/** Returns a token as the API shows it: what it allows, its status and its use so far. */
export function tokenView(chain: Chain, words: TokenWords | undefined, now_ms: number): TokenAnswer {
  const [{ token, state }] = chain
  const budget = budgetOf(token.limits, state)
  return {
    jti: token.jti,
    provenance_ref: token.provenance_ref,
    root_jti: token.root_jti,
    agent_id: shownAgent(token.agent_id),
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    delegation_depth: token.delegation_depth,
    status: tokenStatus(chain, now_ms),
    claims: token.claims,
    total_actions: state.actions,
    issued_at: isoInstant(token.issued_at_ms),
    expires_at: isoInstant(token.limits.expires_at_ms),
    log_index: token.log_index,
    ...(token.parent_jti !== undefined && { parent_jti: token.parent_jti }),
    ...(token.renews_jti !== undefined && { renews_jti: token.renews_jti }),
    ...(words?.purpose !== undefined && { purpose: words.purpose }),
    ...(budget !== undefined && { budget: budgetView(budget) }),
    ...(state.revoked_at_ms !== undefined && { revoked_at: isoInstant(state.revoked_at_ms) }),
    ...(words?.revoke_reason !== undefined && { revoke_reason: words.revoke_reason }),
    ...(state.suspended_at_ms !== undefined && { suspended_at: isoInstant(state.suspended_at_ms) }),
    ...(state.suspended_rank !== undefined && { suspended_by: state.suspended_rank }),
    ...(state.suspend_code !== undefined && { suspend_code: state.suspend_code }),
    ...(words?.suspend_reason !== undefined && { suspend_reason: words.suspend_reason }),
    ...(words?.erased === true && { erased: true }),
  }
}

/** Returns a token's status, which follows from its own state, its ancestors, and the agents and person behind them. */
export function tokenStatus(chain: Chain, now_ms: number): TokenStatus {
  const reasons = livenessReasons(chain, now_ms)
  if (reasons.includes('token_revoked')) return 'revoked'
  if (reasons.includes('token_expired')) return 'expired'
  if (reasons.includes('token_suspended') || reasons.includes('agent_suspended')) return 'suspended'
  return reasons.includes('token_not_yet_valid') ? 'not_yet_valid' : 'live'
}

export function budgetView(budget: BudgetAccount) {
  return {
    allocated_usd: toUsd(budget.allocated_micro_usd),
    spent_usd: toUsd(budget.spent_micro_usd),
    reserved_usd: toUsd(budget.reserved_micro_usd),
    remaining_usd: toUsd(budget.remaining_micro_usd),
  }
}
