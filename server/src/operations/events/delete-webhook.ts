import type { Handler } from '../operation-context.ts'
import { ownWebhook, putWebhook } from './webhook-entry.ts'

/** A crash after the first step leaves deliveries without a webhook, which nothing reads. */
export const deleteWebhook: Handler<'deleteWebhook'> = async (call, context) => {
  const { entry } = await ownWebhook(call.params.webhook_id, call, context)
  await putWebhook(entry, undefined, entry.log_index, call, context)
  const { deliveries } = context.events
  await deliveries.store.remove(entry.id)
  await deliveries.changed()
  return { deleted: true, webhook_id: entry.id }
}
