import type { Claims } from '@deputize/protocol'
import type { PolicySubject } from '../../domain/tokens/policy.ts'
import { verifiedAtSeconds } from '../../domain/verification/verification-age.ts'

/** Returns the facts about a token that policy rules are evaluated against. */
export function policySubject(claims: Claims): PolicySubject {
  const verified_at_s = verifiedAtSeconds(claims)
  return {
    scope: claims.svc_scope,
    assurance_level: claims.svc_assurance_level,
    human_ref: claims.svc_human_ref,
    lifetime_s: claims.exp - claims.iat,
    is_key_bound: claims.cnf !== undefined,
    verified_for_s: verified_at_s === undefined ? undefined : claims.exp - verified_at_s,
    min_vouch_score: claims.svc_constraints?.min_vouch_score ?? 0,
  }
}
