import { type Static, Type } from 'typebox'
import { about, PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { SignedIn } from '../people/sessions.ts'
import { AssuranceLevel, Closed, HumanRef, Instant, PageOf, PageQuery, Sha256Digest } from '../shapes.ts'

/** Why a passkey was not taken. The name is stable; the sentence says what was wrong. */
export const PASSKEY_REASONS = {
  no_domain:
    'Passkeys are bound to the name of a host, and the public address of this service is none. Set DEPUTY_PUBLIC_URL to one with a name, such as http://localhost:8420.',
  malformed: 'The answer of the browser cannot be read.',
  challenge: 'The challenge was answered before, is too old, or was for something else.',
  origin: 'The answer was made for another site.',
  not_verified: 'The device did not verify that its owner is there.',
  signature: 'The signature is not by the key of the passkey.',
  credential: 'No passkey that is registered here gave this answer.',
  other_person: 'The passkey is that of another person.',
  suspected_clone:
    'The passkey has counted backwards, as only a copy of it does. It is not accepted any more: remove it and register another.',
  too_many: 'A person has at most 20 passkeys. Remove one first.',
} as const satisfies Record<string, string>

export type PasskeyReason = keyof typeof PASSKEY_REASONS

const CREDENTIAL_ID = '^[A-Za-z0-9_-]{1,340}$'

const CredentialId = Type.String({
  pattern: CREDENTIAL_ID,
  description: 'Identifier of the credential, base64url. It is no secret.',
  examples: ['mF1oZkLr2Jb6cVnT0q9xXw'],
})
const PasskeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'What the person calls it.',
  examples: ['Laptop'],
})
const Base64url = Type.String({ maxLength: 16_384 })

/** What `PublicKeyCredential.toJSON()` gives, whatever the ceremony. */
const Credential = {
  id: CredentialId,
  rawId: Base64url,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 64 })),
  clientExtensionResults: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
}

export const RegistrationResponse = Closed(
  {
    ...Credential,
    response: Closed({
      clientDataJSON: Base64url,
      attestationObject: Base64url,
      authenticatorData: Type.Optional(Base64url),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 16 })),
      publicKeyAlgorithm: Type.Optional(Type.Integer()),
      publicKey: Type.Optional(Base64url),
    }),
  },
  { description: 'The answer of `navigator.credentials.create()`, as JSON (WebAuthn Level 3).' },
)
export type RegistrationResponse = Static<typeof RegistrationResponse>

export const AssertionResponse = Closed(
  {
    ...Credential,
    response: Closed({
      clientDataJSON: Base64url,
      authenticatorData: Base64url,
      signature: Base64url,
      userHandle: Type.Optional(Base64url),
    }),
  },
  { description: 'The answer of `navigator.credentials.get()`, as JSON (WebAuthn Level 3).' },
)
export type AssertionResponse = Static<typeof AssertionResponse>

export const PasskeyOptions = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'For the browser, as JSON (WebAuthn Level 3).',
})

const EXAMPLE_CREDENTIAL = {
  id: 'mF1oZkLr2Jb6cVnT0q9xXw',
  rawId: 'mF1oZkLr2Jb6cVnT0q9xXw',
  type: 'public-key',
  clientExtensionResults: {},
}
export const EXAMPLE_ASSERTION = {
  ...EXAMPLE_CREDENTIAL,
  response: { clientDataJSON: 'eyJ0eXBlIjo…', authenticatorData: 'SZYN5YgO…', signature: 'MEUCIQD…' },
}

export const Passkey = Closed({
  passkey_id: CredentialId,
  human_ref: HumanRef,
  name: Type.String(),
  assurance_level: AssuranceLevel,
  transports: Type.Array(Type.String()),
  backed_up: Type.Boolean({ description: 'Whether it is kept in several places, by whoever made it.' }),
  suspected_clone: Type.Boolean({
    description: 'It has counted backwards, as only a copy does, and is not accepted any more.',
  }),
  created_at: Instant,
  last_used_at: Type.Optional(Instant),
})
export type Passkey = Static<typeof Passkey>

export const beginPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/register/options',
  tag: 'People',
  summary: 'Begin to register a passkey',
  description:
    'For a person who has signed in. The challenge is good for three minutes, once, in this session.',
  cache_control: 'no-store',
  response: Closed({ options: PasskeyOptions, expires_at: Instant }),
  access: { human: 'own', step_up: 'passkeys' },
  errors: ['passkey_refused', 'step_up_required'],
})

export const finishPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/register/verify',
  tag: 'People',
  summary: 'Register a passkey',
  description:
    'User verification is required. Whoever signs in with it has the assurance level of the session it was registered in, and never more.',
  body: Closed({ response: RegistrationResponse, name: Type.Optional(PasskeyName) }),
  example: {
    response: {
      ...EXAMPLE_CREDENTIAL,
      response: { clientDataJSON: 'eyJ0eXBlIjo…', attestationObject: 'o2NmbXRkbm9uZ…' },
    },
    name: 'Laptop',
  },
  status: 201,
  response: Passkey,
  access: { human: 'own' },
  errors: ['passkey_refused', 'registry_conflict'],
})

export const beginPasskeyLogin = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/login/options',
  tag: 'People',
  summary: 'Begin to sign in with a passkey',
  description: 'Nobody is named: the browser lets the person choose among the passkeys that it knows.',
  cache_control: 'no-store',
  response: Closed({ options: PasskeyOptions, expires_at: Instant }),
  access: PUBLIC,
  errors: ['passkey_refused'],
})

export const finishPasskeyLogin = operation({
  method: 'POST',
  path: '/v1/vat/auth/passkeys/login/verify',
  tag: 'People',
  summary: 'Sign in with a passkey',
  description: 'The answer sets the cookie of a session.',
  body: Closed({ response: AssertionResponse }),
  example: { response: EXAMPLE_ASSERTION },
  cache_control: 'no-store',
  response: Closed({ ...SignedIn, expires_at: Instant }),
  access: PUBLIC,
  errors: ['passkey_refused'],
})

export const listPasskeys = operation({
  method: 'GET',
  path: '/v1/vat/auth/passkeys',
  tag: 'People',
  summary: 'List passkeys',
  description: 'People see their own, operators those of anybody of the tenant.',
  query: Closed({ human_ref: Type.Optional(Sha256Digest), ...PageQuery }),
  response: PageOf(Passkey),
  access: { ...about('human', '/query/human_ref'), human: 'own', operator: 'tenant' },
  errors: ['human_unknown'],
})

export const deletePasskey = operation({
  method: 'DELETE',
  path: '/v1/vat/auth/passkeys/{id}',
  tag: 'People',
  summary: 'Remove a passkey',
  description: 'Every session of its person ends, except the one that asks.',
  params: Closed({ id: CredentialId }),
  response: Closed({ deleted: Type.Boolean(), passkey_id: CredentialId }),
  access: { ...about('passkey', '/params/id'), human: 'own', operator: 'tenant', step_up: 'passkeys' },
  errors: ['passkey_unknown', 'registry_conflict', 'step_up_required'],
})
