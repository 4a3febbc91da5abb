import type { Static } from 'typebox'
import { about, PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { SignedIn } from '../people/sessions.ts'
import { Type } from '../schema-type.ts'
import {
  AnyObject,
  AssuranceLevel,
  Closed,
  described,
  Flag,
  HumanRef,
  Instant,
  PageOf,
  PageQuery,
  PersonRef,
  Text,
} from '../shapes.ts'

/** Why a passkey was refused. The name is stable; the sentence can change. */
export const PASSKEY_REASONS = {
  no_domain:
    'Passkeys are bound to a host name, and the public address of this service has none. Set DEPUTY_PUBLIC_URL to an address with a host name, such as http://localhost:8420.',
  malformed: 'The response of the browser cannot be read.',
  challenge: 'The challenge was used before, has expired, or belongs to another request.',
  origin: 'The response was made for another site.',
  not_verified: 'The device did not verify its owner.',
  signature: 'The signature does not match the key of the passkey.',
  credential: 'The passkey is not registered here.',
  other_person: 'The passkey belongs to another person.',
  suspected_clone:
    'The signature counter of the passkey went backwards, which means that a copy exists. The passkey is no longer accepted: remove it and register another.',
  authenticator: 'The tenant does not accept this kind of device. Use one that your administrator allows.',
  not_first: 'The person has a passkey already. Answer with that one.',
  too_many: 'At most 20 passkeys are kept for each person and each API key. Remove one first.',
  no_session: 'Passkeys are added in a browser. Sign in at /app with your API key first.',
  held_key:
    'You signed in with your sign-in provider, and sign in with it again. Passkeys are for holders of API keys.',
} as const satisfies Record<string, string>

export type PasskeyReason = keyof typeof PASSKEY_REASONS

/** The passkey that a biometric verification lacks. */
export const PASSKEY_NEEDS = {
  no_answer: 'The capture was not signed with a passkey.',
  no_passkey:
    'The person has no passkey. They register one on the page /me after signing in or, in open mode, when they enroll.',
} as const satisfies Record<string, string>

export type PasskeyNeed = keyof typeof PASSKEY_NEEDS

const CREDENTIAL_ID = '^[A-Za-z0-9_-]{1,340}$'

export const CredentialId = Type.String({
  pattern: CREDENTIAL_ID,
  title: 'CredentialId',
  description: 'Credential ID of the passkey, in base64url. It is not secret.',
  examples: ['mF1oZkLr2Jb6cVnT0q9xXw'],
})
export const PasskeyName = Text('Name that its owner gives the passkey.', {
  minLength: 1,
  maxLength: 100,
  examples: ['Laptop'],
})

function Base64url(description: string) {
  return Text(`${description}, in base64url.`, { maxLength: 16_384 })
}

/** The members of `PublicKeyCredential.toJSON()` in every ceremony. */
const Credential = {
  id: CredentialId,
  rawId: Base64url('The credential ID again'),
  type: Type.Literal('public-key', { description: 'Always public-key.' }),
  authenticatorAttachment: Type.Optional(
    Text('How the authenticator is attached: platform or cross-platform.', { maxLength: 64 }),
  ),
  clientExtensionResults: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Results of client extensions.',
  }),
}

export const RegistrationResponse = Closed(
  {
    ...Credential,
    response: Closed(
      {
        clientDataJSON: Base64url('The client data'),
        attestationObject: Base64url('The attestation object'),
        authenticatorData: Type.Optional(Base64url('The authenticator data')),
        transports: Type.Optional(
          Type.Array(Type.String({ maxLength: 64 }), {
            maxItems: 16,
            description: 'Transports that the authenticator supports.',
          }),
        ),
        publicKeyAlgorithm: Type.Optional(Type.Integer({ description: 'COSE algorithm of the key.' })),
        publicKey: Type.Optional(Base64url('The public key')),
      },
      { description: 'The response of the authenticator.' },
    ),
  },
  {
    title: 'RegistrationResponse',
    description: 'The result of `navigator.credentials.create()` as JSON (WebAuthn Level 3).',
  },
)
export type RegistrationResponse = Static<typeof RegistrationResponse>

