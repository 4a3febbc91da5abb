import { type Static, Type } from 'typebox'
import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Action, AgentId, Closed, Instant, LoginId, OneOf, ResourcePattern } from '../shapes.ts'

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

const ProviderName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  description: 'Name of a sign-on provider, as listed.',
  examples: ['company'],
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
  access: { developer: 'tenant', human: 'own' },
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
  access: { developer: 'tenant', human: 'own' },
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
  access: PUBLIC,
  errors: [],
})
