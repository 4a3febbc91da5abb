import type { OutboundReason } from '../outbound/outbound.ts'
import type { DeliveryStore } from '../store/deliveries.ts'
import type { KeptEntry } from '../store/port/registry.ts'
import type { DeliveryOutcome } from './delivery/port.ts'
import type { PushTarget } from './signals/stream-document.ts'
import type { DeliveryThread } from './thread/delivery-thread.ts'

/** What operations need to manage endpoints. */
export interface DeliveryDesk {
  readonly store: DeliveryStore
  /** Sends events to streams and endpoints. */
  readonly thread: DeliveryThread
  /** Must be called after every change of an endpoint or its deliveries. */
  changed(): Promise<void>
  /** Why messages may not be sent to an address, or undefined if they may. */
  targetFault(url: string): Promise<OutboundReason | undefined>
  /** Pushes a SET to a receiver, once. */
  pushOnce(target: PushTarget, set: string): Promise<DeliveryOutcome>
  /** Sends a test event to a webhook, once. */
  sendTest(entry: KeptEntry): Promise<{ readonly event_id: string; readonly result: DeliveryOutcome }>
}
