import { hash } from 'node:crypto'
import {
  AuthorityError,
  type Claims,
  type Constraints,
  canonicalJson,
  loggedAgent,
  tokenRef,
} from '@deputize/protocol'
import { assertLive } from '../../domain/decision.ts'
import { agentOfClaims, type Link, tokenOf } from '../../domain/token.ts'
import type { LeafType } from '../../log/leaf.ts'
import type { Ledger } from '../batch-state.ts'
import type { IssueCommand, PassOnCommand } from '../command.ts'

export interface IssueOutcome {
  readonly jti: string
  readonly provenance_ref: string
  readonly compact_jwt: string
  readonly claims: Claims
}

/** The token was signed beforehand; it counts from the moment its leaf is durable. */
export function issue(command: IssueCommand, ledger: Ledger): IssueOutcome {
  assertAgentActive(command.claims, ledger)
  return keep(command, 'token.issued', [], ledger)
}

/**
 * That the child only narrows follows from facts that never change, and was checked before it was signed. What may have
 * changed since is whether the chain above it is still in force.
 */
export function passOn(command: PassOnCommand, ledger: Ledger): IssueOutcome {
  const above = ledger.chain(command.above_jti)
  if (above === undefined) throw new AuthorityError('token_unknown')
  assertLive(above, ledger.now_ms)
  assertAgentActive(command.claims, ledger)
  return keep(command, command.kind === 'delegate' ? 'token.delegated' : 'token.renewed', above, ledger)
}

function assertAgentActive(claims: Claims, ledger: Ledger): void {
  if (ledger.agentMarks(agentOfClaims(claims)).suspended_at_ms === undefined) return
  throw new AuthorityError(
    'token_not_live',
    `${claims.sub} is suspended. Resume it before giving it authority.`,
    {
      reason: 'agent_suspended',
      reasons: ['agent_suspended'],
    },
  )
}

function keep(
  command: IssueCommand | PassOnCommand,
  type: LeafType,
  above: readonly Link[],
  ledger: Ledger,
): IssueOutcome {
  const { claims, purpose, compact_jwt, jwt_hash, status_index } = command
  const { log_index } = ledger.log(type, {
    token: tokenRef(claims.jti),
    jwt_hash,
    // The id inside makes it impossible to guess what else is in there.
    claims_hash: `sha256:${hash('sha256', canonicalJson(claims))}`,
    provenance_ref: claims.svc_provenance_ref,
    agent_id: loggedAgent(agentOfClaims(claims)),
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    delegation_depth: claims.svc_delegation_depth,
    scope: claims.svc_scope,
    expires_at_s: claims.exp,
    ...(above[0] !== undefined && { above: tokenRef(above[0].token.jti) }),
    ...(claims.svc_constraints !== undefined && { constraints: enforced(claims.svc_constraints) }),
    ...(purpose !== undefined && {
      purpose_digest: ledger.digest(claims.svc_human_ref, 'purpose', purpose),
    }),
  })
  const token = tokenOf(claims, { jwt_hash, issued_at_ms: ledger.now_ms, log_index })
  ledger.addToken(token, purpose, above, status_index)
  return { jti: claims.jti, provenance_ref: claims.svc_provenance_ref, compact_jwt, claims }
}

/** The constraints without what callers put there in words of their own. */
function enforced(constraints: Constraints): Constraints {
  return Object.fromEntries(Object.entries(constraints).filter(([name]) => !name.startsWith('x_')))
}
