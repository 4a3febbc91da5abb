import { isoInstant } from '../../../domain/times/time.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { templateOf } from '../../identity/biometric-entries.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { needsConsent } from '../biometric-sessions/session-person.ts'
import { approvalSentences, issueSentences } from '../step-up/confirmation-text.ts'
import type { HostedSession, HostedTokenRequest } from './hosted-sessions.ts'
import { hostedWithSecret, openingSecret } from './opening-secret.ts'

export const previewHostedSession: Handler<'previewHostedSession'> = async ({ params, body }, context) => {
  const { client_token, transfer_code, nonce } = body
  const secret = openingSecret({ client_token, transfer_code, nonce })
  const { hosted, state } = await hostedWithSecret(params.id, secret, context)
  const { session_id, purpose, expires_at_ms, locale, accommodations, provider } = hosted
  const { request, return_url } = hosted
  const known = await templateOf(hosted, context)
  return {
    session_id,
    purpose,
    state,
    expires_at: isoInstant(expires_at_ms),
    locale,
    accommodations: [...accommodations],
    provider,
    asked_by: await askerOf(hosted, context),
    ...(request !== undefined && { request: askedToken(request) }),
    sentences: await askedSentences(hosted, context),
    consent: {
      version: context.verification.consent.version,
      is_required: provider === BUILTIN_PROVIDER && needsConsent(purpose, known, context),
    },
    ...(return_url !== undefined && { return_url }),
  }
}

async function askedSentences(
  { request, approval_id, provider }: HostedSession,
  context: OperationContext,
): Promise<string[]> {
  const level = context.external.providers.find(provider)?.level ?? 'L3'
  const approval = approval_id === undefined ? undefined : await context.reader.approval(approval_id)
  return [
    ...(request === undefined ? [] : issueSentences(request, level)),
    ...(approval === undefined ? [] : approvalSentences(approval)),
  ]
}

/** Returns the main members of the requested token. The sentences state everything else. */
function askedToken({ agent_id, resources, actions, constraints, purpose, expires_in }: HostedTokenRequest) {
  return {
    agent_id,
    resources,
    actions,
    ...(constraints !== undefined && { constraints: { ...constraints } }),
    ...(purpose !== undefined && { purpose }),
    ...(expires_in !== undefined && { expires_in }),
  }
}

/** Returns the names that the operator gave to the tenant and the key, never one that the caller chose. */
async function askerOf({ tenant_id, opened_by }: HostedSession, { reader, accessControl }: OperationContext) {
  const tenant = await accessControl.tenants.find(tenant_id)
  const key = 'key_id' in opened_by ? await reader.registry.entry('api_key', opened_by.key_id) : undefined
  const name = key?.document === undefined ? undefined : String(JSON.parse(key.document).name)
  return {
    tenant_name: tenant?.name ?? tenant_id,
    ...(name !== undefined && { name }),
    is_person: opened_by.role === 'human',
  }
}
