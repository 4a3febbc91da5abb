import { type Static, Type } from 'typebox'
import { operation } from '../operation.ts'
import { Action, AgentId, Closed, Instant, OneOf, ResourcePattern } from '../shapes.ts'
import { IssuedToken, IssueL1Request } from '../tokens/tokens.ts'

/** Why a sign-on was not taken. The name is stable; the sentence says what was wrong. */
export const SIGN_ON_REASONS = {
  declined: 'The person, or the provider in their name, declined.',
  not_confirmed: 'The person did not confirm who asked for the sign-on.',
  other_browser: 'The sign-on was begun in another browser.',
  other_person: 'The proof is of another person than the one who is signed in.',
  issuer_parameter: 'The answer came from another provider than the one that was asked.',
  provider_error: 'The provider answered with an error.',
  code_refused:
    'The provider refused the code: it was used before, has expired, or belongs to another sign-on.',
  answer_malformed: 'The answer of the provider is not one of OpenID Connect.',
  token_malformed: 'The ID token cannot be read.',
  algorithm: 'The ID token is signed with an algorithm that is not accepted.',
  key_unknown: 'The ID token names a key that the provider does not publish.',
  signature: 'The signature of the ID token is not by the key that it names.',
  issuer: 'The ID token was issued by nobody who is configured here.',
  audience: 'The ID token is for another client.',
  azp: 'The ID token was issued to another party.',
  expired: 'The ID token has expired.',
  issued_in_future: 'The ID token was issued in the future.',
  not_yet_valid: 'The ID token is not valid yet.',
  nonce_missing: 'The ID token has no nonce.',
  nonce: 'The ID token has another nonce than the one that was sent.',
  at_hash: 'The ID token and the access token do not belong together.',
  id_token_used: 'A token has been issued for this ID token already.',
  group_missing: 'The person is not in every group that the provider is configured to require.',
} as const satisfies Record<string, string>

export type SignOnReason = keyof typeof SIGN_ON_REASONS

const SignOnReasonWord = OneOf(Object.keys(SIGN_ON_REASONS) as SignOnReason[]) // the keys of a closed table

const LoginId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Identifier of a sign-on, as start answered it.',
  examples: ['lgn_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})

const ProviderName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  description: 'Name of a sign-on provider, as listed.',
  examples: ['company'],
})

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

export const startLogin = operation({
  method: 'POST',
  path: '/v1/vat/auth/oidc/start',
  tag: 'Sign-on',
  summary: 'Begin a sign-on',
  description:
    'Have the person open `authorization_url` in a browser. After signing in they are shown who asked, and for what, and confirm it; then `login_id` is good for one token. What is named here as agent and scope binds: the token cannot be for another agent, or hold more.',
  body: Closed({
    provider: Type.Optional(ProviderName),
    return_to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'A path of this service where the browser goes afterwards.',
      }),
    ),
    agent_id: Type.Optional(AgentId),
    resources: Type.Optional(Type.Array(ResourcePattern, { minItems: 1, maxItems: 256, uniqueItems: true })),
    actions: Type.Optional(Type.Array(Action, { minItems: 1, maxItems: 256, uniqueItems: true })),
  }),
  example: { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read', 'write'] },
  status: 201,
  response: Closed({ login_id: LoginId, authorization_url: Type.String(), expires_at: Instant }),
  errors: ['provider_unknown', 'provider_unavailable'],
})

export const LOGIN_STATUSES = ['pending', 'finished', 'failed', 'used'] as const
export type LoginStatus = (typeof LOGIN_STATUSES)[number]

export const getLogin = operation({
  method: 'GET',
  path: '/v1/vat/auth/oidc/logins/{id}',
  tag: 'Sign-on',
  summary: 'How a sign-on stands',
  description: 'Only for the caller who began it. A sign-on is forgotten ten minutes after it was begun.',
  params: Closed({ id: LoginId }),
  response: Closed({
    login_id: LoginId,
    status: OneOf(LOGIN_STATUSES),
    reason: Type.Optional(SignOnReasonWord),
    expires_at: Instant,
  }),
  errors: ['login_unknown'],
})

const ProviderView = Closed({
  name: ProviderName,
  protocol: Type.Literal('oidc'),
  issuer: Type.String(),
  assurance_level: Type.Literal('L2'),
})
export type ProviderView = Static<typeof ProviderView>

export const listProviders = operation({
  method: 'GET',
  path: '/v1/vat/auth/providers',
  tag: 'Sign-on',
  summary: 'Providers that people can sign on with',
  response: Closed({ data: Type.Array(ProviderView) }),
  errors: [],
})
