import type { Denial } from '../../../sdk/node/src/generated/operations.ts'

type DenialReason = Denial['reasons'][number]

/** What resolves a denial, for people who issue and stop tokens. Agents get another text: they can only ask or wait. */
const ADVICE: Readonly<Record<DenialReason, string>> = {
  token_revoked: 'A revoked token stays revoked. If the agent may continue, issue a new one.',
  token_suspended: 'If the agent may continue, resume the token on its page.',
  agent_suspended: 'If the agent may continue, resume it on its page.',
  token_expired: 'If the agent may continue, issue a new token.',
  token_not_yet_valid: 'The agent can try again once the token is valid.',
  record_closed:
    'The action record was cancelled or has expired. The agent can ask again with another Idempotency-Key.',
  action_not_in_scope:
    'The token does not allow this action. If the agent may do it, issue a token that does.',
  resource_not_in_scope:
    'The token does not cover this resource. If the agent may use it, issue a token that does.',
  argument_not_allowed:
    'The token does not allow these arguments. The agent can change them. If they are fine, issue a token with wider limits.',
  outside_hours: 'The agent can try again during the active hours of the token.',
  budget_exceeded:
    'The amount is more than is left of a budget, or above the limit for one action. If it is fine, issue a token with a higher limit.',
  period_budget_exceeded:
    'The amount is more than is left for this period. The agent can try again in the next one.',
  action_limit:
    'The token has reached its maximum number of actions. If the agent may continue, issue a new one.',
  rate_limit:
    'The agent can try again in a minute. If this happens often, issue a token with a higher limit.',
  reputation_too_low:
    'The gate_score of the agent is lower than the token requires. It rises with good ratings and with actions that resource servers observe.',
  vouch_score_too_low:
    'Too few verified people vouch for the agent. Its trust page shows what limits the score.',
  approval_denied: 'A person denied the request. Ask them before the agent tries again.',
  approval_limit_root: 'Decide some of the open requests of this workflow. Then the agent can ask again.',
  approval_limit_person: 'The person must decide some of their open requests. Then the agent can ask again.',
  approval_required: 'A person must approve this action first.',
}

/** A map, because a newer service can send reasons without advice here. */
const adviceFor = new Map<string, string>(Object.entries(ADVICE))

export function denialAdvice(reason: string): string | undefined {
  return adviceFor.get(reason)
}
