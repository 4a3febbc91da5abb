import { hash } from 'node:crypto'
import { AuthorityError, type Claims, canonicalJson, loggedAgent, tokenRef } from '@deputize/protocol'
import type { NameRequest } from '../../domain/agent-identity.ts'
import { asksVouchScore, assertLive } from '../../domain/decision.ts'
import { readInnerLimits } from '../../domain/tokens/inner-limits.ts'
import { loggedConstraints } from '../../domain/tokens/logged-constraints.ts'
import { agentOfClaims, type Link, tokenOf } from '../../domain/tokens/token.ts'
import { verifiedAtSeconds } from '../../domain/verification/verification-age.ts'
import { actorRef } from '../../log/actor-ref.ts'
import type { LeafType } from '../../log/leaf.ts'
import type { BatchState } from '../batch-state.ts'
import type { ExtendCommand, IssueCommand, PreviewTokenCommand } from '../command.ts'
import { assertIdentity, assertKeyInUse, saveIdentity } from './identity.ts'
import { endVouchesForOwnAgent } from './vouch.ts'

export interface IssueOutcome {
  readonly jti: string
  readonly provenance_ref: string
  readonly compact_jwt: string
  readonly claims: Claims
}

/** The answer to a command that succeeded: the token that was signed beforehand. */
export function issueOutcome({ claims, compact_jwt }: IssueCommand | ExtendCommand): IssueOutcome {
  return { jti: claims.jti, provenance_ref: claims.svc_provenance_ref, compact_jwt, claims }
}

/** The token is already signed. It takes effect when its leaf is durable. */
export function judgeIssue(command: IssueCommand, batch: BatchState): IssueOutcome {
  assertAgentActive(command.claims, batch)
  assertAccepted(command.claims, batch)
  assertEnrolled(command, batch)
  assertCheckStands(command, batch)
  return saveToken(command, 'token.issued', [], batch)
}

/** Throws if a token with these claims would be refused, whatever it rests on and whatever is above it. */
export function judgePreviewToken({ claims, actors }: PreviewTokenCommand, batch: BatchState): void {
  assertAgentActive(claims, batch)
  if (claims.svc_parent_jti === undefined) assertAccepted(claims, batch)
  if (actors !== undefined) assertIdentity(nameRequest(claims, actors), batch)
}

/**
 * Throws if the person's enrollment was withdrawn while their capture was judged, even if they have enrolled again
 * since.
 */
function assertEnrolled({ template_id: id, claims }: IssueCommand, batch: BatchState): void {
  if (id === undefined) return
  const document = batch.registryEntry({ kind: 'biometric', id })?.document
  if (document === undefined) throw new AuthorityError('not_enrolled')
  const { enrolled_at }: { enrolled_at: string } = JSON.parse(document)
  const verified_at_s = verifiedAtSeconds(claims) ?? 0
  if (Math.floor(Date.parse(enrolled_at) / 1000) > verified_at_s) throw new AuthorityError('not_enrolled')
}

/**
 * Throws if the provider withdrew its decision while the token was being made. If it withdraws later, the token is
 * revoked.
 */
function assertCheckStands({ check_id: id }: IssueCommand, batch: BatchState): void {
  if (id === undefined) return
  const document = batch.registryEntry({ kind: 'external_check', id })?.document
  const { status, fallen }: { status?: string; fallen?: unknown } = JSON.parse(document ?? '{}')
  if (status !== 'pass' || fallen !== undefined) throw new AuthorityError('verification_withdrawn')
}

/**
 * Delegates or renews. The scope was checked before signing and depends only on facts that never change. Whether the
 * chain above is still in force may have changed since, so it is checked here.
 */
export function judgeExtend(command: ExtendCommand, batch: BatchState): IssueOutcome {
  const above = batch.requireChain(command.above_jti)
  assertLive(above, batch.now_ms)
  assertAgentActive(command.claims, batch)
  if (command.kind === 'renew') assertAccepted(command.claims, batch)
  return saveToken(command, command.kind === 'delegate' ? 'token.delegated' : 'token.renewed', above, batch)
}

