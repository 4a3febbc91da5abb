import type { Claims, Constraints } from '@deputize/protocol'
import {
  type Chain,
  freshState,
  type Link,
  noMarks,
  type TokenState,
  tokenOf,
} from '../../src/domain/tokens/token.ts'

export const NOW_MS = Date.parse('2027-01-01T00:00:00Z')

/** A chain of one live token with these constraints and this state. */
export function aChain(constraints: Constraints = {}, state: Partial<TokenState> = {}): Chain {
  return [aLink(constraints, state)]
}

export function aLink(
  constraints: Constraints = {},
  state: Partial<TokenState> = {},
  claims: Partial<Claims> = {},
): Link {
  return {
    token: tokenOf(
      { ...someClaims(constraints), ...claims },
      { jwt_hash: 'sha256:x', issued_at_ms: NOW_MS, log_index: 5 },
    ),
    state: { ...freshState(), ...state },
    agent: noMarks(),
    human: noMarks(),
  }
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
