import type { Handler } from '../operation-context.ts'
import { webhookView } from '../views/webhook-view.ts'
import { ownWebhook } from './webhook-entry.ts'

export const replayWebhook: Handler<'replayWebhook'> = async (call, context) => {
  const { entry } = await ownWebhook(call.params.webhook_id, call, context)
  const { deliveries } = context.events
  await deliveries.store.rewind(entry.id, call.body.from_index)
  const state = await deliveries.store.state(entry.id)
  await deliveries.changed()
  return webhookView(entry, state)
}
