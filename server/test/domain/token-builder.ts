import type { Claims, Constraints } from '@deputy/protocol'
import { type Chain, freshState, limitsOf, type TokenState } from '../../src/domain/token.ts'

export const NOW_MS = Date.parse('2027-01-01T00:00:00Z')

/** A chain of one live token, with the constraints and state that a test is about. */
export function aChain(constraints: Constraints = {}, state: Partial<TokenState> = {}): Chain {
  const claims = someClaims(constraints)
  return [
    {
      token: {
        jti: claims.jti,
        root_jti: claims.jti,
        provenance_ref: claims.svc_provenance_ref,
        agent_id: 'bot',
        human_ref: claims.svc_human_ref,
        assurance_level: 'L1',
        delegation_depth: 0,
        scope: claims.svc_scope,
        limits: limitsOf(claims),
        claims,
        purpose: undefined,
        issued_at_ms: NOW_MS,
        log_index: 0,
      },
      state: { ...freshState(), ...state },
    },
  ]
}

function someClaims(constraints: Constraints): Claims {
  return {
    iss: 'urn:deputy:open:test',
    sub: 'agent:bot',
    iat: NOW_MS / 1000,
    nbf: NOW_MS / 1000,
    exp: NOW_MS / 1000 + 3600,
    jti: 'vat_root_test',
    svc_trust_score: 0.4,
    svc_scope: { resources: ['mail:*', 'files:tax'], actions: ['read', 'send'] },
    svc_assurance_level: 'L1',
    svc_human_ref: 'sha256:test',
    svc_provenance_ref: 'prov_test',
    svc_delegation_depth: 0,
    svc_root_jti: 'vat_root_test',
    svc_constraints: constraints,
  }
}
