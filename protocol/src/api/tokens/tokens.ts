import { type Static, Type } from 'typebox'
import { about, LISTERS, READERS, STAFF } from '../access.ts'
import { PolicyAssertionClaim, PolicyAssertions } from '../deployment/policies.ts'
import { operation } from '../operation.ts'
import {
  Action,
  AgentId,
  AssuranceLevel,
  Closed,
  Depth,
  Erased,
  HumanRef,
  Instant,
  Jti,
  PageOf,
  PageQuery,
  ProvenanceRef,
  ResourcePattern,
  Sha256Digest,
  SignedUsd,
  StoredAgentId,
  TrustScore,
  Usd,
} from '../shapes.ts'
import { Constraints } from './constraints.ts'

export const Scope = Closed({
  resources: Type.Array(ResourcePattern, { minItems: 1, maxItems: 256, uniqueItems: true }),
  actions: Type.Array(Action, { minItems: 1, maxItems: 256, uniqueItems: true }),
})
export type Scope = Static<typeof Scope>

/** The members of an Ed25519 or P-256 public key; the service refuses weak keys and anything private. */
export const AgentJwk = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 16,
  description: 'Public key of the agent (JWK), Ed25519 or P-256. The token is then bound to it by cnf.jkt.',
  examples: [{ kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }],
})

/** The chain of agents that passed an authority on, nearest first. */
export interface Actor {
  sub: string
  act?: Actor
}

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
  svc_tenant: Type.Optional(
    Type.String({ description: 'The tenant that the agent belongs to; absent for `default`.' }),
  ),
  svc_trust_score: TrustScore,
  svc_scope: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
  svc_assurance_level: AssuranceLevel,
  svc_human_ref: HumanRef,
  svc_email_verified: Type.Optional(Type.Boolean()),
  svc_provider: Type.Optional(Type.String({ description: 'The sign-on provider that proved the person.' })),
  amr: Type.Optional(Type.Array(Type.String(), { description: 'How the person signed in (RFC 8176).' })),
  auth_time: Type.Optional(Type.Integer({ description: 'When the person signed in.' })),
  svc_provenance_ref: ProvenanceRef,
  svc_delegation_depth: Depth,
  svc_root_jti: Jti,
  svc_parent_jti: Type.Optional(Jti),
  svc_parent_hash: Type.Optional(Type.String({ description: 'SHA-256 of the compact JWT of the parent.' })),
  svc_renews_jti: Type.Optional(Jti),
  act: Type.Optional(
    Type.Unsafe<Actor>({
      type: 'object',
      additionalProperties: true,
      description: 'Who passed the authority on (RFC 8693): the parent agent, then its own.',
    }),
  ),
  svc_constraints: Type.Optional(Type.Unsafe<Constraints>({ type: 'object', additionalProperties: true })),
  svc_policy_assertions: Type.Optional(PolicyAssertionClaim),
  status: Type.Optional(
    Closed(
      { status_list: Closed({ idx: Type.Integer(), uri: Type.String() }) },
      { description: 'Where the status list tells of this token.' },
    ),
  ),
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
  policy_assertions: Type.Optional(PolicyAssertions),
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
  access: { developer: 'tenant', human: 'own' },
  errors: ['policy_unmet', 'token_not_live'],
})

export const Budget = Closed({
  allocated_usd: Usd,
  spent_usd: Usd,
  reserved_usd: Usd,
  remaining_usd: SignedUsd,
})

export const TOKEN_STATUSES = ['live', 'not_yet_valid', 'expired', 'suspended', 'revoked'] as const
export type TokenStatus = (typeof TOKEN_STATUSES)[number]

export const TokenView = Closed({
  jti: Jti,
  provenance_ref: ProvenanceRef,
  root_jti: Jti,
  parent_jti: Type.Optional(Jti),
  renews_jti: Type.Optional(Jti),
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
  suspended_at: Type.Optional(Instant),
  erased: Erased,
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
  access: { ...about('token', '/params/jti'), ...READERS },
  errors: ['token_unknown'],
})

const TokenId = Closed({ jti: Jti })

export const listTokens = operation({
  method: 'GET',
  path: '/v1/vat/tokens',
  tag: 'Tokens',
  summary: 'Query tokens',
  description: 'Newest first.',
  query: Closed({
    agent_id: Type.Optional(AgentId),
    assurance_level: Type.Optional(AssuranceLevel),
    human_ref: Type.Optional(Sha256Digest),
    provenance_ref: Type.Optional(ProvenanceRef),
    ...PageQuery,
  }),
  response: PageOf(TokenView),
  access: LISTERS,
  errors: [],
})

export const getTokenChain = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/chain',
  tag: 'Tokens',
  summary: 'The chain above a token',
  description: 'The token, then each ancestor up to the root.',
  params: TokenId,
  response: Closed({ data: Type.Array(TokenView) }),
  access: { ...about('token', '/params/jti'), ...STAFF, human: 'own', agent: 'own' },
  errors: ['token_unknown'],
})

export const listDescendants = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/descendants',
  tag: 'Tokens',
  summary: 'Everything below a token',
  description: 'In the order of the tree: each token is followed by what was delegated from it.',
  params: TokenId,
  query: Closed({ ...PageQuery }),
  response: PageOf(TokenView),
  access: { ...about('token', '/params/jti'), ...STAFF, human: 'own', agent: 'below' },
  errors: ['token_unknown'],
})

export const getTokenBudget = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/budget',
  tag: 'Tokens',
  summary: 'What a token may still spend',
  description:
    'Its own account and the tightest one above it. A token without a budget anywhere above has no limit.',
  params: TokenId,
  response: Closed({
    jti: Jti,
    spent_usd: Type.Number(),
    reserved_usd: Type.Number(),
    allocated_usd: Type.Optional(Usd),
    remaining_usd: Type.Optional(SignedUsd),
    tightest: Type.Optional(Closed({ jti: Jti, ...Budget.properties })),
  }),
  access: { ...about('token', '/params/jti'), ...READERS },
  errors: ['token_unknown'],
})

export const getTokenUsage = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/usage',
  tag: 'Tokens',
  summary: 'What a token uses of what it was granted',
  description: 'By itself and by everything below it, with a narrower scope that would have been enough.',
  params: TokenId,
  response: Closed({
    jti: Jti,
    granted: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
    used: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
    unused: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
    suggested_scope: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
    records_seen: Type.Integer({
      description: 'The newest records that this was drawn from, at most 50,000.',
    }),
  }),
  access: { ...about('token', '/params/jti'), ...STAFF, human: 'own', agent: 'below' },
  errors: ['token_unknown'],
})
