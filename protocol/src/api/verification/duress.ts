import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  described,
  Flag,
  HumanRef,
  Instant,
  Jti,
  OneOf,
  PageOf,
  PageQuery,
  PersonNote,
  PersonRef,
  Text,
} from '../shapes.ts'
import { VerificationId } from './biometric-sessions.ts'

/** The gestures that the engine knows. */
const DuressGesture = OneOf(['thumbs_up', 'victory', 'open_palm', 'point_up'], {
  title: 'DuressGesture',
  description: 'A hand sign.',
})

/** Open mode has no sign-in, so a recent verification proves who is calling. */
const Proof = {
  human_ref: Type.Optional(described(PersonRef, 'Open mode only: the person.')),
  verification_id: Type.Optional(
    described(
      VerificationId,
      'Open mode only: a verification of this person by the built-in engine that passed within the last ten minutes.',
    ),
  ),
}

const Saved = Closed(
  { saved: Flag('Always true. The response does not show whether a sign was set before.') },
  { title: 'DuressSaved', description: 'The change is stored.' },
)

export const setDuress = operation({
  method: 'PUT',
  path: '/v1/vat/auth/duress',
  tag: 'People',
  summary: 'Set your sign of coercion',
  description:
    'A word that you say after the digits, or a gesture that you show, in a verification. It then looks like any other success, but everything the token does that spends or changes something is held for review, and your contacts are notified. The sign is never shown again. In keyed mode the call needs a fresh passkey: send it with a step-up grant.',
  body: Closed({
    word: Type.Optional(
      Text('A word of the list in the guide to duress that you would not say by accident.', {
        pattern: '^[A-Za-z]{3,24}$',
        examples: ['butterfly'],
      }),
    ),
    gesture: Type.Optional(DuressGesture),
    contacts: Type.Array(
      Text('Whom to tell, as the safety desk can reach them.', { minLength: 1, maxLength: 200 }),
      {
        minItems: 1,
        maxItems: 5,
        description: 'Whom to tell. Only the safety desk sees these texts.',
        examples: [['Ada Lovelace, +44 20 7946 0000']],
      },
    ),
    ...Proof,
  }),
  cache_control: 'no-store',
  response: Saved,
  access: { human: 'own', step_up: 'duress' },
  errors: ['not_enrolled', 'step_up_required', 'not_yours'],
})

export const deleteDuress = operation({
  method: 'DELETE',
  path: '/v1/vat/auth/duress',
  tag: 'People',
  summary: 'Remove your sign of coercion',
  description:
    'The response is the same whether or not a sign was set. In keyed mode the call needs a fresh passkey: send it with a step-up grant.',
  query: Closed(Proof),
  cache_control: 'no-store',
  response: Saved,
  access: { human: 'own', step_up: 'duress' },
  errors: ['not_enrolled', 'step_up_required', 'not_yours'],
})

const OUTCOMES = ['safe', 'revoke'] as const

const DuressAlert = Closed(
  {
    alert_id: described(VerificationId, 'ID of the alert: that of the verification, if it is about one.'),
    human_ref: HumanRef,
    about: OneOf(['verification', 'sign_changed'], {
      description:
        'verification: the person gave their sign. sign_changed: their sign was removed or replaced with a passkey, which a coercer can make them use.',
    }),
    at: described(Instant, 'When the verification was judged, or the sign was changed.'),
    passed: Flag('Whether the verification passed. Never true about a changed sign.'),
    jti: Type.Optional(described(Jti, 'The token that was issued.')),
    contacts: Type.Array(Type.String(), { description: 'Who the person wants notified.' }),
    sent: Flag('Whether the safety channel has taken the alert.'),
    state: OneOf(['open', 'resolved'], { description: 'Whether the desk has resolved it.' }),
    outcome: Type.Optional(OneOf(OUTCOMES, { description: 'What the desk decided.' })),
    note: Type.Optional(Text('The note of the desk.')),
    resolved_at: Type.Optional(described(Instant, 'When the desk decided.')),
  },
  { title: 'DuressAlert', description: 'A person gave their sign of coercion, or their sign was changed.' },
)

export const listDuressAlerts = operation({
  method: 'GET',
  path: '/v1/vat/auth/duress-alerts',
  tag: 'People',
  summary: 'List alerts about coercion',
  description:
    'Newest first, for the safety desk only. A page can hold fewer entries than `limit`: continue while `has_more` is true.',
  query: Closed({ ...PageQuery }),
  cache_control: 'no-store',
  response: PageOf(DuressAlert),
  access: { safety: 'tenant' },
  errors: ['role_not_allowed'],
})

export const resolveDuressAlert = operation({
  method: 'POST',
  path: '/v1/vat/auth/duress-alerts/{id}/resolve',
  tag: 'People',
  summary: 'Resolve an alert about coercion',
  description:
    '`safe` releases the token: nothing is held for review from then on. `revoke` revokes it, the one that it renews and everything below them. The log does not say why.',
  params: Closed({ id: VerificationId }),
  body: Closed({
    outcome: OneOf(OUTCOMES, { description: 'What the desk decided.' }),
    note: Type.Optional(PersonNote),
  }),
  cache_control: 'no-store',
  response: DuressAlert,
  access: { safety: 'tenant' },
  errors: ['role_not_allowed', 'alert_unknown', 'registry_conflict'],
})
