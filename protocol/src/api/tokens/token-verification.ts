import { Type } from 'typebox'
import { TOKEN_CODES } from '../../token/jws.ts'
import { ANY_ROLE } from '../access.ts'
import { operation } from '../operation.ts'
import { AgentId, Closed, Depth, Instant, Jti, OneOf, StoredAgentId } from '../shapes.ts'
import { Claims, TOKEN_STATUSES } from './tokens.ts'

const EXAMPLE_JWT = 'eyJhbGciOiJFZERTQSIsInR5cCI6InZhdCtqd3QifQ.eyJqdGkiOiJ2YXRfcm9vdF8wIn0.c2lnbmF0dXJl'
const CompactJwt = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description: 'A token as a compact JWT, as the issue call answered it.',
})
const Audience = Type.String({ minLength: 1, maxLength: 256 })

/** Why a token is not to be believed: what is wrong with it, that it is not ours, or that its chain is not in force. */
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
    'Tests the signature, the times, that this service really issued the token, and that every ancestor is in force. A no is an answer, not an error.',
  body: Closed({ compact_jwt: CompactJwt, audience: Type.Optional(Audience) }),
  example: { compact_jwt: EXAMPLE_JWT },
  response: Closed({
    valid: Type.Boolean(),
    reason: Type.Optional(OneOf(VERIFICATION_REASONS)),
    claims: Type.Optional(Claims),
    chain: Type.Array(
      Closed({
        jti: Jti,
        agent_id: StoredAgentId,
        delegation_depth: Depth,
        status: OneOf(TOKEN_STATUSES),
        expires_at: Instant,
      }),
      { description: 'The token, then each ancestor up to the root; empty when the token proves nothing.' },
    ),
  }),
  access: ANY_ROLE,
  errors: [],
})

const TokenTypeHint = Type.Optional(
  Type.String({ maxLength: 256, description: 'Of no use here: there is one kind of token.' }),
)
const ClientId = Type.Optional(
  Type.String({ maxLength: 256, description: 'Clients of OAuth libraries send it. It grants nothing.' }),
)

export const introspectToken = operation({
  method: 'POST',
  path: '/v1/vat/introspect',
  tag: 'Verification',
  summary: 'Introspect a token (RFC 7662)',
  description:
    'The claims of a token that is valid in every respect; `{"active": false}` for anything else, without a reason.',
  form: true,
  body: Closed({
    token: CompactJwt,
    token_type_hint: TokenTypeHint,
    client_id: ClientId,
  }),
  example: { token: EXAMPLE_JWT },
  cache_control: 'no-store',
  response: Type.Object({
    active: Type.Boolean(),
    scope: Type.Optional(Type.String({ description: 'Every action@resource pair, blanks between them.' })),
    client_id: Type.Optional(StoredAgentId),
    token_type: Type.Optional(Type.Literal('N_A')),
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
    'The standard face of delegation: the subject token is the parent. Refusals are OAuth errors (`error`, `error_description`) with status 400.',
  form: true,
  oauth_errors: true,
  body: Closed({
    grant_type: Type.String({ maxLength: 256, examples: [TOKEN_EXCHANGE] }),
    subject_token: CompactJwt,
    subject_token_type: Type.String({ maxLength: 256, examples: [TOKEN_TYPE_JWT] }),
    requested_token_type: Type.Optional(Type.String({ maxLength: 256, examples: [TOKEN_TYPE_JWT] })),
    scope: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description:
          'Blank-separated action@resource pairs. The child holds all their actions for all their resources; when absent, what the parent holds without `delegate`.',
        examples: ['read@calendar:events'],
      }),
    ),
    agent_id: Type.Optional(AgentId),
    audience: Type.Optional(Audience),
    expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_592_000 })),
    client_id: ClientId,
  }),
  example: {
    grant_type: TOKEN_EXCHANGE,
    subject_token: EXAMPLE_JWT,
    subject_token_type: TOKEN_TYPE_JWT,
    scope: 'read@calendar:events',
    agent_id: 'summary-bot',
  },
  cache_control: 'no-store',
  response: Closed({
    access_token: Type.String({ description: 'The new token as a compact JWT.' }),
    issued_token_type: Type.Literal(TOKEN_TYPE_JWT),
    token_type: Type.Literal('N_A', {
      description: 'The token is named in request bodies and never sent as a bearer credential.',
    }),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.String({ description: 'What was granted, pair by pair.' }),
  }),
  access: { agent: 'own' },
  errors: [],
})
