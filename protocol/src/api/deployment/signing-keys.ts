import { KEY_PURPOSES } from '../../token/key-purpose.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  described,
  Flag,
  Instant,
  LogIndex,
  OneOf,
  RevokedCount,
  RevokeReason,
  Text,
} from '../shapes.ts'

const KeyIdentifier = Text('Key ID, as the header `kid` of tokens and statements names it.')

export const SigningKey = Closed(
  {
    kid: KeyIdentifier,
    purpose: OneOf(KEY_PURPOSES, {
      description:
        'What the key signs: tokens, status lists, or statements (the revocation feed and receipts). Verifiers do not accept it for anything else.',
    }),
    status: OneOf(['active', 'next', 'retired', 'withdrawn'], {
      description:
        'Whether the key signs now (`active`), is published and signs after the next rotation (`next`), only verifies (`retired`), or was stolen (`withdrawn`).',
    }),
    created_at: described(Instant, 'When the key was created.'),
    active_from: Type.Optional(described(Instant, 'When the key began to sign.')),
    retired_at: Type.Optional(described(Instant, 'When the key was retired.')),
    published_until: Type.Optional(described(Instant, 'How long the public key stays published.')),
    withdrawn_at: Type.Optional(described(Instant, 'When the key was withdrawn.')),
    withdrawn_from: Type.Optional(described(Instant, 'Everything that the key signed from then on is void.')),
  },
  { title: 'SigningKey', description: 'A signing key of the service.' },
)

export const rotateSigningKey = operation({
  method: 'POST',
  path: '/v1/vat/signing-keys/rotate',
  tag: 'Keys',
  summary: 'Rotate the signing keys',
  description:
    'The next keys, which are already published, begin to sign, and new next keys are published. The old public keys stay published until the last token that they signed has expired; the old private keys are destroyed. A key is published for six minutes before it signs, so a rotation too soon after another one is refused.',
  status: 201,
  response: Closed({
    kid: described(KeyIdentifier, 'The key that signs tokens now.'),
    log_index: described(LogIndex, 'Index of the log entry that records the rotation.'),
  }),
  access: { operator: 'deployment' },
  errors: ['rotation_too_soon'],
})

export const withdrawSigningKey = operation({
  method: 'POST',
  path: '/v1/vat/signing-keys/{kid}/withdraw',
  tag: 'Keys',
  summary: 'Withdraw a stolen signing key',
  description:
    'Removes the key from the published keys immediately and lets the next key sign. Tokens that it signed from `from` on are revoked. Earlier ones stay valid online, because the service compares them with the log; offline verifiers refuse every token of the key, because a thief can write any date. Renew such tokens. Calling it again completes a withdrawal that was interrupted; an earlier `from` extends it.',
  params: Closed({ kid: KeyIdentifier }),
  body: Closed({
    from: described(
      Instant,
      'When the key was stolen, or the earliest time when it may have been. Not in the future.',
    ),
    reason: RevokeReason,
  }),
  response: Closed({
    kid: KeyIdentifier,
    already_withdrawn: Flag('Whether the key was withdrawn before.'),
    withdrawn_at: described(Instant, 'When the key was withdrawn.'),
    withdrawn_from: described(Instant, 'Everything that the key signed from then on is void.'),
    active_kid: described(KeyIdentifier, 'The key that signs for this purpose now.'),
    revoked_count: described(RevokedCount, 'Tokens that this call revoked.'),
    log_index: described(LogIndex, 'Index of the log entry that records the withdrawal.'),
  }),
  lane: 'stop',
  access: { operator: 'deployment' },
  errors: ['signing_key_unknown'],
})

export const listSigningKeys = operation({
  method: 'GET',
  path: '/v1/vat/signing-keys',
  tag: 'Keys',
  summary: 'List signing keys',
  response: Closed({
    data: Type.Array(SigningKey, {
      description:
        'The active keys, the next ones, retired keys whose tokens can still be valid, then withdrawn keys.',
    }),
  }),
  access: { operator: 'any', developer: 'any', auditor: 'any' },
  errors: [],
})
