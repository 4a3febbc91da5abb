import { AuthorityError, loggedAgent, tokenRef } from '@deputize/protocol'
import { isRevoked } from '../../domain/decision.ts'
import { type Chain, stoppedChains } from '../../domain/tokens/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { RevokeAllCommand, RevokeCommand } from '../command.ts'
import { everyRef, storedRefs } from './person-refs.ts'

export interface RevokeOutcome {
  readonly already_revoked: boolean
  readonly jti: string
  readonly revoked_at_ms: number
  readonly revoked_count: number
  readonly provenance_ref: string
}

/**
 * Revokes a token, and the one that its renewals go back to. Every token below it stops working too, because each use
 * checks all ancestors.
 */
export function judgeRevoke(command: RevokeCommand, batch: BatchState): RevokeOutcome {
  const chain = batch.requireChain(command.vat_jti)
  const [{ token, state }] = chain
  const { jti, provenance_ref } = token
  const stopped = command.keeps_renewed === true ? [chain] : stoppedChains(chain)
  const standing = stopped.filter(([link]) => link.state.revoked_at_ms === undefined)
  const highest = standing.at(-1)
  const revoked_count =
    highest === undefined || highest.some(isRevoked) ? 0 : batch.countLive(highest[0].token.jti)
  for (const view of standing) revokeLink(view, command, batch)
  const revoked_at_ms = state.revoked_at_ms ?? batch.now_ms // the time of the first revocation
  return { already_revoked: highest === undefined, jti, revoked_at_ms, revoked_count, provenance_ref }
}

function revokeLink(chain: Chain, { reason }: RevokeCommand, batch: BatchState): void {
  const [link] = chain
  const { jti, human_ref } = link.token
  link.state.revoked_at_ms = batch.now_ms
  batch.saveStanding(link)
  if (reason !== undefined) batch.saveRevokeReason(jti, reason)
  const told = { ...tokenLeafNames(chain), ...reasonDigest({ reason }, human_ref, batch) }
  batch.appendLeaf('token.revoked', told, jti)
}

export interface RevokeAllOutcome {
  readonly revoked_at_ms: number
  readonly revoked_count: number
  /** Every ref of the person. */
  readonly human_refs?: readonly string[]
}

/** Marks an agent or a person, which revokes every token issued to them so far. Later tokens are not affected. */
export function judgeRevokeAll(command: RevokeAllCommand, batch: BatchState): RevokeAllOutcome {
  const { owner, reason } = command
  return 'agent_id' in owner
    ? revokeAgent(owner.agent_id, reason, batch)
    : revokePerson(owner.human_ref, reason, batch)
}

function revokeAgent(agent_id: string, reason: string | undefined, batch: BatchState): RevokeAllOutcome {
  if (batch.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const revoked_count = batch.countLiveOf({ agent_id })
  batch.agentMarks(agent_id).revoked_below = batch.nextIndex()
  batch.saveAgentMarks(agent_id)
  batch.appendLeaf('agent.revoked', {
    agent_id: loggedAgent(agent_id),
    ...reasonDigest({ reason }, undefined, batch),
  })
  return { revoked_at_ms: batch.now_ms, revoked_count }
}

/** Marks every ref of the person: tokens under a ref that they proved earlier or later must not stay valid. */
function revokePerson(human_ref: string, reason: string | undefined, batch: BatchState): RevokeAllOutcome {
  const human_refs = everyRef(human_ref, batch)
  let revoked_count = 0
  for (const ref of storedRefs(human_refs, batch)) {
    revoked_count += batch.countLiveOf({ human_ref: ref })
    revokeRef(ref, reasonDigest({ reason }, ref, batch), batch)
  }
  return { revoked_at_ms: batch.now_ms, revoked_count, human_refs }
}

/** Marks one ref of a person. The ref must have stored data. */
export function revokeRef(
  human_ref: string,
  why: { readonly reason_digest?: string },
  batch: BatchState,
): void {
  const marks = batch.humanMarks(human_ref)
  if (marks === undefined) throw new AuthorityError('human_unknown')
  marks.revoked_below = batch.nextIndex()
  batch.saveHumanMarks(human_ref, marks)
  batch.appendLeaf('human.revoked', { human_ref, ...why })
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
