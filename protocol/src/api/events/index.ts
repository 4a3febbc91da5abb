import type { Operation } from '../operation.ts'
import { listEvents } from './list-events.ts'
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhook,
  retryWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

export const EVENT_OPERATIONS = {
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
} as const satisfies Record<string, Operation>
