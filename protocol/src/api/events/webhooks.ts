import type { Static } from 'typebox'
import { EVENT_TYPES } from '../../events/event-types.ts'
import { WEBHOOK_SIGNATURES } from '../../events/webhook-signature.ts'
import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AgentRef,
  Closed,
  Count,
  described,
  Flag,
  Instant,
  LogIndex,
  OneOf,
  PageOf,
  PageQuery,
  ProvenanceRef,
  StoredAgentId,
  Text,
} from '../shapes.ts'

/** How an event is written into the body of a webhook. */
export const WEBHOOK_FORMATS = ['deputy', 'cloudevents', 'ocsf'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** Webhooks that a tenant may have. */
export const MOST_WEBHOOKS = 100

const WebhookId = Type.String({
  minLength: 1,
  maxLength: 128,
  title: 'WebhookId',
  description: 'Webhook ID. Starts with whk_.',
  examples: ['whk_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})

const EventId = Type.String({
  pattern: '^evt_(0|[1-9][0-9]{0,15})$',
  title: 'EventId',
  description:
    'Event ID: evt_ and its number, which is the index of its log entry unless the service was restored from a backup.',
  examples: ['evt_12'],
})

const WebhookUrl = Text(
  'Where events are sent with POST: an https address on the public internet, port 443 or 8443. Private addresses, other ports and plain http need an entry in DEPUTY_OUTBOUND_ALLOW.',
  { minLength: 1, maxLength: 2000 },
)

const EventTypes = Type.Array(
  OneOf(['*', ...EVENT_TYPES] as const, {
    title: 'WebhookEventType',
    description: 'A type of events, or * for every type that you may see.',
  }),
  {
    minItems: 1,
    maxItems: EVENT_TYPES.length + 1,
    foldsRepeats: true,
    description: 'The types of events to send. `["*"]` by default.',
  },
)

const Format = OneOf(WEBHOOK_FORMATS, {
  title: 'WebhookFormat',
  description:
    'How the body is written: as an event of this API, as CloudEvents 1.0 in structured mode, or as a row of OCSF.',
})

const Signature = OneOf(WEBHOOK_SIGNATURES, {
  title: 'WebhookSignature',
  description:
    'How messages are signed, by Standard Webhooks: v1 is HMAC-SHA256 with a shared secret, v1a is Ed25519, which you verify with a public key.',
})

const Description = Text('What the webhook is for.', { minLength: 1, maxLength: 200 })

const WebhookSettings = {
  description: Type.Optional(Description),
  events: Type.Optional(EventTypes),
  format: Type.Optional(Format),
}

const WebhookStatus = OneOf(['enabled', 'failing', 'disabled'], {
  title: 'WebhookStatus',
  description:
    'enabled: the last attempt succeeded, or there was none. failing: attempts fail and are retried. disabled: nothing is sent until you enable it again.',
})

const Webhook = Closed(
  {
    webhook_id: WebhookId,
    tenant_id: Text('Tenant of the webhook.'),
    url: Text('Where events are sent.'),
    description: Type.Optional(Text('What the webhook is for.')),
    events: Type.Array(Type.String(), {
      description: 'The types of events that are sent. * means all.',
    }),
    agent_id: Type.Optional(described(StoredAgentId, 'Only events of this agent.')),
    provenance_ref: Type.Optional(described(ProvenanceRef, 'Only events of this workflow.')),
    format: Format,
    signature: Signature,
    public_key: Type.Optional(
      Text('For v1a: the key that verifies messages, whpk_ and base64. During a rotation, the new one.'),
    ),
    status: WebhookStatus,
    failing_since: Type.Optional(described(Instant, 'Since when every attempt has failed.')),
    disabled_at: Type.Optional(described(Instant, 'When the webhook was disabled.')),
    disabled_reason: Type.Optional(
      OneOf(['failing', 'gone', 'key_deleted'], {
        description:
          'failing: no attempt succeeded for three days. gone: the receiver answered 410. key_deleted: the key that created the webhook, or set its address last, was deleted.',
      }),
    ),
    next_index: Type.Optional(Count('The log index up to which events were sent, or wait to be sent again.')),
    role: Text('The role that the webhook sees events with: that of the credential that created it.'),
    created_at: described(Instant, 'When the webhook was created.'),
    created_by: Text('The credential that created the webhook.'),
    log_index: described(LogIndex, 'Index of the log entry of the last change.'),
  },
  { title: 'Webhook', description: 'A webhook, without its secret.' },
)
export type Webhook = Static<typeof Webhook>

const Secret = Type.Optional(
  Text('For v1: the secret that verifies messages, whsec_ and base64. It is shown only here.'),
)

const CreatedWebhook = Closed(
  { ...Webhook.properties, secret: Secret },
  { title: 'CreatedWebhook', description: 'A new webhook, or one with a new key.' },
)

const WebhookDelivery = Closed(
  {
    event_id: EventId,
    log_index: described(LogIndex, 'Index of the log entry that the event is.'),
    provenance_ref: Type.Optional(described(ProvenanceRef, 'The workflow whose events are sent in order.')),
    state: OneOf(['waiting', 'delivered', 'failed'], {
      title: 'DeliveryState',
      description:
        'waiting: tried again later, or waits for an older event of its workflow. delivered: the receiver answered 2xx. failed: given up after the last attempt.',
    }),
    attempts: Count('Attempts so far. Enabling a webhook starts the count of its waiting deliveries again.'),
    first_attempt_at: Type.Optional(described(Instant, 'When the first attempt ended.')),
    last_attempt_at: Type.Optional(described(Instant, 'When the newest attempt ended.')),
    next_attempt_at: Type.Optional(described(Instant, 'When the next attempt is due, at the earliest.')),
    status: Type.Optional(Type.Integer({ description: 'HTTP status of the newest answer.' })),
    error: Type.Optional(Text('Why the newest attempt failed.')),
    answer: Type.Optional(Text('The first 1 KB of the newest answer.')),
    took_ms: Type.Optional(Count('How long the newest attempt took, in milliseconds.')),
  },
  { title: 'WebhookDelivery', description: 'The delivery of one event. Kept for 7 days.' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

const OneWebhook = Closed({ webhook_id: WebhookId })
const ABOUT = about('webhook', '/params/webhook_id')
const OWNERS = { operator: 'tenant', developer: 'tenant' } as const

export const createWebhook = operation({
  method: 'POST',
  path: '/v1/vat/webhooks',
  tag: 'Webhooks',
  summary: 'Create a webhook',
  description: `Sends events from now on to a URL of yours, signed by the Standard Webhooks specification: at least once, and in order for each workflow. The webhook sees what your role may see. The secret is shown only in this response. A tenant has at most ${MOST_WEBHOOKS} webhooks.`,
  body: Closed({
    url: WebhookUrl,
    ...WebhookSettings,
    agent_id: Type.Optional(described(AgentRef, 'Only events of this agent.')),
    provenance_ref: Type.Optional(described(ProvenanceRef, 'Only events of this workflow.')),
    signature: Type.Optional(
      described(Signature, 'How messages are signed: v1 (HMAC) by default, or v1a (Ed25519).'),
    ),
  }),
  status: 201,
  response: CreatedWebhook,
  access: OWNERS,
  errors: ['webhook_limit'],
})

export const listWebhooks = operation({
  method: 'GET',
  path: '/v1/vat/webhooks',
  tag: 'Webhooks',
  summary: 'List webhooks',
  description: 'The webhooks of your tenant, the newest change first.',
  query: Closed({ ...PageQuery }),
  response: PageOf(Webhook),
  access: STAFF,
  errors: [],
})

export const getWebhook = operation({
  method: 'GET',
  path: '/v1/vat/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  params: OneWebhook,
  response: Webhook,
  access: { ...ABOUT, ...STAFF },
  errors: ['webhook_unknown'],
})

export const updateWebhook = operation({
  method: 'PATCH',
  path: '/v1/vat/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Update a webhook',
  description:
    'Sets the fields that you send. Events waiting to be retried go to the new URL. Only an operator can update the webhook of an operator.',
  params: OneWebhook,
  body: Closed({
    url: Type.Optional(WebhookUrl),
    ...WebhookSettings,
    description: Type.Optional(
      Type.Union([Description, Type.Null()], { description: 'What the webhook is for. null removes it.' }),
    ),
  }),
  response: Webhook,
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'not_yours', 'registry_conflict'],
})

export const deleteWebhook = operation({
  method: 'DELETE',
  path: '/v1/vat/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description:
    'Nothing more is sent, except attempts in progress. Other nodes follow within seconds. Its deliveries are deleted too.',
  params: OneWebhook,
  response: Closed({ deleted: Flag('Always true.'), webhook_id: WebhookId }),
  lane: 'stop',
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'not_yours', 'registry_conflict'],
})

export const rotateWebhookSecret = operation({
  method: 'POST',
  path: '/v1/vat/webhooks/{webhook_id}/rotate-secret',
  tag: 'Webhooks',
  summary: 'Replace the key of a webhook',
  description:
    'For `overlap_s` seconds messages carry a signature of the old key and one of the new. A receiver accepts a message if one of them is valid.',
  params: OneWebhook,
  body: Closed({
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'Seconds for which the old key signs too. One day by default.',
      }),
    ),
  }),
  response: CreatedWebhook,
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'not_yours', 'registry_conflict'],
})

