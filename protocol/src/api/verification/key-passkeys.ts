import type { Static } from 'typebox'
import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { KeySignedIn } from '../people/sessions.ts'
import { Type } from '../schema-type.ts'
import { Closed, Flag, Text } from '../shapes.ts'
import {
  AssertionResponse,
  Challenge,
  CredentialId,
  PasskeyMembers,
  PasskeyName,
  RegistrationResponse,
} from './passkeys.ts'

const KeyPasskey = Closed(
  {
    passkey_id: CredentialId,
    key_id: Text('The API key that it signs in with. It ends with that key.'),
    key_name: Text('Name of that key.'),
    name: Text('Name of the passkey.'),
    ...PasskeyMembers,
  },
  {
    title: 'KeyPasskey',
    description: 'A passkey that signs in to the dashboard with the role of an API key.',
  },
)
export type KeyPasskey = Static<typeof KeyPasskey>

/** What a session of an API key may do for its own key. */
const OF_KEYS = { operator: 'any', developer: 'any', auditor: 'any' } as const

export const beginKeyPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/key-passkeys/options',
  tag: 'People',
  summary: 'Start adding a passkey to your API key',
  description:
    'In a session that began during the last five minutes (`sign_on_too_old` otherwise). The passkey then signs in to the dashboard in place of the key. The challenge works once, in this session, for three minutes.',
  cache_control: 'no-store',
  response: Closed(Challenge),
  access: OF_KEYS,
  errors: ['passkey_refused', 'sign_on_too_old'],
})

export const finishKeyPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/key-passkeys',
  tag: 'People',
  summary: 'Add a passkey to your API key',
  description:
    'User verification is required. A sign-in with the passkey gives a session of the key, so it has the role and the tenant of the key and ends with it. A key that replaces this one needs its own passkeys.',
  body: Closed({ response: RegistrationResponse, name: Type.Optional(PasskeyName) }),
  status: 201,
  response: KeyPasskey,
  access: OF_KEYS,
  errors: ['passkey_refused', 'registry_conflict'],
})

export const signInWithPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/sign-in/passkey',
  tag: 'People',
  summary: 'Sign in with a passkey of an API key',
  description:
    'Answers the challenge of `POST /v1/vat/auth/passkeys/login/options`. The response sets the session cookie. Refused when the key has ended. People sign in with theirs at `POST /v1/vat/auth/passkeys/login/verify`.',
  body: Closed({ response: AssertionResponse }),
  cache_control: 'no-store',
  response: Closed(KeySignedIn),
  access: PUBLIC,
  errors: ['passkey_refused'],
})

export const listKeyPasskeys = operation({
  method: 'GET',
  path: '/v1/vat/auth/key-passkeys',
  tag: 'People',
  summary: 'List passkeys of API keys',
  description: 'Operators see those of all keys of the tenant, others those of their own key.',
  cache_control: 'no-store',
  response: Closed({ data: Type.Array(KeyPasskey, { description: 'The passkeys, newest first.' }) }),
  access: { ...OF_KEYS, operator: 'tenant' },
  errors: [],
})

export const deleteKeyPasskey = operation({
  method: 'DELETE',
  path: '/v1/vat/auth/key-passkeys/{id}',
  tag: 'People',
  summary: 'Delete a passkey of an API key',
  description:
    'You can delete any passkey that you can list. Ends every session that began with it and every other session of its key. The session that makes this call stays open, unless it began with this passkey.',
  params: Closed({ id: CredentialId }),
  response: Closed({ deleted: Flag('Always true.'), passkey_id: CredentialId }),
  lane: 'stop',
  access: { ...OF_KEYS, operator: 'tenant' },
  errors: ['passkey_unknown', 'registry_conflict'],
})
