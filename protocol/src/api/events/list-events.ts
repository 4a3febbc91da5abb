import { type CloudEvent, CloudEventShape, type DeputyEvent } from '../../events/event.ts'
import { EventShape } from '../../events/event-schema.ts'
import { EVENT_TYPES } from '../../events/event-types.ts'
import type { OcsfRow } from '../../events/ocsf.ts'
import { STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AgentRef,
  AnyObject,
  Closed,
  DEFAULT_PAGE,
  described,
  Flag,
  Jti,
  MAX_PAGE,
  OneOf,
  ProvenanceRef,
} from '../shapes.ts'

export const EVENT_FORMATS = ['deputy', 'cloudevents', 'ocsf'] as const
export type EventFormat = (typeof EVENT_FORMATS)[number]

const OcsfShape = AnyObject({ title: 'OcsfEvent', description: 'An event as a row of OCSF 1.8.' })

export const listEvents = operation({
  method: 'GET',
  path: '/v1/vat/events',
  tag: 'Events',
  summary: 'Follow or list events',
  description:
    'The events that you may see, oldest first. With `Accept: text/event-stream` the response is a stream of server-sent events that stays open: the `id` of each event is its number, and a client that reconnects with `Last-Event-ID` misses nothing. A stream without `after` starts now. Otherwise the response is a page, which starts with the first event or after `after`.',
  query: Closed({
    after: Type.Optional(
      Type.Integer({
        minimum: -1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Only events after this one: `next_cursor` of the page before, or the number in the `id` of the last event that you handled. It is the log index, unless the service was restored from a backup. -1 starts with the first.',
      }),
    ),
    last: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Without `after`: begin this many log entries before the end of the log.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE,
        description: `Maximum number of events in a page. ${DEFAULT_PAGE} by default.`,
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        description: 'Seconds to wait for an event while there is none. 0 by default. Only for pages.',
      }),
    ),
    type: Type.Optional(
      Type.Array(OneOf(EVENT_TYPES), {
        maxItems: 100,
        description: 'Only events of this type. Repeat it for several.',
      }),
    ),
    agent_id: Type.Optional(described(AgentRef, 'Only events about this agent.')),
    provenance_ref: Type.Optional(described(ProvenanceRef, 'Only events of this workflow.')),
    vat_jti: Type.Optional(described(Jti, 'Only events about this token and what was done with it.')),
    format: Type.Optional(
      OneOf(EVENT_FORMATS, {
        description:
          'cloudevents: each event in the structured JSON form of CloudEvents 1.0. ocsf: each event as a row of OCSF 1.8, for a SIEM.',
      }),
    ),
  }),
  response: Closed({
    data: Type.Unsafe<(DeputyEvent | CloudEvent | OcsfRow)[]>({
      type: 'array',
      items: { anyOf: [EventShape, CloudEventShape, OcsfShape] },
      description: 'The events, oldest first.',
    }),
    next_cursor: Type.Integer({
      minimum: -1,
      description: 'Pass as `after` to continue from here. Also present when there are no more events yet.',
    }),
    has_more: Flag('Whether the log continues after this page.'),
  }),
  event_stream: true,
  access: { ...STAFF, human: 'own', agent: 'below' },
  errors: ['log_restored', 'too_many_streams'],
})