function assertAgentActive(claims: Claims, batch: BatchState): void {
  if (batch.agentMarks(agentOfClaims(claims)).suspended_at_ms === undefined) return
  throw new AuthorityError(
    'token_not_live',
    `${claims.sub} is suspended. Resume it before issuing a token to it.`,
    {
      reason: 'agent_suspended',
      reasons: ['agent_suspended'],
    },
  )
}

/**
 * Throws if the person refuses new tokens. A renewal is a new token; a delegation only narrows one that they have
 * accepted.
 */
function assertAccepted({ svc_human_ref }: Claims, batch: BatchState): void {
  if (batch.humanMarks(svc_human_ref)?.refused_at_ms === undefined) return
  throw new AuthorityError('human_refuses', undefined, { human_ref: svc_human_ref })
}

/** The name and key of the new token's agent, as the caller uses them; undefined in open mode. */
function identityOf(command: IssueCommand | ExtendCommand, batch: BatchState) {
  const { actors, claims } = command
  if (actors === undefined) return undefined
  const request = nameRequest(claims, actors)
  if (command.kind === 'renew') assertKeyInUse(request, batch)
  // The person behind a token may renew it, whoever owns the agent: neither name nor key changes.
  const person = `human:${claims.svc_human_ref}`
  if (command.kind === 'renew' && actors.includes(person))
    return { request, verdict: { by: person, binds: false, registers: false } }
  // A renewal brings no new key, so only the name is judged.
  const asked = command.kind === 'renew' ? { ...request, jkt: undefined } : request
  return { request, verdict: assertIdentity(asked, batch) }
}

function nameRequest(claims: Claims, actors: readonly string[]): NameRequest {
  return { agent_id: agentOfClaims(claims), jkt: claims.cnf?.jkt, actors }
}

/**
 * Throws unless L3 tokens, and no others, have inner limits. If some L3 tokens had none, those with limits would stand
 * out.
 */
function assertInnerLimits({ claims, inner_limits }: IssueCommand | ExtendCommand): void {
  if ((claims.svc_assurance_level === 'L3') === (inner_limits !== undefined)) return
  throw new TypeError('L3 tokens, and no others, have inner limits')
}

function saveToken(
  command: IssueCommand | ExtendCommand,
  type: LeafType,
  above: readonly Link[],
  batch: BatchState,
): IssueOutcome {
  const { claims, purpose, jwt_hash, status_index, inner_limits } = command
  assertInnerLimits(command)
  const identity = identityOf(command, batch)
  const { log_index } = batch.appendLeaf(type, {
    token: tokenRef(claims.jti),
    jwt_hash,
    // The random token ID in the claims keeps the hash from being guessed.
    claims_hash: `sha256:${hash('sha256', canonicalJson(claims))}`,
    provenance_ref: claims.svc_provenance_ref,
    agent_id: loggedAgent(agentOfClaims(claims)),
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    delegation_depth: claims.svc_delegation_depth,
    scope: claims.svc_scope,
    expires_at_s: claims.exp,
    ...(above[0] !== undefined && { above: tokenRef(above[0].token.jti) }),
    ...(claims.svc_constraints !== undefined && { constraints: loggedConstraints(claims.svc_constraints) }),
    ...(purpose !== undefined && {
      purpose_digest: batch.digest(claims.svc_human_ref, 'purpose', purpose),
    }),
    ...(inner_limits !== undefined && {
      inner_digest: batch.digest(undefined, 'inner_limits', inner_limits),
    }),
    ...(identity !== undefined && { by: actorRef(identity.verdict.by) }),
    ...(identity?.request.jkt !== undefined && { jkt: identity.request.jkt }),
  })
  if (identity !== undefined) saveIdentity(identity.request, identity.verdict, log_index, batch)
  const token = tokenOf(claims, {
    jwt_hash,
    issued_at_ms: batch.now_ms,
    log_index,
    inner_limits: inner_limits === undefined ? undefined : readInnerLimits(inner_limits),
  })
  batch.addToken({ token, purpose, above_jti: above[0]?.token.jti, status_index, inner_limits }, above)
  endVouchesForOwnAgent(token.agent_id, token.human_ref, batch)
  if (asksVouchScore([{ token }, ...above])) batch.trust.askScore(token.agent_id, log_index)
  return issueOutcome(command)
}
