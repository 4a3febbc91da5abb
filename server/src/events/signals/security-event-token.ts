import { type DeputyEvent, eventNumber, SSF_VERIFICATION } from '@deputize/protocol'
import type { Subscriber } from '../audience.ts'
import { type Signal, signalOf } from './signal.ts'
import { eventsDelivered, type StreamDocument } from './stream-document.ts'

/** The claims of a SET (RFC 8417), without those that every statement of the service has. */
export type SetClaims = Readonly<Record<string, unknown>>

/** The subscriber whose events a stream carries: an operator of its tenant. */
export function streamSubscriber(tenant_id: string, access: 'open' | 'keyed'): Subscriber {
  return access === 'open' ? { role: 'local' } : { role: 'operator', tenant_id }
}

/** The `jti` of a SET. It stays the same however often the SET is sent, so that a receiver recognizes repeats. */
export function setIdOf(stream_id: string, number: number): string {
  return `${stream_id}.${number}`
}

/** The claims of an event's SET; undefined if the stream doesn't carry the event. */
export function signalClaims(
  stream_id: string,
  stream: StreamDocument,
  event: DeputyEvent,
  issuer: string,
): SetClaims | undefined {
  const signal = streamedSignal(stream, event, issuer)
  if (signal === undefined) return undefined
  return {
    jti: setIdOf(stream_id, eventNumber(event.id)),
    aud: stream.aud,
    txn: event.id,
    sub_id: signal.sub_id,
    events: { [signal.type]: signal.members },
  }
}

/** The claims of the event that shows that a stream works. It is about the stream itself. */
export function verificationClaims(
  stream_id: string,
  { aud }: StreamDocument,
  { jti, state }: { readonly jti: string; readonly state?: string | undefined },
): SetClaims {
  const events = { [SSF_VERIFICATION]: state === undefined ? {} : { state } }
  return { jti, aud, sub_id: { format: 'opaque', id: stream_id }, events }
}

function streamedSignal(stream: StreamDocument, event: DeputyEvent, issuer: string): Signal | undefined {
  const signal = signalOf(event, issuer)
  if (signal === undefined || !eventsDelivered(stream).includes(signal.type)) return undefined
  return signal.subjects.some((subject) => stream.excluded.includes(subject)) ? undefined : signal
}
