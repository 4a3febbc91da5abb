import type { OutboundAllowlist } from '../../outbound/allowlist.ts'
import { outbound } from '../../outbound/outbound.ts'
import type { DeliveryStore } from '../../store/deliveries.ts'
import type { ReadStore } from '../../store/port.ts'
import { DeliveryEngine } from '../delivery/engine.ts'
import { ATTEMPT_LIMIT_MS } from '../delivery/port.ts'
import type { EventNumbers } from '../event-numbers.ts'
import { EventFeed } from '../feed.ts'
import { streamKind } from '../signals/stream-kind.ts'
import { ANSWER_BYTES } from '../webhooks/send-webhook.ts'
import { WRITERS, webhookKind } from '../webhooks/webhook-kind.ts'
import type { FromHost, ToHost } from './messages.ts'
import { StreamDesk } from './stream-desk.ts'
import { Wire, type WirePort } from './wire.ts'

/** How soon after a wake the HTTP thread may send another one. The commits in between are read together. */
const WAKE_EVERY_MS = 20

export interface DeliveryHostParts {
  readonly reader: ReadStore
  readonly numbers: EventNumbers
  readonly deliveries: DeliveryStore
  readonly clock: () => number
  readonly access: 'open' | 'keyed'
  readonly allowlist: OutboundAllowlist
  /** The issuer of the deployment. */
  readonly source: () => string
  /** Whether the operating system lets callers go first, so that deliveries need no limit. */
  readonly is_behind_callers: boolean
  /** Closes what was opened for the host. */
  readonly closeStores?: (() => Promise<void>) | undefined
}

/** Sends everything that leaves the service as it happens: to streams, webhooks and receivers of signals. */
export class DeliveryHost {
  readonly #wire: Wire<FromHost, ToHost>
  readonly #feed: EventFeed
  readonly #engine: DeliveryEngine
  readonly #streams: StreamDesk
  readonly #closeStores: DeliveryHostParts['closeStores']
  /** The share of its time that the HTTP thread was busy, as last reported. */
  #busy = 0

  constructor(port: WirePort, parts: DeliveryHostParts) {
    const { reader, deliveries, clock, access, source } = parts
    this.#closeStores = parts.closeStores
    const onTrouble = (cause: unknown, what: string) =>
      this.#wire.tell({ kind: 'trouble', what, cause: textOf(cause) })
    this.#feed = new EventFeed({ reader, numbers: parts.numbers, onTrouble })
    this.#wire = new Wire(port, {
      onTell: (message) => this.#hear(message),
      answers: { changed: () => this.#changed(), close: () => this.#close() },
    })
    const call = callOf(parts.allowlist)
    this.#engine = new DeliveryEngine({
      kinds: [
        webhookKind({ call, source, access, writers: WRITERS }),
        streamKind({
          call,
          issuer: source,
          access,
          sign: (claims) => this.#wire.ask('sign', claims),
          onRefused: (about, why) => this.#wire.tell({ kind: 'refused', about, why }),
        }),
      ],
      registry: reader.registry,
      store: deliveries,
      feed: this.#feed,
      clock,
      busy: parts.is_behind_callers ? () => 0 : () => this.#busy,
      onDisabled: (endpoint) => this.#wire.ask('disabled', endpoint),
      onTrouble,
    })
    this.#streams = new StreamDesk({
      feed: this.#feed,
      tell: (message) => this.#wire.tell(message),
      onTrouble,
    })
  }

  #hear(message: ToHost['tells']): void {
    switch (message.kind) {
      case 'wake':
        this.#busy = message.busy
        this.#feed.wake()
        setTimeout(() => this.#wire.tell({ kind: 'listening' }), WAKE_EVERY_MS)
        break
      case 'open':
        this.#streams.open(message.stream_id, message.order)
        break
      case 'leave':
        this.#streams.leave(message.stream_id)
        break
      case 'taken':
        this.#streams.taken(message.stream_ids, message.took_ms)
        break
      case 'valid':
        this.#streams.valid(message.stream_id, message.doubt)
        break
      case 'where':
        this.#wire.tell({
          kind: 'passed',
          stream_id: message.stream_id,
          next: this.#streams.passed(message.stream_id),
        })
        break
      case 'start':
        this.#engine.start()
        break
    }
  }

  async #changed(): Promise<undefined> {
    await this.#engine.changed()
  }

  async #close(): Promise<undefined> {
    this.#streams.close()
    await this.#engine.close()
    await this.#feed.close()
    await this.#closeStores?.()
  }
}

/** Calls receivers of events. Connections stay open between messages. */
export function callOf(allowlist: OutboundAllowlist) {
  return outbound({
    allowlist,
    timeout_ms: ATTEMPT_LIMIT_MS,
    limit_bytes: ANSWER_BYTES,
    on_large: 'cut',
    keeps_connections: true,
  })
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? String(cause.stack) : String(cause)
}
