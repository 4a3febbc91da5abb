import { createHash } from 'node:crypto'
import { canonicalJson } from '@deputize/protocol'
import type { StepEvidence } from '../../verification/biometric-engine.ts'
import type { OperationContext } from '../operation-context.ts'
import { type CaptureBinding, hasPasskey } from './capture-passkey.ts'
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

/**
 * Whatever the deployment asks for otherwise, a passkey replaces a step that the person cannot do, and confirms an enrolment
 * that somebody else has opened for a person who has one: nobody gives their own face another person's name.
 */
export async function needsPasskey(session: CaptureSession, context: OperationContext): Promise<boolean> {
  if (context.l3_passkey === 'required' || session.accommodations.length > 0) return true
  return session.purpose === 'enroll' && isVouchedFor(session) && (await hasPasskey(session, context))
}

function isVouchedFor({ opened_by }: CaptureSession): boolean {
  return opened_by.role !== 'human' && opened_by.role !== 'local'
}
