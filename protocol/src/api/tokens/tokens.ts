import type { Static } from 'typebox'
import { about, LISTERS, READERS, STAFF } from '../access.ts'
import { PersonFilters, RecordFilters } from '../actions/records.ts'
import { PolicyAssertionClaim, PolicyAssertions } from '../deployment/policies.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Action,
  AgentId,
  AnyObject,
  AssuranceLevel,
  Audience,
  Closed,
  Count,
  CountedPageOf,
  Depth,
  described,
  Erased,
  Flag,
  GivenInstant,
  HumanRef,
  Instant,
  Jti,
  Lifetime,
  LogIndex,
  OneOf,
  PageOf,
  PageQuery,
  PERIOD_KINDS,
  ProvenanceRef,
  Purpose,
  ResourcePattern,
  SearchText,
  SignedUsd,
  StoredAgentId,
  StoredScope,
  Text,
  TotalQuery,
  TotalUsd,
  TrustScore,
  Usd,
} from '../shapes.ts'
import { Constraints } from './constraints.ts'
import { ShownSuspendReason, SuspendCodeWord, SuspendedAt, SuspendedBy } from './suspension.ts'

const ScopeList = { minItems: 1, maxItems: 256, foldsRepeats: true }

export const Scope = Closed({
  resources: Type.Array(ResourcePattern, {
    ...ScopeList,
    description: 'Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`.',
  }),
  actions: Type.Array(Action, {
    ...ScopeList,
    description: 'Actions that the token allows on each of these resources.',
  }),
})
export type Scope = Static<typeof Scope>

/** Errors of every call that issues a token. */
export const NEW_TOKEN_ERRORS = [
  'agent_taken',
  'key_removed',
  'key_required',
  'provider_not_allowed',
] as const

/** A public key. The service refuses weak keys and anything private. */
export const AgentJwk = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 16,
  title: 'AgentJwk',
  description:
    'Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`).',
  examples: [{ kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }],
})

/** The chain of agents that delegated, nearest first. */
export interface Actor {
  sub: string
  act?: Actor
}

/** The JWT payload, member for member. */
export const Claims = Type.Object(
  {
    iss: Text('Issuer of the token.'),
    sub: StoredAgentId,
    aud: Type.Optional(Text('The service that accepts the token.')),
    iat: Type.Integer({ description: 'When the token was issued, in seconds since 1970.' }),
    nbf: Type.Integer({ description: 'When the token becomes valid, in seconds since 1970.' }),
    exp: Type.Integer({ description: 'When the token expires, in seconds since 1970.' }),
    jti: Jti,
    svc_env: Type.Optional(Text('Access mode of the service that issued the token: open or keyed.')),
    svc_tenant: Type.Optional(Text('Tenant of the agent. Absent for `default`.')),
    svc_trust_score: TrustScore,
    svc_scope: StoredScope,
    svc_assurance_level: AssuranceLevel,
    svc_human_ref: HumanRef,
    svc_email_verified: Type.Optional(Flag('Whether the email address of the person was verified.')),
    svc_provider: Type.Optional(Text('The provider that the person signed in with.')),
    amr: Type.Optional(Type.Array(Type.String(), { description: 'How the person signed in (RFC 8176).' })),
    auth_time: Type.Optional(
      Type.Integer({ description: 'When the person signed in, in seconds since 1970.' }),
    ),
    svc_verification: Type.Optional(
      Closed(
        {
          id: Text('ID of the verification. Starts with vrf_.'),
          methods: Type.Array(Type.String(), { description: 'The modalities that passed.' }),
          verified_at: Type.Integer({ description: 'When the person was verified, in seconds since 1970.' }),
          provider: Text('The engine that verified the person.'),
        },
        { title: 'VerificationClaim', description: 'How the person was verified, at L3.' },
      ),
    ),
    svc_provenance_ref: ProvenanceRef,
    svc_delegation_depth: Depth,
    svc_root_jti: described(Jti, 'The root token of the workflow.'),
    svc_parent_jti: Type.Optional(described(Jti, 'The token that this one was delegated from.')),
    svc_parent_hash: Type.Optional(Text('SHA-256 digest of the compact JWT of the parent.')),
    svc_renews_jti: Type.Optional(described(Jti, 'The token that this one renews.')),
    act: Type.Optional(
      AnyObject<Actor>({
        description: 'Agents that delegated (RFC 8693): the parent agent, with its own parent inside.',
      }),
    ),
    svc_constraints: Type.Optional(
      AnyObject<Constraints>({ description: 'Constraints of the token, as they were sent.' }),
    ),
    svc_policy_assertions: Type.Optional(PolicyAssertionClaim),
    status: Type.Optional(
      Closed(
        {
          status_list: Closed(
            {
              idx: Type.Integer({ description: 'Index of the token in the list.' }),
              uri: Text('Address of the list.'),
            },
            { description: 'Reference into the Token Status List.' },
          ),
        },
        { description: 'Where the status of the token is published.' },
      ),
    ),
    cnf: Type.Optional(
      Closed(
        { jkt: Text('SHA-256 thumbprint of the key (RFC 7638).') },
        { description: 'The key that the token is bound to (RFC 7800).' },
      ),
    ),
  },
  { title: 'Claims', description: 'The claims of the token: exactly the JWT payload.' },
)
export type Claims = Static<typeof Claims>

