import { createHash } from 'node:crypto'
import { canonicalJson } from '@deputize/protocol'
import type { StepEvidence } from '../../verification/biometric-engine.ts'
import type { OperationContext } from '../operation-context.ts'
import type { CaptureBinding } from './capture-passkey.ts'
import type { CaptureSession } from './capture-sessions.ts'

/** The members of a call that say what the verification is for: a token, or an approval. */
const REQUEST_MEMBERS = [
  'agent_id',
  'resources',
  'actions',
  'constraints',
  'expires_in',
  'audience',
  'agent_jwk',
  'policy_assertions',
  'purpose',
  'approval_id',
] as const

/** What the passkey of a capture signs: its recordings, and the token that the body asks for. */
export function captureBinding(
  { session_id }: Pick<CaptureSession, 'session_id'>,
  steps: readonly Pick<StepEvidence, 'media_digest'>[],
  body: { readonly nonce: string },
): CaptureBinding {
  const members: Readonly<Record<string, unknown>> = { ...body }
  const request = Object.fromEntries(
    REQUEST_MEMBERS.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])),
  )
  return {
    session_id,
    nonce: body.nonce,
    media: steps.map(({ media_digest }) => media_digest),
    request: `sha256:${createHash('sha256').update(canonicalJson(request)).digest('hex')}`,
  }
}

/** A step that the person cannot do is replaced by a passkey, whatever the deployment asks for otherwise. */
export function needsPasskey(
  { accommodations }: Pick<CaptureSession, 'accommodations'>,
  { l3_passkey }: OperationContext,
): boolean {
  return l3_passkey === 'required' || accommodations.length > 0
}
