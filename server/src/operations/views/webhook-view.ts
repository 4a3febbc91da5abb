import { eventId, shownAgent, type Webhook, type WebhookDelivery } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import type { EventNumbers } from '../../events/event-numbers.ts'
import { readWebhook } from '../../events/webhooks/webhook-document.ts'
import type { Delivery, EndpointState } from '../../store/deliveries.ts'
import type { KeptEntry } from '../../store/port/registry.ts'

/** Returns a webhook without its secret. */
export function webhookView(entry: KeptEntry, state: EndpointState | undefined): Webhook {
  const { url, description, events, agent_id, provenance_ref, format, signature, keys, role, ...made } =
    readWebhook(entry.document)
  const public_key = signature === 'v1a' ? keys[0]?.verifying : undefined
  return {
    webhook_id: entry.id,
    tenant_id: entry.tenant_id,
    url,
    ...(description !== undefined && { description }),
    events: [...events],
    ...(agent_id !== undefined && { agent_id: shownAgent(agent_id) }),
    ...(provenance_ref !== undefined && { provenance_ref }),
    format,
    signature,
    ...(public_key !== undefined && { public_key }),
    ...statusOf(state),
    role,
    created_at: made.created_at,
    created_by: made.created_by,
    log_index: entry.log_index,
  }
}

function statusOf(
  state: EndpointState | undefined,
): Pick<Webhook, 'status' | 'failing_since' | 'disabled_at' | 'disabled_reason' | 'next_index'> {
  if (state === undefined) return { status: 'enabled' }
  const { next_index, failing_since_ms, disabled } = state
  const failing = failing_since_ms !== undefined && { failing_since: isoInstant(failing_since_ms) }
  if (disabled !== undefined)
    return {
      status: 'disabled',
      disabled_at: isoInstant(disabled.at_ms),
      disabled_reason: disabled.reason,
      ...failing,
      next_index,
    }
  return { status: failing === false ? 'enabled' : 'failing', ...failing, next_index }
}

export function deliveryView(delivery: Delivery, numbers: EventNumbers): WebhookDelivery {
  const { log_index, lane, state, attempts, first_at_ms, last_at_ms, next_at_ms } = delivery
  const { status, error, answer, took_ms } = delivery
  return {
    event_id: eventId(numbers.of(log_index)),
    log_index,
    ...(lane.startsWith('prov_') && { provenance_ref: lane }),
    state,
    attempts,
    ...(attempts > 0 && {
      first_attempt_at: isoInstant(first_at_ms),
      last_attempt_at: isoInstant(last_at_ms),
    }),
    ...(state === 'waiting' && next_at_ms > 0 && { next_attempt_at: isoInstant(next_at_ms) }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(answer !== undefined && { answer }),
    ...(took_ms !== undefined && { took_ms }),
  }
}
