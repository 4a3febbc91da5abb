import { AuthorityError } from '@deputize/protocol'
import { type OpeningSecret, openingRefusal } from '../../../domain/verification/hosted-session.ts'
import type { OpenedExternal } from '../../../verification/external/external-providers.ts'
import { openCheck } from '../../external/open-check.ts'
import { providerOfSession } from '../../external/tenant-providers.ts'
import { templateOf } from '../../identity/biometric-entries.ts'
import type { Handler, OperationCall, OperationContext } from '../../operation-context.ts'
import {
  addSession,
  type CaptureSession,
  claimStep,
  replaceSession,
  sessionClosed,
} from '../biometric-sessions/capture-sessions.ts'
import { sessionConsent } from '../biometric-sessions/session-person.ts'
import { type NewCapture, newCapture, openAnswer } from '../biometric-sessions/start-capture.ts'
import { assertNotLocked } from '../biometric-sessions/verification-entries.ts'
import {
  assertTokenIssuable,
  type HostedStatus,
  hasNewestCapture,
  hostedKeptUntil,
  takeTransferCode,
} from './hosted-sessions.ts'
import { newDevice, openOnce } from './open-once.ts'
import { type GivenSecret, hostedWithSecret, openingSecret } from './opening-secret.ts'

type OpenBody = OperationCall<'openHostedSession'>['body']

export const openHostedSession: Handler<'openHostedSession'> = async ({ params, body }, context) => {
  const { device_key } = body
  if (device_key === undefined) return openNow(params.id, body, context)
  return openOnce(params.id, device_key, context, () => openNow(params.id, body, context))
}

/** Opens a session. All refusals come before the code is used up and the old capture is given up. */
async function openNow(session_id: string, body: OpenBody, context: OperationContext) {
  const secret = await shownSecret(session_id, body, context)
  const status = await hostedWithSecret(session_id, secret, context)
  assertMayOpen(status, secret.kind, context)
  const { attempts_left } = await assertNotLocked(status.hosted, context)
  const external = await providerOfSession(status.hosted.tenant_id, status.hosted.provider, context)
  if (external === undefined) context.verification.engine.readyVersion()
  await assertTokenIssuable(status.hosted, external, context)
  const capture = await captureFor(status, secret.kind, body, external, context)
  await begin(capture, status.capture, secret, context)
  return openAnswer(capture, attempts_left, context)
}

/**
 * Returns the secret that the device presents. A device that didn't receive its nonce can't present it, so its key
 * counts as the nonce.
 */
async function shownSecret(
  session_id: string,
  { client_token, transfer_code, nonce, device_key }: OpenBody,
  context: OperationContext,
): Promise<GivenSecret> {
  const given = openingSecret({ client_token, transfer_code, nonce })
  return device_key !== undefined && (await hasNewestCapture(session_id, device_key, context))
    ? { kind: 'nonce', text: device_key }
    : given
}

function assertMayOpen(
  { facts, state }: HostedStatus,
  secret: OpeningSecret,
  context: OperationContext,
): void {
  const refusal = openingRefusal(facts, secret, context.clock())
  if (refusal === 'session_closed') throw sessionClosed(state)
  if (refusal !== undefined) throw new AuthorityError(refusal)
}

async function captureFor(
  { hosted, capture }: HostedStatus,
  secret: OpeningSecret,
  { consent, accommodations = [], locale, device_key }: OpenBody,
  external: OpenedExternal | undefined,
  context: OperationContext,
): Promise<NewCapture> {
  const { session_id, purpose, tenant_id, human_ref, opened_by, request, approval_id } = hosted
  const known = await templateOf(hosted, context)
  const opening = (capture?.hosted?.opening ?? 0) + 1
  // The provider asks for consent to what it captures.
  const check = external && (await openCheck(external, hosted, opening, context))
  const device = device_key === undefined ? undefined : newDevice(device_key)
  return newCapture(
    {
      session_id,
      purpose,
      person: { tenant_id, human_ref },
      opened_by,
      accommodations: [...new Set([...hosted.accommodations, ...accommodations])],
      locale: locale ?? hosted.locale,
      consent: external ? undefined : sessionConsent(purpose, consent ?? capture?.consent, known, context),
      check,
      hosted: {
        opening,
        is_moved: secret === 'transfer_code' || (secret === 'nonce' && capture?.hosted?.is_moved === true),
        ...(device !== undefined && { device_key_hash: device.key_hash, nonce_seed: device.nonce_seed }),
        request: { ...request, ...(approval_id !== undefined && { approval_id }) },
        kept_until_ms: hostedKeptUntil(hosted),
      },
      duress: capture?.duress,
      reveals_before: capture?.progress.reveals ?? 0,
      nonce: device?.nonce,
    },
    context,
  )
}

/** Begins a capture. If several devices open at once, on any node, only one succeeds. */
async function begin(
  { session }: NewCapture,
  before: CaptureSession | undefined,
  secret: GivenSecret,
  context: OperationContext,
): Promise<void> {
  // A crash between these lines leaves a used-up code and the old capture: the other device shows a new code.
  if (secret.kind === 'transfer_code') await takeTransferCode(session, secret.text, context)
  if (before === undefined) return addSession(session, context)
  if ((await claimStep(before, context)) === undefined)
    throw new AuthorityError('session_taken', 'Another call is working on this session.')
  await replaceSession(session, context)
}
