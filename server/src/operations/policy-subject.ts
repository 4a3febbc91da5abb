import type { Claims } from '@deputize/protocol'
import type { PolicySubject } from '../domain/policy.ts'

/** The facts about a token that policy rules are evaluated against. */
export function policySubject(claims: Claims): PolicySubject {
  return {
    scope: claims.svc_scope,
    assurance_level: claims.svc_assurance_level,
    human_ref: claims.svc_human_ref,
    lifetime_s: claims.exp - claims.iat,
    is_key_bound: claims.cnf !== undefined,
  }
}
