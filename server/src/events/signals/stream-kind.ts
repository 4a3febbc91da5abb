import type { Outbound } from '../../outbound/outbound.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import type { Endpoint, EndpointKind } from '../delivery/port.ts'
import { pushSet } from './push-set.ts'
import { type SetClaims, signalClaims, streamSubscriber } from './security-event-token.ts'
import { SIGNALED_TYPES } from './signal.ts'
import { type PushTarget, STREAM_KIND, type StreamDocument, streamIn } from './stream-document.ts'

/** How often a SET of a paused stream is checked again. Enabling the stream makes it due immediately. */
const PAUSED_MS = 60_000

export interface StreamKindOptions {
  readonly call: Outbound
  readonly issuer: () => string
  readonly access: 'open' | 'keyed'
  readonly sign: (claims: SetClaims) => Promise<string>
  /** Called when a receiver refuses a SET, which is then given up. */
  readonly onRefused: (about: { readonly stream_id: string; readonly event_id: string }, why: string) => void
}

type PushStream = StreamDocument & { readonly push: PushTarget }

/** Streams of pushed signals. Polled streams are not endpoints. */
export function streamKind(options: StreamKindOptions): EndpointKind<PushStream> {
  const { call, issuer, access, sign, onRefused } = options
  return {
    registry_kind: STREAM_KIND,
    endpointsOf(entry) {
      const stream = streamIn(entry.document)
      return isPushed(stream) && stream.status !== 'disabled' ? [streamEndpoint(entry, stream, access)] : []
    },
    async send({ endpoint_id: stream_id, config }, event, { now_ms, signal }) {
      if (config.status === 'paused') return { outcome: 'hold', for_ms: PAUSED_MS }
      const claims = signalClaims(stream_id, config, event, issuer())
      if (claims === undefined) return { outcome: 'skip' }
      const result = await pushSet(config.push, await sign(claims), call, { now_ms, signal })
      if (result.outcome === 'refused') onRefused({ stream_id, event_id: event.id }, result.error)
      return result
    },
  }
}

function isPushed(stream: StreamDocument): stream is PushStream {
  return stream.push !== undefined
}

function streamEndpoint(
  { id, tenant_id }: KeptEntry,
  config: PushStream,
  access: StreamKindOptions['access'],
): Endpoint<PushStream> {
  return {
    endpoint_id: id,
    tenant_id,
    since: config.since,
    interest: { subscriber: streamSubscriber(tenant_id, access), filter: { types: SIGNALED_TYPES } },
    // Events that occurred while the stream was disabled aren't sent.
    wants: ({ log_index }) => log_index >= config.since,
    // A suspension and its end must arrive in order, also for an agent, which has no workflow.
    laneOf: ({ agent_id, audience, log_index }) => agent_id ?? audience.provenance_ref ?? `evt_${log_index}`,
    config,
  }
}
