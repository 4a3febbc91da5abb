import { invalidField, PUSH_DELIVERY, type StreamDelivery } from '@deputize/protocol'
import type { PushTarget } from '../../events/signals/stream-document.ts'
import type { OperationContext } from '../operation-context.ts'
import { assertTarget } from '../outbound-target.ts'

/** Returns where a new delivery pushes to. Undefined if the receiver polls. */
export async function pushTarget(
  delivery: StreamDelivery | undefined,
  context: OperationContext,
): Promise<PushTarget | undefined> {
  if (delivery?.method !== PUSH_DELIVERY) {
    assertPollOnly(delivery)
    return undefined
  }
  const { endpoint_url, authorization_header } = delivery
  if (endpoint_url === undefined) throw invalidField('/delivery/endpoint_url', 'is required for push')
  await assertTarget(endpoint_url, context, '/delivery/endpoint_url')
  return { endpoint_url, ...(authorization_header !== undefined && { authorization_header }) }
}

/** Refuses push settings without push. A receiver that names an address expects to be called there. */
function assertPollOnly(delivery: StreamDelivery | undefined): void {
  for (const member of ['endpoint_url', 'authorization_header'] as const)
    if (delivery?.[member] !== undefined)
      throw invalidField(`/delivery/${member}`, `is only for push (method ${PUSH_DELIVERY})`)
}
