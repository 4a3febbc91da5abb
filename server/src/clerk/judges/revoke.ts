import { AuthorityError, loggedAgent, tokenRef } from '@deputize/protocol'
import { isRevoked } from '../../domain/decision.ts'
import type { Chain } from '../../domain/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { RevokeAllCommand, RevokeCommand } from '../command.ts'

export interface RevokeOutcome {
  readonly already_revoked: boolean
  readonly jti: string
  readonly revoked_at_ms: number
  readonly revoked_count: number
  readonly provenance_ref: string
}

/** Marks one token. Every token below it stops working too, because each use checks all ancestors. */
export function judgeRevoke(command: RevokeCommand, batch: BatchState): RevokeOutcome {
  const chain = batch.requireChain(command.vat_jti)
  const [link] = chain
  const { token, state } = link
  const { jti, provenance_ref } = token
  if (state.revoked_at_ms !== undefined) {
    return {
      already_revoked: true,
      jti,
      revoked_at_ms: state.revoked_at_ms,
      revoked_count: 0,
      provenance_ref,
    }
  }

  const revoked_count = chain.some(isRevoked) ? 0 : batch.countLive(jti)
  state.revoked_at_ms = batch.now_ms
  batch.saveStanding(link)
  if (command.reason !== undefined) batch.saveRevokeReason(jti, command.reason)
  const told = { ...tokenLeafNames(chain), ...reasonDigest(command, token.human_ref, batch) }
  batch.appendLeaf('token.revoked', told, jti)
  return { already_revoked: false, jti, revoked_at_ms: batch.now_ms, revoked_count, provenance_ref }
}

export interface RevokeAllOutcome {
  readonly revoked_at_ms: number
  readonly revoked_count: number
}

/** Marks an agent or a person, which revokes every token issued to them so far. Later tokens are not affected. */
export function judgeRevokeAll(command: RevokeAllCommand, batch: BatchState): RevokeAllOutcome {
  const { owner } = command
  const revoked_count = batch.countLiveOf(owner)
  const below = batch.nextIndex()
  if ('agent_id' in owner) {
    if (batch.tally(owner.agent_id) === undefined) throw new AuthorityError('agent_unknown')
    batch.agentMarks(owner.agent_id).revoked_below = below
    batch.saveAgentMarks(owner.agent_id)
    batch.appendLeaf('agent.revoked', {
      agent_id: loggedAgent(owner.agent_id),
      ...reasonDigest(command, undefined, batch),
    })
  } else {
    const marks = batch.humanMarks(owner.human_ref)
    if (marks === undefined) throw new AuthorityError('human_unknown')
    marks.revoked_below = below
    batch.saveHumanMarks(owner.human_ref)
    batch.appendLeaf('human.revoked', {
      human_ref: owner.human_ref,
      ...reasonDigest(command, owner.human_ref, batch),
    })
  }
  return { revoked_at_ms: batch.now_ms, revoked_count }
}

/** The names that a leaf about a token carries. */
export function tokenLeafNames([{ token }]: Chain) {
  return {
    token: tokenRef(token.jti),
    provenance_ref: token.provenance_ref,
    agent_id: loggedAgent(token.agent_id),
  }
}

/** The log holds only a digest of the reason, keyed for the person it concerns, or for the deployment if it concerns an agent. */
export function reasonDigest(
  { reason }: { readonly reason?: string | undefined },
  human_ref: string | undefined,
  batch: BatchState,
) {
  return reason === undefined ? {} : { reason_digest: batch.digest(human_ref, 'reason', reason) }
}