export const IssueL1Request = Closed(
  {
    developer_email: Text('Email address of the accountable person. It is stored only as a keyed hash.', {
      format: 'email',
      examples: ['dev@example.com'],
    }),
    agent_id: AgentId,
    resources: Scope.properties.resources,
    actions: Scope.properties.actions,
    constraints: Type.Optional(Constraints),
    expires_in: Type.Optional(Lifetime('Lifetime in seconds. One day by default, at most thirty days.')),
    audience: Type.Optional(Audience),
    agent_jwk: Type.Optional(AgentJwk),
    policy_assertions: Type.Optional(PolicyAssertions),
    purpose: Type.Optional(Purpose),
  },
  { title: 'IssueL1Request' },
)

export const IssuedToken = Closed(
  {
    jti: Jti,
    provenance_ref: ProvenanceRef,
    compact_jwt: Text('The token as a compact JWT, signed with Ed25519.'),
    claims: Claims,
  },
  { title: 'IssuedToken', description: 'A new token.' },
)

export const issueL1 = operation({
  method: 'POST',
  path: '/v1/vat/issue/l1',
  tag: 'Tokens',
  summary: 'Issue a root token (L1)',
  description:
    'Issues a token from an email address alone, for development, testing and low-risk automation. Starts a new workflow.',
  body: IssueL1Request,
  response: IssuedToken,
  access: { developer: 'tenant', human: 'own', step_up: 'issue_l2' },
  errors: ['policy_unmet', 'scope_widening', 'token_not_live', ...NEW_TOKEN_ERRORS, 'human_refuses'],
})

const Allocated = described(Usd, 'Budget in US dollars.')
const Remaining = described(SignedUsd, 'US dollars that can still be spent. Negative when overspent.')

export const Budget = Closed(
  {
    allocated_usd: Allocated,
    spent_usd: described(TotalUsd, 'US dollars spent.'),
    reserved_usd: described(TotalUsd, 'US dollars reserved by pending records.'),
    remaining_usd: Remaining,
  },
  { title: 'Budget', description: 'allocated_usd is always spent_usd + reserved_usd + remaining_usd.' },
)

export const TightestBudget = Closed(
  { jti: described(Jti, 'The token that holds the budget.'), ...Budget.properties },
  { title: 'TightestBudget', description: 'The budget in the chain with the least left.' },
)

export const TOKEN_STATUSES = ['live', 'not_yet_valid', 'expired', 'suspended', 'revoked'] as const
export type TokenStatus = (typeof TOKEN_STATUSES)[number]
export const TokenStatusWord = OneOf(TOKEN_STATUSES, {
  title: 'TokenStatus',
  description: 'Status of a token. Only a live token allows actions.',
})

export const TokenView = Closed(
  {
    jti: Jti,
    provenance_ref: ProvenanceRef,
    root_jti: described(Jti, 'The root token of the workflow.'),
    parent_jti: Type.Optional(described(Jti, 'The token that this one was delegated from.')),
    renews_jti: Type.Optional(described(Jti, 'The token that this one renews.')),
    agent_id: StoredAgentId,
    human_ref: HumanRef,
    assurance_level: AssuranceLevel,
    delegation_depth: Depth,
    status: TokenStatusWord,
    claims: Claims,
    purpose: Type.Optional(Text('What the token is for.')),
    total_actions: Count('Actions charged to this token.'),
    budget: Type.Optional(Budget),
    tightest: Type.Optional(
      described(
        TightestBudget,
        'In lists: the budget in the chain with the least left, which is what the agent can still spend.',
      ),
    ),
    issued_at: described(Instant, 'When the token was issued.'),
    expires_at: described(Instant, 'When the token expires.'),
    revoked_at: Type.Optional(described(Instant, 'When the token was revoked.')),
    revoke_reason: Type.Optional(Text('Why the token was revoked.')),
    suspended_at: SuspendedAt,
    suspended_by: SuspendedBy,
    suspend_reason: ShownSuspendReason,
    suspend_code: SuspendCodeWord,
    erased: Erased,
    log_index: described(LogIndex, 'Index of the log entry that issued the token.'),
  },
  { title: 'TokenView', description: 'A token, its status and its use so far.' },
)

