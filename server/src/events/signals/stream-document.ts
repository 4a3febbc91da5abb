import { CAEP_EVENTS, type SignalStream } from '@deputize/protocol'

/** The registry entries of streams. */
export const STREAM_KIND = 'ssf_stream'

/** Where SETs are pushed to. */
export interface PushTarget {
  readonly endpoint_url: string
  /** A secret of the receiver. Never shown again. */
  readonly authorization_header?: string | undefined
}

/** What the registry stores about a stream, sealed. */
export interface StreamDocument {
  readonly aud: string
  /** Absent if the receiver polls. */
  readonly push?: PushTarget | undefined
  readonly events_requested: readonly string[]
  readonly description?: string
  readonly status: 'enabled' | 'paused' | 'disabled'
  readonly reason?: string
  /** Subjects that the stream leaves out, by `subjectKey`. */
  readonly excluded: readonly string[]
  readonly created_at: string
  /** The credential that created the stream. Earlier versions didn't store it. */
  readonly created_by?: string | undefined
  /** The first in the chain of replacements that the API key that created the stream belongs to. */
  readonly first_key_id?: string | undefined
  /** The first log index that the stream covers. */
  readonly since: number
}

/** Only this service writes these documents. */
export function streamIn(document: string): StreamDocument {
  return JSON.parse(document)
}

export const SUPPORTED_SIGNALS: readonly SignalStream['events_supported'][number][] =
  Object.values(CAEP_EVENTS)

/** Every event type that the service supports and the receiver wants. */
export function eventsDelivered({ events_requested }: Pick<StreamDocument, 'events_requested'>) {
  return SUPPORTED_SIGNALS.filter((type) => events_requested.includes(type))
}
