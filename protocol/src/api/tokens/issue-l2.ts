import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Closed, LoginId } from '../shapes.ts'
import { IssuedToken, IssueL1Request } from './tokens.ts'

const { developer_email: _, expires_in: __, ...tokenFields } = IssueL1Request.properties

export const IssueL2Request = Closed({
  id_token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'An ID token of a configured provider for this deployment. Good for one token.',
    }),
  ),
  nonce: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'The nonce that the ID token must carry.' }),
  ),
  login_id: Type.Optional(LoginId),
  ...tokenFields,
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Lifetime in seconds; eight hours when absent, one day at most.',
    }),
  ),
})

export const issueL2 = operation({
  method: 'POST',
  path: '/v1/vat/issue/l2',
  tag: 'Tokens',
  summary: 'Issue a root token (L2)',
  description:
    'For a person who has signed on with a provider of the organisation. The proof is an `id_token`, or the `login_id` of a finished sign-on; people who call with a session of their own that came from sign-on need neither. Each proof is good for one token. Where the groups of the provider are configured, the scope must lie within those of the person.',
  body: IssueL2Request,
  example: {
    login_id: 'lgn_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r',
    agent_id: 'calendar-bot',
    resources: ['calendar:events'],
    actions: ['read', 'write'],
  },
  response: IssuedToken,
  access: { developer: 'tenant', human: 'own', step_up: 'issue_l2' },
  errors: [
    'sign_on_failed',
    'login_unknown',
    'login_not_usable',
    'provider_unavailable',
    'scope_widening',
    'policy_unmet',
    'token_not_live',
  ],
})
