import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { AssuranceLevel, Closed, Count, described, Flag, HumanRef, Instant, Text } from '../shapes.ts'

/** The person of a session. */
export const SignedIn = {
  tenant_id: Text('Tenant of the person.'),
  human_ref: described(HumanRef, 'Keyed hash that identifies the person.'),
  assurance_level: AssuranceLevel,
  amr: Type.Array(Type.String(), { description: 'How the person signed in (RFC 8176).' }),
  csrf_token: Text('Send it in the header Deputy-CSRF with every change that you make in this session.'),
}

export const getMe = operation({
  method: 'GET',
  path: '/v1/vat/auth/me',
  tag: 'People',
  summary: 'Get the signed-in person',
  cache_control: 'no-store',
  response: Closed({
    ...SignedIn,
    human_refs: Type.Array(HumanRef, { description: 'Every `human_ref` of the person.' }),
    auth_time: described(Instant, 'When the person signed in.'),
    passkeys: Count('Passkeys of the person that are accepted.'),
  }),
  access: { human: 'own' },
  errors: [],
})

export const logOut = operation({
  method: 'POST',
  path: '/v1/vat/auth/logout',
  tag: 'People',
  summary: 'Sign out',
  body: Closed({
    everywhere: Type.Optional(Flag('Also end every other session of the person.')),
  }),
  response: Closed({ signed_out: Flag('Always true.') }),
  lane: 'stop',
  access: { human: 'own' },
  errors: [],
})
