import type { Handler } from '../operation-context.ts'
import { assertTarget } from '../outbound-target.ts'
import { webhookView } from '../views/webhook-view.ts'
import { loadWebhook, ownWebhook, putWebhook } from './webhook-entry.ts'

export const updateWebhook: Handler<'updateWebhook'> = async (call, context) => {
  const { entry, document } = await ownWebhook(call.params.webhook_id, call, context)
  if (call.body.url !== undefined) await assertTarget(call.body.url, context)
  await putWebhook(entry, { ...document, ...call.body }, entry.log_index, call, context)
  await context.deliveries.changed()
  const changed = await loadWebhook(entry.id, context)
  return webhookView(changed.entry, await context.deliveries.store.state(entry.id))
}
