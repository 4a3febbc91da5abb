import type { Handler } from '../operation-context.ts'
import { webhookView } from '../views/webhook-view.ts'
import { loadWebhook } from './webhook-entry.ts'

export const getWebhook: Handler<'getWebhook'> = async ({ params }, context) => {
  const { entry } = await loadWebhook(params.webhook_id, context)
  return webhookView(entry, await context.events.deliveries.store.state(entry.id))
}
