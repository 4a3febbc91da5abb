import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { AssuranceLevel, Closed, HumanRef, Instant, Sha256Digest } from '../shapes.ts'

const Person = Closed({ human_ref: Sha256Digest })

export const getHuman = operation({
  method: 'GET',
  path: '/v1/vat/humans/{human_ref}',
  tag: 'Humans',
  summary: 'What is known of a human',
  description: 'Levels and counts are those of the newest 10,000 tokens.',
  params: Person,
  response: Closed({
    human_ref: HumanRef,
    assurance_levels: Type.Array(AssuranceLevel),
    tokens: Type.Integer(),
    live_tokens: Type.Integer({ description: 'Not expired and not revoked themselves.' }),
    workflows: Type.Integer(),
    first_seen_at: Type.Optional(Instant),
    erased_at: Type.Optional(Instant),
  }),
  errors: ['human_unknown'],
})

export const exportHuman = operation({
  method: 'GET',
  path: '/v1/vat/humans/{human_ref}/export',
  tag: 'Humans',
  summary: 'Everything that is kept about a human',
  description:
    'JSON Lines, for the human: a line `human`, then each `token`, `record`, `denial`, `approval`, `habit` and `passkey`, newest first, and a last line `end` with how many there were. Tokens are named by the SHA-256 of their id, because the file may travel.',
  params: Person,
  response: Type.String(),
  streams: ['application/x-ndjson'],
  errors: ['human_unknown'],
})

export const eraseHuman = operation({
  method: 'DELETE',
  path: '/v1/vat/humans/{human_ref}',
  tag: 'Humans',
  summary: 'Erase a human',
  description:
    'Revokes every token of the human and destroys the key that everything personal is sealed with: notes, metadata, purposes, reasons and stored answers. It cannot be undone. The log stays as it is and still verifies. Erasing again changes nothing; repeat it after a 503.',
  params: Person,
  response: Closed({
    erased: Type.Boolean(),
    already_erased: Type.Boolean(),
    human_ref: HumanRef,
    erased_at: Instant,
    revoked_count: Type.Integer({ description: 'Tokens in force that this call silenced.' }),
  }),
  errors: ['human_unknown'],
})
