import { Type } from 'typebox'
import { about, REVOKERS } from '../access.ts'
import { operation } from '../operation.ts'
import {
  Closed,
  EXAMPLE_JTI,
  Instant,
  Jti,
  ProvenanceRef,
  RevokedCount,
  RevokeReason,
  SignedUsd,
  StoredAgentId,
} from '../shapes.ts'

export const revokeToken = operation({
  method: 'POST',
  path: '/v1/vat/revoke',
  tag: 'Revocation',
  summary: 'Revoke a token',
  description:
    'Silences the token and everything below it, before the answer leaves. Revoking again is no error and changes nothing. Pending records may still be completed, so that no evidence is lost.',
  body: Closed({ vat_jti: Jti, reason: RevokeReason }),
  example: { vat_jti: EXAMPLE_JTI, reason: 'Task is done' },
  response: Closed({
    revoked: Type.Boolean(),
    already_revoked: Type.Boolean(),
    jti: Jti,
    revoked_at: Instant,
    revoked_count: RevokedCount,
    provenance_ref: ProvenanceRef,
  }),
  access: { ...about('token', '/body/vat_jti'), ...REVOKERS },
  errors: ['token_unknown'],
})

export const previewRevocation = operation({
  method: 'POST',
  path: '/v1/vat/revoke/preview',
  tag: 'Revocation',
  summary: 'Preview a revocation',
  description: 'What one revoke would silence. Nothing changes.',
  body: Closed({ vat_jti: Jti }),
  example: { vat_jti: EXAMPLE_JTI },
  response: Closed({
    jti: Jti,
    already_revoked: Type.Boolean(),
    live_tokens: Type.Integer({ description: 'The token and its descendants that are in force.' }),
    agents: Type.Array(StoredAgentId, { description: 'Agents that hold them, at most 1,000.' }),
    pending_records: Type.Integer(),
    reserved_usd: SignedUsd,
  }),
  access: { ...about('token', '/body/vat_jti'), ...REVOKERS },
  errors: ['token_unknown'],
})

const Frozen = Closed({ jti: Jti, suspended: Type.Boolean(), changed: Type.Boolean(), at: Instant })

export const suspendToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/suspend',
  tag: 'Revocation',
  summary: 'Suspend a token',
  description:
    'A freeze of the token and everything below it that can be lifted. Suspending again changes nothing.',
  params: Closed({ jti: Jti }),
  response: Frozen,
  access: { ...about('token', '/params/jti'), ...REVOKERS },
  errors: ['token_unknown'],
})

export const resumeToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/resume',
  tag: 'Revocation',
  summary: 'Resume a suspended token',
  params: Closed({ jti: Jti }),
  response: Frozen,
  access: { ...about('token', '/params/jti'), operator: 'tenant', developer: 'tenant', human: 'own' },
  errors: ['token_unknown'],
})
