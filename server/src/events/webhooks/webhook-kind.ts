import {
  cloudEventOf,
  type DeputyEvent,
  EVENT_TYPES,
  type EventType,
  eventNumber,
  newSuffix,
  ocsfRow,
  type WebhookFormat,
} from '@deputize/protocol'
import type { Outbound } from '../../outbound/outbound.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import type { Subscriber } from '../audience.ts'
import type { DeliveryOutcome, Endpoint, EndpointKind } from '../delivery/port.ts'
import { sendWebhook } from './send-webhook.ts'
import { keysInUse, readWebhook, WEBHOOK_KIND, type WebhookDocument } from './webhook-document.ts'

/** Formats an event. `source` is the deployment's issuer. */
type EventWriter = (event: DeputyEvent, source: string) => object

const CONTENT_TYPES: Readonly<Partial<Record<WebhookFormat, string>>> = {
  cloudevents: 'application/cloudevents+json; charset=utf-8',
}

export interface WebhookKindOptions {
  readonly call: Outbound
  readonly source: () => string
  readonly access: 'open' | 'keyed'
  readonly writers: Readonly<Record<WebhookFormat, EventWriter>>
}

/** Every format, with its writer. */
export const WRITERS = {
  deputy: (event: DeputyEvent) => event,
  cloudevents: cloudEventOf,
  ocsf: (event: DeputyEvent, issuer: string) => ocsfRow(event, { issuer }),
} as const satisfies Record<WebhookFormat, EventWriter>

export function webhookKind({
  call,
  source,
  access,
  writers,
}: WebhookKindOptions): EndpointKind<WebhookDocument> {
  return {
    registry_kind: WEBHOOK_KIND,
    endpointsOf: (entry) => [webhookEndpoint(entry, access)],
    send: ({ endpoint_id, config }, event, { now_ms, signal }) =>
      sendWebhook(
        {
          url: config.url,
          message_id: messageId(endpoint_id, String(eventNumber(event.id))),
          content_type: CONTENT_TYPES[config.format] ?? 'application/json; charset=utf-8',
          body: JSON.stringify(writers[config.format](event, source())),
          signing_keys: keysInUse(config, now_ms).map(({ signing }) => signing),
        },
        call,
        now_ms,
        signal,
      ),
  }
}

/**
 * Includes the webhook's ID, because two deployments may send to the same receiver, where an event's number alone isn't
 * unique.
 */
function messageId(webhook_id: string, event: string): string {
  return `msg_${webhook_id.replace(/^whk_/, '')}_${event}`
}

function webhookEndpoint(entry: KeptEntry, access: WebhookKindOptions['access']): Endpoint<WebhookDocument> {
  const config = readWebhook(entry.document)
  const { agent_id, provenance_ref, since } = config
  return {
    endpoint_id: entry.id,
    tenant_id: entry.tenant_id,
    since,
    interest: {
      subscriber: subscriberOf(config, entry.tenant_id, access),
      filter: { types: typesOf(config), agent_id, provenance_ref },
    },
    config,
  }
}

function typesOf({ events }: WebhookDocument): ReadonlySet<EventType> | undefined {
  return events.includes('*') ? undefined : new Set(EVENT_TYPES.filter((type) => events.includes(type)))
}

/**
 * In open mode every program on this machine sees everything. Once the deployment is keyed, a webhook from open mode
 * sees what operators see. Any other role sees nothing.
 */
function subscriberOf(
  { role }: WebhookDocument,
  tenant_id: string,
  access: WebhookKindOptions['access'],
): Subscriber {
  switch (role) {
    case 'local':
      return access === 'open' ? { role } : { role: 'operator', tenant_id }
    case 'operator':
    case 'developer':
      return { role, tenant_id }
    default:
      return { role: 'human', tenant_id, human_refs: [], is_reviewer: false }
  }
}

/** Sends a test event, once. It reports nothing that has happened. */
export async function sendTestEvent(
  entry: KeptEntry,
  call: Outbound,
  now_ms: number,
): Promise<{ readonly event_id: string; readonly result: DeliveryOutcome }> {
  const config = readWebhook(entry.document)
  const event_id = `evt_test_${newSuffix(now_ms)}`
  const event = {
    id: event_id,
    type: 'webhook.test',
    occurred_at: new Date(now_ms).toISOString(),
    tenant_id: entry.tenant_id,
    data: { webhook_id: entry.id },
  }
  const result = await sendWebhook(
    {
      url: config.url,
      message_id: messageId(entry.id, event_id),
      content_type: 'application/json; charset=utf-8',
      body: JSON.stringify(event),
      signing_keys: keysInUse(config, now_ms).map(({ signing }) => signing),
    },
    call,
    now_ms,
  )
  return { event_id, result }
}
