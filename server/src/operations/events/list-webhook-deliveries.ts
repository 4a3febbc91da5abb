import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { deliveryView } from '../views/webhook-view.ts'
import { loadWebhook } from './webhook-entry.ts'

export const listWebhookDeliveries: Handler<'listWebhookDeliveries'> = async ({ params, query }, context) => {
  const { entry } = await loadWebhook(params.webhook_id, context)
  const { deliveries, feed } = context.events
  const page = await deliveries.store.list(entry.id, { state: query.state }, pageRequest(query))
  return pageAnswer(page, (delivery) => deliveryView(delivery, feed.numbers))
}