export const getToken = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}',
  tag: 'Tokens',
  summary: 'Get a token',
  description: 'Returns its scope, its status and its use so far.',
  params: Closed({ jti: Jti }),
  response: TokenView,
  access: { ...about('token', '/params/jti'), ...READERS },
  errors: ['token_unknown'],
})

const TokenPath = Closed({ jti: Jti })

export const listTokens = operation({
  method: 'GET',
  path: '/v1/vat/tokens',
  tag: 'Tokens',
  summary: 'List tokens',
  description:
    'Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true. Another `sort` returns one page of the newest 1,000 tokens that match.',
  query: Closed({
    agent_id: RecordFilters.agent_id,
    ...PersonFilters,
    status: Type.Optional(described(TokenStatusWord, 'Only tokens with this status.')),
    expires_before: Type.Optional(described(GivenInstant, 'Only tokens that expire before this instant.')),
    budget_used_above: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'Only tokens of which more than this share of the tightest budget is spent or reserved, such as 0.8.',
      }),
    ),
    q: SearchText('the agent, or the beginning of the token or workflow ID.'),
    sort: Type.Optional(
      OneOf(['newest', 'expires_first', 'most_used'], {
        description:
          'newest by default. expires_first: what expires next. most_used: the largest share of the tightest budget.',
      }),
    ),
    ...TotalQuery,
    ...PageQuery,
  }),
  response: CountedPageOf(TokenView),
  access: LISTERS,
  errors: [],
})

export const getTokenChain = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/chain',
  tag: 'Tokens',
  summary: 'Get the chain above a token',
  params: TokenPath,
  response: Closed({
    data: Type.Array(TokenView, { description: 'The token, then each ancestor up to the root.' }),
  }),
  access: { ...about('token', '/params/jti'), ...STAFF, human: 'own', agent: 'own' },
  errors: ['token_unknown'],
})

export const listDescendants = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/descendants',
  tag: 'Tokens',
  summary: 'List the tokens below a token',
  params: TokenPath,
  query: Closed({ ...PageQuery }),
  response: PageOf(TokenView, 'The tokens, each followed by the tokens delegated from it.'),
  access: { ...about('token', '/params/jti'), ...STAFF, human: 'own', agent: 'below' },
  errors: ['token_unknown'],
})

export const PeriodBudgetView = Closed(
  {
    jti: described(Jti, 'The token that holds the budget.'),
    period: OneOf(PERIOD_KINDS, { description: 'The period.' }),
    limit_usd: Type.Number({ description: 'US dollars that the period allows.' }),
    spent_usd: Type.Number({ description: 'US dollars spent by actions that the period allowed.' }),
    reserved_usd: Type.Number({ description: 'US dollars reserved by pending records of the period.' }),
    remaining_usd: described(SignedUsd, 'US dollars that are left.'),
    starts_at: described(Instant, 'When the period began.'),
    resets_at: described(Instant, 'When the next period begins.'),
  },
  { title: 'PeriodBudget' },
)

export const getTokenBudget = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/budget',
  tag: 'Tokens',
  summary: 'Get the budget of a token',
  description:
    'Returns its own account and the tightest budget among its ancestors. A token without a budget in its chain can spend up to 9 billion dollars in total.',
  params: TokenPath,
  response: Closed({
    jti: Jti,
    spent_usd: Type.Number({ description: 'US dollars spent.' }),
    reserved_usd: Type.Number({ description: 'US dollars reserved by pending records.' }),
    allocated_usd: Type.Optional(Allocated),
    remaining_usd: Type.Optional(Remaining),
    tightest: Type.Optional(TightestBudget),
    periods: Type.Optional(
      Type.Array(PeriodBudgetView, {
        description: 'For each limited period, the budget in the chain with the least left.',
      }),
    ),
  }),
  access: { ...about('token', '/params/jti'), ...READERS },
  errors: ['token_unknown'],
})

export const getTokenUsage = operation({
  method: 'GET',
  path: '/v1/vat/tokens/{jti}/usage',
  tag: 'Tokens',
  summary: 'Compare the granted scope with the used scope',
  description: 'Counts what the token and every token below it have used, and suggests a narrower scope.',
  params: TokenPath,
  response: Closed({
    jti: Jti,
    granted: described(StoredScope, 'The scope of the token.'),
    used: described(StoredScope, 'The part that was used.'),
    unused: described(StoredScope, 'The part that was never used.'),
    suggested_scope: described(StoredScope, 'A scope that would have been enough.'),
    records_seen: Count('Number of records that this is based on: the newest 50,000 at most.'),
  }),
  access: { ...about('token', '/params/jti'), ...STAFF, human: 'own', agent: 'below' },
  errors: ['token_unknown'],
})
