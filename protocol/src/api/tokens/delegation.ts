import { Type } from 'typebox'
import { about } from '../access.ts'
import { PolicyAssertions } from '../deployment/policies.ts'
import { operation } from '../operation.ts'
import { AgentId, Closed, Depth, EXAMPLE_JTI, Jti, ReasonWord, StoredAgentId, TrustScore } from '../shapes.ts'
import { Constraints } from './constraints.ts'
import { AgentJwk, IssuedToken, Scope } from './tokens.ts'

const DelegateRequest = Closed({
  vat_jti: Jti,
  agent_id: AgentId,
  resources: Type.Optional(Scope.properties.resources),
  actions: Type.Optional(Scope.properties.actions),
  constraints: Type.Optional(Constraints),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description: 'Lifetime in seconds; an hour or what the parent has left when absent.',
    }),
  ),
  audience: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  policy_assertions: Type.Optional(PolicyAssertions),
  agent_jwk: Type.Optional(AgentJwk),
  purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
})

const EXAMPLE = {
  vat_jti: EXAMPLE_JTI,
  agent_id: 'summary-bot',
  resources: ['calendar:events'],
  actions: ['read'],
  constraints: { max_spend_usd: 1 },
}

export const DelegatedToken = Closed({
  ...IssuedToken.properties,
  parent_jti: Jti,
  root_jti: Jti,
  delegation_depth: Depth,
})

export const delegate = operation({
  method: 'POST',
  path: '/v1/vat/delegate',
  tag: 'Delegation',
  summary: 'Delegate to a sub-agent',
  description:
    'The parent must be in force and hold the action `delegate`. Lists that are left out are inherited (without `delegate`), constraints of the parent stay binding, and whatever would widen is refused by name.',
  body: DelegateRequest,
  example: EXAMPLE,
  status: 201,
  response: DelegatedToken,
  access: { ...about('token', '/body/vat_jti'), human: 'own', agent: 'own' },
  errors: ['token_unknown', 'scope_widening', 'delegation_not_allowed', 'token_not_live', 'policy_unmet'],
})

export const previewDelegation = operation({
  method: 'POST',
  path: '/v1/vat/delegate/preview',
  tag: 'Delegation',
  summary: 'Preview a delegation',
  description: 'What the child would hold, and what would be refused. Nothing is kept.',
  body: DelegateRequest,
  example: EXAMPLE,
  response: Closed({
    allowed: Type.Boolean(),
    widening: Type.Array(Type.String(), { description: 'Entries that the parent lacks.' }),
    reasons: Type.Array(ReasonWord, { description: 'Why the parent is not in force.' }),
    unmet: Type.Array(Type.String(), {
      description: 'Rules of asserted policies that the child would not meet.',
    }),
    obstacle: Type.Optional(Type.String({ description: 'Why the parent cannot be passed on at all.' })),
    child: Closed({
      agent_id: StoredAgentId,
      resources: Type.Array(Type.String()),
      actions: Type.Array(Type.String()),
      constraints: Type.Unsafe<Constraints>({ type: 'object', additionalProperties: true }),
      delegation_depth: Depth,
      trust_score: TrustScore,
      expires_at: Type.String(),
    }),
  }),
  access: { ...about('token', '/body/vat_jti'), human: 'own', agent: 'own', developer: 'tenant' },
  errors: ['token_unknown'],
})

export const renewToken = operation({
  method: 'POST',
  path: '/v1/vat/renew',
  tag: 'Delegation',
  summary: 'Renew a token',
  description:
    'A fresh token of the same scope and workflow, within the limits of its level and of its parent. It shares budgets and counts with the one it renews, and falls with it.',
  body: Closed({ vat_jti: Jti, expires_in: Type.Integer({ minimum: 1, maximum: 2_592_000 }) }),
  example: { vat_jti: EXAMPLE_JTI, expires_in: 3600 },
  status: 201,
  response: Closed({ ...IssuedToken.properties, renews_jti: Jti, root_jti: Jti, delegation_depth: Depth }),
  access: { ...about('token', '/body/vat_jti'), human: 'own', developer: 'tenant' },
  errors: ['token_unknown', 'scope_widening', 'delegation_not_allowed', 'token_not_live', 'policy_unmet'],
})
