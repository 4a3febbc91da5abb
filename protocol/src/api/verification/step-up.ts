import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Closed, Instant } from '../shapes.ts'
import { AssertionResponse, EXAMPLE_ASSERTION, PasskeyOptions } from './passkeys.ts'

const Loose = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const beginStepUp = operation({
  method: 'POST',
  path: '/v1/vat/auth/step-up/options',
  tag: 'People',
  summary: 'Begin to confirm one call with a passkey',
  description:
    'Name the operation with the very params, query and body of the call. The challenge is the SHA-256 of `bound_text`, which holds all of that, the session, the end and something random. Show `words` to the person before they answer. The challenge is good for three minutes, once.',
  body: Closed({
    operation: Type.String({ minLength: 1, maxLength: 64, description: 'The operation id.' }),
    params: Type.Optional(Loose),
    query: Type.Optional(Loose),
    body: Type.Optional(Loose),
  }),
  example: { operation: 'approve', params: { id: 'apr_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r' }, body: {} },
  cache_control: 'no-store',
  response: Closed({
    options: PasskeyOptions,
    bound_text: Type.String(),
    words: Type.Array(Type.String(), { description: 'What is confirmed, in sentences.' }),
    expires_at: Instant,
  }),
  access: { human: 'own' },
  errors: ['passkey_refused', 'step_up_required'],
})

export const finishStepUp = operation({
  method: 'POST',
  path: '/v1/vat/auth/step-up/verify',
  tag: 'People',
  summary: 'Confirm one call with a passkey',
  description:
    'Send the call with the header `Deputy-Step-Up: <grant>`. A grant is good for that very call, once, in this session, within five minutes.',
  body: Closed({ response: AssertionResponse }),
  example: { response: EXAMPLE_ASSERTION },
  cache_control: 'no-store',
  response: Closed({ grant: Type.String(), expires_at: Instant }),
  access: { human: 'own' },
  errors: ['passkey_refused'],
})

/** Why a call was refused for want of a passkey. */
export const STEP_UP_REASONS = {
  no_grant: 'Confirm this very call with your passkey first.',
  no_passkey: 'You have no passkey yet: register one, then confirm this call with it.',
  grant: 'The grant is not for this very call, was used before, or is too old. Confirm the call again.',
} as const satisfies Record<string, string>

export type StepUpReason = keyof typeof STEP_UP_REASONS
