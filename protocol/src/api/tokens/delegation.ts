import { about } from '../access.ts'
import { PolicyAssertions } from '../deployment/policies.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AgentId,
  AnyObject,
  Audience,
  Closed,
  Depth,
  described,
  Flag,
  Jti,
  Lifetime,
  Purpose,
  ReasonWord,
  StoredAgentId,
  Text,
  TrustScore,
} from '../shapes.ts'
import { Constraints } from './constraints.ts'
import { AgentJwk, IssuedToken, NEW_TOKEN_ERRORS, Scope } from './tokens.ts'

const { resources, actions } = Scope.properties

const DelegateRequest = Closed(
  {
    vat_jti: described(Jti, 'The parent token.'),
    agent_id: described(AgentId, 'Name of the agent that gets the child token, without the agent: prefix.'),
    resources: Type.Optional(described(resources, 'Resources of the child. Those of the parent by default.')),
    actions: Type.Optional(
      described(actions, 'Actions of the child. Those of the parent by default, without `delegate`.'),
    ),
    constraints: Type.Optional(described(Constraints, 'Further limits. Those of the parent also apply.')),
    expires_in: Type.Optional(
      Lifetime(
        'Lifetime in seconds, at most the remaining lifetime of the parent. One hour by default, or the remaining lifetime if that is shorter.',
      ),
    ),
    audience: Type.Optional(Audience),
    policy_assertions: Type.Optional(PolicyAssertions),
    agent_jwk: Type.Optional(AgentJwk),
    purpose: Type.Optional(Purpose),
  },
  { title: 'DelegateRequest' },
)

/** The position of a token in its chain. */
const ChainPosition = { root_jti: described(Jti, 'The root token of the workflow.'), delegation_depth: Depth }

export const DelegatedToken = Closed(
  { ...IssuedToken.properties, parent_jti: described(Jti, 'The parent token.'), ...ChainPosition },
  { title: 'DelegatedToken', description: 'A new token below its parent.' },
)

/** Why a token below another one is refused. */
const CHILD_TOKEN_ERRORS = [
  'token_unknown',
  'scope_widening',
  'delegation_not_allowed',
  'token_not_live',
  'policy_unmet',
  ...NEW_TOKEN_ERRORS,
] as const

export const delegate = operation({
  method: 'POST',
  path: '/v1/vat/delegate',
  tag: 'Delegation',
  summary: 'Delegate to another agent',
  description:
    'Issues a child token. The parent must be live and hold the action `delegate`. Lists that you leave out are inherited (without `delegate`), the constraints of the parent stay binding, and anything wider than the parent is refused and listed in `widening`. A child of a token that is bound to a key must be bound to a key too. In keyed mode an agent delegates to a new name, to an agent that it has created by delegation, or to the `agent_jwk` that the other agent has registered.',
  body: DelegateRequest,
  status: 201,
  response: DelegatedToken,
  access: { ...about('token', '/body/vat_jti'), human: 'own', agent: 'own', step_up: 'issue_l2' },
  errors: CHILD_TOKEN_ERRORS,
})

export const previewDelegation = operation({
  method: 'POST',
  path: '/v1/vat/delegate/preview',
  tag: 'Delegation',
  summary: 'Preview a delegation',
  description:
    'Returns the child that a delegation would create, and everything that would be refused. A request that is invalid for the delegation is invalid here too. Stores nothing.',
  body: DelegateRequest,
  response: Closed({
    allowed: Flag('Whether the delegation would succeed.'),
    widening: Type.Array(Type.String(), { description: 'Entries that the parent does not hold.' }),
    reasons: Type.Array(ReasonWord, { description: 'Why the parent is not live. Empty if it is.' }),
    unmet: Type.Array(Type.String(), { description: 'Policy rules that the child would not meet.' }),
    obstacle: Type.Optional(Text('Why the parent cannot be delegated at all.')),
    refusal: Type.Optional(
      Closed(
        {
          code: Text('Code of the error, such as `agent_taken` or `key_required`.'),
          detail: Text('What is wrong, and what to do.'),
        },
        {
          description:
            'Any other error of the delegation, such as one that the name or the key of the child causes. Absent if none.',
        },
      ),
    ),
    child: Closed(
      {
        agent_id: StoredAgentId,
        resources: Type.Array(Type.String(), { description: 'Resources of the child.' }),
        actions: Type.Array(Type.String(), { description: 'Actions of the child.' }),
        constraints: AnyObject<Constraints>({ description: 'Constraints of the child.' }),
        delegation_depth: Depth,
        trust_score: TrustScore,
        expires_at: Text('When the child would expire.'),
      },
      { description: 'The child that the delegation would create.' },
    ),
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
    'Issues a fresh token with the same scope and workflow, within the limits of its assurance level and its parent. It shares budgets and counts with the token it renews, and each of the two is revoked and suspended with the other. A token that is bound to a key which its agent no longer uses is not renewed.',
  body: Closed({
    vat_jti: described(Jti, 'The token to renew.'),
    expires_in: Lifetime('Lifetime of the new token in seconds.'),
  }),
  status: 201,
  response: Closed({
    ...IssuedToken.properties,
    renews_jti: described(Jti, 'The token that this one renews.'),
    ...ChainPosition,
  }),
  access: { ...about('token', '/body/vat_jti'), human: 'own', developer: 'tenant', step_up: 'issue_l2' },
  errors: [...CHILD_TOKEN_ERRORS, 'human_refuses'],
})
