import { ANY_ROLE, PUBLIC, ROLES, type Role } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AssuranceLevel,
  Closed,
  Count,
  described,
  Flag,
  HumanRef,
  Instant,
  OneOf,
  PersonRef,
  Text,
} from '../shapes.ts'

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
  summary: 'Get the caller',
  description:
    'Who you are with this credential or in this session, and what you may call. Fields about a person are present only for a signed-in person.',
  cache_control: 'no-store',
  response: Closed({
    role: OneOf(['local', ...(Object.keys(ROLES) as Role[])], {
      description: 'Role of the caller. `local` in open mode, where every program may call everything.',
    }),
    tenant_id: SignedIn.tenant_id,
    name: Text('Name to show: that of the key, or the ID of the agent or person.'),
    operations: Type.Array(Type.String(), {
      description:
        'IDs of the operations that this role may call. A call about a particular thing can still be refused.',
    }),
    key_id: Type.Optional(Text('The API key of the caller.')),
    csrf_token: Type.Optional(SignedIn.csrf_token),
    session_id: Type.Optional(Text('The session of the caller. It is not secret.')),
    session_expires_at: Type.Optional(
      described(Instant, 'When the session expires unless it is used, or at the latest.'),
    ),
    human_ref: Type.Optional(SignedIn.human_ref),
    human_refs: Type.Optional(Type.Array(HumanRef, { description: 'Every `human_ref` of the person.' })),
    assurance_level: Type.Optional(AssuranceLevel),
    amr: Type.Optional(SignedIn.amr),
    auth_time: Type.Optional(described(Instant, 'When the person signed in.')),
    passkeys: Type.Optional(Count('Passkeys of the person that are accepted.')),
  }),
  access: ANY_ROLE,
  errors: [],
})

/** The session of an API key. */
export const KeySignedIn = {
  role: OneOf(['operator', 'developer', 'auditor'], { description: 'Role of the key.' }),
  tenant_id: Text('Tenant of the key.'),
  key_id: Text('The API key.'),
  session_id: Text('The session. It is not secret.'),
  csrf_token: SignedIn.csrf_token,
  expires_at: described(Instant, 'When the session expires unless it is used.'),
}

export const signInWithKey = operation({
  method: 'POST',
  path: '/v1/vat/auth/sign-in/key',
  tag: 'People',
  summary: 'Sign in with an API key',
  description:
    'Exchanges the key of an operator, a developer or an auditor for a session of the same role and tenant, for work in a browser. The response sets the session cookie. The session ends with its key, after 30 minutes without a request, and after 8 hours at the latest.',
  body: Closed({ key: Text('The API key. Starts with dk_.', { minLength: 1, maxLength: 100 }) }),
  cache_control: 'no-store',
  response: Closed(KeySignedIn),
  access: PUBLIC,
  errors: ['credential_invalid', 'role_not_allowed'],
})

const SignIn = Closed(
  {
    session_id: Text('The session. It is not secret.'),
    role: OneOf(['operator', 'developer', 'auditor', 'human'], { description: 'Role of the session.' }),
    key_id: Type.Optional(Text('The API key that the session stands for.')),
    key_name: Type.Optional(Text('Name of that key.')),
    human_ref: Type.Optional(described(HumanRef, 'The person who signed in.')),
    current: Flag('Whether this call was made in the session.'),
    started_at: described(Instant, 'When the session began.'),
    expires_at: described(Instant, 'When the session expires unless it is used.'),
  },
  { title: 'SignIn', description: 'A session in a browser.' },
)

export const listSignIns = operation({
  method: 'GET',
  path: '/v1/vat/auth/sign-ins',
  tag: 'People',
  summary: 'List sessions',
  description:
    'Sessions that are open, newest first. People see their own, developers and auditors those of their key, and operators all sessions with API keys of the tenant, or those of one person.',
  cache_control: 'no-store',
  query: Closed({
    human_ref: Type.Optional(described(PersonRef, 'Only this person, by any `human_ref` of theirs.')),
  }),
  response: Closed({ data: Type.Array(SignIn, { description: 'The sessions.' }) }),
  access: { human: 'own', operator: 'tenant', developer: 'any', auditor: 'any' },
  errors: [],
})

export const endSignIn = operation({
  method: 'DELETE',
  path: '/v1/vat/auth/sign-ins/{session_id}',
  tag: 'People',
  summary: 'End a session',
  description: 'Any session that you can list. Its browser has to sign in again.',
  params: Closed({
    session_id: Text('The session.', { pattern: '^[A-Za-z0-9_-]{43}$' }),
  }),
  response: Closed({ ended: Flag('Always true.'), session_id: Text('The session.') }),
  lane: 'stop',
  access: { human: 'own', operator: 'tenant', developer: 'any', auditor: 'any' },
  errors: ['sign_in_unknown'],
})

export const logOut = operation({
  method: 'POST',
  path: '/v1/vat/auth/logout',
  tag: 'People',
  summary: 'Sign out',
  description:
    'Ends the session of this call. A program that sends its API key has none, and can end the sessions of the key with `everywhere`.',
  body: Closed({
    everywhere: Type.Optional(Flag('Also end every other session of the person or the key.')),
  }),
  response: Closed({ signed_out: Flag('Always true.') }),
  lane: 'stop',
  access: { human: 'own', operator: 'any', developer: 'any', auditor: 'any' },
  errors: [],
})
