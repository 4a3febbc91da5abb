import { TOKEN_CODES } from '../../token/jws.ts'
import { ANY_ROLE, REVOKERS } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
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

const ENCODED_ACTION = 'In an action, %20 stands for a space, %40 for @ and %25 for %.'

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
    'Checks the signature, the validity times, that this service issued the token, and that every ancestor is live. For an invalid token the response is `valid: false`, not an error.',
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

/** How an OAuth client authenticates in the body (RFC 6749 section 2.3.1). */
const CLIENT = {
  client_id: Type.Optional(
    Text('With a client secret: the ID of the API key. Otherwise it has no effect.', { maxLength: 256 }),
  ),
  client_secret: Type.Optional(
    Text('An API key. It can be sent with Basic authentication instead.', { maxLength: 256 }),
  ),
}

const TokenTypeHint = Type.Optional(
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
  oauth_errors: true,
  body: Closed({ token: CompactJwt, token_type_hint: TokenTypeHint, ...CLIENT }),
  cache_control: 'no-store',
  response: Type.Object({
    active: Flag('Whether the token is valid now.'),
    scope: Type.Optional(Text(`Every action@resource pair, separated by spaces. ${ENCODED_ACTION}`)),
    client_id: Type.Optional(StoredAgentId),
    token_type: Type.Optional(
      OneOf(['DPoP', 'Bearer'], { description: 'DPoP if the token is bound to a key.' }),
    ),
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
    'Delegation in the standard form: the subject token is the parent. The request needs no other credential: a subject token that is bound to a key needs a DPoP proof of that key (RFC 9449), and the new token is bound to the key of the proof. Errors are OAuth errors (`error`, `error_description`).',
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
      Text(`${TOKEN_TYPE_ACCESS}, or ${TOKEN_TYPE_JWT} for the same token under that name.`, {
        maxLength: 256,
        examples: [TOKEN_TYPE_ACCESS],
      }),
    ),
    actor_token: Type.Optional(
      described(
        CompactJwt,
        'A token of the agent that gets the child token. The child is bound to the key of this token, if it has one.',
      ),
    ),
    actor_token_type: Type.Optional(
      Text(`Must be ${TOKEN_TYPE_JWT} or ${TOKEN_TYPE_ACCESS}. Required with actor_token.`, {
        maxLength: 256,
      }),
    ),
    scope: Type.Optional(
      Text(
        `Pairs of action@resource, separated by spaces. ${ENCODED_ACTION} The child holds all of the actions for all of the resources. The scope of the parent without \`delegate\` by default.`,
        { maxLength: 65_536, examples: ['read@calendar:events'] },
      ),
    ),
    agent_id: Type.Optional(
      described(AgentId, 'Name of the agent that gets the child token. The agent of the parent by default.'),
    ),
    audience: Type.Optional(Audience),
    resource: Type.Optional(
      Text('The audience as an absolute URI (RFC 8707). If both are named, they must be equal.', {
        maxLength: 256,
      }),
    ),
    expires_in: Type.Optional(
      Lifetime(
        'Lifetime in seconds, at most the remaining lifetime of the parent. One hour by default, or the remaining lifetime if that is shorter.',
      ),
    ),
    ...CLIENT,
  }),
  cache_control: 'no-store',
  response: Closed({
    access_token: Text('The new token as a compact JWT.'),
    issued_token_type: OneOf([TOKEN_TYPE_JWT, TOKEN_TYPE_ACCESS], {
      description: 'The requested type, or the JWT type if the request names none.',
    }),
    token_type: OneOf(['DPoP', 'Bearer'], {
      description: 'How the token is presented: DPoP if it is bound to a key.',
    }),
    expires_in: Type.Integer({ description: 'Lifetime of the new token in seconds.' }),
    scope: Text(`The granted scope, as action@resource pairs. ${ENCODED_ACTION}`),
  }),
  access: { agent: 'own' },
  errors: [],
})

export const revokeOauthToken = operation({
  method: 'POST',
  path: '/oauth/revoke',
  tag: 'Revocation',
  summary: 'Revoke a token (RFC 7009)',
  description:
    'Revocation in the standard form, for OAuth clients. The holder of a token, and of the key that it is bound to, can revoke it; others authenticate with an API key. Revoking a token that is unknown, expired or already revoked is not an error.',
  form: true,
  oauth_errors: true,
  body: Closed({ token: CompactJwt, token_type_hint: TokenTypeHint, ...CLIENT }),
  cache_control: 'no-store',
  response: Closed({ revoked: Flag('Always true: the token is not in force.') }),
  lane: 'stop',
  access: REVOKERS,
  errors: [],
})
