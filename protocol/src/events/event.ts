import { Type } from '../api/schema-type.ts'
import { AnyObject, Closed, described, Instant, LogIndex, ProvenanceRef, Text } from '../api/shapes.ts'
import type { EventType } from './event-data.ts'
import type { EventData } from './event-types.ts'

/** An event of one type. The union over all types is `DeputyEvent`. */
export interface EventOf<T extends EventType> {
  /**
   * `evt_` and the number of the event: the log index, unless the service was restored from a backup. The same for
   * every receiver and every delivery.
   */
  readonly id: string
  readonly type: T
  /** Index of the log entry that the event reports. Events are in this order. */
  readonly log_index: number
  /** ISO 8601 UTC. */
  readonly occurred_at: string
  readonly tenant_id: string
  /** The workflow that it belongs to, if any. */
  readonly provenance_ref?: string
  readonly data: EventData<T>
}

/** A change in the log, reduced to what the reader may see. */
export type DeputyEvent = { readonly [T in EventType]: EventOf<T> }[EventType]

/** Members of every event other than its type and data. */
export const EVENT_ENVELOPE = {
  id: Text(
    'Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent.',
  ),
  log_index: described(LogIndex, 'Index of the log entry that the event reports. Events come in this order.'),
  occurred_at: described(Instant, 'When it happened.'),
  tenant_id: Text('The tenant that it belongs to.'),
  provenance_ref: Type.Optional(described(ProvenanceRef, 'The workflow that it belongs to, if any.')),
}

/** Types of CloudEvents are reverse DNS names. */
const CLOUD_TYPE_PREFIX = 'dev.deputy.'

/** An event in the structured JSON form of CloudEvents 1.0. */
export interface CloudEvent {
  readonly specversion: '1.0'
  readonly id: string
  /** The issuer of the deployment. Together with `id` it identifies the event globally. */
  readonly source: string
  readonly type: string
  /** The workflow, or else the agent or the person. */
  readonly subject?: string
  readonly time: string
  readonly datacontenttype: 'application/json'
  /** Extension attributes. */
  readonly logindex: number
  readonly tenantid: string
  readonly data: DeputyEvent['data']
}

export const CloudEventShape = Closed(
  {
    specversion: Text('Always 1.0.'),
    id: EVENT_ENVELOPE.id,
    source: Text('The issuer of the deployment.'),
    type: Text(`Type of the event, after ${CLOUD_TYPE_PREFIX}`),
    subject: Type.Optional(Text('The workflow, or else the agent or the person.')),
    time: EVENT_ENVELOPE.occurred_at,
    datacontenttype: Text('Always application/json.'),
    logindex: EVENT_ENVELOPE.log_index,
    tenantid: EVENT_ENVELOPE.tenant_id,
    data: AnyObject<DeputyEvent['data']>({ description: 'What happened. The fields depend on the type.' }),
  },
  { title: 'CloudEvent', description: 'An event in the structured JSON form of CloudEvents 1.0.' },
)

export function cloudEventOf(event: DeputyEvent, source: string): CloudEvent {
  const { id, type, log_index, occurred_at, tenant_id, provenance_ref, data } = event
  const subject = provenance_ref ?? textIn(data, 'agent_id') ?? textIn(data, 'human_ref')
  return {
    specversion: '1.0',
    id,
    source,
    type: `${CLOUD_TYPE_PREFIX}${type}`,
    ...(subject !== undefined && { subject }),
    time: occurred_at,
    datacontenttype: 'application/json',
    logindex: log_index,
    tenantid: tenant_id,
    data,
  }
}

function textIn(data: object, name: string): string | undefined {
  const value: unknown = Reflect.get(data, name)
  return typeof value === 'string' ? value : undefined
}
