import { newWebhookKeys } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { keysInUse } from '../../events/webhooks/webhook-document.ts'
import type { Handler } from '../operation-context.ts'
import { withoutReplay } from '../submit-command.ts'
import { webhookView } from '../views/webhook-view.ts'
import { loadWebhook, ownWebhook, putWebhook } from './webhook-entry.ts'

const DEFAULT_OVERLAP_S = 24 * 3600
/** Further rotations during an overlap end the oldest keys immediately. */
const MOST_OLD_KEYS = 3

export const rotateWebhookSecret: Handler<'rotateWebhookSecret'> = async (call, context) => {
  const { entry, document } = await ownWebhook(call.params.webhook_id, call, context)
  const { overlap_s = DEFAULT_OVERLAP_S } = call.body
  const now_ms = context.clock()
  const end_ms = now_ms + overlap_s * 1000
  const old = keysInUse(document, now_ms).map((key) => ({
    ...key,
    expires_at: isoInstant(
      Math.min(end_ms, key.expires_at === undefined ? end_ms : Date.parse(key.expires_at)),
    ),
  }))
  const fresh = newWebhookKeys(document.signature)
  const keys = [fresh, ...(overlap_s === 0 ? [] : old.slice(0, MOST_OLD_KEYS))]
  // The new secret is shown once, so a repeated request creates another one.
  await putWebhook(entry, { ...document, keys }, entry.log_index, withoutReplay(call), context)
  await context.events.deliveries.changed()
  const changed = await loadWebhook(entry.id, context)
  return {
    ...webhookView(changed.entry, await context.events.deliveries.store.state(entry.id)),
    ...(document.signature === 'v1' && { secret: fresh.verifying }),
  }
}
