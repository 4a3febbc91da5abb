import { createHash } from 'node:crypto'
import { canonicalJson, invalidField } from '@deputize/protocol'
import type { StepEvidence } from '../../../verification/biometric-engine.ts'
import type { OperationContext } from '../../operation-context.ts'
import { type CaptureBinding, hasPasskey } from './capture-passkey.ts'
import type { CaptureSession } from './capture-sessions.ts'

/** The members of a call that state what the verification is for: a token or an approval. */
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

/** Returns what the passkey of a capture signs: its recordings, and the token that the body requests. */
export function captureBinding(
  session: Pick<CaptureSession, 'session_id' | 'hosted'>,
  steps: readonly Pick<StepEvidence, 'media_digest'>[],
  body: { readonly nonce: string },
): CaptureBinding {
  const request = boundRequest(session, body)
  return {
    session_id: session.session_id,
    nonce: body.nonce,
    media: steps.map(({ media_digest }) => media_digest),
    request: `sha256:${createHash('sha256').update(canonicalJson(request)).digest('hex')}`,
  }
}

/** Returns what the verification is for: the prepared session's request, or else the one in the body. */
export function boundRequest(
  { hosted }: Pick<CaptureSession, 'hosted'>,
  body: object,
): Readonly<Record<string, unknown>> {
  const members: Readonly<Record<string, unknown>> = hosted?.request ?? { ...body }
  return Object.fromEntries(
    REQUEST_MEMBERS.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])),
  )
}

/** Refuses request members from the device of a hosted session, which doesn't choose what the person confirms. */
export function assertOwnRequest({ hosted }: Pick<CaptureSession, 'hosted'>, body: object): void {
  if (hosted === undefined) return
  const named = REQUEST_MEMBERS.find((name) => Object.hasOwn(body, name))
  if (named !== undefined)
    throw invalidField(`/${named}`, 'must be absent: the prepared session already says what it requests')
}

/**
 * Whether a capture needs a passkey. Regardless of the setting, a passkey replaces a step that the person can't do. It
 * also confirms a session that another caller opened for the person, so that no one enrolls their own face under
 * another name: an enrollment of a person who has a passkey, and every check of a verification provider, which compares
 * the face with a document and not with the person.
 */
export async function needsPasskey(session: CaptureSession, context: OperationContext): Promise<boolean> {
  if (context.verification.l3_passkey === 'required' || session.accommodations.length > 0) return true
  if (!isVouchedFor(session)) return false
  return session.check !== undefined || (session.purpose === 'enroll' && (await hasPasskey(session, context)))
}

function isVouchedFor({ opened_by }: CaptureSession): boolean {
  return opened_by.role !== 'human' && opened_by.role !== 'local'
}
