import type { Claims } from '@deputy/protocol'
import { limitsOf } from '../../domain/token.ts'
import { tokenRef } from '../../log/leaf.ts'
import type { IssueCommand } from '../command.ts'
import type { Ledger } from '../ledger.ts'

export interface IssueOutcome {
  readonly jti: string
  readonly provenance_ref: string
  readonly compact_jwt: string
  readonly claims: Claims
}

/** The token was signed beforehand; it counts from the moment its leaf is durable. */
export function issue(command: IssueCommand, ledger: Ledger): IssueOutcome {
  const { claims, purpose, compact_jwt, jwt_hash } = command
  const { log_index } = ledger.log('token.issued', {
    token: tokenRef(claims.jti),
    jwt_hash,
    provenance_ref: claims.svc_provenance_ref,
    agent_id: claims.sub,
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    scope: claims.svc_scope,
    expires_at_s: claims.exp,
    ...(claims.svc_constraints !== undefined && { constraints: claims.svc_constraints }),
  })
  ledger.addToken(
    {
      jti: claims.jti,
      root_jti: claims.svc_root_jti,
      provenance_ref: claims.svc_provenance_ref,
      agent_id: claims.sub.slice('agent:'.length),
      human_ref: claims.svc_human_ref,
      assurance_level: claims.svc_assurance_level,
      delegation_depth: claims.svc_delegation_depth,
      scope: claims.svc_scope,
      limits: limitsOf(claims),
      claims,
      purpose,
      issued_at_ms: ledger.now_ms,
      log_index,
    },
    undefined,
    jwt_hash,
  )
  return { jti: claims.jti, provenance_ref: claims.svc_provenance_ref, compact_jwt, claims }
}
