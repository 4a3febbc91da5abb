import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { AssuranceLevel, Closed, HumanRef, Instant } from '../shapes.ts'

export const SignedIn = {
  tenant_id: Type.String(),
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  amr: Type.Array(Type.String(), { description: 'How the person signed in (RFC 8176).' }),
  csrf_token: Type.String({
    description: 'To be sent in the header Deputy-CSRF with every change that is made in this session.',
  }),
}

export const getMe = operation({
  method: 'GET',
  path: '/v1/vat/auth/me',
  tag: 'People',
  summary: 'Who has signed in',
  cache_control: 'no-store',
  response: Closed({
    ...SignedIn,
    human_refs: Type.Array(HumanRef, { description: 'Every ref that stands for the person.' }),
    auth_time: Instant,
    passkeys: Type.Integer({ description: 'How many passkeys of theirs are accepted.' }),
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
    everywhere: Type.Optional(
      Type.Boolean({ description: 'End every other session of this person as well.' }),
    ),
  }),
  example: {},
  response: Closed({ signed_out: Type.Boolean() }),
  access: { human: 'own' },
  errors: [],
})
