import { about, REVOKERS } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  Count,
  described,
  Flag,
  Instant,
  Jti,
  ProvenanceRef,
  RevokedCount,
  RevokeReason,
  SignedUsd,
  StoredAgentId,
} from '../shapes.ts'
import { SuspendedBy, SuspendReason } from './suspension.ts'

const AlreadyRevoked = Flag(
  'Whether the token was revoked before, and the one that it renews, so that nothing changed.',
)

export const revokeToken = operation({
  method: 'POST',
  path: '/v1/vat/revoke',
  tag: 'Revocation',
  summary: 'Revoke a token',
  description:
    'Revokes the token, the tokens that it renews and every token below them before the response is sent. Revoking a token again changes nothing and is not an error. You can still complete pending records, so no evidence is lost.',
  body: Closed({ vat_jti: described(Jti, 'The token to revoke.'), reason: RevokeReason }),
  response: Closed({
    revoked: Flag('Always true.'),
    already_revoked: AlreadyRevoked,
    jti: Jti,
    revoked_at: described(Instant, 'When the token was revoked.'),
    revoked_count: RevokedCount,
    provenance_ref: ProvenanceRef,
  }),
  lane: 'stop',
  access: { ...about('token', '/body/vat_jti'), ...REVOKERS },
  errors: ['token_unknown'],
})

export const previewRevocation = operation({
  method: 'POST',
  path: '/v1/vat/revoke/preview',
  tag: 'Revocation',
  summary: 'Preview a revocation',
  description: 'Returns what revoking the token would stop. Changes nothing.',
  body: Closed({ vat_jti: described(Jti, 'The token that you would revoke.') }),
  response: Closed({
    jti: Jti,
    already_revoked: AlreadyRevoked,
    live_tokens: Count('Live tokens: this one, the one that it renews, and those below them.'),
    agents: Type.Array(StoredAgentId, { description: 'Agents that hold those tokens, at most 1,000.' }),
    pending_records: Count('Pending records of those tokens.'),
    reserved_usd: described(SignedUsd, 'US dollars reserved by those records.'),
  }),
  lane: 'stop',
  access: { ...about('token', '/body/vat_jti'), ...REVOKERS },
  errors: ['token_unknown'],
})

const Suspension = Closed(
  {
    jti: Jti,
    suspended: Flag('Whether the token is suspended now.'),
    changed: Flag('Whether this call changed anything.'),
    at: described(Instant, 'When the call was carried out.'),
    suspended_by: SuspendedBy,
  },
  { title: 'Suspension', description: 'The state of a token after a call to suspend or resume it.' },
)

export const suspendToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/suspend',
  tag: 'Revocation',
  summary: 'Suspend a token',
  description:
    'Freezes the token, the tokens that it renews and every token below them until it is resumed by a caller of your rank or a higher one: agent, developer, person, operator. Suspending again changes nothing, unless your rank is higher: then only your rank or a higher one can resume the token.',
  params: Closed({ jti: Jti }),
  body: Closed({ reason: SuspendReason }),
  response: Suspension,
  lane: 'stop',
  access: { ...about('token', '/params/jti'), ...REVOKERS },
  errors: ['token_unknown'],
})

export const resumeToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/resume',
  tag: 'Revocation',
  summary: 'Resume a suspended token',
  description:
    'Also resumes the tokens that this one renews. Needs the rank of the caller who suspended each of them, or a higher one.',
  params: Closed({ jti: Jti }),
  response: Suspension,
  access: { ...about('token', '/params/jti'), operator: 'tenant', developer: 'tenant', human: 'own' },
  errors: ['token_unknown', 'rank_too_low'],
})
