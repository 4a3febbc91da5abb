import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Closed, described, Lifetime, LoginId, Text } from '../shapes.ts'
import { IssuedToken, IssueL1Request, NEW_TOKEN_ERRORS } from './tokens.ts'

const { developer_email: _, expires_in: __, ...tokenFields } = IssueL1Request.properties

export const IssueL2Request = Closed(
  {
    id_token: Type.Optional(
      Text('An ID token that a configured provider issued for this service. It works for one token.', {
        minLength: 1,
        maxLength: 16_384,
      }),
    ),
    nonce: Type.Optional(
      Text('The nonce that the ID token must carry. Only with `id_token`.', {
        minLength: 1,
        maxLength: 256,
      }),
    ),
    login_id: Type.Optional(described(LoginId, 'A finished sign-in. Not together with `id_token`.')),
    ...tokenFields,
    expires_in: Type.Optional(
      Lifetime('Lifetime in seconds. Eight hours by default, at most one day.', 86_400),
    ),
  },
  { title: 'IssueL2Request' },
)

export const issueL2 = operation({
  method: 'POST',
  path: '/v1/vat/issue/l2',
  tag: 'Tokens',
  summary: 'Issue a root token (L2)',
  description:
    'Issues a token for a person who signed in with a configured provider. Send either an `id_token` or the `login_id` of a finished sign-in; a person who calls with their own signed-in session needs neither. Each proof works for one token. If groups are configured for the provider, the scope must stay within the groups of the person.',
  body: IssueL2Request,
  body_rules: {
    not: { required: ['id_token', 'login_id'] },
    dependentRequired: { nonce: ['id_token'] },
  },
  response: IssuedToken,
  access: { developer: 'tenant', human: 'own', step_up: 'issue_l2' },
  errors: [
    ...NEW_TOKEN_ERRORS,
    'human_refuses',
    'sign_on_failed',
    'login_unknown',
    'login_not_usable',
    'provider_unavailable',
    'scope_widening',
    'policy_unmet',
    'token_not_live',
  ],
})
