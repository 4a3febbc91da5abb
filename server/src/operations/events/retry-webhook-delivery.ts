import { AuthorityError, eventNumber } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { deliveryView } from '../views/webhook-view.ts'
import { ownWebhook } from './webhook-entry.ts'

export const retryWebhookDelivery: Handler<'retryWebhookDelivery'> = async (call, context) => {
  const { entry } = await ownWebhook(call.params.webhook_id, call, context)
  const { deliveries } = context.events
  const { numbers } = context.events.feed
  const log_index = numbers.indexOf(eventNumber(call.params.event_id))
  if (log_index === undefined) throw new AuthorityError('delivery_unknown') // a restore has replaced the event
  if (!(await deliveries.store.retry(entry.id, log_index, context.clock())))
    throw new AuthorityError('delivery_unknown')
  const delivery = await deliveries.store.find(entry.id, log_index)
  if (delivery === undefined) throw new AuthorityError('delivery_unknown') // its time ended just now
  await deliveries.changed()
  return deliveryView(delivery, numbers)
}
