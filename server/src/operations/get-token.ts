import { AuthorityError, type TokenStatus, toUsd } from '@deputy/protocol'
import { type Budget, budgetOf } from '../domain/budget.ts'
import { isoInstant } from '../domain/time.ts'
import type { Chain } from '../domain/token.ts'
import type { Handler } from './operation-context.ts'

export const getToken: Handler<'getToken'> = async ({ params }, { reader, clock }) => {
  const chain = await reader.chain(params.jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  const [{ token, state }] = chain
  const budget = budgetOf(token.limits, state)
  return {
    jti: token.jti,
    provenance_ref: token.provenance_ref,
    root_jti: token.root_jti,
    agent_id: `agent:${token.agent_id}`,
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    delegation_depth: token.delegation_depth,
    status: statusOf(chain, clock()),
    claims: token.claims,
    total_actions: state.actions,
    issued_at: isoInstant(token.issued_at_ms),
    expires_at: isoInstant(token.limits.expires_at_ms),
    log_index: token.log_index,
    ...(token.purpose !== undefined && { purpose: token.purpose }),
    ...(budget !== undefined && { budget: budgetView(budget) }),
    ...(state.revoked_at_ms !== undefined && { revoked_at: isoInstant(state.revoked_at_ms) }),
    ...(state.revoke_reason !== undefined && { revoke_reason: state.revoke_reason }),
  }
}

/** A token is only as alive as every ancestor. */
function statusOf(chain: Chain, now_ms: number): TokenStatus {
  if (chain.some(({ state }) => state.revoked_at_ms !== undefined)) return 'revoked'
  if (chain.some(({ token }) => now_ms >= token.limits.expires_at_ms)) return 'expired'
  if (chain.some(({ token }) => now_ms < token.limits.not_before_ms)) return 'not_yet_valid'
  return 'live'
}

function budgetView(budget: Budget) {
  return {
    allocated_usd: toUsd(budget.allocated_micro_usd),
    spent_usd: toUsd(budget.spent_micro_usd),
    reserved_usd: toUsd(budget.reserved_micro_usd),
    remaining_usd: toUsd(budget.remaining_micro_usd),
  }
}
