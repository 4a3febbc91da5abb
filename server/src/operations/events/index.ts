import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { enableWebhook } from './enable-webhook.ts'
import { getWebhook } from './get-webhook.ts'
import { listEvents } from './list-events.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listWebhooks } from './list-webhooks.ts'
import { replayWebhook } from './replay-webhook.ts'
import { retryWebhookDelivery } from './retry-webhook-delivery.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { testWebhook } from './test-webhook.ts'
import { updateWebhook } from './update-webhook.ts'

export const EVENT_HANDLERS = {
  listEvents,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  enableWebhook,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  replayWebhook,
}
