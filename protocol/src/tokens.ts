import { type Static, Type } from 'typebox'
import { operation } from './operation.ts'
import {
  Action,
  AgentId,
  AssuranceLevel,
  Closed,
  Depth,
  HumanRef,
  Instant,
  Jti,
  ProvenanceRef,
  ResourcePattern,
  SignedUsd,
  StoredAgentId,
  TrustScore,
  Usd,
} from './shapes.ts'

export const Scope = Closed({
  resources: Type.Array(ResourcePattern, { minItems: 1, maxItems: 256, uniqueItems: true }),
  actions: Type.Array(Action, { minItems: 1, maxItems: 256, uniqueItems: true }),
})
export type Scope = Static<typeof Scope>

/** Limits carried by a token and enforced by the service. Members that begin with x_ are carried for resource servers. */
export const Constraints = Type.Object(
  {
    max_spend_usd: Type.Optional(Usd),
    max_spend_per_action_usd: Type.Optional(Usd),
    max_actions: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'How many actions the token may take in all.',
      }),
    ),
    not_before: Type.Optional(
      Type.String({ format: 'date-time', description: 'The token allows nothing before this instant.' }),
    ),
    expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'The token allows nothing from this instant on.' }),
    ),
  },
  {
    patternProperties: { '^x_[a-z0-9_]{1,62}$': {} },
    additionalProperties: false,
    maxProperties: 32,
    description:
      'Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers.',
  },
)
export type Constraints = Static<typeof Constraints>

/** The members of an Ed25519 public key; the service refuses weak keys and anything private. */
const AgentJwk = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 16,
  description: 'Ed25519 public key of the agent (JWK). The token is then bound to it by cnf.jkt.',
  examples: [{ kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }],
})

/** The JWT payload, member for member. */
export const Claims = Type.Object({
  iss: Type.String(),
  sub: StoredAgentId,
  aud: Type.Optional(Type.String()),
  iat: Type.Integer(),
  nbf: Type.Integer(),
  exp: Type.Integer(),
  jti: Jti,
  svc_env: Type.Optional(Type.String()),
  svc_trust_score: TrustScore,
  svc_scope: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
  svc_assurance_level: AssuranceLevel,
  svc_human_ref: HumanRef,
  svc_email_verified: Type.Optional(Type.Boolean()),
  svc_provenance_ref: ProvenanceRef,
  svc_delegation_depth: Depth,
  svc_root_jti: Jti,
  svc_constraints: Type.Optional(Type.Unsafe<Constraints>({ type: 'object', additionalProperties: true })),
  cnf: Type.Optional(Closed({ jkt: Type.String() })),
})
export type Claims = Static<typeof Claims>

export const IssueL1Request = Closed({
  developer_email: Type.String({
    format: 'email',
    description: 'Stands for the accountable human. Kept only as a keyed hash.',
    examples: ['dev@example.com'],
  }),
  agent_id: AgentId,
  resources: Scope.properties.resources,
  actions: Scope.properties.actions,
  constraints: Type.Optional(Constraints),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description: 'Lifetime in seconds; one day when absent, thirty days at most.',
    }),
  ),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The one service the token is meant for (aud).',
    }),
  ),
  agent_jwk: Type.Optional(AgentJwk),
  purpose: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'What the authority is for, in words.' }),
  ),
})

export const IssuedToken = Closed({
  jti: Jti,
  provenance_ref: ProvenanceRef,
  compact_jwt: Type.String({ description: 'The token as a compact JWT signed with Ed25519.' }),
  claims: Claims,
})

export const issueL1 = operation({
  method: 'POST',
  path: '/v1/vat/issue/l1',
  tag: 'Tokens',
  summary: 'Issue a root token (L1)',
  description:
    'Instant, without biometrics: for development, testing and low-risk automation. Starts a new workflow.',
  body: IssueL1Request,
  example: {
    developer_email: 'dev@example.com',
    agent_id: 'calendar-bot',
    resources: ['calendar:events'],
    actions: ['read', 'write'],
    constraints: { max_spend_usd: 5 },
  },
  response: IssuedToken,
  errors: [],
})

const Budget = Closed({
  allocated_usd: Usd,
  spent_usd: Usd,
  reserved_usd: Usd,
  remaining_usd: SignedUsd,
})

export const TOKEN_STATUSES = ['live', 'not_yet_valid', 'expired', 'revoked'] as const
export type TokenStatus = (typeof TOKEN_STATUSES)[number]

export const TokenView = Closed({
  jti: Jti,
  provenance_ref: ProvenanceRef,
  root_jti: Jti,
  agent_id: StoredAgentId,
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  delegation_depth: Depth,
  status: Type.Unsafe<TokenStatus>({ type: 'string', enum: [...TOKEN_STATUSES] }),
  claims: Claims,
  purpose: Type.Optional(Type.String()),
  total_actions: Type.Integer({ description: 'Actions charged to this token.' }),
  budget: Type.Optional(Budget),
  issued_at: Instant,
  expires_at: Instant,
  revoked_at: Type.Optional(Instant),
  revoke_reason: Type.Optional(Type.String()),
  log_index: Type.Integer({ description: 'Position of the leaf that tells of the issue.' }),
})

export const getToken = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}',
  tag: 'Tokens',
  summary: 'Read a token',
  description: 'What it allows, whether it is live, and what it has used.',
  params: Closed({ jti: Jti }),
  response: TokenView,
  errors: ['token_unknown'],
})

export const revokeToken = operation({
  method: 'POST',
  path: '/v1/vat/revoke',
  tag: 'Tokens',
  summary: 'Revoke a token',
  description:
    'Silences the token and everything below it, before the answer leaves. Revoking again is no error and changes nothing. Pending records may still be completed, so that no evidence is lost.',
  body: Closed({
    vat_jti: Jti,
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  }),
  example: { vat_jti: 'vat_root_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r', reason: 'Task is done' },
  response: Closed({
    revoked: Type.Boolean(),
    already_revoked: Type.Boolean(),
    jti: Jti,
    revoked_at: Instant,
    revoked_count: Type.Integer({ description: 'Live tokens that this call silenced.' }),
    provenance_ref: ProvenanceRef,
  }),
  errors: ['token_unknown'],
})

export const KeySet = Closed({
  keys: Type.Array(
    Closed({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      use: Type.String(),
    }),
  ),
})

export const getKeySet = operation({
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Discovery',
  summary: 'Public keys (JWK Set)',
  description: 'The keys that verify tokens, with the retired ones whose tokens may still be valid.',
  response: KeySet,
  errors: [],
})
