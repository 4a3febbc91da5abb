import { AuthorityError, shownAgent, tenantOf } from '@deputize/protocol'
import {
  type IdentityFacts,
  type IdentityRefusal,
  type IdentityVerdict,
  judgeIdentity,
  type NameRequest,
} from '../../domain/agent-identity.ts'
import type { BatchState } from '../batch-state.ts'

/** The facts about the agents of one tenant, including changes of this batch. */
export function identityFacts(agent_id: string, batch: BatchState): IdentityFacts {
  const tenant_id = tenantOf(agent_id)
  return {
    isKnown: (id) => batch.tally(id) !== undefined,
    ownedBy: (id) => batch.ownedBy(id),
    keyHolders: (jkt) =>
      batch.keyHolders(tenant_id, jkt).map((key) => ({
        agent_id: key.agent_id,
        is_removed: key.removed_index !== undefined,
      })),
    isSuspended: (id) => batch.agentMarks(id).suspended_at_ms !== undefined,
    hasDelegated: (from, to) => batch.hasDelegated(from, to),
  }
}

/** Throws if the name or the key belongs to an agent that isn't the caller's. */
export function assertIdentity(request: NameRequest, batch: BatchState): AllowedIdentity {
  const verdict = judgeIdentity(request, identityFacts(request.agent_id, batch))
  if ('refused' in verdict) throw identityError(verdict.refused, request.agent_id, verdict.holder)
  return verdict
}

/** Throws if a token to renew is bound to a key that its agent no longer uses. */
export function assertKeyInUse({ agent_id, jkt }: NameRequest, batch: BatchState): void {
  const held = jkt === undefined ? [] : identityFacts(agent_id, batch).keyHolders(jkt)
  if (held.some((holder) => holder.agent_id === agent_id && holder.is_removed))
    throw identityError('key_removed', agent_id)
}

type AllowedIdentity = Exclude<IdentityVerdict, { readonly refused: IdentityRefusal }>

/** Stores a new owner and a new key of an agent with the leaf that names them. */
export function saveIdentity(
  { agent_id, jkt }: NameRequest,
  { by, binds, registers }: AllowedIdentity,
  log_index: number,
  batch: BatchState,
): void {
  if (binds) batch.setOwners(agent_id, [by])
  if (registers && jkt !== undefined) batch.setKey({ agent_id, jkt, log_index, removed_index: undefined })
}

export function identityError(refusal: IdentityRefusal, agent_id: string, holder = agent_id): AuthorityError {
  const name = shownAgent(agent_id)
  switch (refusal) {
    case 'name_taken':
      return new AuthorityError(
        'agent_taken',
        `${name} belongs to someone else. Choose another agent_id, send the agent_jwk that ${name} has registered, or ask its owner or an operator to add you to owned_by (PATCH /v1/vat/agents/{agent_id}).`,
        { agent_id: name },
      )
    case 'key_taken':
      return new AuthorityError(
        'agent_taken',
        `The key in agent_jwk belongs to ${shownAgent(holder)}, which is not yours. Use a key of your own agent.`,
        { agent_id: shownAgent(holder) },
      )
    case 'key_removed':
      return new AuthorityError('key_removed', undefined, { agent_id: name })
    case 'key_suspended':
      return new AuthorityError(
        'token_not_live',
        `The key in agent_jwk belongs to ${shownAgent(holder)}, which is suspended. A suspended agent gets no token under another name.`,
        { reason: 'agent_suspended', reasons: ['agent_suspended'] },
      )
  }
}
