import { Type } from 'typebox'
import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import {
  AssuranceLevel,
  Closed,
  Count,
  described,
  Flag,
  HumanRef,
  Instant,
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
  }),
  access: { ...about('human', '/params/human_ref'), ...STAFF, human: 'own' },
  errors: ['human_unknown'],
})

export const exportHuman = operation({
  method: 'GET',
  path: '/v1/vat/humans/{human_ref}/export',
  tag: 'Humans',
  summary: 'Export everything about a person',
  description:
    'JSON Lines: a line `human`, then each `token`, `record`, `denial`, `approval`, `habit` and `passkey`, newest first, and a last line `end` with the counts. Tokens are identified by the SHA-256 digest of their ID, because the file may be shared.',
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
  body: Closed({ human_ref: PersonRef, reason: RevokeReason }),
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
