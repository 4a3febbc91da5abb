import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Closed, described, Instant, LogIndex, OneOf, Text } from '../shapes.ts'

const KeyIdentifier = Text('Key ID, as the header `kid` of tokens names it.')

export const SigningKey = Closed(
  {
    kid: KeyIdentifier,
    status: OneOf(['active', 'retired'], { description: 'Whether the key still signs tokens.' }),
    created_at: described(Instant, 'When the key was created.'),
    retired_at: Type.Optional(described(Instant, 'When the key was retired.')),
    published_until: Type.Optional(described(Instant, 'How long the public key stays published.')),
  },
  { title: 'SigningKey', description: 'A key that signs tokens.' },
)

export const rotateSigningKey = operation({
  method: 'POST',
  path: '/v1/vat/signing-keys/rotate',
  tag: 'Keys',
  summary: 'Rotate the signing key',
  description:
    'New tokens are signed with a new key. The old public key stays published until the last token that it signed has expired; the old private key is destroyed.',
  status: 201,
  response: Closed({
    kid: KeyIdentifier,
    log_index: described(LogIndex, 'Index of the log entry that records the rotation.'),
  }),
  access: { operator: 'deployment' },
  errors: [],
})

export const listSigningKeys = operation({
  method: 'GET',
  path: '/v1/vat/signing-keys',
  tag: 'Keys',
  summary: 'List signing keys',
  response: Closed({
    data: Type.Array(SigningKey, {
      description: 'The active key, then retired keys whose tokens can still be valid.',
    }),
  }),
  access: { operator: 'any', developer: 'any', auditor: 'any' },
  errors: [],
})