export const AssertionResponse = Closed(
  {
    ...Credential,
    response: Closed(
      {
        clientDataJSON: Base64url('The client data'),
        authenticatorData: Base64url('The authenticator data'),
        signature: Base64url('The signature'),
        userHandle: Type.Optional(Base64url('The user handle')),
      },
      { description: 'The response of the authenticator.' },
    ),
  },
  {
    title: 'AssertionResponse',
    description: 'The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3).',
  },
)
export type AssertionResponse = Static<typeof AssertionResponse>

/** A challenge to the browser. */
export const Challenge = {
  options: AnyObject({ description: 'Options for the browser, as JSON (WebAuthn Level 3).' }),
  expires_at: described(Instant, 'When the challenge expires.'),
}

/** Members of every passkey, whether a person or an API key signs in with it. */
export const PasskeyMembers = {
  transports: Type.Array(Type.String(), { description: 'Transports that the authenticator supports.' }),
  backed_up: Flag('Whether the passkey is synced between devices.'),
  suspected_clone: Flag(
    'True when the signature counter went backwards, so a copy may exist. The passkey is no longer accepted.',
  ),
  created_at: described(Instant, 'When the passkey was registered.'),
  last_used_at: Type.Optional(described(Instant, 'When the passkey was last used.')),
}

export const Passkey = Closed(
  {
    passkey_id: CredentialId,
    human_ref: HumanRef,
    name: Text('Name of the passkey.'),
    assurance_level: AssuranceLevel,
    open_mode_only: Flag(
      'Whether it was registered in open mode, where any program on the machine could do so. In keyed mode it does not count.',
    ),
    ...PasskeyMembers,
  },
  { title: 'Passkey', description: 'A registered passkey.' },
)
export type Passkey = Static<typeof Passkey>

export const beginPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/register/options',
  tag: 'People',
  summary: 'Start registering a passkey',
  description:
    'For a person who signed in during the last five minutes, or who confirms the call with a passkey they have (`sign_on_too_old` otherwise). The challenge works once, in this session, for three minutes.',
  cache_control: 'no-store',
  response: Closed(Challenge),
  access: { human: 'own', step_up: 'passkeys' },
  errors: ['passkey_refused', 'sign_on_too_old', 'step_up_required'],
})

export const finishPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/register/verify',
  tag: 'People',
  summary: 'Register a passkey',
  description:
    'User verification is required. Signing in with the passkey gives the assurance level of the session in which it was registered, never more.',
  body: Closed({ response: RegistrationResponse, name: Type.Optional(PasskeyName) }),
  status: 201,
  response: Passkey,
  access: { human: 'own' },
  errors: ['passkey_refused', 'registry_conflict'],
})

export const beginPasskeyLogin = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/login/options',
  tag: 'People',
  summary: 'Start signing in with a passkey',
  description: 'The request names no person: the browser lets them choose one of their passkeys.',
  cache_control: 'no-store',
  response: Closed(Challenge),
  access: PUBLIC,
  errors: ['passkey_refused'],
})

export const finishPasskeyLogin = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/login/verify',
  tag: 'People',
  summary: 'Sign in with a passkey',
  description: 'The answer sets the session cookie.',
  body: Closed({ response: AssertionResponse }),
  cache_control: 'no-store',
  response: Closed({ ...SignedIn, expires_at: described(Instant, 'When the session expires.') }),
  access: PUBLIC,
  errors: ['passkey_refused'],
})

export const listPasskeys = operation({
  method: 'GET',
  path: '/v1/vat/auth/passkeys',
  tag: 'People',
  summary: 'List passkeys',
  description: 'People see their own passkeys, operators those of every person in the tenant.',
  query: Closed({
    human_ref: Type.Optional(described(PersonRef, 'Only this person, by their `human_ref`.')),
    ...PageQuery,
  }),
  response: PageOf(Passkey),
  access: { ...about('human', '/query/human_ref'), human: 'own', operator: 'tenant' },
  errors: ['human_unknown'],
})

export const deletePasskey = operation({
  method: 'DELETE',
  path: '/v1/vat/auth/passkeys/{id}',
  tag: 'People',
  summary: 'Delete a passkey',
  description: 'Ends every session of the person except the one that makes this call.',
  params: Closed({ id: CredentialId }),
  response: Closed({ deleted: Flag('Always true.'), passkey_id: CredentialId }),
  lane: 'stop',
  access: { ...about('passkey', '/params/id'), human: 'own', operator: 'tenant', step_up: 'passkeys' },
  errors: ['passkey_unknown', 'registry_conflict', 'step_up_required'],
})
