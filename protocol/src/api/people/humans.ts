import { about, STAFF } from '../access.ts'
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
  PageOf,
  PageQuery,
  PersonRef,
  RevokedAll,
  RevokedCount,
  RevokeReason,
  Text,
} from '../shapes.ts'

const PersonPath = Closed({ human_ref: PersonRef })

export const getHuman = operation({
  method: 'GET',
  path: '/v1/vat/humans/{human_ref}',
  tag: 'Humans',
  summary: 'Get a person',
  description: 'Assurance levels and counts cover the newest 10,000 tokens.',
  params: PersonPath,
  response: Closed({
    human_ref: HumanRef,
    assurance_levels: Type.Array(AssuranceLevel, { description: 'Assurance levels of the tokens.' }),
    tokens: Count('Tokens of the person.'),
    live_tokens: Count('Tokens that are neither expired nor revoked themselves.'),
    workflows: Count('Workflows of the person.'),
    first_seen_at: Type.Optional(described(Instant, 'When the first token was issued.')),
    erased_at: Type.Optional(described(Instant, 'When the person was erased.')),
    refused_at: Type.Optional(described(Instant, 'Since when the person refuses new tokens in their name.')),
  }),
  access: { ...about('human', '/params/human_ref'), ...STAFF, human: 'own' },
  errors: ['human_unknown'],
})

const ListedPerson = Closed(
  {
    human_ref: HumanRef,
    assurance_levels: Type.Array(AssuranceLevel, { description: 'Assurance levels of the tokens.' }),
    tokens: Count('Tokens of the person, at most 200.'),
    live_tokens: Count('Tokens among them that are neither expired nor revoked themselves.'),
    waiting: Count('Requests for approval that wait for the person.'),
    first_seen_at: Type.Optional(described(Instant, 'When the first token was issued.')),
    erased_at: Type.Optional(described(Instant, 'When the person was erased.')),
    refused_at: Type.Optional(described(Instant, 'Since when the person refuses new tokens in their name.')),
  },
  { title: 'ListedPerson', description: 'A person in whose name a token was issued.' },
)

export const listHumans = operation({
  method: 'GET',
  path: '/v1/vat/humans',
  tag: 'Humans',
  summary: 'List people',
  description:
    'The people of your tenant in whose name a token was issued, the newest first. Levels and counts cover the newest 200 tokens of each. A person who proved several levels can have a ref for each of them. The service stores no email addresses. A page can hold fewer entries than `limit`: continue while `has_more` is true.',
  query: Closed({ ...PageQuery }),
  response: PageOf(ListedPerson),
  access: STAFF,
  errors: [],
})

export const exportHuman = operation({
  method: 'GET',
  path: '/v1/vat/humans/{human_ref}/export',
  tag: 'Humans',
  summary: 'Export everything about a person',
  description:
    'JSON Lines, for each `human_ref` of the person, the named one first: a line `human`, then each `token`, `record`, `denial`, `approval`, `habit`, `vouch` (given and got), `anchor`, `passkey`, `session` and `key` (from a sign-in to the dashboard), newest first, then each `channel` and the settings `notifications`. After that come `biometric` and each `verification`, and a last line `end` with the counts. Tokens are identified by the SHA-256 digest of their ID, because the file may be shared. Operators get the line `biometric` without the template.',
  params: PersonPath,
  response: Text('The file. If the line `end` is missing, the file is incomplete.'),
  streams: ['application/x-ndjson'],
  access: { ...about('human', '/params/human_ref'), human: 'own', operator: 'tenant', step_up: 'erase' },
  errors: ['human_unknown'],
})

export const eraseHuman = operation({
  method: 'DELETE',
  path: '/v1/vat/humans/{human_ref}',
  tag: 'Humans',
  summary: 'Erase a person',
  description:
    'Revokes every token of the person and destroys the key that encrypts their personal data: notes, metadata, purposes, reasons and stored answers. This cannot be undone. The log does not change and still verifies. Erasing again changes nothing; repeat the call after a 503.',
  params: PersonPath,
  response: Closed({
    erased: Flag('Always true.'),
    already_erased: Flag('Whether the person was erased before.'),
    human_ref: HumanRef,
    erased_at: described(Instant, 'When the person was erased.'),
    revoked_count: RevokedCount,
  }),
  lane: 'stop',
  access: { ...about('human', '/params/human_ref'), human: 'own', operator: 'tenant', step_up: 'erase' },
  errors: ['human_unknown'],
})

export const revokeHuman = operation({
  method: 'POST',
  path: '/v1/vat/revoke/human',
  tag: 'Revocation',
  summary: 'Revoke every token of a person',
  description:
    'Tokens issued later are not affected, unless you send `refuse_new`: then no new token is issued in the name of the person until they or an operator accept tokens again. If an operator does this, the sessions of the person end, and so do the keys that they hold by signing in to the dashboard.',
  body: Closed({
    human_ref: PersonRef,
    reason: RevokeReason,
    refuse_new: Type.Optional(Flag('Also refuse new tokens in the name of the person.')),
  }),
  response: Closed({ ...RevokedAll, human_ref: HumanRef }),
  lane: 'stop',
  access: {
    ...about('human', '/body/human_ref'),
    operator: 'tenant',
    human: 'own',
    step_up: 'revoke_many',
  },
  errors: ['human_unknown'],
})

const Acceptance = Closed(
  {
    human_ref: HumanRef,
    refuses: Flag('Whether new tokens in the name of the person are refused now.'),
    changed: Flag('Whether this call changed anything.'),
    at: described(Instant, 'When the call was carried out, or since when tokens are refused.'),
  },
  { title: 'Acceptance', description: 'Whether a person accepts new tokens in their name.' },
)

export const refuseTokens = operation({
  method: 'POST',
  path: '/v1/vat/humans/{human_ref}/refuse',
  tag: 'Humans',
  summary: 'Refuse new tokens in the name of a person',
  description:
    'Until it is lifted, no token is issued or renewed in the name of the person, at any level (403 `human_refuses`). It covers every ref of the person. Tokens that exist are not affected; revoke them with POST /v1/vat/revoke/human.',
  params: PersonPath,
  response: Acceptance,
  access: { ...about('human', '/params/human_ref'), operator: 'tenant', human: 'own' },
  lane: 'stop',
  errors: ['human_unknown'],
})

export const acceptTokens = operation({
  method: 'POST',
  path: '/v1/vat/humans/{human_ref}/accept',
  tag: 'Humans',
  summary: 'Accept tokens in the name of a person again',
  description: 'Only the person or an operator can do this.',
  params: PersonPath,
  response: Acceptance,
  access: { ...about('human', '/params/human_ref'), operator: 'tenant', human: 'own' },
  errors: ['human_unknown'],
})
