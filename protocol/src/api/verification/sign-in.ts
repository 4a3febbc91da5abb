import type { Static } from 'typebox'
import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Action,
  AgentId,
  Closed,
  described,
  Instant,
  Lifetime,
  LoginId,
  OneOf,
  Purpose,
  ResourcePattern,
  Text,
} from '../shapes.ts'
import { Constraints } from '../tokens/constraints.ts'

/** Why a sign-in failed. The name is stable; the sentence can change. */
export const SIGN_ON_REASONS = {
  declined: 'The person, or the provider on their behalf, declined.',
  not_confirmed: 'The person did not confirm the request.',
  other_browser: 'The sign-in was started in another browser.',
  other_person: 'The sign-in proves a different person than the one who is signed in.',
  issuer_parameter: 'The response came from a different provider than the one that was called.',
  provider_error: 'The provider returned an error.',
  code_refused:
    'The provider refused the code: it was used before, has expired, or belongs to another sign-in.',
  answer_malformed: 'The response of the provider is not valid OpenID Connect.',
  token_malformed: 'The ID token cannot be read.',
  algorithm: 'The ID token is signed with an algorithm that is not accepted.',
  key_unknown: 'The ID token names a key that the provider does not publish.',
  signature: 'The signature of the ID token does not match the key that it names.',
  issuer: 'The issuer of the ID token is not configured.',
  audience: 'The ID token is for another client.',
  azp: 'The ID token was issued to another party.',
  expired: 'The ID token has expired.',
  issued_in_future: 'The ID token was issued in the future.',
  not_yet_valid: 'The ID token is not valid yet.',
  nonce_missing: 'The ID token has no nonce.',
  nonce: 'The nonce of the ID token is not the one that was sent.',
  at_hash: 'The ID token and the access token do not belong together.',
  id_token_used: 'This ID token was already used to issue a token.',
  auth_time: 'The provider did not ask the person to sign in again, or does not say when they did.',
  group_missing: 'The person is not in every group that the provider is configured to require.',
} as const satisfies Record<string, string>

export type SignOnReason = keyof typeof SIGN_ON_REASONS

const SignOnReasonWord = OneOf(Object.keys(SIGN_ON_REASONS) as SignOnReason[], {
  title: 'SignInReason',
  description: 'Why the sign-in failed.',
}) // the keys of a closed table

const ProviderName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  title: 'ProviderName',
  description: 'Name of a sign-in provider, as GET /v1/vat/auth/providers lists it.',
  examples: ['company'],
})

const LoginList = { minItems: 1, maxItems: 256, foldsRepeats: true }

export const startLogin = operation({
  method: 'POST',
  path: '/v1/vat/auth/oidc/start',
  tag: 'Sign-in',
  summary: 'Start a sign-in',
  description:
    'Have the person open `authorization_url` in a browser. After signing in they see who asked and for what, and confirm it; then `login_id` works for one token. The agent, scope, constraints, lifetime and purpose that you send are shown and binding: the token cannot be for another agent, have a wider scope or looser limits, or live longer.',
  body: Closed({
    provider: Type.Optional(
      described(ProviderName, 'The provider to sign in with. Required if several are configured.'),
    ),
    return_to: Type.Optional(
      Text(
        'Path of this service that the browser opens afterwards, such as /docs: printable ASCII without spaces or backslashes, in normalized URL form.',
        { minLength: 1, maxLength: 512, examples: ['/docs'] },
      ),
    ),
    agent_id: Type.Optional(described(AgentId, 'The agent that the token will be for.')),
    resources: Type.Optional(
      Type.Array(ResourcePattern, { ...LoginList, description: 'Resources that the token may cover.' }),
    ),
    actions: Type.Optional(
      Type.Array(Action, { ...LoginList, description: 'Actions that the token may allow.' }),
    ),
    constraints: Type.Optional(
      described(
        Constraints,
        'Limits that the person sees and that the token will at least have. Without a budget the page warns the person.',
      ),
    ),
    expires_in: Type.Optional(
      Lifetime('Longest lifetime of the token in seconds. Eight hours by default, at most one day.', 86_400),
    ),
    purpose: Type.Optional(Purpose),
  }),
  status: 201,
  response: Closed({
    login_id: LoginId,
    authorization_url: Text('Address to open in a browser.'),
    expires_at: described(Instant, 'When the sign-in expires.'),
  }),
  access: { developer: 'tenant', human: 'own' },
  errors: ['provider_unknown', 'provider_unavailable'],
})

const LOGIN_STATUSES = ['pending', 'finished', 'failed', 'used'] as const

export const getLogin = operation({
  method: 'GET',
  path: '/v1/vat/auth/oidc/logins/{id}',
  tag: 'Sign-in',
  summary: 'Get the status of a sign-in',
  description: 'Only for the caller that started it. A sign-in is deleted ten minutes after it was started.',
  params: Closed({ id: LoginId }),
  response: Closed({
    login_id: LoginId,
    status: OneOf(LOGIN_STATUSES, {
      description:
        'pending: waiting for the person. finished: ready for one token. failed: see `reason`. used: a token was issued.',
    }),
    reason: Type.Optional(SignOnReasonWord),
    expires_at: described(Instant, 'When the sign-in expires.'),
  }),
  access: { developer: 'tenant', human: 'own' },
  errors: ['login_unknown'],
})

const ProviderView = Closed(
  {
    name: ProviderName,
    protocol: OneOf(['oidc', 'builtin', 'external'], {
      description:
        'How the provider proves a person: by sign-in, by the built-in verification engine, or by an identity check elsewhere.',
    }),
    issuer: Type.Optional(Text('Issuer URL of a sign-in provider.')),
    kind: Type.Optional(Text('Kind of verification provider. `sandbox` does not verify people.')),
    assurance_level: OneOf(['L2', 'L3'], { description: 'Assurance level that it gives.' }),
    modalities: Type.Optional(
      Type.Array(Type.String(), { description: 'What the verification engine judges.' }),
    ),
  },
  {
    title: 'Provider',
    description: 'A sign-in provider, the verification engine, or a verification provider.',
  },
)
export type ProviderView = Static<typeof ProviderView>

export const listProviders = operation({
  method: 'GET',
  path: '/v1/vat/auth/providers',
  tag: 'Sign-in',
  summary: 'List sign-in providers, the verification engine and verification providers',
  response: Closed({ data: Type.Array(ProviderView, { description: 'The configured providers.' }) }),
  access: PUBLIC,
  errors: [],
})
