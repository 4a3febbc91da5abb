import { Type } from 'typebox'
import { TOKEN_CODES } from '../../token/jws.ts'
import { ANY_ROLE } from '../access.ts'
import { operation } from '../operation.ts'
import {
  AgentId,
  Audience,
  Closed,
  Depth,
  described,
  Flag,
  Instant,
  Jti,
  Lifetime,
  OneOf,
  StoredAgentId,
  Text,
} from '../shapes.ts'
import { Claims, TokenStatusWord } from './tokens.ts'

const CompactJwt = Type.String({
  minLength: 1,
  maxLength: 16_384,
  title: 'CompactJwt',
  description: 'A token as a compact JWT.',
})

/** Why a token is not accepted: it is malformed, this service did not issue it, or its chain is not live. */
export const VERIFICATION_REASONS = [
  ...TOKEN_CODES,
  'not_issued',
  'token_revoked',
  'token_suspended',
  'agent_suspended',
  'token_expired',
  'token_not_yet_valid',
] as const
export type VerificationReason = (typeof VERIFICATION_REASONS)[number]

export const verifyToken = operation({
  method: 'POST',
  path: '/v1/vat/verify',
  tag: 'Verification',
  summary: 'Verify a token',
  description:
    'Checks the signature, the validity times, that this service issued the token, and that every ancestor is live. An invalid token is an answer with `valid: false`, not an error.',
  body: Closed({
    compact_jwt: CompactJwt,
    audience: Type.Optional(described(Audience, 'The audience that the token must name.')),
  }),
  response: Closed({
    valid: Flag('Whether the token is valid now.'),
    reason: Type.Optional(
      OneOf(VERIFICATION_REASONS, {
        title: 'VerificationReason',
        description: 'Why the token is not valid.',
      }),
    ),
    claims: Type.Optional(Claims),
    chain: Type.Array(
      Closed({
        jti: Jti,
        agent_id: StoredAgentId,
        delegation_depth: Depth,
        status: TokenStatusWord,
        expires_at: described(Instant, 'When the token expires.'),
      }),
      {
        description:
          'The token, then each ancestor up to the root. Empty if this service did not issue the token.',
      },
    ),
  }),
  access: ANY_ROLE,
  errors: [],
})

const ClientId = Type.Optional(
  Text('Accepted for OAuth libraries that send it. It has no effect.', { maxLength: 256 }),
)

export const introspectToken = operation({
  method: 'POST',
  path: '/v1/vat/introspect',
  tag: 'Verification',
  summary: 'Introspect a token (RFC 7662)',
  description:
    'Returns the claims of a valid token, and `{"active": false}` without a reason for anything else.',
  form: true,
  body: Closed({
    token: CompactJwt,
    token_type_hint: Type.Optional(
      Text('Accepted for OAuth libraries that send it. It has no effect.', { maxLength: 256 }),
    ),
    client_id: ClientId,
  }),
  cache_control: 'no-store',
  response: Type.Object({
    active: Flag('Whether the token is valid now.'),
    scope: Type.Optional(Text('Every action@resource pair, separated by blanks.')),
    client_id: Type.Optional(StoredAgentId),
    token_type: Type.Optional(Type.Literal('N_A', { description: 'Always N_A (RFC 8693).' })),
    ...Type.Partial(Claims).properties,
  }),
  access: ANY_ROLE,
  errors: [],
})

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const TOKEN_TYPE_JWT = 'urn:ietf:params:oauth:token-type:jwt'
export const TOKEN_TYPE_ACCESS = 'urn:ietf:params:oauth:token-type:access_token'

export const exchangeToken = operation({
  method: 'POST',
  path: '/oauth/token',
  tag: 'Verification',
  summary: 'Exchange a token for a narrower one (RFC 8693)',
  description:
    'Delegation in the standard form: the subject token is the parent. Errors are OAuth errors (`error`, `error_description`) with status 400.',
  form: true,
  oauth_errors: true,
  body: Closed({
    grant_type: Text(`Must be ${TOKEN_EXCHANGE}.`, { maxLength: 256, examples: [TOKEN_EXCHANGE] }),
    subject_token: described(CompactJwt, 'The parent token as a compact JWT.'),
    subject_token_type: Text(`Must be ${TOKEN_TYPE_JWT} or ${TOKEN_TYPE_ACCESS}.`, {
      maxLength: 256,
      examples: [TOKEN_TYPE_JWT],
    }),
    requested_token_type: Type.Optional(
      Text(`Must be ${TOKEN_TYPE_JWT}.`, { maxLength: 256, examples: [TOKEN_TYPE_JWT] }),
    ),
    scope: Type.Optional(
      Text(
        'Pairs of action@resource, separated by blanks. The child holds all of the actions for all of the resources. The scope of the parent without `delegate` by default.',
        { maxLength: 65_536, examples: ['read@calendar:events'] },
      ),
    ),
    agent_id: Type.Optional(
      described(AgentId, 'Name of the agent that gets the child token. The agent of the parent by default.'),
    ),
    audience: Type.Optional(Audience),
    expires_in: Type.Optional(
      Lifetime('Lifetime in seconds, at most the rest of the parent. One hour by default, or that rest.'),
    ),
    client_id: ClientId,
  }),
  cache_control: 'no-store',
  response: Closed({
    access_token: Text('The new token as a compact JWT.'),
    issued_token_type: Type.Literal(TOKEN_TYPE_JWT, { description: 'Type of the new token.' }),
    token_type: Type.Literal('N_A', {
      description: 'Always N_A: the token is not a bearer credential for other services.',
    }),
    expires_in: Type.Integer({ description: 'Lifetime of the new token in seconds.' }),
    scope: Text('The granted scope, as action@resource pairs.'),
  }),
  access: { agent: 'own' },
  errors: [],
})
