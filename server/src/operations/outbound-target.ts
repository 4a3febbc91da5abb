import { invalidField } from '@deputize/protocol'
import { OUTBOUND_REASONS } from '../outbound/outbound.ts'
import type { OperationContext } from './operation-context.ts'

/** Refuses an address that no message would ever be sent to. Each attempt to send checks it again. */
export async function assertTarget(
  url: string,
  { events: { deliveries } }: OperationContext,
  pointer = '/url',
): Promise<void> {
  const fault = await deliveries.targetFault(url)
  if (fault === undefined) return
  throw invalidField(
    pointer,
    `must be an https address on the public internet, port 443 or 8443 (${OUTBOUND_REASONS[fault]}). The operator can list others in DEPUTY_OUTBOUND_ALLOW`,
  )
}
