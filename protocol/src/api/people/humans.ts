import { Type } from 'typebox'
import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import {
  AssuranceLevel,
  Closed,
  HumanRef,
  Instant,
  RevokedAll,
  RevokeReason,
  Sha256Digest,
} from '../shapes.ts'

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
  access: { ...about('human', '/params/human_ref'), ...STAFF, human: 'own' },
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
  access: { ...about('human', '/params/human_ref'), human: 'own', operator: 'tenant', step_up: 'erase' },
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
  access: { ...about('human', '/params/human_ref'), human: 'own', operator: 'tenant', step_up: 'erase' },
  errors: ['human_unknown'],
})

export const revokeHuman = operation({
  method: 'POST',
  path: '/v1/vat/revoke/human',
  tag: 'Revocation',
  summary: 'Revoke everything that acts for a human',
  body: Closed({ human_ref: Sha256Digest, reason: RevokeReason }),
  example: { human_ref: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  response: Closed({ ...RevokedAll, human_ref: Type.String() }),
  access: { ...about('human', '/body/human_ref'), operator: 'tenant', human: 'own', step_up: 'revoke_many' },
  errors: ['human_unknown'],
})
