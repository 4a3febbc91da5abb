import { AuthorityError, MOST_WEBHOOKS, newId, newWebhookKeys } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { WEBHOOK_KIND, type WebhookDocument } from '../../events/webhooks/webhook-document.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { assertTarget } from '../outbound-target.ts'
import { withoutReplay } from '../submit-command.ts'
import { webhookView } from '../views/webhook-view.ts'
import { putWebhook } from './webhook-entry.ts'

/** The secret appears only in this answer, so a repeated request creates another webhook. */
export const createWebhook: Handler<'createWebhook'> = async (call, context) => {
  const { caller, body } = call
  const { tenant_id } = caller
  const { url, description, agent_id, provenance_ref } = body
  const { events = ['*'], format = 'deputy', signature = 'v1' } = body
  await assertTarget(url, context)
  await assertRoom(tenant_id, context)
  const now_ms = context.clock()
  const keys = newWebhookKeys(signature)
  const { size } = await context.reader.log.head()
  const document: WebhookDocument = {
    url,
    ...(description !== undefined && { description }),
    events,
    ...(agent_id !== undefined && { agent_id: callersAgent(caller, agent_id) }),
    ...(provenance_ref !== undefined && { provenance_ref }),
    format,
    signature,
    keys: [keys],
    role: caller.role,
    since: size,
    created_at: isoInstant(now_ms),
    created_by: caller.name,
    ...('owner_id' in caller && { first_key_id: caller.owner_id }),
  }
  const named = { id: newId('webhook', now_ms), tenant_id }
  const log_index = await putWebhook(named, document, 'absent', withoutReplay(call), context)
  // The receiver isn't notified of the webhook's own creation.
  await context.events.deliveries.store.begin([{ endpoint_id: named.id, since: log_index + 1 }])
  await context.events.deliveries.changed()
  const entry = {
    ...named,
    kind: WEBHOOK_KIND,
    owner: undefined,
    log_index,
    document: JSON.stringify(document),
  } as const
  return {
    ...webhookView(entry, await context.events.deliveries.store.state(named.id)),
    ...(signature === 'v1' && { secret: keys.verifying }),
  }
}

/** Refuses a webhook beyond the limit. Two simultaneous requests may both find room for the last one. */
async function assertRoom(tenant_id: string, { reader }: OperationContext): Promise<void> {
  const page = { limit: MOST_WEBHOOKS, before: undefined }
  const { entries } = await reader.registry.list(WEBHOOK_KIND, { tenant_id }, page)
  if (entries.length >= MOST_WEBHOOKS) throw new AuthorityError('webhook_limit')
}
