import type { Caller } from '../../access/caller.ts'
import type { WebhookDocument } from '../../events/webhooks/webhook-document.ts'
import type { Handler } from '../operation-context.ts'
import { assertTarget } from '../outbound-target.ts'
import { webhookView } from '../views/webhook-view.ts'
import { loadWebhook, ownWebhook, putWebhook } from './webhook-entry.ts'

export const updateWebhook: Handler<'updateWebhook'> = async (call, context) => {
  const { entry, document } = await ownWebhook(call.params.webhook_id, call, context)
  if (call.body.url !== undefined) await assertTarget(call.body.url, context)
  const { description = document.description, ...settings } = call.body
  const changed = { ...document, ...settings, description: description ?? undefined }
  await putWebhook(entry, turnedBy(call.caller, document, changed), entry.log_index, call, context)
  await context.events.deliveries.changed()
  const stored = await loadWebhook(entry.id, context)
  return webhookView(stored.entry, await context.events.deliveries.store.state(entry.id))
}

/** Remembers which key changed a webhook's address. If it was stolen, deleting it must disable the webhook too. */
function turnedBy(caller: Caller, before: WebhookDocument, after: WebhookDocument): WebhookDocument {
  if (after.url === before.url) return after
  const { turned_by: _, ...document } = after
  return 'key_id' in caller ? { ...document, turned_by: caller.owner_id ?? caller.key_id } : document
}
