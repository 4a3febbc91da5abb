import { invalidField } from '@deputize/protocol'
import { BUILTIN_PROVIDER } from '../../domain/provider-choice.ts'
import { isoInstant } from '../../domain/time.ts'
import { templateOf } from '../biometric-entries.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { issueSentences } from './confirmation-text.ts'
import {
  type HostedSession,
  type HostedStatus,
  type HostedTokenRequest,
  hostedWithCode,
  hostedWithToken,
} from './hosted-sessions.ts'
import { needsConsent } from './session-person.ts'

export const previewHostedSession: Handler<'previewHostedSession'> = async ({ params, body }, context) => {
  const { hosted, state } = await previewed(params.id, body, context)
  const { session_id, purpose, expires_at_ms, locale, provider, request, return_url } = hosted
  const known = await templateOf(hosted, context)
  return {
    session_id,
    purpose,
    state,
    expires_at: isoInstant(expires_at_ms),
    locale,
    provider,
    asked_by: await askerOf(hosted, context),
    ...(request !== undefined && { request: askedToken(request) }),
    sentences:
      request === undefined ? [] : issueSentences(request, context.externals.find(provider)?.level ?? 'L3'),
    consent: {
      version: context.consent.version,
      is_required: provider === BUILTIN_PROVIDER && needsConsent(purpose, known, context),
    },
    ...(return_url !== undefined && { return_url }),
  }
}

/** The sentences state everything else. */
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

async function previewed(
  session_id: string,
  { client_token, transfer_code }: OperationCall<'previewHostedSession'>['body'],
  context: OperationContext,
): Promise<HostedStatus> {
  if (client_token !== undefined && transfer_code !== undefined)
    throw invalidField('/transfer_code', 'must be absent when client_token is given')
  if (client_token !== undefined) return hostedWithToken(session_id, client_token, context)
  if (transfer_code !== undefined) return hostedWithCode(session_id, transfer_code, context)
  throw invalidField('/client_token', 'or transfer_code is required')
}

/** The names that the operator gave to the tenant and to the key, never one that the caller chose for this session. */
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
