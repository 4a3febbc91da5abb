import type { Claims } from '@deputize/protocol'

/** The claims of a root token of an agent and a person with the same name. */
export function rootClaims(jti: string, name: string, iat: number): Claims {
  return {
    iss: 'urn:test',
    sub: `agent:${name}`,
    jti,
    iat,
    nbf: iat,
    exp: iat + 3600,
    svc_env: 'open',
    svc_trust_score: 0,
    svc_assurance_level: 'L1',
    svc_human_ref: `sha256:${name}`,
    svc_scope: { resources: ['calendar:events'], actions: ['read'] },
    svc_provenance_ref: `prov_${jti}`,
    svc_delegation_depth: 0,
    svc_root_jti: jti,
  }
}
