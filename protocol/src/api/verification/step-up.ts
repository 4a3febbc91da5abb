import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { AnyObject, Closed, described, Instant, Text } from '../shapes.ts'
import { AssertionResponse, Challenge } from './passkeys.ts'

export const beginStepUp = operation({
  method: 'POST',
  path: '/v1/vat/auth/step-up/options',
  tag: 'People',
  summary: 'Start confirming a call with a passkey',
  description:
    'Send the operation ID with the exact params, query and body of the call. The challenge is the SHA-256 digest of `bound_text`, which contains all of these, the session, the expiry and a random value. Show `words` to the person before they answer. The challenge works once, for three minutes.',
  body: Closed({
    operation: Text('Operation ID of the call. Only operations that a tenant can require a passkey for.', {
      minLength: 1,
      maxLength: 64,
      examples: ['approve'],
    }),
    params: Type.Optional(AnyObject({ description: 'Path parameters of the call.' })),
    query: Type.Optional(AnyObject({ description: 'Query parameters of the call.' })),
    body: Type.Optional(AnyObject({ description: 'Body of the call.' })),
  }),
  cache_control: 'no-store',
  response: Closed({
    options: Challenge.options,
    bound_text: Text('The text whose digest is the challenge.'),
    words: Type.Array(Type.String(), { description: 'Sentences that say what the person confirms.' }),
    expires_at: Challenge.expires_at,
  }),
  lane: 'stop',
  access: { human: 'own' },
  errors: ['passkey_refused', 'step_up_required'],
})

export const finishStepUp = operation({
  method: 'POST',
  path: '/v1/vat/auth/step-up/verify',
  tag: 'People',
  summary: 'Confirm a call with a passkey',
  description:
    'Then send the call with the header `Deputy-Step-Up: <grant>`. A grant works once, for that exact call, in this session, within five minutes.',
  body: Closed({ response: AssertionResponse }),
  cache_control: 'no-store',
  response: Closed({
    grant: Text('The grant, for the header Deputy-Step-Up.'),
    expires_at: described(Instant, 'When the grant expires.'),
  }),
  lane: 'stop',
  access: { human: 'own' },
  errors: ['passkey_refused'],
})

/** Why a call was refused for lack of a passkey confirmation. */
export const STEP_UP_REASONS = {
  no_grant: 'Confirm this call with your passkey first.',
  no_passkey: 'You have no passkey yet. Register one, then confirm this call with it.',
  grant: 'The grant is for another call, was used before, or has expired. Confirm the call again.',
} as const satisfies Record<string, string>

export type StepUpReason = keyof typeof STEP_UP_REASONS