export const enableWebhook = operation({
  method: 'POST',
  path: '/v1/vat/webhooks/{webhook_id}/enable',
  tag: 'Webhooks',
  summary: 'Enable a webhook again',
  description:
    'A disabled webhook continues where it stopped, so nothing is lost. Waiting events are sent immediately, even if the webhook is already enabled.',
  params: OneWebhook,
  response: Webhook,
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'not_yours'],
})

export const testWebhook = operation({
  method: 'POST',
  path: '/v1/vat/webhooks/{webhook_id}/test',
  tag: 'Webhooks',
  summary: 'Send a test event now',
  description:
    'Sends one event of type webhook.test and returns the result. The event is not retried and not listed with the deliveries.',
  params: OneWebhook,
  response: Closed({
    delivered: Flag('Whether the receiver answered 2xx within 15 seconds.'),
    event_id: Text('ID of the test event.'),
    status: Type.Optional(Type.Integer({ description: 'HTTP status of the answer.' })),
    error: Type.Optional(Text('Why it failed.')),
    answer: Type.Optional(Text('The first 1 KB of the answer.')),
    took_ms: Count('How long it took, in milliseconds.'),
  }),
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'not_yours'],
})

export const listWebhookDeliveries = operation({
  method: 'GET',
  path: '/v1/vat/webhooks/{webhook_id}/deliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook',
  description: 'Newest event first. Deliveries are kept for 7 days, at most the newest 100,000.',
  params: OneWebhook,
  query: Closed({
    state: Type.Optional(
      OneOf(['waiting', 'delivered', 'failed'], { description: 'Only deliveries in this state.' }),
    ),
    ...PageQuery,
  }),
  response: PageOf(WebhookDelivery),
  access: { ...ABOUT, ...STAFF },
  errors: ['webhook_unknown'],
})

export const retryWebhookDelivery = operation({
  method: 'POST',
  path: '/v1/vat/webhooks/{webhook_id}/deliveries/{event_id}/retry',
  tag: 'Webhooks',
  summary: 'Send an event again',
  description:
    'Sends the event as soon as possible, with the same webhook-id, and before later events of its workflow.',
  params: Closed({ webhook_id: WebhookId, event_id: EventId }),
  response: WebhookDelivery,
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'delivery_unknown', 'not_yours'],
})

export const replayWebhook = operation({
  method: 'POST',
  path: '/v1/vat/webhooks/{webhook_id}/replay',
  tag: 'Webhooks',
  summary: 'Send all events from a log index on again',
  description:
    'Each event keeps its webhook-id, so a receiver that drops repeated IDs processes only those that it missed. An index before the webhook was created sends older events too, as far as you may see them.',
  params: OneWebhook,
  body: Closed({ from_index: Count('The first log index to send again.') }),
  response: Webhook,
  access: { ...ABOUT, ...OWNERS },
  errors: ['webhook_unknown', 'not_yours'],
})
