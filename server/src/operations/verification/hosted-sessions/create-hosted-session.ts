import { AuthorityError, invalidField, newId, tenantOf } from '@deputize/protocol'
import { mayApprove } from '../../../domain/approvals/approvers.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { HOSTED_WAIT_S } from '../../../domain/verification/hosted-session.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { providerOfSession } from '../../external/tenant-providers.ts'
import { type EnrolledPerson, templateOf } from '../../identity/biometric-entries.ts'
import { everyRefOf } from '../../identity/proven-person.ts'
import { loadApproval } from '../../loading/load-approval.ts'
import type { Handler, OperationCall, OperationContext } from '../../operation-context.ts'
import { isReviewer } from '../../questions/approver-roles.ts'
import { sessionOpener } from '../biometric-sessions/session-opener.ts'
import {
  assertEnrolled,
  assertFreshSignIn,
  verificationPerson,
} from '../biometric-sessions/session-person.ts'
import { assertNotLocked } from '../biometric-sessions/verification-entries.ts'
import {
  addHostedSession,
  assertTokenIssuable,
  type HostedSession,
  hashOfSecret,
  newHostedSecret,
} from './hosted-sessions.ts'
import { hostedUrl } from './hosted-url.ts'
import { assertReturnUrl } from './return-url.ts'

export const createHostedSession: Handler<'createHostedSession'> = async (call, context) => {
  const { body, caller } = call
  const { purpose } = body
  assertConsistent(body, context)
  const external = await providerOfSession(caller.tenant_id, body.provider, context)
  if (external !== undefined) assertExternal(body)
  assertFreshSignIn(caller, purpose, context)
  const person = await verificationPerson(body, caller, context)
  if (external === undefined) assertEnrolled(await templateOf(person, context), purpose, caller)
  if (body.approval_id !== undefined) await assertDecides(body.approval_id, person, context)
  if (external === undefined) context.verification.engine.readyVersion()
  await assertNotLocked(person, context)
  const client_token = newHostedSecret()
  const link_token = newHostedSecret()
  const hosted: HostedSession = {
    ...hostedMembers(body, context),
    provider: external?.name ?? BUILTIN_PROVIDER,
    ...person,
    client_token_hash: hashOfSecret(client_token),
    link_token_hash: hashOfSecret(link_token),
    opened_by: sessionOpener(caller),
  }
  await assertTokenIssuable(hosted, external, context)
  await addHostedSession(hosted, context)
  const { session_id, human_ref, provider, expires_at_ms } = hosted
  return {
    session_id,
    purpose,
    state: 'waiting',
    client_token,
    url: hostedUrl(session_id, link_token, context),
    expires_at: isoInstant(expires_at_ms),
    human_ref,
    provider,
  }
}

/**
 * Refuses an approval that the person can't give: a face confirms only its own person's approval. Any other is reported
 * as unknown, whether it exists or not.
 */
async function assertDecides(
  approval_id: string,
  { tenant_id, human_ref }: EnrolledPerson,
  context: OperationContext,
): Promise<void> {
  const approval = await loadApproval(approval_id, context)
  const human_refs = await everyRefOf(human_ref, context)
  const is_reviewer = await isReviewer({ tenant_id, human_refs }, context)
  const isTheirs =
    tenantOf(approval.agent_id) === tenant_id && mayApprove(approval, { refs: human_refs, is_reviewer })
  if (!isTheirs) throw new AuthorityError('approval_unknown')
}

type HostedBody = OperationCall<'createHostedSession'>['body']

function assertConsistent(body: HostedBody, context: OperationContext): void {
  const { purpose, request, approval_id, return_url } = body
  if (purpose === 'enroll' && request !== undefined)
    throw invalidField('/request', 'must be absent to enroll: an enrollment issues no token')
  if (purpose === 'enroll' && approval_id !== undefined)
    throw invalidField('/approval_id', 'must be absent to enroll')
  if (return_url !== undefined) assertReturnUrl(return_url, context)
}

/** Refuses what a provider can't do: it stores no template, and its check isn't the face that an approval needs. */
function assertExternal({ purpose, approval_id }: HostedBody): void {
  if (purpose === 'enroll')
    throw invalidField('/purpose', 'must be verify with a verification provider: only builtin enrolls')
  if (approval_id !== undefined)
    throw invalidField('/approval_id', 'must be absent with a verification provider: approvals need builtin')
}

function hostedMembers(body: HostedBody, { clock }: OperationContext) {
  const { purpose, request, approval_id, return_url, accommodations = [], locale = 'en' } = body
  const now_ms = clock()
  return {
    session_id: newId('verification_session', now_ms),
    purpose,
    accommodations,
    locale,
    ...(request !== undefined && { request }),
    ...(approval_id !== undefined && { approval_id }),
    ...(return_url !== undefined && { return_url }),
    created_at_ms: now_ms,
    expires_at_ms: now_ms + (body.expires_in ?? HOSTED_WAIT_S) * 1000,
  } as const
}
