import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Closed, Instant, OneOf } from '../shapes.ts'

export const SigningKey = Closed({
  kid: Type.String(),
  status: OneOf(['active', 'retired']),
  created_at: Instant,
  retired_at: Type.Optional(Instant),
  published_until: Type.Optional(Instant),
})

export const rotateSigningKey = operation({
  method: 'POST',
  path: '/v1/vat/signing-keys/rotate',
  tag: 'Keys',
  summary: 'Rotate the signing key',
  description:
    'New tokens are signed with a new key. The old one stays published until the last token it may have signed has ended; its private part is destroyed.',
  status: 201,
  response: Closed({
    kid: Type.String(),
    log_index: Type.Integer({ description: 'Position of the leaf that tells of the rotation.' }),
  }),
  access: { operator: 'deployment' },
  errors: [],
})

export const listSigningKeys = operation({
  method: 'GET',
  path: '/v1/vat/signing-keys',
  tag: 'Keys',
  summary: 'Signing keys',
  description: 'The active key first, then retired ones whose tokens may still be valid.',
  response: Closed({ data: Type.Array(SigningKey) }),
  access: { operator: 'any', developer: 'any', auditor: 'any' },
  errors: [],
})
